// Sieve: clauses in rows under their most selective predicate, checked eight predicates at a time; clauses without a
// selective one in a grid of bit sets. The engine's file (engines/sieve.pyx) tells the idea, the buffers and the costs.
//
//   core      tail of new clauses, then levels, each four times as large as the one before
//   level     steps: each attribute's line, cut at its operands    key -> code, the number of cuts at or below it, + 1
//             cells: the codes of an attribute, 2^k at a time      where the rows of one cell begin
//             rows:  what is left to check of a clause, in codes
//             grid:  for each attribute and each of 32 parts of its line the clauses that may hold there, as bits
//
// A row, in words of 64 bits:
//
//   clause | info        info: lanes / 4, sets that follow, how many of them are negative, whether the store must
//   decide lanes                8 attributes, 8 lows, 8 widths, each 16 bits; or 4 of each; the lanes with sets come
//   first sets                 8 codes of 16 bits for each
//
// A lane holds if code - low <= width, where the code of an absent attribute is 0.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "buffer.hpp"
#include "clauses.hpp"
#include "row_masks.hpp"
#include "scratch.hpp"

namespace boolsieve {

struct SieveScratch : EngineScratch {
    std::vector<uint32_t> codes;  // by place in the lanes; 0 between events
    std::vector<uint32_t> places;
    std::vector<std::pair<const uint64_t*, const uint64_t*>> lists;
};

class SieveLevel {
  public:
    static constexpr uint32_t NONE = 0xFFFFFFFFu;

    uint32_t size() const noexcept { return uint32_t(members.size()); }

    void clear() { *this = SieveLevel(); }

    void build(const Clauses& c, const std::vector<uint32_t>& clauses);

    void match(const Clauses& c, Scratch& s, SieveScratch& own) const {
        const Event& event = s.event;
        const auto* known = reinterpret_cast<const Attribute*>(attributes.data());
        uint32_t count = uint32_t(attributes.size() / ATTRIBUTE_WORDS);
        if (own.codes.size() < places()) own.codes.resize(places(), 0);
        uint32_t* codes = own.codes.data();
        own.lists.clear();
        own.places.clear();
        const uint32_t* begin = cell_begin.data();
        for (uint32_t a : event.attributes) {
            if (a >= count || !known[a].used) continue;
            const Attribute& known_as = known[a];
            uint32_t code = code_of(known_as, event.table[a]);
            codes[known_as.place] = code >> known_as.shift;
            own.places.push_back(known_as.place);
            uint32_t cells = known_as.cells;
            for (uint32_t left = known_as.levels; left; left &= left - 1) {
                uint32_t level = uint32_t(__builtin_ctz(left));
                uint32_t cell = cells + (code >> level);
                if (begin[cell] != begin[cell + 1]) {
                    own.lists.push_back({rows.data() + begin[cell], rows.data() + begin[cell + 1]});
                    __builtin_prefetch(own.lists.back().first);
                }
                cells += (known_as.codes >> level) + 1;
            }
        }
#ifdef BOOLSIEVE_X86
        if (have_avx2())
            check_avx2(c, s, own);
        else
#endif
            check_portable(c, s, own);
        for (uint32_t place : own.places) codes[place] = 0;
        if (grid_clause.size()) match_grid(c, s);
    }

    template <class F>
    void each_buffer(F f) {
        f("members", members);
        f("attributes", attributes);
        f("place_count", place_count);
        f("steps", steps);
        f("cell_begin", cell_begin);
        f("rows", rows);
        f("grid_clause", grid_clause);
        f("grid_attribute", grid_attribute);
        f("grid_cuts", grid_cuts);
        f("grid_bits", grid_bits);
    }

    // The invariant that does not hold, or nullptr. For tests.
    const char* check(const Clauses& c) const;

    Buffer<uint32_t> members;  // the clauses, rising

  private:
    static constexpr uint32_t LANES = 8;
    static constexpr uint32_t MOST_LANES = 56;
    static constexpr uint32_t SET_CODES = 8;
    static constexpr uint32_t MOST_SETS = 7;
    static constexpr uint32_t MOST_PLACES = 0xFFFF;  // places in lanes have 16 bits
    static constexpr uint32_t MOST_CODE = 0xFFFF;
    static constexpr uint32_t WHOLE = 31;  // the level at which all codes are one cell
    static constexpr uint32_t GRID_PARTS = 32;
    static constexpr uint32_t GRID_ROWS = GRID_PARTS + 1;  // the last: absent
    static constexpr uint32_t MOST_GRID = 16;
    static constexpr uint32_t FEWEST_IN_GRID = 64;
    // A candidate of a list costs about as much as 64 clauses of a grid.
    static constexpr float GRID_SHARE = 1.0f / 64;

    struct Attribute {
        uint32_t used, place, first_step, codes, shift, levels, cells;
    };
    static constexpr size_t ATTRIBUTE_WORDS = sizeof(Attribute) / sizeof(uint32_t);

