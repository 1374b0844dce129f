// k-index: the posting lists of engines/kindex.pyx, which tells the idea, the buffers and the invariants.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "buffer.hpp"
#include "clauses.hpp"
#include "dictionary.hpp"
#include "hash.hpp"
#include "ranking.hpp"
#include "scratch.hpp"
#include "store.hpp"

namespace boolsieve {

// A place in a posting list while an event is matched.
struct PostingCursor {
    const uint32_t* at;
    const uint32_t* end;
    uint32_t clause;  // *at, or DEAD at the end: greater than any clause
    uint32_t code;
    double own, whole;  // upper bounds, for ranking

    // Moves to the first entry that is not below the clause: steps double until they are past it, then halve.
    void seek(uint32_t target) noexcept {
        const uint32_t* low = at;  // *low is below the target
        size_t step = 1;
        while (step < size_t(end - low) && low[step] < target) {
            low += step;
            step *= 2;
        }
        const uint32_t* high = step < size_t(end - low) ? low + step : end;
        at = std::lower_bound(low + 1, high, target);
        clause = at == end ? DEAD : *at;
    }
    void next() noexcept { clause = ++at == end ? DEAD : *at; }
};

struct KIndexScratch : EngineScratch {
    std::vector<PostingCursor> found;  // of all lists of the event, by partition
    std::vector<PostingCursor> merging, rejecting;
    std::vector<uint32_t> pending;  // candidates
    struct Partition {
        uint32_t begin, end;
        double bound;
    };
    std::vector<Partition> partitions;
    std::vector<double> largest;
    std::vector<uint64_t> order;
};

class KIndexPostings {
  public:
    static constexpr uint32_t NONE = 0xFFFFFFFFu;
    // Bounds are sums in another order than scores, so they get a little more than rounding can take away from them.
    static constexpr double SLACK = 1 + 1e-9;

    // What a clause looks like in the index. Its places are those of its positive predicates, then of its negative
    // ones, then presence.
    struct Shape {
        uint32_t size;                             // K: positive predicates that are in posting lists
        bool undecided;                            // whether something is left to check
        uint32_t presence;                         // if K = 0: the attribute that it is listed under
        std::vector<uint32_t> positive, negative;  // predicates
    };

    // What a clause can be worth to an event whose weights are all 1.
    struct Weights {
        std::vector<double> own;  // of each positive predicate, each name at the first one of it; 0 for presence
        double rest;              // of the names that no list stands for
        double whole;             // all, with the weight of the expression
    };

    // Of a list: partition (K and whether something is left to check), and whether its entries reject.
    static uint32_t code_of(uint32_t size, bool undecided, bool negative) noexcept {
        return size << 2 | uint32_t(undecided) << 1 | uint32_t(negative);
    }
    static uint32_t size_in(uint32_t code) noexcept { return code >> 2; }
    static bool undecided_in(uint32_t code) noexcept { return code >> 1 & 1; }
    static bool negative_in(uint32_t code) noexcept { return code & 1; }

    void configure(uint64_t values, bool has_domain, int64_t low, int64_t high) noexcept {
        max_values = values;
        domain_low = has_domain ? whole_key(low) - 1 : KEY_LOWEST;
        domain_high = has_domain ? whole_key(high) + 1 : KEY_HIGHEST;
    }

    // How many values a predicate on a range is enumerated into; saturates.
    uint64_t values_needed(const uint8_t* view, uint32_t attribute, Key low, Key high) const noexcept {
        clip(view[attribute], low, high);
        if (!steps_by_two(view[attribute])) return high - low == KEY_HIGHEST ? high : high - low + 1;
        return high / 2 - (low + 1) / 2 + 1 + (low & 1);
    }
    // The first predicate of a clause whose range has too many values, or the clause's end. Presence is no range.
    uint32_t first_too_wide(const Clauses& c, const uint8_t* view, uint32_t clause) const noexcept {
        uint32_t p = c.begin[clause], end = c.begin[clause + 1];
        for (; p < end; ++p) {
            uint32_t kind = c.head[p] & KIND_MASK;
            if ((kind == PREDICATE_RANGE || kind == PREDICATE_NOT_RANGE) && !any_value(c, p) &&
                values_needed(view, c.head[p] >> KIND_BITS, c.low[p], c.high[p]) > max_values)
                break;
        }
        return p;
    }

