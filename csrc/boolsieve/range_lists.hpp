// Ranges of keys under numbers, many sets of them (one an attribute) in shared flat buffers: which ranges hold a key?
//
// A set is sorted by low end, and by falling high end where low ends are equal. Those that begin at or below the key
// are a prefix; of these, groups of 16 are passed over by the largest high end in them, groups of 16 groups by theirs,
// and so on. Comparisons open to one side need nothing special: all `<=` stand first, in falling order. New ranges go
// to an unsorted tail, which is merged when it has outgrown the root of the set.
//
//   buffer     type    length          meaning
//   sets       uint32  4 * attributes  list of entries, or NONE; list of tops; sorted entries; dead ones among them
//   entries.*  -       -               lists of low, high, number (lists.hpp); number NONE: dead
//   tops.*     -       -               lists of largest high ends: of groups of 16 entries, of 16 groups, ...
//
// Invariants
//   1. Those of the lists; a set has as many tops as its sorted entries ask for.
//   2. Sorted entries rise strictly; the dead are counted, and at most half of them.
//   3. Each top is the largest high end in its group.
//   4. A tail is no longer than its limit and has no dead entries.
//
// Cost: stab log n, then at most 16 entries and 16 tops a level for each range found. Add and remove: log n, and the
// root of n entries moved, amortised (nothing in a bulk load, which settles once). 20 bytes a range, half a byte of
// tops.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "buffer.hpp"
#include "keys.hpp"
#include "lists.hpp"

namespace boolsieve {

class RangeLists {
  public:
    static constexpr uint32_t NONE = 0xFFFFFFFFu;

    // The range must not be in the set yet. The caller settles the set afterwards, at once or after many.
    void add(uint32_t attribute, Key low, Key high, uint32_t number) {
        if (sets.size() < (size_t(attribute) + 1) * FIELDS) grow(attribute);
        if (field(attribute, LIST) == NONE) {
            uint32_t list = entries.add();
            put(attribute, LIST, list);
        }
        uint32_t words[WORDS];
        store(words, {low, high, number});
        entries.push(field(attribute, LIST), words);
    }
    // Takes out a range that is there.
    void remove(uint32_t attribute, Key low, Key high, uint32_t number) {
        uint32_t list = field(attribute, LIST), n = entries.size(list), sorted = field(attribute, SORTED);
        uint32_t* words = entries.writable(list);
        uint32_t i = lower_bound(words, sorted, low, high);
        if (i < sorted && words[i * WORDS + NUMBER] == number) {
            words[i * WORDS + NUMBER] = NONE;
            put(attribute, DEAD_ONES, field(attribute, DEAD_ONES) + 1);
        } else {
            for (i = sorted; words[i * WORDS + NUMBER] != number;) ++i;
            std::memcpy(words + i * WORDS, words + (n - 1) * WORDS, WORDS * 4);
            entries.shorten(list, n - 1);
        }
        settle(attribute);
    }
    // Merges the tail if it is long, and lets go of the dead if they are many. Without memory it does nothing.
    void settle(uint32_t attribute) {
        if (sets.size() < (size_t(attribute) + 1) * FIELDS || field(attribute, LIST) == NONE) return;
        uint32_t sorted = field(attribute, SORTED), tail = entries.size(field(attribute, LIST)) - sorted;
        if (tail <= tail_limit(sorted) && field(attribute, DEAD_ONES) * 2 <= sorted) return;
        try {
            merge(attribute);
        } catch (const std::bad_alloc&) {
        }
    }

    // Gives up the room that growing has left.
    void pack() {
        entries.pack();
        tops.pack();
    }

    // Writes the numbers of the ranges that hold the key, and a few words behind them; returns where they end.
    uint32_t* stab(uint32_t attribute, Key key, uint32_t* out) const noexcept {
        if (sets.size() < (size_t(attribute) + 1) * FIELDS) return out;
        const uint32_t* set = sets.data() + size_t(attribute) * FIELDS;
        if (set[LIST] == NONE) return out;
        const uint32_t* words = entries.items(set[LIST]);
        uint32_t sorted = set[SORTED], n = entries.size(set[LIST]);
        // low <= key: those before (key + 1, highest)
        uint32_t end = key == KEY_HIGHEST ? sorted : lower_bound(words, sorted, key + 1, KEY_HIGHEST);
        if (end <= 2 * GROUP) {
            out = scan(words, 0, end, key, out);
        } else {
            Levels levels(sorted);
            out = descend(words, tops.items(set[TOPS]), levels, levels.count, 0, end, key, out);
        }
        for (uint32_t i = sorted; i < n; ++i) {
            Entry e = load(words, i);
            *out = e.number;
            out += e.low <= key && key <= e.high;
        }
        return out;
    }

