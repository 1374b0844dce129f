// DEXIN: the index of engines/dexin.pyx, which tells the idea, the buffers and the invariants.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "buffer.hpp"
#include "buffers.hpp"
#include "candidates.hpp"
#include "clauses.hpp"
#include "dense_clauses.hpp"
#include "fenwick.hpp"
#include "lists.hpp"
#include "red_black.hpp"
#include "scratch.hpp"
#include "slots.hpp"
#include "word_sets.hpp"

namespace boolsieve {

enum DexinMethod : uint32_t { DEXIN_AUTO, DEXIN_EXCLUSIVE, DEXIN_INCLUSIVE };

// What one column means for an event.
struct DexinStep {
    double rate;         // share of the clauses that the column does not exclude, estimated
    double cost;         // of excluding, in checks of all clauses
    uint32_t set;        // the places that are excluded for sure
    uint32_t column;     // or NONE where the event lacks the attribute: then the set is exact
    uint32_t slot;       // that the event's key lies in
    uint32_t undecided;  // entries in the slots between the key and where the set is exact
    Key key;
};

// Low-Matching-Rate-First-Fit (Alg. 4, lines 4-14) for steps by rising rate, from `at` on: how far exclusion pays.
// `share` is what is left of the clauses. The exclusive method is taken while the inclusive one would cost more.
inline size_t first_fit(const std::vector<DexinStep>& steps, size_t at, double share) noexcept {
    for (; at < steps.size() && share > steps[at].cost; ++at) share *= steps[at].rate;
    return at;
}

struct DexinScratch : EngineScratch {
    std::vector<uint64_t> left;  // the partial result, a bit a place
    std::vector<DexinStep> steps;
};

// With trees in the slots or with lists.
class DexinIndex {
  public:
    uint32_t slots = 1500;
    uint32_t method = DEXIN_AUTO;

    virtual ~DexinIndex() = default;
    virtual void insert(const Clauses& c, uint32_t first, uint32_t count) = 0;
    virtual void remove(const Clauses& c, uint32_t first, uint32_t count) = 0;
    virtual void match(const Clauses& c, Scratch& s) const = 0;
    virtual void list(std::vector<NamedBuffer>& out) = 0;
    virtual std::string check(const Clauses& c) const = 0;
};

// A node of a tree without its links.
struct ListNode {
    static constexpr uint32_t WORDS = 3;
    static void write(uint32_t* nodes, uint32_t i, Key key, uint32_t item) noexcept {
        uint32_t* node = nodes + size_t(i) * WORDS;
        node[0] = uint32_t(key);
        node[1] = uint32_t(key >> 32);
        node[2] = item;
    }
    static Key key_of(const uint32_t* nodes, uint32_t i) noexcept {
        const uint32_t* node = nodes + size_t(i) * WORDS;
        return Key(node[1]) << 32 | node[0];
    }
    static uint32_t item_of(const uint32_t* nodes, uint32_t i) noexcept { return nodes[size_t(i) * WORDS + 2]; }
};

template <bool TREES>
class DexinSlots : public DexinIndex {
    using Node = std::conditional_t<TREES, RedBlack, ListNode>;

  public:
    static constexpr uint32_t NONE = 0xFFFFFFFFu;
    enum Side : uint32_t { LOW, HIGH, OUT, SIDES };  // excluded are: keys below; keys above; just this key
    // Each cell takes a bit a clause, and a value's cell leaves about 2 of CELLS clauses open. With 64 these are few
    // beside those that match (389 checks for 100 matches at 1,000,000 expressions of the paper's workload) at 8 bytes.
    static constexpr uint32_t CELLS = 64;
    // What taking out a word and reading an entry cost, where a check costs 1. At 1,000,000 expressions they take
    // 1 to 1.6, 3 to 4 and 60 to 100 ns.
    static constexpr double WORD_COST = 1.0 / 64;
    static constexpr double ENTRY_COST = 1.0 / 16;
    // Small columns get fewer slots, so that a slot has some entries.
    static constexpr size_t ENTRIES_A_SLOT = 8;

    void insert(const Clauses& c, uint32_t first, uint32_t count) override {
        if (dense.full(count)) {
            DexinSlots fresh;
            fresh.slots = slots;
            fresh.method = method;
            fresh.build(c, first + count);
            *this = std::move(fresh);
            return;
        }
        uint32_t x = first;
        try {
            for (; x < first + count; ++x) add(c, x);
        } catch (...) {
            while (x-- > first) take_back(c, x);
            throw;
        }
    }