    struct Info {
        static constexpr uint32_t OPEN = 1u << 31;
        static uint32_t make(uint32_t lanes, uint32_t sets, uint32_t negative, bool open) noexcept {
            return lanes | sets << 8 | negative << 16 | (open ? OPEN : 0);
        }
        static uint32_t lanes(uint32_t info) noexcept { return info & 0xFF; }
        static uint32_t sets(uint32_t info) noexcept { return info >> 8 & 0xFF; }
        static uint32_t negative(uint32_t info) noexcept { return info >> 16 & 0xFF; }
    };
    // Lanes come in eights, the last ones as four if that is enough.
    static uint32_t lane_room(uint32_t lanes) noexcept { return (lanes + 3) / 4 * 4; }
    static uint32_t row_words(uint32_t info) noexcept { return 1 + Info::lanes(info) / 4 * 3 + Info::sets(info) * 2; }

    uint32_t places() const noexcept { return place_count.data()[0]; }

    // 1 + how many steps are at or below the key.
    uint32_t code_of(const Attribute& a, Key key) const noexcept {
        const Key* first = steps.data() + a.first_step;
        uint32_t n = a.codes - 1, at = 0;
        while (n) {
            uint32_t half = (n + 1) / 2;
            at += first[at + half - 1] <= key ? half : 0;
            n -= half;
        }
        return at + 1;
    }

    static void report(const Clauses& c, Scratch& s, uint32_t clause) noexcept {
        uint32_t owner = c.owner[clause];
        if (owner != DEAD) s.found.add(owner);
    }
    // What the lanes did not decide: sets, then the store.
    static bool rest_holds(const Clauses& c, const Event& event, const uint64_t* row, const uint32_t* codes) noexcept {
        uint32_t info = uint32_t(row[0] >> 32), lanes = Info::lanes(info), sets = Info::sets(info);
        const auto* place = reinterpret_cast<const uint16_t*>(row + 1);
        const auto* set = reinterpret_cast<const uint16_t*>(row + 1 + lanes / 4 * 3);
        uint32_t positive = sets - Info::negative(info);
        for (uint32_t i = 0; i < sets; ++i, set += SET_CODES) {
            uint32_t code = codes[place[i]];
            bool in = false;
            for (uint32_t j = 0; j < SET_CODES; ++j) in |= set[j] == code;
            if (in != (i < positive)) return false;
        }
        if (!(info & Info::OPEN)) return true;
        uint32_t clause = uint32_t(row[0]), end = c.begin[clause + 1];
        return first_failure(c, c.begin[clause], end, event) == end;
    }

    void check_portable(const Clauses& c, Scratch& s, SieveScratch& own) const noexcept {
        const uint32_t* codes = own.codes.data();
        uint64_t candidates = 0, lanes_seen = 0;
        for (auto [row, end] : own.lists) {
            while (row < end) {
                uint32_t info = uint32_t(row[0] >> 32), left = Info::lanes(info);
                const auto* lane = reinterpret_cast<const uint16_t*>(row + 1);
                bool holds = true;
                while (left && holds) {
                    uint32_t n = left < LANES ? left : LANES;
                    for (uint32_t i = 0; i < n; ++i) holds &= codes[lane[i]] - lane[n + i] <= lane[2 * n + i];
                    lane += 3 * n;
                    left -= n;
                    lanes_seen += n;
                }
                ++candidates;
                if (holds && (info >> 8 == 0 || rest_holds(c, s.event, row, codes))) report(c, s, uint32_t(row[0]));
                row += row_words(info);
            }
        }
        s.counters.candidates += candidates;
        s.counters.predicates += lanes_seen;
    }

#ifdef BOOLSIEVE_X86
    __attribute__((target("avx2"))) void check_avx2(const Clauses& c, Scratch& s, SieveScratch& own) const noexcept {
        const auto* codes = reinterpret_cast<const int*>(own.codes.data());
        uint64_t candidates = 0, lanes_seen = 0;
        for (auto [row, end] : own.lists) {
            while (row < end) {
                uint32_t info = uint32_t(row[0] >> 32), left = Info::lanes(info);
                const auto* lane = reinterpret_cast<const uint16_t*>(row + 1);
                const uint64_t* next = row + row_words(info);
                int out = 0;
                while (left >= LANES && !out) {
                    const auto* part = reinterpret_cast<const __m128i*>(lane);
                    __m256i code = _mm256_i32gather_epi32(codes, _mm256_cvtepu16_epi32(_mm_loadu_si128(part)), 4);
                    __m256i over = _mm256_sub_epi32(code, _mm256_cvtepu16_epi32(_mm_loadu_si128(part + 1)));
                    __m256i width = _mm256_cvtepu16_epi32(_mm_loadu_si128(part + 2));
                    out = ~_mm256_movemask_epi8(_mm256_cmpeq_epi32(_mm256_max_epu32(over, width), width));
                    lane += 3 * LANES;
                    left -= LANES;
                    lanes_seen += LANES;
                }
                if (left && !out) {
                    const auto* part = reinterpret_cast<const __m128i*>(lane);
                    __m128i code = _mm_i32gather_epi32(codes, _mm_cvtepu16_epi32(_mm_loadl_epi64(part)), 4);
                    __m128i both = _mm_loadu_si128(reinterpret_cast<const __m128i*>(lane + 4));
                    __m128i over = _mm_sub_epi32(code, _mm_cvtepu16_epi32(both));
                    __m128i width = _mm_cvtepu16_epi32(_mm_srli_si128(both, 8));
                    out = _mm_movemask_epi8(_mm_cmpeq_epi32(_mm_max_epu32(over, width), width)) ^ 0xFFFF;
                    lanes_seen += 4;
                }
                ++candidates;
                if (!out && (info >> 8 == 0 || rest_holds(c, s.event, row, own.codes.data())))
                    report(c, s, uint32_t(row[0]));
                row = next;
            }
        }
        s.counters.candidates += candidates;
        s.counters.predicates += lanes_seen;
    }
#endif

