// Clauses of a tree that is built in one go: attributes by rank, operands in codes of 16 bits, and what is left to
// check of a clause as a record of a few words, so that a bucket of clauses is read forward.
//
// Ranks. Attributes are numbered by how many of the clauses constrain them, the fewest first (or the most, if asked).
//
// Codes. An attribute's line of keys is divided into steps at the ends of its operands (of up to SAMPLED predicates); a
// key's code is 1 + the number of steps at or below it, 0 stands for an absent attribute. An event looks up the code of
// each of its values once. A predicate whose ends are all steps is exact in codes; of others the codes are a bound,
// and the store decides.
//
// Records. Clause; length of what follows * 2, + 1 if the store must decide; then for each predicate that is left, the
// rarest attribute first: rank * 16 + kind, and the codes (low | width << 16; or for sets n and the members' codes, two
// a word). A dead clause's record stays, and fails at its owner.
//
//   buffer      type    length     meaning
//   ranks.*     -       -          attribute -> rank (int_map.hpp)
//   step_begin  uint32  ranks + 1  where an attribute's steps are
//   steps       uint64  -          the first key of each step but the first
//   records     uint32  -          the records
//
// Invariants (check asserts it by its number; 1 is in levels.hpp)
//   2. ranks maps each attribute to a number of its own below their count; steps rise strictly within an attribute; a
//      code fits 16 bits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "buffer.hpp"
#include "clauses.hpp"
#include "int_map.hpp"
#include "scratch.hpp"

namespace boolsieve {

struct CodesScratch : EngineScratch {
    std::vector<uint32_t> code;   // by rank, 0 where absent; all 0 between events
    std::vector<uint32_t> ranks;  // those that the event has
    struct Bucket {
        uint32_t begin, end;
    };
    std::vector<Bucket> buckets;   // of records that the event comes to
    std::vector<uint32_t> passed;  // clause, whether the store must decide; of records that hold in codes
};

class ClauseCodes {
  public:
    static constexpr uint32_t NONE = 0xFFFFFFFFu;

    // A predicate in codes: an interval that holds all codes for which it may hold.
    struct Term {
        uint32_t rank, predicate;
        uint16_t low, high;
        uint8_t kind;
        bool exact;  // the codes say exactly when it holds
        bool test;   // it needs its attribute, and is the first of the clause on it
    };

    uint32_t rank_count() const noexcept { return step_begin.size() ? uint32_t(step_begin.size() - 1) : 0; }
    // Codes of a rank are 1 to this.
    uint32_t code_count(uint32_t rank) const noexcept {
        return step_begin.data()[rank + 1] - step_begin.data()[rank] + 1;
    }
    uint32_t rank_of(uint32_t attribute) const noexcept { return ranks.find(attribute); }
    uint32_t code(uint32_t rank, Key key) const noexcept {
        const Key* first = steps.data() + step_begin.data()[rank];
        uint32_t n = code_count(rank) - 1, at = 0;
        while (n) {
            uint32_t half = (n + 1) / 2;
            at += first[at + half - 1] <= key ? half : 0;
            n -= half;
        }
        return at + 1;
    }

    // Appends the terms of a clause: first those that are no tests, then the tests by rising rank. Returns how many
    // come before the tests.
    uint32_t add_terms(const Clauses& c, uint32_t clause, std::vector<Term>& out) const {
        size_t from = out.size();
        for (uint32_t p = c.begin[clause]; p < c.begin[clause + 1]; ++p) {
            uint32_t kind = c.head[p] & KIND_MASK, rank = rank_of(c.head[p] >> KIND_BITS);
            Term term{rank, p, 1, uint16_t(code_count(rank)), uint8_t(kind), false, kind != PREDICATE_ABSENT};
            if (kind == PREDICATE_RANGE) {
                set_ends(term, c.low[p], c.high[p]);
            } else if (kind == PREDICATE_NOT_RANGE) {
                Term inner = term;
                set_ends(inner, c.low[p], c.high[p]);
                term.exact = inner.exact;
            } else if (kind == PREDICATE_IN || kind == PREDICATE_NOT_IN) {
                bool all = true;
                Term member = term;
                for (uint64_t i = 0; i < c.high[p] && (all || kind == PREDICATE_IN); ++i) {
                    set_ends(member, c.sets[c.low[p] + i], c.sets[c.low[p] + i]);
                    all &= member.exact;
                    if (kind == PREDICATE_NOT_IN) continue;
                    if (i == 0) term.low = member.low;
                    term.high = member.high;
                }
                term.exact = all;
            } else {
                term.exact = kind == PREDICATE_ABSENT;
            }
            out.push_back(term);
        }
        auto before = [](const Term& x, const Term& y) {
            if (x.test != y.test) return y.test;
            if (x.rank != y.rank) return x.rank < y.rank;
            return x.high - x.low != y.high - y.low ? x.high - x.low < y.high - y.low : x.predicate < y.predicate;
        };
        std::sort(out.begin() + from, out.end(), before);
        bool twice = false;  // of two tests on one attribute the narrower stays one
        for (size_t i = out.size(); i-- > from + 1;)
            if (out[i].test && out[i - 1].test && out[i].rank == out[i - 1].rank) {
                out[i].test = false;
                twice = true;
            }
        if (twice) std::sort(out.begin() + from, out.end(), before);
        uint32_t others = 0;
        while (from + others < out.size() && !out[from + others].test) ++others;
        return others;
    }

