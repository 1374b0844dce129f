// Red-black trees in arrays: the nodes of one tree lie in one piece, in any order, linked by their places in it. So a
// tree can be read from end to end without its links, and moved as it is.
//
//   word  of a node
//   0, 1  the key, low half first
//   2     the item
//   3     left child; RED if the node is red
//   4     right child
//
// Invariants
//   1. In order, keys rise, and items among equal keys; each of the n nodes is reached once.
//   2. The root is black, and a red node has black children.
//   3. Each way down passes the same number of black nodes.
//
// (Guibas and Sedgewick 1978; Cormen et al., "Introduction to Algorithms", chapter 13.) Nodes have no link upwards: an
// update remembers its way down.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "keys.hpp"

namespace boolsieve {

class RedBlack {
  public:
    static constexpr uint32_t WORDS = 5;
    static constexpr uint32_t NIL = 0x7FFFFFFFu, RED = 0x80000000u;

    // A tree whose nodes are at `nodes`, and whose root is in `root` (NIL: empty).
    RedBlack(uint32_t* nodes, uint32_t* root) noexcept : w_(nodes), root_(root) {}

    static Key key_of(const uint32_t* nodes, uint32_t i) noexcept {
        const uint32_t* node = nodes + size_t(i) * WORDS;
        return Key(node[1]) << 32 | node[0];
    }
    static uint32_t item_of(const uint32_t* nodes, uint32_t i) noexcept { return nodes[size_t(i) * WORDS + 2]; }
    static uint32_t left_of(const uint32_t* nodes, uint32_t i) noexcept { return nodes[size_t(i) * WORDS + 3] & ~RED; }
    static uint32_t right_of(const uint32_t* nodes, uint32_t i) noexcept { return nodes[size_t(i) * WORDS + 4]; }
    static bool is_red(const uint32_t* nodes, uint32_t i) noexcept {
        return i != NIL && nodes[size_t(i) * WORDS + 3] & RED;
    }

    // Writes a node that no one links to yet.
    static void write(uint32_t* nodes, uint32_t i, Key key, uint32_t item) noexcept {
        uint32_t* node = nodes + size_t(i) * WORDS;
        node[0] = uint32_t(key);
        node[1] = uint32_t(key >> 32);
        node[2] = item;
        node[3] = NIL | RED;
        node[4] = NIL;
    }

    // Links n nodes that were written in order. Halving fills all levels but the last, whose nodes are red.
    void build(uint32_t n) {
        uint32_t black_levels = 31 - uint32_t(__builtin_clz(n + 1));
        *root_ = link(0, n, black_levels);
    }

    // Links the node at i, which was written; or returns false if there is one with this key and item.
    bool insert(uint32_t i) noexcept {
        Way way;
        if (find(key_of(w_, i), item_of(w_, i), way) != NIL) return false;
        if (!way.depth) {
            *root_ = i;
            set_red(i, false);
            return true;
        }
        set_child(way.node(1), way.side(1), i);
        while (way.depth >= 2 && is_red(w_, way.node(1))) {  // i and its parent are red
            uint32_t parent = way.node(1), grand = way.node(2);
            bool side = way.side(2);
            uint32_t uncle = child(grand, !side);
            if (is_red(w_, uncle)) {
                set_red(parent, false);
                set_red(uncle, false);
                set_red(grand, true);
                i = grand;
                way.depth -= 2;
                continue;
            }
            if (way.side(1) != side) {
                rotate(parent, side);
                set_child(grand, side, i);
                parent = i;
            }
            rotate(grand, !side);
            set_red(parent, false);
            set_red(grand, true);
            hang(way, 3, parent);
            break;
        }
        set_red(*root_, false);
        return true;
    }