    // On an error nothing has changed but for empty lists.
    void insert(const Store& store, const Dictionary& dictionary, uint32_t first, uint32_t count) {
        Clauses c = store.clauses(dictionary.attribute_count(), nullptr);
        const uint8_t* view = dictionary.attribute_view.data();
        present.resize(std::max<size_t>(present.size(), c.attributes), NONE);
        const uint32_t* dead = store.dead_clauses ? c.owner : nullptr;
        Shape shape;
        Weights weights;
        try {
            for (uint32_t clause = first; clause < first + count; ++clause) {
                shape_of(c, view, clause, shape);
                if (store.weighted()) {
                    weigh(store, dictionary, c, clause, shape, weights);
                    uint32_t code = code_of(shape.size, shape.undecided, false);
                    raise(partition_bounds, code, store.weight(c.owner[clause]));
                    raise(partition_bounds, code + 1, weights.rest);
                }
                each_place(c, view, shape, [&](uint32_t attribute, Key key, bool negative, size_t which) {
                    uint32_t code = code_of(shape.size, shape.undecided, negative);
                    uint32_t list = key == KEY_ABSENT ? present_list(attribute, code) : term_list(attribute, key, code);
                    append(list, clause, dead);
                    if (!store.weighted() || negative) return;
                    raise(own_bound, list, weights.own[which]);
                    raise(whole_bound, list, weights.whole);
                });
            }
        } catch (...) {
            for (uint32_t list = 0; list < list_count(); ++list)
                while (length_of(list) && entries_of(list)[length_of(list) - 1] >= first) drop_last(list);
            throw;
        }
    }

    void match(const Store& store, const Dictionary& dictionary, Scratch& scratch) const {
        Clauses c = store.clauses(dictionary.attribute_count(), &dictionary.strings);
        KIndexScratch& own = scratch.own<KIndexScratch>();
        bool inexact = gather(dictionary, scratch.event, own, nullptr);
        for (const auto& part : own.partitions)
            merge(c, own, part, inexact, scratch, nullptr,
                  [&](uint32_t clause) { scratch.found.add(c.owner[clause]); });
        ++scratch.counters.events;
    }

    // The best matches alone: lists and partitions whose bound is below the k-th score so far are passed over.
    void top_k(const Store& store, const Dictionary& dictionary, Scratch& scratch, Ranking& ranking) const {
        Clauses c = store.clauses(dictionary.attribute_count(), &dictionary.strings);
        KIndexScratch& own = scratch.own<KIndexScratch>();
        bool inexact = gather(dictionary, scratch.event, own, &ranking);
        for (auto& part : own.partitions) part.bound = partition_bound(own, part, ranking);
        std::sort(own.partitions.begin(), own.partitions.end(),
                  [](const auto& a, const auto& b) { return a.bound > b.bound; });
        scratch.found.open(store.slot_count());
        for (const auto& part : own.partitions) {
            if (part.bound < ranking.threshold()) break;
            merge(c, own, part, inexact, scratch, &ranking, [&](uint32_t clause) {
                uint32_t slot = c.owner[clause];
                if (store.slot_clauses.data()[slot] > 1) {  // other clauses may hold too, and be worth more
                    if (scratch.found.contains(slot)) return;
                    scratch.found.add(slot);
                }
                ranking.offer(ranking.score(slot, scratch.event), slot);
            });
        }
        scratch.found.drain([](uint32_t) {});
        ++scratch.counters.events;
    }

    template <class F>
    void each_buffer(F f) {
        f("terms", terms);
        f("used", used);
        f("present", present);
        f("lists", lists);
        f("entries", entries);
        f("free", free);
        f("own_bound", own_bound);
        f("whole_bound", whole_bound);
        f("partition_bound", partition_bounds);
    }

    // The number of the first invariant that does not hold, or nullptr. For tests.
    const char* check(const Store& store, const Dictionary& dictionary) const {
        size_t size = terms.size() / 2, held = 0;
        if (terms.size() % 2 || (size & (size - 1)) || term_count() > size / 4 * 3) return "1: size of terms";
        std::vector<uint32_t> reached;
        auto follow = [&](uint32_t list) {
            for (; list < list_count() && reached.size() <= list_count(); list = next_of(list)) reached.push_back(list);
            return list == NONE;
        };
        for (size_t i = 0; i < size; ++i) {
            if (terms[2 * i + 1] == EMPTY) continue;
            ++held;
            if (place_of(uint32_t(terms[2 * i + 1] >> 32), terms[2 * i]) != i) return "1: a term that is not found";
            if (!follow(uint32_t(terms[2 * i + 1]))) return "2: a chain that does not end";
        }
        if (held != term_count()) return "1: number of terms";
        for (size_t attribute = 0; attribute < present.size(); ++attribute)
            if (!follow(present[attribute])) return "2: a chain that does not end";
        if (lists.size() % FIELDS || reached.size() != list_count()) return "2: lists out of reach";
        std::sort(reached.begin(), reached.end());
        if (std::adjacent_find(reached.begin(), reached.end()) != reached.end()) return "2: a list in two chains";
        return check_entries(store, dictionary);
    }

