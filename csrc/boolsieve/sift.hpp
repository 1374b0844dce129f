// SIFT: counters, key and trie over the distinct predicates of clauses. engines/sift.pyx tells the idea, the buffers,
// the invariants and where it differs from the paper.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "buffers.hpp"
#include "clauses.hpp"
#include "lists.hpp"
#include "predicate_index.hpp"
#include "predicate_trie.hpp"
#include "rarity.hpp"
#include "scratch.hpp"

namespace boolsieve {

// The interface that the variants have for Cython.
struct SiftIndex {
    virtual ~SiftIndex() = default;
    virtual void insert(const Clauses& c, uint32_t first, uint32_t count) = 0;
    virtual void remove(const Clauses& c, uint32_t first, uint32_t count) = 0;
    virtual void match(const Clauses& c, Scratch& s) const = 0;
    virtual void list(std::vector<NamedBuffer>& out) = 0;
    virtual std::string check(const Clauses& c) const = 0;
};

struct SiftScratch : EngineScratch {
    std::vector<uint32_t> satisfied;  // the numbers of the predicates that hold
    std::vector<uint8_t> counts;      // by clause; zero between two events
    std::vector<uint64_t> bits;       // by predicate; zero between two events
    std::vector<uint32_t> pending;    // clauses that were counted to the end; nodes that are to be visited
    std::vector<uint32_t> candidates;

    // Evaluates the distinct predicates; how many hold.
    size_t evaluate(const PredicateIndex& predicates, const Clauses& c, const Event& event) {
        size_t room = predicates.limit() + PredicateIndex::SLACK;
        if (satisfied.size() < room) satisfied.resize(room);
        return size_t(predicates.satisfied(c, event, satisfied.data()) - satisfied.data());
    }
};

inline bool check_clause(const Clauses& c, uint32_t clause, Scratch& s, uint64_t& evaluated) noexcept {
    uint32_t begin = c.begin[clause], end = c.begin[clause + 1];
    uint32_t failed = first_failure(c, begin, end, s.event);
    evaluated += failed - begin + (failed < end);
    return failed == end;
}

// Adds the owners of the candidates that hold. A clause lies in up to seven lines of memory, which are asked for while
// those before it are checked.
inline void check_candidates(const Clauses& c, const std::vector<uint32_t>& candidates, Scratch& s) noexcept {
    constexpr size_t AHEAD = 8;
    size_t n = candidates.size();
    uint64_t evaluated = 0;
    for (size_t i = 0; i < n; ++i) {
        if (i + 2 * AHEAD < n) __builtin_prefetch(c.begin + candidates[i + 2 * AHEAD]);
        if (i + AHEAD < n) {
            uint32_t coming = candidates[i + AHEAD], p = c.begin[coming];
            __builtin_prefetch(c.head + p);
            __builtin_prefetch(c.low + p);
            __builtin_prefetch(c.low + p + 6);
            __builtin_prefetch(c.high + p);
            __builtin_prefetch(c.high + p + 6);
            __builtin_prefetch(c.owner + coming);
        }
        if (check_clause(c, candidates[i], s, evaluated)) s.found.add(c.owner[candidates[i]]);
    }
    s.counters.predicates += evaluated;
    s.counters.candidates += n;
}

class SiftCounting : public SiftIndex {
  public:
    static constexpr uint32_t NONE = 0xFFFFFFFFu;