    // Entries of a list stay until all is built anew: who is not in LIVE can be excluded as often as one likes.
    void remove(const Clauses& c, uint32_t first, uint32_t count) override {
        for (uint32_t x = first; x < first + count; ++x) {
            uint32_t place = dense.place_of(x);
            if (place == NONE) continue;
            forget(c, x, place, TREES);
            dense.bits.put(DenseClauses::LIVE, place, false);
        }
    }

    // Alg. 3. The partial result is a set of bits, the exclusive method takes out words of it.
    void match(const Clauses& c, Scratch& s) const override {
        ++s.counters.events;
        CandidateCheck check(c, s);
        dense.match_filed(s, check);
        uint32_t n = dense.places();
        if (!n) return;
        DexinScratch& own = s.own<DexinScratch>();
        const BitPanels& bits = dense.bits;
        size_t breadth = bits.breadth(), panels = bits.panels(), words = panels * breadth;
        if (own.left.size() < words) own.left.resize(words);
        uint64_t* left = own.left.data();
        for (size_t i = 0; i < panels; ++i)
            std::memcpy(left + i * breadth, bits.part(i, DenseClauses::LIVE), breadth * sizeof(uint64_t));
        bool exact = false;
        if (method != DEXIN_INCLUSIVE) {
            plan(s.event, own.steps);
            const std::vector<DexinStep>& steps = own.steps;
            size_t done = 0, count = n;
            while (done < steps.size()) {
                size_t end = method == DEXIN_EXCLUSIVE ? steps.size() : first_fit(steps, done, double(count) / n);
                if (end == done) break;
                for (size_t i = 0; i < panels; ++i)
                    for (size_t k = done; k < end; ++k)
                        take_out_words(left + i * breadth, bits.part(i, steps[k].set), breadth);
                done = end;
                count = count_words(left, words);  // what is left in truth, not by the estimate
            }
            if (done == steps.size()) {
                double entries = 0;
                for (const DexinStep& step : steps) entries += step.undecided;
                exact = method == DEXIN_EXCLUSIVE || entries * ENTRY_COST < double(count);
                if (exact)
                    for (const DexinStep& step : steps)
                        if (step.column != NONE) exclude_entries(step, left);
            }
        }
        const uint32_t* clause = dense.clause_at.data();
        for (size_t i = 0; i < panels; ++i) {
            const uint64_t* unsure = bits.part(i, DenseClauses::UNDECIDED);
            uint32_t first = uint32_t(i * breadth * 64);
            each_bit(left + i * breadth, breadth, [&](uint32_t at) {
                if (exact && !(unsure[at >> 6] >> (at & 63) & 1))
                    check.report(clause[first + at]);
                else
                    check.add(clause[first + at]);
            });
        }
    }

    void list(std::vector<NamedBuffer>& out) override { list_buffers(*this, "dexin.", out); }
    template <class F>
    void each_buffer(F f) {
        auto within = [&](const char* prefix, auto& holder) {
            holder.each_buffer(
                [&](const char* name, auto& buffer) { f((std::string(prefix) + name).c_str(), buffer); });
        };
        within("dense.", dense);
        f("slot_begin", slot_begin);
        f("bound", bound);
        f("cell_begin", cell_begin);
        f("needs", needs);
        f("low_sums", low_sums);
        f("high_sums", high_sums);
        within("trees.", nodes);
        f("root", root);
    }

    // The number of the first invariant that does not hold, or an empty text. For tests.
    std::string check(const Clauses& c) const override {
        std::string problem = dense.check(c);
        if (!problem.empty()) return problem;
        uint32_t columns = dense.columns();
        if (!slot_begin.size()) return columns ? "5: no slots" : "";
        if (slot_begin.size() != columns + 1 || cell_begin.size() != columns + 1 || slot_begin[0] || cell_begin[0] ||
            slot_begin[columns] != bound.size() || needs.size() != columns || low_sums.size() != bound.size() ||
            high_sums.size() != bound.size() || nodes.count() != bound.size() * SIDES ||
            root.size() != (TREES ? nodes.count() : 0) ||
            (dense.bits.sets() && dense.bits.sets() != dense.own_sets() + cell_begin[columns]))
            return "5: lengths";
        for (uint32_t k = 0; k < columns; ++k) {
            if (slot_begin[k] >= slot_begin[k + 1] || cells_of(k) != std::min(CELLS, slots_of(k)) ||
                bound[slot_begin[k]])
                return "5: slots of a column";
            for (uint32_t i = slot_begin[k] + 1; i < slot_begin[k + 1]; ++i)
                if (bound[i - 1] >= bound[i]) return "5: bounds do not rise";
        }
        problem = check_trees();
        return problem.empty() ? check_clauses(c) : problem;
    }