    // Appends the record of a clause with these terms, as add_terms gives them, from the one at `start` on and round to
    // it; or if the common attributes come first, from the last back. `decided(i)` tells of a term whether the way to
    // the record has decided it.
    template <class Decided>
    void add_record(const Clauses& c, uint32_t clause, const Term* terms, uint32_t count, uint32_t start,
                    bool common_first, Decided decided, std::vector<uint32_t>& out) const {
        size_t from = out.size();
        bool open = false;
        out.push_back(clause);
        out.push_back(0);
        for (uint32_t k = 0; k < count; ++k) {
            uint32_t i = common_first ? count - 1 - k : start + k < count ? start + k : start + k - count;
            const Term& term = terms[i];
            if (decided(i)) continue;
            uint32_t p = term.predicate, head = term.rank << KIND_BITS | term.kind;
            open |= !term.exact;
            if (term.kind == PREDICATE_ABSENT) {
                out.push_back(head);
            } else if (term.kind == PREDICATE_NOT_RANGE && term.exact) {
                uint32_t low = code(term.rank, c.low[p]), high = code(term.rank, c.high[p]);
                out.push_back(head);
                out.push_back(low | (high - low) << 16);
            } else if ((term.kind == PREDICATE_IN || (term.kind == PREDICATE_NOT_IN && term.exact)) &&
                       c.high[p] <= MOST_MEMBERS) {
                out.push_back(head);
                out.push_back(uint32_t(c.high[p]));
                for (uint32_t j = 0; j < c.high[p]; ++j) {
                    uint32_t member = code(term.rank, c.sets[c.low[p] + j]);
                    if (j % 2)
                        out.back() |= member << 16;
                    else
                        out.push_back(member);
                }
            } else {  // within the interval, which is all of it for a range
                open |= term.kind != PREDICATE_RANGE;
                out.push_back(term.rank << KIND_BITS | PREDICATE_RANGE);
                out.push_back(term.low | uint32_t(term.high - term.low) << 16);
            }
        }
        out[from + 1] = uint32_t(out.size() - from - 2) << 1 | uint32_t(open);
    }

    // The event's codes, into the scratch; close does the rest.
    void open(const Event& event, CodesScratch& own) const {
        if (own.code.size() < rank_count()) own.code.resize(rank_count(), 0);
        own.ranks.clear();
        own.buckets.clear();
        own.passed.clear();
        for (uint32_t a : event.attributes) ranks.prefetch(a);
        for (uint32_t a : event.attributes) {
            uint32_t rank = rank_of(a);
            if (rank == NONE) continue;
            own.ranks.push_back(rank);
            own.code[rank] = code(rank, event.table[a]);
        }
    }
    // Checks the clauses in the buckets, and leaves the scratch as it was before open. Memory is what takes the time:
    // each loop asks for what it needs some steps ahead.
    void close(const Clauses& c, CodesScratch& own, Scratch& s) const {
        const uint32_t* words = records.data();
        size_t n = own.buckets.size();
        for (size_t i = 0; i < n; ++i) {
            if (i + AHEAD < n) {
                __builtin_prefetch(words + own.buckets[i + AHEAD].begin);
                __builtin_prefetch(words + own.buckets[i + AHEAD].begin + 16);
            }
            scan(words + own.buckets[i].begin, words + own.buckets[i].end, own, s.counters);
        }
        for (size_t i = 0; i < own.passed.size(); i += 2) {
            if (i + 2 * AHEAD < own.passed.size()) __builtin_prefetch(c.owner + own.passed[i + 2 * AHEAD]);
            uint32_t clause = own.passed[i], owner = c.owner[clause];
            if (owner != DEAD && (!own.passed[i + 1] || in_store(c, clause, s.event, s.counters.predicates)))
                s.found.add(owner);
        }
        for (uint32_t rank : own.ranks) own.code[rank] = 0;
    }

