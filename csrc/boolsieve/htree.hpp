// The tree of engines/htree.pyx, which tells the idea, the buffers and the invariants.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "buffer.hpp"
#include "clause_codes.hpp"
#include "clauses.hpp"
#include "scratch.hpp"

namespace boolsieve {

class HTree {
  public:
    static constexpr uint32_t NONE = 0xFFFFFFFFu;

    struct Options {
        uint32_t leaf = 0, levels = 0;
    };

    uint64_t size() const noexcept { return codes.records.size(); }

    void build(const Clauses& c, const std::vector<uint32_t>& clauses, const Options& options) {
        if (clauses.empty()) return;
        codes.build(c, clauses, false);
        Builder(*this, c, clauses, options).run();
    }

    void match(const Clauses& c, Scratch& s) const {
        Own& own = s.own<Own>();
        codes.open(s.event, own);
        own.stack.clear();
        auto go = [&](const uint32_t* place) {
            if (place[1] != NONE) {
                own.buckets.push_back({place[0], place[1]});
            } else if (place[0] != NONE) {
                __builtin_prefetch(nodes.data() + size_t(place[0]) * NODE);
                own.stack.push_back(place[0]);
            }
        };
        for (uint32_t rank : own.ranks) __builtin_prefetch(directory.data() + size_t(rank) * 2);
        for (uint32_t rank : own.ranks) go(directory.data() + size_t(rank) * 2);
        while (!own.stack.empty()) {
            const uint32_t* node = nodes.data() + size_t(own.stack.back()) * NODE;
            own.stack.pop_back();
            go(node + FREE);
            uint32_t code = own.code[node[RANK]];
            if (!code) continue;
            const uint32_t* first = cells.data() + size_t(node[CELLS_BEGIN]) * CELL;
            const uint32_t* end = first + size_t(node[CELLS_COUNT]) * CELL;
            for (uint32_t widths = node[WIDTHS]; widths; widths &= widths - 1) {
                uint32_t width = uint32_t(__builtin_ctz(widths));
                auto [low, high] = window(code, width, node[GRID]);
                first = find_cell(first, end, low);
                for (; first < end && *first <= high; first += CELL) go(first + 1);
            }
        }
        codes.close(c, own, s);
    }

    template <class F>
    void each_clause(F f) const {
        codes.each_clause(f);
    }

    template <class F>
    void each_buffer(F f) {
        codes.each_buffer(f);
        f("directory", directory);
        f("nodes", nodes);
        f("cells", cells);
    }

    // The invariant that does not hold, or an empty string. For tests.
    std::string check(const Clauses& c, const Options&) const {
        if (const char* problem = codes.check()) return problem;
        if (!size()) return "";
        if (directory.size() != size_t(codes.rank_count()) * 2 || nodes.size() % NODE || cells.size() % CELL)
            return "3: lengths";
        return Checker(*this, c).run();
    }

  private:
    using Term = ClauseCodes::Term;

    enum Field : uint32_t { RANK, GRID, WIDTHS, CELLS_BEGIN, CELLS_COUNT, FREE, NODE = FREE + 2 };
    static constexpr uint32_t CELL = 3;          // words: key, place
    static constexpr uint32_t WIDTH_SHIFT = 26;  // of a key: width, then cell
    // Records that an event reads of 100,000 clauses of Dexin, and of OpIndex under Zipf.
    static constexpr uint32_t FINE = 3;  // cells are w / 2^FINE: with 2, 3, 4: 10442, 9631, 10073; 1263, 1214, 1203
    static constexpr uint32_t FILL = 4;  // cells for `leaf` clauses: with 2, 4, 8: 10132, 9631, 9323; 1318, 1214, 1168
    static constexpr double LEAST_GAIN = 0.25;  // share of clauses to rule out: with 0.1, 0.5: 9631, 13224; 1197, 1218

    struct Own : CodesScratch {
        std::vector<uint32_t> stack;
    };

