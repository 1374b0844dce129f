// Segment trees (Tatbul 2001, section 4.1.4; de Berg et al., Computational Geometry): elementary intervals at the
// leaves, paired bottom up; an interval is stored in the few highest nodes that tile it; a key's answer is the union of
// the sets on its path from the root to a leaf.
//
//   buffer       type    length     meaning
//   first_start  uint32  trees + 1  where a tree's leaves begin in `start`
//   first_node   uint32  trees + 1  where its nodes begin among the sets: the leaves, then their pairs, and so on
//   start        uint64  leaves     where an elementary interval begins; it ends before the next
//   sets.*       -       nodes      what is stored at a node, see profile_set.hpp
//
// The shape is implied: node t of a level covers the nodes 2t and 2t + 1 of the level below. Differs from the paper in
// that elementary intervals begin only where the set of intervals changes: keys are integers, so that a closed end
// and the open interval after it need no boundary between them unless one interval ends there.
//
// Invariants
//   1. first_start and first_node rise from 0 to the numbers of leaves and nodes; a tree of n leaves has n nodes, then
//      n / 2 rounded up, ..., 1.
//   2. start rises within a tree. 3. The sets' own; numbers are below the universe.
//
// Cost: an interval is in at most 2 log n nodes, log n on average if it is wide: memory n log n; stab log n + the
// answer.
#pragma once

#include "intervals.hpp"

namespace boolsieve {

class SegmentTrees {
  public:
    static constexpr bool EXACT = true;

    uint32_t add_tree(std::vector<Interval>& intervals, const TreeOptions&) {
        std::vector<Key> leaves;
        boundaries(intervals, leaves);
        size_t nodes = node_count(leaves.size());
        // The pairs of node and number, by node: counted, then filled in rising order of the numbers.
        std::sort(intervals.begin(), intervals.end(),
                  [](const Interval& a, const Interval& b) { return a.number < b.number; });
        std::vector<size_t> begin(nodes + 1, 0);
        each_node(intervals, leaves, [&](size_t node, uint32_t) { ++begin[node + 1]; });
        for (size_t i = 0; i < nodes; ++i) begin[i + 1] += begin[i];
        std::vector<uint32_t> numbers(begin[nodes]);
        each_node(intervals, leaves, [&](size_t node, uint32_t number) { numbers[begin[node]++] = number; });
        if (!first_start.size()) {
            first_start.push_back(0);
            first_node.push_back(0);
        }
        for (size_t i = 0, at = 0; i < nodes; at = begin[i++]) sets.add(numbers.data() + at, begin[i] - at);
        start.append(leaves.data(), leaves.size());
        first_start.push_back(uint32_t(start.size()));
        first_node.push_back(sets.size());
        return uint32_t(first_start.size() - 2);
    }

    template <class Visit>
    void stab(uint32_t tree, Key key, ProfileBits& out, Visit visit) const {
        const Key* first = start.data() + first_start.data()[tree];
        size_t n = first_start.data()[tree + 1] - first_start.data()[tree];
        uint32_t nodes = first_node.data()[tree + 1] - 1;  // where the level's nodes begin: the root stands last
        uint32_t level = 0;
        while (size_t(1) << level < n) ++level;
        visit(first[0], KEY_HIGHEST);
        if (key < first[0]) return;
        size_t t = 0;
        sets.add_to(out, nodes);
        while (level > 0) {
            --level;
            size_t width = (n + (size_t(1) << level) - 1) >> level;  // nodes of the level
            size_t right = 2 * t + 1;
            nodes -= uint32_t(width);
            if (right < width) {
                Key middle = first[right << level];
                size_t after = (right + 1) << level;
                visit(middle, after < n ? first[after] - 1 : KEY_HIGHEST);
                t = key < middle ? 2 * t : right;
            } else {
                t = 2 * t;
            }
            sets.add_to(out, nodes + uint32_t(t));
        }
    }

    template <class F>
    void each_buffer(F f) {
        f("first_start", first_start);
        f("first_node", first_node);
        f("start", start);
        sets.each_buffer([&](const char* name, auto& buffer) { f((std::string("sets.") + name).c_str(), buffer); });
    }

    const char* check(size_t trees, uint64_t universe) const {
        if (first_start.size() != (trees ? trees + 1 : 0) || first_node.size() != first_start.size())
            return "1: number of trees";
        if (trees ? first_start.back() != start.size() || first_node.back() != sets.size() : start.size() != 0)
            return "1: number of leaves or nodes";
        for (size_t t = 0; t < trees; ++t) {
            if (first_start[t] >= first_start[t + 1]) return "1: a tree without leaves";
            size_t n = first_start[t + 1] - first_start[t];
            if (first_start[t + 1] > start.size() || first_node[t] + node_count(n) != first_node[t + 1])
                return "1: shape of a tree";
            for (size_t i = first_start[t] + 1; i < first_start[t + 1]; ++i)
                if (start[i - 1] >= start[i]) return "2: leaves do not rise";
        }
        return sets.check(universe) ? "3: sets" : nullptr;
    }

  private:
    static size_t node_count(size_t n) noexcept {
        size_t total = n;
        for (; n > 1; total += n) n = (n + 1) / 2;
        return total;
    }

    // f(node, number) for the nodes that tile each interval.
    template <class F>
    static void each_node(const std::vector<Interval>& intervals, const std::vector<Key>& leaves, F f) {
        auto place = [&](Key key) {
            return size_t(std::lower_bound(leaves.begin(), leaves.end(), key) - leaves.begin());
        };
        for (const Interval& i : intervals) {
            size_t left = place(i.low), right = i.high == KEY_HIGHEST ? leaves.size() : place(i.high + 1);
            size_t level = 0;  // the first node of the level
            for (size_t n = leaves.size(); left < right; n = (n + 1) / 2) {
                if (left & 1) f(level + left++, i.number);
                if (right & 1 && left < right) f(level + --right, i.number);
                left /= 2;
                right /= 2;
                level += n;
            }
        }
    }

    Buffer<uint32_t> first_start, first_node;
    Buffer<Key> start;
    ProfileSets sets;
};

}  // namespace boolsieve
