// Counts with sums over their beginnings, both in O(log n) (P. M. Fenwick, "A New Data Structure for Cumulative
// Frequency Tables", 1994). The caller owns the n words: word i holds the sum of the counts (i & (i + 1)) to i.
#pragma once

#include <cstddef>
#include <cstdint>

namespace boolsieve {

struct Fenwick {
    static void add(uint32_t* sums, size_t n, size_t i, uint32_t change) noexcept {  // also -1, as the word wraps
        for (; i < n; i |= i + 1) sums[i] += change;
    }
    // The sum of the first `count` counts.
    static uint32_t before(const uint32_t* sums, size_t count) noexcept {
        uint32_t sum = 0;
        for (; count; count &= count - 1) sum += sums[count - 1];
        return sum;
    }
    // From counts, in place, in O(n).
    static void build(uint32_t* counts, size_t n) noexcept {
        for (size_t i = 0; i < n; ++i)
            if ((i | (i + 1)) < n) counts[i | (i + 1)] += counts[i];
    }
};

}  // namespace boolsieve
