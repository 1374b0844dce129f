// What one normalisation works with, reused from one expression to the next so that a plain one allocates nothing.
// The steps are told in normal/normalise.pyx.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "boolsieve/cuts.hpp"
#include "boolsieve/tree.hpp"

namespace boolsieve {

constexpr uint32_t NONE = UINT32_MAX;

// A node of the tree without negations in which AND and OR take any number and alternate from level to level. Parents
// come before their children.
struct Group {
    Op op;          // OP_AND or OP_OR
    bool absorbed;  // decided by a child: FALSE in an AND, TRUE in an OR
    uint32_t parent;
    uint32_t term;         // list of its own terms as they were written, linked by term_next
    uint32_t child, next;  // list of its groups that are left; the next in its parent's
    uint32_t width;        // how many terms and groups are left
    uint64_t begin, end;   // its own terms, merged: in merged
    uint64_t clauses;      // how many it would need, and how many terms and literals they would have in all
    uint64_t size;
};

struct Context {  // for the next subtree, from the right, of the walk
    uint32_t group;
    bool negated;
};

struct Pending {  // a list of groups that still have to be distributed
    uint32_t group, next;
};

struct Frame {  // a clause that is being extended by each alternative of a group in turn
    uint32_t group, pending;
    uint32_t child;  // the next alternative, once the terms are through
    uint64_t term;   // the next alternative among the group's terms
    uint64_t begin;  // the clause: in path, up to the next frame's
};

struct Clause {
    uint64_t begin, end;  // in done
    uint64_t names;       // a bit for each name, by a hash of it: a quick no when clauses are compared
};

struct Workspace {
    std::string arena;              // the tree's, then resolved patterns
    std::vector<Literal> literals;  // of all terms below
    std::vector<Term> terms;        // as they were written
    std::vector<uint32_t> term_next;
    std::vector<Context> contexts;
    std::vector<Group> groups;
    std::vector<Term> gathered;  // what is to be merged next
    std::vector<Term> merged;
    std::vector<Interval> intervals, gaps;
    std::vector<uint32_t> forced;
    std::vector<Pending> pending;
    std::vector<Frame> frames;
    std::vector<Term> path;
    std::vector<Term> done;
    std::vector<Clause> clauses;

    void start(const Tree& tree) {
        // An unusually large expression does not keep its memory forever.
        if (terms.capacity() + done.capacity() + path.capacity() + literals.capacity() > (1u << 18))
            *this = Workspace();
        arena = tree.arena;
        literals.clear();
        terms.clear();
        term_next.clear();
        contexts.clear();
        groups.clear();
        gathered.clear();
        merged.clear();
        pending.clear();
        frames.clear();
        path.clear();
        done.clear();
        clauses.clear();
    }

    Order order() const noexcept { return {arena.data(), literals.data()}; }

    void sort_gathered() noexcept { order().sort(gathered.data(), gathered.data() + gathered.size()); }

    uint64_t hold(const Literal& literal) {
        literals.push_back(literal);
        return literals.size() - 1;
    }

    // The last literals, from first on, become sorted and distinct; how many are left.
    uint32_t distinct_from(uint64_t first) {
        const size_t left = order().sort_distinct(literals.data() + first, literals.data() + literals.size());
        literals.resize(first + left);
        return static_cast<uint32_t>(left);
    }

    void finish_clause(const Term* begin, const Term* end) {
        const uint64_t before = done.size();
        done.insert(done.end(), begin, end);
        clauses.push_back({before, done.size(), 0});
    }

    uint64_t names_of(const Clause& clause) const noexcept {
        uint64_t names = 0;
        for (uint64_t i = clause.begin; i < clause.end; ++i) {
            uint64_t hash = done[i].name_length;
            for (uint32_t j = 0; j < std::min<uint32_t>(done[i].name_length, 16); ++j)
                hash = (hash ^ static_cast<unsigned char>(arena[done[i].name + j])) * 0x9E3779B97F4A7C15u;
            names |= uint64_t{1} << (hash >> 58);
        }
        return names;
    }

    // Sorts the clauses, so that equal expressions look equal, and drops doubles; if they are few also those that
    // contain all terms of another.
    void reduce_clauses(uint64_t few) {
        const Order by = order();
        const Term* at = done.data();
        const auto compare = [&](const Clause& a, const Clause& b) {
            return by.clause(at + a.begin, at + a.end, at + b.begin, at + b.end);
        };
        std::sort(clauses.begin(), clauses.end(), [&](const Clause& a, const Clause& b) { return compare(a, b) < 0; });
        clauses.erase(std::unique(clauses.begin(), clauses.end(),
                                  [&](const Clause& a, const Clause& b) { return compare(a, b) == 0; }),
                      clauses.end());
        if (clauses.size() > few) return;
        for (Clause& clause : clauses) clause.names = names_of(clause);
        const std::vector<Clause> all = clauses;
        clauses.erase(std::remove_if(clauses.begin(), clauses.end(),
                                     [&](const Clause& b) {
                                         return std::any_of(all.begin(), all.end(), [&](const Clause& a) {
                                             return a.end - a.begin < b.end - b.begin && !(a.names & ~b.names) &&
                                                    by.subset(at + a.begin, at + a.end, at + b.begin, at + b.end);
                                         });
                                     }),
                      clauses.end());
    }

    // Appends the clauses to out as one expression; if memory runs out, out stays as it was.
    void append_to(Normal& out) const {
        const uint64_t expressions = out.expression_begin.size(), begins = out.clause_begin.size();
        const uint64_t terms_before = out.terms.size(), literals_before = out.literals.size();
        const uint64_t base = out.arena.size();
        try {
            if (!done.empty()) out.arena += arena;
            for (const Clause& clause : clauses) {
                for (uint64_t i = clause.begin; i < clause.end; ++i) {
                    Term term = done[i];
                    term.name += base;
                    term.first = out.literals.size();
                    for (uint64_t j = done[i].first; j < done[i].first + term.count; ++j) {
                        Literal literal = literals[j];
                        if (literal.type == LITERAL_STRING) literal.offset += base;
                        out.literals.push_back(literal);
                    }
                    out.terms.push_back(term);
                }
                out.clause_begin.push_back(out.terms.size());
            }
            out.expression_begin.push_back(out.clause_begin.size() - 1);
        } catch (...) {
            out.expression_begin.resize(expressions);
            out.clause_begin.resize(begins);
            out.terms.resize(terms_before);
            out.literals.resize(literals_before);
            out.arena.resize(base);
            throw;
        }
    }
};

}  // namespace boolsieve
