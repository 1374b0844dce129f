// The total order of literals and of terms. Literals are ordered by family, then by value; equal literals are one: a
// float that is an int64 by value is written as the integer, a date as its time, so equal terms are equal bytes.
#pragma once

#include <algorithm>
#include <cstring>

#include "boolsieve/number.hpp"
#include "boolsieve/tree.hpp"

namespace boolsieve {

inline Family family_of(LiteralType type) noexcept {
    switch (type) {
        case LITERAL_BOOL:
            return FAMILY_BOOL;
        case LITERAL_INT:
        case LITERAL_FLOAT:
            return FAMILY_NUMBER;
        case LITERAL_STRING:
            return FAMILY_STRING;
        default:
            return FAMILY_TIME;
    }
}

inline Literal canonical(Literal literal) noexcept {
    if (literal.type == LITERAL_STRING) return literal;
    literal.length = 0;
    int64_t whole;
    if (literal.type == LITERAL_DATE) {
        literal.type = LITERAL_TIME;
    } else if (literal.type == LITERAL_FLOAT && as_int(literal.real, whole)) {
        literal.type = LITERAL_INT;
        literal.integer = whole;
    }
    return literal;
}

template <class T>
int compare_plain(T a, T b) noexcept {
    return a < b ? -1 : b < a ? 1 : 0;
}

// A view of where texts and literals are; it is made anew after either may have moved.
struct Order {
    const char* arena;
    const Literal* literals;

    int text(uint64_t a, uint32_t a_length, uint64_t b, uint32_t b_length) const noexcept {
        if (a == b && a_length == b_length) return 0;
        const int c = std::memcmp(arena + a, arena + b, std::min(a_length, b_length));
        return c ? c : compare_plain(a_length, b_length);
    }

    int literal(const Literal& a, const Literal& b) const noexcept {
        if (a.type == b.type) {
            switch (a.type) {
                case LITERAL_STRING:
                    return text(a.offset, a.length, b.offset, b.length);
                case LITERAL_FLOAT:
                    return compare_plain(a.real, b.real);
                default:
                    return compare_plain(a.integer, b.integer);
            }
        }
        if (a.type == LITERAL_INT && b.type == LITERAL_FLOAT) return compare_int_double(a.integer, b.real);
        if (a.type == LITERAL_FLOAT && b.type == LITERAL_INT) return -compare_int_double(b.integer, a.real);
        return compare_plain(family_of(a.type), family_of(b.type));
    }

    int name(const Term& a, const Term& b) const noexcept { return text(a.name, a.name_length, b.name, b.name_length); }

    // Of terms on one name and of one kind: what they test.
    int operand(const Term& a, const Term& b) const noexcept {
        if (a.derived != b.derived) return compare_plain(a.derived, b.derived);
        const uint32_t shared = std::min(a.count, b.count);
        for (uint32_t i = 0; i < shared; ++i)
            if (const int c = literal(literals[a.first + i], literals[b.first + i])) return c;
        if (a.count != b.count) return compare_plain(a.count, b.count);
        return compare_plain(a.bounds, b.bounds);
    }

    int term(const Term& a, const Term& b) const noexcept {
        if (const int c = name(a, b)) return c;
        if (a.family != b.family) return compare_plain(a.family, b.family);
        if (a.kind != b.kind) return compare_plain(a.kind, b.kind);
        return operand(a, b);
    }

    int clause(const Term* a, const Term* a_end, const Term* b, const Term* b_end) const noexcept {
        for (; a != a_end && b != b_end; ++a, ++b)
            if (const int c = term(*a, *b)) return c;
        return a != a_end ? 1 : b != b_end ? -1 : 0;
    }

    // Whether each term of a is one of b's; both are sorted.
    bool subset(const Term* a, const Term* a_end, const Term* b, const Term* b_end) const noexcept {
        for (; a != a_end; ++a, ++b) {
            int c = -1;
            while (b != b_end && (c = term(*b, *a)) < 0) ++b;
            if (b == b_end || c != 0) return false;
        }
        return true;
    }

    void sort(Term* begin, Term* end) const noexcept {
        const auto less = [this](const Term& a, const Term& b) { return term(a, b) < 0; };
        if (!std::is_sorted(begin, end, less)) std::sort(begin, end, less);
    }

    // Sorts, drops doubles, gives what is left.
    size_t sort_distinct(Literal* begin, Literal* end) const noexcept {
        const auto less = [this](const Literal& a, const Literal& b) { return literal(a, b) < 0; };
        if (!std::is_sorted(begin, end, less)) std::sort(begin, end, less);
        return std::unique(begin, end, [this](const Literal& a, const Literal& b) { return !literal(a, b); }) - begin;
    }
};

}  // namespace boolsieve
