"""What engines see: encoded events, blocks of them, clauses in flat buffers, scratch space, and the shared check.

The C++ headers hold the meaning of each field and the invariants.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.string cimport string
from libcpp.vector cimport vector

from boolsieve.structures.pool cimport CStringPool


cdef extern from "boolsieve/event.hpp" namespace "boolsieve" nogil:
    const uint32_t BLOCK_ROWS

    cdef struct Text:
        uint32_t row
        uint32_t attribute
        const char* data
        size_t length

    cdef cppclass Event:
        vector[uint32_t] attributes
        vector[uint64_t] table
        vector[Text] texts
        void open(size_t attribute_count) except +
        void put(uint32_t attribute, uint64_t key) except +
        void close() noexcept

    cdef struct Cell:
        uint32_t row
        uint32_t attribute
        uint64_t key

    cdef cppclass Block:
        uint32_t rows
        vector[uint32_t] column_attribute
        vector[uint64_t] column_keys
        vector[Cell] cells
        vector[Text] texts
        void open(uint32_t rows) except +
        uint64_t* add_column(uint32_t attribute) except +
        void put(uint32_t row, uint32_t attribute, uint64_t key) except +
        void put_text(uint32_t row, uint32_t attribute, const char* data, size_t length) except +
        void sort_cells() except +
        void read_row(uint32_t row, Event& event) except +


cdef extern from "boolsieve/clauses.hpp" namespace "boolsieve" nogil:
    cdef enum PredicateKind:
        PREDICATE_RANGE
        PREDICATE_IN
        PREDICATE_NOT_RANGE
        PREDICATE_NOT_IN
        PREDICATE_ABSENT
        PREDICATE_TEXT
        PREDICATE_OUTSIDE
        PREDICATE_NEVER

    cdef enum TextComparison:
        TEXT_LESS
        TEXT_LESS_EQUAL
        TEXT_GREATER
        TEXT_GREATER_EQUAL
        TEXT_OUTSIDE

    const uint32_t KIND_BITS
    const uint32_t KIND_MASK
    const uint32_t OR_NEXT
    const uint32_t DEAD

    cdef struct Clauses:
        const uint32_t* begin
        const uint32_t* owner
        const uint32_t* head
        const uint64_t* low
        const uint64_t* high
        const uint64_t* sets
        uint32_t count
        uint32_t attributes

    cbool predicate_holds(const Clauses& clauses, uint32_t predicate, const Event& event) noexcept
    uint32_t first_failure(const Clauses& clauses, uint32_t begin, uint32_t end, const Event& event) noexcept
    cbool clause_holds(const Clauses& clauses, uint32_t clause, const Event& event) noexcept


cdef extern from "boolsieve/ranges.hpp" namespace "boolsieve" nogil:
    cdef cppclass Number:
        Number() noexcept
        Number(int64_t x) noexcept
        Number(double d) noexcept

        @staticmethod
        int compare(const Number& a, const Number& b) noexcept

        Number next() noexcept
        Number previous() noexcept

    cdef struct KeySpan:
        uint64_t low
        uint64_t high

    cdef cppclass RangesAttribute "boolsieve::Ranges::Attribute":
        uint32_t attribute
        cbool maybe_absent
        uint32_t begin
        uint32_t end

    cdef cppclass Ranges:
        vector[RangesAttribute] attributes
        vector[KeySpan] spans
        cbool empty() noexcept
        void add_plain(Event& event, size_t attributes_before, size_t texts_before) except +
        void add_numbers(const Number& low, const Number& high) except +
        void add_texts(const string& low, const string& high, cbool open, cbool endless) except +
        void add_times(uint64_t low, uint64_t high) except +
        void close_names() except +
        void close() noexcept
        uint32_t first_failure(const Clauses& clauses, uint32_t begin, uint32_t end, const Event& event) noexcept
        cbool clause_holds(const Clauses& clauses, uint32_t clause, Event& event) except +
        size_t plain_events(size_t most) noexcept
        void put_first(Event& event) except +
        cbool put_next(Event& event) except +


cdef extern from "boolsieve/match_set.hpp" namespace "boolsieve" nogil:
    cdef cppclass MatchSet:
        void open(size_t slots) except +
        void add(uint32_t slot) noexcept
        void drain_to(vector[uint32_t]& out) except +


cdef extern from "boolsieve/text_entries.hpp" namespace "boolsieve" nogil:
    cdef cppclass TextEntries:
        CStringPool distinct
        vector[int32_t] entry_of_code
        vector[uint64_t] keys
        vector[uint32_t] hits
        vector[uint32_t] hits_begin
        void clear(size_t codes) except +
        uint32_t close_entry(uint64_t key) except +


cdef extern from "boolsieve/scratch.hpp" namespace "boolsieve" nogil:
    cdef cppclass Counters:
        uint64_t events
        uint64_t predicates
        uint64_t candidates
        uint64_t matches
        void add_and_clear(Counters& other) noexcept

    cdef cppclass Sample:
        uint32_t events
        vector[Cell] cells
        void take(Sample& other) except +
        void clear() noexcept

    cdef cppclass Scratch:
        Event event
        Ranges ranges
        Block block
        MatchSet found
        vector[uint32_t] slots
        vector[uint32_t] counts
        vector[uint32_t] hits
        cbool remember
        TextEntries seen
        string key
        Counters counters
        Sample sample
        uint32_t sample_every
        void observe() except +

    void collect_pairs(Scratch& scratch, uint32_t rows, cbool by_slot) except +


cdef extern from "boolsieve/block_scan.hpp" namespace "boolsieve" nogil:
    cbool make_columns(Scratch& scratch, uint32_t attributes) except +
    void scan_block(const Clauses& clauses, Scratch& scratch) except +


cdef extern from "boolsieve/row_masks.hpp" namespace "boolsieve" nogil:
    const char* simd_name() noexcept
