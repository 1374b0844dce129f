// Slots: an attribute's keys cut into pieces that hold about as many operands each, wherever these lie.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "clauses.hpp"
#include "hash.hpp"

namespace boolsieve {

// Operands looked at for each slot: with 16 of them, hardly a slot gets twice its share.
constexpr size_t OPERANDS_A_SLOT = 16;

// f(i) for about `most` of n items, in order: one at random of each run of so many, since what comes may be periodic.
template <class F>
inline void each_sampled(size_t n, size_t most, F f) {
    size_t step = std::max<size_t>(1, n / most);
    for (size_t i = 0; i + step <= n; i += step) f(i + mix(i) % step);
}

// The first keys of up to `most` slots, rising from 0. `operands` is used up. Equal operands share a slot; if there are
// no more distinct ones than slots, each gets its own. The lowest key is always in the first slot.
inline std::vector<Key> slot_bounds(std::vector<Key>& operands, size_t most) {
    std::vector<Key> bounds{0};
    if (most < 2) return bounds;
    size_t kept = 0;
    each_sampled(operands.size(), OPERANDS_A_SLOT * most, [&](size_t i) { operands[kept++] = operands[i]; });
    operands.resize(kept);
    std::sort(operands.begin(), operands.end());
    size_t distinct = 0;
    for (size_t i = 0; i < operands.size(); ++i) distinct += i == 0 || operands[i] != operands[i - 1];
    size_t pieces = distinct <= most ? operands.size() : most;
    for (size_t i = 1; i < pieces; ++i) {
        Key key = operands[i * operands.size() / pieces];
        if (key > std::max(bounds.back(), operands.front())) bounds.push_back(key);
    }
    return bounds;
}

// The slot that a key lies in: the last one that does not begin behind it.
inline uint32_t slot_of(const Key* bounds, uint32_t n, Key key) noexcept {
    const Key* base = bounds;
    while (n > 1) {  // branch-free halving, as in in_set
        uint32_t half = n / 2;
        base = base[half] <= key ? base + half : base;
        n -= half;
    }
    return uint32_t(base - bounds);
}

// The range of keys outside of which a predicate fails, or false if it has none. (Of a set it is the hull.)
inline bool hull_of(const Clauses& c, uint32_t p, Key& low, Key& high) noexcept {
    switch (c.head[p] & KIND_MASK) {
        case PREDICATE_RANGE:
            low = c.low[p];
            high = c.high[p];
            return true;
        case PREDICATE_IN:
            low = c.sets[c.low[p]];
            high = c.sets[c.low[p] + c.high[p] - 1];
            return true;
        default:
            return false;
    }
}

}  // namespace boolsieve