    template <class F>
    void each_buffer(F f) {
        f("sets", sets);
        entries.each_buffer(
            [&](const char* name, auto& buffer) { f((std::string("entries.") + name).c_str(), buffer); });
        tops.each_buffer([&](const char* name, auto& buffer) { f((std::string("tops.") + name).c_str(), buffer); });
    }

    // f(attribute, low, high, number) for each range.
    template <class F>
    void each(F f) const {
        for (uint32_t a = 0; a < sets.size() / FIELDS; ++a)
            for (uint32_t i = 0; field(a, LIST) != NONE && i < entries.size(field(a, LIST)); ++i) {
                Entry e = load(entries.items(field(a, LIST)), i);
                if (e.number != NONE) f(a, e.low, e.high, e.number);
            }
    }

    // The invariant that does not hold, or nullptr. For tests.
    const char* check() const {
        if (sets.size() % FIELDS) return "1: lengths";
        if (entries.check() || tops.check()) return "1: lists";
        for (uint32_t a = 0; a < sets.size() / FIELDS; ++a) {
            uint32_t list = field(a, LIST), sorted = field(a, SORTED), dead = 0;
            if (list == NONE) {
                if (sorted || field(a, DEAD_ONES) || field(a, TOPS) != NONE) return "1: a set without entries";
                continue;
            }
            if (list >= entries.count() || !entries.live(list) || sorted > entries.size(list)) return "1: a set";
            const uint32_t* words = entries.items(list);
            for (uint32_t i = 0; i < sorted; ++i) {
                Entry e = load(words, i);
                dead += e.number == NONE;
                if (i && !before(load(words, i - 1), e.low, e.high)) return "2: order";
            }
            if (dead != field(a, DEAD_ONES) || dead * 2 > sorted) return "2: dead entries";
            std::vector<Key> expected = tops_of(words, sorted);
            uint32_t there = field(a, TOPS);
            if (expected.empty() ? there != NONE : there >= tops.count() || tops.size(there) != expected.size())
                return "1: number of tops";
            if (!expected.empty() && std::memcmp(tops.items(there), expected.data(), expected.size() * 8))
                return "3: a top";
            if (entries.size(list) - sorted > tail_limit(sorted)) return "4: a long tail";
            for (uint32_t i = sorted; i < entries.size(list); ++i)
                if (load(words, i).number == NONE) return "4: a dead entry in the tail";
        }
        return nullptr;
    }

  private:
    static constexpr uint32_t WORDS = 5, NUMBER = 4, GROUP = 16;
    static constexpr uint32_t FIELDS = 4, LIST = 0, TOPS = 1, SORTED = 2, DEAD_ONES = 3;

    struct Entry {
        Key low, high;
        uint32_t number;
    };
    // Where the tops of each level begin. Level 0 are the entries, the last level has at most GROUP tops.
    struct Levels {
        uint32_t begin[9], count = 0;
        explicit Levels(uint32_t n) noexcept {
            uint32_t at = 0;
            while (n > GROUP) {
                n = (n + GROUP - 1) / GROUP;
                begin[++count] = at;
                at += n;
            }
        }
    };

    static Entry load(const uint32_t* words, size_t i) noexcept {
        Entry e;
        std::memcpy(&e.low, words + i * WORDS, 8);
        std::memcpy(&e.high, words + i * WORDS + 2, 8);
        e.number = words[i * WORDS + NUMBER];
        return e;
    }
    static void store(uint32_t* words, const Entry& e) noexcept {
        std::memcpy(words, &e.low, 8);
        std::memcpy(words + 2, &e.high, 8);
        words[NUMBER] = e.number;
    }
    static bool before(const Entry& e, Key low, Key high) noexcept {
        return e.low < low || (e.low == low && e.high > high);
    }
    static uint32_t lower_bound(const uint32_t* words, uint32_t n, Key low, Key high) noexcept {
        uint32_t begin = 0;
        while (n > 0) {
            uint32_t half = n / 2;
            bool right = before(load(words, begin + half), low, high);
            begin = right ? begin + half + 1 : begin;
            n = right ? n - half - 1 : half;
        }
        return begin;
    }
    // A merge moves all entries, a match compares with the whole tail: at the root of their number both cost alike.
    static uint32_t tail_limit(uint32_t sorted) noexcept { return 32 + 2 * uint32_t(std::sqrt(double(sorted))); }

