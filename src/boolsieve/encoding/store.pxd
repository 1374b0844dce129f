"""The store of an index: dictionary, expressions, clauses."""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.string cimport string
from libcpp.string_view cimport string_view
from libcpp.vector cimport vector

from boolsieve.encoding.clauses cimport Block, Clauses, Ranges
from boolsieve.language.tree cimport Derived, Literal, Normal, Term
from boolsieve.memory.buffers cimport Buffer, NamedBuffer
from boolsieve.structures.pool cimport CStringPool


cdef extern from "boolsieve/keys.hpp" namespace "boolsieve" nogil:
    const uint64_t KEY_ABSENT
    const uint64_t KEY_LOWEST
    const uint64_t KEY_HIGHEST
    const uint64_t KEY_HELD
    const uint64_t KEY_UNKNOWN_TEXT
    const uint64_t KEY_FIRST_TEXT
    const uint64_t KEY_FALSE
    const uint64_t KEY_TRUE
    const size_t ORDER_BYTES
    const int64_t REAL_LIMIT
    cbool whole_exact(int64_t x) noexcept
    uint64_t whole_key(int64_t x) noexcept
    uint64_t whole_key_of_real "boolsieve::whole_key"(double d) noexcept
    uint64_t time_key(int64_t microseconds, cbool between) noexcept
    uint64_t far_key(int64_t x) noexcept
    uint64_t far_key_of_real "boolsieve::far_key"(double d) noexcept
    uint64_t real_key(int64_t x) noexcept
    uint64_t real_key_of_real "boolsieve::real_key"(double d) noexcept
    cbool real_exact(double d) noexcept
    cbool is_int64(double d) noexcept
    uint64_t order_key(const char* text, size_t length) noexcept


ctypedef uint32_t View  # of the VIEW_ constants


cdef extern from "boolsieve/dictionary.hpp" namespace "boolsieve" nogil:
    const uint32_t VIEW_ANY
    const uint32_t VIEW_WHOLE
    const uint32_t VIEW_FAR
    const uint32_t VIEW_REAL
    const uint32_t VIEW_VALUE
    const uint32_t VIEW_TEXT
    const uint32_t VIEW_ORDER
    const uint32_t VIEW_BOOL
    const uint32_t VIEW_TIME
    const uint32_t VIEW_SET
    const uint32_t VIEW_USES
    const uint32_t USES_ELEMENTS
    const uint32_t USES_PLAIN
    const uint32_t USES_FOLDED
    const uint32_t USES_REGEX

    cdef cppclass ValueBytes:
        char bytes[9]

        @staticmethod
        ValueBytes integer(int64_t x) noexcept

        @staticmethod
        ValueBytes real(double d) noexcept

        @staticmethod
        ValueBytes time(int64_t microseconds) noexcept

        @staticmethod
        ValueBytes boolean(cbool b) noexcept

    cdef cppclass Patterns:
        void settle() except +
        void find(uint32_t name, cbool folded, const char* value, size_t length, vector[uint32_t]& found) except +

    cdef cppclass Dictionary:
        CStringPool names
        CStringPool strings
        CStringPool derived
        Patterns patterns
        Buffer[uint32_t] attribute_name
        Buffer[uint32_t] derived_attribute
        Buffer[uint8_t] attribute_view
        uint32_t deepest
        void recount() except +
        const char* flaw() except +
        uint32_t attribute_count() noexcept
        uint32_t add_name(const char* text, size_t length) except +
        const uint32_t* views_of(uint32_t name) noexcept
        uint32_t add_view(uint32_t name, View view) except +
        uint32_t add_derived(uint32_t name, Derived kind, const char* operand, size_t length, cbool& fresh) except +
        uint32_t find_element(uint32_t name, const char* tagged, size_t length, string& scratch) except +
        uint64_t add_text(uint32_t name, const char* text, size_t length) except +
        uint64_t text_key(const uint32_t* views, const char* text, size_t length) noexcept
        uint64_t value_key(const ValueBytes& value) noexcept


cdef extern from "boolsieve/ranges.hpp" namespace "boolsieve" nogil:
    void open_name(Ranges& ranges, const Dictionary& dictionary, uint32_t name) except +


cdef extern from "boolsieve/put_values.hpp" namespace "boolsieve" nogil:
    cdef cppclass RowSink:
        Block* block
        uint32_t row

    void put_held[Sink](Sink& sink, uint32_t attribute) except +
    void put_integer[Sink](const Dictionary& d, const uint32_t* views, int64_t x, Sink& sink) except +
    void put_real[Sink](const Dictionary& d, const uint32_t* views, double x, Sink& sink) except +
    void put_bool[Sink](const uint32_t* views, cbool x, Sink& sink) except +
    void put_time[Sink](const uint32_t* views, int64_t microseconds, cbool between, Sink& sink) except +
    void put_text[Sink](const Dictionary& d, const uint32_t* views, const char* text, size_t n, Sink& sink) except +
    void put_set[Sink](const uint32_t* views, Sink& sink) except +
    void put_element[Sink](const Dictionary& d, uint32_t name, const ValueBytes& value, string& key,
                           Sink& sink) except +
    void put_text_element[Sink](const Dictionary& d, uint32_t name, const char* text, size_t n, string& key,
                                Sink& sink) except +


