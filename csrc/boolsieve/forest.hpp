// Forest: byte tries, one a root, that give for each string the list of what was put there. It is the ground of the
// string predicates (patterns.hpp), and has two parts:
//
//   linked   all but the youngest strings, laid out breadth first, so that a node's children lie side by side: no hash
//            and no pointer a child, 9 bytes a node. Never changed, only laid out anew.
//   fresh    the youngest strings, as a hash from (parent, byte) to child.
//
// When the fresh part outgrows a fixed share of the linked part, both are laid out anew as one (settle). The nodes then
// grow by that share at least from one layout to the next, so that all layouts together cost a constant a node.
//
// With failure links (Aho and Corasick: Efficient string matching, CACM 18(6), 1975) all occurrences within a text are
// found in one pass over it: a node stands for the longest suffix of what was read that is in its trie. In the fresh
// part there are no links; it is walked from each position of the text.
//
//   buffer       type      length     meaning
//   first        uint32_t  nodes + 1  the children of linked node v are first[v] up to first[v + 1]
//   labels       uint8_t   nodes + 8  the byte that leads to a node; 8 more, so that a word can be read anywhere
//   outputs      uint32_t  nodes      head of the node's list, or NONE
//   counts       uint32_t  3          linked roots, all roots, C (below)
//   edges        IntMap    fresh      parent << 8 | byte -> fresh node; the parent is a fresh node or ROOT | root
//   fresh_heads  uint32_t  fresh      head of the fresh node's list, or NONE
// and with failure links, where fail(v) is the node of v's longest proper suffix (a root's is itself):
//   links        uint32_t  nodes      fail(v), or ROW | the node's row; HIT is set if v or a node on the way of fail
//                                     has a list
//   reports      uint32_t  nodes      the next node on the way of fail that has a list, or NONE
//   classes      uint16_t  256        a number from 1 for each byte that is a label, 0 for the others
//   rows         uint32_t  rows * C   C is the number of classes + 1; a row holds fail(v) and then, for each class, the
//                                     node after v and that byte, which spares the nodes with many children the search
//
// 1. The linked roots are the nodes 0, 1, ...; first[0] is their number, first never falls, its last is the number of
//    nodes; the labels of a node's children rise.
// 2. fail(v) is the longest proper suffix of v's string that has a node below the same root; a row tells for each byte
//    the longest suffix of v's string and that byte that has a node. Exactly the nodes that is_wide have a row.
// 3. reports[v] is the first node with a list on the way fail(v), fail(fail(v)), ...
// 4. A fresh node has one edge, its parent has a lower number, and there are at most nodes / SHARE fresh ones (more
//    only after memory ran out).
// 5. No root has a list: the empty string is nobody's.
//
// Threads: all const functions may run side by side; the others may not run beside anything.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "boolsieve/bounds.hpp"
#include "boolsieve/buffer.hpp"
#include "boolsieve/hash.hpp"
#include "boolsieve/int_map.hpp"

namespace boolsieve {

class Forest {
  public:
    static constexpr uint32_t NONE = 0xFFFFFFFF;
    // Laying out costs SHARE + 1 steps a node in all; while there are fresh nodes, a search within texts takes two to
    // three times as long, however few they are, and they take 25 bytes instead of 9 or 17.
    static constexpr uint32_t SHARE = 4;

    explicit Forest(bool with_links) noexcept : with_links_(with_links) {}

    uint32_t add_root() {
        if (!counts_.size()) counts_.assign(3, 0);
        uint32_t root = counts_[1];
        if (root >= INDEX) throw std::length_error("more than 2**30 tries");
        counts_.set(1, root + 1);
        return root;
    }

    // Puts a value on the list of the string, whose byte i is at(i); it must not be empty. The lists are linked through
    // next, which belongs to the caller: next[value] becomes the former head.
    template <class At>
    void put(uint32_t root, size_t length, At at, uint32_t value, Buffer<uint32_t>& next) {
        BOOLSIEVE_CHECK(length);
        if (linked_size() + counts_[1] + fresh_heads_.size() + length > INDEX)
            throw std::length_error("tries of over 2**30 nodes");
        uint32_t node = ROOT | root;
        for (size_t i = 0; i < length; ++i) {
            uint64_t edge = edge_of(node, at(i));
            node = edges_.find(edge);
            if (node != NONE) continue;
            node = static_cast<uint32_t>(fresh_heads_.size());
            fresh_heads_.reserve_more(1);
            edges_.set(edge, node);
            fresh_heads_.push_back(NONE);
        }
        uint32_t* heads = fresh_heads_.writable();
        next.set(value, heads[node]);
        heads[node] = value;
        if (fresh_heads_.size() <= linked_size() / SHARE) return;
        try {
            settle(next);
        } catch (const std::bad_alloc&) {
            // The value is in its place; the next put tries again.
        }
    }

