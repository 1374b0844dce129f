// Hashes for tables in memory and in saved files: without a seed, so that a table that was written to a file is found
// again by another process; the same on all little-endian machines. Not for use against hostile input: who chooses the
// strings can make them collide.
//
// One step is the product of two 64-bit words in 128 bits, folded by xor: each output bit depends on nearly all
// input bits, at the cost of one multiplication.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace boolsieve {

namespace hashing {

// Odd words with balanced bits: the fractions of the square roots of 2, 3, 5 and 7.
constexpr uint64_t ROOT2 = 0x6A09E667F3BCC909u;
constexpr uint64_t ROOT3 = 0xBB67AE8584CAA73Bu;
constexpr uint64_t ROOT5 = 0x3C6EF372FE94F82Bu;
constexpr uint64_t ROOT7 = 0xA54FF53A5F1D36F1u;

inline uint64_t fold(uint64_t a, uint64_t b) noexcept {
    __extension__ typedef unsigned __int128 Wide;
    Wide product = static_cast<Wide>(a) * b;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

inline uint64_t load8(const char* p) noexcept {
    uint64_t word;
    std::memcpy(&word, p, 8);
    return word;
}

inline uint64_t load4(const char* p) noexcept {
    uint32_t word;
    std::memcpy(&word, p, 4);
    return word;
}

}  // namespace hashing

// Of an integer. The first product carries low bits up, the second carries them back down: one of them alone leaves
// multiples of 2**16 or 2**28 in a fifth of a table.
inline uint64_t mix(uint64_t key) noexcept {
    using namespace hashing;
    return fold(key * ROOT7 ^ ROOT2, ROOT3);
}

// Of a string of bytes. Up to 16 bytes are read as two words that may overlap, so that no loop and no masking is needed;
// longer ones take 16 bytes a step and end with their last 16, which may overlap too.
inline uint64_t hash_bytes(const char* bytes, size_t length) noexcept {
    using namespace hashing;
    uint64_t state = ROOT5 ^ length;
    uint64_t a, b;
    if (length <= 16) {
        if (length >= 8) {
            a = load8(bytes);
            b = load8(bytes + length - 8);
        } else if (length >= 4) {
            a = load4(bytes);
            b = load4(bytes + length - 4);
        } else if (length) {
            const auto* p = reinterpret_cast<const unsigned char*>(bytes);
            a = p[0] | uint64_t(p[length / 2]) << 8 | uint64_t(p[length - 1]) << 16;
            b = 0;
        } else {
            a = b = 0;
        }
    } else {
        const char* last = bytes + length - 16;
        for (const char* p = bytes; p < last; p += 16) state = fold(load8(p) ^ ROOT2, load8(p + 8) ^ state);
        a = load8(last);
        b = load8(last + 8);
    }
    return fold(fold(a ^ ROOT2, b ^ state) ^ ROOT3, ROOT7 ^ length);
}

}  // namespace boolsieve