    // Unlinks the node with this key and item, of n, and moves the last node into its place. False if there is none.
    bool erase(Key key, uint32_t item, uint32_t n) noexcept {
        Way way;
        uint32_t at = find(key, item, way);
        if (at == NIL) return false;
        uint32_t hole = at;
        if (left_of(w_, at) != NIL && right_of(w_, at) != NIL) {  // its successor, which has no left child, takes over
            way.push(at, true);
            uint32_t next = right_of(w_, at);
            while (left_of(w_, next) != NIL) {
                way.push(next, false);
                next = left_of(w_, next);
            }
            std::memcpy(w_ + size_t(at) * WORDS, w_ + size_t(next) * WORDS, 3 * sizeof(uint32_t));
            hole = next;
        }
        uint32_t below = left_of(w_, hole) != NIL ? left_of(w_, hole) : right_of(w_, hole);
        bool was_black = !is_red(w_, hole);
        hang(way, 1, below);
        if (is_red(w_, below))
            set_red(below, false);
        else if (was_black)
            repair(way);
        move_last(hole, n - 1);
        return true;
    }

    // f(item) for each node whose key is greater; less; equal.
    template <class F>
    static void each_above(const uint32_t* nodes, uint32_t at, Key key, F f) {
        while (at != NIL) {
            if (key_of(nodes, at) > key) {
                f(item_of(nodes, at));
                each(nodes, right_of(nodes, at), f);
                at = left_of(nodes, at);
            } else {
                at = right_of(nodes, at);
            }
        }
    }
    template <class F>
    static void each_below(const uint32_t* nodes, uint32_t at, Key key, F f) {
        while (at != NIL) {
            if (key_of(nodes, at) < key) {
                f(item_of(nodes, at));
                each(nodes, left_of(nodes, at), f);
                at = right_of(nodes, at);
            } else {
                at = left_of(nodes, at);
            }
        }
    }
    template <class F>
    static void each_equal(const uint32_t* nodes, uint32_t at, Key key, F f) {
        while (at != NIL) {
            Key here = key_of(nodes, at);
            if (here == key) {
                f(item_of(nodes, at));
                each_equal(nodes, right_of(nodes, at), key, f);
            }
            at = here < key ? right_of(nodes, at) : left_of(nodes, at);
        }
    }

    // The invariant that does not hold for a tree of n nodes, or nullptr. For tests.
    static const char* check(const uint32_t* nodes, uint32_t root, uint32_t n) {
        if (is_red(nodes, root)) return "2: a red root";
        std::vector<uint32_t> way;
        std::vector<uint32_t> blacks{0};  // black nodes above each node on the way, then above the next one
        uint32_t at = root, reached = 0, height = NIL, last = NIL, black = 0;
        while (at != NIL || !way.empty()) {
            while (at != NIL) {
                if (at >= n || way.size() >= n) return "1: a link that leads nowhere";
                if (is_red(nodes, at) && (is_red(nodes, left_of(nodes, at)) || is_red(nodes, right_of(nodes, at))))
                    return "2: a red child of a red node";
                black += !is_red(nodes, at);
                way.push_back(at);
                blacks.push_back(black);
                at = left_of(nodes, at);
            }
            if (height == NIL) height = black;
            if (black != height) return "3: black nodes on the way down";
            at = way.back();
            black = blacks.back();
            way.pop_back();
            blacks.pop_back();
            if (++reached > n) return "1: a node that is reached twice";
            if (last != NIL && std::make_pair(key_of(nodes, last), item_of(nodes, last)) >=
                                   std::make_pair(key_of(nodes, at), item_of(nodes, at)))
                return "1: nodes out of order";
            last = at;
            if (right_of(nodes, at) == NIL && black != height) return "3: black nodes on the way down";
            at = right_of(nodes, at);
        }
        return reached == n ? nullptr : "1: nodes that are not reached";
    }

  private:
    // The way down to a place, each node with the side that was taken. A tree of 2^31 nodes is at most 62 deep.
    struct Way {
        uint32_t depth = 0;
        uint32_t nodes[64];
        bool sides[64];
        void push(uint32_t at, bool right) noexcept {
            nodes[depth] = at;
            sides[depth++] = right;
        }
        uint32_t node(uint32_t up) const noexcept { return nodes[depth - up]; }
        bool side(uint32_t up) const noexcept { return sides[depth - up]; }
    };