    // f(clause) for each record, dead ones too.
    template <class F>
    void each_clause(F f) const {
        for (size_t i = 0; i + 1 < records.size(); i += 2 + (records[i + 1] >> 1)) f(records[i]);
    }

    void build(const Clauses& c, const std::vector<uint32_t>& clauses, bool common_first) {
        std::vector<uint32_t> attribute, uses, order, sorted;  // by number of first appearance
        for (uint32_t clause : clauses)
            for (uint32_t p = c.begin[clause]; p < c.begin[clause + 1]; ++p) {
                uint32_t a = c.head[p] >> KIND_BITS, number = ranks.find(a);
                if (number == NONE) {
                    number = uint32_t(uses.size());
                    ranks.set(a, number);
                    attribute.push_back(a);
                    uses.push_back(0);
                    order.push_back(number);
                }
                ++uses[number];
            }
        std::sort(order.begin(), order.end(), [&](uint32_t x, uint32_t y) {
            return uses[x] != uses[y] ? (uses[x] < uses[y]) != common_first : attribute[x] < attribute[y];
        });
        for (uint32_t rank = 0; rank < order.size(); ++rank) {
            ranks.set(attribute[order[rank]], rank);
            sorted.push_back(uses[order[rank]]);
        }
        make_steps(c, clauses, sorted);
    }
    void take_records(const std::vector<uint32_t>& words) {
        if (words.size() >= NONE) throw std::length_error("the records would hold more than 2^32 words");
        records.append(words.data(), words.size());
    }

    template <class F>
    void each_buffer(F f) {
        ranks.each_buffer([&f](const char* name, BufferBase& b) { f((std::string("ranks.") + name).c_str(), b); });
        f("step_begin", step_begin);
        f("steps", steps);
        f("records", records);
    }

    // The invariant that does not hold, or nullptr. For tests.
    const char* check() const {
        if (ranks.check()) return "2: the map of ranks";
        std::vector<uint32_t> seen;
        ranks.each([&](uint64_t, uint32_t rank) { seen.push_back(rank); });
        std::sort(seen.begin(), seen.end());
        if (seen.size() != rank_count()) return "2: number of ranks";
        for (uint32_t rank = 0; rank < seen.size(); ++rank) {
            if (seen[rank] != rank) return "2: a rank twice";
            uint32_t from = step_begin[rank], to = step_begin[rank + 1];
            if (from > to || to > steps.size() || to - from > MOST_STEPS) return "2: number of steps";
            for (uint32_t i = from + 1; i < to; ++i)
                if (steps[i - 1] >= steps[i]) return "2: order of steps";
        }
        for (size_t i = 0; i < records.size(); i += 2 + (records[i + 1] >> 1))
            if (records.size() - i < 2 || records.size() - i - 2 < records[i + 1] >> 1) return "2: length of a record";
        return nullptr;
    }

    Buffer<uint32_t> records;

  private:
    static constexpr uint32_t MOST_STEPS = 0xFFF0;    // codes have 16 bits
    static constexpr uint32_t MOST_MEMBERS = 32;      // of a set in a record
    static constexpr uint32_t SAMPLED = 8192;         // predicates of an attribute, whose ends become steps
    static constexpr size_t AHEAD = 12;               // steps; a quarter faster than none at 400,000 clauses of BEGen
    static constexpr uint32_t ALL_SAMPLED = 4 << 20;  // of all attributes, about

    // The codes of a range's ends, and whether both are steps.
    void set_ends(Term& term, Key low, Key high) const noexcept {
        const Key* first = steps.data() + step_begin.data()[term.rank];
        uint32_t n = code_count(term.rank);
        term.low = uint16_t(code(term.rank, low));
        bool begins = low <= KEY_LOWEST || (term.low > 1 && first[term.low - 2] == low), ends = true;
        if (high == KEY_HIGHEST) {
            term.high = uint16_t(n);
        } else if (low == high) {
            term.high = term.low;
            ends = term.low < n && first[term.low - 1] == high + 1;
        } else {
            uint32_t next = code(term.rank, high + 1);
            ends = next > 1 && first[next - 2] == high + 1;
            term.high = uint16_t(next - ends);
        }
        term.exact = begins && ends;
    }

