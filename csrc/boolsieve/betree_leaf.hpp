// The l-nodes of a BE-Tree: clauses with what is left to check of them, one behind the other.
//
//   entry      a run of units of 16 bytes: the clause, then its predicates: first those that are one comparison, then
//              sets and the rest, each in the order of the store: the kinds that fail most often first. (Ordering by
//              how often events have the attribute and by width as well gave the same number of predicates looked at,
//              within half a percent, on BEGen, uniform and Zipf, and on OpIndex' workload.)
//   clause     clause | expression (its slot), or DEAD | units of the entry | units with comparisons
//   predicate  (attribute * 16 + test) | extra | operand
//
// A predicate that the way to the leaf decides (the paper: subsumed) has no unit; one that it decides on one side (a
// range that is cut by the bucket) has one for the other side.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "clauses.hpp"

namespace boolsieve {

struct BETreeUnit {
    uint32_t head, extra;
    uint64_t operand;
};

// What an event that gets to an l-node is known to have: a key of this attribute in this range.
struct BETreeStep {
    uint32_t attribute;
    Key low, high;
};

// Comparisons are one formula without branches: y - operand <= (OPEN ? ~operand : 0) + extra, where y is the key, or
// its negative. An absent key, 0, fails it, as operands are not 0.
enum BETreeTest : uint32_t {
    TEST_WITHIN = 0,     // from the operand to extra more; a point is the range with extra 0
    TEST_FLIP = 1,       // y is the negative: with OPEN, at most; the operand is negative too
    TEST_OPEN = 2,       // at least the operand
    TEST_NOT_POINT = 4,  // there and not equal
    TEST_SET = 5,        // in a set: `extra` keys, the first as operand, the others two a unit behind it
    TEST_STORE = 6,      // the store decides; `extra` is the predicate
};

inline bool betree_compare(const BETreeUnit& unit, Key key) noexcept {
    uint64_t flip = -uint64_t(unit.head & 1), open = -uint64_t(unit.head >> 1 & 1);
    return (key ^ flip) - flip - unit.operand <= ((~unit.operand & open) | unit.extra);
}

// Larger sets stay in the store. Eight keys are compared in about the time that one fetch from the store takes.
constexpr uint32_t BETREE_INLINE_KEYS = 8;

// The units of one predicate behind its first.
inline uint32_t betree_more_units(const BETreeUnit& unit) noexcept {
    return (unit.head & 15) == TEST_SET ? unit.extra / 2 : 0;
}

// Appends the units of predicate p, as far as the way does not decide it.
inline void betree_encode(const Clauses& c, uint32_t p, const std::vector<BETreeStep>& way,
                          std::vector<BETreeUnit>& out) {
    uint32_t kind = c.head[p] & KIND_MASK, head = c.head[p] >> KIND_BITS << 4;
    Key low = c.low[p], high = c.high[p], first = KEY_LOWEST, last = KEY_HIGHEST;
    bool there = false;
    for (const BETreeStep& step : way)
        if (step.attribute == c.head[p] >> KIND_BITS) {
            first = step.low;
            last = step.high;
            there = true;
        }
    if (kind == PREDICATE_RANGE) {
        bool below = low > first, above = high < last;
        if ((below && above && high - low <= 0xFFFFFFFFu) || (low == high && (below || above))) {
            out.push_back({head | TEST_WITHIN, uint32_t(high - low), low});
        } else {
            if (below || (!above && !there)) out.push_back({head | TEST_OPEN, 0, low});
            if (above) out.push_back({head | TEST_OPEN | TEST_FLIP, 0, -high});
        }
    } else if (kind == PREDICATE_NOT_RANGE && there && (high < first || low > last)) {
        return;
    } else if (kind == PREDICATE_NOT_RANGE && low == high) {
        out.push_back({head | TEST_NOT_POINT, 0, low});
    } else if (kind == PREDICATE_IN && high <= BETREE_INLINE_KEYS) {
        const Key* keys = c.sets + low;
        out.push_back({head | TEST_SET, uint32_t(high), keys[0]});
        for (uint32_t i = 1; i < high; i += 2) {  // an even number of keys: the last one twice
            Key other = keys[std::min<Key>(i + 1, high - 1)];
            out.push_back({uint32_t(keys[i]), uint32_t(keys[i] >> 32), other});
        }
    } else {
        out.push_back({head | TEST_STORE, p, 0});
    }
}

inline bool betree_other_holds(const Clauses& c, const BETreeUnit* unit, Key key, const Event& event) noexcept {
    switch (unit->head & 15) {
        case TEST_NOT_POINT:
            return key != KEY_ABSENT && key != unit->operand;
        case TEST_SET: {
            bool found = key == unit->operand;
            for (const BETreeUnit *more = unit + 1, *end = more + unit->extra / 2; more < end; ++more)
                found |= (key == (more->head | Key(more->extra) << 32)) | (key == more->operand);
            return found & (key != KEY_ABSENT);
        }
        default:
            return predicate_holds(c, unit->extra, event);
    }
}

// Calls found(clause's unit, predicates looked at, whether all hold) for each entry. A predicate that fails, but of
// whose unit open() is true, is passed over.
template <class Open, class Found>
inline void betree_check(const Clauses& c, const BETreeUnit* at, const BETreeUnit* end, const Event& event, Open open,
                         Found found) {
    const Key* table = event.table.data();
    while (at < end) {
        const BETreeUnit *next = at + uint32_t(at->operand), *unit = at + 1;
        const BETreeUnit* others = unit + (at->operand >> 32);
        uint32_t looked = 0;
        while (unit < others && (betree_compare(*unit, table[unit->head >> 4]) || open(*unit))) ++unit;
        if (unit == others)
            for (; unit < next && (betree_other_holds(c, unit, table[unit->head >> 4], event) || open(*unit)); ++looked)
                unit += 1 + betree_more_units(*unit);
        looked += uint32_t(std::min(unit, others) - at - 1) + (unit < next);
        found(*at, looked, unit == next);
        at = next;
    }
}

// Whether an entry has a predicate that the store decides.
inline bool betree_needs_store(const BETreeUnit* entry) noexcept {
    const BETreeUnit *end = entry + uint32_t(entry->operand), *unit = entry + 1 + (entry->operand >> 32);
    while (unit < end && (unit->head & 15) != TEST_STORE) unit += 1 + betree_more_units(*unit);
    return unit < end;
}

}  // namespace boolsieve
