// A checksum of 64 bits against accidents: flipped bits, torn writes, mixed-up blocks. It is no protection against who
// wants to deceive.
//
// Eight lanes take a word of 8 bytes each in turn; one step is a xor, a rotation and the product with an odd number.
// All three can be undone, and so can the joining of the lanes: a change within one word always changes the checksum.
// Eight products are on their way at the same time, so that memory is the limit and not arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "boolsieve/hash.hpp"

namespace boolsieve {

inline uint64_t checksum(const void* data, size_t length, uint64_t seed) noexcept {
    constexpr size_t LANES = 8;
    constexpr size_t AHEAD = 4096;  // the processor by itself stops at the end of a page: 18 ms for 100 MB, now 10
    auto step = [](uint64_t lane, uint64_t word) {
        lane ^= word;
        return (lane << 29 | lane >> 35) * (hashing::ROOT3 | 1);
    };
    const char* at = static_cast<const char*>(data);
    uint64_t lanes[LANES];
    for (size_t i = 0; i < LANES; ++i) lanes[i] = seed + i * hashing::ROOT2;
    size_t left = length;
    for (; left >= 8 * LANES; left -= 8 * LANES, at += 8 * LANES) {
        __builtin_prefetch(at + AHEAD);
        for (size_t i = 0; i < LANES; ++i) lanes[i] = step(lanes[i], hashing::load8(at + 8 * i));
    }
    uint64_t sum = length;
    for (size_t i = 0; i < LANES; ++i) sum = step(sum, lanes[i]);
    for (; left >= 8; left -= 8, at += 8) sum = step(sum, hashing::load8(at));
    uint64_t last = 0;
    if (left) std::memcpy(&last, at, left);
    return step(step(sum, last), 0);
}

}  // namespace boolsieve