    // The part of the i-th attribute of the grid that a key is in.
    uint32_t part_of(size_t i, Key key) const noexcept {
        const Key* cuts = grid_cuts.data() + i * GRID_PARTS;
        uint32_t part = 0;
        for (uint32_t j = 0; j + 1 < GRID_PARTS; ++j) part += cuts[j] <= key;
        return part;
    }
    // The parts of the i-th attribute in which a clause may hold; the last bit: if it is absent.
    uint64_t parts_of(const Clauses& c, uint32_t clause, size_t i) const noexcept {
        uint64_t may = (uint64_t(1) << GRID_ROWS) - 1;
        for (uint32_t p = c.begin[clause]; p < c.begin[clause + 1]; ++p) {
            if (attribute_of(c, p) != grid_attribute[i]) continue;
            if (kind_of(c, p) == PREDICATE_ABSENT)
                may &= uint64_t(1) << GRID_PARTS;
            else
                may &= (uint64_t(1) << (part_of(i, highest(c, p)) + 1)) - (uint64_t(1) << part_of(i, lowest(c, p)));
        }
        return may;
    }

    static uint32_t attribute_of(const Clauses& c, uint32_t p) noexcept { return c.head[p] >> KIND_BITS; }
    static uint32_t kind_of(const Clauses& c, uint32_t p) noexcept { return c.head[p] & KIND_MASK; }
    // The least and the greatest key for which a predicate may hold.
    static Key lowest(const Clauses& c, uint32_t p) noexcept {
        if (kind_of(c, p) == PREDICATE_IN) return c.sets[c.low[p]];
        return kind_of(c, p) == PREDICATE_RANGE ? c.low[p] : KEY_LOWEST;
    }
    static Key highest(const Clauses& c, uint32_t p) noexcept {
        if (kind_of(c, p) == PREDICATE_IN) return c.sets[c.low[p] + c.high[p] - 1];
        return kind_of(c, p) == PREDICATE_RANGE ? c.high[p] : KEY_HIGHEST;
    }

    void match_grid(const Clauses& c, Scratch& s) const noexcept {
        size_t words = (grid_clause.size() + 63) / 64;
        uint32_t n = uint32_t(grid_attribute.size());
        std::array<const uint64_t*, MOST_GRID> bits;
        for (uint32_t i = 0; i < n; ++i) {
            uint32_t a = grid_attribute[i];
            Key key = a < s.event.table.size() ? s.event.table[a] : KEY_ABSENT;
            uint32_t part = key == KEY_ABSENT ? GRID_PARTS : part_of(i, key);
            bits[i] = grid_bits.data() + (size_t(i) * GRID_ROWS + part) * words;
        }
        uint64_t candidates = 0, evaluated = 0;
        constexpr size_t STEP = 8;
        uint64_t both[STEP];
        for (size_t w = 0; w < words; w += STEP) {
            size_t m = std::min(STEP, words - w);
            std::memcpy(both, bits[0] + w, m * sizeof(uint64_t));
            for (uint32_t i = 1; i < n; ++i)
                for (size_t j = 0; j < m; ++j) both[j] &= bits[i][w + j];
            for (size_t j = 0; j < m; ++j)
                for (uint64_t left = both[j]; left; left &= left - 1) {
                    uint32_t clause = grid_clause[(w + j) * 64 + size_t(__builtin_ctzll(left))];
                    uint32_t begin = c.begin[clause], end = c.begin[clause + 1];
                    uint32_t failed = first_failure(c, begin, end, s.event);
                    ++candidates;
                    evaluated += failed - begin + (failed < end);
                    if (failed == end) s.found.add(c.owner[clause]);
                }
        }
        s.counters.candidates += candidates;
        s.counters.predicates += evaluated + words * n;
    }

    class Builder;

    Buffer<uint32_t> attributes, place_count;
    Buffer<Key> steps;
    Buffer<uint32_t> cell_begin;
    Buffer<uint64_t> rows;
    Buffer<uint32_t> grid_clause, grid_attribute;
    Buffer<Key> grid_cuts;
    Buffer<uint64_t> grid_bits;
};

// Builds a level from clauses in one go.
class SieveLevel::Builder {
  public:
    Builder(const Clauses& clauses, const std::vector<uint32_t>& members, SieveLevel& level)
        : c(clauses), members_(members), out(level), uses_(clauses.attributes) {}

    void run() {
        out.members.append(members_.data(), members_.size());
        for (uint32_t clause : members_)
            for (uint32_t p = c.begin[clause]; p < c.begin[clause + 1]; ++p) ++uses_[attribute_of(p)];
        uses_[0] += 1;  // whose code pads the lanes
        sample_steps();
        number_attributes();
        choose();
        fill_grid();
        add_points();
        write_rows();
    }

  private:
    // Of an attribute, operands that its steps are made from, besides those that give access.
    static constexpr uint32_t OPERANDS = 4096;
    static constexpr uint32_t ALL_OPERANDS = 4 << 20;
    static constexpr uint32_t FEWEST_OPERANDS = 64;
    static constexpr uint32_t MOST_COPIES = 8;

