// The Interval Index's trees (Tatbul 2001, section 4.1.2): a binary search among elementary intervals, each of which
// has its set of profiles.
//
//   buffer       type    length        meaning
//   tree_part    uint32  trees + 1     where a tree's elementary intervals begin
//   tree_change  uint32  trees + 1     where its changes begin
//   tree_set     uint32  trees + 1     where its full sets begin
//   start, end   uint64  parts         an elementary interval that at least one interval holds, by rising keys
//   part_change  uint32  parts         how many of the tree's changes come before it or at its start
//   change       uint32  changes       the number that comes in or goes out, by rising keys
//   set_change   uint32  full sets     after how many of the tree's changes the set is stored in full
//   sets.*       -       full sets     see profile_set.hpp
//
// The search tree is implied: the root of n parts is the ceil(n / 2)th, and so on. One set a part would be quadratic,
// as the paper says; neighbouring parts differ by what begins or ends between them, so a set is stored in full only
// after as many changes as pay for it, and a part's set is the nearest full one with the changes between them undone or
// done: as many at most as a quarter of that set's bytes. Elementary intervals begin only where the set changes, as in
// the segment tree.
//
// Invariants
//   1. The first three rise from 0 to the numbers of parts, changes and full sets.
//   2. Parts are disjoint and rise; part_change rises strictly and is at most the tree's number of changes.
//   3. set_change rises strictly within a tree and is some part's part_change.
//   4. Changes and sets name numbers below the universe.
//
// Cost: build n log n; memory: two changes and two parts an interval at most, and as much again in full sets as in
// changes; stab: log n comparisons or fewer, then a quarter more than reading the answer.
#pragma once

#include "intervals.hpp"

namespace boolsieve {

class ElementaryTrees {
  public:
    static constexpr bool EXACT = true;

    uint32_t add_tree(std::vector<Interval>& intervals, const TreeOptions&) {
        // Ranks instead of numbers, so that the work does not depend on how large the numbers are.
        std::sort(intervals.begin(), intervals.end(),
                  [](const Interval& a, const Interval& b) { return a.number < b.number; });
        std::vector<uint32_t> ranked;
        std::vector<Change> changes;
        changes.reserve(2 * intervals.size());
        for (const Interval& i : intervals) {
            if (ranked.empty() || ranked.back() != i.number) ranked.push_back(i.number);
            uint32_t rank = uint32_t(ranked.size() - 1);
            changes.push_back({i.low, rank});
            if (i.high != KEY_HIGHEST) changes.push_back({i.high + 1, rank});
        }
        std::sort(changes.begin(), changes.end(),
                  [](const Change& a, const Change& b) { return a.key != b.key ? a.key < b.key : a.rank < b.rank; });
        if (!tree_part.size())
            for (Buffer<uint32_t>* buffer : {&tree_part, &tree_change, &tree_set}) buffer->push_back(0);
        ProfileBits bits;
        bits.open(ranked.size());
        std::vector<uint32_t> numbers;
        // The set is read from one end to the other for storing it, which must be paid for too.
        const size_t min_pause = ranked.size() / CHUNK + MIN_PAUSE;
        size_t pause = min_pause, last = 0;
        int64_t living = 0;
        for (size_t i = 0; i < changes.size();) {
            Key key = changes[i].key;
            for (; i < changes.size() && changes[i].key == key; ++i) {
                bits.flip(changes[i].rank);
                living += bits.has(changes[i].rank) ? 1 : -1;
                change.push_back(ranked[changes[i].rank]);
            }
            if (!living) continue;
            start.push_back(key);
            end.push_back(i < changes.size() ? changes[i].key - 1 : KEY_HIGHEST);
            part_change.push_back(uint32_t(i));
            if (i - last < pause) continue;
            numbers.clear();
            bits.each([&](uint32_t rank) { numbers.push_back(ranked[rank]); });
            uint32_t set = sets.add(numbers.data(), numbers.size());
            set_change.push_back(uint32_t(i));
            last = i;
            pause = std::max(min_pause, sets.bytes_of(set) / sizeof(uint32_t));
        }
        if (change.size() > UINT32_MAX) throw std::length_error("an engine's trees have at most 2**32 - 1 changes");
        tree_part.push_back(uint32_t(start.size()));
        tree_change.push_back(uint32_t(change.size()));
        tree_set.push_back(uint32_t(set_change.size()));
        return uint32_t(tree_part.size() - 2);
    }