    void insert(const Clauses& c, uint32_t first, uint32_t count) override {
        std::vector<uint32_t> numbers;
        predicates.acquire_all(c, first, count, MOST, numbers);
        uint32_t base = c.begin[first], p = base, end = c.begin[first + count];
        uint32_t clause = first;
        try {
            need.resize(size_t(first) + count, 0);
            while (postings.count() < predicates.limit()) postings.add();
            for (; clause < first + count; ++clause) {
                uint32_t counted = 0;
                for (; p < c.begin[clause + 1]; ++p) {
                    if (numbers[p - base] == NONE) continue;
                    push(numbers[p - base], clause);
                    ++counted;
                }
                bool decided = counted == p - c.begin[clause] && indexable(c, c.begin[clause]);
                need.set(clause, uint8_t(counted | (decided ? 0 : CHECK)));
            }
        } catch (...) {
            while (end-- > base) {  // backwards, so that each clause is the last of its list
                uint32_t number = numbers[end - base];
                if (number == NONE) continue;
                if (end < p) postings.shorten(number, postings.size(number) - 1);
                predicates.release(c, number, [this](uint32_t gone) {
                    if (gone < postings.count()) postings.empty(gone);
                });
            }
            need.resize(std::min<size_t>(need.size(), first));
            throw;
        }
        if (predicates.grown(c.count)) {
            predicates.pack();
            postings.pack();
        }
    }

    // The clause's counter can no longer be reached; it stays in the lists of predicates that others have too.
    void remove(const Clauses& c, uint32_t first, uint32_t count) override {
        std::vector<uint32_t> predicates_of;
        for (uint32_t clause = first; clause < first + count; ++clause) {
            need.set(clause, 0);
            PredicateIndex::representatives(c, clause, MOST, predicates_of);
            for (uint32_t p : predicates_of) {
                predicates.release(c, predicates.find(c, PredicateIndex::form_of(c, p)),
                                   [this](uint32_t gone) { postings.empty(gone); });
            }
        }
    }

    void match(const Clauses& c, Scratch& s) const override {
        SiftScratch& own = s.own<SiftScratch>();
        size_t n = own.evaluate(predicates, c, s.event);
        if (own.counts.size() < c.count) own.counts.resize(c.count);
        if (own.pending.size() < size_t(c.count) + 1) own.pending.resize(size_t(c.count) + 1);
        uint8_t* counts = own.counts.data();
        const uint8_t* needs = need.data();
        uint32_t* hits = own.pending.data();
        const uint32_t* satisfied = own.satisfied.data();
        uint64_t evaluated = n, touched = 0;
        size_t hit_count = 0, steps = 0;
        for (size_t i = 0; i < n; ++i) {
            if (i + 2 * AHEAD < n) postings.prefetch(satisfied[i + 2 * AHEAD]);
            if (i + AHEAD < n) __builtin_prefetch(postings.items(satisfied[i + AHEAD]));
            const uint32_t *clause = postings.items(satisfied[i]), *end = clause + postings.size(satisfied[i]);
            steps += size_t(end - clause);
            for (; clause < end; ++clause) {
                uint8_t before = counts[*clause];
                touched += !before;
                counts[*clause] = uint8_t(before + 1);
                hits[hit_count] = *clause;
                hit_count += !(uint8_t((before + 1) ^ needs[*clause]) & uint8_t(~CHECK));
            }
        }
        for (size_t i = 0; i < hit_count; ++i)
            if (!(needs[hits[i]] & CHECK) || check_clause(c, hits[i], s, evaluated)) s.found.add(c.owner[hits[i]]);
        if (c.count <= 256 + 16 * steps) {  // 16 counters are cleared in the time of one entry
            std::memset(counts, 0, c.count);
        } else {
            for (size_t i = 0; i < n; ++i) {
                const uint32_t *clause = postings.items(satisfied[i]), *end = clause + postings.size(satisfied[i]);
                for (; clause < end; ++clause) counts[*clause] = 0;
            }
        }
        ++s.counters.events;
        s.counters.predicates += evaluated;
        s.counters.candidates += touched;
    }

    void list(std::vector<NamedBuffer>& out) override {
        out.push_back({"sift.need", &need});
        list_buffers(predicates, "sift.predicates.", out);
        list_buffers(postings, "sift.postings.", out);
    }