    const Clauses& c;
    const std::vector<uint32_t>& members_;
    SieveLevel& out;
    std::vector<uint32_t> uses_;
    std::vector<uint32_t> access_;  // of each member: the predicate; IN_GRID
    static constexpr uint32_t IN_GRID = NONE - 1;

    uint32_t attribute_of(uint32_t p) const noexcept { return SieveLevel::attribute_of(c, p); }
    uint32_t kind_of(uint32_t p) const noexcept { return SieveLevel::kind_of(c, p); }
    Key lowest(uint32_t p) const noexcept { return SieveLevel::lowest(c, p); }
    Key highest(uint32_t p) const noexcept { return SieveLevel::highest(c, p); }
    Attribute& known(uint32_t a) { return reinterpret_cast<Attribute*>(out.attributes.writable())[a]; }
    const Attribute& seen(uint32_t a) const { return reinterpret_cast<const Attribute*>(out.attributes.data())[a]; }
    // The operands of a predicate that has some: ranges, or members of a set.
    template <class F>
    void each_operand(uint32_t p, F f) const {
        switch (kind_of(p)) {
            case PREDICATE_RANGE:
            case PREDICATE_NOT_RANGE:
                return f(c.low[p], c.high[p]);
            case PREDICATE_IN:
            case PREDICATE_NOT_IN:
                for (uint64_t i = 0; i < c.high[p]; ++i) f(c.sets[c.low[p] + i], c.sets[c.low[p] + i]);
                return;
            default:
                return;
        }
    }
    bool is_point(uint32_t p) const noexcept {
        return kind_of(p) == PREDICATE_IN ? c.high[p] <= MOST_COPIES
                                          : kind_of(p) == PREDICATE_RANGE && c.low[p] == c.high[p];
    }

    struct Step {
        uint32_t attribute;
        Key key;
    };
    // Puts the keys of each attribute in order, each once, and makes them the steps.
    void set_steps(const std::vector<Step>& found) {
        std::vector<uint32_t> at(c.attributes + 1);
        for (const Step& step : found) ++at[step.attribute + 1];
        for (uint32_t a = 0; a < c.attributes; ++a) at[a + 1] += at[a];
        std::vector<Key> keys(found.size());
        std::vector<uint32_t> next(at.begin(), at.end() - 1);
        for (const Step& step : found) keys[next[step.attribute]++] = step.key;
        out.attributes.resize(size_t(c.attributes) * ATTRIBUTE_WORDS, 0);
        out.steps.resize(0);
        for (uint32_t a = 0; a < c.attributes; ++a) {
            Key *first = keys.data() + at[a], *last = keys.data() + at[a + 1];
            std::sort(first, last);
            last = std::unique(first, last);
            known(a).first_step = uint32_t(out.steps.size());
            known(a).codes = uint32_t(last - first) + 1;
            known(a).shift = 0;
            while (known(a).codes >> known(a).shift > MOST_CODE) ++known(a).shift;
            out.steps.append(first, size_t(last - first));
        }
    }
    static void add_steps(std::vector<Step>& found, uint32_t a, Key low, Key high) {
        if (low > KEY_LOWEST) found.push_back({a, low});
        if (high < KEY_HIGHEST) found.push_back({a, high + 1});
    }
    void sample_steps() {
        uint32_t most = std::max(FEWEST_OPERANDS, std::min(OPERANDS, ALL_OPERANDS / c.attributes));
        std::vector<Step> found;
        std::vector<uint32_t> turn(c.attributes);
        for (uint32_t clause : members_)
            for (uint32_t p = c.begin[clause]; p < c.begin[clause + 1]; ++p) {
                uint32_t a = attribute_of(p), taken = 0;
                if (turn[a]++ % (uses_[a] / most + 1)) continue;
                each_operand(p, [&](Key low, Key high) {
                    if (taken++ < SET_CODES) add_steps(found, a, low, high);
                });
            }
        set_steps(found);
    }
    void add_points() {
        std::vector<Step> found;
        bool more = false;
        for (size_t i = 0; i < members_.size(); ++i) {
            uint32_t p = access_[i];
            if (p >= IN_GRID || !is_point(p)) continue;
            uint32_t a = attribute_of(p);
            each_operand(p, [&](Key low, Key high) {
                if (exact(a, low, high)) return;
                add_steps(found, a, low, high);
                more = true;
            });
        }
        if (!more) return;
        for (uint32_t a = 0; a < c.attributes; ++a)
            for (uint32_t i = 0; i + 1 < seen(a).codes; ++i) found.push_back({a, out.steps[seen(a).first_step + i]});
        set_steps(found);
    }
    uint32_t code(uint32_t a, Key key) const noexcept { return out.code_of(seen(a), key); }
    // Whether codes tell the keys from low to high from all others.
    bool exact(uint32_t a, Key low, Key high) const noexcept {
        return (low <= KEY_LOWEST || code(a, low) != code(a, low - 1)) &&
               (high == KEY_HIGHEST || code(a, high) != code(a, high + 1));
    }

    // The places in lanes go to the attributes that are used most.
    void number_attributes() {
        std::vector<uint32_t> order;
        for (uint32_t a = 1; a < c.attributes; ++a)
            if (uses_[a]) order.push_back(a);
        if (order.size() >= MOST_PLACES)
            std::stable_sort(order.begin(), order.end(), [&](uint32_t x, uint32_t y) { return uses_[x] > uses_[y]; });
        place_.assign(c.attributes, 0);
        for (size_t i = 0; i < order.size(); ++i) place_[order[i]] = uint32_t(std::min<size_t>(i + 1, MOST_PLACES));
        out.place_count.push_back(uint32_t(std::min<size_t>(order.size() + 2, MOST_PLACES + 1)));
    }
    std::vector<uint32_t> place_;  // MOST_PLACES: has none

