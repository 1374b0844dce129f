// The distinct predicates of clauses, numbered and counted, and which of them an event satisfies: the first phase of
// the counting engines.
//
// Predicates that name a key, a range or a set of an attribute are the ones that can be found. Points are found by
// hashing, ranges in sorted lists an attribute (range_lists.hpp). A set is found through its members: each is a point,
// which lists the sets that it is in. What only excludes values (!=, NOT IN), absence and long texts are satisfied by
// nearly every event, or cannot be looked up; they are never here, and are left to the check of the clause. A clause of
// nothing else is represented by the presence of an attribute that it needs, which is the range of all keys.
//
//   buffer     type    length        meaning
//   head       uint32  predicates    attribute * 16 + form
//   at         uint32  predicates    where its operand is in the store: a predicate, or a key in `sets` (MEMBER); the
//                                    next free number (FREE)
//   references uint32  predicates    how often it was acquired and not released; sets acquire their members
//   holders    uint32  predicates    of a point: the list of the sets that it is in, or NONE
//   table      uint64  power of two  hash table, linear probing: hash * 2^32 + number, or EMPTY
//   totals     uint64  5             numbers in the table; first free number; sets; sets that are gone but listed;
//                                    clauses when the lists were packed
//   sets.*     -       -             lists of sets (lists.hpp)
//   ranges.*   -       -             ranges by attribute
//
// Operands are read from the store, where they stay as long as the engine lives, also those of dead clauses.
//
// Invariants (check asserts them by number)
//   1. The table is a power of two, at most three quarters in use; each predicate in use is found in it, once.
//   2. A predicate has a reference if and only if it is in use; free ones are in the chain of free numbers.
//   3. Each range in use is in its attribute's list, under its number; nothing else is there.
//   4. Each set in use is in the lists of its members; these hold nothing else but sets that are gone, which are
//      counted and are at most 64 and an eighth of the numbers.
//
// Cost: a look-up a predicate to acquire or release, a look-up and a stab for each pair of an event. 16 bytes a
// predicate, 11 to 21 for the table, 20 to 40 more a range, 4 to 8 more a member. Threads: satisfied is const.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "buffer.hpp"
#include "clauses.hpp"
#include "hash.hpp"
#include "lists.hpp"
#include "range_lists.hpp"

namespace boolsieve {

class PredicateIndex {
  public:
    static constexpr uint32_t NONE = 0xFFFFFFFFu;

    // A predicate that can be found: POINT (low), RANGE (low to high), SET (high keys from low on in `sets`).
    enum Shape : uint32_t { POINT, RANGE, SET, MEMBER, GONE_SET, FREE };
    struct Form {
        uint32_t attribute;
        Shape shape;
        Key low, high;
    };

    static bool indexable(uint32_t kind) noexcept { return kind == PREDICATE_RANGE || kind == PREDICATE_IN; }
    static bool needs_attribute(uint32_t kind) noexcept { return kind != PREDICATE_ABSENT && kind != PREDICATE_NEVER; }
    // Of an indexable predicate, and of another that needs its attribute: its presence.
    static Form form_of(const Clauses& c, uint32_t p, uint32_t head) noexcept {
        uint32_t attribute = head >> KIND_BITS, kind = head & KIND_MASK;
        if (kind == PREDICATE_IN) return {attribute, SET, c.low[p], c.high[p]};
        if (kind != PREDICATE_RANGE) return {attribute, RANGE, KEY_LOWEST, KEY_HIGHEST};
        return {attribute, c.low[p] == c.high[p] ? POINT : RANGE, c.low[p], c.high[p]};
    }
    static Form form_of(const Clauses& c, uint32_t p) noexcept { return form_of(c, p, c.head[p]); }

    // The predicates of a clause that stand for it, at most `most`: the indexable ones, or one that needs its
    // attribute. Returns whether these decide the clause.
    static bool representatives(const Clauses& c, uint32_t clause, size_t most, std::vector<uint32_t>& out) {
        out.clear();
        uint32_t begin = c.begin[clause], end = c.begin[clause + 1], needed = NONE;
        bool decided = true;
        for (uint32_t p = begin; p < end; ++p) {
            uint32_t kind = c.head[p] & KIND_MASK;
            if (indexable(kind) && out.size() < most) {
                out.push_back(p);
            } else {
                decided = false;
                if (needed == NONE && needs_attribute(kind)) needed = p;
            }
        }
        if (out.empty() && needed != NONE) out.push_back(needed);
        return decided;
    }

