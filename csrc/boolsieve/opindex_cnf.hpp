// Expressions in conjunctive normal form (OpIndex, section 6.1): each stands in the partitions of the attributes of its
// smallest disjunction, and is checked where one of that disjunction's predicates may hold.
//
//   buffer    type    length          meaning
//   lists     uint32  4 an attribute  where its entries begin; how many there are, dead ones included; room; dead ones
//   entries   uint64  3 an entry      bounds of the keys for which the predicate may hold; the clause
//   waste     uint64  1               entries that belong to no list
//
// 1. Lists lie in `entries` and do not overlap; what is in none is counted.
// 2. Entries of a list stand by rising clause; a dead one holds for no key.
// 3. A live clause has an entry for each predicate of its pivot disjunction, under that predicate's attribute.
//
// The paper marks the satisfied disjunctions of each expression in a bitmap. Here the alternatives of one disjunction
// lead to the candidates, and the check in the store looks at one disjunction after the other and ends at the first
// that fails: no bits to set and clear, any number of disjunctions, and (with 100 expressions a partition and 12
// predicates each) about two predicates looked at instead of twelve.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "buffer.hpp"
#include "clauses.hpp"
#include "scratch.hpp"

namespace boolsieve {

inline bool in_conjunctive_form(const Clauses& c, uint32_t clause) noexcept {
    for (uint32_t p = c.begin[clause]; p < c.begin[clause + 1]; ++p)
        if (c.head[p] & OR_NEXT) return true;
    return false;
}

class OpIndexCnf {
  public:
    struct Entry {
        Key low, high;
        uint64_t clause;
    };

    OpIndexCnf() { waste.resize(1, 0); }

    void insert(const Clauses& c, uint32_t clause) {
        grow(c.attributes);
        uint32_t added = 0;
        try {
            each_pivot(c, clause, [&](uint32_t attribute, Entry entry) {
                append(attribute, entry);
                ++added;
            });
        } catch (...) {
            each_pivot(c, clause, [&](uint32_t attribute, Entry) {
                if (added) --added, --list(attribute).count;
            });
            throw;
        }
    }

    void remove(const Clauses& c, uint32_t clause) {
        each_pivot(c, clause, [&](uint32_t attribute, Entry entry) {
            List& l = list(attribute);
            Entry* all = writable() + l.begin;
            Entry* at = std::lower_bound(all, all + l.count, entry.clause,
                                         [](const Entry& e, uint64_t number) { return e.clause < number; });
            while (dead(*at)) ++at;  // of two predicates on one attribute the first went already
            at->low = DEAD_LOW;
            at->high = DEAD_HIGH;
            if (++l.dead > l.count / 2) {
                l.count = uint32_t(std::remove_if(all, all + l.count, dead) - all);
                l.dead = 0;
            }
        });
        tidy();
    }

    void match(const Clauses& c, Scratch& s) const noexcept {
        uint32_t known = uint32_t(lists.size() / LIST_WORDS);
        uint64_t looked = 0, candidates = 0;
        for (uint32_t attribute : s.event.attributes) {
            if (attribute >= known) continue;
            const List& l = reinterpret_cast<const List*>(lists.data())[attribute];
            Key key = s.event.table[attribute];
            looked += l.count;
            for (const Entry *e = data() + l.begin, *end = e + l.count; e < end; ++e) {
                if (key < e->low || key > e->high) continue;
                ++candidates;
                if (clause_holds(c, uint32_t(e->clause), s.event)) s.found.add(c.owner[e->clause]);
            }
        }
        s.counters.predicates += looked;
        s.counters.candidates += candidates;
    }

    template <class F>
    void each_buffer(F f) {
        f("lists", lists);
        f("entries", entries);
        f("waste", waste);
    }

    std::string check(const Clauses& c) const {
        size_t n = lists.size() / LIST_WORDS, room = 0, live = 0, expected = 0;
        std::vector<std::pair<size_t, size_t>> used;
        for (size_t a = 0; a < n; ++a) {
            const List& l = reinterpret_cast<const List*>(lists.data())[a];
            if (!l.capacity) continue;
            if (l.count > l.capacity || size_t(l.begin) + l.capacity > size()) return "cnf 1: sizes";
            used.push_back({l.begin, size_t(l.begin) + l.capacity});
            room += l.capacity;
            size_t gone = 0;
            for (uint32_t i = 0; i < l.count; ++i) {
                const Entry& e = data()[l.begin + i];
                if (i && data()[l.begin + i - 1].clause > e.clause) return "cnf 2: order";
                gone += dead(e);
            }
            if (gone != l.dead) return "cnf 2: dead ones";
            live += l.count - gone;
        }
        std::sort(used.begin(), used.end());
        for (size_t i = 1; i < used.size(); ++i)
            if (used[i].first < used[i - 1].second) return "cnf 1: lists overlap";
        if (room + waste[0] != size()) return "cnf 1: entries of no list";
        bool found = true;
        for (uint32_t clause = 0; clause < c.count; ++clause) {
            if (c.owner[clause] == DEAD || !in_conjunctive_form(c, clause)) continue;
            each_pivot(c, clause, [&](uint32_t attribute, Entry entry) {
                ++expected;
                if (attribute >= n) {
                    found = false;
                    return;
                }
                const List& l = reinterpret_cast<const List*>(lists.data())[attribute];
                const Entry* all = data() + l.begin;
                found &= std::any_of(all, all + l.count, [&](const Entry& e) {
                    return e.clause == entry.clause && e.low == entry.low && e.high == entry.high;
                });
            });
        }
        return found && expected == live ? "" : "cnf 3: entries of the clauses";
    }

