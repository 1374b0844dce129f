// Sets of profiles: small integers, each set compressed by itself (ProfileSets), and the set that an event works on
// (ProfileBits).
//
// ProfileSets, many sets that do not change, in two buffers
//
//   buffer  type    length    meaning
//   begin   uint32  sets + 1  where a set starts in `data`; PLAIN: it is a plain list of 32-bit numbers
//   data    uint16  -         the sets, one after the other, in chunks of 4,096 numbers
//
// A chunk is its place (20 bits) and its count less one (12 bits), then its numbers: up to 256 as a sorted list of
// 16-bit offsets; all 4,096 as nothing; else as 64 words of bits. A set scattered so thinly that 32-bit numbers take
// less is a plain list. So a number takes 4 bytes at most and an eighth of a bit at least, and a set of bits is read by
// words.
//
// Invariants
//   1. begin rises, from 0 to the length of data.
//   2. Chunks rise by place; the offsets in a list rise, and so does a plain list; a chunk has as many numbers as it
//      says.
//   3. No number is as large as the universe that the owner knows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "buffer.hpp"

namespace boolsieve {

constexpr uint32_t CHUNK_BITS = 12;
constexpr uint32_t CHUNK = 1u << CHUNK_BITS;
constexpr uint32_t CHUNK_WORDS = CHUNK / 64;
constexpr uint32_t LIST_MOST = CHUNK_WORDS * 4;  // as many 16-bit offsets as the words take

// A set that is filled, cut down and emptied at the cost of what it held: words of bits, and above them a bit for each
// word that is not zero.
class ProfileBits {
  public:
    // For the numbers below n; the set is empty on entry.
    void open(size_t n) {
        chunks_ = n / CHUNK + 1;
        if (upper_.size() >= chunks_) return;
        words_.resize(chunks_ * CHUNK_WORDS);
        upper_.resize(chunks_);
    }
    bool has(uint32_t i) const noexcept { return words_[i >> 6] >> (i & 63) & 1; }
    void add(uint32_t i) noexcept {
        words_[i >> 6] |= uint64_t(1) << (i & 63);
        upper_[i >> CHUNK_BITS] |= uint64_t(1) << (i >> 6 & 63);
    }
    void drop(uint32_t i) noexcept {
        uint64_t& word = words_[i >> 6];
        word &= ~(uint64_t(1) << (i & 63));
        if (!word) upper_[i >> CHUNK_BITS] &= ~(uint64_t(1) << (i >> 6 & 63));
    }
    void flip(uint32_t i) noexcept {
        uint64_t& word = words_[i >> 6];
        uint64_t above = uint64_t(1) << (i >> 6 & 63);
        word ^= uint64_t(1) << (i & 63);
        if (word)
            upper_[i >> CHUNK_BITS] |= above;
        else
            upper_[i >> CHUNK_BITS] &= ~above;
    }
    void add_words(uint32_t chunk, const uint64_t* bits) noexcept {
        uint64_t* words = words_.data() + size_t(chunk) * CHUNK_WORDS;
        uint64_t above = 0;
        for (uint32_t w = 0; w < CHUNK_WORDS; ++w) {
            words[w] |= bits[w];
            above |= uint64_t(words[w] != 0) << w;
        }
        upper_[chunk] |= above;
    }
    // Of a chunk's numbers that are in `care`, only those stay that are in `held`.
    void keep_words(uint32_t chunk, const uint64_t* care, const ProfileBits& held) noexcept {
        uint64_t* words = words_.data() + size_t(chunk) * CHUNK_WORDS;
        const uint64_t* other = held.words_.data() + size_t(chunk) * CHUNK_WORDS;
        uint64_t above = upper_[chunk];
        for (uint64_t left = above; left; left &= left - 1) {
            int w = __builtin_ctzll(left);
            words[w] &= other[w] | ~care[w];
            if (!words[w]) above &= ~(uint64_t(1) << w);
        }
        upper_[chunk] = above;
    }
    size_t count() const noexcept {
        size_t n = 0;
        each_word([&](size_t w) { n += size_t(__builtin_popcountll(words_[w])); });
        return n;
    }
    template <class F>
    void each(F f) const {  // in rising order
        each_word([&](size_t w) {
            for (uint64_t word = words_[w]; word; word &= word - 1) f(uint32_t(w * 64 + size_t(__builtin_ctzll(word))));
        });
    }
    void clear() noexcept {
        each_word([&](size_t w) { words_[w] = 0; });
        for (size_t u = 0; u < chunks_; ++u) upper_[u] = 0;
    }