cdef extern from "boolsieve/attributes.hpp" namespace "boolsieve" nogil:
    cdef enum AttributeType:
        ATTRIBUTE_BOOL
        ATTRIBUTE_INTEGER
        ATTRIBUTE_REAL
        ATTRIBUTE_TEXT
        ATTRIBUTE_DATE
        ATTRIBUTE_TIME
        ATTRIBUTE_LIST

    cdef struct AttributeValues:
        uint64_t begin
        uint32_t count

    cdef cppclass AttributeTable:
        CStringPool names
        CStringPool strings
        Buffer[uint32_t] name
        Buffer[uint8_t] type
        Buffer[uint64_t] value
        AttributeValues of(uint32_t slot) noexcept
        void set(uint32_t slot, AttributeValues values) except +
        void add(uint32_t of_name, AttributeType of_type, uint64_t bits) except +
        size_t size() noexcept


cdef extern from "boolsieve/store.hpp" namespace "boolsieve" nogil:
    cdef struct Predicate:
        uint32_t attribute
        uint32_t kind
        uint64_t low
        uint64_t high

    cdef cppclass IdTable:
        cbool live(uint32_t slot) except +
        cbool is_text(uint32_t slot) noexcept
        int64_t integer(uint32_t slot) noexcept
        string_view text(uint32_t slot) except +
        uint32_t find(const char* tagged, size_t length) noexcept
        const char* check() except +

    cdef struct SlotContent:
        uint32_t clause
        uint32_t clauses

    cdef struct StoreMark:
        pass

    cdef struct SlotWeights:
        const uint32_t* names
        const double* values
        uint32_t count

    cdef cppclass Store:
        IdTable ids
        Buffer[uint32_t] slot_clause
        Buffer[uint32_t] slot_clauses
        Buffer[uint32_t] text_length
        Buffer[uint32_t] begin
        Buffer[uint32_t] owner
        Buffer[uint32_t] head
        Buffer[uint64_t] text_begin
        Buffer[uint64_t] low
        Buffer[uint64_t] high
        Buffer[uint64_t] sets
        Buffer[uint8_t] text
        AttributeTable attributes
        uint64_t dead_text
        uint32_t live_slots
        uint32_t dead_clauses
        cbool in_order
        uint32_t clause_count() noexcept
        uint32_t slot_count() noexcept
        string_view text_of(uint32_t slot) except +
        uint32_t add_slot(const char* id, size_t length) except +
        void reserve(size_t slots, size_t text_ids, size_t clauses, size_t predicates, size_t keys,
                     size_t text_bytes) except +
        void set_text(uint32_t slot, const char* data, size_t length) except +
        double weight(uint32_t slot) noexcept
        SlotWeights weights(uint32_t slot) noexcept
        void set_weight(uint32_t slot, double weight) except +
        void set_weights(uint32_t slot, const uint32_t* names, const double* values, size_t n) except +
        void open_clauses(uint32_t slot) except +
        void add_clause(uint32_t slot, const Predicate* predicates, size_t n) except +
        SlotContent content(uint32_t slot) except +
        void kill(const SlotContent& old) except +
        void kill_slot(uint32_t slot) except +
        StoreMark mark() noexcept
        void roll_back(const StoreMark& to) except +
        void restore(uint32_t slot, const SlotContent& old) except +
        Clauses clauses(uint32_t attributes, const CStringPool* strings) noexcept
        void recount() except +
        const char* flaw(uint32_t attributes, uint32_t strings, uint32_t names, cbool cnf,
                         cbool deep) noexcept


# Whether each term of an expression is one predicate, so that it can be an alternative in conjunctive normal form.
cdef cbool terms_are_single(const Normal& normal, uint64_t expression) noexcept nogil


cdef class ClauseStore:
    """Everything that is stored of the expressions, encoded; engines read it, the index writes it."""

    cdef Dictionary dictionary
    cdef Store store
    cdef readonly object regex  # RegexSets: the patterns of MATCHES
    cdef object mapped          # what keeps the memory that buffers look at, here and in the engine
    cdef vector[Predicate] _predicates  # of the clause that is being encoded

    cdef Clauses clauses(self) noexcept nogil
    cdef int encode(self, const Normal& normal, uint64_t expression, uint32_t slot, cbool conjunctive) except -1
    cdef int _encode_conjunction(self, const Normal& normal, uint64_t clause, uint32_t slot) except -1
    cdef int _encode_disjunctions(self, const Normal& normal, uint64_t expression, uint32_t slot) except -1
    cdef cbool _encode_term(self, const Normal& normal, const Term& term) except *
    cdef uint32_t _derived(self, const Normal& normal, uint32_t name, Derived kind, const Literal& operand) except *
    cdef cbool _set(self, const Normal& normal, uint32_t name, const Term& term, const Literal* values) except *
    cdef cbool _range(self, uint32_t name, const Term& term, const Literal* values) except *
    cdef cbool _key_range(self, uint32_t name, View view, uint32_t kind, uint8_t bounds, const Literal* values) except *
    cdef uint64_t _bound_key(self, View view, const Literal& value) noexcept nogil
    cdef cbool _text_range(self, const Normal& normal, uint32_t name, const Term& term, const Literal* values) except *
    cdef vector[NamedBuffer] buffers(self) except *
    cdef str flaw(self, cbool takes_cnf, cbool deep)
