// Propagation: clusters of clauses under access predicates. engines/propagation.pyx tells the idea, the buffers, the
// invariants and where it differs from the paper.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "buffer.hpp"
#include "clauses.hpp"
#include "lists.hpp"
#include "predicate_index.hpp"
#include "predicate_trie.hpp"
#include "rarity.hpp"
#include "scratch.hpp"

namespace boolsieve {

struct PropagationScratch : EngineScratch {
    std::vector<uint32_t> satisfied;  // the numbers of the predicates that hold
    std::vector<uint64_t> bits;       // the predicate bit vector; zero between two events
    std::vector<uint32_t> nodes;      // access predicates that hold
    std::vector<uint32_t> found;      // clauses that hold
    std::vector<uint32_t> undecided;  // clauses of which the store decides the rest
};

class PropagationIndex {
  public:
    static constexpr uint32_t NONE = 0xFFFFFFFFu;

    void insert(const Clauses& c, uint32_t first, uint32_t count) {
        std::vector<uint32_t> numbers;
        rarity.open(c.attributes);
        predicates.acquire_all(c, first, count, MOST, numbers);
        for (uint32_t clause = first; clause < first + count; ++clause) rarity.add(c, clause);
        uint32_t clause = first, base = c.begin[first];
        try {
            clause_cluster.resize(size_t(first) + count, NONE);
            clause_row.resize(size_t(first) + count, NONE);
            heat.resize(predicates.limit(), 0);
            Clause one;
            for (; clause < first + count; ++clause) {
                one.picks.clear();
                bool indexable = PredicateIndex::indexable(c.head[c.begin[clause]] & KIND_MASK);
                for (uint32_t p = c.begin[clause]; p < c.begin[clause + 1]; ++p)
                    if (numbers[p - base] != NONE) one.picks.push_back({p, numbers[p - base], 0});
                one.decided = indexable && one.picks.size() == c.begin[clause + 1] - c.begin[clause];
                rank(c, one);
                file(c, clause, one);
            }
        } catch (...) {
            while (clause-- > first) unfile(clause_cluster[clause], clause_row[clause]);
            for (uint32_t number : numbers)
                if (number != NONE) predicates.release(c, number);
            for (clause = first; clause < first + count; ++clause) rarity.remove(c, clause);
            clause_cluster.resize(std::min<size_t>(clause_cluster.size(), first));
            clause_row.resize(std::min<size_t>(clause_row.size(), first));
            throw;
        }
        if (predicates.grown(c.count)) {
            predicates.pack();
            columns.pack();
        }
    }

    void remove(const Clauses& c, uint32_t first, uint32_t count) {
        std::vector<uint32_t> of_clause;
        for (uint32_t clause = first; clause < first + count; ++clause) {
            uint32_t node = cluster(clause_cluster[clause], NODE), top = node;
            while (trie.parent_of(top) != NONE) top = trie.parent_of(top);
            bool last = trie.live_below(top) == 1;
            unfile(clause_cluster[clause], clause_row[clause]);
            clause_cluster.set(clause, NONE);
            clause_row.set(clause, NONE);
            if (!last && top != node && trie.live_below(top) < EXTEND_FROM / 8) fold(c, top);
            rarity.remove(c, clause);
            PredicateIndex::representatives(c, clause, MOST, of_clause);
            for (uint32_t p : of_clause) {
                uint32_t number = predicates.find(c, PredicateIndex::form_of(c, p));
                predicates.release(c, number, [this](uint32_t gone) {
                    if (gone < heat.size()) heat.set(gone, 0);
                });
            }
        }
    }