  private:
    template <class F>
    void each_word(F f) const {
        for (size_t u = 0; u < chunks_; ++u)
            for (uint64_t above = upper_[u]; above; above &= above - 1)
                f(u * CHUNK_WORDS + size_t(__builtin_ctzll(above)));
    }
    size_t chunks_ = 0;  // in use since open
    std::vector<uint64_t> words_, upper_;
};

class ProfileSets {
  public:
    uint32_t size() const noexcept { return begin.size() ? uint32_t(begin.size() - 1) : 0; }

    // Adds a set of n rising numbers; returns its place.
    uint32_t add(const uint32_t* numbers, size_t n) {
        if (!begin.size()) begin.push_back(0);
        size_t units = 0;
        for_chunks(numbers, n, [&](const uint32_t*, size_t count) { units += 2 + payload(count); });
        bool plain = units > 2 * n;
        size_t at = data.size(), length = plain ? 2 * n : units;
        if (at + length >= PLAIN) throw std::length_error("the profile sets of an engine take at most 4 GB");
        begin.reserve_more(1);  // nothing fails any more after this and the next
        data.resize(at + length);
        uint16_t* out = data.writable() + at;
        if (plain) {
            if (n) std::memcpy(out, numbers, n * sizeof *numbers);
            begin.set(begin.size() - 1, uint32_t(at) | PLAIN);
        } else {
            for_chunks(numbers, n, [&](const uint32_t* first, size_t count) { out = write(out, first, count); });
        }
        begin.push_back(uint32_t(at + length));
        return size() - 1;
    }

    size_t bytes_of(uint32_t set) const noexcept { return (end_of(set) - begin_of(set)) * sizeof(uint16_t); }

    // one(number) and words(chunk, 64 words) for what is in a set, by rising numbers.
    template <class One, class Words>
    void each(uint32_t set, One one, Words words) const {
        const uint16_t *p = data.data() + begin_of(set), *end = data.data() + end_of(set);
        if (begin.data()[set] & PLAIN) {
            for (; p < end; p += 2) one(read32(p));
            return;
        }
        while (p < end) {
            uint32_t header = read32(p), count = (header & (CHUNK - 1)) + 1, chunk = header >> CHUNK_BITS;
            p += 2;
            if (count <= LIST_MOST) {
                for (uint32_t i = 0; i < count; ++i) one(chunk * CHUNK + p[i]);
                p += count;
                continue;
            }
            uint64_t bits[CHUNK_WORDS];
            if (count == CHUNK) {
                std::memset(bits, 0xFF, sizeof bits);
            } else {
                std::memcpy(bits, p, sizeof bits);
                p += LIST_MOST;
            }
            words(chunk, bits);
        }
    }

    void add_to(ProfileBits& out, uint32_t set) const {
        each(
            set, [&](uint32_t i) { out.add(i); },
            [&](uint32_t chunk, const uint64_t* bits) { out.add_words(chunk, bits); });
    }
    // What is in the set and not in `held` leaves `out`: the AND of the paper, where what is not in the set keeps its
    // bit.
    void keep(ProfileBits& out, uint32_t set, const ProfileBits& held) const {
        each(
            set,
            [&](uint32_t i) {
                if (!held.has(i)) out.drop(i);
            },
            [&](uint32_t chunk, const uint64_t* bits) { out.keep_words(chunk, bits, held); });
    }

    template <class F>
    void each_buffer(F f) {
        f("begin", begin);
        f("data", data);
    }

