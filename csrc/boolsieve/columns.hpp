// Columns of values into columns of keys, for a block of rows. Absent rows get KEY_ABSENT.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "keys.hpp"
#include "row_masks.hpp"

namespace boolsieve {

template <class V, class F>
inline void fill_plain(const V* values, const uint8_t* valid, uint32_t n, Key* out, F key) noexcept {
    for (uint32_t i = 0; i < n; ++i) out[i] = key(values[i]);
    if (valid)
        for (uint32_t i = 0; i < n; ++i) out[i] = valid[i] ? out[i] : KEY_ABSENT;
}

#ifdef BOOLSIEVE_X86
// The same loop; comparing and choosing 64-bit integers as vectors needs AVX2.
template <class V, class F>
__attribute__((target("avx2"), flatten)) void fill_avx2(const V* values, const uint8_t* valid, uint32_t n, Key* out,
                                                        F key) noexcept {
    fill_plain(values, valid, n, out, key);
}
#endif

template <class V, class F>
inline void fill_keys(const V* values, const uint8_t* valid, uint32_t n, Key* out, F key) noexcept {
#ifdef BOOLSIEVE_X86
    if (have_avx2()) return fill_avx2(values, valid, n, out, key);
#endif
    fill_plain(values, valid, n, out, key);
}

inline void whole_keys(const int64_t* values, const uint8_t* valid, uint32_t n, Key* out) noexcept {
    fill_keys(values, valid, n, out, [](int64_t x) { return whole_key(x); });
}

inline void real_keys(const int64_t* values, const uint8_t* valid, uint32_t n, Key* out) noexcept {
    fill_keys(values, valid, n, out, [](int64_t x) { return real_key(x); });
}

// Below 2^51 in size a float becomes an integer by adding 1.5 * 2^52 and reading the low bits, which vectors can do;
// there is no vector instruction for the conversion itself before AVX-512.
inline void whole_keys(const double* values, const uint8_t* valid, uint32_t n, Key* out) noexcept {
    static constexpr double limit = 2251799813685248.0, shift = 6755399441055744.0;
    bool small = true;
    for (uint32_t i = 0; i < n; ++i) small &= !(std::fabs(values[i]) >= limit);
    if (!small) {
        fill_plain(values, valid, n, out, [](double d) { return d == d ? whole_key(d) : KEY_ABSENT; });
        return;
    }
    fill_keys(values, valid, n, out, [](double d) {
        double below = std::floor(d), shifted = below + shift;
        int64_t bits, zero;
        std::memcpy(&bits, &shifted, 8);
        std::memcpy(&zero, &shift, 8);
        return SIGN_BIT + (Key(bits - zero) << 1) + Key(below != d);
    });
}

inline void real_keys(const double* values, const uint8_t* valid, uint32_t n, Key* out) noexcept {
    fill_keys(values, valid, n, out, [](double d) { return real_key(d); });
}

inline void bool_keys(const uint8_t* values, const uint8_t* valid, uint32_t n, Key* out) noexcept {
    fill_keys(values, valid, n, out, [](uint8_t b) { return b ? KEY_TRUE : KEY_FALSE; });
}

inline void held_keys(const uint8_t* valid, uint32_t n, Key* out) noexcept {
    for (uint32_t i = 0; i < n; ++i) out[i] = !valid || valid[i] ? KEY_HELD : KEY_ABSENT;
}

}  // namespace boolsieve
