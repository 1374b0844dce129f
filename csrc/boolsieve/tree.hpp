// The syntax tree in flat form, and the normal form in values: what the parser writes, what the normal forms read and
// write, what the encoder reads. Both are plain vectors that are reused from one expression to the next.
//
// A Tree is in postfix order: AND and OR take the two subtrees before them (chains lean left), NOT takes one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace boolsieve {

enum Op : uint8_t {
    OP_AND,
    OP_OR,
    OP_NOT,
    OP_TRUE,
    OP_FALSE,
    OP_ATTRIBUTE,  // a boolean attribute that stands alone
    OP_EQ,
    OP_NE,
    OP_LT,
    OP_LE,
    OP_GT,
    OP_GE,
    OP_IN,           // [NOT] IN (...)
    OP_BETWEEN,      // [NOT] BETWEEN a AND b
    OP_IS_NULL,      // IS [NOT] NULL
    OP_IS_DISTINCT,  // IS [NOT] DISTINCT FROM a
    OP_LIKE,         // [NOT] LIKE a [ESCAPE c]
    OP_ILIKE,        // [NOT] ILIKE a [ESCAPE c]
    OP_STARTS,       // [NOT] STARTS WITH a
    OP_ENDS,         // [NOT] ENDS WITH a
    OP_CONTAINS,     // [NOT] CONTAINS a
    OP_MATCHES,      // [NOT] MATCHES a
    OP_HAS,          // [NOT] HAS a
    OP_HAS_ANY,
    OP_HAS_ALL,
    OP_HAS_NONE,
};

enum Family : uint8_t { FAMILY_ANY, FAMILY_NUMBER, FAMILY_STRING, FAMILY_BOOL, FAMILY_TIME, FAMILY_SET };

enum LiteralType : uint8_t { LITERAL_BOOL, LITERAL_INT, LITERAL_FLOAT, LITERAL_STRING, LITERAL_TIME, LITERAL_DATE };

struct Literal {
    LiteralType type;
    uint32_t length;  // of a string, in bytes
    union {
        int64_t integer;  // also a bool (0, 1) and a time or date (microseconds since 1970 in UTC)
        double real;      // never NaN; negative zero is written as zero
        uint64_t offset;  // of a string's UTF-8 in the arena
    };
};

struct Node {
    Op op;
    bool negated;     // the NOT that belongs to the predicate (NOT IN, IS NOT NULL, ...)
    uint32_t escape;  // LIKE and ILIKE: the escape character's code point, 0 for none
    uint64_t name;    // offset of the attribute's name in the arena
    uint32_t name_length;
    uint32_t first, count;  // its literals
};

struct Tree {
    std::vector<Node> nodes;
    std::vector<Literal> literals;
    std::string arena;

    void clear() {
        nodes.clear();
        literals.clear();
        arena.clear();
    }
};

// One condition on one attribute within a clause. A value belongs to exactly one family, a term tests one family.
enum TermKind : uint8_t {
    TERM_RANGE,      // two literals, low and high; bounds say which are open or missing (then the literal is a filler)
    TERM_IN,         // sorted distinct literals
    TERM_NOT_RANGE,  // of that family, outside the closed range of two literals
    TERM_NOT_IN,     // of that family, none of the sorted distinct literals
    TERM_PRESENT,    // has a value of that family (FAMILY_ANY: has a value)
    TERM_ABSENT,     // has no value of that family (FAMILY_ANY: has no value)
    TERM_HOLDS,      // the derived predicate holds
    TERM_FAILS,      // has a value of the family, and the derived predicate does not hold
};

enum Bounds : uint8_t { LOW_OPEN = 1, HIGH_OPEN = 2, LOW_NONE = 4, HIGH_NONE = 8 };

// Derived predicates. The folded ones compare lower-case text; their operand is in lower case already.
enum Derived : uint8_t {
    DERIVED_HAS,  // family set: the literal is an element
    DERIVED_STARTS,
    DERIVED_ENDS,
    DERIVED_CONTAINS,
    DERIVED_LIKE,  // operand: UTF-8 with the bytes 0xFF for %, 0xFE for _
    DERIVED_MATCHES,
    DERIVED_FOLDED_EQUALS,
    DERIVED_FOLDED_STARTS,
    DERIVED_FOLDED_ENDS,
    DERIVED_FOLDED_CONTAINS,
    DERIVED_FOLDED_LIKE,
};

struct Term {
    TermKind kind;
    Family family;
    uint8_t bounds;   // TERM_RANGE: of Bounds
    Derived derived;  // TERM_HOLDS, TERM_FAILS: which; the operand is the first literal
    uint32_t name_length;
    uint64_t name;  // offset in the arena
    uint64_t first;
    uint32_t count;  // its literals
};

// Expressions one after another: expression e has the clauses expression_begin[e] up to expression_begin[e + 1], clause
// c the terms clause_begin[c] up to clause_begin[c + 1]. No clause: never true. A clause without terms: always true.
struct Normal {
    std::vector<uint64_t> expression_begin{0};
    std::vector<uint64_t> clause_begin{0};
    std::vector<Term> terms;
    std::vector<Literal> literals;  // of the terms, in their order
    std::string arena;

    uint64_t clauses_of_last() const noexcept {
        return expression_begin.back() - expression_begin[expression_begin.size() - 2];
    }
    uint64_t terms_of_last() const noexcept { return clause_begin.back() - first_term_of_last(); }
    void drop_last() noexcept {  // the arena keeps its texts
        uint64_t first = first_term_of_last();
        if (first < terms.size()) literals.resize(terms[first].first);
        terms.resize(first);
        expression_begin.pop_back();
        clause_begin.resize(expression_begin.back() + 1);
    }

  private:
    uint64_t first_term_of_last() const noexcept { return clause_begin[expression_begin[expression_begin.size() - 2]]; }
};

}  // namespace boolsieve