    template <class F>
    static void each(const uint32_t* nodes, uint32_t at, F f) {
        for (; at != NIL; at = left_of(nodes, at)) {
            f(item_of(nodes, at));
            each(nodes, right_of(nodes, at), f);
        }
    }
    uint32_t child(uint32_t i, bool right) const noexcept { return right ? right_of(w_, i) : left_of(w_, i); }
    void set_child(uint32_t i, bool right, uint32_t to) noexcept {
        uint32_t& word = w_[size_t(i) * WORDS + 3 + right];
        word = right ? to : to | (word & RED);
    }
    void set_red(uint32_t i, bool red) noexcept {
        uint32_t& word = w_[size_t(i) * WORDS + 3];
        word = red ? word | RED : word & ~RED;
    }
    // The node with this key and item, or NIL; and the way to it, or to where it would hang.
    uint32_t find(Key key, uint32_t item, Way& way) const noexcept {
        uint32_t at = *root_;
        while (at != NIL) {
            Key other = key_of(w_, at);
            uint32_t other_item = item_of(w_, at);
            if (key == other && item == other_item) break;
            bool right = key != other ? key > other : item > other_item;
            way.push(at, right);
            at = child(at, right);
        }
        return at;
    }

    uint32_t link(uint32_t begin, uint32_t end, uint32_t black_levels) noexcept {
        if (begin == end) return NIL;
        uint32_t middle = begin + (end - begin) / 2, below = black_levels ? black_levels - 1 : 0;
        uint32_t left = link(begin, middle, below), right = link(middle + 1, end, below);
        set_child(middle, false, left);
        set_child(middle, true, right);
        set_red(middle, !black_levels);
        return middle;
    }
    // Turns the link from i to its other child round: that child comes up, i goes down on `side`. Returns the child.
    uint32_t rotate(uint32_t i, bool side) noexcept {
        uint32_t up = child(i, !side);
        set_child(i, !side, child(up, side));
        set_child(up, side, i);
        return up;
    }
    // Lets what is `up` steps above the way's end link to `to` (nothing above: the root).
    void hang(const Way& way, uint32_t up, uint32_t to) noexcept {
        if (way.depth < up)
            *root_ = to;
        else
            set_child(way.node(up), way.side(up), to);
    }
    // A black node is missing below the way's end.
    void repair(Way& way) noexcept {
        while (way.depth) {
            uint32_t parent = way.node(1);
            bool side = way.side(1);
            uint32_t sibling = child(parent, !side);
            if (is_red(w_, sibling)) {
                rotate(parent, side);
                set_red(sibling, false);
                set_red(parent, true);
                hang(way, 2, sibling);
                way.sides[way.depth - 1] = side;
                way.nodes[way.depth - 1] = sibling;
                way.push(parent, side);
                sibling = child(parent, !side);
            }
            if (!is_red(w_, child(sibling, side)) && !is_red(w_, child(sibling, !side))) {
                set_red(sibling, true);
                if (is_red(w_, parent)) {
                    set_red(parent, false);
                    return;
                }
                --way.depth;
                continue;
            }
            if (!is_red(w_, child(sibling, !side))) {
                uint32_t up = rotate(sibling, !side);
                set_red(up, false);
                set_red(sibling, true);
                set_child(parent, !side, up);
                sibling = up;
            }
            rotate(parent, side);
            set_red(sibling, is_red(w_, parent));
            set_red(parent, false);
            set_red(child(sibling, !side), false);
            hang(way, 2, sibling);
            return;
        }
    }
    // Puts the node at `last` into the hole.
    void move_last(uint32_t hole, uint32_t last) noexcept {
        if (hole == last) return;
        Way way;
        find(key_of(w_, last), item_of(w_, last), way);
        hang(way, 1, hole);
        std::memcpy(w_ + size_t(hole) * WORDS, w_ + size_t(last) * WORDS, WORDS * sizeof(uint32_t));
    }

    uint32_t* w_;
    uint32_t* root_;
};

}  // namespace boolsieve
