// Intervals under ids in one PS-Tree: each space lists the ids of the intervals that cover it.
//
//   buffer   type    length  meaning
//   trees.*  -       -       the tree (pstree.hpp)
//   list_of  uint32  spaces  the list of a space, or NONE
//   lists.*  -       -       ids (lists.hpp), in order of addition
//
// Invariants: 1. those of tree and lists. 2. A space's predicate counter is the length of its list.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "lists.hpp"
#include "pstree.hpp"

namespace boolsieve {

template <class Elements>
class PSIntervals {
  public:
    using Value = typename Elements::Value;
    static constexpr uint32_t NONE = 0xFFFFFFFFu;

    PSIntervals() {
        tree.add_tree();
        list_of.push_back(NONE);
    }

    // The ends belong to the interval; a missing one is open to that side.
    void add(const Value* low, const Value* high, uint32_t id) {
        tree.insert_predicate(0, low, high, [this](uint32_t space, uint32_t fresh) {
            list_of.resize(tree.space_limit(), NONE);
            if (list_of[space] == NONE) return;
            uint32_t list = lists.add();
            lists.copy(list_of[space], list);  // the records go to both parts
            list_of.set(fresh, list);
        });
        tree.each_covered(0, low, high, [&](uint32_t space) {
            if (list_of[space] == NONE) list_of.set(space, lists.add());
            lists.push(list_of[space], &id);
        });
    }
    // Takes out one that is there.
    void remove(const Value* low, const Value* high, uint32_t id) {
        tree.each_covered(0, low, high, [&](uint32_t space) {
            uint32_t list = list_of[space], n = lists.size(list);
            uint32_t* ids = lists.writable(list);
            uint32_t* at = std::find(ids, ids + n, id);
            std::copy(at + 1, ids + n, at);
            lists.shorten(list, n - 1);
            if (n == 1) drop(space);
        });
        tree.delete_predicate(0, low, high, [this](uint32_t, uint32_t gone) { drop(gone); });
    }
    void count_event(Value point) { tree.count_event(0, point); }
    uint32_t space(Value point) const noexcept { return tree.locate(0, point); }
    uint32_t count(uint32_t space) const noexcept {
        return list_of.data()[space] == NONE ? 0 : lists.size(list_of.data()[space]);
    }
    const uint32_t* ids(uint32_t space) const noexcept { return lists.items(list_of[space]); }
    uint64_t count_all(const Value* points, size_t n) const noexcept {
        uint64_t total = 0;
        for (size_t i = 0; i < n; ++i) total += count(space(points[i]));
        return total;
    }
    // The values where spaces end, in order; for each its own space, AS_LEFT or AS_RIGHT; and the space above it.
    void list_values(std::vector<uint64_t>& values, std::vector<uint32_t>& own, std::vector<uint32_t>& above) const {
        tree.each_value(0, [&](uint64_t value, uint32_t, uint32_t, uint32_t equal, uint32_t gap) {
            values.push_back(value);
            own.push_back(equal);
            above.push_back(gap);
        });
    }

    template <class F>
    void each_buffer(F f) {
        tree.each_buffer(f);
        f("list_of", list_of);
        lists.each_buffer([&f](const char* name, BufferBase& b) { f((std::string("lists.") + name).c_str(), b); });
    }
    std::string check() const {
        for (const char* problem : {tree.check(), lists.check()})
            if (problem) return std::string("1: ") + problem;
        for (uint32_t s = tree.first_space(0); s != NONE; s = tree.next_space(s))
            if (count(s) != tree.predicate_count(s)) return "2: predicate counter";
        return "";
    }

    PSTreesOf<Elements> tree;

  private:
    void drop(uint32_t space) {
        if (list_of[space] == NONE) return;
        lists.drop(list_of[space]);
        list_of.set(space, NONE);
    }

    Buffer<uint32_t> list_of;
    Lists<1> lists;
};

}  // namespace boolsieve
