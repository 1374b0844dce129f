// How rare is an event that satisfies a predicate? An estimate from the expressions alone: an event is taken to have
// an attribute as often as clauses ask for it, and a value anywhere in the span of the operands on that attribute.
//
//   buffer     type    length      meaning
//   asked      uint32  attributes  predicates of live clauses that can be looked up or need the attribute
//   low, high  uint64  attributes  the span of operands, of clauses that were ever there; low > high: none
//   clauses    uint64  0 or 1      live clauses
//
// Invariants: 1. asked and clauses count the live clauses. 2. Their operands are in the span.
#pragma once

#include <algorithm>
#include <cstdint>

#include "buffer.hpp"
#include "clauses.hpp"
#include "predicate_index.hpp"

namespace boolsieve {

class Rarity {
  public:
    // Makes room, so that counting cannot fail.
    void open(uint32_t attributes) {
        if (!clauses.size()) clauses.push_back(0);
        if (asked.size() >= attributes) return;
        asked.reserve_more(attributes - asked.size());
        low.reserve_more(attributes - low.size());
        high.reserve_more(attributes - high.size());
        asked.resize(attributes, 0);
        low.resize(attributes, KEY_HIGHEST);
        high.resize(attributes, KEY_ABSENT);
    }
    void add(const Clauses& c, uint32_t clause) {
        clauses.set(0, clauses[0] + 1);
        for (uint32_t p = c.begin[clause]; p < c.begin[clause + 1]; ++p) {
            if (!PredicateIndex::needs_attribute(c.head[p] & KIND_MASK)) continue;
            uint32_t a = c.head[p] >> KIND_BITS;
            asked.set(a, asked[a] + 1);
            each_end(c, p, [&](Key key) {
                low.set(a, std::min(low[a], key));
                high.set(a, std::max(high[a], key));
            });
        }
    }
    void remove(const Clauses& c, uint32_t clause) {
        clauses.set(0, clauses[0] - 1);
        for (uint32_t p = c.begin[clause]; p < c.begin[clause + 1]; ++p)
            if (PredicateIndex::needs_attribute(c.head[p] & KIND_MASK))
                asked.set(c.head[p] >> KIND_BITS, asked[c.head[p] >> KIND_BITS] - 1);
    }
    // The share of events that satisfy a predicate, in predicates on its attribute a clause.
    double of(const Clauses& c, uint32_t p) const noexcept {
        uint32_t a = c.head[p] >> KIND_BITS, kind = c.head[p] & KIND_MASK;
        double all = double(asked.data()[a]) / double(std::max<uint64_t>(clauses.data()[0], 1));
        Key from = low.data()[a], to = high.data()[a];
        if (from > to) return all;
        double span = double(to - from) + 1;
        if (kind == PREDICATE_IN) return all * std::min(1.0, double(c.high[p]) / span);
        if (kind != PREDICATE_RANGE) return all;
        Key first = std::max(from, c.low[p]), last = std::min(to, c.high[p]);
        return all * (double(last - first) + 1) / span;
    }

    template <class F>
    void each_buffer(F f) {
        f("asked", asked);
        f("low", low);
        f("high", high);
        f("clauses", clauses);
    }

    const char* check(const Clauses& c) const {
        if (low.size() != asked.size() || high.size() != asked.size() || clauses.size() > 1) return "1: lengths";
        std::vector<uint32_t> counted(asked.size(), 0);
        uint64_t live = 0;
        for (uint32_t clause = 0; clause < c.count; ++clause) {
            if (c.owner[clause] == DEAD) continue;
            ++live;
            for (uint32_t p = c.begin[clause]; p < c.begin[clause + 1]; ++p) {
                uint32_t a = c.head[p] >> KIND_BITS;
                if (!PredicateIndex::needs_attribute(c.head[p] & KIND_MASK)) continue;
                if (a >= asked.size()) return "1: an attribute that was not counted";
                ++counted[a];
                bool inside = true;
                each_end(c, p, [&](Key key) { inside &= low[a] <= key && key <= high[a]; });
                if (!inside) return "2: an operand outside of the span";
            }
        }
        if (!std::equal(counted.begin(), counted.end(), asked.data())) return "1: counts of attributes";
        return live == (clauses.size() ? clauses[0] : 0) ? nullptr : "1: number of clauses";
    }

  private:
    template <class F>
    static void each_end(const Clauses& c, uint32_t p, F f) {
        uint32_t kind = c.head[p] & KIND_MASK;
        if (kind == PREDICATE_IN) {
            f(c.sets[c.low[p]]);
            f(c.sets[c.low[p] + c.high[p] - 1]);
        } else if (kind == PREDICATE_RANGE) {
            if (c.low[p] != KEY_LOWEST) f(c.low[p]);
            if (c.high[p] != KEY_HIGHEST) f(c.high[p]);
        }
    }

    Buffer<uint32_t> asked;
    Buffer<Key> low, high;
    Buffer<uint64_t> clauses;
};

}  // namespace boolsieve
