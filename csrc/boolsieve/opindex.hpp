// OpIndex: partitions by pivot attribute, in each of them lists of predicates by operator and segment, with signatures.
// The engine's file (engines/opindex.pyx) tells the paper, the buffers, the invariants and the costs.
//
//   partition (8 words of 32 bits an attribute)  block | capacities | counters | entries | sorted | clauses | dead
//                                                  |
//   block (a run of 64-byte lines in `blocks`)     v
//     summaries   64 bits a segment    signature of the attributes in it, with other bits     } only in blocks with
//     directory   256 bits a segment   signatures for =, <=, >=; where its entries are        } room for more than
//                                                                                             } LINEAR entries
//     needs       8 bits a counter    up to which number it counts; 0: dead; bit 7: the store must be asked as well;
//                                     bit 6: of a clause in conjunctive normal form
//     entries     128 bits an entry   key | attribute | counter * 4 + operator
//                                     first the sorted ones, then the tail: those that came since
//     owners      32 bits a counter   the clause's number in the store
//
// An entry is a satisfied predicate if its attribute's key in the event is equal, at most or at least the entry's.
// A conjunction has one counter, and an entry for each predicate. A clause in conjunctive normal form has one in each
// partition of its pivot, with entries for what the pivot says of that attribute. Behind it stand further "counters"
// that need just bit 6: their owners are the attributes of another disjunction, of which the event must have one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "buffer.hpp"
#include "clauses.hpp"
#include "hash.hpp"
#include "lists.hpp"
#include "scratch.hpp"

namespace boolsieve {

struct OpIndexEntry {
    Key key;
    uint32_t attribute;
    uint32_t reference;  // counter * 4 + operator
};

struct OpIndexPartition {
    uint32_t block;  // its first line
    uint32_t counter_capacity, entry_capacity;
    uint32_t counters, entries;  // dead ones included
    uint32_t sorted;             // how many of the entries are in order
    uint32_t clauses;            // live ones
    uint32_t dead_entries;
};

// A segment of a partition.
struct OpIndexSegment {
    uint64_t signature[3];  // by operator
    uint32_t begin, end;    // of its entries
};

// What an event needs of one of its attributes, whatever the partition.
struct OpIndexPair {
    Key key;
    uint32_t attribute, segment;
    uint32_t summary_bit, equal_bit, attribute_bit;  // in the signatures of the segment
};

struct OpIndexScratch : EngineScratch {
    std::vector<uint8_t> counts;  // by counter of the partition; 0 between two partitions
    std::vector<uint32_t> hits;   // counters that are full
    std::vector<uint32_t> found;  // clauses that hold
    std::vector<OpIndexPair> pairs;
    std::vector<std::pair<uint32_t, uint32_t>> ranges;  // of entries that were counted
};

inline bool in_conjunctive_form(const Clauses& c, uint32_t clause) noexcept {
    for (uint32_t p = c.begin[clause]; p < c.begin[clause + 1]; ++p)
        if (c.head[p] & OR_NEXT) return true;
    return false;
}

class OpIndexCore {
    using Entry = OpIndexEntry;
    using Partition = OpIndexPartition;
    using Segment = OpIndexSegment;
    enum Operator : uint32_t { EQUAL, AT_MOST, AT_LEAST, OPERATORS };

  public:
    static constexpr uint32_t NONE = 0xFFFFFFFFu;
    static constexpr uint32_t SEVERAL = NONE - 1;
    // Up to this many entries are looked at one by one (about 1 ns each): reading a directory costs more.
    static constexpr uint32_t LINEAR = 32;
    // The tail of a larger partition may be this part of what is sorted: each entry is merged about 16 times while the
    // partition doubles, which is 256 bytes moved, and a match looks at 6 percent of the entries one by one.
    static constexpr uint32_t TAIL_PART = 16;
    // Blocks are made with this part more than they need.
    static constexpr uint32_t SLACK_PART = 8;
    // A counter goes up to this; what is more is left to the store.
    static constexpr uint32_t MOST_COUNTED = 63;
    static constexpr uint8_t COUNT_MASK = 0x3F, CONJUNCTIVE = 0x40, ASK_STORE = 0x80;
    // A second disjunction of a clause in conjunctive normal form is looked at before the store if it is not longer.
    static constexpr uint32_t MOST_GUARDS = 8;
    // Expression frequencies count as much as this many events; they only have to bridge the time until events come.
    static constexpr double PRIOR_EVENTS = 16;
    // Events whose attributes are counted before all counts are halved, so that old ones fade.
    static constexpr uint64_t WINDOW = 4096;
    // A clause moves to a pivot that was seen in less than half as many events, less this many: chance alone rarely
    // makes such a difference.
    static constexpr double MARGIN = 8;
    // Learning looks at one clause for this many that the sample met in partitions. Looking takes about 100 ns, a
    // clause in a partition 10 ns: a third of the time that the sample took, and of all events that passed far less.
    static constexpr uint32_t LEARN_PART = 32;
    static constexpr int64_t MOVE_COST = 8;  // moving a clause, in clauses looked at

    explicit OpIndexCore(bool segments) : segments_(segments ? 32 : 1) { totals.resize(TOTALS, 0); }

    void insert(const Clauses& c, uint32_t first, uint32_t count) {
        grow(c.attributes);
        size_t before = clause_pivot.size();
        try {
            clause_pivot.resize(size_t(first) + count, NONE);
            clause_local.resize(size_t(first) + count, NONE);
        } catch (...) {
            forget_places(before);
            throw;
        }
        tally(c, first, count, 1);
        try {
            insert_counted(c, first, count);
        } catch (...) {
            tally(c, first, count, uint32_t(-1));
            forget_places(before);
            throw;
        }
        tidy();
    }

    void remove(const Clauses& c, uint32_t first, uint32_t count) {
        std::vector<Order> orders;
        std::vector<uint32_t> attributes;
        for (uint32_t clause = first; clause < first + count; ++clause) {
            attributes.clear();
            each_place(clause, [&](uint32_t attribute, uint32_t) { attributes.push_back(attribute); });
            add_orders(c, clause, attributes, orders);
        }
        each_buffer([](const char*, auto& buffer) { buffer.writable(); });  // a copy of what was mapped; may fail
        tally(c, first, count, uint32_t(-1));
        for (const Order& order : orders) drop(order, *place(order.clause, order.attribute));
        for (uint32_t clause = first; clause < first + count; ++clause) forget_place(clause);
        tidy();
    }