    void match(const Clauses& c, Scratch& s) const {
        PropagationScratch& own = s.own<PropagationScratch>();
        size_t room = predicates.limit() + PredicateIndex::SLACK;
        if (own.satisfied.size() < room) own.satisfied.resize(room);
        if (own.bits.size() * 64 < room) own.bits.resize(room / 64 + 1);
        const uint32_t* satisfied = own.satisfied.data();
        uint64_t* bits = own.bits.data();
        // Phase 1: the predicate bit vector.
        size_t n = size_t(predicates.satisfied(c, s.event, own.satisfied.data()) - satisfied);
        own.nodes.clear();
        for (size_t i = 0; i < n; ++i) {
            if (i + AHEAD < n) trie.prefetch_root(satisfied[i + AHEAD]);
            bits[satisfied[i] >> 6] |= uint64_t(1) << (satisfied[i] & 63);
            uint32_t node = trie.root(satisfied[i]);
            if (node != NONE) own.nodes.push_back(node);
        }
        // Phase 2: the clusters of the access predicates that hold.
        uint64_t evaluated = n, rows = 0;
        own.found.clear();
        own.undecided.clear();
        for (size_t i = 0; i < own.nodes.size(); ++i) {
            if (i + 2 * AHEAD < own.nodes.size()) __builtin_prefetch(first_cluster.data() + own.nodes[i + 2 * AHEAD]);
            if (i + AHEAD < own.nodes.size()) {
                uint32_t coming = first_cluster.data()[own.nodes[i + AHEAD]];
                trie.prefetch(own.nodes[i + AHEAD]);
                if (coming != NONE) {
                    __builtin_prefetch(clusters.data() + size_t(coming) * FIELDS);
                    columns.prefetch(coming);
                }
            }
            uint32_t node = own.nodes[i];
            trie.each_satisfied(node, bits, satisfied, n, [&](uint32_t child) { own.nodes.push_back(child); });
            for (uint32_t k = first_cluster.data()[node]; k != NONE; k = cluster(k, NEXT)) {
                rows += cluster(k, LENGTH);
                evaluated += scan(k, bits, cluster(k, CODE) & 1 ? own.undecided : own.found);
            }
        }
        for (size_t i = 0; i < n; ++i) bits[satisfied[i] >> 6] = 0;
        for (size_t i = 0; i < own.found.size(); ++i) {
            if (i + AHEAD < own.found.size()) __builtin_prefetch(c.owner + own.found[i + AHEAD]);
            s.found.add(c.owner[own.found[i]]);
        }
        for (uint32_t clause : own.undecided) {
            uint32_t begin = c.begin[clause], end = c.begin[clause + 1];
            uint32_t failed = first_failure(c, begin, end, s.event);
            evaluated += failed - begin + (failed < end);
            if (failed == end) s.found.add(c.owner[clause]);
        }
        ++s.counters.events;
        s.counters.predicates += evaluated;
        s.counters.candidates += rows;
    }

    // Counts which predicates the sampled events satisfy, and redistributes the clusters that are scanned most: to a
    // predicate of their clauses that is satisfied less often, or to one more equality.
    void learn(const Clauses& c, const Sample& sample) {
        if (!predicates.limit() || !sample.events) return;
        if (!learned.size()) learned.push_back(0);
        std::vector<uint32_t> satisfied(predicates.limit() + PredicateIndex::SLACK), visits;
        std::vector<uint8_t> hits(predicates.limit(), 0);
        uint32_t events = std::min(sample.events, LEARN_EVENTS);
        for (const Cell& cell : sample.cells) {
            if (cell.row >= events) continue;
            const uint32_t* end = predicates.satisfied(c, cell.attribute, cell.key, satisfied.data());
            for (const uint32_t* number = satisfied.data(); number < end; ++number) {
                ++hits[*number];
                if (trie.root(*number) != NONE) visits.push_back(trie.root(*number));
            }
        }
        learned.set(0, learned[0] + events);
        heat.resize(predicates.limit(), 0);
        uint8_t* warm = heat.writable();
        for (size_t i = 0; i < hits.size(); ++i)
            warm[i] = uint8_t(std::min(255, warm[i] - warm[i] / 4 + hits[i] * int(LEARN_EVENTS / events)));
        std::sort(visits.begin(), visits.end());
        std::vector<std::pair<double, uint32_t>> margins;  // clauses scanned an event, node
        int64_t budget = 256;
        for (size_t i = 0, end; i < visits.size(); i = end) {
            for (end = i; end < visits.size() && visits[end] == visits[i];) ++end;
            uint64_t scanned = (end - i) * rows_of(visits[i]);
            budget += int64_t(scanned);
            if (double(scanned) / events >= MARGIN) margins.push_back({double(scanned) / events, visits[i]});
        }
        std::sort(margins.rbegin(), margins.rend());
        for (auto [margin, node] : margins)
            if (budget > 0) redistribute(c, node, budget);
    }