    template <class Visit>
    void stab(uint32_t tree, Key key, ProfileBits& out, Visit visit) const {
        const Key *starts = start.data(), *ends = end.data();
        uint32_t first = tree_part.data()[tree], behind = tree_part.data()[tree + 1];
        while (first < behind) {
            uint32_t middle = first + (behind - first - 1) / 2;
            visit(starts[middle], ends[middle]);
            if (key < starts[middle]) {
                behind = middle;
            } else if (key > ends[middle]) {
                first = middle + 1;
            } else {
                collect(tree, part_change.data()[middle], out);
                return;
            }
        }
    }

    template <class F>
    void each_buffer(F f) {
        f("tree_part", tree_part);
        f("tree_change", tree_change);
        f("tree_set", tree_set);
        f("start", start);
        f("end", end);
        f("part_change", part_change);
        f("change", change);
        f("set_change", set_change);
        sets.each_buffer([&](const char* name, auto& buffer) { f((std::string("sets.") + name).c_str(), buffer); });
    }

    const char* check(size_t trees, uint64_t universe) const {
        const Buffer<uint32_t>* firsts[] = {&tree_part, &tree_change, &tree_set};
        size_t totals[] = {start.size(), change.size(), set_change.size()};
        for (int i = 0; i < 3; ++i) {
            const Buffer<uint32_t>& b = *firsts[i];
            if (b.size() != (trees ? trees + 1 : 0)) return "1: number of trees";
            if (trees ? b[0] || b.back() != totals[i] : totals[i] != 0) return "1: number of parts, changes or sets";
            for (size_t t = 0; t < trees; ++t)
                if (b[t] > b[t + 1]) return "1: trees do not rise";
        }
        if (end.size() != start.size() || part_change.size() != start.size()) return "1: number of parts";
        if (sets.size() != set_change.size()) return "1: number of sets";
        for (size_t t = 0; t < trees; ++t) {
            uint32_t changes = tree_change[t + 1] - tree_change[t];
            for (size_t i = tree_part[t]; i < tree_part[t + 1]; ++i) {
                if (start[i] > end[i] || (i > tree_part[t] && start[i] <= end[i - 1])) return "2: parts overlap";
                if (part_change[i] > changes || (i > tree_part[t] && part_change[i] <= part_change[i - 1]))
                    return "2: changes of a part";
            }
            const uint32_t *first = part_change.data() + tree_part[t], *last = part_change.data() + tree_part[t + 1];
            for (size_t i = tree_set[t]; i < tree_set[t + 1]; ++i)
                if ((i > tree_set[t] && set_change[i] <= set_change[i - 1]) ||
                    !std::binary_search(first, last, set_change[i]))
                    return "3: where a set is stored";
        }
        for (size_t i = 0; i < change.size(); ++i)
            if (change[i] >= universe) return "4: a change beyond the universe";
        return sets.check(universe) ? "4: sets" : nullptr;
    }

  private:
    struct Change {
        Key key;
        uint32_t rank;
    };
    static constexpr size_t MIN_PAUSE = 8;  // a set's place takes as many bytes as two changes

    void collect(uint32_t tree, uint32_t changes, ProfileBits& out) const {
        const uint32_t *sets_begin = set_change.data() + tree_set.data()[tree],
                       *sets_end = set_change.data() + tree_set.data()[tree + 1];
        const uint32_t* after = std::lower_bound(sets_begin, sets_end, changes);
        uint32_t from = 0;  // the empty set, before all changes
        const uint32_t* nearest = nullptr;
        if (after > sets_begin) {
            nearest = after - 1;
            from = *nearest;
        }
        if (after < sets_end && *after - changes < changes - from) {
            nearest = after;
            from = *nearest;
        }
        if (nearest) sets.add_to(out, uint32_t(nearest - set_change.data()));
        const uint32_t* c = change.data() + tree_change.data()[tree];
        for (uint32_t i = std::min(from, changes), last = std::max(from, changes); i < last; ++i) out.flip(c[i]);
    }

    Buffer<uint32_t> tree_part, tree_change, tree_set, part_change, change, set_change;
    Buffer<Key> start, end;
    ProfileSets sets;
};

}  // namespace boolsieve
