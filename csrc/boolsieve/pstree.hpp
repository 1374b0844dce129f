// PS-Trees: each cuts a line of keys into predicate spaces and finds the space of a key.
//
// S. Ji, H.-A. Jacobsen, "PS-Tree-based Efficient Boolean Expression Matching for High Dimensional and Dense
// Workloads" (VLDB 2018), section 4. A tree is a trie over the elements of those values where a space ends. Elements
// are the bytes of an order-preserving 64-bit key, or of a UTF-8 string: one rule for all types, and 256 ways a node.
//
//   node with the elements 3, 7, 9          values have the links l, e, g:
//     children    c3    c7    c9              l  the space below the value: the gap to the left of it
//     gaps      l    A     B    g             e  the space of the value: its own, or as l, or as g
//                                             g  the space above the value: the gap to the right of it
//
// A gap between two children holds the one space that lies between all values below the one and all below the other.
// The outer gaps of a node are gaps of a node above it, and those of the root are the first and the last space. So each
// space is linked from one place, which makes a cut or a merge change only the node where it happens, and the walk from
// the root carries l and g with it: a key without a child ends there, without the paper's searches for the
// neighbours to the right and left (GetRNode, GetLNode).
//
// Other differences: chains of nodes with one child are left out (each node keeps the elements above it, 48 bytes in
// all, instead of nine nodes a value); children are packed behind a bitmap. A value counts the predicates that begin
// and end there. The paper merges by the predicate counters of spaces, but equal counters do not tell whether the same
// predicates cover two neighbours.
//
//   buffer          type    length      meaning
//   root            uint32  trees       node, or value + VALUE, or NONE for a tree of one space
//   first, last     uint32  trees       the outermost spaces
//   nodes           uint64  nodes * 6   bitmap of elements (4 words); elements above; offset of the links and depth
//   links           uint32  -           of a node: children, then gaps, each with room for the next power of two
//   links_free      uint32  0 or 10     free blocks of links by power of two; then the first free node
//   value           uint64  values      the value
//   equal           uint32  values      link e: a space, AS_LEFT or AS_RIGHT
//   begins, ends    uint32  values      predicates with their low end there; with their high end
//   value_free      uint32  0 or 1      the first free value
//   next, previous  uint32  spaces      the chain of a tree's spaces
//   predicates      uint32  spaces      predicates that cover the space
//   events          uint32  spaces      events that fell into it
//   space_free      uint32  0 or 1      the first free space
//
// Invariants (check asserts them by number)
//   1. Walking a tree gives its values in rising order; a node has two children or more, and they agree in the elements
//      above it.
//   2. Walking a tree gives, gap by gap and own space by own space, the chain from first to last; next and previous
//      mirror each other.
//   3. A value has its own space if predicates begin and end there; is AS_LEFT if they only end, AS_RIGHT if they only
//      begin; and some do.
//
// Threads: locate is const; what changes a tree may not run beside anything.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "buffer.hpp"
#include "keys.hpp"
#include "pool.hpp"

namespace boolsieve {

// How elements are taken from values: 64-bit keys, kept as they are.
struct KeyElements {
    using Value = Key;

    Key keep(Key key) { return key; }
    Key get(uint64_t kept) const noexcept { return kept; }
    static uint32_t element(Key key, uint32_t depth) noexcept { return uint32_t(key >> (56 - 8 * depth)) & 255; }
    static int compare(Key a, Key b) noexcept { return a < b ? -1 : a > b; }
    static int compare_above(Key a, Key b, uint32_t depth) noexcept {
        if (!depth) return 0;
        uint32_t shift = 64 - 8 * depth;
        return compare(a >> shift, b >> shift);
    }
    static uint32_t common(Key a, Key b) noexcept { return uint32_t(__builtin_clzll(a ^ b)) / 8; }
    template <class F>
    void each_buffer(F) {}
};

// UTF-8 strings, kept in a pool. Element 0 is the end; UTF-8 has no byte above 0xF4, so the rest fits behind it.
struct TextElements {
    using Value = std::string_view;