    // Algorithm 2.
    void match(const Clauses& c, Scratch& s) const {
        OpIndexScratch& own = s.own<OpIndexScratch>();
        const Event& event = s.event;
        const auto* all = reinterpret_cast<const Partition*>(partitions.data());
        uint32_t known = uint32_t(partitions.size() / PARTITION_WORDS);
        own.pairs.clear();
        for (uint32_t a : event.attributes) {
            if (a >= known) continue;
            __builtin_prefetch(&all[a]);
            Key key = event.table[a];
            uint64_t hash = mix(a);
            own.pairs.push_back({key, a, segment(hash), summary_bit(hash), equal_bit(hash, key), attribute_bit(hash)});
        }
        own.ranges.reserve(own.pairs.size() * OPERATORS + 1);
        own.found.clear();
        uint64_t predicates = 0, candidates = 0;
        for (size_t i = 0; i < own.pairs.size() + 2 * AHEAD; ++i) {
            if (i < own.pairs.size()) prefetch_directory(all[own.pairs[i].attribute], own.pairs[i]);
            size_t j = i - AHEAD;
            if (j < own.pairs.size()) prefetch_entries(all[own.pairs[j].attribute], own.pairs[j]);
            j -= AHEAD;
            if (j >= own.pairs.size()) continue;
            const Partition& p = all[own.pairs[j].attribute];  // lines 3-4
            if (!p.clauses) continue;
            candidates += p.clauses;
            if (own.counts.size() < p.counters) {
                own.hits.resize(p.counters + 1);
                own.counts.resize(p.counters, 0);
            }
            size_t most = own.found.size() + p.counters;  // room now, as counters must not be left behind
            if (own.found.capacity() < most) own.found.reserve(2 * most);
            predicates += match_partition(c, p, own, s);
        }
        for (uint32_t clause : own.found) s.found.add(c.owner[clause]);
        s.counters.events += 1;
        s.counters.predicates += predicates;
        s.counters.candidates += candidates;
    }

    void learn(const Clauses& c, const Sample& sample) {
        grow(c.attributes);
        uint32_t* counts = event_count.writable();
        uint64_t met = 0;
        for (const Cell& cell : sample.cells) {
            ++counts[cell.attribute];
            met += partition(cell.attribute).clauses;
        }
        uint64_t& learned = totals.writable()[LEARNED];
        learned += sample.events;
        ++totals.writable()[ROUNDS];
        if (learned > WINDOW) {
            learned /= 2;
            for (size_t a = 0; a < event_count.size(); ++a) counts[a] /= 2;
        }
        rearrange(c, sample, int64_t(met / LEARN_PART));
        tidy();
    }

    // How often the events have the attribute (4.1): what was counted in them, and before that in the clauses.
    double visibility(uint32_t attribute) const noexcept {
        double clauses = double(std::max<uint64_t>(totals.data()[LIVE], 1));
        return event_count.data()[attribute] + PRIOR_EVENTS * expression_count.data()[attribute] / clauses;
    }

    template <class F>
    void each_buffer(F f) {
        f("partitions", partitions);
        f("blocks", blocks);
        f("clause_pivot", clause_pivot);
        f("clause_local", clause_local);
        f("event_count", event_count);
        f("expression_count", expression_count);
        f("totals", totals);
        places.each_buffer(
            [&f](const char* name, auto& buffer) { f((std::string("places.") + name).c_str(), buffer); });
    }

    // The first invariant that does not hold, or nothing. For tests.
    std::string check(const Clauses& c) const {
        std::string problem = check_partitions(c);
        return problem.empty() ? check_clauses(c) : problem;
    }

  private:
    static constexpr size_t LINE_WORDS = 8;
    static constexpr uint32_t PARTITION_WORDS = sizeof(Partition) / sizeof(uint32_t);
    enum Total : uint32_t {
        LIVE,     // clauses
        LEARNED,  // events, halved with the counts
        ROUNDS,   // of learning
        WASTE,    // lines of no partition
        TOTALS
    };

    // The predicate or, in conjunctive normal form, the disjunction under whose attributes a clause stands: a range in
    // the store.
    struct Pivot {
        uint32_t first = NONE, end = NONE;
    };
    // What a clause takes in a partition.
    struct Shape {
        uint32_t counters = 1, entries = 0;
        uint8_t need = 0;
    };
    struct Order {  // to insert a clause into a partition
        uint32_t attribute, clause, counters, entries;
        Pivot pivot;
    };

    struct Ranked {  // an entry while it is sorted
        uint64_t rank;
        Key key;
        uint32_t reference;
        bool operator<(const Ranked& other) const noexcept {
            if (rank != other.rank) return rank < other.rank;
            if (key != other.key) return key < other.key;
            return reference < other.reference;
        }
    };

    // The parts of a block. Word is uint64_t, const or not.
    template <class Word>
    struct Parts {
        template <class T>
        using Like = std::conditional_t<std::is_const_v<Word>, const T, T>;
        Word* summaries;  // nullptr if there is no directory
        Like<Segment>* directory;
        Like<uint8_t>* needs;
        Like<Entry>* entries;
        Like<uint32_t>* owners;
    };

    uint32_t segment(uint64_t hash) const noexcept { return uint32_t(hash) & (segments_ - 1); }
    static uint32_t attribute_bit(uint64_t hash) noexcept { return uint32_t(hash >> 8) & 63; }
    static uint32_t summary_bit(uint64_t hash) noexcept { return uint32_t(hash >> 16) & 63; }
    static uint32_t equal_bit(uint64_t hash, Key key) noexcept { return uint32_t(mix(hash ^ key)) & 63; }
    static uint32_t signature_bit(const Entry& e, uint64_t hash) noexcept {
        return operator_of(e) == EQUAL ? equal_bit(hash, e.key) : attribute_bit(hash);
    }
    static uint32_t operator_of(const Entry& e) noexcept { return e.reference & 3; }
    static uint32_t counter_of(const Entry& e) noexcept { return e.reference >> 2; }
    uint32_t segment_of(const Entry& e) const noexcept { return segment(mix(e.attribute)); }
    // Entries are sorted by segment, operator, attribute, key and counter.
    Ranked ranked(const Entry& e) const noexcept {
        return {uint64_t(segment_of(e) << 2 | operator_of(e)) << 32 | e.attribute, e.key, e.reference};
    }

    Partition& partition(uint32_t a) { return reinterpret_cast<Partition*>(partitions.writable())[a]; }
    const Partition& partition(uint32_t a) const { return reinterpret_cast<const Partition*>(partitions.data())[a]; }