    static void scan(const uint32_t* r, const uint32_t* end, CodesScratch& own, Counters& counters) {
        while (r < end) {
            const uint32_t* next = r + 2 + (r[1] >> 1);
            ++counters.candidates;
            if (holds(r + 2, next, own.code.data(), counters.predicates)) {
                own.passed.push_back(r[0]);
                own.passed.push_back(r[1] & 1);
            }
            r = next;
        }
    }
    static bool in_store(const Clauses& c, uint32_t clause, const Event& event, uint64_t& evaluated) noexcept {
        uint32_t begin = c.begin[clause], end = c.begin[clause + 1];
        uint32_t failed = first_failure(c, begin, end, event);
        evaluated += failed - begin + (failed < end);
        return failed == end;
    }
    static bool holds(const uint32_t* t, const uint32_t* end, const uint32_t* codes, uint64_t& evaluated) noexcept {
        while (t < end) {
            uint32_t code = codes[*t >> KIND_BITS], kind = *t & KIND_MASK;
            ++evaluated;
            if (kind == PREDICATE_RANGE) {  // 0, absent, is below each low
                if (code - (t[1] & 0xFFFF) > t[1] >> 16) return false;
                t += 2;
            } else if (kind == PREDICATE_IN || kind == PREDICATE_NOT_IN) {
                uint32_t n = t[1];
                bool in = false;
                for (uint32_t i = 0; i < n; ++i) in |= (t[2 + i / 2] >> (i % 2 * 16) & 0xFFFF) == code;
                if (!code || in != (kind == PREDICATE_IN)) return false;
                t += 2 + (n + 1) / 2;
            } else if (kind == PREDICATE_NOT_RANGE) {
                if (!code || code - (t[1] & 0xFFFF) <= t[1] >> 16) return false;
                t += 2;
            } else {
                if (code) return false;
                ++t;
            }
        }
        return true;
    }

    void make_steps(const Clauses& c, const std::vector<uint32_t>& clauses, const std::vector<uint32_t>& uses) {
        struct Cut {
            uint32_t rank;
            Key key;
        };
        uint32_t n = uint32_t(uses.size());
        uint32_t most = std::max(48u, std::min(SAMPLED, ALL_SAMPLED / std::max(1u, n)));
        std::vector<uint32_t> turn(n), at(n + 1);
        std::vector<Cut> found;
        for (uint32_t clause : clauses)
            for (uint32_t p = c.begin[clause]; p < c.begin[clause + 1]; ++p) {
                uint32_t kind = c.head[p] & KIND_MASK, rank = rank_of(c.head[p] >> KIND_BITS);
                if (turn[rank]++ % (uses[rank] / most + 1)) continue;
                auto both = [&](Key low, Key high) {
                    if (low > KEY_LOWEST) found.push_back({rank, low});
                    if (high < KEY_HIGHEST) found.push_back({rank, high + 1});
                };
                if (kind == PREDICATE_RANGE || kind == PREDICATE_NOT_RANGE) {
                    both(c.low[p], c.high[p]);
                } else if (kind == PREDICATE_IN || kind == PREDICATE_NOT_IN) {
                    for (uint64_t i = 0; i < c.high[p] && i < 8; ++i) both(c.sets[c.low[p] + i], c.sets[c.low[p] + i]);
                }
            }
        for (const Cut& cut : found) ++at[cut.rank + 1];
        for (uint32_t rank = 0; rank < n; ++rank) at[rank + 1] += at[rank];
        std::vector<Key> keys(found.size()), kept;
        std::vector<uint32_t> next(at.begin(), at.end() - 1);
        for (const Cut& cut : found) keys[next[cut.rank]++] = cut.key;
        step_begin.reserve_more(n + 1);
        step_begin.push_back(0);
        for (uint32_t rank = 0; rank < n; ++rank) {
            auto from = keys.begin() + at[rank], to = keys.begin() + at[rank + 1];
            std::sort(from, to);
            size_t distinct = size_t(std::unique(from, to) - from), few = std::min<size_t>(distinct, MOST_STEPS);
            for (size_t i = 0; i < few; ++i) kept.push_back(from[i * distinct / few]);
            step_begin.push_back(uint32_t(kept.size()));
        }
        steps.append(kept.data(), kept.size());
    }

    IntMap ranks;
    Buffer<uint32_t> step_begin;
    Buffer<Key> steps;
};

}  // namespace boolsieve