    uint64_t keep(Value text) { return pool.add(text.data(), text.size()); }
    Value get(uint64_t kept) const noexcept { return pool.text(uint32_t(kept)); }
    static uint32_t element(Value text, uint32_t depth) noexcept {
        return depth < text.size() ? uint8_t(text[depth]) + 1u : 0;
    }
    static int compare(Value a, Value b) noexcept { return compare_text(a.data(), a.size(), b.data(), b.size()); }
    static int compare_above(Value a, Value b, uint32_t depth) noexcept {
        return compare(a.substr(0, depth), b.substr(0, depth));
    }
    static uint32_t common(Value a, Value b) noexcept {
        uint32_t n = 0;
        while (n < a.size() && n < b.size() && a[n] == b[n]) ++n;
        return n;
    }
    template <class F>
    void each_buffer(F f) {
        pool.each_buffer(f);
    }
    StringPool pool;
};

template <class Elements>
class PSTreesOf {
  public:
    using Value = typename Elements::Value;
    static constexpr uint32_t NONE = 0xFFFFFFFFu;
    static constexpr uint32_t AS_LEFT = 0xFFFFFFFEu, AS_RIGHT = 0xFFFFFFFDu;  // link e without a space of its own

    uint32_t tree_count() const noexcept { return uint32_t(root.size()); }
    uint32_t space_limit() const noexcept { return uint32_t(next.size()); }  // spaces are below it
    uint32_t first_space(uint32_t tree) const noexcept { return first[tree]; }
    uint32_t next_space(uint32_t space) const noexcept { return next.data()[space]; }
    uint32_t predicate_count(uint32_t space) const noexcept { return predicates[space]; }
    uint32_t event_count(uint32_t space) const noexcept { return events[space]; }

    uint32_t add_tree() {
        root.reserve_more(1);
        first.reserve_more(1);
        last.reserve_more(1);
        uint32_t space = new_space();
        root.push_back(NONE);
        first.push_back(space);
        last.push_back(space);
        return uint32_t(root.size() - 1);
    }

    // Alg. 3: the space of a value.
    uint32_t locate(uint32_t tree, Value key) const noexcept {
        uint32_t at = root.data()[tree], lo = first.data()[tree], hi = last.data()[tree];
        if (at == NONE) return lo;
        while (!(at & VALUE)) {
            const uint64_t* n = node(at);
            uint32_t depth = depth_of(n);
            int order = Elements::compare_above(key, elements.get(n[ABOVE]), depth);
            if (order) return order < 0 ? lo : hi;
            uint32_t e = Elements::element(key, depth);
            uint32_t r = rank(n, e), count = count_of(n);
            const uint32_t* link = links.data() + links_of(n);
            const uint32_t* gap = link + room_for(count);
            if (!has(n, e)) return r == 0 ? lo : r == count ? hi : gap[r - 1];
            if (r) lo = gap[r - 1];
            if (r + 1 < count) hi = gap[r];
            at = link[r];
        }
        at &= ~VALUE;
        int order = Elements::compare(key, elements.get(value.data()[at]));
        if (order) return order < 0 ? lo : hi;
        uint32_t e = equal.data()[at];
        return e == AS_LEFT ? lo : e == AS_RIGHT ? hi : e;
    }

    // Alg. 2: spaces end before (or after) this value from now on, once more. on_split(space, fresh): a space was
    // cut into two, one of which is new and takes over what the old one holds.
    template <class OnSplit>
    void cut(uint32_t tree, Value key, bool after, OnSplit on_split) {
        reserve();
        Walk w = walk(tree, key);
        uint32_t v;
        if (w.found != NONE) {
            v = w.found;
            if ((after ? ends : begins)[v] == 0) {
                uint32_t old = after ? w.hi : w.lo;
                uint32_t fresh = split(old, !after, on_split);
                equal.set(v, fresh);
            }
        } else {
            v = new_value(key, after ? AS_LEFT : AS_RIGHT);
            insert(tree, w, key, v, on_split);
        }
        Buffer<uint32_t>& uses = after ? ends : begins;
        uses.set(v, uses[v] + 1);
    }

    // Takes back one cut. on_merge(space, gone): two neighbours became one, which keeps what `space` holds.
    template <class OnMerge>
    void uncut(uint32_t tree, Value key, bool after, OnMerge on_merge) {
        reserve();
        Walk w = walk(tree, key);
        uint32_t v = w.found;
        Buffer<uint32_t>& uses = after ? ends : begins;
        uses.set(v, uses[v] - 1);
        if (uses[v]) return;
        if ((after ? begins : ends)[v]) {  // its own space joins a neighbour
            uint32_t own = equal[v];
            equal.set(v, after ? AS_RIGHT : AS_LEFT);
            merge(after ? w.hi : w.lo, own, on_merge);
            return;
        }
        erase(tree, w, on_merge);
        value.set(v, value_free[0]);
        value_free.set(0, v);
    }