    // The number of the first invariant that does not hold, or nullptr.
    const char* check(uint64_t universe) const {
        if (begin.size() && (begin[0] & ~PLAIN)) return "1: the first set begins late";
        if (begin.size() ? begin.back() != data.size() : data.size() != 0) return "1: the last set's end";
        for (uint32_t s = 0; s < size(); ++s) {
            size_t at = begin_of(s), end = end_of(s);
            if (at > end || end > data.size()) return "1: begins do not rise";
            bool plain = begin[s] & PLAIN;
            if (plain && (end - at) % 2) return "2: half a number";
            int64_t last_chunk = -1;
            while (!plain && at < end) {  // lengths first, so that reading is safe
                if (at + 2 > end) return "2: half a header";
                uint32_t header = read32(data.data() + at), count = (header & (CHUNK - 1)) + 1;
                if (int64_t(header >> CHUNK_BITS) <= last_chunk) return "2: chunks do not rise";
                last_chunk = header >> CHUNK_BITS;
                at += 2 + payload(count);
                if (at > end) return "2: a chunk is cut off";
                const uint16_t* p = data.data() + at - payload(count);
                if (count <= LIST_MOST) {
                    for (uint32_t i = 0; i < count; ++i)
                        if (p[i] >= CHUNK || (i && p[i] <= p[i - 1])) return "2: a list does not rise";
                } else if (count < CHUNK) {
                    uint64_t bits[CHUNK_WORDS];
                    std::memcpy(bits, p, sizeof bits);
                    uint32_t ones = 0;
                    for (uint64_t word : bits) ones += uint32_t(__builtin_popcountll(word));
                    if (ones != count) return "2: the count of a chunk";
                }
            }
            int64_t last = -1;
            bool rises = true, below = true;
            auto see = [&](uint32_t i) {
                rises &= int64_t(i) > last;
                below &= i < universe;
                last = i;
            };
            each(s, see, [&](uint32_t chunk, const uint64_t* bits) {
                for (uint32_t i = 0; i < CHUNK; ++i)
                    if (bits[i / 64] >> (i % 64) & 1) see(chunk * CHUNK + i);
            });
            if (!rises) return "2: numbers do not rise";
            if (!below) return "3: a number beyond the universe";
        }
        return nullptr;
    }

  private:
    static constexpr uint32_t PLAIN = 1u << 31;

    static size_t payload(size_t count) noexcept { return count <= LIST_MOST ? count : count == CHUNK ? 0 : LIST_MOST; }
    static uint32_t read32(const uint16_t* p) noexcept {
        uint32_t x;
        std::memcpy(&x, p, sizeof x);
        return x;
    }
    size_t begin_of(uint32_t set) const noexcept { return begin.data()[set] & ~PLAIN; }
    size_t end_of(uint32_t set) const noexcept { return begin.data()[set + 1] & ~PLAIN; }

    template <class F>
    static void for_chunks(const uint32_t* numbers, size_t n, F f) {
        for (size_t i = 0; i < n;) {
            size_t first = i;
            while (i < n && numbers[i] >> CHUNK_BITS == numbers[first] >> CHUNK_BITS) ++i;
            f(numbers + first, i - first);
        }
    }
    static uint16_t* write(uint16_t* out, const uint32_t* numbers, size_t count) noexcept {
        uint32_t header = (numbers[0] >> CHUNK_BITS) << CHUNK_BITS | uint32_t(count - 1);
        std::memcpy(out, &header, sizeof header);
        out += 2;
        if (count <= LIST_MOST) {
            for (size_t i = 0; i < count; ++i) *out++ = uint16_t(numbers[i] & (CHUNK - 1));
        } else if (count < CHUNK) {
            uint64_t bits[CHUNK_WORDS] = {};
            for (size_t i = 0; i < count; ++i)
                bits[(numbers[i] & (CHUNK - 1)) / 64] |= uint64_t(1) << (numbers[i] & 63);
            std::memcpy(out, bits, sizeof bits);
            out += LIST_MOST;
        }
        return out;
    }

    Buffer<uint32_t> begin;
    Buffer<uint16_t> data;
};

}  // namespace boolsieve