    // Intervals of width w have high - low < 2^w; a cell holds those with the centre in it. Centres count in halves.
    static uint32_t shift_of(uint32_t width, uint32_t grid) noexcept {
        return 1 + std::max(grid, width < FINE ? 0 : width - FINE);
    }
    static uint32_t key_of(uint32_t low, uint32_t high, uint32_t grid) noexcept {
        uint32_t width = high == low ? 0 : 32 - uint32_t(__builtin_clz(high - low));
        width = std::max(width, grid);
        return width << WIDTH_SHIFT | (low + high) >> shift_of(width, grid);
    }
    // The first and the last cell that may hold an interval around the code: its centre is at most half its width away.
    static std::pair<uint32_t, uint32_t> window(uint32_t code, uint32_t width, uint32_t grid) noexcept {
        uint32_t reach = (1u << width) - 1, shift = shift_of(width, grid);
        uint32_t low = 2 * code > reach ? 2 * code - reach : 0;
        return {width << WIDTH_SHIFT | low >> shift, width << WIDTH_SHIFT | (2 * code + reach) >> shift};
    }
    static const uint32_t* find_cell(const uint32_t* first, const uint32_t* end, uint32_t key) noexcept {
        size_t n = size_t(end - first) / CELL;
        while (n) {
            size_t half = (n + 1) / 2;
            if (first[(half - 1) * CELL] < key) first += half * CELL;
            n -= half;
        }
        return first;
    }
    // The part of an attribute's codes for which a term may hold.
    double share(const Clauses& c, const Term& term) const noexcept {
        double covered = term.kind == PREDICATE_IN ? double(c.high[term.predicate]) : double(term.high - term.low + 1);
        return std::min(1.0, covered / codes.code_count(term.rank));
    }

    struct Builder {
        HTree& tree;
        const Clauses& c;
        const std::vector<uint32_t>& clauses;
        const Options& options;
        std::vector<Term> terms;             // of all clauses
        std::vector<uint32_t> begin, first;  // where a clause's are, and where its tests
        std::vector<uint32_t> nodes, cells, directory, records;
        struct Work {
            uint32_t node, begin, end;
            std::vector<uint32_t> way;  // ranks so far, with the node's
        };
        std::vector<Work> stack;
        std::vector<uint32_t> members;                     // clauses, so ordered that a node's lie together
        std::vector<std::pair<uint64_t, uint32_t>> order;  // what a node's clauses are sorted by
        std::vector<double> gain;                          // by rank, 0 between nodes

        Builder(HTree& t, const Clauses& clauses_, const std::vector<uint32_t>& which, const Options& o)
            : tree(t), c(clauses_), clauses(which), options(o) {}