    std::string check(const Clauses& c) const override {
        if (need.size() != c.count) return "2: lengths";
        if (!predicates.searchable()) return "1: 1: the table is too full";
        std::vector<uint32_t> expected(predicates.limit(), 0), predicates_of;
        std::vector<std::vector<uint32_t>> lists(predicates.limit());
        for (uint32_t clause = 0; clause < c.count; ++clause) {
            if (c.owner[clause] == DEAD) {
                if (need[clause]) return "2: a dead clause with a counter";
                continue;
            }
            bool decided = PredicateIndex::representatives(c, clause, MOST, predicates_of);
            if (need[clause] != (predicates_of.size() | (decided ? 0 : CHECK))) return "2: need of a clause";
            for (uint32_t p : predicates_of) {
                uint32_t number = predicates.find(c, PredicateIndex::form_of(c, p));
                if (number == NONE) return "1: a predicate that is not found";
                ++expected[number];
                lists[number].push_back(clause);
            }
        }
        std::string problem = predicates.check(c, expected);
        if (!problem.empty()) return "1: " + problem;
        if (postings.check() || (predicates.limit() && postings.count() != predicates.limit())) return "3: lists";
        for (uint32_t number = 0; number < predicates.limit(); ++number) {
            std::vector<uint32_t> there;
            for (uint32_t i = 0; i < postings.size(number); ++i) {
                uint32_t clause = postings.items(number)[i];
                if (clause >= c.count || (i && clause < postings.items(number)[i - 1])) return "3: order of a list";
                if (c.owner[clause] != DEAD) there.push_back(clause);
            }
            if (!predicates.references_of(number) && postings.size(number))
                return "3: the list of a predicate that is gone";
            if (there != lists[number]) return "3: the clauses of a list";
        }
        return "";
    }

  private:
    static constexpr uint32_t MOST = 127;   // predicates of a clause that are counted; the others are checked
    static constexpr uint8_t CHECK = 0x80;  // of need: when all are counted, the store decides
    static constexpr size_t AHEAD = 8;      // lists whose memory is under way

    void push(uint32_t number, uint32_t clause) {
        if (postings.size(number) && postings.size(number) == postings.room_of(number)) {
            uint32_t* first = postings.writable(number);
            uint32_t* last = std::remove_if(first, first + postings.size(number),
                                            [&](uint32_t old) { return old != clause && !need[old]; });
            postings.shorten(number, uint32_t(last - first));
        }
        postings.push(number, &clause);
    }
    static bool indexable(const Clauses& c, uint32_t p) noexcept {
        return PredicateIndex::indexable(c.head[p] & KIND_MASK);
    }

    PredicateIndex predicates;
    Lists<1> postings;
    Buffer<uint8_t> need;
};

class SiftTrie : public SiftIndex {
  public:
    static constexpr uint32_t NONE = 0xFFFFFFFFu;

    // No clause is filed deeper, however many predicates it has.
    explicit SiftTrie(uint32_t depth) : depth_(depth) {}

    void insert(const Clauses& c, uint32_t first, uint32_t count) override {
        rarity.open(c.attributes);
        clause_node.resize(size_t(first) + count, NONE);
        for (uint32_t clause = first; clause < first + count; ++clause) rarity.add(c, clause);
        uint32_t clause = first;
        try {
            for (; clause < first + count; ++clause) file(c, clause);
        } catch (...) {
            while (clause-- > first) {
                uint32_t node = clause_node[clause], n = members.size(node);
                uint32_t* all = members.writable(node);
                uint32_t* place = std::find(all, all + n, clause);
                std::copy(place + 1, all + n, place);
                members.shorten(node, n - 1);
                unfile(c, clause);
            }
            for (clause = first; clause < first + count; ++clause) rarity.remove(c, clause);
            clause_node.resize(first);
            throw;
        }
        for (clause = first; clause < first + count; ++clause)
            for (uint32_t node = clause_node[clause]; node != NONE; node = trie.parent_of(node))
                predicates.settle(predicates.attribute_of(trie.predicate_of(node)));
        if (predicates.grown(c.count)) {
            predicates.pack();
            members.pack();
        }
    }

