// Cluster trees (Tatbul 2001, section 4.1.1) and, with an Interval Index on each of their clusters, hybrid trees
// (4.1.3).
//
// A node's key splits its intervals into those with something below the key and those with something from it on; one
// that has both goes to both. A leaf is a cluster: all that may hold a key of its region.
//
//   buffer       type    length    meaning
//   root         uint32  trees     a node, or a cluster: see below
//   key          uint64  nodes     what the left side lies below
//   left, right  uint32  nodes     a node, or CLUSTER + the place of a set (of an elementary tree, if hybrid)
//   clusters.*   -       clusters  sets, see profile_set.hpp (elementary trees, if hybrid)
//
// The key is found as in 4.1.1: from the boundaries in order the ceil(n / 2)th, then the same among those on the side
// with more intervals; the best score wins, which is the difference of the two sides' sizes plus the number that both
// have.
//
// Where it differs from the paper
//   - Keys are the low ends and the keys after the high ends, so that an interval need not be on both sides of its own
//     end.
//   - Copies are bounded: a tree of n intervals gives away COPIES * n copies, to the sides by their sizes, and a split
//     that takes more than the node has left is not made. Without it, n wide intervals give n clusters of n / 2.
//   - A split must spare each side a sixteenth of a large cluster; the paper asks for one interval, which makes trees
//     as deep as the number of intervals.
//
// Invariants
//   1. Children stand after their parent and each belongs to one; each cluster belongs to one node or root.
//   2. Left of a node all keys are smaller than its own, right of it greater.
//   3. Numbers in clusters are below the universe; a hybrid's elementary trees keep their own invariants.
//
// Cost: build n log n; memory at most COPIES + 1 numbers an interval; stab: a comparison a level, then the cluster.
#pragma once

#include "elementary_tree.hpp"
#include "intervals.hpp"

namespace boolsieve {

template <bool HYBRID>
class ClusterTrees {
  public:
    static constexpr bool EXACT = HYBRID;
    static constexpr size_t COPIES = 3;

    uint32_t add_tree(std::vector<Interval>& intervals, const TreeOptions& options) {
        std::sort(intervals.begin(), intervals.end(), by_low);
        std::vector<Ends> highs;
        for (const Interval& i : intervals) highs.push_back({i.high, i.low});
        std::sort(highs.begin(), highs.end(), [](const Ends& a, const Ends& b) { return a.high < b.high; });
        size_t copies = COPIES * intervals.size();
        root.push_back(grow(intervals, highs, 0, KEY_HIGHEST, copies, options));
        return uint32_t(root.size() - 1);
    }

    template <class Visit>
    void stab(uint32_t tree, Key sought, ProfileBits& out, Visit visit) const {
        uint32_t at = root.data()[tree];
        while (!(at & CLUSTER)) {
            Key split = key.data()[at];
            visit(split, split);
            at = sought < split ? left.data()[at] : right.data()[at];
        }
        if constexpr (HYBRID)
            parts.stab(at & ~CLUSTER, sought, out, visit);
        else
            sets.add_to(out, at & ~CLUSTER);
    }

    template <class F>
    void each_buffer(F f) {
        f("root", root);
        f("key", key);
        f("left", left);
        f("right", right);
        auto named = [&](const char* name, auto& buffer) { f((std::string("clusters.") + name).c_str(), buffer); };
        if constexpr (HYBRID)
            parts.each_buffer(named);
        else
            sets.each_buffer(named);
    }

    const char* check(size_t trees, uint64_t universe) const {
        size_t nodes = key.size();
        if (root.size() != trees || left.size() != nodes || right.size() != nodes) return "1: number of nodes";
        std::vector<uint8_t> node_seen(nodes, 0), cluster_seen(nodes + trees, 0);
        struct Region {
            uint32_t at;
            Key low, high;
        };
        std::vector<Region> open;
        for (size_t t = 0; t < trees; ++t) {
            open.push_back({root[t], 0, KEY_HIGHEST});
            while (!open.empty()) {
                Region r = open.back();
                open.pop_back();
                uint32_t place = r.at & ~CLUSTER;
                if (r.at & CLUSTER) {
                    if (place >= nodes + trees || cluster_seen[place]++) return "1: a cluster";
                    continue;
                }
                if (place >= nodes || node_seen[place]++) return "1: a child";
                Key split = key[place];
                if (split <= r.low || split > r.high) return "2: a key outside its region";
                open.push_back({left[place], r.low, split - 1});
                open.push_back({right[place], split, r.high});
            }
        }
        // As many clusters as nodes and trees, each seen at most once: so each exactly once.
        for (size_t n = 0; n < nodes; ++n)
            if (!node_seen[n]) return "1: a node that no tree has";
        if constexpr (HYBRID) return parts.check(nodes + trees, universe) ? "3: elementary trees" : nullptr;
        if (sets.size() != nodes + trees) return "1: number of clusters";
        return sets.check(universe) ? "3: sets" : nullptr;
    }