        void run() {
            uint32_t count = tree.codes.rank_count();
            std::vector<uint32_t> uses(count), home(clauses.size());
            first.reserve(clauses.size());
            begin.reserve(clauses.size() + 1);
            for (uint32_t clause : clauses) {
                begin.push_back(uint32_t(terms.size()));
                first.push_back(begin.back() + tree.codes.add_terms(c, clause, terms));
                for (size_t i = first.back(); i < terms.size(); ++i) ++uses[terms[i].rank];
            }
            begin.push_back(uint32_t(terms.size()));
            members.resize(clauses.size());
            gain.resize(count);
            directory.assign(size_t(count) * 2, NONE);
            for (uint32_t i = 0; i < members.size(); ++i) {
                members[i] = i;
                double least = 0;
                for (uint32_t t = first[i]; t < begin[i + 1]; ++t) {
                    double visits = uses[terms[t].rank] * tree.share(c, terms[t]);
                    if (t != first[i] && visits >= least) continue;
                    least = visits;
                    home[i] = terms[t].rank;
                }
            }
            sort_by(0, uint32_t(members.size()), [&](uint32_t member) { return home[member]; });
            for (uint32_t from = 0; from < members.size();) {
                uint32_t rank = home[members[from]], end = from;
                while (end < members.size() && home[members[end]] == rank) ++end;
                auto [a, b] = place(from, end, {}, rank);
                directory[size_t(rank) * 2] = a;
                directory[size_t(rank) * 2 + 1] = b;
                from = end;
            }
            while (!stack.empty()) {
                Work work = std::move(stack.back());
                stack.pop_back();
                split(work);
            }
            tree.directory.append(directory.data(), directory.size());
            tree.nodes.append(nodes.data(), nodes.size());
            tree.cells.append(cells.data(), cells.size());
            tree.codes.take_records(records);
        }
        template <class Key>
        void sort_by(uint32_t from, uint32_t to, Key key) {
            order.clear();
            for (uint32_t i = from; i < to; ++i) order.push_back({key(members[i]), members[i]});
            std::sort(order.begin(), order.end());
            for (uint32_t i = from; i < to; ++i) members[i] = order[i - from].second;
        }
        // The place of some clauses: a node for that rank, or a bucket if they are few or no rank is left.
        std::pair<uint32_t, uint32_t> place(uint32_t from, uint32_t to, const std::vector<uint32_t>& way,
                                            uint32_t rank) {
            if (rank == NONE || to - from <= options.leaf) {
                uint32_t at = uint32_t(records.size());
                for (uint32_t i = from; i < to; ++i) {
                    uint32_t member = members[i];
                    tree.codes.add_record(
                        c, clauses[member], &terms[begin[member]], begin[member + 1] - begin[member],
                        first[member] - begin[member], false, [](uint32_t) { return false; }, records);
                }
                if (records.size() >= NONE) throw std::length_error("the records would hold more than 2^32 words");
                return {at, uint32_t(records.size())};
            }
            stack.push_back({uint32_t(nodes.size() / NODE), from, to, way});
            stack.back().way.push_back(rank);
            nodes.resize(nodes.size() + NODE, NONE);
            return {stack.back().node, NONE};
        }
        const Term* term_on(uint32_t member, uint32_t rank) const noexcept {
            auto last = terms.begin() + begin[member + 1];
            auto at = std::lower_bound(terms.begin() + first[member], last, rank,
                                       [](const Term& term, uint32_t r) { return term.rank < r; });
            return at != last && at->rank == rank ? &*at : nullptr;
        }
        // The attribute that tells the clauses apart best, or NONE: the sum of what it rules out for each.
        uint32_t best_rank(uint32_t from, uint32_t to, const std::vector<uint32_t>& way) {
            if (way.size() == options.levels || to - from <= options.leaf) return NONE;
            std::vector<uint32_t> touched;
            for (uint32_t i = from; i < to; ++i)
                for (uint32_t t = first[members[i]]; t < begin[members[i] + 1]; ++t) {
                    if (gain[terms[t].rank] == 0) touched.push_back(terms[t].rank);
                    gain[terms[t].rank] += 1.0 + 1e-9 - tree.share(c, terms[t]);
                }
            for (uint32_t rank : way) gain[rank] = 0;
            uint32_t best = NONE;
            double most = LEAST_GAIN * (to - from);
            for (uint32_t rank : touched) {
                if (gain[rank] > most) {
                    most = gain[rank];
                    best = rank;
                }
                gain[rank] = 0;
            }
            return best;
        }
        void split(const Work& work) {
            uint32_t rank = work.way.back(), n = work.end - work.begin, grid = 0;
            while (tree.codes.code_count(rank) >> grid > std::max(1u, uint32_t(uint64_t(n) * FILL / options.leaf)))
                ++grid;
            sort_by(work.begin, work.end, [&](uint32_t member) {
                const Term* term = term_on(member, rank);
                return term ? key_of(term->low, term->high, grid) : uint64_t(NONE);
            });
            std::vector<uint32_t> keys;
            for (const auto& [key, member] : order) keys.push_back(uint32_t(key));
            uint32_t widths = 0, cells_begin = uint32_t(cells.size() / CELL);
            for (uint32_t from = 0; from < n;) {
                uint32_t to = from, key = keys[from];
                while (to < n && keys[to] == key) ++to;
                uint32_t next = best_rank(work.begin + from, work.begin + to, work.way);
                auto [a, b] = place(work.begin + from, work.begin + to, work.way, next);
                if (key == NONE) {
                    nodes[size_t(work.node) * NODE + FREE] = a;
                    nodes[size_t(work.node) * NODE + FREE + 1] = b;
                } else {
                    widths |= 1u << (key >> WIDTH_SHIFT);
                    cells.insert(cells.end(), {key, a, b});
                }
                from = to;
            }
            uint32_t* node = nodes.data() + size_t(work.node) * NODE;
            node[RANK] = rank;
            node[GRID] = grid;
            node[WIDTHS] = widths;
            node[CELLS_BEGIN] = cells_begin;
            node[CELLS_COUNT] = uint32_t(cells.size() / CELL) - cells_begin;
        }
    };