  private:
    uint32_t slots_of(uint32_t column) const noexcept {
        return slot_begin.data()[column + 1] - slot_begin.data()[column];
    }
    uint32_t cells_of(uint32_t column) const noexcept {
        return cell_begin.data()[column + 1] - cell_begin.data()[column];
    }
    // Slots are counted from the column's first.
    uint32_t slot_in(uint32_t column, Key key) const noexcept {
        return slot_of(bound.data() + slot_begin.data()[column], slots_of(column), key);
    }
    uint32_t cell_of_slot(uint32_t column, uint32_t slot) const noexcept {
        return uint32_t(uint64_t(slot) * cells_of(column) / slots_of(column));
    }
    uint32_t first_slot_of(uint32_t column, uint32_t cell) const noexcept {
        uint32_t cells = cells_of(column);
        return uint32_t((uint64_t(cell) * slots_of(column) + cells - 1) / cells);
    }
    static uint32_t list_of(uint32_t slot, uint32_t side) noexcept { return slot * SIDES + side; }

    // --- What a clause has in the index ---

    static bool decided(const Clauses& c, uint32_t p) noexcept {
        uint32_t kind = c.head[p] & KIND_MASK;
        return kind == PREDICATE_RANGE || (kind == PREDICATE_NOT_RANGE && c.low[p] == c.high[p]);
    }
    // f(side, key) for each entry that a predicate has in the slots of its column.
    template <class F>
    static void each_entry(const Clauses& c, uint32_t p, F f) {
        Key low, high;
        if (hull_of(c, p, low, high)) {
            if (low > KEY_LOWEST) f(LOW, low);
            if (high < KEY_HIGHEST) f(HIGH, high);
        } else if (decided(c, p)) {
            f(OUT, c.low[p]);
        }
    }
    // f(cell) for the cells in which a predicate holds for no key.
    template <class F>
    void each_cell(const Clauses& c, uint32_t p, uint32_t column, F f) const {
        auto cell_of = [&](Key key) { return cell_of_slot(column, slot_in(column, key)); };
        uint32_t cells = cells_of(column), next = 0;
        switch (c.head[p] & KIND_MASK) {
            case PREDICATE_RANGE:
                for (uint32_t end = cell_of(c.low[p]); next < end; ++next) f(next);
                next = cell_of(c.high[p]) + 1;
                break;
            case PREDICATE_IN:
                for (uint64_t i = 0; i < c.high[p]; ++i) {
                    uint32_t cell = cell_of(c.sets[c.low[p] + i]);
                    for (; next < cell; ++next) f(next);
                    next = cell + 1;
                }
                break;
            case PREDICATE_NOT_RANGE:
                next = cell_of(c.low[p]) + 1;
                cells = cell_of(c.high[p]);
                break;
            case PREDICATE_ABSENT:
                break;
            default:
                return;
        }
        for (; next < cells; ++next) f(next);
    }
    // f(predicate, column)
    template <class F>
    void each_predicate(const Clauses& c, uint32_t clause, F f) const {
        for (uint32_t p = c.begin[clause]; p < c.begin[clause + 1]; ++p) {
            uint32_t column = dense.column_of.find(c.head[p] >> KIND_BITS);
            if (column != IntMap::NONE) f(p, column);
        }
    }
    bool undecided(const Clauses& c, uint32_t clause) const noexcept {
        for (uint32_t p = c.begin[clause]; p < c.begin[clause + 1]; ++p)
            if (!decided(c, p)) return true;
        return false;
    }

    // --- Updates ---