    // visit(i, head) for each list of a string that is the first i bytes of the text whose byte i is at(i).
    template <class At, class Visit>
    void each_prefix(uint32_t root, size_t length, At at, Visit visit) const {
        if (root < linked_roots()) {
            uint32_t node = root;
            for (size_t i = 0; i < length; ++i) {
                node = child(node, at(i));
                if (node == NONE) break;
                if (outputs_.data()[node] != NONE) visit(i + 1, outputs_.data()[node]);
            }
        }
        if (fresh_heads_.size()) {
            uint32_t node = ROOT | root;
            for (size_t i = 0; i < length; ++i) {
                node = edges_.find(edge_of(node, at(i)));
                if (node == NONE) break;
                if (fresh_heads_.data()[node] != NONE) visit(i + 1, fresh_heads_.data()[node]);
            }
        }
    }

    // visit(head) once for each list of a string that occurs in the text. Needs failure links.
    template <class Visit>
    void each_within(uint32_t root, const char* text, size_t length, Visit visit) const {
        Seen seen;
        if (root < linked_roots()) {
            uint32_t node = root;
            uint32_t link = links_.data()[root];
            for (size_t i = 0; i < length; ++i) {
                node = follow(root, node, link, static_cast<uint8_t>(text[i]));
                link = links_.data()[node];
                if (!(link & HIT)) continue;
                uint32_t hit = outputs_.data()[node] != NONE ? node : reports_.data()[node];
                // Where one was seen, all behind it were: so the hits together cost no more than they are different.
                for (; hit != NONE && seen.insert(hit); hit = reports_.data()[hit]) visit(outputs_.data()[hit]);
            }
        }
        if (fresh_heads_.size()) {
            for (size_t begin = 0; begin < length; ++begin) {
                uint32_t node = ROOT | root;
                for (size_t i = begin; i < length; ++i) {
                    node = edges_.find(edge_of(node, static_cast<uint8_t>(text[i])));
                    if (node == NONE) break;
                    uint32_t head = fresh_heads_.data()[node];
                    if (head != NONE && seen.insert(ROOT | node)) visit(head);
                }
            }
        }
    }