    template <class F>
    void each_buffer(F f) {
        auto inner = [&f](const std::string& prefix, auto& holder) {
            holder.each_buffer([&](const char* name, auto& buffer) { f((prefix + name).c_str(), buffer); });
        };
        inner("predicates.", predicates);
        inner("trie.", trie);
        inner("rarity.", rarity);
        f("heat", heat);
        f("learned", learned);
        f("first_cluster", first_cluster);
        f("clusters", clusters);
        f("free", free);
        inner("columns.", columns);
        f("clause_cluster", clause_cluster);
        f("clause_row", clause_row);
    }

    // The invariant that does not hold, or an empty text. For tests.
    std::string check(const Clauses& c) const {
        if (clause_cluster.size() != c.count || clause_row.size() != c.count || clusters.size() % FIELDS)
            return "3: lengths";
        if (!predicates.searchable()) return "1: 1: the table is too full";
        std::vector<uint32_t> expected(predicates.limit(), 0), of_clause;
        std::vector<std::vector<uint32_t>> numbers(c.count);
        std::vector<uint8_t> decided(c.count, 0);
        for (uint32_t clause = 0; clause < c.count; ++clause) {
            if (c.owner[clause] == DEAD) {
                if (clause_cluster[clause] != NONE) return "3: a dead clause in a cluster";
                continue;
            }
            decided[clause] = PredicateIndex::representatives(c, clause, MOST, of_clause);
            for (uint32_t p : of_clause) {
                uint32_t number = predicates.find(c, PredicateIndex::form_of(c, p));
                if (number == NONE) return "1: a predicate that is not found";
                ++expected[number];
                numbers[clause].push_back(number);
            }
            std::sort(numbers[clause].begin(), numbers[clause].end());
        }
        std::string problem = predicates.check(c, expected);
        if (!problem.empty()) return "1: " + problem;
        if (const char* wrong = trie.check()) return std::string("2: ") + wrong;
        if (first_cluster.size() < trie.limit() || columns.count() < clusters.size() / FIELDS || columns.check())
            return "3: lengths";
        std::vector<uint32_t> live(trie.limit(), 0), filed(c.count, 0);
        std::vector<uint8_t> reached(clusters.size() / FIELDS, 0);
        for (uint32_t node = 0; node < trie.limit(); ++node) {
            if (!trie.used(node)) continue;
            if (trie.parent_of(node) != NONE && !predicates.is_point(trie.predicate_of(node)))
                return "2: a conjunction with something else than an equality";
            std::vector<uint32_t> codes;
            for (uint32_t k = first_cluster[node]; k != NONE; k = cluster(k, NEXT)) {
                if (k >= reached.size() || reached[k]++ || cluster(k, NODE) != node || !cluster(k, LENGTH))
                    return "3: a cluster";
                uint32_t width = width_of(k), room = columns.room_of(k) / width;
                if (cluster(k, LENGTH) > room || columns.size(k) != columns.room_of(k)) return "3: room of a cluster";
                codes.push_back(cluster(k, CODE));
                for (uint32_t row = 0; row < cluster(k, LENGTH); ++row) {
                    uint32_t clause = columns.items(k)[(width - 1) * room + row];
                    if (clause >= c.count || filed[clause]++ || clause_cluster[clause] != k ||
                        clause_row[clause] != row || c.owner[clause] == DEAD)
                        return "3: the place of a clause";
                    if ((cluster(k, CODE) & 1) == decided[clause]) return "4: whether a clause is decided";
                    std::vector<uint32_t> there;
                    for (uint32_t j = 0; j + 1 < width; ++j) there.push_back(columns.items(k)[j * room + row]);
                    for (uint32_t at = node; at != NONE; at = trie.parent_of(at)) {
                        ++live[at];
                        uint32_t on_path = trie.predicate_of(at);
                        there.insert(there.end(),
                                     size_t(std::count(numbers[clause].begin(), numbers[clause].end(), on_path)),
                                     on_path);
                    }
                    std::sort(there.begin(), there.end());
                    if (there != numbers[clause]) return "4: the predicates of a row";
                }
            }
            std::sort(codes.begin(), codes.end());
            if (std::adjacent_find(codes.begin(), codes.end()) != codes.end()) return "3: two clusters of a size";
        }
        for (uint32_t clause = 0; clause < c.count; ++clause)
            if (c.owner[clause] != DEAD && !filed[clause]) return "3: a clause in no cluster";
        for (uint32_t node = 0; node < trie.limit(); ++node)
            if (trie.used(node) && (!live[node] || live[node] != trie.live_below(node))) return "5: live clauses";
        size_t unused = 0;
        for (uint32_t k = free.size() ? free[0] : NONE; k != NONE; k = cluster(k, NEXT))
            if (k >= reached.size() || reached[k]++ || columns.room_of(k) || ++unused > reached.size())
                return "3: free clusters";
        if (std::count(reached.begin(), reached.end(), 0)) return "3: a cluster out of reach";
        if (const char* wrong = rarity.check(c)) return std::string("6: ") + wrong;
        return "";
    }