    // The layout of a block.
    size_t directory_words(uint32_t entry_capacity) const noexcept {
        return entry_capacity > LINEAR ? segments_ * (1 + sizeof(Segment) / sizeof(uint64_t)) : 0;
    }
    uint32_t lines(uint32_t counter_capacity, uint32_t entry_capacity) const noexcept {
        size_t words = directory_words(entry_capacity) + (size_t(counter_capacity) + 7) / 8 +
                       2 * size_t(entry_capacity) + (size_t(counter_capacity) + 1) / 2;
        return uint32_t((words + LINE_WORDS - 1) / LINE_WORDS);
    }
    template <class Word>
    Parts<Word> parts(Word* words, const Partition& p) const noexcept {
        Parts<Word> found;
        words += size_t(p.block) * LINE_WORDS;
        found.summaries = p.entry_capacity > LINEAR ? words : nullptr;
        found.directory = reinterpret_cast<decltype(found.directory)>(words + segments_);
        words += directory_words(p.entry_capacity);
        found.needs = reinterpret_cast<decltype(found.needs)>(words);
        words += (size_t(p.counter_capacity) + 7) / 8;
        found.entries = reinterpret_cast<decltype(found.entries)>(words);
        words += 2 * size_t(p.entry_capacity);
        found.owners = reinterpret_cast<decltype(found.owners)>(words);
        return found;
    }

    // A clause in the partition of an attribute of its pivot: f(attribute, operator, key) for each entry, and
    // guard(attribute) for each attribute of which the event must have one.
    template <class F, class G>
    static Shape each_entry(const Clauses& c, uint32_t clause, const Pivot& pivot, uint32_t attribute, F f, G guard) {
        Shape shape;
        auto put = [&](uint32_t attribute, Operator op, Key key) {
            f(attribute, op, key);
            ++shape.entries;
        };
        if (!in_conjunctive_form(c, clause)) {
            shape.need = each_conjunct(c, clause, put);
            return shape;
        }
        shape.need = each_alternative(c, pivot, attribute, put) | CONJUNCTIVE;
        bool guarded = false;
        each_disjunction(c, clause, [&](uint32_t first, uint32_t end, bool required) {
            if (guarded || !required || first == pivot.first) return;
            guarded = true;  // by the first, and so the shortest
            if (end - first > MOST_GUARDS) return;
            for (; first < end; ++first, ++shape.counters) guard(c.head[first] >> KIND_BITS);
        });
        return shape;
    }
    // Both return what a counter needs.
    template <class F>
    static uint8_t each_conjunct(const Clauses& c, uint32_t clause, F put) {
        uint32_t need = 0;
        uint8_t ask = 0;
        for (uint32_t i = c.begin[clause], end = c.begin[clause + 1]; i < end; ++i) {
            uint32_t kind = c.head[i] & KIND_MASK;
            if (kind == PREDICATE_ABSENT || need + 2 > MOST_COUNTED) {
                ask = ASK_STORE;
            } else {
                need += put_predicate(c, i, put);
                if (kind != PREDICATE_RANGE && kind != PREDICATE_IN) ask = ASK_STORE;
            }
        }
        return uint8_t(need) | ask;
    }
    template <class F>
    static uint8_t each_alternative(const Clauses& c, const Pivot& pivot, uint32_t attribute, F put) {
        uint32_t count = 0, last = 0;
        for (uint32_t i = pivot.first; i < pivot.end; ++i)
            if (c.head[i] >> KIND_BITS == attribute) ++count, last = i;
        if (count == 1) return uint8_t(put_predicate(c, last, put));
        put(attribute, AT_LEAST, KEY_LOWEST);  // of several the store finds out which one holds, if any
        return 1;
    }
    // Returns how many of the entries must hold.
    template <class F>
    static uint32_t put_predicate(const Clauses& c, uint32_t i, F put) {
        uint32_t attribute = c.head[i] >> KIND_BITS, kind = c.head[i] & KIND_MASK;
        if (kind == PREDICATE_IN) {  // an event has one key, so at most one of these holds
            for (const Key *key = c.sets + c.low[i], *last = key + c.high[i]; key < last; ++key)
                put(attribute, EQUAL, *key);
            return 1;
        }
        if (kind != PREDICATE_RANGE) {  // needs the attribute, and more
            put(attribute, AT_LEAST, KEY_LOWEST);
            return 1;
        }
        if (c.low[i] == c.high[i]) {
            put(attribute, EQUAL, c.low[i]);
            return 1;
        }
        bool above = c.low[i] > KEY_LOWEST || c.high[i] == KEY_HIGHEST, below = c.high[i] < KEY_HIGHEST;
        if (above) put(attribute, AT_LEAST, c.low[i]);
        if (below) put(attribute, AT_MOST, c.high[i]);
        return uint32_t(above) + uint32_t(below);
    }
    // f(first, end, required) for each disjunction, or predicate of a conjunction; required if all of its predicates
    // need their attribute.
    template <class F>
    static void each_disjunction(const Clauses& c, uint32_t clause, F f) {
        bool required = true;
        for (uint32_t first = c.begin[clause], i = first, end = c.begin[clause + 1]; i < end; ++i) {
            required &= (c.head[i] & KIND_MASK) != PREDICATE_ABSENT;
            if (c.head[i] & OR_NEXT) continue;
            f(first, i + 1, required);
            first = i + 1;
            required = true;
        }
    }
    static Shape shape_of(const Clauses& c, uint32_t clause, const Pivot& pivot, uint32_t attribute) {
        return each_entry(c, clause, pivot, attribute, [](uint32_t, Operator, Key) {}, [](uint32_t) {});
    }

    // The predicates of a conjunction that have no entries, or that were one too many. True if all hold.
    static bool rest_holds(const Clauses& c, uint32_t clause, const Event& event, uint64_t& evaluated) noexcept {
        uint32_t end = c.begin[clause + 1];
        bool all = end - c.begin[clause] > MOST_COUNTED / 2;  // each counts two at most
        for (uint32_t i = c.begin[clause]; i < end; ++i) {
            uint32_t kind = c.head[i] & KIND_MASK;
            if (!all && (kind == PREDICATE_RANGE || kind == PREDICATE_IN)) continue;
            ++evaluated;
            if (!predicate_holds(c, i, event)) return false;
        }
        return true;
    }