    // Lays the fresh part and the linked part out as one. If memory runs out, nothing has changed.
    void settle(Buffer<uint32_t>& next) {
        if (!fresh_heads_.size()) return;
        FreshChildren fresh = fresh_children();
        uint32_t roots = counts_[1];
        size_t most = linked_size() + fresh_heads_.size() + roots - linked_roots();
        std::vector<uint32_t> from_linked, from_fresh;  // what becomes of a new node's children, in the new order
        from_linked.reserve(most);
        from_fresh.reserve(most);
        for (uint32_t root = 0; root < roots; ++root) {
            from_linked.push_back(root < linked_roots() ? root : NONE);
            from_fresh.push_back(static_cast<uint32_t>(fresh_heads_.size() + root));
        }
        Buffer<uint32_t> first, outputs, links, reports, rows;
        Buffer<uint8_t> labels;
        Buffer<uint16_t> classes;
        first.reserve_more(most + 1);
        labels.reserve_more(most + PADDING);
        labels.resize(roots, 0);
        for (size_t node = 0; node < from_linked.size(); ++node) {
            first.push_back(static_cast<uint32_t>(from_linked.size()));
            uint32_t a = 0, a_end = 0;
            if (from_linked[node] != NONE) a = first_[from_linked[node]], a_end = first_[from_linked[node] + 1];
            size_t b = 0, b_end = 0;
            if (from_fresh[node] != NONE) b = fresh.begin[from_fresh[node]], b_end = fresh.begin[from_fresh[node] + 1];
            while (a < a_end || b < b_end) {
                int label_a = a < a_end ? labels_[a] : 256;
                int label_b = b < b_end ? static_cast<int>(fresh.children[b] >> 32) : 256;
                labels.push_back(static_cast<uint8_t>(std::min(label_a, label_b)));
                from_linked.push_back(label_a <= label_b ? a++ : NONE);
                from_fresh.push_back(label_b <= label_a ? static_cast<uint32_t>(fresh.children[b++]) : NONE);
            }
        }
        size_t size = from_linked.size();
        first.push_back(static_cast<uint32_t>(size));
        labels.resize(size + PADDING, 0);
        outputs.resize(size, NONE);
        size_t width = 0;
        if (with_links_) {
            links.resize(size, 0);
            reports.resize(size, NONE);
            classes.resize(256, 0);
            uint16_t* numbers = classes.writable();
            for (size_t node = roots; node < size; ++node) numbers[labels[node]] = 1;
            width = 1;
            for (size_t byte = 0; byte < 256; ++byte)
                if (numbers[byte]) numbers[byte] = static_cast<uint16_t>(width++);
            size_t wide = 0;
            for (size_t node = 0; node < size; ++node) wide += is_wide(first[node + 1] - first[node], width);
            rows.resize(wide * width, 0);
        }
        uint32_t* chain = next.writable();
        uint32_t* counts = counts_.writable();
        // From here on nothing fails.
        uint32_t* heads = outputs.writable();
        for (size_t node = roots; node < size; ++node) {
            uint32_t old = from_linked[node] == NONE ? NONE : outputs_[from_linked[node]];
            uint32_t young = from_fresh[node] == NONE ? NONE : fresh_heads_[from_fresh[node]];
            heads[node] = young != NONE ? young : old;
            if (young == NONE || old == NONE) continue;
            while (chain[young] != NONE) young = chain[young];
            chain[young] = old;
        }
        first_.swap(first);
        labels_.swap(labels);
        outputs_.swap(outputs);
        counts[0] = roots;
        counts[2] = static_cast<uint32_t>(width);
        if (with_links_) {
            links_.swap(links);
            reports_.swap(reports);
            classes_.swap(classes);
            rows_.swap(rows);
            link();
        }
        edges_.clear();
        fresh_heads_.clear();
    }

    // name and buffer of each; the name lives as long as the call.
    template <class F>
    void each_buffer(const std::string& prefix, F f) {
        f((prefix + "first").c_str(), first_);
        f((prefix + "labels").c_str(), labels_);
        f((prefix + "outputs").c_str(), outputs_);
        f((prefix + "counts").c_str(), counts_);
        edges_.each_buffer([&](const char* name, auto& buffer) { f((prefix + "edges." + name).c_str(), buffer); });
        f((prefix + "fresh_heads").c_str(), fresh_heads_);
        f((prefix + "links").c_str(), links_);
        f((prefix + "reports").c_str(), reports_);
        f((prefix + "classes").c_str(), classes_);
        f((prefix + "rows").c_str(), rows_);
    }

