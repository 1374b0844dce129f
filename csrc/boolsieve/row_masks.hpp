// Which of the 512 rows of a block have a key within a range: a mask of eight words. AVX2 where the machine has it,
// chosen once at run time; BOOLSIEVE_SIMD=portable in the environment chooses the plain loop.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "event.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#define BOOLSIEVE_X86 1
#endif

namespace boolsieve {

inline bool simd_allowed() noexcept {
    const char* choice = std::getenv("BOOLSIEVE_SIMD");
    return !(choice && std::strcmp(choice, "portable") == 0);
}

#ifdef BOOLSIEVE_X86
inline bool have_avx2() noexcept {
    static const bool have = simd_allowed() && __builtin_cpu_supports("avx2");
    return have;
}
#else
inline bool have_avx2() noexcept { return false; }
#endif

inline const char* simd_name() noexcept { return have_avx2() ? "avx2" : "portable"; }

inline void range_mask_portable(const Key* keys, Key low, Key width, uint64_t* mask) noexcept {
    for (uint32_t w = 0; w < BLOCK_WORDS; ++w) {
        uint64_t bits = 0;
        for (uint32_t i = 0; i < 64; ++i) bits |= uint64_t(keys[w * 64 + i] - low <= width) << i;
        mask[w] = bits;
    }
}

#ifdef BOOLSIEVE_X86
__attribute__((target("avx2"))) inline void range_mask_avx2(const Key* keys, Key low, Key width,
                                                            uint64_t* mask) noexcept {
    // There is no unsigned comparison: both sides are shifted by the sign bit.
    const __m256i shift = _mm256_set1_epi64x(int64_t(low + SIGN_BIT));
    const __m256i limit = _mm256_set1_epi64x(int64_t(width ^ SIGN_BIT));
    for (uint32_t w = 0; w < BLOCK_WORDS; ++w) {
        uint64_t above = 0;
        for (uint32_t i = 0; i < 64; i += 4) {
            __m256i key = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(keys + w * 64 + i));
            __m256i out = _mm256_cmpgt_epi64(_mm256_sub_epi64(key, shift), limit);
            above |= uint64_t(uint32_t(_mm256_movemask_pd(_mm256_castsi256_pd(out)))) << i;
        }
        mask[w] = ~above;
    }
}
#endif

// Rows whose key lies in [low, high]. All BLOCK_ROWS keys are read.
inline void range_mask(const Key* keys, Key low, Key high, uint64_t* mask) noexcept {
#ifdef BOOLSIEVE_X86
    if (have_avx2()) return range_mask_avx2(keys, low, high - low, mask);
#endif
    range_mask_portable(keys, low, high - low, mask);
}

inline bool any_row(const uint64_t* mask) noexcept {
    uint64_t any = 0;
    for (uint32_t w = 0; w < BLOCK_WORDS; ++w) any |= mask[w];
    return any != 0;
}

inline uint32_t count_rows(const uint64_t* mask) noexcept {
    uint32_t n = 0;
    for (uint32_t w = 0; w < BLOCK_WORDS; ++w) n += uint32_t(__builtin_popcountll(mask[w]));
    return n;
}

// Calls f(row) for each row of the mask.
template <class F>
inline void each_row(const uint64_t* mask, F f) {
    for (uint32_t w = 0; w < BLOCK_WORDS; ++w)
        for (uint64_t bits = mask[w]; bits; bits &= bits - 1) f(w * 64 + uint32_t(__builtin_ctzll(bits)));
}

}  // namespace boolsieve