    void add(const Clauses& c, uint32_t clause) {
        if (!dense.is_dense(c, clause)) {
            dense.file(c, clause);
            return;
        }
        uint32_t place = dense.add_place(c, clause);
        write_cells(c, clause, place, true);
        each_predicate(c, clause, [&](uint32_t p, uint32_t k) { count_need(c, p, k, 1); });
        try {
            each_predicate(c, clause, [&](uint32_t p, uint32_t k) {
                each_entry(c, p, [&](Side side, Key key) { add_entry(k, side, key, place); });
            });
        } catch (...) {
            withdraw(c, clause, place);
            throw;
        }
    }
    void take_back(const Clauses& c, uint32_t clause) {
        uint32_t place = dense.place_of(clause);
        if (place == NONE)
            dense.take_back_filed(c, clause);
        else
            withdraw(c, clause, place);
    }
    void withdraw(const Clauses& c, uint32_t clause, uint32_t place) {
        forget(c, clause, place, true);
        write_cells(c, clause, place, false);
        dense.drop_last_place(c);
    }
    void forget(const Clauses& c, uint32_t clause, uint32_t place, bool with_entries) {
        each_predicate(c, clause, [&](uint32_t p, uint32_t k) {
            count_need(c, p, k, uint32_t(-1));
            if (!with_entries) return;
            each_entry(c, p, [&](Side side, Key key) { drop_entry(k, side, key, place); });
        });
    }
    void count_need(const Clauses& c, uint32_t p, uint32_t column, uint32_t change) {
        if (needs_attribute(c.head[p] & KIND_MASK)) needs.set(column, needs[column] + change);
    }
    void write_cells(const Clauses& c, uint32_t clause, uint32_t place, bool in) {
        uint32_t first = dense.own_sets();
        each_predicate(c, clause, [&](uint32_t p, uint32_t k) {
            each_cell(c, p, k, [&](uint32_t cell) { dense.bits.put(first + cell_begin[k] + cell, place, in); });
        });
        dense.set_undecided(place, in && undecided(c, clause));
    }
    void count_entry(uint32_t column, Side side, uint32_t slot, uint32_t change) {
        if (side == OUT) return;
        Buffer<uint32_t>& sums = side == LOW ? low_sums : high_sums;
        Fenwick::add(sums.writable() + slot_begin[column], slots_of(column), slot, change);
    }
    void add_entry(uint32_t column, Side side, Key key, uint32_t place) {
        uint32_t slot = slot_in(column, key), list = list_of(slot_begin[column] + slot, side), n = nodes.size(list);
        uint32_t node[Node::WORDS];
        Node::write(node, 0, key, place);
        nodes.push(list, node);
        if constexpr (TREES)
            if (!RedBlack(nodes.writable(list), root.writable() + list).insert(n)) {
                nodes.shorten(list, n);  // another predicate of the clause has the same end
                return;
            }
        count_entry(column, side, slot, 1);
    }
    void drop_entry(uint32_t column, Side side, Key key, uint32_t place) {
        uint32_t slot = slot_in(column, key), list = list_of(slot_begin[column] + slot, side), n = nodes.size(list);
        if constexpr (TREES) {
            if (!RedBlack(nodes.writable(list), root.writable() + list).erase(key, place, n)) return;
        } else {  // of the clause that came last, so the last node is its own
            if (!n || Node::item_of(nodes.items(list), n - 1) != place) return;
        }
        nodes.shorten(list, n - 1);
        count_entry(column, side, slot, uint32_t(-1));
    }

    // --- Building ---

    struct Entry {
        Key key;
        uint32_t place, list;
        bool operator<(const Entry& o) const noexcept { return key != o.key ? key < o.key : place < o.place; }
        bool operator==(const Entry& o) const noexcept { return key == o.key && place == o.place; }
    };
    struct Constraint {
        uint32_t predicate, place;
    };