    void remove(const Clauses& c, uint32_t first, uint32_t count) override {
        for (uint32_t clause = first; clause < first + count; ++clause) {
            unfile(c, clause);
            rarity.remove(c, clause);
        }
    }

    void match(const Clauses& c, Scratch& s) const override {
        SiftScratch& own = s.own<SiftScratch>();
        size_t n = own.evaluate(predicates, c, s.event);
        const uint32_t* satisfied = own.satisfied.data();
        if (own.bits.size() * 64 < predicates.limit()) own.bits.resize(predicates.limit() / 64 + 1);
        uint64_t* bits = own.bits.data();
        if (depth_ > 1)
            for (size_t i = 0; i < n; ++i) bits[satisfied[i] >> 6] |= uint64_t(1) << (satisfied[i] & 63);
        own.candidates.clear();
        for (size_t i = 0; i < n; ++i) {
            if (i + 2 * AHEAD < n) trie.prefetch_root(satisfied[i + 2 * AHEAD]);
            if (i + AHEAD < n) {
                uint32_t coming = trie.root(satisfied[i + AHEAD]);
                if (coming != NONE) {
                    trie.prefetch(coming);
                    members.prefetch(coming);
                }
            }
            uint32_t node = trie.root(satisfied[i]);
            if (node == NONE) continue;
            own.pending.assign(1, node);
            while (!own.pending.empty()) {
                node = own.pending.back();
                own.pending.pop_back();
                const uint32_t* clauses = members.items(node);
                own.candidates.insert(own.candidates.end(), clauses, clauses + members.size(node));
                trie.each_satisfied(node, bits, satisfied, n, [&](uint32_t child) { own.pending.push_back(child); });
            }
        }
        if (depth_ > 1)
            for (size_t i = 0; i < n; ++i) bits[satisfied[i] >> 6] = 0;
        s.counters.predicates += n;
        check_candidates(c, own.candidates, s);
        ++s.counters.events;
    }

    void list(std::vector<NamedBuffer>& out) override {
        out.push_back({"sift.clause_node", &clause_node});
        list_buffers(predicates, "sift.predicates.", out);
        list_buffers(trie, "sift.trie.", out);
        list_buffers(members, "sift.members.", out);
        list_buffers(rarity, "sift.rarity.", out);
    }

    std::string check(const Clauses& c) const override {
        std::vector<uint32_t> expected(predicates.limit(), 0);
        if (const char* problem = trie.check()) return std::string("2: ") + problem;
        for (uint32_t node = 0; node < trie.limit(); ++node) {
            if (!trie.used(node)) continue;
            if (trie.predicate_of(node) >= predicates.limit()) return "2: a node of no predicate";
            ++expected[trie.predicate_of(node)];
        }
        std::string problem = predicates.check(c, expected);
        if (!problem.empty()) return "1: " + problem;
        if (members.check() || members.count() < trie.limit() || clause_node.size() != c.count) return "3: lengths";
        std::vector<uint32_t> filed(c.count, 0), live(trie.limit(), 0);
        for (uint32_t node = 0; node < trie.limit(); ++node) {
            if (!trie.used(node) && members.size(node)) return "3: clauses of a free node";
            for (uint32_t i = 0; i < members.size(node); ++i) {
                uint32_t clause = members.items(node)[i];
                if (clause >= c.count) return "3: no clause";
                if (c.owner[clause] == DEAD) continue;
                if (filed[clause]++ || clause_node[clause] != node) return "3: where a clause is filed";
            }
        }
        for (uint32_t clause = 0; clause < c.count; ++clause) {
            if (c.owner[clause] == DEAD) {
                if (clause_node[clause] != NONE) return "3: a dead clause that is filed";
                continue;
            }
            if (!filed[clause]) return "3: a clause that is not filed";
            for (uint32_t node = clause_node[clause]; node != NONE; node = trie.parent_of(node)) {
                ++live[node];
                bool has = false;
                for (uint32_t p = c.begin[clause]; p < c.begin[clause + 1]; ++p)
                    has |= PredicateIndex::needs_attribute(c.head[p] & KIND_MASK) &&
                           predicates.is(c, trie.predicate_of(node), PredicateIndex::form_of(c, p));
                if (!has) return "4: a clause filed under a predicate that it does not have";
            }
            if (trie.depth(clause_node[clause]) > depth_) return "4: a clause too deep";
        }
        for (uint32_t node = 0; node < trie.limit(); ++node)
            if (trie.used(node) && (!live[node] || live[node] != trie.live_below(node))) return "5: live clauses";
        if (const char* wrong = rarity.check(c)) return std::string("6: ") + wrong;
        return "";
    }