    uint64_t max_values = 0;

  private:
    static constexpr uint32_t FIELDS = 4;  // of a list: next of the same term, code, length, begin (or its one entry)
    static constexpr uint64_t EMPTY = ~uint64_t(0);
    static constexpr uint32_t CLASSES = 4 * 32;
    static constexpr size_t PENDING = 32;  // candidates that are checked together: 3 cache lines each stay in the L1

    // --- What a clause looks like ---

    static bool steps_by_two(uint32_t view) noexcept { return view == VIEW_WHOLE || view == VIEW_TIME; }
    static bool any_value(const Clauses& c, uint32_t p) noexcept {
        return c.low[p] == KEY_LOWEST && c.high[p] == KEY_HIGHEST;
    }
    // Cuts a range down to the keys that events are looked up with.
    void clip(uint32_t view, Key& low, Key& high) const noexcept {
        if (view == VIEW_WHOLE) {
            low = std::min(std::max(low, domain_low), domain_high);
            high = std::min(std::max(high, domain_low), domain_high);
        } else if (view == VIEW_BOOL) {
            high = std::min(high, KEY_TRUE);
        } else if (view == VIEW_ANY || view == VIEW_SET || view == VIEW_DERIVED) {
            high = std::min(high, KEY_HELD);
        }
    }
    // A whole number stands for the gap above it too (an event in there is looked up under both), so a gap needs an
    // entry only where a range begins with it.
    template <class F>
    void each_value(uint32_t view, Key low, Key high, F f) const {
        clip(view, low, high);
        Key step = steps_by_two(view) ? 2 : 1;
        if (step == 2 && low & 1) {
            f(low);
            if (low == high) return;
            ++low;
        }
        for (Key key = low;; key += step) {
            f(key);
            if (high - key < step) return;
        }
    }
    bool outside_domain(uint32_t view, Key low, Key high) const noexcept {
        return view == VIEW_WHOLE && (low <= domain_low || high >= domain_high);
    }

    void shape_of(const Clauses& c, const uint8_t* view, uint32_t clause, Shape& shape) const {
        shape.positive.clear();
        shape.negative.clear();
        shape.undecided = false;
        shape.presence = NONE;
        size_t shortest = 0;
        for (uint32_t p = c.begin[clause]; p < c.begin[clause + 1]; ++p) {
            uint32_t attribute = c.head[p] >> KIND_BITS, kind = c.head[p] & KIND_MASK;
            bool range = kind == PREDICATE_RANGE || kind == PREDICATE_NOT_RANGE;
            bool listed = range && values_needed(view, attribute, c.low[p], c.high[p]) <= max_values;
            if (attribute && (kind == PREDICATE_IN || (kind == PREDICATE_RANGE && listed)))
                shape.positive.push_back(p);
            else if (kind == PREDICATE_NOT_IN &&
                     !outside_domain(view[attribute], c.sets[c.low[p]], c.sets[c.low[p] + c.high[p] - 1]))
                shape.negative.push_back(p);
            else if (kind == PREDICATE_NOT_RANGE && listed && !outside_domain(view[attribute], c.low[p], c.high[p]))
                shape.negative.push_back(p);
            else
                shape.undecided = true;
            if (kind == PREDICATE_ABSENT || !shape.positive.empty()) continue;
            size_t length = present_length(attribute);
            if (shape.presence == NONE || length < shortest) {
                shape.presence = attribute;
                shortest = length;
            }
        }
        if (shape.positive.empty()) {
            // Presence decides a clause that asks for nothing else of this attribute but not to be some values.
            shape.undecided = false;
            for (uint32_t p = c.begin[clause]; p < c.begin[clause + 1]; ++p)
                shape.undecided |=
                    c.head[p] >> KIND_BITS != shape.presence ||
                    !((c.head[p] & KIND_MASK) == PREDICATE_RANGE
                          ? any_value(c, p)
                          : std::find(shape.negative.begin(), shape.negative.end(), p) != shape.negative.end());
        } else {
            shape.presence = NONE;
            shape.undecided |= !shape.negative.empty();  // the attribute must be there
            // One entry an attribute: two predicates on the same presence would stand twice in one list.
            auto attribute_of = [&](uint32_t p) { return c.head[p] >> KIND_BITS; };
            std::stable_sort(shape.positive.begin(), shape.positive.end(),
                             [&](uint32_t p, uint32_t q) { return attribute_of(p) < attribute_of(q); });
            auto last = std::unique(shape.positive.begin(), shape.positive.end(), [&](uint32_t p, uint32_t q) {
                bool same = attribute_of(p) == attribute_of(q);
                shape.undecided |= same && !(c.head[p] == c.head[q] && c.low[p] == c.low[q] && c.high[p] == c.high[q]);
                return same;
            });
            shape.positive.erase(last, shape.positive.end());
        }
        shape.size = uint32_t(shape.positive.size());
    }