    // How often the events have one of the attributes, at most.
    double visibility(const Clauses& c, const Pivot& pivot) const noexcept {
        double seen = 0;
        for (uint32_t i = pivot.first; i < pivot.end; ++i) seen += visibility(c.head[i] >> KIND_BITS);
        return seen;
    }
    // Equation 1: what the events have least often.
    Pivot pivot_of(const Clauses& c, uint32_t clause) const noexcept {
        Pivot best;
        double least = 0;
        each_disjunction(c, clause, [&](uint32_t first, uint32_t end, bool required) {
            double seen = required ? visibility(c, {first, end}) : 0;
            if (!required || (best.first != NONE && seen >= least)) return;
            best = {first, end};
            least = seen;
        });
        return best;
    }
    // The attributes of a pivot, sorted.
    static void attributes_of(const Clauses& c, const Pivot& pivot, std::vector<uint32_t>& out) {
        out.clear();
        for (uint32_t i = pivot.first; i < pivot.end; ++i) out.push_back(c.head[i] >> KIND_BITS);
        if (out.size() < 2) return;
        std::sort(out.begin(), out.end());
        out.erase(std::unique(out.begin(), out.end()), out.end());
    }

    // The pivot of a clause in conjunctive normal form, by its attributes; where two disjunctions have the same, it is
    // always the first. Conjunctions need none: they have all of their entries in one partition.
    static Pivot pivot_with(const Clauses& c, uint32_t clause, const std::vector<uint32_t>& attributes) {
        Pivot found;
        if (!in_conjunctive_form(c, clause)) return found;
        std::vector<uint32_t> other;
        each_disjunction(c, clause, [&](uint32_t first, uint32_t end, bool required) {
            if (found.first != NONE || !required) return;
            attributes_of(c, {first, end}, other);
            if (other == attributes) found = {first, end};
        });
        return found;
    }

    // Where a clause stands: f(attribute, counter).
    template <class F>
    void each_place(uint32_t clause, F f) const {
        uint32_t pivot = clause_pivot[clause], local = clause_local[clause];
        if (pivot != SEVERAL) return f(pivot, local);
        const uint32_t* at = places.items(local);
        for (uint32_t i = 0; i < places.size(local); ++i) f(at[2 * i], at[2 * i + 1]);
    }
    // A list of places, with counters to come.
    uint32_t new_places(const std::vector<uint32_t>& attributes) {
        uint32_t list = places.add();
        try {
            places.reserve(list, uint32_t(attributes.size()));
        } catch (...) {
            places.drop(list);
            throw;
        }
        for (uint32_t attribute : attributes) {
            const uint32_t item[2] = {attribute, NONE};
            places.push(list, item);
        }
        return list;
    }
    void open_place(uint32_t clause, const std::vector<uint32_t>& attributes) {
        uint32_t list = attributes.size() > 1 ? new_places(attributes) : NONE;
        forget_place(clause);
        clause_pivot.set(clause, list == NONE ? attributes[0] : SEVERAL);
        clause_local.set(clause, list);
    }
    // The counter of a clause in a partition.
    uint32_t* place(uint32_t clause, uint32_t attribute) {
        uint32_t* local = clause_local.writable() + clause;
        if (clause_pivot[clause] != SEVERAL) return local;
        uint32_t low = 0, high = places.size(*local);
        uint32_t* at = places.writable(*local);
        while (high - low > 1) {
            uint32_t middle = (low + high) / 2;
            (at[2 * middle] <= attribute ? low : high) = middle;
        }
        return at + 2 * low + 1;
    }
    void forget_place(uint32_t clause) {
        if (clause_pivot[clause] == SEVERAL) places.drop(clause_local[clause]);
        clause_pivot.set(clause, NONE);
        clause_local.set(clause, NONE);
    }

    void grow(uint32_t attributes) {
        if (event_count.size() < attributes) event_count.resize(attributes, 0);
        if (expression_count.size() < attributes) expression_count.resize(attributes, 0);
        size_t words = size_t(attributes) * PARTITION_WORDS;
        if (partitions.size() < words) partitions.resize(words, 0);
    }
    void forget_places(size_t clauses) {
        for (size_t i = clauses; i < std::min(clause_pivot.size(), clause_local.size()); ++i) forget_place(uint32_t(i));
        clause_pivot.resize(std::min(clauses, clause_pivot.size()));
        clause_local.resize(std::min(clauses, clause_local.size()));
    }
    void tally(const Clauses& c, uint32_t first, uint32_t count, uint32_t step) {
        uint32_t* counts = expression_count.writable();
        uint64_t& live = totals.writable()[LIVE];
        for (uint32_t clause = first; clause < first + count; ++clause) {
            for (uint32_t i = c.begin[clause]; i < c.begin[clause + 1]; ++i)
                if ((c.head[i] & KIND_MASK) != PREDICATE_ABSENT) counts[c.head[i] >> KIND_BITS] += step;
            live += uint64_t(int64_t(int32_t(step)));
        }
    }

    static void add_orders(const Clauses& c, uint32_t clause, const std::vector<uint32_t>& attributes,
                           std::vector<Order>& orders) {
        Pivot pivot = pivot_with(c, clause, attributes);
        for (uint32_t attribute : attributes) {
            Shape shape = shape_of(c, clause, pivot, attribute);
            orders.push_back({attribute, clause, shape.counters, shape.entries, pivot});
        }
    }
    // Algorithm 1. All that may fail comes first.
    void insert_counted(const Clauses& c, uint32_t first, uint32_t count) {
        std::vector<Order> orders;
        std::vector<uint32_t> attributes;
        orders.reserve(count);
        for (uint32_t clause = first; clause < first + count; ++clause) {
            attributes_of(c, pivot_of(c, clause), attributes);  // line 1
            open_place(clause, attributes);
            add_orders(c, clause, attributes, orders);
        }
        std::sort(orders.begin(), orders.end(), [](const Order& a, const Order& b) {
            return a.attribute != b.attribute ? a.attribute < b.attribute : a.clause < b.clause;
        });
        size_t more = 0, longest = 0;
        auto each_group = [&](auto f) {
            for (auto i = orders.begin(), j = i; i != orders.end(); i = j) {
                size_t counters = 0, entries = 0;
                for (; j != orders.end() && j->attribute == i->attribute; ++j) {
                    counters += j->counters;
                    entries += j->entries;
                }
                f(i, j, counters, entries);
            }
        };
        each_group([&](auto i, auto, size_t counters, size_t entries) {
            const Partition& p = partition(i->attribute);
            more += lines_wanted(p, counters, entries);
            longest = std::max(longest, size_t(p.entries - p.sorted) + entries);
        });
        reserve(more, longest);
        each_group([&](auto i, auto j, size_t counters, size_t entries) {
            uint32_t attribute = i->attribute;
            make_room(attribute, counters, entries);
            for (; i != j; ++i) append(c, *i);
            settle(partition(attribute));
        });
        if (count > 1) std::vector<Ranked>().swap(sorting_);
    }

