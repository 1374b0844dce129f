// Lists of fixed-size items, many in one buffer: each in one piece, so that reading one is reading forward.
//
//   buffer   type     length         meaning
//   words    uint32   items * WORDS  the items; a free block starts with where the next one of its class begins
//   begin    uint32   lists          a list's first item
//   length   uint32   lists          how many items it has
//   room     uint32   lists          how many it has room for
//   free     uint32   0 or 33        by power of two, the first free block with that much room; then the first free
//                                    list
//
// Invariants
//   1. length <= room, and the blocks of lists and of free space do not overlap and lie inside words.
//   2. A free list has room 0xFFFFFFFF, and begin is the next free list.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <stdexcept>
#include <utility>
#include <vector>

#include "buffer.hpp"

namespace boolsieve {

template <uint32_t WORDS>
class Lists {
  public:
    static constexpr uint32_t NONE = 0xFFFFFFFFu;

    uint32_t count() const noexcept { return uint32_t(begin.size()); }
    bool live(uint32_t list) const noexcept { return room[list] != NONE; }
    uint32_t size(uint32_t list) const noexcept { return length.data()[list]; }
    const uint32_t* items(uint32_t list) const noexcept { return words.data() + size_t(begin.data()[list]) * WORDS; }
    uint32_t* writable(uint32_t list) { return words.writable() + size_t(begin[list]) * WORDS; }

    uint32_t add() {
        if (free.size() && free[LIST_HEAD] != NONE) {
            uint32_t list = free[LIST_HEAD];
            free.set(LIST_HEAD, begin[list]);
            begin.set(list, 0);
            room.set(list, 0);
            return list;
        }
        begin.reserve_more(1);
        length.reserve_more(1);
        room.reserve_more(1);
        begin.push_back(0);
        length.push_back(0);
        room.push_back(0);
        return uint32_t(begin.size() - 1);
    }
    void drop(uint32_t list) {
        need_heads();
        give_back(begin[list], room[list]);
        begin.set(list, free[LIST_HEAD]);
        length.set(list, 0);
        room.set(list, NONE);
        free.set(LIST_HEAD, list);
    }
    // Takes all items out of a list, which stays, without room.
    void empty(uint32_t list) {
        if (room[list]) give_back(begin[list], room[list]);
        begin.set(list, 0);
        length.set(list, 0);
        room.set(list, 0);
    }
    uint32_t room_of(uint32_t list) const noexcept { return room.data()[list]; }
    void prefetch(uint32_t list) const noexcept {
        __builtin_prefetch(begin.data() + list);
        __builtin_prefetch(length.data() + list);
    }
    // Room for n items in all; what is there stays.
    void reserve(uint32_t list, uint32_t n) {
        if (n <= room[list]) return;
        need_heads();
        auto [at, got] = take(n);
        std::memcpy(words.writable() + size_t(at) * WORDS, items(list), size_t(size(list)) * WORDS * 4);
        give_back(begin[list], room[list]);
        begin.set(list, at);
        room.set(list, got);
    }
    void push(uint32_t list, const uint32_t* item) {
        uint32_t n = size(list);
        if (n == room[list]) reserve(list, n + 1);
        std::memcpy(words.writable() + (size_t(begin[list]) + n) * WORDS, item, WORDS * 4);
        length.set(list, n + 1);
    }
    void shorten(uint32_t list, uint32_t n) { length.set(list, n); }
    // Makes `to`, which is empty, equal to `from`.
    void copy(uint32_t from, uint32_t to) {
        uint32_t n = size(from);
        reserve(to, n);
        std::memcpy(words.writable() + size_t(begin[to]) * WORDS, items(from), size_t(n) * WORDS * 4);
        length.set(to, n);
    }
    // One block for many new lists of the given lengths, full from the start; the caller writes the items.
    void add_full(const std::vector<uint32_t>& lengths) {
        size_t total = words.size() / WORDS;
        for (uint32_t n : lengths) total += n;
        if (total >= NONE || begin.size() + lengths.size() >= NONE)
            throw std::length_error("the lists would hold more than 2^32 items");
        uint32_t at = uint32_t(words.size() / WORDS);
        begin.reserve_more(lengths.size());
        length.reserve_more(lengths.size());
        room.reserve_more(lengths.size());
        words.resize(total * WORDS);
        for (uint32_t n : lengths) {
            begin.push_back(at);
            length.push_back(n);
            room.push_back(n);
            at += n;
        }
    }

