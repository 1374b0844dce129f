// A trie whose edges are numbered predicates: a node stands for the conjunction of the predicates on its path. What is
// filed at the nodes is the engine's.
//
//   buffer     type    length      meaning
//   roots      uint32  predicates  the node of a predicate alone, or NONE
//   predicate  uint32  nodes       the last predicate of the path
//   parent     uint32  nodes       or NONE; of a free node the next free one
//   place      uint32  nodes       where it is among its parent's children; FREE of a free node
//   children   uint32  nodes       the list of its children, or NONE
//   live       uint32  nodes       how many live clauses are filed here and below
//   free       uint32  0 or 1      the first free node
//   below.*    -       -           (node, predicate) -> child, an IntMap
//   lists.*    -       -           predicate and node of each child (lists.hpp)
//
// Invariants
//   1. Roots and the map lead to exactly the nodes in use, each with its predicate and parent.
//   2. A child is in its parent's list at its place; nothing else is.
//   3. Free nodes are in the chain.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "buffer.hpp"
#include "int_map.hpp"
#include "lists.hpp"

namespace boolsieve {

class PredicateTrie {
  public:
    static constexpr uint32_t NONE = 0xFFFFFFFFu;

    uint32_t limit() const noexcept { return uint32_t(predicate.size()); }  // nodes are below it
    bool used(uint32_t node) const noexcept { return place.data()[node] != FREE; }
    uint32_t root(uint32_t number) const noexcept { return number < roots.size() ? roots.data()[number] : NONE; }
    uint32_t child(uint32_t node, uint32_t number) const noexcept {
        if (node == NONE) return root(number);
        return has_children(node) ? below.find(uint64_t(node) << 32 | number) : NONE;
    }
    uint32_t predicate_of(uint32_t node) const noexcept { return predicate.data()[node]; }
    uint32_t parent_of(uint32_t node) const noexcept { return parent.data()[node]; }
    uint32_t live_below(uint32_t node) const noexcept { return live.data()[node]; }
    bool has_children(uint32_t node) const noexcept { return children.data()[node] != NONE; }
    uint32_t child_count(uint32_t node) const noexcept { return has_children(node) ? lists.size(children[node]) : 0; }
    const uint32_t* children_of(uint32_t node) const noexcept { return lists.items(children.data()[node]); }
    uint32_t depth(uint32_t node) const noexcept {
        uint32_t n = 0;
        for (; node != NONE; node = parent.data()[node]) ++n;
        return n;
    }
    void prefetch(uint32_t node) const noexcept { __builtin_prefetch(children.data() + node); }
    void prefetch_root(uint32_t number) const noexcept {
        if (number < roots.size()) __builtin_prefetch(roots.data() + number);
    }

    // f(child) for each child whose predicate holds: all n that hold are listed, and have their bits set.
    template <class F>
    void each_satisfied(uint32_t node, const uint64_t* bits, const uint32_t* satisfied, size_t n, F f) const {
        if (!has_children(node)) return;
        uint32_t count = child_count(node);
        if (count <= PROBE * n) {
            const uint32_t* pair = children_of(node);
            for (const uint32_t* end = pair + 2 * size_t(count); pair < end; pair += 2)
                if (bits[pair[0] >> 6] >> (pair[0] & 63) & 1) f(pair[1]);
        } else {
            for (size_t i = 0; i < n; ++i) {
                uint32_t child = below.find(uint64_t(node) << 32 | satisfied[i]);
                if (child != NONE) f(child);
            }
        }
    }