    // Alg. 1: cuts at both ends, where they are, and counts the predicate in all spaces that it covers.
    template <class OnSplit>
    void insert_predicate(uint32_t tree, const Value* low, const Value* high, OnSplit on_split) {
        if (low) cut(tree, *low, false, on_split);
        if (high) cut(tree, *high, true, on_split);
        each_covered(tree, low, high, [&](uint32_t space) { predicates.set(space, predicates[space] + 1); });
    }
    template <class OnMerge>
    void delete_predicate(uint32_t tree, const Value* low, const Value* high, OnMerge on_merge) {
        each_covered(tree, low, high, [&](uint32_t space) { predicates.set(space, predicates[space] - 1); });
        if (low) uncut(tree, *low, false, on_merge);
        if (high) uncut(tree, *high, true, on_merge);
    }
    // The spaces from that of low to that of high.
    template <class F>
    void each_covered(uint32_t tree, const Value* low, const Value* high, F f) const {
        uint32_t space = low ? locate(tree, *low) : first[tree];
        uint32_t end = high ? locate(tree, *high) : last[tree];
        for (;; space = next[space]) {
            f(space);
            if (space == end) return;
        }
    }
    void count_event(uint32_t tree, Value key) {
        uint32_t space = locate(tree, key);
        if (events[space] != NONE) events.set(space, events[space] + 1);
    }
    // f(value, begins, ends, link e, gap to the right) in rising order; a value as keep() gave it.
    template <class F>
    void each_value(uint32_t tree, F f) const {
        if (root[tree] != NONE) each_below(root[tree], last[tree], f);
    }

    template <class F>
    void each_buffer(F f) {
        f("root", root);
        f("first", first);
        f("last", last);
        f("nodes", nodes);
        f("links", links);
        f("links_free", links_free);
        f("value", value);
        f("equal", equal);
        f("begins", begins);
        f("ends", ends);
        f("value_free", value_free);
        f("next", next);
        f("previous", previous);
        f("predicates", predicates);
        f("events", events);
        f("space_free", space_free);
        elements.each_buffer(f);
    }

    // The invariant that does not hold, or nullptr. Linear; for tests.
    const char* check() const {
        for (uint32_t tree = 0; tree < tree_count(); ++tree) {
            if (root[tree] != NONE && check_node(root[tree])) return "1: a node's elements";
            uint32_t space = first[tree];
            bool have = false;
            uint64_t before = 0;
            const char* problem = previous[space] == NONE ? nullptr : "2: before the first";
            auto step = [&](uint32_t to) {
                if (next[space] != to || previous[to] != space) problem = "2: the chain";
                space = to;
            };
            each_value(tree, [&](uint64_t kept, uint32_t b, uint32_t e, uint32_t own, uint32_t gap) {
                if (have && Elements::compare(elements.get(before), elements.get(kept)) >= 0) problem = "1: order";
                have = true;
                before = kept;
                if (own == AS_LEFT ? b || !e : own == AS_RIGHT ? e || !b : !b || !e) problem = "3: link e";
                if (own < AS_RIGHT) step(own);
                step(gap);
            });
            if (problem) return problem;
            if (space != last[tree] || next[space] != NONE) return "2: the last";
        }
        return nullptr;
    }

    Elements elements;

  private:
    static constexpr uint32_t VALUE = 0x80000000u;
    static constexpr uint32_t NODE_WORDS = 6, ABOVE = 4, PLACE = 5;
    static constexpr uint32_t NODE_HEAD = 9;  // in links_free, after the classes 1 to 256

    const uint64_t* node(uint32_t at) const noexcept { return nodes.data() + size_t(at) * NODE_WORDS; }
    static uint32_t links_of(const uint64_t* n) noexcept { return uint32_t(n[PLACE]); }
    static uint32_t depth_of(const uint64_t* n) noexcept { return uint32_t(n[PLACE] >> 32); }
    static bool has(const uint64_t* n, uint32_t e) noexcept { return n[e >> 6] >> (e & 63) & 1; }
    static uint32_t bits(uint64_t word) noexcept { return uint32_t(__builtin_popcountll(word)); }
    static uint32_t rank(const uint64_t* n, uint32_t e) noexcept {
        uint32_t r = bits(n[e >> 6] & ((uint64_t(1) << (e & 63)) - 1));
        for (uint32_t w = 0; w < e >> 6; ++w) r += bits(n[w]);
        return r;
    }
    static uint32_t count_of(const uint64_t* n) noexcept { return bits(n[0]) + bits(n[1]) + bits(n[2]) + bits(n[3]); }
    static uint32_t log2_up(uint32_t n) noexcept { return n < 2 ? 0 : 32 - uint32_t(__builtin_clz(n - 1)); }
    static uint32_t room_for(uint32_t count) noexcept { return 1u << log2_up(count); }

