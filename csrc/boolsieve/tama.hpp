// TAMA: the index of engines/tama.pyx, which tells the idea, the buffers and the invariants.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "buffer.hpp"
#include "candidates.hpp"
#include "clauses.hpp"
#include "int_map.hpp"
#include "lists.hpp"
#include "scratch.hpp"
#include "slots.hpp"

namespace boolsieve {

// Counters that need no clearing: those of this event are above `base`, all others are at most that.
struct TamaScratch : EngineScratch {
    std::vector<uint32_t> count;  // by clause
    uint32_t base = 0, step = 0;

    void open(size_t clauses, uint32_t most) {  // no counter gets to `most`
        if (most > step) step = most;
        if (base > UINT32_MAX - 2 * step) {
            std::fill(count.begin(), count.end(), 0);
            base = 0;
        }
        base += step;
        if (count.size() < clauses) count.resize(clauses, 0);
    }
};

class TamaIndex {
  public:
    static constexpr uint32_t NONE = 0xFFFFFFFFu;
    static constexpr size_t FEW = 32;
    // A cell at the bottom for so many predicates.
    static constexpr size_t PREDICATES_A_CELL = 8;
    // A clause is a candidate at this count at the latest, and then checked.
    static constexpr uint8_t MOST_NEEDED = 127;
    static constexpr uint8_t UNDECIDED = 128;

    uint32_t levels = 8;
    bool approximate = false;

    void insert(const Clauses& c, uint32_t first, uint32_t count) {
        if (!counts.size() || size_t(counts[1]) + count > 2 * size_t(counts[0]) + FEW) {
            TamaIndex fresh;
            fresh.levels = levels;
            fresh.approximate = approximate;
            fresh.build(c, first + count);
            *this = std::move(fresh);
            return;
        }
        size_t before = needed.size();
        uint32_t x = first;
        try {
            needed.resize(first + count, 0);
            for (; x < first + count; ++x) add(c, x);
        } catch (...) {
            for (++x; x-- > first;) take_back(c, x);
            needed.resize(before);
            throw;
        }
        counts.set(1, counts[1] + count);
        counts.set(2, std::max(counts[2], largest(c, first, first + count)));
    }
    // A clause that needs nothing is never counted up to it; its entries stay until all is built anew.
    void remove(uint32_t first, uint32_t count) {
        for (uint32_t x = first; x < first + count; ++x) needed.set(x, 0);
    }

    void match(const Clauses& c, Scratch& s) const {
        ++s.counters.events;
        CandidateCheck check(c, s);
        TamaScratch& own = s.own<TamaScratch>();
        if (!counts.size()) return;
        own.open(needed.size(), counts.data()[2] + 1);
        uint32_t* count = own.count.data();
        const uint8_t* need = needed.data();
        uint64_t counted = 0;
        for (uint32_t attribute : s.event.attributes) {
            uint32_t tree = tree_of.find(attribute);
            if (tree == IntMap::NONE) continue;
            uint32_t first = tree_first.data()[tree] - 1;
            for (uint32_t cell = leaf_of(tree, s.event.table[attribute]); cell; cell >>= 1) {
                const uint32_t* clause = lists.items(first + cell);
                uint32_t n = lists.size(first + cell);
                counted += n;
                for (uint32_t i = 0; i < n; ++i) {
                    uint32_t x = clause[i], now = std::max(count[x], own.base) + 1;
                    count[x] = now;
                    if (now - own.base != (need[x] & MOST_NEEDED)) continue;
                    if (approximate && !(need[x] & UNDECIDED))
                        check.report(x);
                    else
                        check.add(x);
                }
            }
        }
        s.counters.predicates += counted;
    }

    template <class F>
    void each_buffer(F f) {
        auto within = [&](const char* prefix, auto& holder) {
            holder.each_buffer(
                [&](const char* name, auto& buffer) { f((std::string(prefix) + name).c_str(), buffer); });
        };
        within("tree_of.", tree_of);
        f("tree_levels", tree_levels);
        f("tree_first", tree_first);
        f("bound_begin", bound_begin);
        f("bound", bound);
        within("lists.", lists);
        f("needed", needed);
        f("counts", counts);
    }