    // How many lines must be allocated for some more counters and entries.
    size_t lines_wanted(const Partition& p, size_t counters, size_t entries) const {
        counters += p.counters;
        entries += p.entries;
        if (counters <= p.counter_capacity && entries <= p.entry_capacity) return 0;
        counters += counters / SLACK_PART;
        entries += entries / SLACK_PART;
        if (entries >= NONE || counters >= NONE / 4) throw std::length_error("a pivot has too many predicates");
        return lines(uint32_t(counters), uint32_t(entries));
    }
    void reserve(size_t more_lines, size_t longest_tail) {
        if (blocks.size() / LINE_WORDS + more_lines > NONE) throw std::length_error("an OpIndex holds at most 256 GB");
        blocks.reserve_more(more_lines * LINE_WORDS);
        sorting_.reserve(longest_tail);
    }
    // What was reserved.
    void make_room(uint32_t pivot, size_t counters, size_t entries) {
        Partition& p = partition(pivot);
        if (!lines_wanted(p, counters, entries)) return;
        counters += p.counters;
        entries += p.entries;
        totals.writable()[WASTE] += p.entry_capacity ? lines(p.counter_capacity, p.entry_capacity) : 0;
        move_block(p, blocks, uint32_t(counters + counters / SLACK_PART), uint32_t(entries + entries / SLACK_PART));
    }
    // To the end of a buffer, with other capacities.
    void move_block(Partition& p, Buffer<uint64_t>& to, uint32_t counter_capacity, uint32_t entry_capacity) {
        Partition old = p;
        p.block = uint32_t(to.size() / LINE_WORDS);
        p.counter_capacity = counter_capacity;
        p.entry_capacity = entry_capacity;
        to.resize(to.size() + size_t(lines(counter_capacity, entry_capacity)) * LINE_WORDS, 0);
        if (!old.entry_capacity) return;
        Parts<const uint64_t> from = parts(blocks.data(), old);
        Parts<uint64_t> fresh = parts(to.writable(), p);
        if (!fresh.summaries) p.sorted = 0;
        if (p.sorted) {
            std::memcpy(fresh.summaries, from.summaries, segments_ * sizeof(uint64_t));
            std::memcpy(fresh.directory, from.directory, segments_ * sizeof(Segment));
        }
        std::memcpy(fresh.needs, from.needs, p.counters);
        std::memcpy(fresh.entries, from.entries, p.entries * sizeof(Entry));
        std::memcpy(fresh.owners, from.owners, p.counters * sizeof(uint32_t));
    }

    // A clause to a partition that has room for it (lines 2-4); the directory follows in settle.
    void append(const Clauses& c, const Order& order) {
        Partition& p = partition(order.attribute);
        Parts<uint64_t> b = parts(blocks.writable(), p);
        uint32_t own = p.counters, guards = own;
        Entry* entry = b.entries + p.entries;
        auto put = [&](uint32_t attribute, Operator op, Key key) { *entry++ = {key, attribute, own << 2 | op}; };
        auto guard = [&](uint32_t attribute) {
            b.needs[++guards] = CONJUNCTIVE;
            b.owners[guards] = attribute;
        };
        Shape shape = each_entry(c, order.clause, order.pivot, order.attribute, put, guard);
        b.needs[own] = shape.need;
        b.owners[own] = order.clause;
        p.counters += shape.counters;
        p.entries += shape.entries;
        ++p.clauses;
        *place(order.clause, order.attribute) = own;
    }

    // Merges the tail into the sorted entries once it is long.
    void settle(Partition& p) {
        uint32_t tail = p.entries - p.sorted;
        if (tail <= std::max(LINEAR, p.sorted / TAIL_PART)) return;
        Parts<uint64_t> b = parts(blocks.writable(), p);
        sorting_.clear();
        for (uint32_t i = p.sorted; i < p.entries; ++i) sorting_.push_back(ranked(b.entries[i]));
        std::sort(sorting_.begin(), sorting_.end());
        Entry *left = b.entries + p.sorted, *to = b.entries + p.entries;
        for (size_t i = sorting_.size(); i-- > 0;) {
            const Ranked& r = sorting_[i];
            while (left > b.entries && r < ranked(left[-1])) *--to = *--left;
            *--to = {r.key, uint32_t(r.rank), r.reference};
        }
        p.sorted = p.entries;
        direct(p, b);
    }

    // Line 5: where the segments are, and their signatures.
    void direct(const Partition& p, const Parts<uint64_t>& b) const {
        uint64_t none = segments_ > 1 ? 0 : ~uint64_t(0);  // without signatures nothing is passed over
        for (uint32_t i = 0; i < segments_; ++i) {
            b.summaries[i] = none;
            b.directory[i] = {{none, none, none}, 0, 0};
        }
        for (uint32_t i = 0; i < p.sorted;) {
            Segment& in = b.directory[segment_of(b.entries[i])];
            in.begin = i;
            do {
                const Entry& e = b.entries[i];
                uint64_t hash = mix(e.attribute);
                in.signature[operator_of(e)] |= uint64_t(1) << signature_bit(e, hash);
                b.summaries[segment(hash)] |= uint64_t(1) << summary_bit(hash);
            } while (++i < p.sorted && &b.directory[segment_of(b.entries[i])] == &in);
            in.end = i;
        }
    }