    struct Walk {
        uint32_t found;   // the value, or NONE
        uint32_t at;      // where the walk ended: a node without the element, or what differs above; NONE if no root
        uint32_t parent;  // the node above `at`, or NONE
        uint32_t lo, hi;  // the spaces left and right of `at`
        bool inside;      // `at` is a node that agrees with the key above, but lacks its element
    };
    Walk walk(uint32_t tree, Value key) const noexcept {
        Walk w{NONE, root[tree], NONE, first[tree], last[tree], false};
        if (w.at == NONE) return w;
        while (!(w.at & VALUE)) {
            const uint64_t* n = node(w.at);
            uint32_t depth = depth_of(n);
            if (Elements::compare_above(key, elements.get(n[ABOVE]), depth)) return w;
            uint32_t e = Elements::element(key, depth);
            if (!has(n, e)) {
                w.inside = true;
                return w;
            }
            uint32_t r = rank(n, e), count = count_of(n);
            const uint32_t* link = links.data() + links_of(n);
            const uint32_t* gap = link + room_for(count);
            if (r) w.lo = gap[r - 1];
            if (r + 1 < count) w.hi = gap[r];
            w.parent = w.at;
            w.at = link[r];
        }
        if (!Elements::compare(key, elements.get(value[w.at & ~VALUE]))) w.found = w.at & ~VALUE;
        return w;
    }

    void reserve() {  // a cut needs at most this; so it fails before anything is changed
        if (value.size() + 1 >= VALUE || next.size() + 2 >= VALUE || links.size() + 1024 >= NONE)
            throw std::length_error("PS-Trees have less than 2^31 values and spaces");
        if (!links_free.size()) links_free.resize(NODE_HEAD + 1, NONE);
        if (!value_free.size()) value_free.resize(1, NONE);
        nodes.reserve_more(NODE_WORDS);
        links.reserve_more(2 * 256 + 4);
        for (Buffer<uint32_t>* b : {&equal, &begins, &ends, &next, &previous, &predicates, &events}) b->reserve_more(1);
        value.reserve_more(1);
    }
    uint32_t new_space() {
        if (!space_free.size()) space_free.resize(1, NONE);
        if (space_free[0] != NONE) {
            uint32_t space = space_free[0];
            space_free.set(0, next[space]);
            next.set(space, NONE);
            previous.set(space, NONE);
            predicates.set(space, 0);
            events.set(space, 0);
            return space;
        }
        for (Buffer<uint32_t>* b : {&next, &previous, &predicates, &events}) b->reserve_more(1);
        next.push_back(NONE);
        previous.push_back(NONE);
        predicates.push_back(0);
        events.push_back(0);
        return uint32_t(next.size() - 1);
    }
    uint32_t new_value(Value key, uint32_t e) {
        uint64_t kept = elements.keep(key);
        if (value_free[0] != NONE) {
            uint32_t v = value_free[0];
            value_free.set(0, uint32_t(value[v]));
            value.set(v, kept);
            equal.set(v, e);
            return v;
        }
        value.push_back(kept);
        equal.push_back(e);
        begins.push_back(0);
        ends.push_back(0);
        return uint32_t(value.size() - 1);
    }
    uint32_t new_links(uint32_t room) {  // children and gaps
        uint32_t k = log2_up(room);
        if (links_free[k] != NONE) {
            uint32_t at = links_free[k];
            links_free.set(k, links[at]);
            return at;
        }
        uint32_t at = uint32_t(links.size());
        links.resize(links.size() + 2 * size_t(room), NONE);
        return at;
    }
    void free_links(uint32_t at, uint32_t room) {
        uint32_t k = log2_up(room);
        links.set(at, links_free[k]);
        links_free.set(k, at);
    }
    uint32_t new_node() {
        if (links_free[NODE_HEAD] != NONE) {
            uint32_t at = links_free[NODE_HEAD];
            links_free.set(NODE_HEAD, uint32_t(node(at)[0]));
            return at;
        }
        nodes.resize(nodes.size() + NODE_WORDS);
        return uint32_t(nodes.size() / NODE_WORDS - 1);
    }