    // Puts the lists side by side in their order, each with the room that it needs, and gives up all free blocks.
    // Without memory for that it does nothing.
    void pack() {
        Buffer<uint32_t> fresh;
        size_t total = 0;
        for (uint32_t list = 0; list < count(); ++list) total += live(list) ? size(list) : 0;
        try {
            fresh.resize(total * WORDS);
        } catch (const std::bad_alloc&) {
            return;
        }
        uint32_t at = 0;
        for (uint32_t list = 0; list < count(); ++list) {
            if (!live(list)) continue;
            uint32_t n = size(list);
            std::memcpy(fresh.writable() + size_t(at) * WORDS, items(list), size_t(n) * WORDS * 4);
            begin.set(list, n ? at : 0);
            room.set(list, n);
            at += n;
        }
        words.swap(fresh);
        for (uint32_t k = 0; k < LIST_HEAD && free.size(); ++k) free.set(k, NONE);
    }

    template <class F>
    void each_buffer(F f) {
        f("words", words);
        f("begin", begin);
        f("length", length);
        f("room", room);
        f("free", free);
    }

    // The invariant that does not hold, or nullptr. For tests.
    const char* check() const {
        if (begin.size() != length.size() || begin.size() != room.size()) return "1: lengths";
        std::vector<std::pair<uint64_t, uint64_t>> blocks;
        for (uint32_t list = 0; list < count(); ++list) {
            if (!live(list)) continue;
            if (length[list] > room[list]) return "1: more items than room";
            if (room[list]) blocks.push_back({begin[list], uint64_t(begin[list]) + room[list]});
        }
        if (free.size()) {
            for (uint32_t k = 0; k < LIST_HEAD; ++k)
                for (uint32_t at = free[k]; at != NONE; at = words[size_t(at) * WORDS]) {
                    blocks.push_back({at, at + (uint64_t(1) << k)});
                    if (blocks.size() > words.size()) return "1: free blocks in a ring";
                }
            size_t steps = 0;
            for (uint32_t list = free[LIST_HEAD]; list != NONE; list = begin[list])
                if (live(list) || ++steps > begin.size()) return "2: a free list in use";
        }
        std::sort(blocks.begin(), blocks.end());
        for (size_t i = 0; i < blocks.size(); ++i)
            if (blocks[i].second > (i + 1 < blocks.size() ? blocks[i + 1].first : words.size() / WORDS))
                return "1: blocks overlap";
        return nullptr;
    }

  private:
    static constexpr uint32_t LIST_HEAD = 32;

    void need_heads() {
        if (!free.size()) free.resize(LIST_HEAD + 1, NONE);
    }
    static uint32_t log2_up(uint32_t n) noexcept { return n < 2 ? 0 : 32 - uint32_t(__builtin_clz(n - 1)); }
    // Where a block with room for n begins, and its room, a power of two: so it fits again when it is given back.
    std::pair<uint32_t, uint32_t> take(uint32_t n) {
        uint32_t k = log2_up(n);
        size_t at = words.size() / WORDS;
        if (k == LIST_HEAD || (free[k] == NONE && at + (size_t(1) << k) >= NONE))
            throw std::length_error("the lists would hold more than 2^32 items");
        if (free[k] != NONE) {
            at = free[k];
            free.set(k, words[at * WORDS]);
        } else {
            words.resize(words.size() + (size_t(1) << k) * WORDS);
        }
        return {uint32_t(at), uint32_t(1) << k};
    }
    void give_back(uint32_t at, uint32_t n) {  // as the largest power of two that fits; its tail is lost
        if (!n) return;
        uint32_t k = 31 - uint32_t(__builtin_clz(n));
        words.set(size_t(at) * WORDS, free[k]);
        free.set(k, at);
    }

    Buffer<uint32_t> words, begin, length, room, free;
};

}  // namespace boolsieve