    // For an empty index: all living clauses below `end`.
    void build(const Clauses& c, uint32_t end) {
        std::vector<uint32_t> clauses, places;
        for (uint32_t x = 0; x < end; ++x)
            if (c.owner[x] != DEAD) clauses.push_back(x);
        dense.choose(c, clauses);
        uint32_t columns = dense.columns();
        needs.resize(columns, 0);
        std::vector<size_t> begin(columns + 1, 0);  // of the constraints, by column
        for (uint32_t x : clauses) {
            if (!dense.is_dense(c, x)) {
                dense.file(c, x);
                continue;
            }
            places.push_back(x);
            each_predicate(c, x, [&](uint32_t p, uint32_t k) {
                ++begin[k + 1];
                count_need(c, p, k, 1);
            });
        }
        for (uint32_t k = 0; k < columns; ++k) begin[k + 1] += begin[k];
        std::vector<Constraint> constraints(begin[columns]);
        std::vector<size_t> next(begin.begin(), begin.end() - 1);
        for (uint32_t i = 0; i < places.size(); ++i)
            each_predicate(c, places[i], [&](uint32_t p, uint32_t k) { constraints[next[k]++] = {p, i}; });
        slot_begin.push_back(0);
        cell_begin.push_back(0);
        for (uint32_t k = 0; k < columns; ++k) choose_slots(c, constraints.data() + begin[k], begin[k + 1] - begin[k]);
        dense.open_bits(cell_begin[columns], places.size());
        dense.clause_at.reserve_more(places.size());
        for (uint32_t x : places) dense.set_undecided(dense.add_place(c, x), undecided(c, x));
        low_sums.resize(bound.size(), 0);
        high_sums.resize(bound.size(), 0);
        if (TREES) root.resize(bound.size() * SIDES, RedBlack::NIL);
        for (uint32_t k = 0; k < columns; ++k)
            fill_column(c, k, constraints.data() + begin[k], begin[k + 1] - begin[k]);
    }
    void choose_slots(const Clauses& c, const Constraint* constraints, size_t n) {
        std::vector<Key> operands;
        each_sampled(n, size_t(slots) * OPERANDS_A_SLOT, [&](size_t i) {
            each_entry(c, constraints[i].predicate, [&](Side, Key key) { operands.push_back(key); });
        });
        size_t most = std::max<size_t>(1, std::min<size_t>(slots, n / ENTRIES_A_SLOT));
        std::vector<Key> bounds = slot_bounds(operands, most);
        bound.append(bounds.data(), bounds.size());
        slot_begin.push_back(uint32_t(bound.size()));
        cell_begin.push_back(cell_begin.back() + std::min(CELLS, uint32_t(bounds.size())));
    }
    // The cells of 64 places and one column, written together. A range is there from where it begins to where it ends,
    // so that each takes two bits and one pass over the cells makes sets of them.
    struct CellWords {
        uint64_t begins[CELLS + 1] = {}, ends[CELLS + 1] = {}, ranges = 0;
    };
    void write_ranges(CellWords& words, uint32_t column, uint32_t place) {
        uint64_t inside = 0;
        for (uint32_t cell = 0; words.ranges && cell < cells_of(column); ++cell) {
            inside = (inside | words.begins[cell]) & ~words.ends[cell];
            dense.bits.put_word(dense.own_sets() + cell_begin[column] + cell, place, words.ranges & ~inside);
        }
        words = CellWords();
    }
    // The cells and the trees of a column. Constraints come by rising place.
    void fill_column(const Clauses& c, uint32_t column, const Constraint* constraints, size_t n) {
        uint32_t count = slots_of(column);
        std::vector<Entry> entries, sorted;
        entries.reserve(2 * n);
        std::vector<size_t> begin(size_t(count) * SIDES + 1, 0);
        CellWords cells;
        for (size_t i = 0; i < n; ++i) {
            uint32_t p = constraints[i].predicate, place = constraints[i].place, ends[SIDES] = {0, count - 1, 0};
            if (i && place >> 6 != constraints[i - 1].place >> 6) write_ranges(cells, column, constraints[i - 1].place);
            each_entry(c, p, [&](Side side, Key key) {
                ends[side] = slot_in(column, key);
                entries.push_back({key, place, list_of(ends[side], side)});
                ++begin[entries.back().list + 1];
            });
            uint64_t bit = uint64_t(1) << (place & 63);
            if ((c.head[p] & KIND_MASK) == PREDICATE_RANGE && !(cells.ranges & bit)) {
                cells.ranges |= bit;
                cells.begins[cell_of_slot(column, ends[LOW])] |= bit;
                cells.ends[cell_of_slot(column, ends[HIGH]) + 1] |= bit;
            } else {
                uint32_t first = dense.own_sets() + cell_begin[column];
                each_cell(c, p, column, [&](uint32_t cell) { dense.bits.put(first + cell, place, true); });
            }
        }
        if (n) write_ranges(cells, column, constraints[n - 1].place);
        for (size_t i = 0; i + 1 < begin.size(); ++i) begin[i + 1] += begin[i];
        sorted.resize(entries.size());
        std::vector<size_t> next(begin.begin(), begin.end() - 1);
        for (const Entry& entry : entries) sorted[next[entry.list]++] = entry;
        std::vector<uint32_t> lengths;
        for (size_t i = 0; i + 1 < begin.size(); ++i) {
            Entry *first = sorted.data() + begin[i], *last = sorted.data() + begin[i + 1];
            std::sort(first, last);
            lengths.push_back(uint32_t(std::unique(first, last) - first));
        }
        uint32_t list = nodes.count();
        nodes.add_full(lengths);
        for (uint32_t i = 0; i < lengths.size(); ++i, ++list) {
            if (!lengths[i]) continue;
            uint32_t* words = nodes.writable(list);
            for (uint32_t j = 0; j < lengths[i]; ++j)
                Node::write(words, j, sorted[begin[i] + j].key, sorted[begin[i] + j].place);
            if constexpr (TREES) RedBlack(words, root.writable() + list).build(lengths[i]);
            uint32_t slot = list / SIDES, side = list % SIDES;
            if (side != OUT) (side == LOW ? low_sums : high_sums).set(slot, lengths[i]);
        }
        Fenwick::build(low_sums.writable() + slot_begin[column], count);
        Fenwick::build(high_sums.writable() + slot_begin[column], count);
    }