    // The part of a space to the right of a new value (or to the left) as a new space.
    template <class OnSplit>
    uint32_t split(uint32_t space, bool fresh_is_right, OnSplit on_split) {
        uint32_t fresh = new_space();
        predicates.set(fresh, predicates[space]);
        events.set(fresh, events[space]);
        uint32_t a = fresh_is_right ? space : previous[space], b = fresh_is_right ? next[space] : space;
        previous.set(fresh, a);
        next.set(fresh, b);
        if (a != NONE) next.set(a, fresh);
        if (b != NONE) previous.set(b, fresh);
        on_split(space, fresh);
        return fresh;
    }
    template <class OnMerge>
    void merge(uint32_t space, uint32_t gone, OnMerge on_merge) {
        on_merge(space, gone);
        uint64_t both = uint64_t(events[space]) + events[gone];
        events.set(space, both < NONE ? uint32_t(both) : NONE);
        uint32_t a = previous[gone], b = next[gone];
        if (a != NONE) next.set(a, b);
        if (b != NONE) previous.set(b, a);
        next.set(gone, space_free[0]);
        space_free.set(0, gone);
    }

    void replace_child(uint32_t tree, uint32_t parent, uint32_t old, uint32_t fresh) {
        if (parent == NONE) {
            root.set(tree, fresh);
            return;
        }
        uint32_t* link = links.writable() + links_of(node(parent));
        while (*link != old) ++link;
        *link = fresh;
    }

    template <class OnSplit>
    void insert(uint32_t tree, const Walk& w, Value key, uint32_t v, OnSplit on_split) {
        if (w.at == NONE) {
            root.set(tree, v | VALUE);
            last.set(tree, split(w.lo, true, on_split));
        } else if (w.inside) {
            insert_child(w, Elements::element(key, depth_of(node(w.at))), v, on_split);
        } else {  // a node of two children above what differs
            Value other = elements.get(w.at & VALUE ? value[w.at & ~VALUE] : node(w.at)[ABOVE]);
            uint32_t depth = Elements::common(key, other);
            bool left = Elements::compare(key, other) < 0;
            uint32_t fresh = left ? split(w.lo, true, on_split) : split(w.hi, false, on_split);
            uint32_t at = new_node(), block = new_links(2);
            uint64_t* n = nodes.writable() + size_t(at) * NODE_WORDS;
            for (uint32_t i = 0; i < 4; ++i) n[i] = 0;
            for (uint32_t e : {Elements::element(key, depth), Elements::element(other, depth)})
                n[e >> 6] |= uint64_t(1) << (e & 63);
            n[ABOVE] = value[v];
            n[PLACE] = block | uint64_t(depth) << 32;
            uint32_t* link = links.writable() + block;
            link[left ? 0 : 1] = v | VALUE;
            link[left ? 1 : 0] = w.at;
            link[2] = fresh;
            replace_child(tree, w.parent, w.at, at);
        }
    }
    template <class OnSplit>
    void insert_child(const Walk& w, uint32_t e, uint32_t v, OnSplit on_split) {
        uint32_t r = rank(node(w.at), e), count = count_of(node(w.at));
        uint32_t room = room_for(count), wider = room_for(count + 1);
        uint32_t at = links_of(node(w.at));
        // The side that an ancestor links to keeps its number, so that nothing above changes.
        uint32_t old = r == 0 ? w.lo : r == count ? w.hi : links[at + room + r - 1];
        uint32_t fresh = split(old, r < count, on_split);
        uint32_t block = wider > room ? new_links(wider) : at;
        uint32_t* to = links.writable() + block;
        const uint32_t* from = links.data() + at;
        // Gaps first, backwards: in place, they move to the right.
        uint32_t g = r < count ? r : count - 1;  // where the new gap goes
        for (uint32_t i = count; i-- > g + 1;) to[wider + i] = from[room + i - 1];
        to[wider + g] = fresh;
        if (wider > room)
            for (uint32_t i = 0; i < g; ++i) to[wider + i] = from[room + i];
        for (uint32_t i = count; i > r; --i) to[i] = from[i - 1];
        if (wider > room)
            for (uint32_t i = 0; i < r; ++i) to[i] = from[i];
        to[r] = v | VALUE;
        uint64_t* n = nodes.writable() + size_t(w.at) * NODE_WORDS;
        n[e >> 6] |= uint64_t(1) << (e & 63);
        if (wider > room) {
            n[PLACE] = block | uint64_t(depth_of(n)) << 32;
            free_links(at, room);
        }
    }