    // The level and cells of a predicate that gives access.
    struct Cells {
        uint32_t level, first, last;
    };
    Cells cells_of(uint32_t a, Key low, Key high) const noexcept {
        uint32_t from = code(a, low), to = code(a, high), level = 0;
        while ((to - from) >> level) ++level;
        if (level && (seen(a).codes >> level) < 4) return {WHOLE, 0, 0};
        return {level, from >> level, to >> level};
    }
    // What share of the events is taken to find the clause, if p gives access.
    float share(uint32_t p) const noexcept {
        uint32_t a = attribute_of(p), kind = kind_of(p);
        if (kind == PREDICATE_ABSENT || kind == PREDICATE_NEVER) return 9;
        if (!a) return 2;
        float asked = std::min(1.0f, float(uses_[a]) / float(members_.size()));
        float codes = float(seen(a).codes);
        if (is_point(p)) return asked * (kind == PREDICATE_IN ? float(c.high[p]) : 1.0f) / codes;
        Cells cells = cells_of(a, lowest(p), highest(p));
        if (cells.level == WHOLE) return asked;
        return asked * std::min(1.0f, float((cells.last - cells.first + 1) << cells.level) / codes);
    }
    // The share of the attribute's line, if the attribute is there.
    float width(uint32_t p) const noexcept {
        uint32_t a = attribute_of(p);
        return float(code(a, highest(p)) - code(a, lowest(p)) + 1) / float(seen(a).codes);
    }

    void choose() {
        access_.resize(members_.size());
        std::vector<uint32_t> wide, times(c.attributes);
        for (size_t i = 0; i < members_.size(); ++i) {
            uint32_t clause = members_[i];
            float best = 10;
            for (uint32_t p = c.begin[clause]; p < c.begin[clause + 1]; ++p) {
                float s = share(p);
                if (s < best) best = s, access_[i] = p;
            }
            if (best > GRID_SHARE && attribute_of(access_[i])) wide.push_back(uint32_t(i));
        }
        if (wide.size() < FEWEST_IN_GRID) return;
        for (uint32_t i : wide)
            for (uint32_t p = c.begin[members_[i]]; p < c.begin[members_[i] + 1]; ++p) ++times[attribute_of(p)];
        for (uint32_t a = 1; a < c.attributes; ++a)
            if (times[a] >= wide.size() / MOST_GRID) grid_.push_back(a);
        std::stable_sort(grid_.begin(), grid_.end(), [&](uint32_t x, uint32_t y) { return times[x] > times[y]; });
        if (grid_.size() > MOST_GRID) grid_.resize(MOST_GRID);
        std::vector<uint8_t> in_grid(c.attributes);
        for (uint32_t a : grid_) in_grid[a] = 1;
        for (uint32_t i : wide) {
            uint32_t clause = members_[i];
            float left = 1;
            for (uint32_t p = c.begin[clause]; p < c.begin[clause + 1]; ++p)
                if (in_grid[attribute_of(p)]) left *= std::min(1.0f, width(p) + 2.0f / GRID_PARTS);
            if (left < share(access_[i]) / 4) {
                access_[i] = IN_GRID;
                out.grid_clause.push_back(clause);
            }
        }
    }
    std::vector<uint32_t> grid_;

    void fill_grid() {
        size_t n = out.grid_clause.size(), words = (n + 63) / 64;
        if (!n) return;
        out.grid_attribute.append(grid_.data(), grid_.size());
        out.grid_bits.resize(grid_.size() * GRID_ROWS * words, 0);
        uint64_t* bits = out.grid_bits.writable();
        std::vector<uint64_t> parts(n);  // of one attribute, by clause
        for (size_t i = 0; i < grid_.size(); ++i) {
            uint32_t a = grid_[i];
            const Attribute& attribute = seen(a);
            Key cuts[GRID_PARTS];
            for (uint32_t j = 0; j < GRID_PARTS; ++j) {
                uint32_t at = uint32_t(uint64_t(attribute.codes) * (j + 1) / GRID_PARTS);
                cuts[j] = at < attribute.codes && attribute.codes > 1 ? out.steps[attribute.first_step + at - (at > 0)]
                                                                      : KEY_HIGHEST;
            }
            out.grid_cuts.append(cuts, GRID_PARTS);
            for (size_t g = 0; g < n; ++g) parts[g] = out.parts_of(c, out.grid_clause[g], i);
            for (uint32_t j = 0; j < GRID_ROWS; ++j) {
                uint64_t* row = bits + (i * GRID_ROWS + j) * words;
                for (size_t g = 0; g < n; ++g) row[g / 64] |= (parts[g] >> j & 1) << (g % 64);
            }
        }
    }

    struct Placed {
        uint32_t attribute, level, cell;
        uint32_t row;  // its first word in rows_
    };
    std::vector<uint64_t> rows_;

