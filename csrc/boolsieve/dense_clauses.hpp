// What the engines that exclude have in common: which clauses stand in sets of bits, and which are filed aside.
//
// Excluding looks at every clause, if only as one bit of 64. That is worth it for attributes that many clauses
// constrain; each of these is a column. A clause that needs no other attributes is dense: it has a place, its number in
// the sets of bits. Any other clause is filed under one attribute that it needs and that is no column, and is checked
// when an event has that. So a clause that needs an attribute which the event lacks is taken out by one set of bits, or
// is never met, and 20,000 attributes take no more room than ten.
//
//   buffer            type    length   meaning
//   clause_at         uint32  places   the clause at a place; rises
//   column_attribute  uint32  columns  the attribute of a column
//   column_of.*       -       -        attribute -> column (int_map.hpp)
//   filed_of.*        -       -        attribute -> list of clauses filed under it
//   filed.*           -       -        these lists (lists.hpp)
//   counts            uint32  0 or 2   how many clauses were there when the columns were chosen; how many are filed
//   bits.*            -       -        sets of places (bit_panels.hpp): LIVE, UNDECIDED, NEEDS + column; then the
//   engine's
//
// Invariants
//   1. clause_at rises. Each living clause has a place or is filed, once; dead ones may be filed.
//   2. A clause that has a place needs columns only; one that is filed needs the attribute that it is filed under.
//   3. LIVE holds the places of living clauses, NEEDS + column those of clauses that need its attribute.
//   4. There are at most 2 * counts[0] + FEW clauses; beyond that all is built anew, with other columns.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bit_panels.hpp"
#include "buffer.hpp"
#include "candidates.hpp"
#include "clauses.hpp"
#include "int_map.hpp"
#include "lists.hpp"

namespace boolsieve {

class DenseClauses {
  public:
    static constexpr uint32_t NONE = 0xFFFFFFFFu;
    // An attribute is a column if a clause in THIN constrains it. So there are at most THIN times as many columns as a
    // clause has predicates, which bounds the memory: THIN / 8 bytes a predicate for each set that a column has.
    static constexpr size_t THIN = 8;
    // So few clauses are checked one by one.
    static constexpr size_t FEW = 32;
    enum : uint32_t { LIVE, UNDECIDED, NEEDS };

    uint32_t places() const noexcept { return uint32_t(clause_at.size()); }
    uint32_t columns() const noexcept { return uint32_t(column_attribute.size()); }
    // The first set that is the engine's.
    uint32_t own_sets() const noexcept { return NEEDS + columns(); }

    // Whether all must be built anew to take so many more.
    bool full(size_t more) const noexcept {
        if (!counts.size()) return more > 0;
        return size_t(counts.data()[1]) + places() + more > 2 * size_t(counts.data()[0]) + FEW;
    }

    // --- Building anew. First choose, then the engine opens the bits, then put each. ---

    // For an empty one: the columns for these clauses.
    void choose(const Clauses& c, const std::vector<uint32_t>& clauses) {
        IntMap uses;
        for (uint32_t x : clauses)
            for (uint32_t p = c.begin[x]; p < c.begin[x + 1]; ++p) {
                uint32_t attribute = c.head[p] >> KIND_BITS, n = uses.find(attribute);
                uses.set(attribute, n == IntMap::NONE ? 1 : n + 1);
            }
        size_t least = std::max(FEW, clauses.size() / THIN);
        uses.each([&](uint64_t attribute, uint32_t n) {
            if (n >= least) column_attribute.push_back(uint32_t(attribute));
        });
        std::sort(column_attribute.writable(), column_attribute.writable() + column_attribute.size());
        for (uint32_t i = 0; i < columns(); ++i) column_of.set(column_attribute[i], i);
        counts.push_back(uint32_t(clauses.size()));
        counts.push_back(0);
    }
    void open_bits(uint32_t own, size_t places) { bits.open(own_sets() + own, places); }

    bool is_dense(const Clauses& c, uint32_t clause) const noexcept {
        for (uint32_t p = c.begin[clause]; p < c.begin[clause + 1]; ++p)
            if (needs_attribute(c.head[p] & KIND_MASK) && column_of.find(c.head[p] >> KIND_BITS) == IntMap::NONE)
                return false;
        return true;
    }

    // --- Single clauses; what fails leaves all as it was ---

    // For a dense clause, behind all others.
    uint32_t add_place(const Clauses& c, uint32_t clause) {
        uint32_t place = places();
        clause_at.reserve_more(1);
        bits.reserve(size_t(place) + 1);
        clause_at.push_back(clause);
        write_bits(c, place, true);
        return place;
    }
    void drop_last_place(const Clauses& c) {
        write_bits(c, places() - 1, false);
        clause_at.resize(places() - 1);
    }
    void set_undecided(uint32_t place, bool undecided) { bits.put(UNDECIDED, place, undecided); }