    // A clause out of one of its partitions. Its entries stay until they are a third of all.
    void drop(const Order& order, uint32_t counter) {
        Partition& p = partition(order.attribute);
        std::memset(parts(blocks.writable(), p).needs + counter, 0, order.counters);
        --p.clauses;
        p.dead_entries += order.entries;
        if (!p.clauses) {
            totals.writable()[WASTE] += lines(p.counter_capacity, p.entry_capacity);
            p = Partition();
        } else if (p.dead_entries > LINEAR && p.dead_entries > p.entries / 3) {
            sweep(order.attribute);
        }
    }
    // Without memory for it they stay longer.
    void sweep(uint32_t attribute) {
        Partition& p = partition(attribute);
        std::vector<uint32_t> number;  // of what stays
        try {
            number.resize(p.counters);
            sorting_.reserve(p.entries);
        } catch (const std::bad_alloc&) {
            return;
        }
        Parts<uint64_t> b = parts(blocks.writable(), p);
        uint32_t live = 0, entries = 0, sorted = 0;
        for (uint32_t i = 0; i < p.counters; ++i)
            if (b.needs[i]) number[i] = live++;
        for (uint32_t i = 0; i < p.entries; ++i) {  // numbers keep their order, so what is sorted stays so
            Entry e = b.entries[i];
            if (!b.needs[counter_of(e)]) continue;
            e.reference = number[counter_of(e)] << 2 | operator_of(e);
            b.entries[entries++] = e;
            sorted += i < p.sorted;
        }
        for (uint32_t i = 0; i < p.counters; ++i) {
            if (!b.needs[i]) continue;
            if (b.needs[i] != CONJUNCTIVE) *place(b.owners[i], attribute) = number[i];
            b.owners[number[i]] = b.owners[i];
            b.needs[number[i]] = b.needs[i];
        }
        p.counters = live;
        p.entries = entries;
        p.sorted = sorted;
        p.dead_entries = 0;
        if (b.summaries) direct(p, b);
        settle(p);  // the tail may now be long beside what is sorted
    }

    // Moves all blocks together once a third of the lines belongs to none. Without memory for that they stay.
    void tidy() {
        size_t all = blocks.size() / LINE_WORDS, waste = totals[WASTE];
        if (waste < 1024 || waste < all / 3) return;
        Buffer<uint64_t> fresh;
        auto* each = reinterpret_cast<Partition*>(partitions.writable());
        uint32_t n = uint32_t(partitions.size() / PARTITION_WORDS);
        auto with_slack = [](uint32_t used) { return used + used / SLACK_PART; };
        try {
            size_t needed = 0;
            for (uint32_t a = 0; a < n; ++a)
                if (each[a].entries) needed += lines(with_slack(each[a].counters), with_slack(each[a].entries));
            fresh.reserve_more(needed * LINE_WORDS);
        } catch (const std::bad_alloc&) {
            return;
        }
        for (uint32_t a = 0; a < n; ++a)
            if (each[a].entries) move_block(each[a], fresh, with_slack(each[a].counters), with_slack(each[a].entries));
        blocks.swap(fresh);
        totals.set(WASTE, 0);
    }

    // Looks at clauses of partitions that the sample met, and moves those that have a much rarer pivot.
    void rearrange(const Clauses& c, const Sample& sample, int64_t budget) {
        std::vector<bool> seen(event_count.size());
        std::vector<uint32_t> moves;
        size_t n = sample.cells.size();
        uint64_t turn = mix(totals[ROUNDS]);  // so that each time others come first
        for (size_t i = 0; i < n && budget > 0; ++i) {
            uint32_t attribute = sample.cells[(turn + i) % n].attribute;
            const Partition& p = partition(attribute);
            if (seen[attribute] || !p.clauses || visibility(attribute) <= MARGIN) continue;
            seen[attribute] = true;
            Parts<const uint64_t> b = parts<const uint64_t>(blocks.data(), p);
            uint32_t looked = uint32_t(std::min<int64_t>(p.counters, std::max<int64_t>(budget, LINEAR)));
            moves.clear();
            for (uint32_t k = 0, from = uint32_t(turn % p.counters); k < looked; ++k) {
                uint32_t counter = (from + k) % p.counters;
                if (!b.needs[counter] || b.needs[counter] == CONJUNCTIVE) continue;
                double often = 0;
                each_place(b.owners[counter], [&](uint32_t a, uint32_t) { often += visibility(a); });
                double least = visibility(c, pivot_of(c, b.owners[counter]));
                if (2 * least + MARGIN < often) moves.push_back(b.owners[counter]);
            }
            budget -= looked + MOVE_COST * int64_t(moves.size());
            for (uint32_t clause : moves) move(c, clause);
        }
    }
    // A clause to its best pivot. All that may fail comes first.
    void move(const Clauses& c, uint32_t clause) {
        std::vector<Order> orders, old;
        std::vector<uint32_t> attributes, counters;
        each_place(clause, [&](uint32_t attribute, uint32_t counter) {
            attributes.push_back(attribute);
            counters.push_back(counter);
        });
        add_orders(c, clause, attributes, old);
        attributes_of(c, pivot_of(c, clause), attributes);
        add_orders(c, clause, attributes, orders);
        size_t more = 0, longest = 0;
        for (const Order& order : orders) {
            const Partition& p = partition(order.attribute);
            more += lines_wanted(p, order.counters, order.entries);
            longest = std::max(longest, size_t(p.entries - p.sorted) + order.entries);
        }
        reserve(more, longest);
        open_place(clause, attributes);
        for (const Order& order : orders) {
            make_room(order.attribute, order.counters, order.entries);
            append(c, order);
            settle(partition(order.attribute));
        }
        for (size_t i = 0; i < old.size(); ++i) drop(old[i], counters[i]);
    }

    // A visit misses the caches about 30 times, which takes longer than all it computes; so two partitions ahead the
    // lines that are sure to be read are asked for, in two steps.
    static constexpr size_t AHEAD = 2;
    static void prefetch(const void* first, const void* last) noexcept {
        for (const char* at = static_cast<const char*>(first); at < last; at += 64) __builtin_prefetch(at);
    }
    void prefetch_directory(const Partition& p, const OpIndexPair& pair) const noexcept {
        if (!p.entries) return;
        Parts<const uint64_t> b = parts(blocks.data(), p);
        if (p.sorted) {
            prefetch(b.summaries, b.summaries + segments_);
            prefetch(b.directory + pair.segment, b.directory + pair.segment + 1);
        } else {
            prefetch(b.entries, b.entries + p.entries);
        }
        prefetch(b.needs, b.needs + std::min(p.counters, 256u));
    }
    void prefetch_entries(const Partition& p, const OpIndexPair& pair) const noexcept {
        if (!p.sorted) return;
        Parts<const uint64_t> b = parts(blocks.data(), p);
        const Segment& in = b.directory[pair.segment];
        prefetch(b.entries + in.begin, b.entries + std::min(in.end, in.begin + 128));
        prefetch(b.owners, b.owners + std::min(p.counters, 64u));
    }