  private:
    struct List {
        uint32_t begin, count, capacity, dead;
    };
    static constexpr size_t LIST_WORDS = sizeof(List) / sizeof(uint32_t);
    static constexpr Key DEAD_LOW = KEY_HIGHEST, DEAD_HIGH = KEY_ABSENT;  // no key is between them
    static constexpr size_t WASTE_FROM = 1024;

    static constexpr size_t ENTRY_WORDS = sizeof(Entry) / sizeof(uint64_t);

    size_t size() const noexcept { return entries.size() / ENTRY_WORDS; }
    const Entry* data() const noexcept { return reinterpret_cast<const Entry*>(entries.data()); }
    Entry* writable() { return reinterpret_cast<Entry*>(entries.writable()); }
    static bool dead(const Entry& e) noexcept { return e.low > e.high; }

    List& list(uint32_t attribute) { return reinterpret_cast<List*>(lists.writable())[attribute]; }

    void grow(uint32_t attributes) {
        if (lists.size() < attributes * LIST_WORDS) lists.resize(attributes * LIST_WORDS, 0);
    }

    // f(attribute, entry) for each predicate of the pivot: the first disjunction, and so one of the smallest, whose
    // predicates all need their attribute.
    template <class F>
    static void each_pivot(const Clauses& c, uint32_t clause, F f) {
        uint32_t first = c.begin[clause], end = c.begin[clause + 1];
        for (uint32_t p = first; p < end; ++p) {
            if ((c.head[p] & KIND_MASK) == PREDICATE_ABSENT) {
                while (c.head[p] & OR_NEXT) ++p;
                first = p + 1;
            } else if (!(c.head[p] & OR_NEXT)) {
                for (uint32_t q = first; q <= p; ++q) f(c.head[q] >> KIND_BITS, entry_of(c, q, clause));
                return;
            }
        }
    }

    static Entry entry_of(const Clauses& c, uint32_t p, uint32_t clause) noexcept {
        switch (c.head[p] & KIND_MASK) {
            case PREDICATE_RANGE:
                return {c.low[p], c.high[p], clause};
            case PREDICATE_IN:
                return {c.sets[c.low[p]], c.sets[c.low[p] + c.high[p] - 1], clause};
            default:
                return {KEY_LOWEST, KEY_HIGHEST, clause};
        }
    }

    void append(uint32_t attribute, Entry entry) {
        List l = list(attribute);
        if (l.count == l.capacity) {
            uint32_t capacity = l.capacity + l.capacity / 2 + 2;
            size_t begin = size();
            if (begin + capacity > UINT32_MAX) throw std::length_error("too many alternatives for one index");
            entries.resize((begin + capacity) * ENTRY_WORDS, 0);
            Entry* all = writable();
            std::memcpy(all + begin, all + l.begin, l.count * sizeof(Entry));
            *waste.writable() += l.capacity;
            l.begin = uint32_t(begin);
            l.capacity = capacity;
        }
        writable()[l.begin + l.count++] = entry;
        list(attribute) = l;
        tidy();
    }

    // Moves the lists together once half of the entries belongs to none.
    void tidy() {
        if (waste[0] < WASTE_FROM || waste[0] < size() / 2) return;
        Buffer<uint64_t> fresh;
        size_t n = lists.size() / LIST_WORDS, total = 0;
        auto* all = reinterpret_cast<List*>(lists.writable());
        for (size_t a = 0; a < n; ++a) total += all[a].capacity;
        fresh.reserve_more(total * ENTRY_WORDS);
        for (size_t a = 0; a < n; ++a) {
            if (!all[a].capacity) continue;
            size_t begin = fresh.size() / ENTRY_WORDS;
            fresh.append(entries.data() + all[a].begin * ENTRY_WORDS, all[a].capacity * ENTRY_WORDS);
            all[a].begin = uint32_t(begin);
        }
        entries.swap(fresh);
        waste.set(0, 0);
    }

    Buffer<uint32_t> lists;
    Buffer<uint64_t> entries, waste;
};

}  // namespace boolsieve
