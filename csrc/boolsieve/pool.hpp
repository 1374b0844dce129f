// StringPool gives equal byte strings the same dense id: 0, 1, 2, ... in order of their first add.
//
//   buffer   type      length        meaning
//   ends     uint64_t  strings       where string i ends in bytes; it begins where string i - 1 ends
//   bytes    uint8_t   all lengths   the strings one after another, no separators
//   slots    uint64_t  power of two  hash table with linear probing: hash << 32 | id, or EMPTY
//
// 1. slots is empty, or a power of two with at most three quarters of its slots in use.
// 2. Each id stands in exactly one slot, in the unbroken run of used slots that begins at its home, hash & (size - 1),
//    where hash is the upper half of hash_bytes.
//
// The 32 hash bits beside the id spare nearly all byte comparisons of a miss, and a growing table moves its slots
// without reading the strings. Cost: 8 bytes, 11 to 21 for the slots, and the string itself.
// Threads: find and text are const and may run side by side; add may not run beside anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string_view>

#include "boolsieve/bounds.hpp"
#include "boolsieve/buffer.hpp"
#include "boolsieve/hash.hpp"

namespace boolsieve {

class StringPool {
  public:
    static constexpr uint32_t NONE = 0xFFFFFFFF;

    // The id of the string, which becomes a new one if it is not there yet.
    uint32_t add(const char* string, size_t length) {
        uint32_t hash = hash_of(string, length);
        uint32_t known = find_hashed(hash, string, length);
        if (known != NONE) return known;
        if (ends.size() >= NONE) throw std::length_error("a string pool holds at most 2**32 - 1 strings");
        // All that can fail comes first, so that a failed add changes nothing.
        if (too_small(ends.size() + 1)) rebuild(slots.size() ? slots.size() * 2 : 8);
        uint64_t* table = slots.writable();
        ends.reserve_more(1);
        bytes.append(reinterpret_cast<const uint8_t*>(string), length);
        uint32_t id = static_cast<uint32_t>(ends.size());
        ends.push_back(bytes.size());
        place(table, slots.size() - 1, uint64_t(hash) << 32 | id);
        return id;
    }

    // The id of the string, or NONE.
    uint32_t find(const char* string, size_t length) const noexcept {
        return find_hashed(hash_of(string, length), string, length);
    }

    std::string_view text(uint32_t id) const {
        uint64_t begin = id ? ends[id - 1] : 0;
        return {reinterpret_cast<const char*>(bytes.data()) + begin, static_cast<size_t>(ends[id] - begin)};
    }

    uint32_t size() const noexcept { return static_cast<uint32_t>(ends.size()); }

    void clear() noexcept {
        ends.clear();
        bytes.clear();
        slots.clear();
    }

    // Makes room for n strings in all.
    void reserve(size_t n) {
        size_t count = slots.size() ? slots.size() : 8;
        while (count / 4 * 3 < n) count *= 2;
        if (count > slots.size()) rebuild(count);
        if (n > ends.size()) ends.reserve_more(n - ends.size());
    }

    template <class F>
    void each_buffer(F f) {
        f("ends", ends);
        f("bytes", bytes);
        f("slots", slots);
    }

    // The number of the first invariant that does not hold, or nullptr. Linear; for tests.
    const char* check() const {
        size_t mask = slots.size() - 1;
        if (slots.size() ? (slots.size() & mask) || too_small(ends.size()) : ends.size()) return "1: size of slots";
        size_t used = 0;
        for (size_t i = 0; i < slots.size(); ++i) used += slots[i] != EMPTY;
        if (used != ends.size()) return "2: number of used slots";
        for (uint32_t id = 0; id < size(); ++id) {
            std::string_view string = text(id);
            if (find(string.data(), string.size()) != id) return "2: a string that is not found";
        }
        return nullptr;
    }

    // See bounds.hpp.
    const char* flaw() const noexcept {
        if (ends.size() >= NONE || !are_ends(ends, bytes.size())) return "ends";
        if (slots.size() ? !is_power_of_two(slots.size()) || too_small(ends.size()) : ends.size()) return "slots";
        const uint64_t* table = slots.data();
        uint32_t count = size();
        size_t used = 0;
        bool good = true;
        for (size_t i = 0; i < slots.size(); ++i) {
            used += table[i] != EMPTY;
            good &= table[i] == EMPTY || uint32_t(table[i]) < count;
        }
        return good && used == count ? nullptr : "slots";
    }

  private:
    static constexpr uint64_t EMPTY = ~uint64_t(0);  // its id would be NONE, which no string has

    static uint32_t hash_of(const char* string, size_t length) noexcept {
        return static_cast<uint32_t>(hash_bytes(string, length) >> 32);
    }

    bool too_small(size_t count) const noexcept { return count > slots.size() / 4 * 3; }

    uint32_t find_hashed(uint32_t hash, const char* string, size_t length) const noexcept {
        if (!slots.size()) return NONE;
        const uint64_t* table = slots.data();
        size_t mask = slots.size() - 1;
        for (size_t i = hash & mask;; i = (i + 1) & mask) {
            uint64_t slot = table[i];
            if (slot == EMPTY) return NONE;
            if (slot >> 32 != hash) continue;
            uint32_t id = static_cast<uint32_t>(slot);
            uint64_t begin = id ? ends.data()[id - 1] : 0;
            if (ends.data()[id] - begin == length && (!length || !std::memcmp(bytes.data() + begin, string, length)))
                return id;
        }
    }

    static void place(uint64_t* table, size_t mask, uint64_t slot) noexcept {
        size_t i = (slot >> 32) & mask;
        while (table[i] != EMPTY) i = (i + 1) & mask;
        table[i] = slot;
    }

    void rebuild(size_t count) {
        Buffer<uint64_t> fresh;
        fresh.resize(count, EMPTY);
        uint64_t* table = fresh.writable();
        for (size_t i = 0; i < slots.size(); ++i)
            if (slots.data()[i] != EMPTY) place(table, count - 1, slots.data()[i]);
        slots.swap(fresh);
    }

    Buffer<uint64_t> ends;
    Buffer<uint8_t> bytes;
    Buffer<uint64_t> slots;
};

}  // namespace boolsieve