    // --- Matching ---

    // Alg. 4, lines 1-3, with formula (3) for the rates: the steps of an event by rising matching rate.
    void plan(const Event& event, std::vector<DexinStep>& steps) const {
        steps.clear();
        double n = dense.places();
        double cost = double(dense.bits.panels() * dense.bits.breadth()) * WORD_COST / n;
        for (uint32_t k = 0; k < dense.columns(); ++k) {
            Key key = event.table[dense.column_attribute.data()[k]];
            if (key == KEY_ABSENT) {
                double rate = 1 - double(needs.data()[k]) / n;
                steps.push_back({rate, cost, DenseClauses::NEEDS + k, NONE, 0, 0, 0});
                continue;
            }
            uint32_t first = slot_begin.data()[k], slot = slot_in(k, key), cell = cell_of_slot(k, slot);
            const uint32_t *low = low_sums.data() + first, *high = high_sums.data() + first;
            uint32_t low_here = Fenwick::before(low, slot), high_here = Fenwick::before(high, slot + 1);
            uint32_t excluded = Fenwick::before(low, slots_of(k)) - low_here + high_here;
            uint32_t open = Fenwick::before(low, first_slot_of(k, cell + 1)) - low_here + high_here -
                            Fenwick::before(high, first_slot_of(k, cell));
            steps.push_back({std::max(0.0, 1 - double(excluded) / n), cost,
                             dense.own_sets() + cell_begin.data()[k] + cell, k, slot, open, key});
        }
        std::sort(steps.begin(), steps.end(), [](const DexinStep& a, const DexinStep& b) { return a.rate < b.rate; });
    }
    // Alg. 1 within the event's cell; what is beyond has been taken out as a whole. Slots but the event's are read from
    // end to end, without the links.
    void exclude_entries(const DexinStep& step, uint64_t* left) const {
        uint32_t k = step.column, first = slot_begin.data()[k], cell = cell_of_slot(k, step.slot);
        auto out = [left](uint32_t place) { left[place >> 6] &= ~(uint64_t(1) << (place & 63)); };
        auto whole = [&](uint32_t list) {
            const uint32_t* words = nodes.items(list);
            for (uint32_t i = 0, n = nodes.size(list); i < n; ++i) out(Node::item_of(words, i));
        };
        uint32_t here = list_of(first + step.slot, 0);
        for (uint32_t i = step.slot + 1, end = first_slot_of(k, cell + 1); i < end; ++i) whole(list_of(first + i, LOW));
        for (uint32_t i = first_slot_of(k, cell); i < step.slot; ++i) whole(list_of(first + i, HIGH));
        if constexpr (TREES) {
            RedBlack::each_above(nodes.items(here + LOW), root.data()[here + LOW], step.key, out);
            RedBlack::each_below(nodes.items(here + HIGH), root.data()[here + HIGH], step.key, out);
            RedBlack::each_equal(nodes.items(here + OUT), root.data()[here + OUT], step.key, out);
        } else {
            auto some = [&](uint32_t list, auto excluded) {
                const uint32_t* words = nodes.items(list);
                for (uint32_t i = 0, n = nodes.size(list); i < n;
                     ++i) {  // without a branch, which would be a coin toss
                    uint32_t place = Node::item_of(words, i);
                    left[place >> 6] &= ~(uint64_t(excluded(Node::key_of(words, i))) << (place & 63));
                }
            };
            some(here + LOW, [&](Key low) { return low > step.key; });
            some(here + HIGH, [&](Key high) { return high < step.key; });
            some(here + OUT, [&](Key key) { return key == step.key; });
        }
    }

