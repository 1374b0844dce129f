// Intervals of keys that carry numbers, and the form in which a tree that is built once takes inserts and removals
// (IntervalLevels).
//
// A bank of trees (SegmentTrees, IntervalTrees, ElementaryTrees, ClusterTrees) has
//   uint32_t add_tree(vector<Interval>&, options)      builds a tree, may reorder its argument; returns its place
//   void stab(tree, key, ProfileBits&, Visit)          adds the numbers whose interval holds the key; calls
//                                                      visit(low, high) for each comparison with a node or an entry
//   EXACT                                              false: some numbers given may not hold the key
//   each_buffer, check(trees, universe)
// Numbers may repeat within a tree if their intervals are disjoint.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "buffer.hpp"
#include "keys.hpp"
#include "profile_set.hpp"

namespace boolsieve {

struct Interval {
    Key low, high;  // closed
    uint32_t number;
};

struct TreeOptions {
    uint32_t min_cluster = 1;  // of hybrid trees: up to this size, clusters are not split
};

inline bool by_low(const Interval& a, const Interval& b) noexcept {
    if (a.low != b.low) return a.low < b.low;
    return a.high != b.high ? a.high < b.high : a.number < b.number;
}

// Where the set of intervals that hold a key changes: each low end, and the key after each high end. Between two of
// them lies an elementary interval.
inline void boundaries(const std::vector<Interval>& intervals, std::vector<Key>& out) {
    out.clear();
    for (const Interval& i : intervals) {
        out.push_back(i.low);
        if (i.high != KEY_HIGHEST) out.push_back(i.high + 1);
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
}

// Levels of trees, each four times as large as the one before (Bentley and Saxe 1980): what is new goes into a tail
// that is compared one by one, and when that is full, into the first level that can hold it together with all before
// it, which is built anew. Removed entries are marked; a level with more dead than living ones is built anew.
//
//   buffer             type    length   meaning
//   tail_low, _high    uint64  tail     intervals that are in no tree yet
//   tail_id            uint32  tail
//   levelN.low, .high  uint64  entries  sorted by low, high, id
//   levelN.id          uint32  entries
//   levelN.dead        uint8   entries  1: removed; of equal entries, the last ones die first
//   levelN.tree.*      -       -        one tree over the entries, which it numbers by their places
//
// Invariants
//   1. The tail is shorter than TAIL; level N holds at most TAIL * 4^(N + 1) entries, and less than half are dead.
//   2. Entries are sorted; of equal ones, the living stand before the dead.
//   3. The tree's own. 4. Stabbed at an entry's ends, its tree gives the entry.
//
// Cost: add O(log^2 n) amortised, remove O(log n), stab that of the tree, a level.
template <class Bank>
class IntervalLevels {
  public:
    static constexpr size_t TAIL = 64;
    static constexpr size_t LEVELS = 13;  // 64 * 4^13 entries are 4 * 10^9

    TreeOptions options;

    size_t size() const noexcept {
        size_t n = tail_id.size();
        for (const Level& level : levels_) n += level.id.size() - level.dead_count;
        return n;
    }

    void add(const Key* lows, const Key* highs, const uint32_t* ids, size_t n) {
        if (tail_id.size() + n < TAIL) {
            tail_low.append(lows, n);
            tail_high.append(highs, n);
            tail_id.append(ids, n);
            return;
        }
        merge(lows, highs, ids, n, 0);
    }
    // Puts everything into one tree.
    void settle() {
        if (size()) merge(nullptr, nullptr, nullptr, 0, size());
    }

    // Whether the interval was there; one of several equal ones is taken away.
    bool remove(Key low, Key high, uint32_t id) {
        for (size_t i = 0; i < tail_id.size(); ++i) {
            if (tail_low[i] != low || tail_high[i] != high || tail_id[i] != id) continue;
            size_t last = tail_id.size() - 1;
            tail_low.set(i, tail_low[last]);
            tail_high.set(i, tail_high[last]);
            tail_id.set(i, tail_id[last]);
            tail_low.resize(last);
            tail_high.resize(last);
            tail_id.resize(last);
            return true;
        }
        for (Level& level : levels_) {
            size_t first = level.lower_bound({low, high, id}), step = 1;
            auto lives = [&](size_t i) {
                return i < level.id.size() && level.low[i] == low && level.high[i] == high && level.id[i] == id &&
                       !level.dead[i];
            };
            if (!lives(first)) continue;
            while (lives(first + step)) step *= 2;
            size_t last = first + step / 2, gone = first + step;  // the last of the equal ones that lives
            while (gone - last > 1) {
                size_t middle = last + (gone - last) / 2;
                (lives(middle) ? last : gone) = middle;
            }
            level.dead.set(last, 1);
            ++level.dead_count;
            if (level.dead_count * 2 >= level.id.size()) {
                std::vector<Interval> all;
                level.living(all);
                Level fresh = build(all);
                level = std::move(fresh);
            }
            return true;
        }
        return false;
    }

    // f(id) for each interval that holds the key (that may hold it, if the trees are not exact).
    template <class F, class Visit>
    void stab(Key key, ProfileBits& bits, F f, Visit visit) const {
        for (size_t i = 0; i < tail_id.size(); ++i) {
            visit(tail_low[i], tail_high[i]);
            if (key >= tail_low[i] && key <= tail_high[i]) f(tail_id[i]);
        }
        for (const Level& level : levels_) {
            if (!level.id.size()) continue;
            bits.open(level.id.size());
            level.tree.stab(0, key, bits, visit);
            const uint32_t* id = level.id.data();
            const uint8_t* dead = level.dead.data();
            if (level.dead_count)
                bits.each([&](uint32_t i) {
                    if (!dead[i]) f(id[i]);
                });
            else
                bits.each([&](uint32_t i) { f(id[i]); });
            bits.clear();
        }
    }

    template <class F>
    void each_buffer(F f) {
        f("tail_low", tail_low);
        f("tail_high", tail_high);
        f("tail_id", tail_id);
        for (size_t i = 0; i < LEVELS; ++i) {
            std::string prefix = "level" + std::to_string(i) + ".";
            levels_[i].each_buffer([&](const char* name, auto& buffer) { f((prefix + name).c_str(), buffer); });
        }
    }
    // What is not in the buffers, after they were filled from outside.
    void recount() {
        for (Level& level : levels_) {
            level.dead_count = 0;
            for (size_t i = 0; i < level.dead.size(); ++i) level.dead_count += level.dead[i];
        }
    }

    // The number of the first invariant that does not hold, or an empty text. For tests.
    std::string check() const {
        if (tail_id.size() >= TAIL) return "1: the tail is too long";
        ProfileBits bits;
        for (size_t k = 0; k < LEVELS; ++k) {
            const Level& level = levels_[k];
            size_t n = level.id.size();
            if (n > capacity(k) || (n && level.dead_count * 2 >= n)) return "1: size of a level";
            for (size_t i = 1; i < n; ++i) {
                Interval a = level.at(i - 1), b = level.at(i);
                if (by_low(b, a)) return "2: entries are not sorted";
                if (!by_low(a, b) && level.dead[i - 1] > level.dead[i]) return "2: a living one behind a dead one";
            }
            if (const char* problem = level.tree.check(n ? 1 : 0, n)) return std::string("3: ") + problem;
            bits.open(n);
            for (size_t i = 0; i < n; i += n / 256 + 1)
                for (Key key : {level.low[i], level.high[i]}) {
                    level.tree.stab(0, key, bits, [](Key, Key) {});
                    bool found = bits.has(uint32_t(i));
                    bits.clear();
                    if (!found) return "4: an entry is not found";
                }
        }
        return "";
    }

  private:
    struct Level {
        Buffer<Key> low, high;
        Buffer<uint32_t> id;
        Buffer<uint8_t> dead;
        Bank tree;
        size_t dead_count = 0;

        Interval at(size_t i) const { return {low[i], high[i], id[i]}; }
        size_t lower_bound(const Interval& x) const {
            size_t begin = 0, end = id.size();
            while (begin < end) {
                size_t middle = begin + (end - begin) / 2;
                if (by_low(at(middle), x))
                    begin = middle + 1;
                else
                    end = middle;
            }
            return begin;
        }
        void living(std::vector<Interval>& out) const {
            for (size_t i = 0; i < id.size(); ++i)
                if (!dead[i]) out.push_back(at(i));
        }
        template <class F>
        void each_buffer(F f) {
            f("low", low);
            f("high", high);
            f("id", id);
            f("dead", dead);
            tree.each_buffer([&](const char* name, auto& buffer) { f((std::string("tree.") + name).c_str(), buffer); });
        }
    };

    static size_t capacity(size_t k) noexcept { return TAIL << (2 * (k + 1)); }

    // New intervals, the tail and the first levels go into one level, which then holds at least `least`.
    void merge(const Key* lows, const Key* highs, const uint32_t* ids, size_t n, size_t least) {
        size_t total = tail_id.size() + n, k = 0;
        for (;; ++k) {
            total += levels_[k].id.size() - levels_[k].dead_count;
            if ((total <= capacity(k) && total >= least) || k + 1 == LEVELS) break;
        }
        std::vector<Interval> all;
        all.reserve(total);
        for (size_t i = 0; i < n; ++i) all.push_back({lows[i], highs[i], ids[i]});
        for (size_t i = 0; i < tail_id.size(); ++i) all.push_back({tail_low[i], tail_high[i], tail_id[i]});
        for (size_t i = 0; i <= k; ++i) levels_[i].living(all);
        Level fresh = build(all);
        levels_[k] = std::move(fresh);
        for (size_t i = 0; i < k; ++i) levels_[i] = Level();
        tail_low.clear();
        tail_high.clear();
        tail_id.clear();
    }

    Level build(std::vector<Interval>& all) const {
        Level fresh;
        if (all.empty()) return fresh;
        std::sort(all.begin(), all.end(), by_low);
        for (Buffer<Key>* buffer : {&fresh.low, &fresh.high}) buffer->reserve_more(all.size());
        fresh.id.reserve_more(all.size());
        for (Interval& i : all) {
            fresh.low.push_back(i.low);
            fresh.high.push_back(i.high);
            fresh.id.push_back(i.number);
            i.number = uint32_t(fresh.id.size() - 1);
        }
        fresh.dead.resize(all.size(), 0);
        fresh.tree.add_tree(all, options);
        return fresh;
    }

    Buffer<Key> tail_low, tail_high;
    Buffer<uint32_t> tail_id;
    Level levels_[LEVELS];
};

}  // namespace boolsieve
