// Integers against floats, exactly: 2^53 + 1 is greater than 9007199254740992.0, though the cast of one to the other's
// type says that they are equal.
#pragma once

#include <cstdint>

namespace boolsieve {

constexpr double TWO_TO_63 = 9223372036854775808.0;

// Less than zero, zero, or greater than zero, as a is less than, equal to, or greater than b, which is not NaN.
inline int compare_int_double(int64_t a, double b) noexcept {
    if (b >= TWO_TO_63) return -1;
    if (b < -TWO_TO_63) return 1;
    const int64_t whole = static_cast<int64_t>(b);  // towards zero
    if (a != whole) return a < whole ? -1 : 1;
    // Exact: beyond 2^53 each double is whole, below it each whole number is a double.
    const double rest = b - static_cast<double>(whole);
    return rest > 0 ? -1 : rest < 0 ? 1 : 0;
}

// Whether the float is an int64 by value; then it is written to whole.
inline bool as_int(double value, int64_t& whole) noexcept {
    if (!(value >= -TWO_TO_63 && value < TWO_TO_63)) return false;
    whole = static_cast<int64_t>(value);
    return static_cast<double>(whole) == value;
}

}  // namespace boolsieve