    // The first invariant that does not hold, or nothing; marks what is on a list in seen. For tests.
    std::string check(const Buffer<uint32_t>& next, std::vector<bool>& seen) const {
        size_t size = linked_size();
        std::vector<uint32_t> parents(size, NONE);
        if (size) {
            if (first_[0] != linked_roots() || first_[size] != size) return "1: first";
            if (labels_.size() != size + PADDING || outputs_.size() != size) return "1: lengths";
            for (uint32_t v = 0; v < size; ++v) {
                if (first_[v] > first_[v + 1]) return "1: first falls";
                for (uint32_t u = first_[v]; u < first_[v + 1]; ++u) {
                    parents[u] = v;
                    if (u > first_[v] && labels_[u - 1] >= labels_[u]) return "1: labels do not rise";
                }
            }
        }
        size_t width = size ? row_width() : 0, wide = 0;
        for (uint32_t v = 0; v < (with_links_ ? size : 0); ++v) {
            std::string string;
            uint32_t root = v;
            for (; parents[root] != NONE; root = parents[root]) string.insert(0, 1, static_cast<char>(labels_[root]));
            auto longest_suffix = [&](const std::string& of, size_t begin) {
                for (; begin < of.size(); ++begin) {
                    uint32_t suffix = root;
                    for (size_t i = begin; suffix != NONE && i < of.size(); ++i)
                        suffix = child(suffix, static_cast<uint8_t>(of[i]));
                    if (suffix != NONE) return suffix;
                }
                return root;
            };
            if (fail(v) != longest_suffix(string, 1)) return "2: a wrong suffix";
            bool has_row = links_[v] & ROW;
            if (has_row != is_wide(first_[v + 1] - first_[v], width)) return "2: a row or none";
            wide += has_row;
            for (int byte = 0; byte < 256; ++byte)
                if (follow(root, v, links_[v], static_cast<uint8_t>(byte)) !=
                    longest_suffix(string + static_cast<char>(byte), 0))
                    return "2: a wrong step";
            uint32_t report = v;
            do report = fail(report);
            while (report != root && outputs_[report] == NONE);
            if (reports_[v] != (report == root ? NONE : report)) return "3: a wrong report";
            if (!(links_[v] & HIT) != (outputs_[v] == NONE && reports_[v] == NONE)) return "3: a wrong mark";
        }
        if (rows_.size() != wide * width) return "2: number of rows";
        if (edges_.check() || edges_.size() != fresh_heads_.size()) return "4: edges";
        if (fresh_heads_.size() > size / SHARE) return "4: too many fresh nodes";
        std::vector<bool> has_edge(fresh_heads_.size(), false);
        bool good = true;
        edges_.each([&](uint64_t edge, uint32_t node) {
            uint32_t parent = static_cast<uint32_t>(edge >> 8);
            good = good && node < has_edge.size() && !has_edge[node];
            good = good && (parent & ROOT ? (parent ^ ROOT) < counts_[1] : parent < node);
            if (good) has_edge[node] = true;
        });
        if (!good) return "4: an edge";
        for (uint32_t root = 0; root < linked_roots(); ++root)
            if (outputs_[root] != NONE) return "5: the list of a root";
        auto walk = [&](uint32_t value) {
            for (; value != NONE; value = next[value]) {
                if (value >= seen.size() || seen[value]) return false;
                seen[value] = true;
            }
            return true;
        };
        for (size_t v = 0; v < size; ++v)
            if (!walk(outputs_[v])) return "a list that meets another";
        for (size_t v = 0; v < fresh_heads_.size(); ++v)
            if (!walk(fresh_heads_[v])) return "a fresh list that meets another";
        return "";
    }

    // See bounds.hpp; the heads of lists are to be below the limit.
    const char* flaw(size_t limit) const {
        size_t size = linked_size();
        if (counts_.size() != 0 && counts_.size() != 3) return "patterns.counts: length";
        if (linked_roots() > roots() || roots() > INDEX || size + fresh_heads_.size() > INDEX) return "patterns.counts";
        if (!all_below_or_none(outputs_, limit)) return "patterns.outputs";
        if (!all_below_or_none(fresh_heads_, limit)) return "patterns.fresh_heads";
        if (edges_.flaw(fresh_heads_.size()) || edges_.size() != fresh_heads_.size()) return "patterns.edges";
        std::vector<uint8_t> has_edge(fresh_heads_.size(), 0);
        bool good = true;
        edges_.each([&](uint64_t edge, uint32_t node) {
            uint64_t parent = edge >> 8;
            good &= !has_edge[node]++ && (parent & ROOT ? (parent ^ ROOT) < roots() : parent < node);
        });
        if (!good) return "patterns.edges";
        if (!size) return linked_roots() ? "patterns.counts" : nullptr;
        if (first_.size() != size + 1 || labels_.size() != size + PADDING) return "patterns.first: length";
        const uint32_t* first = first_.data();
        if (first[0] != linked_roots() || first[size] != size) return "patterns.first";
        for (size_t v = 0; v < size; ++v)  // children come behind their parent
            good &= first[v] <= first[v + 1] && (first[v] > v || first[v] == first[v + 1]);
        for (size_t v = 0; v < linked_roots(); ++v) good &= outputs_.data()[v] == NONE;
        if (!good) return "patterns.first";
        return with_links_ ? links_flaw() : nullptr;
    }

    uint32_t roots() const noexcept { return counts_.size() ? counts_.data()[1] : 0; }

    // visit(head) for each list, until one gives false. Returns whether none did.
    template <class Visit>
    bool each_list(Visit visit) const {
        for (const Buffer<uint32_t>* heads : {&outputs_, &fresh_heads_})
            for (size_t v = 0; v < heads->size(); ++v)
                if (!visit(heads->data()[v])) return false;
        return true;
    }