    // f(attribute, key, negative, which of its kind) for each entry of a clause; key 0 is presence.
    template <class F>
    void each_place(const Clauses& c, const uint8_t* view, const Shape& shape, F f) const {
        auto each = [&](uint32_t p, bool negative, size_t which) {
            uint32_t attribute = c.head[p] >> KIND_BITS, kind = c.head[p] & KIND_MASK;
            if (kind == PREDICATE_RANGE || kind == PREDICATE_NOT_RANGE) {
                each_value(view[attribute], c.low[p], c.high[p], [&](Key key) { f(attribute, key, negative, which); });
                return;
            }
            Key before = KEY_ABSENT;
            for (uint64_t i = 0; i < c.high[p]; ++i) {
                Key low = c.sets[c.low[p] + i], high = low;
                clip(view[attribute], low, high);
                if (low != before) f(attribute, low, negative, which);  // beyond the domain many become one
                before = low;
            }
        };
        for (size_t i = 0; i < shape.positive.size(); ++i) each(shape.positive[i], false, i);
        for (size_t i = 0; i < shape.negative.size(); ++i) each(shape.negative[i], true, i);
        if (shape.presence != NONE) f(shape.presence, KEY_ABSENT, false, 0);
    }

    // --- Terms and lists ---

    size_t term_count() const noexcept { return used.size() ? size_t(used.data()[0]) : 0; }
    size_t home(uint32_t attribute, Key key) const noexcept {
        return mix(key ^ uint64_t(attribute) * hashing::ROOT5) & (terms.size() / 2 - 1);
    }
    size_t place_of(uint32_t attribute, Key key) const noexcept {
        const uint64_t* t = terms.data();
        size_t i = home(attribute, key), mask = terms.size() / 2 - 1;
        while (t[2 * i + 1] != EMPTY && !(t[2 * i] == key && t[2 * i + 1] >> 32 == attribute)) i = (i + 1) & mask;
        return i;
    }
    uint32_t first_list(uint32_t attribute, Key key) const noexcept {
        return terms.size() ? uint32_t(terms.data()[2 * place_of(attribute, key) + 1]) : NONE;
    }

    size_t list_count() const noexcept { return lists.size() / FIELDS; }
    const uint32_t* list_at(uint32_t list) const noexcept { return lists.data() + size_t(list) * FIELDS; }
    uint32_t next_of(uint32_t list) const noexcept { return list_at(list)[0]; }
    uint32_t code_in(uint32_t list) const noexcept { return list_at(list)[1]; }
    uint32_t length_of(uint32_t list) const noexcept { return list_at(list)[2]; }
    const uint32_t* entries_of(uint32_t list) const noexcept {
        const uint32_t* l = list_at(list);
        return l[2] == 1 ? l + 3 : entries.data() + l[3];
    }

    size_t present_length(uint32_t attribute) const noexcept {
        size_t length = 0;
        for (uint32_t list = present.data()[attribute]; list != NONE; list = next_of(list)) length += length_of(list);
        return length;
    }

    uint32_t find_in_chain(uint32_t list, uint32_t code) const noexcept {
        while (list != NONE && code_in(list) != code) list = next_of(list);
        return list;
    }
    uint32_t add_list(uint32_t next, uint32_t code) {
        if (list_count() >= NONE) throw std::length_error("kindex has at most 2**32 - 1 posting lists");
        const uint32_t fields[FIELDS] = {next, code, 0, 0};
        lists.append(fields, FIELDS);
        return uint32_t(list_count() - 1);
    }
    uint32_t present_list(uint32_t attribute, uint32_t code) {
        uint32_t list = find_in_chain(present[attribute], code);
        if (list != NONE) return list;
        list = add_list(present[attribute], code);
        present.set(attribute, list);
        return list;
    }
    uint32_t term_list(uint32_t attribute, Key key, uint32_t code) {
        if (term_count() + 1 > terms.size() / 2 / 4 * 3) rebuild(terms.size() ? terms.size() : 16);
        size_t place = place_of(attribute, key);
        uint64_t value = terms[2 * place + 1];
        uint32_t head = value == EMPTY ? NONE : uint32_t(value);
        uint32_t list = find_in_chain(head, code);
        if (list != NONE) return list;
        uint64_t* t = terms.writable();
        uint64_t* n = used.writable();
        list = add_list(head, code);
        if (value == EMPTY) ++*n;
        t[2 * place] = key;
        t[2 * place + 1] = uint64_t(attribute) << 32 | list;
        return list;
    }
    void rebuild(size_t places) {
        Buffer<uint64_t> old;
        old.resize(2 * places, EMPTY);
        if (!used.size()) used.push_back(0);
        terms.swap(old);
        uint64_t* t = terms.writable();
        for (size_t i = 0; i < old.size(); i += 2) {
            if (old[i + 1] == EMPTY) continue;
            size_t place = place_of(uint32_t(old[i + 1] >> 32), old[i]);
            t[2 * place] = old[i];
            t[2 * place + 1] = old[i + 1];
        }
    }