    // The first of n entries of a segment that is not before this one.
    static const Entry* search(const Entry* base, size_t n, Operator op, uint32_t attribute, Key key) noexcept {
        uint64_t rank = uint64_t(op) << 32 | attribute;
        while (n > 0) {
            size_t half = n / 2;
            const Entry& e = base[half];
            uint64_t other = uint64_t(operator_of(e)) << 32 | e.attribute;
            bool before = (other < rank) | ((other == rank) & (e.key < key));
            base = before ? base + half + 1 : base;
            n = before ? n - half - 1 : half;
        }
        return base;
    }

    static bool satisfied(const Entry& e, Key key) noexcept {
        switch (operator_of(e)) {
            case EQUAL:
                return key == e.key;
            case AT_MOST:
                return key - 1 < e.key;  // an absent key, 0, is not
            default:
                return key >= e.key;
        }
    }

    // Whether the event has one of the attributes of another disjunction.
    static bool guards_let(const Parts<const uint64_t>& b, const Partition& p, uint32_t counter, const Key* table) {
        uint32_t i = counter + 1;
        if (i == p.counters || b.needs[i] != CONJUNCTIVE) return true;
        for (; i < p.counters && b.needs[i] == CONJUNCTIVE; ++i)
            if (table[b.owners[i]] != KEY_ABSENT) return true;
        return false;
    }

    // Lines 5-12 for one pivot. Returns how many predicates were looked at, by searches too.
    uint64_t match_partition(const Clauses& c, const Partition& p, OpIndexScratch& own, Scratch& s) const {
        Parts<const uint64_t> b = parts(blocks.data(), p);
        uint8_t* counts = own.counts.data();
        uint32_t *hits = own.hits.data(), hit_count = 0;
        uint64_t evaluated = 0;
        auto count = [&, needs = b.needs](const Entry& e) {
            uint32_t counter = counter_of(e);
            uint8_t left = uint8_t(++counts[counter] ^ needs[counter]);
            hits[hit_count] = counter;
            hit_count += !(left & COUNT_MASK);
        };
        own.ranges.clear();
        auto count_all = [&](const Entry* first, const Entry* last) {
            if (first >= last) return;
            own.ranges.push_back({uint32_t(first - b.entries), uint32_t(last - b.entries)});
            evaluated += uint64_t(last - first);
            for (; first < last; ++first) count(*first);
        };
        if (p.sorted)
            for (const OpIndexPair& pair : own.pairs) {
                if (!(b.summaries[pair.segment] >> pair.summary_bit & 1)) continue;
                const Segment& in = b.directory[pair.segment];
                auto find = [&](Operator op, uint32_t attribute, Key key) {
                    evaluated += 32 - uint64_t(__builtin_clz((in.end - in.begin) | 1));
                    return search(b.entries + in.begin, in.end - in.begin, op, attribute, key);
                };
                uint32_t a = pair.attribute;
                if (in.signature[EQUAL] >> pair.equal_bit & 1) {
                    const Entry *first = find(EQUAL, a, pair.key), *last = first, *end = b.entries + in.end;
                    while (last < end && last->attribute == a && last->key == pair.key && operator_of(*last) == EQUAL)
                        ++last;
                    count_all(first, last);
                }
                if (in.signature[AT_MOST] >> pair.attribute_bit & 1)
                    count_all(find(AT_MOST, a, pair.key), find(AT_MOST, a + 1, KEY_ABSENT));
                if (in.signature[AT_LEAST] >> pair.attribute_bit & 1) {
                    const Entry* last =
                        pair.key == KEY_HIGHEST ? find(AT_LEAST, a + 1, KEY_ABSENT) : find(AT_LEAST, a, pair.key + 1);
                    count_all(find(AT_LEAST, a, KEY_ABSENT), last);
                }
            }
        const Key* table = s.event.table.data();
        for (uint32_t i = p.sorted; i < p.entries; ++i)
            if (satisfied(b.entries[i], table[b.entries[i].attribute])) count(b.entries[i]);
        evaluated += p.entries - p.sorted;
        own.ranges.push_back({p.sorted, p.entries});
        for (uint32_t i = 0; i < hit_count; ++i) {
            uint32_t counter = hits[i], clause = b.owners[counter];
            if (b.needs[counter] & CONJUNCTIVE) {
                if (!guards_let(b, p, counter, table)) continue;
                evaluated += c.begin[clause + 1] - c.begin[clause];
                if (!clause_holds(c, clause, s.event)) continue;
            } else if (b.needs[counter] & ASK_STORE) {
                if (!rest_holds(c, clause, s.event, evaluated)) continue;
            }
            __builtin_prefetch(&c.owner[clause]);
            own.found.push_back(clause);
        }
        if (p.counters <= 256 + 16 * evaluated) {  // 16 counters are cleared in the time of one entry
            std::memset(counts, 0, p.counters);
        } else {
            for (auto [first, last] : own.ranges)
                for (uint32_t i = first; i < last; ++i) counts[counter_of(b.entries[i])] = 0;
        }
        return evaluated;
    }