    size_t linked_size() const noexcept { return outputs_.size(); }
    size_t fresh_size() const noexcept { return fresh_heads_.size(); }

  private:
    static constexpr uint32_t ROOT = 0x80000000;                                       // in edges: the parent is a root
    static constexpr uint32_t ROW = 0x80000000, HIT = 0x40000000, INDEX = 0x3FFFFFFF;  // in links
    static constexpr size_t PADDING = 8;

    // The linked or fresh nodes whose lists were visited already. Most texts have few, which fit on the stack.
    class Seen {
      public:
        bool insert(uint32_t node) {
            if (!size_) {
                std::fill_n(local_, LOCAL, NONE);
                size_ = LOCAL;
            } else if (used_ * 2 >= size_) {
                grow();
            }
            if (!place(node)) return false;
            ++used_;
            return true;
        }

      private:
        static constexpr size_t LOCAL = 64;

        uint32_t* table() noexcept { return heap_.empty() ? local_ : heap_.data(); }

        bool place(uint32_t node) noexcept {
            uint32_t* slots = table();
            size_t i = mix(node) & (size_ - 1);
            while (slots[i] != NONE) {
                if (slots[i] == node) return false;
                i = (i + 1) & (size_ - 1);
            }
            slots[i] = node;
            return true;
        }

        void grow() {
            std::vector<uint32_t> old(table(), table() + size_);
            heap_.assign(size_ * 4, NONE);
            size_ *= 4;
            for (uint32_t node : old)
                if (node != NONE) place(node);
        }

        uint32_t local_[LOCAL];
        std::vector<uint32_t> heap_;
        size_t size_ = 0, used_ = 0;
    };

    // The children of fresh node f are children[begin[f]] up to begin[f + 1], those of root r at f = fresh nodes + r;
    // label << 32 | node, rising.
    struct FreshChildren {
        std::vector<uint32_t> begin;
        std::vector<uint64_t> children;
    };

    FreshChildren fresh_children() const {
        size_t fresh = fresh_heads_.size();
        auto parent_of = [fresh](uint64_t edge) {
            uint32_t parent = static_cast<uint32_t>(edge >> 8);
            return parent & ROOT ? fresh + (parent ^ ROOT) : parent;
        };
        FreshChildren result;
        std::vector<uint32_t>& begin = result.begin;
        begin.assign(fresh + counts_[1] + 1, 0);
        edges_.each([&](uint64_t edge, uint32_t) { ++begin[parent_of(edge)]; });
        for (size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];  // for now the ends, lowered below
        result.children.resize(fresh);
        edges_.each([&](uint64_t edge, uint32_t node) {
            result.children[--begin[parent_of(edge)]] = (edge & 0xFF) << 32 | node;
        });
        for (size_t i = 0; i + 1 < begin.size(); ++i)
            std::sort(result.children.begin() + begin[i], result.children.begin() + begin[i + 1]);
        return result;
    }

    // Sets links, reports and rows. Suffixes are shorter, so breadth first they are ready when they are needed.
    void link() noexcept {
        uint32_t* links = links_.writable();
        uint32_t* reports = reports_.writable();
        uint32_t* row = rows_.writable();
        const uint32_t* first = first_.data();
        const uint32_t* outputs = outputs_.data();
        const uint8_t* labels = labels_.data();
        const uint16_t* classes = classes_.data();
        uint32_t size = static_cast<uint32_t>(linked_size()), roots = linked_roots(), rows = 0;
        size_t width = row_width();
        uint8_t bytes[257];
        for (int byte = 0; byte < 256; ++byte) bytes[classes[byte]] = static_cast<uint8_t>(byte);
        for (uint32_t node = 0; node < roots; ++node) links[node] = node;
        for (uint32_t node = 0; node < size; ++node) {
            bool is_root = node < roots;
            uint32_t suffix = links[node], suffix_link = links[suffix];
            for (uint32_t next = first[node]; next < first[node + 1]; ++next)
                links[next] = is_root ? node : step(suffix, suffix_link, labels[next], classes[labels[next]]);
            if (!is_root) reports[node] = outputs[suffix] != NONE ? suffix : reports[suffix];
            if (is_wide(first[node + 1] - first[node], width)) {
                row[0] = suffix;
                for (size_t c = 1; c < width; ++c)
                    row[c] = is_root ? node : step(suffix, suffix_link, bytes[c], static_cast<uint16_t>(c));
                for (uint32_t next = first[node]; next < first[node + 1]; ++next) row[classes[labels[next]]] = next;
                row += width;
                links[node] = ROW | rows++;
            }
            if (outputs[node] != NONE || reports[node] != NONE) links[node] |= HIT;
        }
    }