    // --- Entries: chunks in four sizes to an octave, so that a list has at most a quarter to spare ---

    // The class of a length, and the room that chunks of a class have.
    static uint32_t class_of(uint32_t length) noexcept {
        if (length <= 8) return length;
        uint32_t octave = 31 - uint32_t(__builtin_clz(length - 1));  // 2^octave < length <= 2^(octave + 1)
        return 4 * octave + ((length - 1) >> (octave - 2) & 3) - 3;
    }
    static uint32_t room_of(uint32_t size_class) noexcept {
        if (size_class <= 8) return size_class;
        uint32_t octave = (size_class + 3) / 4, quarter = (size_class + 3) % 4;
        return (5 + quarter) << (octave - 2);
    }
    uint32_t take_chunk(uint32_t size_class) {
        free.resize(CLASSES, NONE);
        uint32_t chunk = free[size_class];
        if (chunk != NONE) {
            free.set(size_class, entries[chunk]);
            return chunk;
        }
        size_t room = room_of(size_class);
        if (entries.size() + room >= NONE) throw std::length_error("kindex has at most 2**32 - 1 entries");
        entries.resize(entries.size() + room, 0);
        return uint32_t(entries.size() - room);
    }
    void give_chunk(uint32_t chunk, uint32_t size_class) {
        entries.set(chunk, free[size_class]);
        free.set(size_class, chunk);
    }
    // Clauses come with rising numbers, so a new one goes to the end. A full list of which more than a quarter is dead
    // lets go of those; else it grows, by an eighth at least, so that both are paid for by what came before.
    void append(uint32_t list, uint32_t clause, const uint32_t* dead) {
        uint32_t* l = lists.writable() + size_t(list) * FIELDS;
        uint32_t length = l[2], begin = l[3], kept = length;
        if (length && length < room_of(class_of(length))) {
            entries.set(begin + length, clause);
            ++l[2];
            return;
        }
        auto alive = [dead](uint32_t other) { return dead[other] != DEAD; };
        if (dead && length) {
            const uint32_t* from = entries_of(list);
            uint32_t living = uint32_t(std::count_if(from, from + length, alive));
            if (living < length - length / 4) kept = living;
        }
        if (kept == 0) {
            l[3] = clause;
        } else {
            uint32_t chunk = take_chunk(class_of(kept + 1));
            const uint32_t* from = entries_of(list);
            uint32_t* to = entries.writable() + chunk;
            if (kept == length)
                std::copy(from, from + length, to);
            else
                std::copy_if(from, from + length, to, alive);
            to[kept] = clause;
            l[3] = chunk;
        }
        l[2] = kept + 1;
        if (length > 1) give_chunk(begin, class_of(length));
    }
    void drop_last(uint32_t list) {
        uint32_t* l = lists.writable() + size_t(list) * FIELDS;
        if (--l[2] == 1) l[3] = entries[l[3]];  // its chunk, like one that is now too large, waits for a rebuild
    }

    // --- Matching ---