    uint32_t limit() const noexcept { return uint32_t(head.size()); }  // numbers are below it
    uint32_t references_of(uint32_t number) const noexcept { return references.data()[number]; }
    uint32_t attribute_of(uint32_t number) const noexcept { return head.data()[number] >> FORM_BITS; }
    bool is_point(uint32_t number) const noexcept { return shape(number) == POINT || shape(number) == MEMBER; }

    bool is(const Clauses& c, uint32_t number, const Form& form) const noexcept { return same(c, number, form); }

    uint32_t find(const Clauses& c, const Form& form) const noexcept {
        if (!table.size()) return NONE;
        uint64_t slot = table.data()[place_of(c, form, hash_of(c, form))];
        return slot == EMPTY ? NONE : uint32_t(slot);
    }
    void prefetch(const Clauses& c, const Form& form) const noexcept {
        if (table.size()) __builtin_prefetch(table.data() + (hash_of(c, form) & (table.size() - 1)));
    }
    // The number of the store's predicate p, with one more reference. Ranges are to be settled afterwards.
    uint32_t acquire(const Clauses& c, uint32_t p) {
        Form form = form_of(c, p);
        uint32_t number = find(c, form);
        if (number != NONE) {
            references.set(number, references[number] + 1);
            return number;
        }
        number = create(c, form, p);
        if (form.shape == RANGE) {
            try {
                ranges.add(form.attribute, form.low, form.high, number);
            } catch (...) {
                forget(c, number, form);
                throw;
            }
        } else if (form.shape == SET) {
            uint64_t i = 0;
            try {
                for (; i < form.high; ++i) join(c, form, i, number);
            } catch (...) {  // the set is in the lists of the members before i
                while (i-- > 0) {
                    uint32_t member = find(c, member_of(c, form, i));
                    sets.shorten(holders[member], sets.size(holders[member]) - 1);
                    unreference(c, member);
                }
                forget(c, number, form);
                throw;
            }
            count(SETS, 1);
        }
        return number;
    }
    // The numbers of the predicates that represent some clauses that stand side by side, with a reference each:
    // numbers[p - c.begin[first]], or NONE. By attribute and operand, so that what an event satisfies lies close
    // together.
    void acquire_all(const Clauses& c, uint32_t first, uint32_t count, size_t most, std::vector<uint32_t>& numbers) {
        struct Item {
            uint32_t attribute, p;
            Key low;
        };
        uint32_t base = c.begin[first];
        std::vector<Item> items;
        std::vector<uint32_t> of_clause;
        for (uint32_t clause = first; clause < first + count; ++clause) {
            representatives(c, clause, most, of_clause);
            for (uint32_t p : of_clause) {
                Form form = form_of(c, p);
                items.push_back({form.attribute, p, form.shape == SET ? c.sets[form.low] : form.low});
            }
        }
        std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
            if (a.attribute != b.attribute) return a.attribute < b.attribute;
            return a.low != b.low ? a.low < b.low : a.p < b.p;
        });
        numbers.assign(c.begin[first + count] - base, NONE);
        size_t done = 0;
        try {
            for (; done < items.size(); ++done) numbers[items[done].p - base] = acquire(c, items[done].p);
        } catch (...) {
            while (done-- > 0) release(c, numbers[items[done].p - base]);
            throw;
        }
        for (size_t i = 0; i < items.size(); ++i)
            if (i + 1 == items.size() || items[i].attribute != items[i + 1].attribute) settle(items[i].attribute);
    }
    void acquire_again(uint32_t number) { references.set(number, references[number] + 1); }
    // Takes a reference away. Calls gone(number) for the predicate if it was the last one, and for points that are in
    // no set any more. Cannot fail.
    template <class Gone>
    void release(const Clauses& c, uint32_t number, Gone gone) {
        if (references[number] > 1) {
            references.set(number, references[number] - 1);
            return;
        }
        gone(number);
        Form form = form_of_number(c, number);
        if (form.shape == SET) {  // its number stays taken until it is in no list any more
            erase(c, form);
            references.set(number, 0);
            head.set(number, form.attribute << FORM_BITS | GONE_SET);
            for (uint64_t i = 0; i < form.high; ++i) {
                uint32_t member = find(c, member_of(c, form, i));
                if (references[member] == 1) gone(member);
                unreference(c, member);
            }
            count(SETS, -1);
            count(GONE_SETS, 1);
            if (totals[GONE_SETS] > gone_limit()) sweep();
            return;
        }
        if (form.shape == RANGE) ranges.remove(form.attribute, form.low, form.high, number);
        forget(c, number, form);
    }
    void release(const Clauses& c, uint32_t number) {
        release(c, number, [](uint32_t) {});
    }
    void settle(uint32_t attribute) { ranges.settle(attribute); }
    // Whether the clauses are twice as many as when this was true the last time: the time to pack all lists.
    bool grown(uint32_t clauses) {
        if (!totals.size() || clauses < 2 * std::max<uint64_t>(totals[PACKED], 512)) return false;
        totals.set(PACKED, clauses);
        return true;
    }
    // Gives up the room that growing has left.
    void pack() {
        sets.pack();
        ranges.pack();
    }

    // Which predicates does the pair satisfy? Writes their numbers, each once in an event, and a few words behind them
    // (limit() + SLACK in all). Among them may be numbers without references: of sets that are gone.
    static constexpr size_t SLACK = 16;
    uint32_t* satisfied(const Clauses& c, uint32_t attribute, Key key, uint32_t* out) const noexcept {
        uint32_t number = find(c, {attribute, POINT, key, key});
        if (number != NONE) {
            *out++ = number;
            uint32_t list = holders.data()[number];
            if (list != NONE) {
                size_t n = sets.size(list);
                std::memcpy(out, sets.items(list), n * 4);
                out += n;
            }
        }
        return ranges.stab(attribute, key, out);
    }
    uint32_t* satisfied(const Clauses& c, const Event& event, uint32_t* out) const noexcept {
        constexpr size_t AHEAD = 8;  // look-ups under way at the same time
        size_t n = event.attributes.size();
        auto ask = [&](size_t i) {
            uint32_t a = event.attributes[i];
            prefetch(c, {a, POINT, event.table[a], event.table[a]});
        };
        for (size_t i = 0; i < std::min(n, AHEAD); ++i) ask(i);
        for (size_t i = 0; i < n; ++i) {
            if (i + AHEAD < n) ask(i + AHEAD);
            uint32_t a = event.attributes[i];
            out = satisfied(c, a, event.table[a], out);
        }
        return out;
    }

    template <class F>
    void each_buffer(F f) {
        f("head", head);
        f("at", at);
        f("references", references);
        f("holders", holders);
        f("table", table);
        f("totals", totals);
        sets.each_buffer([&](const char* name, auto& buffer) { f((std::string("sets.") + name).c_str(), buffer); });
        ranges.each_buffer([&](const char* name, auto& buffer) { f((std::string("ranges.") + name).c_str(), buffer); });
    }

    // Whether the table has the empty places that searching it needs, and numbers in range. For tests.
    bool searchable() const {
        size_t used = 0;
        for (size_t i = 0; i < table.size(); ++i) {
            used += table[i] != EMPTY;
            if (table[i] != EMPTY && uint32_t(table[i]) >= limit()) return false;
        }
        return used <= table.size() / 4 * 3;
    }
    // The invariant that does not hold, or an empty text; `expected` is how often each number was acquired. For tests.
    std::string check(const Clauses& c, std::vector<uint32_t> expected) const {
        uint32_t n = limit();
        size_t size = table.size();
        if (at.size() != n || references.size() != n || holders.size() != n || (size & (size - 1)) ||
            totals.size() != (n ? TOTALS : 0))
            return "1: lengths";
        if (!searchable()) return "1: the table is too full";
        uint64_t in_table = 0, set_count = 0, gone = 0, used = 0, range_count = 0;
        for (size_t i = 0; i < size; ++i) {
            if (table[i] == EMPTY) continue;
            ++in_table;
            uint32_t number = uint32_t(table[i]);
            if (number >= n || shape(number) >= GONE_SET || find(c, form_of_number(c, number)) != number)
                return "1: a predicate that is not found";
        }
        std::vector<uint8_t> free(n, 0);
        for (uint32_t number = n ? uint32_t(totals[FIRST_FREE]) : NONE; number != NONE; number = at[number])
            if (number >= n || free[number]++ || shape(number) != FREE) return "2: the chain of free numbers";
        expected.resize(n, 0);
        std::vector<std::vector<uint32_t>> members(n);
        for (uint32_t number = 0; number < n; ++number) {
            if (shape(number) == FREE || shape(number) == GONE_SET) {
                gone += shape(number) == GONE_SET;
                if ((shape(number) == FREE) != free[number] || references[number] || holders[number] != NONE)
                    return "2: a number that is not in use";
                continue;
            }
            ++used;
            Form form = form_of_number(c, number);
            range_count += form.shape == RANGE;
            if (form.shape != SET) continue;
            ++set_count;
            for (uint64_t i = 0; i < form.high; ++i) {
                uint32_t member = find(c, member_of(c, form, i));
                if (member == NONE) return "4: a member that is not found";
                ++expected[member];
                members[member].push_back(number);
            }
        }
        if (n && (used != in_table || used != totals[USED])) return "1: number of predicates";
        for (uint32_t number = 0; number < n; ++number)
            if (shape(number) < GONE_SET && (references[number] != expected[number] || !expected[number]))
                return "2: references of predicate " + std::to_string(number);
        if (const char* problem = ranges.check()) return std::string("3: ranges: ") + problem;
        bool right = true;
        uint64_t listed = 0;
        ranges.each([&](uint32_t attribute, Key low, Key high, uint32_t number) {
            ++listed;
            right = right && number < n && shape(number) == RANGE;
            if (!right) return;
            Form form = form_of_number(c, number);
            right = form.attribute == attribute && form.low == low && form.high == high;
        });
        if (!right || listed != range_count) return "3: the ranges listed";
        if (sets.check()) return "4: lists";
        for (uint32_t number = 0; number < n; ++number) {
            std::vector<uint32_t> there;
            if (holders[number] != NONE)
                for (uint32_t i = 0; i < sets.size(holders[number]); ++i) {
                    uint32_t set = sets.items(holders[number])[i];
                    if (set >= n || (shape(set) != SET && shape(set) != GONE_SET)) return "4: no set in a list of sets";
                    if (shape(set) == SET) there.push_back(set);
                }
            std::sort(there.begin(), there.end());
            if (there != members[number]) return "4: the sets of a member";
        }
        if (n && (set_count != totals[SETS] || gone != totals[GONE_SETS] || gone > gone_limit()))
            return "4: number of sets";
        return "";
    }

  private:
    static constexpr uint32_t FORM_BITS = 4;
    static constexpr uint64_t EMPTY = ~uint64_t(0);
    enum Total { USED, FIRST_FREE, SETS, GONE_SETS, PACKED, TOTALS };

    // A sweep looks at all predicates.
    uint64_t gone_limit() const noexcept { return 64 + limit() / 8; }
    uint32_t shape(uint32_t number) const noexcept { return head.data()[number] & ((1u << FORM_BITS) - 1); }
    void count(Total which, int64_t n) { totals.set(which, totals[which] + uint64_t(n)); }
    Form form_of_number(const Clauses& c, uint32_t number) const noexcept {
        uint32_t a = attribute_of(number), p = at.data()[number];
        switch (shape(number)) {
            case MEMBER:
                return {a, POINT, c.sets[p], c.sets[p]};
            case POINT:
                return {a, POINT, c.low[p], c.low[p]};
            case SET:
                return {a, SET, c.low[p], c.high[p]};
            default:
                if (p == NONE) return {a, RANGE, KEY_LOWEST, KEY_HIGHEST};
                return {a, RANGE, c.low[p], c.high[p]};
        }
    }
    static Form member_of(const Clauses& c, const Form& set, uint64_t i) noexcept {
        Key key = c.sets[set.low + i];
        return {set.attribute, POINT, key, key};
    }
    // 32 bits, so that the table can be rebuilt without the store.
    static uint32_t hash_of(const Clauses& c, const Form& form) noexcept {
        uint64_t h = uint64_t(form.attribute) << 2 | form.shape;
        if (form.shape == SET)
            for (uint64_t i = 0; i < form.high; ++i) h = mix(h ^ c.sets[form.low + i]) + h;
        else
            h = hashing::fold(mix(h ^ form.low) + form.high, hashing::ROOT5);
        return uint32_t(h >> 32);
    }
    bool same(const Clauses& c, uint32_t number, const Form& form) const noexcept {
        uint32_t s = shape(number) == MEMBER ? uint32_t(POINT) : shape(number);
        if (attribute_of(number) != form.attribute || s != form.shape) return false;
        Form other = form_of_number(c, number);
        if (form.shape != SET) return other.low == form.low && other.high == form.high;
        return other.high == form.high &&
               std::equal(c.sets + form.low, c.sets + form.low + form.high, c.sets + other.low);
    }
    // Where the predicate is or would be; there is a table, and it has an empty place.
    size_t place_of(const Clauses& c, const Form& form, uint32_t hash) const noexcept {
        const uint64_t* slots = table.data();
        size_t mask = table.size() - 1, i = hash & mask;
        while (slots[i] != EMPTY && !(slots[i] >> 32 == hash && same(c, uint32_t(slots[i]), form))) i = (i + 1) & mask;
        return i;
    }

    void need_totals() {
        if (totals.size()) return;
        totals.resize(TOTALS, 0);
        totals.set(FIRST_FREE, NONE);
    }
    void need_table() {
        if (totals[USED] + 1 <= table.size() / 4 * 3) return;
        Buffer<uint64_t> fresh;
        size_t size = table.size() ? table.size() * 2 : 8, mask = size - 1;
        fresh.resize(size, EMPTY);
        uint64_t* slots = fresh.writable();
        for (size_t i = 0; i < table.size(); ++i) {
            if (table[i] == EMPTY) continue;
            size_t to = (table[i] >> 32) & mask;
            while (slots[to] != EMPTY) to = (to + 1) & mask;
            slots[to] = table[i];
        }
        table.swap(fresh);
    }
    // A new predicate with one reference, in the table but in no list. p is its place in the store.
    uint32_t create(const Clauses& c, const Form& form, uint64_t p, Shape shape_of = FREE) {
        if (p > NONE - 1) throw std::length_error("sets of more than 2**32 - 1 keys");
        need_totals();
        need_table();
        if (totals[FIRST_FREE] == NONE) {
            if (limit() == NONE) throw std::length_error("more than 2**32 - 1 distinct predicates");
            for (Buffer<uint32_t>* buffer : {&head, &at, &references, &holders}) buffer->reserve_more(1);
            totals.set(FIRST_FREE, limit());
            head.push_back(FREE);
            at.push_back(NONE);
            references.push_back(0);
            holders.push_back(NONE);
        }
        uint32_t number = uint32_t(totals[FIRST_FREE]);
        totals.set(FIRST_FREE, at[number]);
        bool presence = form.shape == RANGE && form.low == KEY_LOWEST && form.high == KEY_HIGHEST;
        head.set(number, form.attribute << FORM_BITS | (shape_of == FREE ? form.shape : shape_of));
        at.set(number, presence ? NONE : uint32_t(p));
        references.set(number, 1);
        uint32_t hash = hash_of(c, form);
        table.set(place_of(c, form, hash), uint64_t(hash) << 32 | number);
        count(USED, 1);
        return number;
    }
    // Makes the set one of the holders of its i-th member.
    void join(const Clauses& c, const Form& set, uint64_t i, uint32_t number) {
        Form form = member_of(c, set, i);
        uint32_t member = find(c, form);
        if (member == NONE)
            member = create(c, form, set.low + i, MEMBER);
        else
            acquire_again(member);
        try {
            if (holders[member] == NONE) holders.set(member, sets.add());
            sets.push(holders[member], &number);
        } catch (...) {
            unreference(c, member);
            throw;
        }
    }
    void unreference(const Clauses& c, uint32_t point) {
        references.set(point, references[point] - 1);
        if (!references[point]) forget(c, point, form_of_number(c, point));
    }
    // Takes a predicate that is in no list out of the table, and frees its number.
    void forget(const Clauses& c, uint32_t number, const Form& form) {
        erase(c, form);
        if (holders[number] != NONE) {
            sets.drop(holders[number]);
            holders.set(number, NONE);
        }
        references.set(number, 0);
        free_number(number);
    }
    void free_number(uint32_t number) {
        head.set(number, FREE);
        at.set(number, uint32_t(totals[FIRST_FREE]));
        totals.set(FIRST_FREE, number);
    }
    void erase(const Clauses& c, const Form& form) {
        uint64_t* slots = table.writable();
        size_t mask = table.size() - 1, hole = place_of(c, form, hash_of(c, form));
        for (size_t i = (hole + 1) & mask; slots[i] != EMPTY; i = (i + 1) & mask) {
            size_t home = (slots[i] >> 32) & mask;
            if (((i - home) & mask) < ((i - hole) & mask)) continue;  // its home is behind the hole
            slots[hole] = slots[i];
            hole = i;
        }
        slots[hole] = EMPTY;
        count(USED, -1);
    }
    // Takes the sets that are gone out of all lists; then their numbers are free.
    void sweep() {
        for (uint32_t number = 0; number < limit(); ++number) {
            if (holders[number] == NONE) continue;
            uint32_t* first = sets.writable(holders[number]);
            uint32_t* last = std::remove_if(first, first + sets.size(holders[number]),
                                            [this](uint32_t set) { return shape(set) == GONE_SET; });
            sets.shorten(holders[number], uint32_t(last - first));
        }
        for (uint32_t number = 0; number < limit(); ++number)
            if (shape(number) == GONE_SET) free_number(number);
        totals.set(GONE_SETS, 0);
    }

    Buffer<uint32_t> head, at, references, holders;
    Buffer<uint64_t> table, totals;
    Lists<1> sets;
    RangeLists ranges;
};

}  // namespace boolsieve