    void write_rows() {
        std::vector<Placed> placed;
        placed.reserve(members_.size() + members_.size() / 4);
        for (uint32_t a = 0; a < c.attributes; ++a)
            if (uses_[a]) {
                known(a).used = 1;
                known(a).place = place_[a];
            }
        for (size_t i = 0; i < members_.size(); ++i) {
            uint32_t p = access_[i];
            if (p == IN_GRID) continue;
            uint32_t a = attribute_of(p), row = uint32_t(rows_.size());
            auto put = [&](Cells cells) {
                known(a).levels |= 1u << cells.level;
                for (uint32_t cell = cells.first; cell <= cells.last; ++cell)
                    placed.push_back({a, cells.level, cell, row});
            };
            write_row(members_[i], is_point(p) ? p : NONE);
            if (is_point(p))
                each_operand(p, [&](Key low, Key high) { put(cells_of(a, low, high)); });
            else
                put(cells_of(a, lowest(p), highest(p)));
        }
        uint32_t cells = 0;
        for (uint32_t a = 0; a < c.attributes; ++a) {
            known(a).cells = cells;
            for (uint32_t left = seen(a).levels; left; left &= left - 1)
                cells += (seen(a).codes >> __builtin_ctz(left)) + 1;
        }
        std::vector<uint64_t> at(cells + 1);
        auto cell_of = [&](const Placed& p) {
            uint32_t cell = seen(p.attribute).cells;
            for (uint32_t left = seen(p.attribute).levels & ((1u << p.level) - 1); left; left &= left - 1)
                cell += (seen(p.attribute).codes >> __builtin_ctz(left)) + 1;
            return cell + p.cell;
        };
        auto words = [&](const Placed& p) { return row_words(uint32_t(rows_[p.row] >> 32)); };
        for (const Placed& p : placed) at[cell_of(p) + 1] += words(p);
        for (uint32_t i = 0; i < cells; ++i) at[i + 1] += at[i];
        if (at[cells] > NONE) throw std::length_error("too many clauses for one index");
        out.cell_begin.reserve_more(cells + 1);
        for (uint64_t begin : at) out.cell_begin.push_back(uint32_t(begin));
        out.rows.resize(size_t(at[cells]));
        uint64_t* to = out.rows.writable();
        for (const Placed& p : placed) {
            uint64_t& next = at[cell_of(p)];
            std::memcpy(to + next, rows_.data() + p.row, words(p) * sizeof(uint64_t));
            next += words(p);
        }
    }

