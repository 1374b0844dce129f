// IntMap maps 64-bit integers to 32-bit ones, any key to any value but NONE.
//
//   buffer   type      length        meaning
//   keys     uint64_t  power of two  hash table with linear probing; 0 where empty
//   values   uint32_t  power of two  the value of the key in the same place; NONE where empty
//   used     uint64_t  0 or 1        how many keys there are
//
// 1. keys and values are both empty, or of the same power of two, and at most three quarters are in use.
// 2. Each key stands in exactly one place, in the unbroken run of used places that begins at its home, mix(key).
// 3. A place is empty if and only if its value is NONE, and then its key is 0. (So a look-up reads values only where
//    the key is the one sought or 0.)
//
// Threads: find is const and may run side by side; set and erase may not run beside anything.
#pragma once

#include <cstddef>
#include <cstdint>

#include "boolsieve/bounds.hpp"
#include "boolsieve/buffer.hpp"
#include "boolsieve/hash.hpp"

namespace boolsieve {

class IntMap {
  public:
    static constexpr uint32_t NONE = 0xFFFFFFFF;

    // The value of the key, or NONE.
    uint32_t find(uint64_t key) const noexcept {
        if (!keys.size()) return NONE;
        return values.data()[place_of(key)];
    }

    // Fetches what find will look at first.
    void prefetch(uint64_t key) const noexcept {
        if (keys.size()) __builtin_prefetch(keys.data() + (mix(key) & (keys.size() - 1)));
    }

    // Adds the key or replaces its value, which must not be NONE.
    void set(uint64_t key, uint32_t value) {
        BOOLSIEVE_CHECK(value != NONE);
        if (keys.size()) {
            size_t i = place_of(key);
            if (values[i] != NONE) {
                values.set(i, value);
                return;
            }
        }
        if (size() + 1 > keys.size() / 4 * 3) rebuild(keys.size() ? keys.size() * 2 : 8);
        uint64_t* k = keys.writable();
        uint32_t* v = values.writable();
        ++*used.writable();
        size_t i = place_of(key);
        k[i] = key;
        v[i] = value;
    }

    // Whether the key was there. The keys behind it move up, so that no run is broken.
    bool erase(uint64_t key) {
        if (!keys.size()) return false;
        size_t hole = place_of(key);
        if (values[hole] == NONE) return false;
        uint64_t* k = keys.writable();
        uint32_t* v = values.writable();
        --*used.writable();
        size_t mask = keys.size() - 1;
        for (size_t i = (hole + 1) & mask; v[i] != NONE; i = (i + 1) & mask) {
            size_t home = mix(k[i]) & mask;
            if (((i - home) & mask) < ((i - hole) & mask)) continue;  // its home is behind the hole
            k[hole] = k[i];
            v[hole] = v[i];
            hole = i;
        }
        k[hole] = 0;
        v[hole] = NONE;
        return true;
    }

    size_t size() const noexcept { return used.size() ? static_cast<size_t>(*used.data()) : 0; }

    // Makes room for n keys in all.
    void reserve(size_t n) {
        size_t count = keys.size() ? keys.size() : 8;
        while (count / 4 * 3 < n) count *= 2;
        if (count > keys.size()) rebuild(count);
    }

    void clear() noexcept {
        keys.clear();
        values.clear();
        used.clear();
    }

    // f(key, value) for each key, in no order.
    template <class F>
    void each(F f) const {
        for (size_t i = 0; i < keys.size(); ++i)
            if (values.data()[i] != NONE) f(keys.data()[i], values.data()[i]);
    }

    template <class F>
    void each_buffer(F f) {
        f("keys", keys);
        f("values", values);
        f("used", used);
    }

    // The number of the first invariant that does not hold, or nullptr. Linear; for tests.
    const char* check() const {
        size_t mask = keys.size() - 1;
        if (keys.size() != values.size() || (keys.size() && (keys.size() & mask))) return "1: lengths";
        if (size() > keys.size() / 4 * 3) return "1: too full";
        size_t count = 0;
        for (size_t i = 0; i < keys.size(); ++i) {
            if (values[i] == NONE) {
                if (keys[i]) return "3: a key in an empty place";
                continue;
            }
            ++count;
            if (place_of(keys[i]) != i) return "2: a key that is not found";
        }
        return count == size() ? nullptr : "1: number of keys";
    }

    // See bounds.hpp; all values are to be below the limit.
    const char* flaw(size_t limit) const noexcept {
        if (keys.size() != values.size() || used.size() > 1) return "lengths";
        if (keys.size() && (!is_power_of_two(keys.size()) || !used.size())) return "lengths";
        if (!all_below_or_none(values, limit)) return "values";
        const uint64_t* k = keys.data();
        const uint32_t* v = values.data();
        size_t count = 0;
        bool good = true;
        for (size_t i = 0; i < keys.size(); ++i) {
            count += v[i] != NONE;
            good &= v[i] != NONE || !k[i];
        }
        return good && count == size() && count <= keys.size() / 4 * 3 ? nullptr : "keys";
    }

  private:
    // Where the key is or would be; there is a table, and it has an empty place.
    size_t place_of(uint64_t key) const noexcept {
        const uint64_t* k = keys.data();
        size_t mask = keys.size() - 1;
        size_t i = mix(key) & mask;
        while (k[i] != key && (k[i] || values.data()[i] != NONE)) i = (i + 1) & mask;
        return i;
    }

    void rebuild(size_t count) {
        Buffer<uint64_t> old_keys;  // first the new ones, swapped when nothing can fail any more
        Buffer<uint32_t> old_values;
        old_keys.resize(count, 0);
        old_values.resize(count, NONE);
        if (!used.size()) used.push_back(0);
        keys.swap(old_keys);
        values.swap(old_values);
        uint64_t* k = keys.writable();
        uint32_t* v = values.writable();
        for (size_t i = 0; i < old_keys.size(); ++i) {
            if (old_values[i] == NONE) continue;
            size_t place = place_of(old_keys[i]);
            k[place] = old_keys[i];
            v[place] = old_values[i];
        }
    }

    Buffer<uint64_t> keys;
    Buffer<uint32_t> values;
    Buffer<uint64_t> used;
};

}  // namespace boolsieve
