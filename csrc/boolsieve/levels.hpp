// Levels makes a tree that is built in one go take updates: clauses stand in trees of rising size, and those of small
// trees are built into a larger one as they become many (Bentley, Saxe, "Decomposable Searching Problems", 1980).
//
// A new clause goes to `fresh`, which is scanned. Once that has 4 * leaf clauses, it is built, together with the trees
// up to level i, into a new tree of level i, the first that has room for all: 4 * leaf * 4^(i + 1) clauses, the last
// any number. A bulk load goes to the level of its size at once. So a clause is built anew some two times a level, and
// each tree has the statistics of its own clauses when it was built. Dead clauses are left out then.
//
//   buffer     type    length  meaning
//   fresh      uint32  -       clauses that are in no tree
//   <level>.*  -       -       the tree of a level; all its buffers are empty if there is none
//
// Invariants (check asserts them by number)
//   1. Each live clause is in `fresh` or in one tree, once.
//
// A Tree has Options with `leaf`, build(clauses, which, options), match(clauses, scratch), each_clause(f), size(),
// each_buffer(f) and check(clauses, options); see gryphon.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "buffer.hpp"
#include "clauses.hpp"
#include "scratch.hpp"

namespace boolsieve {

template <class Tree>
class Levels {
  public:
    static constexpr uint32_t LEVELS = 8;

    explicit Levels(typename Tree::Options options) : options_(options) {}

    void insert(const Clauses& c, uint32_t first, uint32_t count) {
        if (fresh.size() + count < fresh_room()) {
            fresh.reserve_more(count);
            for (uint32_t i = first; i < first + count; ++i) fresh.push_back(i);
            return;
        }
        std::vector<uint32_t> clauses;
        auto take = [&](uint32_t clause) {
            if (c.owner[clause] != DEAD) clauses.push_back(clause);
        };
        for (size_t i = 0; i < fresh.size(); ++i) take(fresh[i]);
        for (uint32_t i = first; i < first + count; ++i) take(i);
        uint32_t level = 0;
        uint64_t room = fresh_room();
        for (;; ++level) {
            room *= 4;
            trees[level].each_clause(take);
            if (level + 1 == LEVELS || clauses.size() <= room) break;
        }
        std::sort(clauses.begin(), clauses.end());
        Tree built;
        built.build(c, clauses, options_);
        for (uint32_t i = 0; i <= level; ++i) trees[i] = Tree();
        trees[level] = std::move(built);
        fresh.clear();
    }

    void match(const Clauses& c, Scratch& s) const {
        for (size_t i = 0; i < fresh.size(); ++i) {
            uint32_t begin = c.begin[fresh.data()[i]], end = c.begin[fresh.data()[i] + 1];
            uint32_t failed = first_failure(c, begin, end, s.event);
            s.counters.predicates += failed - begin + (failed < end);
            if (failed == end) s.found.add(c.owner[fresh.data()[i]]);
        }
        s.counters.candidates += fresh.size();
        for (const Tree& tree : trees)
            if (tree.size()) tree.match(c, s);
        ++s.counters.events;
    }

    template <class F>
    void each_buffer(F f) {
        f("fresh", fresh);
        for (uint32_t level = 0; level < LEVELS; ++level)
            trees[level].each_buffer(
                [&](const char* name, BufferBase& b) { f((std::to_string(level) + "." + name).c_str(), b); });
    }

    // The invariant that does not hold, or an empty string. For tests.
    std::string check(const Clauses& c) const {
        std::vector<uint32_t> times(c.count);
        bool beyond = false;
        auto count = [&](uint32_t clause) {
            if (clause >= c.count)
                beyond = true;
            else
                ++times[clause];
        };
        for (size_t i = 0; i < fresh.size(); ++i) count(fresh[i]);
        for (const Tree& tree : trees) {
            std::string problem = tree.check(c, options_);
            if (!problem.empty()) return problem;
            tree.each_clause(count);
        }
        if (beyond) return "1: a clause that is not there";
        for (uint32_t clause = 0; clause < c.count; ++clause)
            if (c.owner[clause] != DEAD && times[clause] != 1) return "1: a clause not once";
        return "";
    }

  private:
    uint64_t fresh_room() const noexcept { return uint64_t(4) * options_.leaf; }

    typename Tree::Options options_;
    Buffer<uint32_t> fresh;
    std::array<Tree, LEVELS> trees;
};

}  // namespace boolsieve