    const char* links_flaw() const noexcept {
        size_t size = linked_size(), width = row_width();
        if (links_.size() != size || reports_.size() != size || classes_.size() != 256) return "patterns.links: length";
        if (!width || width > 257 || rows_.size() % width) return "patterns.rows: length";
        if (!all_below(classes_, width)) return "patterns.classes";
        if (!all_below(rows_, size)) return "patterns.rows";
        const uint32_t* reports = reports_.data();
        for (uint32_t v = 0; v < size; ++v) {  // both ways lead down, so they end
            uint32_t link = links_.data()[v];
            if (link & ROW && (link & INDEX) >= rows_.size() / width) return "patterns.links";
            uint32_t suffix = fail(v);
            if (v < linked_roots() ? suffix != v : suffix >= v) return "patterns.links";
            if (reports[v] != NONE && reports[v] >= v) return "patterns.reports";
        }
        return nullptr;
    }

    // Whether a node with so many children has a row, which then takes at most 16 bytes a child. Up to 8 children are
    // found at once without.
    static bool is_wide(size_t children, size_t width) noexcept { return children > 8 && children * 4 >= width; }

    size_t row_width() const noexcept { return counts_.data()[2]; }

    uint32_t fail(uint32_t node) const noexcept {
        uint32_t link = links_.data()[node];
        return link & ROW ? rows_.data()[(link & INDEX) * row_width()] : link & INDEX;
    }

    uint32_t linked_roots() const noexcept { return counts_.size() ? counts_.data()[0] : 0; }

    static uint64_t edge_of(uint32_t parent, uint8_t label) noexcept { return uint64_t(parent) << 8 | label; }

    // The child of a linked node, or NONE: halving down to 8 labels, which one word compares at once.
    uint32_t child(uint32_t node, uint8_t label) const noexcept {
        uint32_t begin = first_.data()[node], end = first_.data()[node + 1];
        if (begin == end) return NONE;
        const uint8_t* labels = labels_.data();
        while (end - begin > 8) {
            uint32_t middle = begin + (end - begin) / 2;
            bool right = labels[middle] <= label;
            begin = right ? middle : begin;
            end = right ? end : middle;
        }
        uint64_t word = hashing::load8(reinterpret_cast<const char*>(labels + begin)) ^ 0x0101010101010101u * label;
        uint64_t zeros = (word - 0x0101010101010101u) & ~word & 0x8080808080808080u;  // its lowest bit is right
        if (!zeros) return NONE;
        uint32_t found = begin + static_cast<uint32_t>(__builtin_ctzll(zeros)) / 8;
        return found < end ? found : NONE;
    }

    // The longest suffix, of the node's string and the byte after it, that is in the trie; link is the node's.
    uint32_t follow(uint32_t root, uint32_t node, uint32_t link, uint8_t byte) const noexcept {
        uint16_t number = classes_.data()[byte];
        return number ? step(node, link, byte, number) : root;
    }

    uint32_t step(uint32_t node, uint32_t link, uint8_t byte, uint16_t number) const noexcept {
        for (;;) {
            if (link & ROW) return rows_.data()[(link & INDEX) * row_width() + number];
            uint32_t next = child(node, byte);
            if (next != NONE) return next;
            next = link & INDEX;
            if (next == node) return node;  // a root
            node = next;
            link = links_.data()[node];
        }
    }

    const bool with_links_;
    Buffer<uint32_t> first_;
    Buffer<uint8_t> labels_;
    Buffer<uint32_t> outputs_;
    Buffer<uint32_t> counts_;
    IntMap edges_;
    Buffer<uint32_t> fresh_heads_;
    Buffer<uint32_t> links_;
    Buffer<uint32_t> reports_;
    Buffer<uint16_t> classes_;
    Buffer<uint32_t> rows_;
};

}  // namespace boolsieve