    // Takes a value out of the tree; the spaces on its two sides become one.
    template <class OnMerge>
    void erase(uint32_t tree, const Walk& w, OnMerge on_merge) {
        uint32_t v = w.found;
        if (w.parent == NONE) {
            root.set(tree, NONE);
            last.set(tree, w.lo);
            merge(w.lo, w.hi, on_merge);
            return;
        }
        const uint64_t* n = node(w.parent);
        uint32_t count = count_of(n), room = room_for(count), at = links_of(n);
        uint32_t r = 0;
        while (links[at + r] != (v | VALUE)) ++r;
        if (r + 1 == count)  // the space on the right is linked from above
            merge(w.hi, w.lo, on_merge);
        else
            merge(w.lo, w.hi, on_merge);
        uint32_t g = r + 1 == count ? r - 1 : r;  // the gap that goes
        if (count == 2) {                         // what is left moves up
            uint32_t left = links[at + 1 - r];
            replace_child(tree, parent_of(tree, w.parent, elements.get(value[v])), w.parent, left);
            free_links(at, room);
            nodes.writable()[size_t(w.parent) * NODE_WORDS] = links_free[NODE_HEAD];
            links_free.set(NODE_HEAD, w.parent);
            return;
        }
        uint32_t e = Elements::element(elements.get(value[v]), depth_of(n));
        uint32_t narrower = room_for(count - 1);
        uint32_t block = narrower < room ? new_links(narrower) : at;
        uint32_t* to = links.writable() + block;
        const uint32_t* from = links.data() + at;
        for (uint32_t i = 0, j = 0; i < count; ++i)
            if (i != r) to[j++] = from[i];
        for (uint32_t i = 0, j = 0; i + 1 < count; ++i)
            if (i != g) to[narrower + j++] = from[room + i];
        uint64_t* m = nodes.writable() + size_t(w.parent) * NODE_WORDS;
        m[e >> 6] &= ~(uint64_t(1) << (e & 63));
        if (narrower < room) {
            m[PLACE] = block | uint64_t(depth_of(m)) << 32;
            free_links(at, room);
        }
    }
    uint32_t parent_of(uint32_t tree, uint32_t below, Value key) const noexcept {
        uint32_t parent = NONE;
        for (uint32_t at = root[tree]; at != below;) {
            const uint64_t* n = node(at);
            parent = at;
            at = links[links_of(n) + rank(n, Elements::element(key, depth_of(n)))];
        }
        return parent;
    }

    template <class F>
    void each_below(uint32_t at, uint32_t hi, F& f) const {
        if (at & VALUE) {
            at &= ~VALUE;
            f(value[at], begins[at], ends[at], equal[at], hi);
            return;
        }
        const uint64_t* n = node(at);
        uint32_t count = count_of(n), link = links_of(n), gap = link + room_for(count);
        for (uint32_t r = 0; r < count; ++r) each_below(links[link + r], r + 1 < count ? links[gap + r] : hi, f);
    }
    bool check_node(uint32_t at) const {  // whether something is wrong
        if (at & VALUE) return false;
        const uint64_t* n = node(at);
        uint32_t count = count_of(n), link = links_of(n), depth = depth_of(n);
        if (count < 2) return true;
        uint32_t r = 0;
        for (uint32_t e = 0; e < 256; ++e) {
            if (!has(n, e)) continue;
            uint32_t child = links[link + r++];
            Value some = elements.get(child & VALUE ? value[child & ~VALUE] : node(child)[ABOVE]);
            if (Elements::compare_above(some, elements.get(n[ABOVE]), depth) || Elements::element(some, depth) != e)
                return true;
            if (check_node(child)) return true;
        }
        return false;
    }

    Buffer<uint32_t> root, first, last;
    Buffer<uint64_t> nodes;
    Buffer<uint32_t> links, links_free;
    Buffer<uint64_t> value;
    Buffer<uint32_t> equal, begins, ends, value_free;
    Buffer<uint32_t> next, previous, predicates, events, space_free;
};

using PSTrees = PSTreesOf<KeyElements>;
using PSTextTrees = PSTreesOf<TextElements>;

}  // namespace boolsieve