  private:
    static constexpr uint32_t MOST = 127;  // predicates of a clause in columns; the others are checked
    static constexpr size_t AHEAD = 8;
    // From this many rows on a cluster is worth one more equality: the look-ups of an event's values among the children
    // of its access predicate take as long as some hundred rows. Estimated, as are the three below.
    static constexpr uint32_t EXTEND_FROM = 512;
    static constexpr uint32_t DEEPEST = 3;
    // Rows scanned an event from which on a cluster's margin is worth looking into.
    static constexpr double MARGIN = 16;
    static constexpr uint32_t LEARN_EVENTS = 64;
    static constexpr int64_t MOVE_COST = 64;  // of moving a clause, in rows scanned
    enum Field : uint32_t { NODE, CODE, LENGTH, NEXT, FIELDS };

    struct Pick {
        uint32_t p, number;
        double share;
    };
    struct Clause {
        std::vector<Pick> picks;  // its representatives, rarest first
        bool decided;
    };

    uint32_t cluster(uint32_t k, Field field) const { return clusters.data()[size_t(k) * FIELDS + field]; }
    void put(uint32_t k, Field field, uint32_t value) { clusters.set(size_t(k) * FIELDS + field, value); }
    uint32_t width_of(uint32_t k) const { return (cluster(k, CODE) >> 1) + 1; }
    uint32_t rows_of(uint32_t node) const {
        uint32_t n = 0;
        for (uint32_t k = first_cluster[node]; k != NONE; k = cluster(k, NEXT)) n += cluster(k, LENGTH);
        return n;
    }

    // Appends the clauses of a cluster whose bits are all set. How many bits it looked at.
    uint64_t scan(uint32_t k, const uint64_t* bits, std::vector<uint32_t>& found) const {
        uint32_t width = width_of(k), length = cluster(k, LENGTH), size = width - 1;
        size_t room = columns.room_of(k) / width;
        const uint32_t *words = columns.items(k), *clauses = words + size * room;
        uint64_t tested = 0;
        for (uint32_t row = 0; row < length; ++row) {
            uint32_t j = 0;
            for (; j < size; ++j) {
                uint32_t number = words[j * room + row];
                if (!(bits[number >> 6] >> (number & 63) & 1)) break;
            }
            tested += j + (j < size);
            if (j == size) found.push_back(clauses[row]);
        }
        return tested;
    }

    // The share of events that satisfy a predicate: as observed, else as the expressions let expect.
    double share(const Clauses& c, uint32_t p, uint32_t number) const {
        double expected = rarity.of(c, p);
        if (!learned.size()) return expected;
        return heat[number] ? heat[number] / 256.0 : std::min(expected, 1.0) / 256;
    }
    void rank(const Clauses& c, Clause& one) const {
        for (Pick& pick : one.picks) pick.share = share(c, pick.p, pick.number);
        std::stable_sort(one.picks.begin(), one.picks.end(),
                         [](const Pick& a, const Pick& b) { return a.share < b.share; });
    }
    void read(const Clauses& c, uint32_t clause, Clause& one) const {
        std::vector<uint32_t> of_clause;
        one.picks.clear();
        one.decided = PredicateIndex::representatives(c, clause, MOST, of_clause);
        for (uint32_t p : of_clause) one.picks.push_back({p, predicates.find(c, PredicateIndex::form_of(c, p)), 0});
        rank(c, one);
    }