    static uint32_t* scan(const uint32_t* words, uint32_t i, uint32_t end, Key key, uint32_t* out) noexcept {
        for (; i < end; ++i) {
            Key high;
            std::memcpy(&high, words + size_t(i) * WORDS + 2, 8);
            uint32_t number = words[size_t(i) * WORDS + NUMBER];
            *out = number;
            out += (high >= key) & (number != NONE);
        }
        return out;
    }
    // The groups of a level that stand below group `parent` of the level above; as deep as there are levels, eight.
    uint32_t* descend(const uint32_t* words, const uint32_t* top, const Levels& levels, uint32_t level, uint32_t parent,
                      uint32_t end, Key key, uint32_t* out) const noexcept {
        if (level == 0) return scan(words, parent * GROUP, std::min(end, (parent + 1) * GROUP), key, out);
        uint32_t width = 1;  // entries below a group of this level
        for (uint32_t i = 0; i < level; ++i) width *= GROUP;
        uint32_t last = std::min((parent + 1) * GROUP, (end + width - 1) / width);
        for (uint32_t g = parent * GROUP; g < last; ++g) {
            Key highest;
            std::memcpy(&highest, top + 2 * (size_t(levels.begin[level]) + g), 8);
            if (highest >= key) out = descend(words, top, levels, level - 1, g, end, key, out);
        }
        return out;
    }

    uint32_t field(uint32_t attribute, uint32_t which) const { return sets[size_t(attribute) * FIELDS + which]; }
    void put(uint32_t attribute, uint32_t which, uint32_t value) {
        sets.set(size_t(attribute) * FIELDS + which, value);
    }
    void grow(uint32_t attribute) {
        size_t old = sets.size(), n = (size_t(attribute) + 1) * FIELDS;
        sets.resize(n, 0);
        for (size_t i = old; i < n; i += FIELDS) {
            sets.set(i + LIST, NONE);
            sets.set(i + TOPS, NONE);
        }
    }

    static std::vector<Key> tops_of(const uint32_t* words, uint32_t n) {
        std::vector<Key> all;
        if (n <= GROUP) return all;
        for (uint32_t i = 0; i < n; ++i) {
            Key high = load(words, i).high;
            if (i % GROUP == 0) all.push_back(high);
            all.back() = std::max(all.back(), high);
        }
        for (size_t from = 0, count = all.size(); count > GROUP;) {
            size_t next = all.size();
            for (size_t i = 0; i < count; ++i) {
                Key high = all[from + i];
                if (i % GROUP == 0) all.push_back(high);
                all.back() = std::max(all.back(), high);
            }
            from = next;
            count = all.size() - next;
        }
        return all;
    }

    void merge(uint32_t attribute) {
        uint32_t list = field(attribute, LIST), sorted = field(attribute, SORTED), n = entries.size(list);
        std::vector<Entry> all;
        all.reserve(n);
        uint32_t* words = entries.writable(list);
        for (uint32_t i = 0; i < n; ++i) {
            Entry e = load(words, i);
            if (e.number != NONE) all.push_back(e);
        }
        auto order = [](const Entry& a, const Entry& b) { return before(a, b.low, b.high); };
        auto middle = all.end() - (n - sorted);
        std::sort(middle, all.end(), order);
        std::inplace_merge(all.begin(), middle, all.end(), order);
        std::vector<uint32_t> fresh(all.size() * WORDS);
        for (size_t i = 0; i < all.size(); ++i) store(fresh.data() + i * WORDS, all[i]);
        std::vector<Key> top = tops_of(fresh.data(), uint32_t(all.size()));
        uint32_t tops_list = field(attribute, TOPS);
        if (!top.empty()) {
            if (tops_list == NONE) {
                tops_list = tops.add();
                put(attribute, TOPS, tops_list);
            }
            tops.reserve(tops_list, uint32_t(top.size()));
            std::memcpy(tops.writable(tops_list), top.data(), top.size() * 8);
            tops.shorten(tops_list, uint32_t(top.size()));
        } else if (tops_list != NONE) {
            tops.drop(tops_list);
            put(attribute, TOPS, NONE);
        }
        if (all.empty()) {
            entries.drop(list);
            put(attribute, LIST, NONE);
        } else {
            std::memcpy(words, fresh.data(), fresh.size() * 4);
            entries.shorten(list, uint32_t(all.size()));
        }
        put(attribute, SORTED, uint32_t(all.size()));
        put(attribute, DEAD_ONES, 0);
    }

    Buffer<uint32_t> sets;
    Lists<WORDS> entries;
    Lists<2> tops;
};

}  // namespace boolsieve