    // What is left to check of a clause; `decided` is a predicate that its cell decides, or NONE.
    void write_row(uint32_t clause, uint32_t decided) {
        struct Lane {
            uint16_t place, low, width;
        };
        std::array<Lane, MOST_LANES> lanes;
        std::array<std::array<uint16_t, SET_CODES>, MOST_SETS> sets;
        uint32_t lane_count = 0, set_count = 0, negative = 0;
        bool open = false;
        // Two rounds for predicates with sets, which come first: those that must be in, then those that must not.
        auto with_set = [&](uint32_t p, bool inside) {
            uint32_t kind = kind_of(p), a = attribute_of(p);
            bool has = inside ? kind == PREDICATE_IN
                              : kind == PREDICATE_NOT_IN || (kind == PREDICATE_NOT_RANGE && c.low[p] == c.high[p]);
            if (!has || p == decided || place_[a] == MOST_PLACES || set_count == MOST_SETS || seen(a).shift)
                return false;
            uint32_t n = 0;
            bool good = true;
            std::array<uint16_t, SET_CODES> codes{};
            each_operand(p, [&](Key low, Key high) {
                good &= n < SET_CODES && exact(a, low, high);
                if (good) codes[n++] = uint16_t(code(a, low));
            });
            if (!good) return false;
            for (uint32_t i = n; i < SET_CODES; ++i) codes[i] = codes[0];
            uint32_t from = inside ? code(a, lowest(p)) : 1, to = inside ? code(a, highest(p)) : MOST_CODE + 1;
            lanes[lane_count++] = {uint16_t(place_[a]), uint16_t(from), uint16_t(to - from)};
            sets[set_count++] = codes;
            negative += !inside;
            return true;
        };
        uint32_t begin = c.begin[clause], end = c.begin[clause + 1];
        std::vector<uint8_t>& done = done_;
        done.assign(end - begin, 0);
        for (bool inside : {true, false})
            for (uint32_t p = begin; p < end; ++p) done[p - begin] |= with_set(p, inside);
        for (uint32_t p = begin; p < end; ++p) {
            if (done[p - begin] || p == decided) continue;
            uint32_t kind = kind_of(p), a = attribute_of(p);
            if (place_[a] == MOST_PLACES || lane_count == MOST_LANES) {
                open = true;
                continue;
            }
            if (kind == PREDICATE_ABSENT) {
                lanes[lane_count++] = {uint16_t(place_[a]), 0, 0};
                continue;
            }
            uint32_t shift = seen(a).shift;
            uint32_t from = code(a, lowest(p)) >> shift, to = code(a, highest(p)) >> shift;
            if (highest(p) == KEY_HIGHEST) to = MOST_CODE;
            lanes[lane_count++] = {uint16_t(place_[a]), uint16_t(from), uint16_t(to - from)};
            open |= kind != PREDICATE_RANGE || shift || !exact(a, c.low[p], c.high[p]);
        }
        uint32_t room = lane_room(lane_count);
        while (lane_count < room) lanes[lane_count++] = {0, 1, 0};
        uint32_t info = Info::make(room, set_count, negative, open);
        size_t at = rows_.size();
        rows_.resize(at + row_words(info));
        rows_[at] = clause | uint64_t(info) << 32;
        auto* to = reinterpret_cast<uint16_t*>(rows_.data() + at + 1);
        for (uint32_t from = 0; from < room;) {
            uint32_t n = std::min(LANES, room - from);
            for (uint32_t i = 0; i < n; ++i) {
                to[i] = lanes[from + i].place;
                to[n + i] = lanes[from + i].low;
                to[2 * n + i] = lanes[from + i].width;
            }
            to += 3 * n;
            from += n;
        }
        for (uint32_t i = 0; i < set_count; ++i, to += SET_CODES) std::copy(sets[i].begin(), sets[i].end(), to);
    }
    std::vector<uint8_t> done_;
};

inline void SieveLevel::build(const Clauses& c, const std::vector<uint32_t>& clauses) {
    SieveLevel fresh;
    Builder(c, clauses, fresh).run();
    *this = std::move(fresh);
}

inline const char* SieveLevel::check(const Clauses& c) const {
    const auto* known = reinterpret_cast<const Attribute*>(attributes.data());
    uint32_t count = uint32_t(attributes.size() / ATTRIBUTE_WORDS), cells = 0;
    std::vector<uint32_t> attribute_at(place_count.size() == 1 ? places() : 0), rows_of(c.count);
    for (uint32_t a = 0; a < count; ++a) {
        const Attribute& known_as = known[a];
        if (known_as.first_step + size_t(known_as.codes) - 1 > steps.size()) return "2: steps of an attribute";
        for (uint32_t i = 1; i + 1 < known_as.codes; ++i)
            if (steps[known_as.first_step + i - 1] >= steps[known_as.first_step + i]) return "2: order of steps";
        if (!known_as.used) continue;
        if (known_as.place > MOST_PLACES || known_as.codes >> known_as.shift > MOST_CODE) return "2: codes";
        if (known_as.place < MOST_PLACES) {
            if (known_as.place >= attribute_at.size() || attribute_at[known_as.place]) return "2: places";
            attribute_at[known_as.place] = a;
        }
        if (known_as.cells != cells) return "3: cells of an attribute";
        for (uint32_t left = known_as.levels; left; left &= left - 1)
            cells += (known_as.codes >> __builtin_ctz(left)) + 1;
    }
    if (cell_begin.size() != size_t(cells) + 1 || cell_begin[0] || cell_begin[cells] != rows.size())
        return "3: cells and rows";
    for (uint32_t cell = 0; cell < cells; ++cell) {
        uint32_t at = cell_begin[cell], end = cell_begin[cell + 1];
        while (at < end) {
            uint32_t clause = uint32_t(rows[at]), info = uint32_t(rows[at] >> 32);
            if (!std::binary_search(members.data(), members.data() + members.size(), clause))
                return "4: clause of a row";
            ++rows_of[clause];
            const auto* lane = reinterpret_cast<const uint16_t*>(rows.data() + at + 1);
            if (at + uint64_t(row_words(info)) > end) return "3: length of a row";
            for (uint32_t left = Info::lanes(info); left;) {
                uint32_t n = std::min(left, LANES);
                for (uint32_t i = 0; i < n; ++i) {
                    if (lane[i] >= attribute_at.size()) return "4: place of a lane";
                    uint32_t a = attribute_at[lane[i]], p = c.begin[clause];
                    const Attribute& known_as = known[a];
                    while (p < c.begin[clause + 1] && attribute_of(c, p) != a) ++p;
                    if (c.owner[clause] == DEAD || !a) continue;
                    if (p == c.begin[clause + 1]) return "4: attribute of a lane";
                    bool wide = false;  // whether one of the attribute's predicates lies within the lane
                    for (; p < c.begin[clause + 1]; ++p)
                        wide |= attribute_of(c, p) == a &&
                                (kind_of(c, p) == PREDICATE_ABSENT
                                     ? !lane[n + i]
                                     : lane[n + i] <= code_of(known_as, lowest(c, p)) >> known_as.shift &&
                                           code_of(known_as, highest(c, p)) >> known_as.shift <=
                                               uint32_t(lane[n + i]) + lane[2 * n + i]);
                    if (!wide) return "4: bounds of a lane";
                }
                lane += 3 * n;
                left -= n;
            }
            at += row_words(info);
        }
        if (at != end) return "3: length of a row";
    }
    size_t words = (grid_clause.size() + 63) / 64;
    if (grid_bits.size() != grid_attribute.size() * GRID_ROWS * words ||
        grid_cuts.size() != grid_attribute.size() * GRID_PARTS || grid_attribute.size() > MOST_GRID)
        return "5: sizes of the grid";
    for (size_t g = 0; g < grid_clause.size(); ++g) {
        uint32_t clause = grid_clause[g];
        if (!std::binary_search(members.data(), members.data() + members.size(), clause))
            return "5: clause in the grid";
        ++rows_of[clause];
        for (size_t i = 0; i < grid_attribute.size() && c.owner[clause] != DEAD; ++i) {
            uint64_t parts = parts_of(c, clause, i);
            for (uint32_t j = 0; j < GRID_ROWS; ++j)
                if ((grid_bits[(i * GRID_ROWS + j) * words + g / 64] >> g % 64 & 1) != (parts >> j & 1))
                    return "5: bits of a clause";
        }
    }
    for (size_t i = 0; i < members.size(); ++i)
        if (!rows_of[members[i]]) return "4: a clause without a row";
    return nullptr;
}

class SieveCore {
  public:
    static constexpr uint32_t LEVELS = 12;
    static constexpr uint32_t TAIL = 256;        // clauses that are checked in the store, one by one
    static constexpr uint32_t FIRST = 4 * TAIL;  // what the first level can hold

