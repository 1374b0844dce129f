// Interval trees (Tatbul 2001, section 4.1.4, figure 6): a node holds the intervals that contain its key, once by
// rising low end and once by falling high end; what lies wholly left or right of the key is in the subtrees.
//
//   buffer             type    length     meaning
//   root               uint32  trees      the node at the top
//   key                uint64  nodes      the middle end of all that is in the subtree (the ceil(n / 2)th of n)
//   left, right        uint32  nodes      subtrees, or NONE
//   begin              uint32  nodes + 1  where a node's intervals begin in the four below
//   low, low_number    64, 32  intervals  by rising low end, and whose they are
//   high, high_number  64, 32  intervals  by falling high end
//
// Invariants
//   1. Roots, subtrees and begins are in range; children stand after their parent; each node belongs to one parent.
//   2. Low ends rise and are at most the node's key, high ends fall and are at least it.
//   3. The same numbers stand in both lists of a node, and are below the universe.
//
// Cost: each interval is in one node: memory n; build n log n; stab log n + the answer, a comparison for each of it.
#pragma once

#include "intervals.hpp"

namespace boolsieve {

class IntervalTrees {
  public:
    static constexpr bool EXACT = true;
    static constexpr uint32_t NONE = 0xFFFFFFFF;

    uint32_t add_tree(std::vector<Interval>& intervals, const TreeOptions&) {
        std::vector<Interval> lows(intervals), highs(intervals);
        std::sort(lows.begin(), lows.end(), by_low);
        std::sort(highs.begin(), highs.end(), by_high);
        if (!begin.size()) begin.push_back(0);
        root.push_back(grow(lows, highs));
        return uint32_t(root.size() - 1);
    }

    template <class Visit>
    void stab(uint32_t tree, Key sought, ProfileBits& out, Visit visit) const {
        for (uint32_t node = root.data()[tree]; node != NONE;) {
            Key middle = key.data()[node];
            uint32_t i = begin.data()[node], end = begin.data()[node + 1];
            visit(middle, middle);
            if (sought < middle) {
                for (; i < end; ++i) {
                    visit(low.data()[i], middle);
                    if (low.data()[i] > sought) break;
                    out.add(low_number.data()[i]);
                }
                node = left.data()[node];
            } else {
                for (; i < end; ++i) {
                    visit(middle, high.data()[i]);
                    if (high.data()[i] < sought) break;
                    out.add(high_number.data()[i]);
                }
                node = sought == middle ? NONE : right.data()[node];
            }
        }
    }

    template <class F>
    void each_buffer(F f) {
        f("root", root);
        f("key", key);
        f("left", left);
        f("right", right);
        f("begin", begin);
        f("low", low);
        f("low_number", low_number);
        f("high", high);
        f("high_number", high_number);
    }

    const char* check(size_t trees, uint64_t universe) const {
        size_t nodes = key.size();
        if (root.size() != trees || left.size() != nodes || right.size() != nodes ||
            begin.size() != (nodes ? nodes + 1 : 0))
            return "1: number of trees or nodes";
        size_t entries = nodes ? begin.back() : 0;
        if (low.size() != entries || high.size() != entries || low_number.size() != entries ||
            high_number.size() != entries || (nodes && begin[0]))
            return "1: number of intervals";
        std::vector<uint8_t> seen(nodes, 0);
        for (size_t t = 0; t < trees; ++t)
            if (root[t] >= nodes || seen[root[t]]++) return "1: a root";
        std::vector<uint32_t> a, b;
        for (size_t n = 0; n < nodes; ++n) {
            for (uint32_t child : {left[n], right[n]})
                if (child != NONE && (child <= n || child >= nodes || seen[child]++)) return "1: a child";
            if (begin[n] > begin[n + 1] || begin[n + 1] > entries) return "1: begins do not rise";
            for (size_t i = begin[n]; i < begin[n + 1]; ++i) {
                if (low[i] > key[n] || (i > begin[n] && low[i] < low[i - 1])) return "2: low ends";
                if (high[i] < key[n] || (i > begin[n] && high[i] > high[i - 1])) return "2: high ends";
            }
            a.assign(low_number.data() + begin[n], low_number.data() + begin[n + 1]);
            b.assign(high_number.data() + begin[n], high_number.data() + begin[n + 1]);
            std::sort(a.begin(), a.end());
            std::sort(b.begin(), b.end());
            if (a != b || (a.size() && a.back() >= universe)) return "3: the numbers of a node";
        }
        for (size_t n = 0; n < nodes; ++n)
            if (!seen[n]) return "1: a node that no tree has";
        return nullptr;
    }

  private:
    static bool by_high(const Interval& a, const Interval& b) noexcept {
        return a.high != b.high ? a.high > b.high : a.number < b.number;
    }

    // At most half of the ends lie on each side of the middle one, so the depth is log2 of their number.
    uint32_t grow(std::vector<Interval>& lows, std::vector<Interval>& highs) {
        if (lows.empty()) return NONE;
        std::vector<Key> ends;
        ends.reserve(2 * lows.size());
        size_t h = highs.size();
        auto put = [&](Key end) {
            if (ends.empty() || ends.back() != end) ends.push_back(end);
        };
        for (const Interval& i : lows) {
            for (; h && highs[h - 1].high < i.low; --h) put(highs[h - 1].high);
            put(i.low);
        }
        for (; h; --h) put(highs[h - 1].high);
        Key middle = ends[(ends.size() - 1) / 2];
        std::vector<Interval> left_lows, right_lows, left_highs, right_highs;
        uint32_t node = uint32_t(key.size());
        for (const Interval& i : lows) {
            if (i.high < middle) {
                left_lows.push_back(i);
            } else if (i.low > middle) {
                right_lows.push_back(i);
            } else {
                low.push_back(i.low);
                low_number.push_back(i.number);
            }
        }
        for (const Interval& i : highs) {
            if (i.high < middle) {
                left_highs.push_back(i);
            } else if (i.low > middle) {
                right_highs.push_back(i);
            } else {
                high.push_back(i.high);
                high_number.push_back(i.number);
            }
        }
        if (low.size() > NONE - 1) throw std::length_error("an interval tree has at most 2**32 - 2 intervals");
        key.push_back(middle);
        left.push_back(NONE);
        right.push_back(NONE);
        begin.push_back(uint32_t(low.size()));
        std::vector<Interval>().swap(lows);
        std::vector<Interval>().swap(highs);
        left.set(node, grow(left_lows, left_highs));
        right.set(node, grow(right_lows, right_highs));
        return node;
    }

    Buffer<uint32_t> root, left, right, begin, low_number, high_number;
    Buffer<Key> key, low, high;
};

}  // namespace boolsieve
