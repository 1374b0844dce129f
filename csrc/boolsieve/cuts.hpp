// Sets of values as disjoint intervals between cuts. A cut lies just before or just after a value, or beyond all
// values, so open, closed and missing bounds, points and gaps are all the same thing: what lies between two cuts.
#pragma once

#include <algorithm>
#include <vector>

#include "boolsieve/order.hpp"

namespace boolsieve {

enum Side : int8_t { SIDE_BELOW_ALL = -2, SIDE_BEFORE = -1, SIDE_AFTER = 1, SIDE_ABOVE_ALL = 2 };

struct Cut {
    Literal value;  // none beyond all values
    Side side;

    bool beyond() const noexcept { return side == SIDE_BELOW_ALL || side == SIDE_ABOVE_ALL; }
};

inline int compare_cuts(const Order& order, const Cut& a, const Cut& b) noexcept {
    if (!a.beyond() && !b.beyond())
        if (const int c = order.literal(a.value, b.value)) return c;
    return compare_plain(a.side, b.side);
}

struct Interval {
    Cut low, high;

    bool is_point(const Order& order) const noexcept {
        return low.side == SIDE_BEFORE && high.side == SIDE_AFTER && order.literal(low.value, high.value) == 0;
    }
};

// Sorts intervals and joins those that overlap or touch.
inline void unite(const Order& order, std::vector<Interval>& intervals) noexcept {
    if (intervals.empty()) return;
    const auto less = [&order](const Interval& a, const Interval& b) { return compare_cuts(order, a.low, b.low) < 0; };
    if (!std::is_sorted(intervals.begin(), intervals.end(), less)) std::sort(intervals.begin(), intervals.end(), less);
    size_t last = 0;
    for (size_t i = 1; i < intervals.size(); ++i) {
        if (compare_cuts(order, intervals[i].low, intervals[last].high) > 0) {
            intervals[++last] = intervals[i];
        } else if (compare_cuts(order, intervals[i].high, intervals[last].high) > 0) {
            intervals[last].high = intervals[i].high;
        }
    }
    intervals.resize(last + 1, intervals[0]);
}

// Of united intervals: what lies between and beyond them.
inline void complement(const std::vector<Interval>& intervals, std::vector<Interval>& gaps) {
    gaps.clear();
    Cut from{Literal{}, SIDE_BELOW_ALL};
    for (const Interval& interval : intervals) {
        if (interval.low.side != SIDE_BELOW_ALL) gaps.push_back({from, interval.low});
        from = interval.high;
    }
    if (from.side != SIDE_ABOVE_ALL) gaps.push_back({from, Cut{Literal{}, SIDE_ABOVE_ALL}});
}

}  // namespace boolsieve