    // The number of the first invariant that does not hold, or an empty text. For tests.
    std::string check(const Clauses& c) const {
        const char* problem = tree_of.check();
        if (!problem) problem = lists.check();
        if (problem) return std::string("1: within: ") + problem;
        uint32_t trees = uint32_t(tree_levels.size()), at = 0;
        if (tree_first.size() != trees || tree_of.size() != trees || bound_begin.size() != (trees ? trees + 1 : 0) ||
            (trees && (bound_begin[0] || bound_begin[trees] != bound.size())))
            return "1: lengths";
        std::vector<uint8_t> seen(trees, 0);
        bool once = true;
        tree_of.each([&](uint64_t, uint32_t tree) { once &= tree < trees && !seen[tree]++; });
        if (!once) return "1: the trees of attributes";
        for (uint32_t t = 0; t < trees; ++t) {
            if (tree_levels[t] > levels || tree_first[t] != at) return "2: cells of a tree";
            at += cells_of(tree_levels[t]);
            uint32_t begin = bound_begin[t], end = bound_begin[t + 1];
            if (begin >= end || end - begin > 1u << tree_levels[t] || bound[begin]) return "2: bounds of a tree";
            for (uint32_t i = begin + 1; i < end; ++i)
                if (bound[i - 1] >= bound[i]) return "2: bounds do not rise";
        }
        if (at != lists.count()) return "2: number of cells";
        if (needed.size() > c.count) return "3: clauses that are not there";
        if (needed.size() && counts[2] < largest(c, 0, c.count)) return "5: the largest clause";
        std::vector<uint32_t> entries(c.count, 0);
        for (uint32_t list = 0; list < lists.count(); ++list)
            for (uint32_t i = 0; i < lists.size(list); ++i) {
                if (lists.items(list)[i] >= needed.size()) return "4: an entry without a clause";
                ++entries[lists.items(list)[i]];
            }
        for (uint32_t x = 0; x < c.count; ++x) {
            if (c.owner[x] == DEAD) {
                if (x < needed.size() && needed[x]) return "3: a dead clause that needs something";
                continue;
            }
            if (x >= needed.size() || needed[x] != need_of(c, x)) return "3: what a clause needs";
            bool missing = false;
            auto look = [&](uint32_t list) {
                const uint32_t* items = lists.items(list);
                missing |= !std::binary_search(items, items + lists.size(list), x);
                --entries[x];
            };
            if (has_positive(c, x)) {
                each_list(c, x, look);
            } else if (entries[x] == 1) {  // which attribute was the best choice then, may not be so now
                missing = true;
                for (uint32_t p = c.begin[x]; p < c.begin[x + 1]; ++p) {
                    if (!needs_attribute(c.head[p] & KIND_MASK)) continue;
                    uint32_t list = tree_first[tree_of.find(c.head[p] >> KIND_BITS)];
                    missing &= !std::binary_search(lists.items(list), lists.items(list) + lists.size(list), x);
                }
                --entries[x];
            }
            if (missing || entries[x]) return "4: the cells of a clause";
        }
        return "";
    }

  private:
    static uint32_t cells_of(uint32_t tree_height) noexcept { return (2u << tree_height) - 1; }
    // Cells are numbered as in a heap: the whole is 1, the halves of i are 2i and 2i + 1.
    uint32_t leaf_of(uint32_t tree, Key key) const noexcept {
        const uint32_t* begin = bound_begin.data() + tree;
        return (1u << tree_levels.data()[tree]) + slot_of(bound.data() + begin[0], begin[1] - begin[0], key);
    }
    static bool positive(const Clauses& c, uint32_t p) noexcept {
        uint32_t kind = c.head[p] & KIND_MASK;
        return kind == PREDICATE_RANGE || kind == PREDICATE_IN;
    }
    static bool has_positive(const Clauses& c, uint32_t clause) noexcept {
        for (uint32_t p = c.begin[clause]; p < c.begin[clause + 1]; ++p)
            if (positive(c, p)) return true;
        return false;
    }
    // How many of the event's values must fall into its cells, + UNDECIDED if something is left to check.
    static uint8_t need_of(const Clauses& c, uint32_t clause) noexcept {
        uint32_t n = 0, all = c.begin[clause + 1] - c.begin[clause];
        for (uint32_t p = c.begin[clause]; p < c.begin[clause + 1]; ++p) n += positive(c, p);
        if (n == all && n <= MOST_NEEDED) return uint8_t(n);
        return uint8_t(UNDECIDED | std::min<uint32_t>(std::max(n, 1u), MOST_NEEDED));
    }
    // The most predicates that a clause has.
    static uint32_t largest(const Clauses& c, uint32_t first, uint32_t end) noexcept {
        uint32_t most = 0;
        for (uint32_t x = first; x < end; ++x) most = std::max(most, c.begin[x + 1] - c.begin[x]);
        return most;
    }
    // f(list) for each cell that a clause with a positive predicate stands in.
    template <class F>
    void each_list(const Clauses& c, uint32_t clause, F f) const {
        for (uint32_t p = c.begin[clause]; p < c.begin[clause + 1]; ++p) {
            if (!positive(c, p)) continue;
            uint32_t tree = tree_of.find(c.head[p] >> KIND_BITS), first = tree_first[tree] - 1;
            if ((c.head[p] & KIND_MASK) == PREDICATE_IN) {
                uint32_t last = 0;
                for (uint64_t i = 0; i < c.high[p]; ++i) {
                    uint32_t leaf = leaf_of(tree, c.sets[c.low[p] + i]);
                    if (leaf != last) f(first + leaf);
                    last = leaf;
                }
                continue;
            }
            // The largest cells that tile the range. Cells behind the last bound have no keys and may be covered too.
            uint32_t size = 1u << tree_levels[tree];
            uint32_t low = leaf_of(tree, c.low[p]), end = leaf_of(tree, c.high[p]) + 1;
            if (end - size == bound_begin[tree + 1] - bound_begin[tree]) end = 2 * size;
            for (; low < end; low /= 2, end /= 2) {
                if (low & 1) f(first + low++);
                if (end & 1) f(first + --end);
            }
        }
    }