    void insert(const Clauses& c, uint32_t first, uint32_t count) {
        size_t before = tail.size();
        try {
            for (uint32_t i = 0; i < count; ++i) tail.push_back(first + i);
            if (tail.size() > TAIL) settle(c);
        } catch (...) {
            tail.resize(before);
            throw;
        }
    }

    void remove(const Clauses& c, uint32_t first, uint32_t count) {
        auto going = [&](uint32_t clause) { return clause - first < count; };
        uint32_t* end = std::remove_if(tail.writable(), tail.writable() + tail.size(), going);
        tail.resize(size_t(end - tail.data()));
        if (!dead.size()) dead.resize(LEVELS, 0);
        for (uint32_t i = 0; i < LEVELS; ++i) {
            SieveLevel& level = levels[i];
            const uint32_t* all = level.members.data();
            uint32_t gone = uint32_t(std::lower_bound(all, all + level.size(), first + count) -
                                     std::lower_bound(all, all + level.size(), first));
            if (!gone) continue;
            dead.set(i, dead[i] + gone);
            if (dead[i] <= level.size() / 2) continue;
            std::vector<uint32_t> left;
            for (uint32_t j = 0; j < level.size(); ++j)
                if (c.owner[all[j]] != DEAD && !going(all[j])) left.push_back(all[j]);
            if (left.empty())
                level.clear();
            else
                level.build(c, left);
            dead.set(i, 0);
        }
    }

    void match(const Clauses& c, Scratch& s) const {
        SieveScratch& own = s.own<SieveScratch>();
        for (const SieveLevel& level : levels)
            if (level.size()) level.match(c, s, own);
        uint64_t evaluated = 0;
        for (size_t i = 0; i < tail.size(); ++i) {
            uint32_t clause = tail.data()[i], begin = c.begin[clause], end = c.begin[clause + 1];
            uint32_t failed = first_failure(c, begin, end, s.event);
            evaluated += failed - begin + (failed < end);
            if (failed == end) s.found.add(c.owner[clause]);
        }
        ++s.counters.events;
        s.counters.candidates += tail.size();
        s.counters.predicates += evaluated;
    }

    // Whether all clauses are in the tail.
    bool all_new() const noexcept {
        for (const SieveLevel& level : levels)
            if (level.size()) return false;
        return true;
    }

    template <class F>
    void each_buffer(F f) {
        f("tail", tail);
        f("dead", dead);
        for (uint32_t i = 0; i < LEVELS; ++i)
            levels[i].each_buffer(
                [&](const char* name, BufferBase& buffer) { f((std::to_string(i) + "." + name).c_str(), buffer); });
    }

    // The invariant that does not hold, or an empty string. For tests.
    std::string check(const Clauses& c) const {
        std::vector<uint32_t> all;
        for (uint32_t i = LEVELS; i-- > 0;) {
            const SieveLevel& level = levels[i];
            uint32_t gone = 0;
            for (uint32_t j = 0; j < level.size(); ++j) {
                if (level.members[j] >= c.count) return "1: a clause that is not there";
                gone += c.owner[level.members[j]] == DEAD;
                all.push_back(level.members[j]);
            }
            if (gone != (dead.size() ? dead[i] : 0)) return "1: number of dead clauses";
        }
        for (size_t j = 0; j < tail.size(); ++j) all.push_back(tail[j]);
        for (size_t j = 1; j < all.size(); ++j)
            if (all[j - 1] >= all[j]) return "1: order of clauses";
        for (uint32_t clause = 0; clause < c.count; ++clause)
            if (c.owner[clause] != DEAD && !std::binary_search(all.begin(), all.end(), clause))
                return "1: a clause that is nowhere";
        for (const SieveLevel& level : levels)
            if (const char* problem = level.size() ? level.check(c) : nullptr) return problem;
        return "";
    }

  private:
    // The tail and all levels up to the first that can hold them together become that level.
    void settle(const Clauses& c) {
        size_t total = tail.size(), room = FIRST;
        uint32_t to = 0;
        for (;; ++to, room *= 4) {
            total += levels[to].size();
            if (total <= room || to + 1 == LEVELS) break;
        }
        std::vector<uint32_t> clauses;
        clauses.reserve(total);
        for (uint32_t i = to + 1; i-- > 0;)
            for (uint32_t j = 0; j < levels[i].size(); ++j)
                if (c.owner[levels[i].members[j]] != DEAD) clauses.push_back(levels[i].members[j]);
        clauses.insert(clauses.end(), tail.data(), tail.data() + tail.size());
        uint32_t* gone = dead.size() ? dead.writable() : nullptr;  // nothing fails once the level is built
        levels[to].build(c, clauses);
        for (uint32_t i = 0; i < to; ++i) levels[i].clear();
        if (gone) std::fill(gone, gone + to + 1, 0);
        tail.resize(0);
    }

    std::array<SieveLevel, LEVELS> levels;
    Buffer<uint32_t> tail, dead;
};

}  // namespace boolsieve