    bool on_path(uint32_t node, uint32_t number) const {
        for (; node != NONE; node = trie.parent_of(node))
            if (trie.predicate_of(node) == number) return true;
        return false;
    }
    // The rarest equality of a clause that could extend the path to a node, or NONE.
    uint32_t extension(const Clause& one, uint32_t node) const {
        for (const Pick& pick : one.picks)
            if (predicates.is_point(pick.number) && !on_path(node, pick.number)) return pick.number;
        return NONE;
    }
    uint32_t enter(uint32_t node, uint32_t number) {
        uint32_t child = trie.child(node, number);
        if (child != NONE) return child;
        first_cluster.reserve_more(1);
        child = trie.add(node, number);
        first_cluster.resize(std::max<size_t>(first_cluster.size(), trie.limit()), NONE);
        return child;
    }

    // Puts a clause that is in no cluster into the one that fits best.
    void file(const Clauses& c, uint32_t clause, const Clause& one) {
        uint32_t node = enter(NONE, one.picks[0].number), k;
        try {
            while (trie.has_children(node) && trie.depth(node) < DEEPEST) {
                uint32_t number = extension(one, node);
                if (number == NONE) break;
                node = enter(node, number);
            }
            k = append(node, clause, one);
        } catch (...) {
            prune(node);
            throw;
        }
        place(clause, k);
        // At powers of two, so that clusters that cannot be extended are not looked at each time.
        uint32_t n = cluster(k, LENGTH);
        if (n < EXTEND_FROM || n & (n - 1) || one.picks[0].share * n < MARGIN) return;
        int64_t budget = INT64_MAX;
        redistribute(c, node, budget);
    }
    void place(uint32_t clause, uint32_t k) {
        clause_cluster.set(clause, k);
        clause_row.set(clause, cluster(k, LENGTH) - 1);
        trie.count(cluster(k, NODE), 1);
    }
    // Appends a row to the cluster of a node and returns it.
    uint32_t append(uint32_t node, uint32_t clause, const Clause& one) {
        uint32_t size = 0;
        for (const Pick& pick : one.picks) size += !on_path(node, pick.number);
        uint32_t code = size << 1 | uint32_t(!one.decided), k = first_cluster[node];
        while (k != NONE && cluster(k, CODE) != code) k = cluster(k, NEXT);
        bool fresh = k == NONE;
        if (fresh) k = free_cluster();
        uint32_t n = fresh ? 0 : cluster(k, LENGTH), width = size + 1;
        uint32_t room = columns.room_of(k) / width;
        if (n == room) {
            columns.reserve(k, (n + 1) * width);
            uint32_t wider = columns.room_of(k) / width;
            columns.shorten(k, columns.room_of(k));
            uint32_t* words = columns.writable(k);
            for (uint32_t j = width; j-- > 1;)
                std::memmove(words + size_t(j) * wider, words + size_t(j) * room, size_t(n) * 4);
            room = wider;
        }
        if (fresh) {
            free.set(0, cluster(k, NEXT));
            put(k, NODE, node);
            put(k, CODE, code);
            put(k, NEXT, first_cluster[node]);
            first_cluster.set(node, k);
        }
        uint32_t* words = columns.writable(k);
        uint32_t j = 0;
        for (const Pick& pick : one.picks)
            if (!on_path(node, pick.number)) words[size_t(j++) * room + n] = pick.number;
        words[size_t(j) * room + n] = clause;
        put(k, LENGTH, n + 1);
        return k;
    }
    // The first of the chain of free clusters, which has one then.
    uint32_t free_cluster() {
        if (!free.size()) free.push_back(NONE);
        if (free[0] != NONE) return free[0];
        uint32_t k = uint32_t(clusters.size() / FIELDS);
        while (columns.count() <= k) columns.add();
        clusters.resize(clusters.size() + FIELDS, NONE);
        free.set(0, k);
        return k;
    }
    // Takes a row out of a cluster; the last row takes its place.
    void unfile(uint32_t k, uint32_t row) {
        uint32_t width = width_of(k), last = cluster(k, LENGTH) - 1, node = cluster(k, NODE);
        size_t room = columns.room_of(k) / width;
        uint32_t* words = columns.writable(k);
        for (uint32_t j = 0; j < width; ++j) words[j * room + row] = words[j * room + last];
        if (row < last) clause_row.set(words[(width - 1) * room + row], row);
        put(k, LENGTH, last);
        trie.count(node, -1);
        if (last) return;
        uint32_t before = NONE, at = first_cluster[node];
        for (; at != k; at = cluster(at, NEXT)) before = at;
        if (before == NONE)
            first_cluster.set(node, cluster(k, NEXT));
        else
            put(before, NEXT, cluster(k, NEXT));
        columns.empty(k);
        put(k, NEXT, free[0]);
        free.set(0, k);
        prune(node);
    }
    void prune(uint32_t node) {
        while (node != NONE && !trie.live_below(node)) {
            uint32_t up = trie.parent_of(node);
            trie.drop(node);
            node = up;
        }
    }
    void move(uint32_t clause, const Clause& one, uint32_t node) {
        uint32_t k, old = clause_cluster[clause], row = clause_row[clause];
        try {
            k = append(node, clause, one);
        } catch (...) {
            prune(node);
            throw;
        }
        place(clause, k);
        unfile(old, row);
    }