    // --- Updates ---

    void add(const Clauses& c, uint32_t clause) {
        for (uint32_t p = c.begin[clause]; p < c.begin[clause + 1]; ++p)
            if (needs_attribute(c.head[p] & KIND_MASK) && tree_of.find(c.head[p] >> KIND_BITS) == IntMap::NONE)
                add_tree(c.head[p] >> KIND_BITS, 0, {0});
        if (has_positive(c, clause))
            each_list(c, clause, [&](uint32_t list) { lists.push(list, &clause); });
        else
            lists.push(shortest_whole(c, clause), &clause);
        needed.set(clause, need_of(c, clause));
    }
    // The cell for the whole attribute, of that attribute that the clause needs where it is shortest.
    uint32_t shortest_whole(const Clauses& c, uint32_t clause) const noexcept {
        uint32_t best = NONE;
        for (uint32_t p = c.begin[clause]; p < c.begin[clause + 1]; ++p) {
            if (!needs_attribute(c.head[p] & KIND_MASK)) continue;
            uint32_t list = tree_first[tree_of.find(c.head[p] >> KIND_BITS)];
            if (best == NONE || lists.size(list) < lists.size(best)) best = list;
        }
        return best;
    }
    // Of a clause whose number is higher than all others: so it is the last one in its lists.
    void take_back(const Clauses& c, uint32_t clause) {
        auto drop = [&](uint32_t list) {
            uint32_t n = lists.size(list);
            if (n && lists.items(list)[n - 1] == clause) lists.shorten(list, n - 1);
        };
        for (uint32_t p = c.begin[clause]; p < c.begin[clause + 1]; ++p) {
            uint32_t tree = tree_of.find(c.head[p] >> KIND_BITS);
            if (tree == IntMap::NONE) continue;
            for (uint32_t list = tree_first[tree], end = list + cells_of(tree_levels[tree]); list < end; ++list)
                drop(list);
        }
    }
    void add_tree(uint32_t attribute, uint32_t height, const std::vector<Key>& bounds) {
        uint32_t tree = uint32_t(tree_levels.size());
        tree_levels.reserve_more(1);
        tree_first.reserve_more(1);
        bound.reserve_more(bounds.size());
        bound_begin.reserve_more(2);
        uint32_t first = lists.count();
        lists.add_full(std::vector<uint32_t>(cells_of(height), 0));
        tree_of.set(attribute, tree);
        if (!bound_begin.size()) bound_begin.push_back(0);
        tree_levels.push_back(height);
        tree_first.push_back(first);
        bound.append(bounds.data(), bounds.size());
        bound_begin.push_back(uint32_t(bound.size()));
    }

    // --- Building ---

    void build(const Clauses& c, uint32_t end) {
        IntMap place;  // of an attribute in what follows
        std::vector<uint32_t> attributes;
        std::vector<std::vector<Key>> operands;
        uint32_t living = 0;
        for (uint32_t x = 0; x < end; ++x) {
            if (c.owner[x] == DEAD) continue;
            ++living;
            for (uint32_t p = c.begin[x]; p < c.begin[x + 1]; ++p) {
                if (!needs_attribute(c.head[p] & KIND_MASK)) continue;
                uint32_t attribute = c.head[p] >> KIND_BITS, at = place.find(attribute);
                if (at == IntMap::NONE) {
                    at = uint32_t(attributes.size());
                    place.set(attribute, at);
                    attributes.push_back(attribute);
                    operands.emplace_back();
                }
                Key low, high;
                if (!hull_of(c, p, low, high)) continue;
                if (low > KEY_LOWEST) operands[at].push_back(low);
                if (high < KEY_HIGHEST && high > low) operands[at].push_back(high);
            }
        }
        for (uint32_t i = 0; i < attributes.size(); ++i) {
            uint32_t height = 0;
            while (height < levels && operands[i].size() >> (height + 1) >= PREDICATES_A_CELL) ++height;
            add_tree(attributes[i], height, slot_bounds(operands[i], size_t(1) << height));
            std::vector<Key>().swap(operands[i]);
        }
        needed.resize(end, 0);
        // Twice: first how long each list gets, so that all lie in one piece.
        std::vector<uint32_t> lengths(lists.count(), 0);
        for (uint32_t x = 0; x < end; ++x)
            if (c.owner[x] != DEAD && has_positive(c, x)) each_list(c, x, [&](uint32_t list) { ++lengths[list]; });
        Lists<1> sized;
        sized.add_full(lengths);
        for (uint32_t list = 0; list < sized.count(); ++list) sized.shorten(list, 0);
        std::swap(lists, sized);
        for (uint32_t x = 0; x < end; ++x)
            if (c.owner[x] != DEAD) add(c, x);
        for (uint32_t n : {living, living, largest(c, 0, end)}) counts.push_back(n);
    }

    IntMap tree_of;
    Buffer<uint32_t> tree_levels, tree_first, bound_begin, counts;
    Buffer<Key> bound;
    Lists<1> lists;
    Buffer<uint8_t> needed;
};

}  // namespace boolsieve
