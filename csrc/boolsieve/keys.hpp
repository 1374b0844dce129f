// Keys: 64-bit unsigned integers that keep the order of the values of one view of an attribute, exactly.
//
// No 64 bits order all int64 and all float64 together, so a number has up to three views, each exact for some operands
// and monotone for all values. An operand is put into a view that is exact for it; a value is given to every view in
// use.
//
//   whole   int64 operands below 2^62 in size: 2^63 + 2x, and the odd key above it for all that lies between x and
//           x + 1
//   far     int64 operands from 2^62 on: there every float is whole, so a step of one is enough; all else is one key
//           between
//   real    floats that are no int64, and whole floats up to 2^53: the float's bits in order; what lies between 2^53
//           and 2^63 in size is one key on each side (no operand of this view is there, and not every int64 there is
//           a float)
//
// Times are microseconds in the whole view (a nanosecond lands between two). Texts have the view `text` (an interned
// number, for equality) and `order` (seven bytes and the length, monotone; equal keys of longer texts are told apart by
// the text).
//
// Key 0 means that the event lacks the attribute; operands' ranges start at 1, so an absent value fails them by itself.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace boolsieve {

using Key = uint64_t;

constexpr Key KEY_ABSENT = 0;
constexpr Key KEY_LOWEST = 1;
constexpr Key KEY_HIGHEST = ~Key(0);
constexpr Key KEY_HELD = 1;          // the only key of attributes that are just there or not
constexpr Key KEY_UNKNOWN_TEXT = 1;  // a text that no operand has
constexpr Key KEY_FIRST_TEXT = 2;
constexpr Key KEY_FALSE = 1;
constexpr Key KEY_TRUE = 2;

constexpr int64_t WHOLE_LIMIT = int64_t(1) << 62;  // operands of the whole view are smaller in size
constexpr int64_t REAL_LIMIT = int64_t(1) << 53;   // int64 operands of the real view are at most this in size
constexpr double TWO_53 = 9007199254740992.0;
constexpr double TWO_62 = 4611686018427387904.0;
constexpr double TWO_63 = 9223372036854775808.0;
constexpr Key SIGN_BIT = Key(1) << 63;

inline bool whole_exact(int64_t x) noexcept { return x > -WHOLE_LIMIT && x < WHOLE_LIMIT; }

inline Key whole_key(int64_t x) noexcept {
    if (x >= WHOLE_LIMIT) return KEY_HIGHEST;
    if (x <= -WHOLE_LIMIT) return KEY_LOWEST;
    return SIGN_BIT + (Key(x) << 1);
}

inline Key whole_key(double d) noexcept {
    if (d >= TWO_62) return KEY_HIGHEST;
    if (d <= -TWO_62) return KEY_LOWEST;
    double below = std::floor(d);
    return SIGN_BIT + (Key(int64_t(below)) << 1) + (below != d);
}

// `between`: after the microsecond and before the next. Beyond the whole view all times share a key.
inline Key time_key(int64_t microseconds, bool between) noexcept {
    return whole_key(microseconds) + (between && whole_exact(microseconds));
}

// Far view: [INT64_MIN, -2^62] -> 2 .. 2^62 + 2, the middle -> 2^63, [2^62, INT64_MAX] -> 2^63 + 2 ..
inline Key far_key(int64_t x) noexcept {
    if (x >= WHOLE_LIMIT) return SIGN_BIT + 2 + Key(x - WHOLE_LIMIT);
    if (x <= -WHOLE_LIMIT) return 2 + (Key(x) - SIGN_BIT);
    return SIGN_BIT;
}

inline Key far_key(double d) noexcept {
    if (d >= TWO_63) return KEY_HIGHEST - 1;
    if (d < -TWO_63) return KEY_LOWEST;
    if (d >= TWO_62 || d <= -TWO_62) return far_key(int64_t(d));
    return SIGN_BIT;
}

inline Key float_bits_in_order(double d) noexcept {
    uint64_t bits;
    d += 0.0;  // -0.0 becomes 0.0
    std::memcpy(&bits, &d, sizeof bits);
    return bits & SIGN_BIT ? ~bits : bits | SIGN_BIT;
}

inline bool real_exact(double d) noexcept {
    double size = std::fabs(d);
    return size <= TWO_53 || size > TWO_63 || d == TWO_63;
}

inline Key real_key(double d) noexcept {
    if (d > TWO_53 && d < TWO_63) return float_bits_in_order(TWO_53) + 1;
    if (d < -TWO_53 && d >= -TWO_63) return float_bits_in_order(-TWO_53) - 1;
    return float_bits_in_order(d);
}

inline Key real_key(int64_t x) noexcept {  // not through the nearest float: that may be a neighbour, or 2^63
    if (x > REAL_LIMIT) return float_bits_in_order(TWO_53) + 1;
    if (x < -REAL_LIMIT) return float_bits_in_order(-TWO_53) - 1;
    return float_bits_in_order(double(x));
}

// A float that is an int64, which is then the form to use.
inline bool is_int64(double d) noexcept { return d >= -TWO_63 && d < TWO_63 && d == std::floor(d); }

constexpr size_t ORDER_BYTES = 7;  // texts up to this length have an order key of their own

inline Key order_key(const char* text, size_t length) noexcept {
    Key key = 0;
    size_t n = length < ORDER_BYTES ? length : ORDER_BYTES;
    for (size_t i = 0; i < n; ++i) key |= Key(uint8_t(text[i])) << (56 - 8 * i);
    return key + (length < 8 ? length : 8) + 1;
}

// Texts as sequences of bytes, which for UTF-8 is the order of code points.
inline int compare_text(const char* a, size_t a_length, const char* b, size_t b_length) noexcept {
    size_t n = a_length < b_length ? a_length : b_length;
    int order = n ? std::memcmp(a, b, n) : 0;
    if (order) return order;
    return a_length < b_length ? -1 : a_length > b_length;
}

}  // namespace boolsieve
