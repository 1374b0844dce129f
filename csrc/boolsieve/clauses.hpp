// The clause store: all normal forms, once, in flat buffers, and the one check that decides whether a clause holds.
//
//   buffer          type    length          meaning
//   begin           uint32  clauses + 1     where a clause's predicates start
//   owner           uint32  clauses         the expression (its slot), or DEAD
//   head            uint32  predicates      attribute * 16 + kind, + OR_NEXT if the next predicate will do instead
//   low, high       uint64  predicates      RANGE, NOT_RANGE: the closed range of keys
//                                           IN, NOT_IN: offset and length in `sets`
//                                           TEXT: operand in the string pool (TEXT_OUTSIDE: two); comparison
//                                           OUTSIDE: key of the low end; offset of the high end in `sets`
//   sets            uint64  -               sorted keys of the sets; attribute and key of an OUTSIDE's high end
//
// Invariants (ClauseStore.check_invariants asserts them by number)
//   1. begin rises strictly: each clause has a predicate (an always-true one tests attribute 0, always there).
//   2. 1 <= low <= high for ranges; sets lie inside `sets`, sorted, without duplicates, at least two keys for IN.
//   3. Attributes are below the dictionary's count.
//   4. Clauses of one expression lie side by side.
//   5. OR_NEXT stands only in clauses in conjunctive normal form, which the store has only if its engine takes them,
//      and not at a clause's last predicate. In one of the runs that it makes, every predicate needs its attribute.
//   6. A dead clause's first predicate is NEVER, so that a scan passes over it like over any other that fails.
#pragma once

#include <cstdint>
#include <string_view>

#include "buffer.hpp"
#include "event.hpp"
#include "keys.hpp"
#include "pool.hpp"

namespace boolsieve {

enum PredicateKind : uint32_t {
    PREDICATE_RANGE,      // key within [low, high]
    PREDICATE_IN,         // key in the set
    PREDICATE_NOT_RANGE,  // present, and not within
    PREDICATE_NOT_IN,     // present, and not in the set
    PREDICATE_ABSENT,     // the event lacks the attribute
    PREDICATE_TEXT,       // an order key's text compared with the operand's (only where order keys can tie)
    PREDICATE_OUTSIDE,    // a number outside a range whose ends no one view can hold
    PREDICATE_NEVER,      // of dead clauses
};

enum TextComparison : uint64_t { TEXT_LESS, TEXT_LESS_EQUAL, TEXT_GREATER, TEXT_GREATER_EQUAL, TEXT_OUTSIDE };

constexpr uint32_t KIND_BITS = 4;
constexpr uint32_t KIND_MASK = 7;
constexpr uint32_t OR_NEXT = 8;
constexpr uint32_t MAX_ATTRIBUTES = 1u << (32 - KIND_BITS);
constexpr uint32_t DEAD = 0xFFFFFFFFu;

// Does a predicate of this kind hold only if the event has its attribute?
inline bool needs_attribute(uint32_t kind) noexcept { return kind != PREDICATE_ABSENT && kind != PREDICATE_NEVER; }

// Plain pointers into the buffers, for loops.
struct Clauses {
    const uint32_t* begin;
    const uint32_t* owner;
    const uint32_t* head;
    const Key* low;
    const Key* high;
    const Key* sets;
    uint32_t count;
    uint32_t attributes;
    const StringPool* strings;  // the operands of TEXT predicates
};

inline bool in_set(const Key* keys, size_t n, Key key) noexcept {
    const Key* base = keys;
    while (n > 1) {  // branch-free halving: the larger half stays
        size_t half = n / 2;
        base = base[half] <= key ? base + half : base;
        n -= half;
    }
    return n && *base == key;
}

inline bool compare_holds(std::string_view value, const StringPool& strings, uint64_t operand,
                          uint64_t comparison) noexcept {
    auto order = [&](uint32_t id) {
        std::string_view text = strings.text(id);
        return compare_text(value.data(), value.size(), text.data(), text.size());
    };
    switch (comparison) {
        case TEXT_LESS:
            return order(uint32_t(operand)) < 0;
        case TEXT_LESS_EQUAL:
            return order(uint32_t(operand)) <= 0;
        case TEXT_GREATER:
            return order(uint32_t(operand)) > 0;
        case TEXT_GREATER_EQUAL:
            return order(uint32_t(operand)) >= 0;
        default:
            return order(uint32_t(operand)) < 0 || order(uint32_t(operand >> 32)) > 0;
    }
}

inline bool text_holds(const Clauses& c, uint32_t p, uint32_t attribute, const Text* texts, size_t n) noexcept {
    for (size_t i = 0; i < n; ++i)
        if (texts[i].attribute == attribute)
            return compare_holds({texts[i].data, texts[i].length}, *c.strings, c.low[p], c.high[p]);
    return false;
}

// Every kind but RANGE, kept out of the loop over predicates. key_of(a) is the event's key of attribute a.
template <class KeyOf>
inline bool other_holds(const Clauses& c, uint32_t p, uint32_t kind, KeyOf key_of, const Text* texts,
                        size_t n) noexcept {
    uint32_t attribute = c.head[p] >> KIND_BITS;
    Key key = key_of(attribute);
    if (key == KEY_ABSENT) return kind == PREDICATE_ABSENT;
    switch (kind) {
        case PREDICATE_IN:
            return in_set(c.sets + c.low[p], c.high[p], key);
        case PREDICATE_NOT_RANGE:
            return !(key - c.low[p] <= c.high[p] - c.low[p]);
        case PREDICATE_NOT_IN:
            return !in_set(c.sets + c.low[p], c.high[p], key);
        case PREDICATE_TEXT:
            return text_holds(c, p, attribute, texts, n);
        case PREDICATE_OUTSIDE: {
            const Key* end = c.sets + c.high[p];
            return key < c.low[p] || key_of(uint32_t(end[0])) > end[1];
        }
        default:
            return false;
    }
}

inline bool predicate_holds(const Clauses& c, uint32_t p, const Event& event) noexcept {
    uint32_t head = c.head[p];
    uint32_t kind = head & KIND_MASK;
    const Key* table = event.table.data();
    if (kind == PREDICATE_RANGE) {
        Key key = table[head >> KIND_BITS];
        // Absent attributes would fail the comparison too, but then the operands need not be fetched from memory.
        return key != KEY_ABSENT && key - c.low[p] <= c.high[p] - c.low[p];
    }
    return other_holds(c, p, kind, [table](uint32_t a) { return table[a]; }, event.texts.data(), event.texts.size());
}

// Do all predicates from p on hold, p being the first of its alternatives? Returns the first that does not (of
// alternatives the last), or the clause's end.
inline uint32_t first_failure(const Clauses& c, uint32_t p, uint32_t end, const Event& event) noexcept {
    while (p < end) {
        if (predicate_holds(c, p, event)) {
            while (c.head[p] & OR_NEXT) ++p;
        } else if (!(c.head[p] & OR_NEXT)) {
            break;
        }
        ++p;
    }
    return p;
}

inline bool clause_holds(const Clauses& c, uint32_t clause, const Event& event) noexcept {
    uint32_t end = c.begin[clause + 1];
    return first_failure(c, c.begin[clause], end, event) == end;
}

}  // namespace boolsieve
