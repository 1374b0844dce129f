// The matching tree of engines/gryphon.pyx, which tells the idea, the buffers and the invariants.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "buffer.hpp"
#include "clause_codes.hpp"
#include "clauses.hpp"
#include "scratch.hpp"

namespace boolsieve {

class GryphonTree {
  public:
    static constexpr uint32_t NONE = 0xFFFFFFFFu;

    struct Options {
        uint32_t leaf = 0;
        bool common_first = false;
    };

    uint64_t size() const noexcept { return codes.records.size(); }

    void build(const Clauses& c, const std::vector<uint32_t>& clauses, const Options& options) {
        if (clauses.empty()) return;
        codes.build(c, clauses, options.common_first);
        Builder(*this, c, clauses, options).run();
    }

    void match(const Clauses& c, Scratch& s) const {
        Own& own = s.own<Own>();
        codes.open(s.event, own);
        std::sort(own.ranks.begin(), own.ranks.end());
        const uint32_t* code = own.code.data();
        size_t n = own.ranks.size();
        own.stack.clear();
        auto take_test = [&](const uint32_t* test, size_t next) {
            if (test[1] == BUCKET)
                own.buckets.push_back({test[2], test[3]});
            else
                each_child(test, code[test[0]], [&](uint32_t child) {
                    __builtin_prefetch(nodes.data() + size_t(child) * 4);
                    own.stack.push_back({child, uint32_t(next)});
                });
        };
        const uint32_t* top = nodes.data();
        own.buckets.push_back({top[2], top[3]});
        for (size_t i = 0; i < n; ++i) {
            uint32_t test = root.data()[own.ranks[i]];
            if (test != NONE) __builtin_prefetch(tests.data() + size_t(test) * 4);
        }
        for (size_t i = 0; i < n; ++i) {
            uint32_t test = root.data()[own.ranks[i]];
            if (test != NONE) take_test(tests.data() + size_t(test) * 4, i + 1);
        }
        while (!own.stack.empty()) {
            auto [at, next] = own.stack.back();
            own.stack.pop_back();
            const uint32_t* node = nodes.data() + size_t(at) * 4;
            if (node[2] != node[3]) own.buckets.push_back({node[2], node[3]});
            // The tests of the node that the event has the attribute for: both are in order, the shorter leads.
            const uint32_t *test = tests.data() + size_t(node[0]) * 4, *end = test + size_t(node[1]) * 4;
            if (node[1] <= SHORT * (n - next)) {
                for (; test < end; test += 4)
                    if (code[test[0]]) take_test(test, size_t(next));
            } else {
                for (size_t i = next; i < n && test < end; ++i) {
                    test = find_test(test, end, own.ranks[i]);
                    if (test < end && test[0] == own.ranks[i]) take_test(test, i + 1);
                }
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
        f("nodes", nodes);
        f("tests", tests);
        f("edges", edges);
        f("root", root);
    }

    // The invariant that does not hold, or an empty string. For tests.
    std::string check(const Clauses& c, const Options& options) const {
        if (const char* problem = codes.check()) return problem;
        if (!size()) return "";
        if (nodes.size() % 4 || tests.size() % 4 || root.size() != codes.rank_count()) return "3: lengths";
        for (uint32_t rank = 0; rank < root.size(); ++rank)
            if (root[rank] != NONE && (root[rank] >= nodes[1] || tests[size_t(root[rank]) * 4] != rank))
                return "3: root";
        for (uint32_t test = 0; test < nodes[1]; ++test)
            if (tests[size_t(test) * 4] >= root.size() || root[tests[size_t(test) * 4]] != test) return "3: root";
        return Checker(*this, c, options).run();
    }

  private:
    using Term = ClauseCodes::Term;

    static constexpr uint32_t BUCKET = 0;  // kind of a test: records; others are the number of cells
    static constexpr uint32_t CELLS = 64;  // of a test's line at most: bits of a mask
    static constexpr uint32_t SHORT = 4;   // tests read for each value that is left, rather than searched; 16 is slower

    struct Own : CodesScratch {
        std::vector<std::pair<uint32_t, uint32_t>> stack;  // node, how many of the event's ranks lie before it
    };

    static const uint32_t* find_test(const uint32_t* test, const uint32_t* end, uint32_t rank) noexcept {
        size_t n = size_t(end - test) / 4;
        while (n) {
            size_t half = (n + 1) / 2;
            if (test[(half - 1) * 4] < rank) test += half * 4;
            n -= half;
        }
        return test;
    }
    static uint32_t cell_of(uint32_t code, uint32_t cells, uint32_t count) noexcept {
        return uint32_t(uint64_t(code - 1) * cells / count);
    }
    // The edges of a test: points; their codes; their children; where each cell's children begin; these.
    template <class F>
    void each_child(const uint32_t* test, uint32_t code, F f) const {
        const uint32_t* e = edges.data() + test[2];
        uint32_t points = *e++, n = points;
        const uint32_t* at = e;
        while (n > 1) {
            uint32_t half = n / 2;
            at = at[half] <= code ? at + half : at;
            n -= half;
        }
        if (n && *at == code) f(at[points]);
        if (!test[3]) return;
        const uint32_t* begin = e + 2 * size_t(points) + cell_of(code, test[1], codes.code_count(test[0]));
        const uint32_t* children = e + 2 * size_t(points) + test[1] + 1;
        for (uint32_t i = begin[0]; i < begin[1]; ++i) f(children[i]);
    }

    // The cells in which a predicate may hold.
    uint64_t mask_of(const Clauses& c, const Term& term, uint32_t cells) const noexcept {
        uint32_t count = codes.code_count(term.rank), p = term.predicate;
        if (term.kind == PREDICATE_IN) {
            uint64_t mask = 0;
            for (uint64_t i = 0; i < c.high[p]; ++i)
                mask |= uint64_t(1) << cell_of(codes.code(term.rank, c.sets[c.low[p] + i]), cells, count);
            return mask;
        }
        uint32_t low = cell_of(term.low, cells, count), high = cell_of(term.high, cells, count);
        return (~uint64_t(0) << low) & (~uint64_t(0) >> (63 - high));
    }
    // Whether an edge of a test with so many cells decides the term.
    bool decides(const Term& term, uint32_t cells) const noexcept {
        return (term.kind == PREDICATE_RANGE || term.kind == PREDICATE_IN) && term.exact &&
               (term.low == term.high || cells == codes.code_count(term.rank));
    }

    struct Builder {
        GryphonTree& tree;
        const Clauses& c;
        const std::vector<uint32_t>& clauses;
        const Options& options;
        std::vector<Term> terms;             // of all clauses
        std::vector<uint32_t> begin, first;  // where a clause's are, and where its tests
        std::vector<uint8_t> cells;          // of the tests on the way to the clause
        std::vector<uint32_t> nodes, tests, edges, records;
        struct Work {
            uint32_t node, begin, end, depth;
        };
        std::vector<Work> stack;
        std::vector<uint32_t> members;                     // clauses, so ordered that a node's lie together
        std::vector<std::pair<uint64_t, uint32_t>> order;  // what a node's clauses are sorted by

        Builder(GryphonTree& t, const Clauses& clauses_, const std::vector<uint32_t>& which, const Options& o)
            : tree(t), c(clauses_), clauses(which), options(o) {}

        void run() {
            begin.reserve(clauses.size() + 1);
            first.reserve(clauses.size());
            for (uint32_t clause : clauses) {
                begin.push_back(uint32_t(terms.size()));
                first.push_back(begin.back() + tree.codes.add_terms(c, clause, terms));
            }
            begin.push_back(uint32_t(terms.size()));
            cells.resize(terms.size());
            members.resize(clauses.size());
            for (uint32_t i = 0; i < members.size(); ++i) members[i] = i;
            stack.push_back({add_node(), 0, uint32_t(members.size()), 0});
            while (!stack.empty()) {
                Work work = stack.back();
                stack.pop_back();
                split(work);
            }
            tree.root.assign(tree.codes.rank_count(), NONE);
            for (uint32_t test = 0; test < nodes[1]; ++test) tree.root.set(tests[size_t(test) * 4], test);
            tree.nodes.append(nodes.data(), nodes.size());
            tree.tests.append(tests.data(), tests.size());
            tree.edges.append(edges.data(), edges.size());
            tree.codes.take_records(records);
        }
        uint32_t add_node() {
            nodes.resize(nodes.size() + 4);
            return uint32_t(nodes.size() / 4 - 1);
        }
        const Term* test_at(uint32_t member, uint32_t depth) const noexcept {
            return first[member] + depth < begin[member + 1] ? &terms[first[member] + depth] : nullptr;
        }
        void add_record(uint32_t member, uint32_t depth, bool behind_test) {
            uint32_t from = begin[member], others = first[member] - from;
            tree.codes.add_record(
                c, clauses[member], terms.data() + from, begin[member + 1] - from, others + depth + behind_test,
                options.common_first,
                [&](uint32_t i) { return i - others < depth && tree.decides(terms[from + i], cells[from + i]); },
                records);
        }
        void split(const Work& work) {
            // By the attribute of the next test; those without one first.
            auto sort_by = [&](uint32_t from, uint32_t to, auto key) {
                order.clear();
                for (uint32_t i = from; i < to; ++i) order.push_back({key(members[i]), members[i]});
                std::sort(order.begin(), order.end());
                for (uint32_t i = from; i < to; ++i) members[i] = order[i - from].second;
            };
            auto run_end = [&](uint32_t from, uint32_t to, auto same) {
                uint32_t end = from + 1;
                while (end < to && same(members[end])) ++end;
                return end;
            };
            nodes[size_t(work.node) * 4 + 2] = uint32_t(records.size());
            uint32_t from = work.begin;
            if (work.end - work.begin <= options.leaf) {
                for (; from < work.end; ++from) add_record(members[from], work.depth, false);
            } else {
                sort_by(work.begin, work.end, [&](uint32_t member) {
                    const Term* test = test_at(member, work.depth);
                    return test ? uint64_t(test->rank) + 1 : 0;
                });
                for (; from < work.end && !test_at(members[from], work.depth); ++from)
                    add_record(members[from], work.depth, false);
            }
            nodes[size_t(work.node) * 4 + 3] = uint32_t(records.size());
            nodes[size_t(work.node) * 4] = uint32_t(tests.size() / 4);
            while (from < work.end) {
                uint32_t rank = test_at(members[from], work.depth)->rank;
                uint32_t end =
                    run_end(from, work.end, [&](uint32_t member) { return test_at(member, work.depth)->rank == rank; });
                ++nodes[size_t(work.node) * 4 + 1];
                if (end - from <= options.leaf) {
                    uint32_t at = uint32_t(records.size());
                    for (; from < end; ++from) add_record(members[from], work.depth, true);
                    tests.insert(tests.end(), {rank, BUCKET, at, uint32_t(records.size())});
                    continue;
                }
                // A cell for each so many clauses, and an edge for each pair of cells, so that edges have clauses in
                // common.
                uint32_t count = tree.codes.code_count(rank), n = 1;
                while (uint64_t(n) * n * options.leaf / 4 < end - from && n < CELLS) ++n;
                n = std::min(n, count);
                auto point = [&](uint32_t member) {
                    const Term* test = test_at(member, work.depth);
                    return test->low == test->high;
                };
                sort_by(from, end, [&](uint32_t member) {
                    const Term* test = test_at(member, work.depth);
                    return point(member) ? uint64_t(test->low) : uint64_t(1) << 32;
                });
                std::vector<uint32_t> point_codes, point_children, children;
                auto add_child = [&](uint32_t at, uint32_t to) {
                    for (uint32_t i = at; i < to; ++i) cells[first[members[i]] + work.depth] = uint8_t(n);
                    stack.push_back({add_node(), at, to, work.depth + 1});
                    return stack.back().node;
                };
                while (from < end && point(members[from])) {
                    uint32_t code = test_at(members[from], work.depth)->low;
                    uint32_t to = run_end(from, end, [&](uint32_t member) {
                        return point(member) && test_at(member, work.depth)->low == code;
                    });
                    point_codes.push_back(code);
                    point_children.push_back(add_child(from, to));
                    from = to;
                }
                uint32_t any = from < end;
                std::vector<uint64_t> masks;
                sort_by(from, end, [&](uint32_t member) { return tree.mask_of(c, *test_at(member, work.depth), n); });
                for (uint32_t start = from; from < end;) {
                    uint64_t mask = order[from - start].first;
                    uint32_t to = from + 1;
                    while (to < end && order[to - start].first == mask) ++to;
                    masks.push_back(mask);
                    children.push_back(add_child(from, to));
                    from = to;
                }
                tests.insert(tests.end(), {rank, n, uint32_t(edges.size()), any});
                edges.push_back(uint32_t(point_codes.size()));
                edges.insert(edges.end(), point_codes.begin(), point_codes.end());
                edges.insert(edges.end(), point_children.begin(), point_children.end());
                if (!any) continue;
                size_t table = edges.size();
                edges.resize(table + n + 1);
                for (uint32_t cell = 0; cell < n; ++cell) {
                    for (size_t i = 0; i < masks.size(); ++i)
                        if (masks[i] >> cell & 1) edges.push_back(children[i]);
                    edges[table + cell + 1] = uint32_t(edges.size() - table - n - 1);
                }
            }
            if (records.size() >= NONE || edges.size() >= NONE || nodes.size() >= NONE)
                throw std::length_error("the tree would hold more than 2^32 words");
        }
    };

    // Walks the whole tree and looks at each record with the way that led to it.
    struct Checker {
        const GryphonTree& tree;
        const Clauses& c;
        const Options& options;
        struct Step {
            uint32_t rank, cells, code;  // of a point; 0 for an edge of cells
            uint64_t mask;
        };
        struct Work {
            uint32_t node;
            std::vector<Step> way;
        };
        std::vector<Work> stack;
        std::vector<uint32_t> expected;
        std::vector<Term> terms;
        uint64_t words = 0;

        Checker(const GryphonTree& t, const Clauses& clauses, const Options& o) : tree(t), c(clauses), options(o) {}

        std::string run() {
            size_t count = tree.nodes.size() / 4, reached = 0;
            std::vector<uint8_t> seen(count);
            stack.push_back({0, {}});
            while (!stack.empty()) {
                Work work = std::move(stack.back());
                stack.pop_back();
                if (work.node >= count || seen[work.node]) return "3: a node beyond the nodes or reached twice";
                seen[work.node] = 1;
                ++reached;
                const uint32_t* node = tree.nodes.data() + size_t(work.node) * 4;
                std::string problem = bucket(node[2], node[3], work.way, NONE);
                if (!problem.empty()) return problem;
                if (uint64_t(node[0]) + node[1] > tree.tests.size() / 4) return "3: tests beyond the tests";
                const uint32_t* test = tree.tests.data() + size_t(node[0]) * 4;
                for (uint32_t i = 0; i < node[1]; ++i, test += 4) {
                    if (test[0] >= tree.codes.rank_count() || (i && test[-4] >= test[0]) ||
                        (!work.way.empty() && work.way.back().rank >= test[0]))
                        return "4: order of the tests";
                    problem = test[1] == BUCKET ? bucket(test[2], test[3], work.way, test[0]) : follow(test, work.way);
                    if (!problem.empty()) return problem;
                }
            }
            if (reached != count) return "3: nodes out of reach";
            return words == tree.codes.records.size() ? "" : "5: records out of reach";
        }
        std::string follow(const uint32_t* test, const std::vector<Step>& way) {
            const Buffer<uint32_t>& edges = tree.edges;
            uint64_t at = test[2], cells = test[1];
            if (at >= edges.size() || cells > CELLS || cells > tree.codes.code_count(test[0]))
                return "3: cells of a test";
            uint64_t points = edges[at++], table = at + 2 * points;
            if (table + (test[3] ? cells + 1 : 0) > edges.size()) return "3: edges beyond the edges";
            auto go = [&](uint32_t child, Step step) {
                stack.push_back({child, way});
                stack.back().way.push_back(step);
            };
            for (uint64_t i = 0; i < points; ++i) {
                if (!edges[at + i] || (i && edges[at + i - 1] >= edges[at + i])) return "4: order of the points";
                go(edges[at + points + i], {test[0], uint32_t(cells), edges[at + i], 0});
            }
            if (!test[3]) return "";
            std::vector<std::pair<uint32_t, uint64_t>> children;
            for (uint64_t cell = 0; cell < cells; ++cell)
                for (uint64_t i = edges[table + cell]; i < edges[table + cell + 1]; ++i) {
                    if (table + cells + 1 + i >= edges.size()) return "3: edges beyond the edges";
                    children.push_back({edges[table + cells + 1 + i], uint64_t(1) << cell});
                }
            std::sort(children.begin(), children.end());
            for (size_t i = 0; i < children.size();) {
                Step step{test[0], uint32_t(cells), 0, 0};
                uint32_t child = children[i].first;
                for (; i < children.size() && children[i].first == child; ++i) step.mask |= children[i].second;
                go(child, step);
            }
            return "";
        }
        // `rank` is that of the test that the bucket belongs to, or NONE if it belongs to the node.
        std::string bucket(uint32_t begin, uint32_t end, const std::vector<Step>& way, uint32_t rank) {
            const Buffer<uint32_t>& records = tree.codes.records;
            if (begin > end || end > records.size()) return "5: records beyond the records";
            words += end - begin;
            while (begin < end) {
                uint32_t clause = records[begin], length = 2 + (records[begin + 1] >> 1);
                if (clause >= c.count || length > end - begin) return "5: a record that is cut";
                if (c.owner[clause] != DEAD) {
                    terms.clear();
                    uint32_t others = tree.codes.add_terms(c, clause, terms);
                    if (terms.size() - others < way.size()) return "4: a clause behind too many tests";
                    for (size_t i = 0; i < way.size(); ++i) {
                        const Step& step = way[i];
                        const Term& test = terms[others + i];
                        if (test.rank != step.rank) return "4: a clause behind another test";
                        if (step.code ? test.low != test.high || test.low != step.code
                                      : tree.mask_of(c, test, step.cells) & ~step.mask)
                            return "4: a clause at another edge";
                    }
                    if (rank != NONE &&
                        (terms.size() - others == way.size() || terms[others + way.size()].rank != rank))
                        return "4: a clause behind another test";
                    expected.clear();
                    tree.codes.add_record(
                        c, clause, terms.data(), uint32_t(terms.size()), uint32_t(others + way.size()) + (rank != NONE),
                        options.common_first,
                        [&](uint32_t i) {
                            return i - others < way.size() && tree.decides(terms[i], way[i - others].cells);
                        },
                        expected);
                    if (!std::equal(expected.begin(), expected.end(), records.data() + begin,
                                    records.data() + begin + length))
                        return "5: a record that says something else";
                }
                begin += length;
            }
            return "";
        }
    };

    ClauseCodes codes;
    Buffer<uint32_t> nodes, tests, edges, root;
};

}  // namespace boolsieve