  private:
    static constexpr uint32_t CLUSTER = 1u << 31;
    static constexpr size_t SHED = 16;

    struct Ends {
        Key high, low;
    };

    // The intervals come by low end, their ends once more by high end. All meet the region [low, high].
    uint32_t grow(std::vector<Interval>& intervals, std::vector<Ends>& highs, Key low, Key high, size_t copies,
                  const TreeOptions& options) {
        size_t n = intervals.size();
        Split split;
        if (n > (HYBRID ? options.min_cluster : 1)) split = best_split(intervals, highs, low, high, copies);
        if (!split.key) return add_cluster(intervals, low, high, options);
        std::vector<Interval> right_intervals;
        std::vector<Ends> left_highs, right_highs;
        right_intervals.reserve(split.right);
        for (const Interval& i : intervals)
            if (i.high >= split.key) right_intervals.push_back(i);
        right_highs.assign(highs.end() - ptrdiff_t(split.right), highs.end());
        intervals.resize(split.left);  // by low end: those that begin below the key stand first
        left_highs.reserve(split.left);
        for (const Ends& e : highs)
            if (e.low < split.key) left_highs.push_back(e);
        std::vector<Ends>().swap(highs);
        if (key.size() >= CLUSTER) throw std::length_error("a cluster tree has at most 2**31 nodes");
        uint32_t node = uint32_t(key.size());
        key.push_back(split.key);
        left.push_back(0);
        right.push_back(0);
        size_t rest = copies - (split.left + split.right - n);
        size_t left_copies = size_t(double(rest) * double(split.left) / double(split.left + split.right));
        left.set(node, grow(intervals, left_highs, low, split.key - 1, left_copies, options));
        right.set(node, grow(right_intervals, right_highs, split.key, high, rest - left_copies, options));
        return node;
    }

    struct Split {
        Key key = 0;  // none
        size_t left = 0, right = 0, score = SIZE_MAX;
    };

    Split best_split(const std::vector<Interval>& intervals, const std::vector<Ends>& highs, Key low, Key high,
                     size_t copies) const {
        std::vector<Key> keys;
        keys.reserve(2 * intervals.size());
        size_t h = 0;
        auto put = [&](Key end) {
            if (end > low && end <= high && (keys.empty() || keys.back() != end)) keys.push_back(end);
        };
        auto put_highs_below = [&](Key end) {
            for (; h < highs.size() && highs[h].high < end; ++h) put(highs[h].high + 1);
        };
        for (const Interval& i : intervals) {
            put_highs_below(i.low);
            put(i.low);
        }
        put_highs_below(KEY_HIGHEST);
        size_t n = intervals.size(), most = n - std::max<size_t>(1, n / SHED);
        Split best;
        for (size_t first = 0, behind = keys.size(); first < behind;) {
            size_t middle = first + (behind - first - 1) / 2;
            Split s;
            s.key = keys[middle];
            s.left = size_t(std::partition_point(intervals.begin(), intervals.end(),
                                                 [&](const Interval& i) { return i.low < s.key; }) -
                            intervals.begin());
            s.right = size_t(highs.end() - std::partition_point(highs.begin(), highs.end(),
                                                                [&](const Ends& e) { return e.high < s.key; }));
            size_t both = s.left + s.right - n;
            s.score = (s.left > s.right ? s.left - s.right : s.right - s.left) + both;
            if (s.left <= most && s.right <= most && both <= copies && s.score < best.score) best = s;
            if (s.left >= s.right)
                behind = middle;
            else
                first = middle + 1;
        }
        return best;
    }

    uint32_t add_cluster(std::vector<Interval>& intervals, Key low, Key high, const TreeOptions& options) {
        if constexpr (HYBRID) {
            for (Interval& i : intervals) {
                i.low = std::max(i.low, low);
                i.high = std::min(i.high, high);
            }
            return parts.add_tree(intervals, options) | CLUSTER;
        } else {
            std::vector<uint32_t> numbers;
            for (const Interval& i : intervals) numbers.push_back(i.number);
            std::sort(numbers.begin(), numbers.end());
            numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
            return sets.add(numbers.data(), numbers.size()) | CLUSTER;
        }
    }

    Buffer<uint32_t> root, left, right;
    Buffer<Key> key;
    ProfileSets sets;       // of plain cluster trees
    ElementaryTrees parts;  // of hybrid trees
};

}  // namespace boolsieve
