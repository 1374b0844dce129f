// Many maps from 32-bit integers to 32-bit ones, most of them small: each is a hash table in one piece, so that looking
// up many keys in one map touches few lines of memory.
//
//   buffer  type    length   meaning
//   place   uint64  maps     where its cells begin * 64 + log2 of their number; 0 for a map without keys
//   used    uint32  maps     how many keys it has
//   cells   uint64  -        key << 32 | value, or EMPTY; linear probing; in a free table's first cell, the next one
//   free    uint32  0 or 32  by log2 of the size: the first free table, or NONE
//
// Invariants
//   1. Tables lie inside cells and do not overlap; at most three quarters of a table are in use.
//   2. Each key is found, and there are as many as `used` says.
//
// Threads: find is const and may run side by side; add and set may not run beside anything.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "buffer.hpp"

namespace boolsieve {

class SmallMaps {
  public:
    static constexpr uint32_t NONE = 0xFFFFFFFFu;

    uint32_t count() const noexcept { return uint32_t(place.size()); }
    uint32_t size(uint32_t map) const noexcept { return used[map]; }
    // A new, empty map.
    uint32_t add() {
        if (place.size() >= NONE >> 1) throw std::length_error("there would be more than 2^31 maps");
        used.reserve_more(1);
        place.push_back(0);
        used.push_back(0);
        return uint32_t(place.size() - 1);
    }
    // The value of a key, or NONE.
    uint32_t find(uint32_t map, uint32_t key) const noexcept {
        uint64_t at = place.data()[map];
        return at ? uint32_t(*cell(cells.data(), at, key)) : NONE;
    }
    // How many cells a map has.
    size_t room(uint32_t map) const noexcept {
        uint64_t at = place.data()[map];
        return at ? size_t(1) << (at & 63) : 0;
    }
    // f(key, value) for each cell of a map, in no order; of empty ones both are NONE.
    template <class F>
    void each_cell(uint32_t map, F f) const {
        const uint64_t *c = cells.data() + (place.data()[map] >> 6), *end = c + room(map);
        for (; c < end; ++c) f(uint32_t(*c >> 32), uint32_t(*c));
    }
    void prefetch(uint32_t map, uint32_t key) const noexcept {
        uint64_t at = place.data()[map];
        __builtin_prefetch(cells.data() + (at >> 6) + home(key, uint32_t(at & 63)));
    }
    // Adds a key or replaces its value; neither may be NONE.
    void set(uint32_t map, uint32_t key, uint32_t value) {
        uint64_t at = place[map];
        if (at) {
            uint64_t* c = cell(cells.writable(), at, key);
            if (*c != EMPTY) {
                *c = uint64_t(key) << 32 | value;
                return;
            }
        }
        uint32_t bits = uint32_t(at & 63);
        if (!at || (size_t(used[map]) + 1) * 4 > size_t(3) << bits) {
            place.writable();
            used.writable();
            uint64_t fresh = take(at ? bits + 1 : 1);
            if (at) {
                const uint64_t* old = cells.data() + (at >> 6);
                for (size_t i = 0; i < size_t(1) << bits; ++i)
                    if (old[i] != EMPTY) *cell(cells.writable(), fresh, uint32_t(old[i] >> 32)) = old[i];
                give_back(at);
            }
            place.set(map, fresh);
            at = fresh;
        }
        *cell(cells.writable(), at, key) = uint64_t(key) << 32 | value;
        used.set(map, used[map] + 1);
    }
    // value = f(key, value) for each key of a map, in no order.
    template <class F>
    void replace(uint32_t map, F f) {
        uint64_t at = place[map];
        if (!at) return;
        uint64_t* c = cells.writable() + (at >> 6);
        for (size_t i = 0; i < size_t(1) << (at & 63); ++i)
            if (c[i] != EMPTY) c[i] = c[i] >> 32 << 32 | f(uint32_t(c[i] >> 32), uint32_t(c[i]));
    }

    template <class F>
    void each_buffer(F f) {
        f("place", place);
        f("used", used);
        f("cells", cells);
        f("free", free);
    }

    // The invariant that does not hold, or nullptr. For tests.
    const char* check() const {
        if (place.size() != used.size()) return "1: lengths";
        std::vector<std::pair<uint64_t, uint64_t>> tables;
        for (uint32_t map = 0; map < count(); ++map) {
            uint64_t at = place[map];
            if (!at && used[map]) return "2: keys without a table";
            if (!at) continue;
            uint64_t n = uint64_t(1) << (at & 63);
            if ((at & 63) > 31 || (at >> 6) + n > cells.size()) return "1: a table outside";
            if (uint64_t(used[map]) * 4 > 3 * n) return "1: too full";
            tables.push_back({at >> 6, (at >> 6) + n});
            uint64_t found = 0;
            for (uint64_t i = at >> 6; i < (at >> 6) + n; ++i) {
                if (cells[i] == EMPTY) continue;
                ++found;
                if (cell(cells.data(), at, uint32_t(cells[i] >> 32)) != cells.data() + i)
                    return "2: a key is not found";
            }
            if (found != used[map]) return "2: number of keys";
        }
        for (uint32_t k = 0; k < free.size(); ++k)
            for (uint32_t at = free[k]; at != NONE; at = uint32_t(cells[at])) {
                if (at >= cells.size() || tables.size() > cells.size()) return "1: free tables";
                tables.push_back({at, at + (uint64_t(1) << k)});
            }
        std::sort(tables.begin(), tables.end());
        for (size_t i = 1; i < tables.size(); ++i)
            if (tables[i - 1].second > tables[i].first) return "1: tables overlap";
        return nullptr;
    }

  private:
    static constexpr uint64_t EMPTY = ~uint64_t(0);

    static uint32_t home(uint32_t key, uint32_t bits) noexcept { return key * 0x9E3779B1u >> (32 - bits); }
    // Where a key is, or the empty cell where it would be; there is one.
    template <class Cell>
    static Cell* cell(Cell* all, uint64_t at, uint32_t key) noexcept {
        uint32_t bits = uint32_t(at & 63), mask = (1u << bits) - 1, i = home(key, bits);
        Cell* table = all + (at >> 6);
        while (table[i] >> 32 != key && table[i] != EMPTY) i = (i + 1) & mask;
        return table + i;
    }
    uint64_t take(uint32_t bits) {
        if (!free.size()) free.resize(32, NONE);
        uint64_t at = cells.size(), n = uint64_t(1) << bits;
        if (bits > 31 || (free[bits] == NONE && at + n >= NONE))
            throw std::length_error("the maps would have more than 2^32 cells");
        if (free[bits] == NONE) {
            cells.resize(at + n, EMPTY);
        } else {
            at = free[bits];
            free.set(bits, uint32_t(cells[at]));
            std::fill(cells.writable() + at, cells.writable() + at + n, EMPTY);
        }
        return at << 6 | bits;
    }
    void give_back(uint64_t at) {
        cells.set(at >> 6, free[at & 63]);
        free.set(at & 63, uint32_t(at >> 6));
    }

    Buffer<uint64_t> place;
    Buffer<uint32_t> used;
    Buffer<uint64_t> cells;
    Buffer<uint32_t> free;
};

}  // namespace boolsieve
