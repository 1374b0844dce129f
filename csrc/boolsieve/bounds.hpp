// What is checked of buffers that came from a file before anything is read through them. A structure's flaw() gives the
// first reason why reading it could leave its buffers or never end, or nullptr. It relies on nothing itself: lengths
// come first, then indices, then what makes loops end. Where it takes `deep`, that adds what changing the structure and
// building an engine on it rely on. (check() and check_invariants(), which are for tests, tell more but trust the
// indices.)
#pragma once

#include <cstddef>
#include <cstdint>

#include "boolsieve/buffer.hpp"

namespace boolsieve {

// Collects over many pairs whether first <= second; both must be below 2^31, which is collected too. Two instructions a
// pair, and four pairs at a time also where there is no AVX: comparing unsigned numbers takes far more there.
class Order {
  public:
    void require(uint32_t first, uint32_t second) noexcept { signs_ |= (second - first) | first | second; }
    bool holds() const noexcept { return !(signs_ >> 31); }

  private:
    uint32_t signs_ = 0;
};

// Whether all values are below the limit.
template <class T>
inline bool all_below(const Buffer<T>& buffer, uint64_t limit) noexcept {
    const T* values = buffer.data();
    bool good = true;
    for (size_t i = 0; i < buffer.size(); ++i) good &= uint64_t(values[i]) < limit;
    return good;
}

// Whether all values are below the limit or NONE, all bits set.
inline bool all_below_or_none(const Buffer<uint32_t>& buffer, size_t limit) noexcept {
    const uint32_t* values = buffer.data();
    Order order;
    for (size_t i = 0; i < buffer.size(); ++i) order.require(values[i] + 1, uint32_t(limit));  // NONE + 1 is 0
    if (limit >> 31 == 0) return order.holds();
    bool good = true;
    for (size_t i = 0; i < buffer.size(); ++i) good &= uint64_t(values[i] + 1) <= limit;
    return good;
}

// Whether these are the ends of parts that follow each other and fill `total`.
inline bool are_ends(const Buffer<uint64_t>& ends, uint64_t total) noexcept {
    if (!ends.size()) return total == 0;
    const uint64_t* values = ends.data();
    bool good = values[ends.size() - 1] == total;
    for (size_t i = 1; i < ends.size(); ++i) good &= values[i - 1] <= values[i];
    return good;
}

inline bool is_power_of_two(size_t n) noexcept { return n && !(n & (n - 1)); }

}  // namespace boolsieve