  private:
    // A node keeps the first clauses that come to it; later ones go on to a child, if they have another predicate.
    // BEGen at 200,000, microseconds an event: 346 with 4, 312 with 16, 278 with 64; where few clauses share their
    // rarest predicate, it makes no difference.
    static constexpr uint32_t LEAF = 64;
    static constexpr size_t AHEAD = 8;

    // The rarest predicate of a clause that is not on the path to the node.
    uint32_t next(const Clauses& c, const std::vector<uint32_t>& predicates_of, uint32_t node) const {
        uint32_t best = NONE;
        double least = 0;
        for (uint32_t p : predicates_of) {
            double share = rarity.of(c, p);
            if (best != NONE && share >= least) continue;
            PredicateIndex::Form form = PredicateIndex::form_of(c, p);
            uint32_t at = node;
            while (at != NONE && !predicates.is(c, trie.predicate_of(at), form)) at = trie.parent_of(at);
            if (at != NONE) continue;
            best = p;
            least = share;
        }
        return best;
    }
    void file(const Clauses& c, uint32_t clause) {
        uint32_t node = NONE;
        PredicateIndex::representatives(c, clause, NONE, representatives_);
        try {
            for (uint32_t depth = 0; depth < depth_ && (node == NONE || members.size(node) >= LEAF); ++depth) {
                uint32_t p = next(c, representatives_, node);
                if (p == NONE) break;
                uint32_t number = predicates.find(c, PredicateIndex::form_of(c, p));
                uint32_t child = number == NONE ? NONE : trie.child(node, number);
                if (child == NONE) {
                    number = predicates.acquire(c, p);
                    try {
                        child = trie.add(node, number);
                    } catch (...) {
                        predicates.release(c, number);
                        throw;
                    }
                }
                node = child;
                while (members.count() < trie.limit()) members.add();
            }
            if (members.size(node) && members.size(node) == members.room_of(node)) {  // lets go of the dead
                uint32_t* first = members.writable(node);
                uint32_t* last = std::remove_if(first, first + members.size(node),
                                                [&](uint32_t old) { return clause_node[old] != node; });
                members.shorten(node, uint32_t(last - first));
            }
            members.push(node, &clause);
        } catch (...) {
            prune(c, node);
            throw;
        }
        clause_node.set(clause, node);
        trie.count(node, 1);
    }
    void unfile(const Clauses& c, uint32_t clause) {
        uint32_t node = clause_node[clause];
        clause_node.set(clause, NONE);
        trie.count(node, -1);
        prune(c, node);
    }
    // Takes out nodes without clauses, upwards.
    void prune(const Clauses& c, uint32_t node) {
        while (node != NONE && !trie.live_below(node)) {
            uint32_t up = trie.parent_of(node), number = trie.predicate_of(node);
            if (node < members.count()) members.empty(node);
            trie.drop(node);
            predicates.release(c, number);
            node = up;
        }
    }

    uint32_t depth_;
    PredicateIndex predicates;
    PredicateTrie trie;
    Lists<1> members;
    Buffer<uint32_t> clause_node;
    Rarity rarity;
    std::vector<uint32_t> representatives_;
};

}  // namespace boolsieve