    void gather_chain(uint32_t list, bool positive_only, double event_weight, std::vector<PostingCursor>& out) const {
        for (; list != NONE; list = next_of(list)) {
            uint32_t code = code_in(list), length = length_of(list);
            if (!length || (positive_only && negative_in(code))) continue;
            const uint32_t* first = entries_of(list);
            out.push_back({first, first + length, *first, code, bound_at(own_bound, list) * event_weight,
                           bound_at(whole_bound, list)});
        }
    }
    // Finds the lists of an event's pairs and sets them side by side by partition, the largest K first; of each
    // partition the positive ones first. True if a value may be in a list by mistake, so that all must be checked.
    bool gather(const Dictionary& dictionary, const Event& event, KIndexScratch& own, const Ranking* ranking) const {
        own.found.clear();
        own.partitions.clear();
        own.pending.clear();
        bool inexact = false;
        if (terms.size())
            for (uint32_t attribute : event.attributes)  // the places of all of them are fetched at the same time
                __builtin_prefetch(terms.data() + 2 * home(attribute, event.table[attribute]));
        for (uint32_t attribute : event.attributes) {
            if (attribute >= present.size()) continue;
            double weight = 1;
            if (ranking && attribute) weight = ranking->event_weight(dictionary.attribute_name.data()[attribute]);
            gather_chain(present.data()[attribute], false, weight, own.found);
            Key key = event.table[attribute];
            uint32_t view = dictionary.attribute_view.data()[attribute];
            if (view == VIEW_WHOLE && (key < domain_low || key > domain_high)) {
                inexact = true;
                key = key < domain_low ? domain_low : domain_high;
            }
            gather_chain(first_list(attribute, key), false, weight, own.found);
            if (steps_by_two(view) && key & 1) {
                inexact = true;
                gather_chain(first_list(attribute, key - 1), true, weight, own.found);
            }
        }
        std::sort(own.found.begin(), own.found.end(), [](const PostingCursor& a, const PostingCursor& b) {
            return (a.code ^ 1) > (b.code ^ 1);  // positive before negative
        });
        uint32_t n = uint32_t(own.found.size());
        for (uint32_t begin = 0, end; begin < n; begin = end) {
            uint32_t code = own.found[begin].code;
            for (end = begin + 1; end < n && own.found[end].code >> 1 == code >> 1;) ++end;
            if (!negative_in(code)) own.partitions.push_back({begin, end, 0});
        }
        return inexact;
    }

    // The K-th list test on one partition; visit(clause) for each clause that holds.
    template <class Visit>
    void merge(const Clauses& c, KIndexScratch& own, const KIndexScratch::Partition& part, bool inexact,
               Scratch& scratch, const Ranking* ranking, Visit visit) const {
        const PostingCursor* first = own.found.data() + part.begin;
        const PostingCursor* end = own.found.data() + part.end;
        const PostingCursor* negative = first;
        while (negative < end && !negative_in(negative->code)) ++negative;
        uint32_t size = std::max(size_in(first->code), 1u);
        if (size_t(negative - first) < size) return;
        own.rejecting.assign(negative, end);
        own.merging.assign(first, negative);
        bool check = inexact || undecided_in(first->code);
        double threshold = -1;
        auto still_useful = [&]() {
            if (!ranking || ranking->threshold() == threshold) return true;
            threshold = ranking->threshold();
            return drop_hopeless(own, size, bound_rest(first->code, *ranking), *ranking);
        };
        auto candidate = [&](uint32_t clause) {
            if (ranking && (c.owner[clause] == DEAD || ranking->clause_score(clause) < threshold)) return;
            ++scratch.counters.candidates;
            for (PostingCursor& list : own.rejecting) {
                if (list.clause < clause) list.seek(clause);
                if (list.clause == clause) return;
            }
            if (ranking) {
                if (!check || holds(c, clause, scratch)) visit(clause);
                return;
            }
            own.pending.push_back(clause);
            if (own.pending.size() == PENDING) check_pending(c, own, check, scratch, visit);
        };
        if (!still_useful()) return;
        std::vector<PostingCursor>& lists = own.merging;
        uint64_t steps = 0;
        if (size == 1) {  // each entry is a candidate; order matters to the rejecting lists alone
            double rest = ranking ? bound_rest(first->code, *ranking) : 0;
            if (ranking)  // the best come first, so that the threshold rises early
                std::sort(lists.begin(), lists.end(), [&](const PostingCursor& a, const PostingCursor& b) {
                    return bound_of(a, 0, rest, *ranking) > bound_of(b, 0, rest, *ranking);
                });
            for (PostingCursor& list : lists) {
                double bound = ranking ? bound_of(list, 0, rest, *ranking) : 0;
                own.rejecting.assign(negative, end);
                for (; list.at < list.end && !(bound < threshold); ++list.at, ++steps) {
                    candidate(*list.at);
                    if (ranking) threshold = ranking->threshold();
                }
            }
            check_pending(c, own, check, scratch, visit);
            scratch.counters.predicates += steps;
            return;
        }
        // The lists in order of their clauses, as clause << 32 | list: eight bytes to move instead of a cursor.
        std::vector<uint64_t>& order = own.order;
        auto set_in_order = [&]() {
            order.clear();
            for (uint32_t i = 0; i < lists.size(); ++i) order.push_back(uint64_t(lists[i].clause) << 32 | i);
            std::sort(order.begin(), order.end());
            while (!order.empty() && uint32_t(order.back() >> 32) == DEAD) order.pop_back();
        };
        set_in_order();
        while (order.size() >= size) {
            uint32_t target = uint32_t(order[size - 1] >> 32), moved = size - 1;
            bool hit = uint32_t(order[0] >> 32) == target;
            if (hit) {
                candidate(target);
                ++moved;
            } else {
                while (uint32_t(order[moved - 1] >> 32) == target) --moved;
            }
            steps += moved;
            for (uint32_t i = moved; i-- > 0;) {  // what is behind is in order already
                PostingCursor& list = lists[uint32_t(order[i])];
                if (hit)
                    list.next();
                else
                    list.seek(target);
                uint64_t place = uint64_t(list.clause) << 32 | uint32_t(order[i]);
                size_t at = i;
                for (; at + 1 < order.size() && order[at + 1] < place; ++at) order[at] = order[at + 1];
                order[at] = place;
            }
            while (!order.empty() && uint32_t(order.back() >> 32) == DEAD) order.pop_back();
            if (ranking && ranking->threshold() != threshold) {
                if (!still_useful()) break;
                set_in_order();
            }
        }
        check_pending(c, own, check, scratch, visit);
        scratch.counters.predicates += steps;
    }
    static bool holds(const Clauses& c, uint32_t clause, Scratch& scratch) noexcept {
        uint32_t begin = c.begin[clause], end = c.begin[clause + 1];
        uint32_t failed = first_failure(c, begin, end, scratch.event);
        scratch.counters.predicates += failed - begin + (failed < end);
        return failed == end;
    }
    // Candidates are spread over the store, so a number of them is fetched from memory at the same time.
    template <class Visit>
    static void check_pending(const Clauses& c, KIndexScratch& own, bool check, Scratch& scratch, Visit visit) {
        if (check)
            for (uint32_t clause : own.pending) {
                uint32_t begin = c.begin[clause];
                __builtin_prefetch(c.head + begin);
                __builtin_prefetch(c.low + begin);
                __builtin_prefetch(c.high + begin);
                __builtin_prefetch(c.owner + clause);
            }
        for (uint32_t clause : own.pending)
            if (c.owner[clause] != DEAD && (!check || holds(c, clause, scratch))) visit(clause);
        own.pending.clear();
    }