    void gather(uint32_t node, std::vector<uint32_t>& clauses) const {
        for (uint32_t k = first_cluster[node]; k != NONE; k = cluster(k, NEXT)) {
            uint32_t width = width_of(k);
            const uint32_t* column = columns.items(k) + size_t(width - 1) * (columns.room_of(k) / width);
            clauses.insert(clauses.end(), column, column + cluster(k, LENGTH));
        }
    }
    // Looks at the rows of a node's clusters, and moves clauses that have a much rarer predicate, or, if there are
    // many, to a conjunction with one more equality.
    void redistribute(const Clauses& c, uint32_t node, int64_t& budget) {
        std::vector<uint32_t> clauses;
        gather(node, clauses);
        bool extend = clauses.size() >= EXTEND_FROM && trie.depth(node) < DEEPEST;
        uint32_t top = node;
        while (trie.parent_of(top) != NONE) top = trie.parent_of(top);
        uint32_t access = trie.predicate_of(top);
        Clause one;
        try {
            for (size_t i = clauses.size(); i-- > 0 && budget > 0; --budget) {
                read(c, clauses[i], one);
                const Pick* now = one.picks.data();
                while (now->number != access) ++now;
                uint32_t to = NONE, number;
                if (2 * one.picks[0].share < now->share)
                    to = enter(NONE, one.picks[0].number);
                else if (extend && (number = extension(one, node)) != NONE)
                    to = enter(node, number);
                if (to == NONE) continue;
                move(clauses[i], one, to);
                budget -= MOVE_COST;
            }
        } catch (const std::bad_alloc&) {  // the rest stays where it is
        }
    }
    // Brings the clauses of a node's conjunctions back to it.
    void fold(const Clauses& c, uint32_t top) {
        std::vector<uint32_t> nodes(1, top), clauses;
        for (size_t i = 0; i < nodes.size(); ++i) {
            for (uint32_t j = 0; j < trie.child_count(nodes[i]); ++j)
                nodes.push_back(trie.children_of(nodes[i])[2 * j + 1]);
            if (i) gather(nodes[i], clauses);
        }
        Clause one;
        try {
            for (uint32_t clause : clauses) {
                read(c, clause, one);
                move(clause, one, top);
            }
        } catch (const std::bad_alloc&) {  // the rest stays where it is
        }
    }

    PredicateIndex predicates;
    PredicateTrie trie;
    Rarity rarity;
    Buffer<uint8_t> heat;
    Buffer<uint64_t> learned;
    Buffer<uint32_t> first_cluster, clusters, free, clause_cluster, clause_row;
    Lists<1> columns;
};

}  // namespace boolsieve