    std::string check_partitions(const Clauses& c) const {
        size_t n = partitions.size() / PARTITION_WORDS;
        if (partitions.size() % PARTITION_WORDS || event_count.size() != n || expression_count.size() != n ||
            n > c.attributes || totals.size() != TOTALS || blocks.size() % LINE_WORDS)
            return "1: lengths";
        std::vector<std::pair<size_t, size_t>> used;
        size_t lines_used = 0;
        for (uint32_t a = 0; a < n; ++a) {
            const Partition& p = partition(a);
            std::string at = " of partition " + std::to_string(a);
            if (!p.entry_capacity) {
                if (p.clauses || p.counters || p.entries || p.sorted) return "1: no block" + at;
                continue;
            }
            size_t end = size_t(p.block) + lines(p.counter_capacity, p.entry_capacity);
            if (end > blocks.size() / LINE_WORDS || p.counters > p.counter_capacity || p.entries > p.entry_capacity ||
                p.sorted > p.entries || !p.clauses || p.clauses > p.counters || p.dead_entries >= p.entries)
                return "1: sizes" + at;
            used.push_back({p.block, end});
            lines_used += end - p.block;
            std::string problem = check_entries(p);
            if (!problem.empty()) return problem + at;
        }
        std::sort(used.begin(), used.end());
        for (size_t i = 1; i < used.size(); ++i)
            if (used[i].first < used[i - 1].second) return "1: blocks overlap";
        if (lines_used + totals[WASTE] != blocks.size() / LINE_WORDS) return "1: lines of no partition";
        return "";
    }
    std::string check_entries(const Partition& p) const {
        Parts<const uint64_t> b = parts(blocks.data(), p);
        if (p.sorted && !b.summaries) return "3: sorted entries without a directory";
        uint32_t tail = p.entries - p.sorted;
        if (tail > std::max(LINEAR, p.sorted / TAIL_PART)) return "5: a long tail";
        for (uint32_t i = 0; i < p.entries; ++i)
            if (counter_of(b.entries[i]) >= p.counters) return "2: an entry of no clause";
        if (!p.sorted) return "";
        uint32_t end = 0;
        for (uint32_t i = 0; i < segments_; ++i) {
            const Segment& in = b.directory[i];
            if (in.begin == in.end) continue;
            if (in.begin != end || in.end < in.begin || in.end > p.sorted) return "3: segments";
            end = in.end;
            for (uint32_t j = in.begin; j < end; ++j) {
                const Entry& e = b.entries[j];
                uint64_t hash = mix(e.attribute);
                if (segment(hash) != i) return "3: an entry in the segment of others";
                if (j && ranked(e) < ranked(b.entries[j - 1])) return "3: order";
                if (!(in.signature[operator_of(e)] >> signature_bit(e, hash) & 1) ||
                    !(b.summaries[i] >> summary_bit(hash) & 1))
                    return "4: signature";
            }
        }
        return end == p.sorted ? "" : "3: segments";
    }
    std::string check_clauses(const Clauses& c) const {
        if (clause_pivot.size() != c.count || clause_local.size() != c.count) return "1: lengths";
        if (const char* problem = places.check()) return std::string("8: places: ") + problem;
        std::vector<uint32_t> frequency(expression_count.size()), clauses(frequency.size());
        std::vector<std::vector<std::vector<Ranked>>> found(frequency.size());  // by partition and counter
        uint64_t live = 0, lists = 0;
        for (uint32_t a = 0; a < frequency.size(); ++a) {
            const Partition& p = partition(a);
            if (!p.entries) continue;
            Parts<const uint64_t> b = parts(blocks.data(), p);
            found[a].resize(p.counters);
            uint32_t dead_entries = 0;
            for (uint32_t i = 0; i < p.entries; ++i) {
                dead_entries += !b.needs[counter_of(b.entries[i])];
                found[a][counter_of(b.entries[i])].push_back(ranked(b.entries[i]));
            }
            if (dead_entries != p.dead_entries) return "6: dead entries of partition " + std::to_string(a);
            for (uint32_t i = 0; i < p.counters; ++i) clauses[a] += b.needs[i] && b.needs[i] != CONJUNCTIVE;
            if (clauses[a] != p.clauses) return "6: clauses of partition " + std::to_string(a);
        }
        for (uint32_t clause = 0; clause < c.count; ++clause) {
            std::string at = " of clause " + std::to_string(clause);
            if (c.owner[clause] == DEAD) {
                if (clause_pivot[clause] != NONE || clause_local[clause] != NONE) return "2: the place" + at + ", dead";
                continue;
            }
            ++live;
            for (uint32_t i = c.begin[clause]; i < c.begin[clause + 1]; ++i)
                if ((c.head[i] & KIND_MASK) != PREDICATE_ABSENT) ++frequency[c.head[i] >> KIND_BITS];
            std::string problem;
            if (clause_pivot[clause] == SEVERAL) {
                if (clause_local[clause] >= places.count() || !places.live(clause_local[clause])) return "8: list" + at;
                ++lists;
            }
            std::vector<uint32_t> attributes, other;
            each_place(clause, [&](uint32_t attribute, uint32_t) { attributes.push_back(attribute); });
            bool right = false;
            each_disjunction(c, clause, [&](uint32_t first, uint32_t end, bool required) {
                attributes_of(c, {first, end}, other);
                right |= required && attributes == other;
            });
            if (!right) return "2: pivot" + at;
            Pivot pivot = pivot_with(c, clause, attributes);
            each_place(clause, [&](uint32_t attribute, uint32_t counter) {
                if (problem.empty()) problem = check_place(c, clause, pivot, attribute, counter, found);
                if (problem.empty()) --clauses[attribute];
            });
            if (!problem.empty()) return problem;
        }
        for (uint32_t a = 0; a < frequency.size(); ++a) {
            if (frequency[a] != expression_count[a]) return "7: frequency of attribute " + std::to_string(a);
            if (clauses[a]) return "2: clauses of partition " + std::to_string(a);
        }
        for (uint32_t i = 0; i < places.count(); ++i) lists -= places.live(i);
        if (lists) return "8: a list of no clause";
        return live == totals[LIVE] ? "" : "7: number of clauses";
    }
    std::string check_place(const Clauses& c, uint32_t clause, const Pivot& pivot, uint32_t attribute, uint32_t own,
                            std::vector<std::vector<std::vector<Ranked>>>& found) const {
        std::string at = " of clause " + std::to_string(clause);
        if (attribute >= found.size() || own >= found[attribute].size()) return "2: place" + at;
        Parts<const uint64_t> b = parts(blocks.data(), partition(attribute));
        std::vector<Ranked> expected, &there = found[attribute][own];
        std::vector<uint32_t> guards;
        Shape shape = each_entry(
            c, clause, pivot, attribute,
            [&](uint32_t a, Operator op, Key key) { expected.push_back(ranked({key, a, own << 2 | op})); },
            [&](uint32_t a) { guards.push_back(a); });
        if (own + shape.counters > partition(attribute).counters || b.owners[own] != clause) return "2: place" + at;
        if (b.needs[own] != shape.need) return "6: counter" + at;
        for (uint32_t i = 0; i < guards.size(); ++i)
            if (b.needs[own + 1 + i] != CONJUNCTIVE || b.owners[own + 1 + i] != guards[i]) return "6: guard" + at;
        std::sort(expected.begin(), expected.end());
        std::sort(there.begin(), there.end());
        auto same = [](const Ranked& x, const Ranked& y) { return !(x < y) && !(y < x); };
        if (!std::equal(there.begin(), there.end(), expected.begin(), expected.end(), same)) return "6: entries" + at;
        return "";
    }

    Buffer<uint32_t> partitions, clause_pivot, clause_local, event_count, expression_count;
    Buffer<uint64_t> blocks, totals;
    Lists<2> places;  // of clauses that have several: pivot and counter, by pivot
    uint32_t segments_;
    std::vector<Ranked> sorting_;  // reserved before a change, so that merging cannot fail
};

}  // namespace boolsieve