    // --- Bounds ---

    // What an expression in the partition has at most beside the weights of its lists.
    double bound_rest(uint32_t code, const Ranking& ranking) const noexcept {
        return bound_at(partition_bounds, code) + bound_at(partition_bounds, code + 1) * ranking.highest_weight();
    }
    static double bound_of(const PostingCursor& list, double others, double rest, const Ranking& ranking) noexcept {
        return std::min(list.own + others + rest, list.whole * ranking.highest_weight()) * SLACK;
    }
    // The bound of a list is what it and the best size - 1 others give, or what the best of its clauses has in all.
    // Calls f(list, bound) for each.
    template <class F>
    static void each_bound(KIndexScratch& own, const PostingCursor* first, const PostingCursor* end, uint32_t size,
                           double rest, const Ranking& ranking, F f) {
        own.largest.clear();
        for (const PostingCursor* list = first; list < end; ++list) own.largest.push_back(list->own);
        std::nth_element(own.largest.begin(), own.largest.begin() + (size - 1), own.largest.end(),
                         [](double a, double b) { return a > b; });
        double sum = 0, least = own.largest[size - 1];  // of the largest `size`
        for (uint32_t i = 0; i < size; ++i) sum += own.largest[i];
        for (const PostingCursor* list = first; list < end; ++list)
            f(*list, bound_of(*list, std::isinf(sum) ? sum : sum - std::max(least, list->own), rest, ranking));
    }
    double partition_bound(KIndexScratch& own, const KIndexScratch::Partition& part, const Ranking& ranking) const {
        const PostingCursor* first = own.found.data() + part.begin;
        const PostingCursor* end = own.found.data() + part.end;
        while (end > first && negative_in((end - 1)->code)) --end;
        uint32_t size = std::max(size_in(first->code), 1u);
        double most = -1;
        if (size_t(end - first) >= size)
            each_bound(own, first, end, size, bound_rest(first->code, ranking), ranking,
                       [&](const PostingCursor&, double bound) { most = std::max(most, bound); });
        return most;
    }
    // Takes the lists out of the merge whose clauses cannot reach the k-th score. False if too few are left.
    static bool drop_hopeless(KIndexScratch& own, uint32_t size, double rest, const Ranking& ranking) {
        std::vector<PostingCursor>& lists = own.merging;
        if (lists.size() < size) return false;
        size_t kept = 0;
        PostingCursor* data = lists.data();
        each_bound(own, data, data + lists.size(), size, rest, ranking, [&](const PostingCursor& list, double bound) {
            if (!(bound < ranking.threshold())) data[kept++] = list;
        });
        lists.resize(kept);
        return kept >= size;
    }