    // For a clause that is not dense: under that one of the attributes that it needs which has the shortest list.
    void file(const Clauses& c, uint32_t clause) {
        uint32_t best = NONE, shortest = NONE;
        for (uint32_t p = c.begin[clause]; p < c.begin[clause + 1]; ++p) {
            uint32_t attribute = c.head[p] >> KIND_BITS;
            if (!needs_attribute(c.head[p] & KIND_MASK) || column_of.find(attribute) != IntMap::NONE) continue;
            uint32_t list = filed_of.find(attribute), n = list == IntMap::NONE ? 0 : filed.size(list);
            if (n < shortest) {
                best = attribute;
                shortest = n;
            }
        }
        uint32_t list = filed_of.find(best);
        if (list == IntMap::NONE) {
            list = filed.add();
            filed_of.set(best, list);
        }
        filed.push(list, &clause);
        counts.set(1, counts[1] + 1);
    }
    void take_back_filed(const Clauses& c, uint32_t clause) noexcept {  // the clause that was filed last
        for (uint32_t p = c.begin[clause]; p < c.begin[clause + 1]; ++p) {
            uint32_t list = filed_of.find(c.head[p] >> KIND_BITS);
            if (list == IntMap::NONE || !filed.size(list) || filed.items(list)[filed.size(list) - 1] != clause)
                continue;
            filed.shorten(list, filed.size(list) - 1);
            counts.set(1, counts[1] - 1);
            return;
        }
    }
    // The place of a clause, or NONE if it is filed.
    uint32_t place_of(uint32_t clause) const noexcept {
        const uint32_t *begin = clause_at.data(), *end = begin + places();
        const uint32_t* at = std::lower_bound(begin, end, clause);
        return at < end && *at == clause ? uint32_t(at - begin) : NONE;
    }

    // The clauses that are filed under the event's attributes.
    void match_filed(const Scratch& s, CandidateCheck& check) const {
        if (!filed_of.size()) return;
        for (uint32_t attribute : s.event.attributes) {
            uint32_t list = filed_of.find(attribute);
            if (list == IntMap::NONE) continue;
            const uint32_t* clauses = filed.items(list);
            for (uint32_t i = 0, n = filed.size(list); i < n; ++i) check.add(clauses[i]);
        }
    }

    template <class F>
    void each_buffer(F f) {
        auto within = [&](const char* prefix, auto& holder) {
            holder.each_buffer(
                [&](const char* name, auto& buffer) { f((std::string(prefix) + name).c_str(), buffer); });
        };
        f("clause_at", clause_at);
        f("column_attribute", column_attribute);
        within("column_of.", column_of);
        within("filed_of.", filed_of);
        within("filed.", filed);
        f("counts", counts);
        within("bits.", bits);
    }

    // The invariant that does not hold, or an empty text. For tests.
    std::string check(const Clauses& c) const {
        const char* problem = column_of.check();
        if (!problem) problem = filed_of.check();
        if (!problem) problem = filed.check();
        if (!problem) problem = bits.check(places());
        if (problem) return std::string("1: within: ") + problem;
        if (full(0)) return "4: too many clauses";
        if (column_of.size() != columns()) return "2: columns";
        for (uint32_t i = 0; i < columns(); ++i)
            if (column_of.find(column_attribute[i]) != i) return "2: columns";
        std::vector<uint8_t> seen(c.count, 0);
        for (uint32_t i = 0; i < places(); ++i) {
            uint32_t x = clause_at[i];
            if (x >= c.count || (i && clause_at[i - 1] >= x)) return "1: places do not rise";
            bool lives = c.owner[x] != DEAD;
            seen[x] = 1;
            if (bits.has(LIVE, i) != lives) return "3: who lives";
            if (!lives) continue;
            if (!is_dense(c, x)) return "2: a place for a clause that is not dense";
            for (uint32_t column = 0; column < columns(); ++column) {
                bool needs = false;
                for (uint32_t p = c.begin[x]; p < c.begin[x + 1]; ++p)
                    needs |=
                        c.head[p] >> KIND_BITS == column_attribute[column] && needs_attribute(c.head[p] & KIND_MASK);
                if (bits.has(NEEDS + column, i) != needs) return "3: who needs a column";
            }
        }
        size_t entries = 0;
        std::string broken;
        filed_of.each([&](uint64_t attribute, uint32_t list) {
            for (uint32_t i = 0; i < filed.size(list); ++i, ++entries) {
                uint32_t x = filed.items(list)[i];
                if (x >= c.count || seen[x]++) {
                    broken = "1: a clause that is there twice";
                    return;
                }
                bool needs = c.owner[x] == DEAD;
                for (uint32_t p = c.begin[x]; p < c.begin[x + 1]; ++p)
                    needs |= c.head[p] >> KIND_BITS == attribute && needs_attribute(c.head[p] & KIND_MASK);
                if (!needs) broken = "2: filed under an attribute that it does not need";
            }
        });
        if (!broken.empty()) return broken;
        if (entries != (counts.size() ? counts[1] : 0)) return "1: number of filed clauses";
        for (uint32_t x = 0; x < c.count; ++x)
            if (!seen[x] && c.owner[x] != DEAD) return "1: a clause that is nowhere";
        return "";
    }

    BitPanels bits;
    Buffer<uint32_t> clause_at, column_attribute;
    IntMap column_of;

  private:
    void write_bits(const Clauses& c, uint32_t place, bool in) {
        uint32_t clause = clause_at[place];
        bits.put(LIVE, place, in);
        for (uint32_t p = c.begin[clause]; p < c.begin[clause + 1]; ++p)
            if (needs_attribute(c.head[p] & KIND_MASK))
                bits.put(NEEDS + column_of.find(c.head[p] >> KIND_BITS), place, in);
    }

    IntMap filed_of;
    Lists<1> filed;
    Buffer<uint32_t> counts;
};

}  // namespace boolsieve
