// Sets of numbers as words of bits: taking one out of another, counting. AVX2 where the machine has it (row_masks.hpp
// tells how it is chosen); the loops are plain, the compiler makes vectors of them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "row_masks.hpp"

namespace boolsieve {

namespace word_sets {

inline __attribute__((always_inline)) void take_out(uint64_t* from, const uint64_t* words, size_t n) noexcept {
    for (size_t i = 0; i < n; ++i) from[i] &= ~words[i];
}
inline __attribute__((always_inline)) size_t count(const uint64_t* words, size_t n) noexcept {
    size_t found = 0;
    for (size_t i = 0; i < n; ++i) found += size_t(__builtin_popcountll(words[i]));
    return found;
}
#ifdef BOOLSIEVE_X86
__attribute__((target("avx2"))) inline void take_out_avx2(uint64_t* from, const uint64_t* words, size_t n) noexcept {
    take_out(from, words, n);
}
__attribute__((target("avx2,popcnt"))) inline size_t count_avx2(const uint64_t* words, size_t n) noexcept {
    return count(words, n);
}
#endif

}  // namespace word_sets

// from &= ~words
inline void take_out_words(uint64_t* from, const uint64_t* words, size_t n) noexcept {
#ifdef BOOLSIEVE_X86
    if (have_avx2()) return word_sets::take_out_avx2(from, words, n);
#endif
    word_sets::take_out(from, words, n);
}

// How many bits are set.
inline size_t count_words(const uint64_t* words, size_t n) noexcept {
#ifdef BOOLSIEVE_X86
    if (have_avx2()) return word_sets::count_avx2(words, n);
#endif
    return word_sets::count(words, n);
}

// f(number) for each bit that is set, in rising order; words without one are passed over.
template <class F>
inline void each_bit(const uint64_t* words, size_t n, F f) {
    for (size_t w = 0; w < n; ++w)
        for (uint64_t word = words[w]; word; word &= word - 1) f(uint32_t(w * 64 + size_t(__builtin_ctzll(word))));
}

}  // namespace boolsieve