    // A new child, or root if the node is NONE.
    uint32_t add(uint32_t node, uint32_t number) {
        if (node == NONE) roots.resize(std::max<size_t>(roots.size(), size_t(number) + 1), NONE);
        if (!free.size()) free.push_back(NONE);
        if (free[0] == NONE) {
            for (Buffer<uint32_t>* buffer : {&predicate, &parent, &place, &children, &live}) buffer->reserve_more(1);
            free.set(0, limit());
            predicate.push_back(NONE);
            parent.push_back(NONE);
            place.push_back(FREE);
            children.push_back(NONE);
            live.push_back(0);
        }
        uint32_t fresh = free[0];
        if (node != NONE) {
            if (children[node] == NONE) children.set(node, lists.add());
            uint32_t n = lists.size(children[node]);
            lists.reserve(children[node], n + 1);
            below.set(uint64_t(node) << 32 | number, fresh);
            uint32_t pair[2] = {number, fresh};
            lists.push(children[node], pair);
            place.set(fresh, n);
        } else {
            roots.set(number, fresh);
            place.set(fresh, 0);
        }
        free.set(0, parent[fresh]);
        predicate.set(fresh, number);
        parent.set(fresh, node);
        children.set(fresh, NONE);
        live.set(fresh, 0);
        return fresh;
    }
    // Takes out a node without children.
    void drop(uint32_t node) {
        uint32_t up = parent[node], number = predicate[node];
        if (children[node] != NONE) lists.drop(children[node]);
        if (up == NONE) {
            roots.set(number, NONE);
        } else {
            below.erase(uint64_t(up) << 32 | number);
            uint32_t list = children[up], last = lists.size(list) - 1;
            uint32_t* pairs = lists.writable(list);
            pairs[2 * place[node]] = pairs[2 * last];
            pairs[2 * place[node] + 1] = pairs[2 * last + 1];
            place.set(pairs[2 * place[node] + 1], place[node]);
            lists.shorten(list, last);
            if (!last) {
                lists.drop(list);
                children.set(up, NONE);
            }
        }
        children.set(node, NONE);
        place.set(node, FREE);
        parent.set(node, free[0]);
        free.set(0, node);
    }
    // Counts clauses that come to the node or leave it, on its path up to `until` (not counted).
    void count(uint32_t node, int32_t n, uint32_t until = NONE) {
        for (; node != until; node = parent[node]) live.set(node, live[node] + uint32_t(n));
    }

    template <class F>
    void each_buffer(F f) {
        f("roots", roots);
        f("predicate", predicate);
        f("parent", parent);
        f("place", place);
        f("children", children);
        f("live", live);
        f("free", free);
        below.each_buffer([&](const char* name, auto& buffer) { f((std::string("below.") + name).c_str(), buffer); });
        lists.each_buffer([&](const char* name, auto& buffer) { f((std::string("lists.") + name).c_str(), buffer); });
    }

    // The invariant that does not hold, or nullptr. For tests.
    const char* check() const {
        uint32_t n = limit();
        for (const Buffer<uint32_t>* buffer : {&parent, &place, &children, &live})
            if (buffer->size() != n) return "1: lengths";
        if (below.check() || lists.check()) return "1: the map or the lists";
        std::vector<uint8_t> reached(n, 0);
        for (uint32_t number = 0; number < roots.size(); ++number) {
            uint32_t node = roots[number];
            if (node == NONE) continue;
            if (node >= n || !used(node) || reached[node]++ || predicate[node] != number || parent[node] != NONE)
                return "1: a root";
        }
        bool right = true;
        below.each([&](uint64_t key, uint32_t node) {
            right = right && node < n && used(node) && !reached[node]++ && predicate[node] == uint32_t(key) &&
                    parent[node] == key >> 32 && parent[node] < n && used(parent[node]);
        });
        if (!right) return "1: a child";
        size_t listed = 0;
        for (uint32_t node = 0; node < n; ++node) {
            if (!used(node)) continue;
            if (!reached[node]) return "1: a node out of reach";
            if (children[node] != NONE && children[node] >= lists.count()) return "2: a list of children";
            listed += child_count(node);
            if (parent[node] == NONE) continue;
            if (place[node] >= child_count(parent[node])) return "2: the place of a child";
            const uint32_t* pair = children_of(parent[node]) + 2 * place[node];
            if (pair[0] != predicate[node] || pair[1] != node) return "2: the place of a child";
        }
        if (listed != below.size()) return "2: number of children";
        std::vector<uint8_t> seen(n, 0);
        uint32_t free_count = 0;
        for (uint32_t node = free.size() ? free[0] : NONE; node != NONE; node = parent[node]) {
            if (node >= n || used(node) || seen[node]++) return "3: the chain of free nodes";
            ++free_count;
        }
        for (uint32_t node = 0; node < n; ++node) free_count -= !used(node);
        return free_count ? "3: a free node out of the chain" : nullptr;
    }

  private:
    static constexpr uint32_t FREE = 0xFFFFFFFFu;
    // Children lie side by side and their bits in a small cache; a look-up misses it. Estimated, not measured.
    static constexpr size_t PROBE = 8;

    Buffer<uint32_t> roots, predicate, parent, place, children, live, free;
    IntMap below;
    Lists<2> lists;
};

}  // namespace boolsieve