    // Walks all trees and looks at each record with the way that led to it.
    struct Checker {
        const HTree& tree;
        const Clauses& c;
        struct Step {
            uint32_t rank, grid, key;  // NONE: not constrained
        };
        struct Work {
            uint32_t node;
            std::vector<Step> way;
        };
        std::vector<Work> stack;
        std::vector<uint32_t> expected;
        std::vector<Term> terms;
        uint64_t words = 0;

        Checker(const HTree& t, const Clauses& clauses) : tree(t), c(clauses) {}

        std::string run() {
            size_t count = tree.nodes.size() / NODE, reached = 0;
            std::vector<uint8_t> seen(count);
            for (uint32_t rank = 0; rank < tree.codes.rank_count(); ++rank) {
                home = rank;
                std::string problem = go(tree.directory.data() + size_t(rank) * 2, {});
                while (problem.empty() && !stack.empty()) {
                    Work work = std::move(stack.back());
                    stack.pop_back();
                    if (work.node >= count || seen[work.node]) return "3: a node beyond the nodes or reached twice";
                    seen[work.node] = 1;
                    ++reached;
                    problem = follow(tree.nodes.data() + size_t(work.node) * NODE, work.way);
                }
                if (!problem.empty()) return problem;
            }
            if (reached != count) return "3: nodes out of reach";
            return words == tree.codes.records.size() ? "" : "5: records out of reach";
        }
        std::string go(const uint32_t* place, const std::vector<Step>& way) {
            if (place[1] != NONE) return bucket(place[0], place[1], way);
            if (place[0] != NONE) stack.push_back({place[0], way});
            return "";
        }
        std::string follow(const uint32_t* node, std::vector<Step>& way) {
            if (node[RANK] >= tree.codes.rank_count() || node[GRID] > 16) return "3: rank or grid of a node";
            if (uint64_t(node[CELLS_BEGIN]) + node[CELLS_COUNT] > tree.cells.size() / CELL)
                return "3: cells beyond the cells";
            way.push_back({node[RANK], node[GRID], NONE});
            std::string problem = go(node + FREE, way);
            uint32_t widths = 0;
            const uint32_t* cell = tree.cells.data() + size_t(node[CELLS_BEGIN]) * CELL;
            for (uint32_t i = 0; i < node[CELLS_COUNT] && problem.empty(); ++i, cell += CELL) {
                if (i && cell[-int(CELL)] >= cell[0]) return "4: order of the cells";
                widths |= 1u << (cell[0] >> WIDTH_SHIFT & 31);
                way.back().key = cell[0];
                problem = go(cell + 1, way);
            }
            if (problem.empty() && widths != node[WIDTHS]) return "4: widths of a node";
            return problem;
        }
        std::string bucket(uint32_t at, uint32_t end, const std::vector<Step>& way) {
            const Buffer<uint32_t>& records = tree.codes.records;
            if (at > end || end > records.size()) return "5: records beyond the records";
            words += end - at;
            while (at < end) {
                uint32_t clause = records[at], length = 2 + (records[at + 1] >> 1);
                if (clause >= c.count || length > end - at) return "5: a record that is cut";
                if (c.owner[clause] != DEAD) {
                    terms.clear();
                    uint32_t others = tree.codes.add_terms(c, clause, terms);
                    auto key_on = [&](uint32_t rank, uint32_t grid) {
                        for (size_t i = others; i < terms.size(); ++i)
                            if (terms[i].rank == rank) return key_of(terms[i].low, terms[i].high, grid);
                        return NONE;
                    };
                    if (key_on(home, 0) == NONE) return "4: a clause under another attribute";
                    for (const Step& step : way)
                        if (key_on(step.rank, step.grid) != step.key) return "4: a clause in another cell";
                    expected.clear();
                    tree.codes.add_record(
                        c, clause, terms.data(), uint32_t(terms.size()), others, false, [](uint32_t) { return false; },
                        expected);
                    if (!std::equal(expected.begin(), expected.end(), records.data() + at,
                                    records.data() + at + length))
                        return "5: a record that says something else";
                }
                at += length;
            }
            return "";
        }
        uint32_t home = 0;
    };

    ClauseCodes codes;
    Buffer<uint32_t> directory, nodes, cells;
};

}  // namespace boolsieve