    // --- Invariants ---

    std::string check_trees() const {
        if (const char* problem = nodes.check()) return std::string("6: trees: ") + problem;
        for (uint32_t k = 0; k < dense.columns(); ++k) {
            std::vector<uint32_t> sums[2];
            for (uint32_t slot = slot_begin[k]; slot < slot_begin[k + 1]; ++slot)
                for (uint32_t side = 0; side < SIDES; ++side) {
                    uint32_t list = list_of(slot, side), n = nodes.size(list);
                    if (!nodes.live(list)) return "6: a tree without a list";
                    const uint32_t* words = nodes.items(list);
                    if constexpr (TREES)
                        if (const char* problem = RedBlack::check(words, root[list], n))
                            return std::string("6: red-black ") + problem;
                    for (uint32_t i = 0; i < n; ++i)
                        if (slot_begin[k] + slot_in(k, Node::key_of(words, i)) != slot)
                            return "6: a key in a slot that is not its own";
                    if (side != OUT) sums[side].push_back(n);
                }
            for (uint32_t side = 0; side < OUT; ++side) {
                Fenwick::build(sums[side].data(), sums[side].size());
                if (std::memcmp(sums[side].data(), (side == LOW ? low_sums : high_sums).data() + slot_begin[k],
                                sums[side].size() * sizeof(uint32_t)))
                    return "7: sums of a column";
            }
        }
        return "";
    }
    std::string check_clauses(const Clauses& c) const {
        std::vector<std::vector<Entry>> expected(nodes.count());
        std::vector<uint32_t> needed(needs.size(), 0);
        std::vector<uint8_t> excluded(cell_begin.back());
        for (uint32_t place = 0; place < dense.places(); ++place) {
            uint32_t x = dense.clause_at[place];
            if (c.owner[x] == DEAD) continue;
            if (dense.bits.has(DenseClauses::UNDECIDED, place) != undecided(c, x)) return "9: what is undecided";
            std::fill(excluded.begin(), excluded.end(), 0);
            each_predicate(c, x, [&](uint32_t p, uint32_t k) {
                needed[k] += needs_attribute(c.head[p] & KIND_MASK);
                each_cell(c, p, k, [&](uint32_t cell) { excluded[cell_begin[k] + cell] = 1; });
                each_entry(c, p, [&](Side side, Key key) {
                    expected[list_of(slot_begin[k] + slot_in(k, key), side)].push_back({key, place, 0});
                });
            });
            for (uint32_t i = 0; i < excluded.size(); ++i)
                if (dense.bits.has(dense.own_sets() + i, place) != bool(excluded[i])) return "9: the set of a cell";
        }
        auto put_in_order = [](std::vector<Entry>& entries) {
            std::sort(entries.begin(), entries.end());
            entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
        };
        for (uint32_t list = 0; list < expected.size(); ++list) {
            std::vector<Entry> found;
            for (uint32_t i = 0; i < nodes.size(list); ++i) {
                uint32_t place = Node::item_of(nodes.items(list), i);
                if (place >= dense.places()) return "8: an entry without a clause";
                if (TREES || dense.bits.has(DenseClauses::LIVE, place))
                    found.push_back({Node::key_of(nodes.items(list), i), place, 0});
            }
            put_in_order(found);
            put_in_order(expected[list]);
            if (!(found == expected[list])) return "8: entries of a slot";
        }
        for (uint32_t k = 0; k < needs.size(); ++k)
            if (needs[k] != needed[k]) return "7: how many need a column";
        return "";
    }

    DenseClauses dense;
    Buffer<uint32_t> slot_begin, cell_begin, needs, low_sums, high_sums, root;
    Buffer<Key> bound;
    Lists<Node::WORDS> nodes;
};

}  // namespace boolsieve