    static double bound_at(const Buffer<double>& buffer, size_t at) noexcept {
        return at < buffer.size() ? buffer.data()[at] : 0;
    }
    static void raise(Buffer<double>& buffer, size_t at, double value) {
        if (!(bound_at(buffer, at) < value)) return;
        if (at >= buffer.size()) buffer.resize(at + 1, 0);
        buffer.set(at, value);
    }
    void weigh(const Store& store, const Dictionary& dictionary, const Clauses& c, uint32_t clause, const Shape& shape,
               Weights& weights) const {
        const uint32_t* name = dictionary.attribute_name.data();
        SlotWeights given = store.weights(c.owner[clause]);
        weights.own.assign(std::max<size_t>(shape.positive.size(), 1), 0);
        weights.rest = 0;
        weights.whole = store.weight(c.owner[clause]);
        for (uint32_t i = 0; i < given.count; ++i) {
            if (!clause_needs(c, name, clause, given.names[i])) continue;
            weights.whole += given.values[i];
            size_t at = 0;
            while (at < shape.positive.size() && name[c.head[shape.positive[at]] >> KIND_BITS] != given.names[i]) ++at;
            (at < shape.positive.size() ? weights.own[at] : weights.rest) += given.values[i];
        }
    }

    // --- Invariants ---

    uint32_t find_list(uint32_t attribute, Key key, uint32_t code) const noexcept {
        return find_in_chain(key == KEY_ABSENT ? present.data()[attribute] : first_list(attribute, key), code);
    }
    bool listed(uint32_t list, uint32_t clause) const noexcept {
        return list != NONE && std::binary_search(entries_of(list), entries_of(list) + length_of(list), clause);
    }
    const char* check_entries(const Store& store, const Dictionary& dictionary) const {
        Clauses c = store.clauses(dictionary.attribute_count(), nullptr);
        const uint8_t* view = dictionary.attribute_view.data();
        std::vector<std::pair<uint32_t, uint32_t>> chunks;  // begin, room
        size_t living = 0;
        for (uint32_t list = 0; list < list_count(); ++list) {
            uint32_t length = length_of(list);
            if (length > 1) chunks.push_back({list_at(list)[3], room_of(class_of(length))});
            if (length > 1 && size_t(list_at(list)[3]) + length > entries.size()) return "3: a list beyond the entries";
            for (uint32_t i = 0; i < length; ++i) {
                uint32_t clause = entries_of(list)[i];
                if (clause >= c.count || (i && entries_of(list)[i - 1] >= clause)) return "3: entries out of order";
                living += c.owner[clause] != DEAD;
            }
        }
        for (uint32_t size_class = 0; size_class < free.size(); ++size_class)
            for (uint32_t chunk = free[size_class]; chunk != NONE && chunks.size() <= entries.size();
                 chunk = entries[chunk]) {
                if (chunk >= entries.size()) return "3: a free chunk beyond the entries";
                chunks.push_back({chunk, room_of(size_class)});
            }
        std::sort(chunks.begin(), chunks.end());
        for (size_t i = 1; i < chunks.size(); ++i)
            if (chunks[i - 1].first + chunks[i - 1].second > chunks[i].first) return "3: chunks overlap";
        Shape shape;
        Weights weights;
        for (uint32_t clause = 0; clause < c.count; ++clause) {
            if (c.owner[clause] == DEAD) continue;
            shape_of(c, view, clause, shape);
            uint32_t code = code_of(shape.size, shape.undecided, false);
            if (shape.presence != NONE)  // which attribute was the best choice then, may not be so now
                for (uint32_t p = c.begin[clause]; p < c.begin[clause + 1]; ++p)
                    if (listed(find_list(c.head[p] >> KIND_BITS, KEY_ABSENT, code), clause))
                        shape.presence = c.head[p] >> KIND_BITS;
            weigh(store, dictionary, c, clause, shape, weights);
            if (bound_at(partition_bounds, code) < store.weight(c.owner[clause]) ||
                bound_at(partition_bounds, code + 1) < weights.rest)
                return "5: bound of a partition";
            const char* problem = nullptr;
            each_place(c, view, shape, [&](uint32_t attribute, Key key, bool negative, size_t which) {
                uint32_t list = find_list(attribute, key, code + negative);
                if (!listed(list, clause))
                    problem = "4: a clause that is not listed";
                else if (!negative && (bound_at(own_bound, list) < weights.own[which] ||
                                       bound_at(whole_bound, list) < weights.whole))
                    problem = "5: bound of a list";
                --living;
            });
            if (problem) return problem;
        }
        return living ? "4: entries that no predicate calls for" : nullptr;
    }

    Buffer<uint64_t> terms, used;
    Buffer<uint32_t> present, lists, entries, free;
    Buffer<double> own_bound, whole_bound, partition_bounds;
    Key domain_low = KEY_LOWEST, domain_high = KEY_HIGHEST;
};

}  // namespace boolsieve
