// Patterns finds, for one string value of an event, all stored string predicates on that attribute that hold.
//
// Every predicate hangs on one literal: its operand, or the longest run of letters in a LIKE. The literals are in tries
// (forest.hpp): anchored ones walk from the value's begin (prefixes, whole values) or, reversed, from its end
// (suffixes); floating ones are found anywhere in one pass with failure links. What is reached holds, but for a LIKE
// with wildcards inside: that is then matched as a whole. A pattern without a literal (`__%`) is tried on each value.
//
//   buffer      type      length         meaning
//   names       IntMap    groups         name << 1 | folded -> group
//   groups      uint32_t  5 a group      the roots of STARTS, ENDS, EQUALS (anchored) and CONTAINS (floating), or NONE;
//                                        head of the list of predicates without a literal, or NONE
//   attributes  uint32_t  predicates     what a predicate is reported as
//   checks      uint32_t  predicates     the LIKE to match, or NONE: it holds where it is reached
//   next        uint32_t  predicates     the next predicate of the same list, or NONE
//   like_ends   uint64_t  LIKEs          where LIKE i ends in like_bytes; it begins where LIKE i - 1 ends
//   like_bytes  uint8_t   their lengths  UTF-8 with the bytes ANY_RUN and ANY_ONE
//   anchored.*  Forest                   prefixes, reversed suffixes, whole values
//   floating.*  Forest                   what is found anywhere
//
// 1. Each predicate is on exactly one list: a group's own, or one of a string in a forest.
// 2. attributes, checks and next are of one length; each check is NONE or below the number of LIKEs.
// 3. The invariants of both forests.
//
// Cost: find takes a step a byte for each of the four kinds in use, for CONTAINS amortised over the value (while there
// are fresh literals: times the longest of them), and one matching of the value for each LIKE whose literal is there.
// A matching takes at most the product of both lengths. Memory: 12 bytes a predicate, 9 (floating 17 to 20) a byte of
// literal that it does not share with others.
// Threads: find is const and may run side by side; add and settle may not run beside anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "boolsieve/bounds.hpp"
#include "boolsieve/buffer.hpp"
#include "boolsieve/forest.hpp"
#include "boolsieve/int_map.hpp"
#include "boolsieve/tree.hpp"

namespace boolsieve {

constexpr uint8_t ANY_RUN = 0xFF;  // % in the operand of a LIKE: neither byte occurs in UTF-8
constexpr uint8_t ANY_ONE = 0xFE;  // _

// Whether the whole text matches the pattern. Only the last % is ever tried again, since an earlier one that takes more
// can not help: so no blow-up, at most length times length steps.
inline bool like(const uint8_t* pattern, size_t pattern_length, const char* value, size_t length) noexcept {
    const uint8_t *p = pattern, *p_end = pattern + pattern_length;
    const uint8_t *s = reinterpret_cast<const uint8_t*>(value), *s_end = s + length;
    const uint8_t *after_run = nullptr, *retry = nullptr;
    auto step = [s_end](const uint8_t* at) {  // over one code point: a byte and the continuation bytes behind it
        do ++at;
        while (at < s_end && (*at & 0xC0) == 0x80);
        return at;
    };
    while (s < s_end) {
        if (p < p_end && *p == ANY_RUN) {
            after_run = ++p;
            retry = s;
            if (p == p_end) return true;
        } else if (p < p_end && *p == ANY_ONE) {
            ++p;
            s = step(s);
        } else if (p < p_end && *p == *s) {
            ++p;
            ++s;
        } else if (after_run) {
            p = after_run;
            s = retry = step(retry);
        } else {
            return false;
        }
    }
    while (p < p_end && *p == ANY_RUN) ++p;
    return p == p_end;
}

class Patterns {
  public:
    static constexpr uint32_t NONE = 0xFFFFFFFF;

    // Registers a predicate on the attribute with this name, to be reported as `attribute`. The caller sees to it that
    // no predicate comes twice. If memory runs out, nothing is registered.
    void add(uint32_t name, Derived kind, const char* operand, size_t length, uint32_t attribute) {
        const auto* bytes = reinterpret_cast<const uint8_t*>(operand);
        switch (kind) {
            case DERIVED_STARTS:
                return add_literal(name, false, STARTS, bytes, length, attribute, NONE);
            case DERIVED_ENDS:
                return add_literal(name, false, ENDS, bytes, length, attribute, NONE);
            case DERIVED_CONTAINS:
                return add_literal(name, false, CONTAINS, bytes, length, attribute, NONE);
            case DERIVED_LIKE:
                return add_like(name, false, bytes, length, attribute);
            case DERIVED_FOLDED_EQUALS:
                return add_literal(name, true, EQUALS, bytes, length, attribute, NONE);
            case DERIVED_FOLDED_STARTS:
                return add_literal(name, true, STARTS, bytes, length, attribute, NONE);
            case DERIVED_FOLDED_ENDS:
                return add_literal(name, true, ENDS, bytes, length, attribute, NONE);
            case DERIVED_FOLDED_CONTAINS:
                return add_literal(name, true, CONTAINS, bytes, length, attribute, NONE);
            case DERIVED_FOLDED_LIKE:
                return add_like(name, true, bytes, length, attribute);
            default:
                throw std::invalid_argument("not a predicate on the text of a string");
        }
    }

    // Whether the name has predicates on the text as it is, and on the text in lower case.
    bool uses_plain(uint32_t name) const noexcept { return names_.find(key_of(name, false)) != NONE; }
    bool uses_folded(uint32_t name) const noexcept { return names_.find(key_of(name, true)) != NONE; }

    // Appends the attribute of each predicate that holds, each once, in no order; folded: of those on lower-case text,
    // which the value must then be.
    void find(uint32_t name, bool folded, const char* value, size_t length, std::vector<uint32_t>& found) const {
        uint32_t group = names_.find(key_of(name, folded));
        if (group == NONE) return;
        const uint32_t* roots = groups_.data() + size_t(group) * GROUP;
        auto report = [&](uint32_t head) { report_list(head, value, length, found); };
        if (roots[LOOSE] != NONE) report(roots[LOOSE]);
        if (!length) return;
        const auto* bytes = reinterpret_cast<const uint8_t*>(value);
        if (roots[STARTS] != NONE)
            anchored_.each_prefix(roots[STARTS], length, Forwards{bytes}, [&](size_t, uint32_t head) { report(head); });
        if (roots[ENDS] != NONE)
            anchored_.each_prefix(roots[ENDS], length, Backwards{bytes + length},
                                  [&](size_t, uint32_t head) { report(head); });
        if (roots[EQUALS] != NONE)
            anchored_.each_prefix(roots[EQUALS], length, Forwards{bytes}, [&](size_t end, uint32_t head) {
                if (end == length) report(head);
            });
        if (roots[CONTAINS] != NONE) floating_.each_within(roots[CONTAINS], value, length, report);
    }

    // Makes later finds faster, after many adds; add does the same by itself from time to time.
    void settle() {
        anchored_.settle(next_);
        floating_.settle(next_);
    }

    size_t size() const noexcept { return attributes_.size(); }

    template <class F>
    void each_buffer(F f) {
        names_.each_buffer([&](const char* name, auto& buffer) { f((std::string("names.") + name).c_str(), buffer); });
        f("groups", groups_);
        f("attributes", attributes_);
        f("checks", checks_);
        f("next", next_);
        f("like_ends", like_ends_);
        f("like_bytes", like_bytes_);
        anchored_.each_buffer("anchored.", f);
        floating_.each_buffer("floating.", f);
    }

    // The first invariant that does not hold, or nothing. For tests.
    std::string check() const {
        if (checks_.size() != size() || next_.size() != size()) return "2: lengths";
        for (size_t i = 0; i < size(); ++i)
            if (checks_[i] != NONE && checks_[i] >= like_ends_.size()) return "2: a check";
        std::vector<bool> seen(size(), false);
        for (size_t i = LOOSE; i < groups_.size(); i += GROUP) {
            for (uint32_t at = groups_[i]; at != NONE; at = next_[at]) {
                if (at >= size() || seen[at]) return "1: a list that meets another";
                seen[at] = true;
            }
        }
        std::string problem = anchored_.check(next_, seen);
        if (!problem.empty()) return "3: anchored, " + problem;
        problem = floating_.check(next_, seen);
        if (!problem.empty()) return "3: floating, " + problem;
        for (bool on_a_list : seen)
            if (!on_a_list) return "1: a predicate on no list";
        return "";
    }

    // See bounds.hpp; the attributes are to be below the limit.
    const char* flaw(size_t limit) const {
        if (size() >= NONE || checks_.size() != size() || next_.size() != size()) return "patterns.next: length";
        if (groups_.size() % GROUP || groups_.size() / GROUP >= NONE) return "patterns.groups: length";
        if (names_.flaw(groups_.size() / GROUP)) return "patterns.names";
        if (!all_below(attributes_, limit)) return "patterns.attributes";
        if (!all_below_or_none(checks_, like_ends_.size())) return "patterns.checks";
        if (!are_ends(like_ends_, like_bytes_.size())) return "patterns.like_ends";
        if (!all_below_or_none(next_, size())) return "patterns.next";
        if (const char* problem = anchored_.flaw(size())) return problem;
        if (const char* problem = floating_.flaw(size())) return problem;
        const uint32_t* groups = groups_.data();
        std::vector<uint8_t> seen(size(), 0);
        const uint32_t* next = next_.data();
        auto walk = [&](uint32_t at) {  // no list meets itself or another
            for (; at != NONE; at = next[at])
                if (seen[at]++) return false;
            return true;
        };
        for (size_t i = 0; i < groups_.size(); i += GROUP) {
            for (Place place : {STARTS, ENDS, EQUALS})
                if (groups[i + place] != NONE && groups[i + place] >= anchored_.roots()) return "patterns.groups";
            if (groups[i + CONTAINS] != NONE && groups[i + CONTAINS] >= floating_.roots()) return "patterns.groups";
            if (groups[i + LOOSE] != NONE && groups[i + LOOSE] >= size()) return "patterns.groups";
            if (!walk(groups[i + LOOSE])) return "patterns.next";
        }
        return anchored_.each_list(walk) && floating_.each_list(walk) ? nullptr : "patterns.next";
    }

  private:
    enum Place { STARTS, ENDS, EQUALS, CONTAINS, LOOSE, GROUP };

    struct Forwards {
        const uint8_t* bytes;
        uint8_t operator()(size_t i) const noexcept { return bytes[i]; }
    };
    struct Backwards {
        const uint8_t* end;
        uint8_t operator()(size_t i) const noexcept { return *(end - 1 - i); }
    };

    static uint64_t key_of(uint32_t name, bool folded) noexcept { return uint64_t(name) << 1 | folded; }

    uint32_t group_of(uint32_t name, bool folded) {
        uint32_t group = names_.find(key_of(name, folded));
        if (group != NONE) return group;
        group = static_cast<uint32_t>(groups_.size() / GROUP);
        groups_.reserve_more(GROUP);
        names_.set(key_of(name, folded), group);
        groups_.resize(groups_.size() + GROUP, NONE);
        return group;
    }

    uint32_t root_of(uint32_t group, Place place, Forest& forest) {
        size_t at = size_t(group) * GROUP + place;
        uint32_t* groups = groups_.writable();
        if (groups[at] == NONE) groups[at] = forest.add_root();
        return groups[at];
    }

    void add_literal(uint32_t name, bool folded, Place place, const uint8_t* bytes, size_t length, uint32_t attribute,
                     uint32_t check) {
        if (size() + 1 >= NONE) throw std::length_error("more than 2**32 - 2 string predicates");
        if (!length && place == EQUALS) check = add_like_text(bytes, length);  // all others take any value
        uint32_t group = group_of(name, folded);
        uint32_t predicate = static_cast<uint32_t>(size());
        attributes_.reserve_more(1);
        checks_.reserve_more(1);
        next_.push_back(NONE);
        try {
            if (!length) {
                size_t at = size_t(group) * GROUP + LOOSE;
                uint32_t* groups = groups_.writable();
                next_.set(predicate, groups[at]);
                groups[at] = predicate;
            } else if (place == CONTAINS) {
                floating_.put(root_of(group, place, floating_), length, Forwards{bytes}, predicate, next_);
            } else if (place == ENDS) {
                anchored_.put(root_of(group, place, anchored_), length, Backwards{bytes + length}, predicate, next_);
            } else {
                anchored_.put(root_of(group, place, anchored_), length, Forwards{bytes}, predicate, next_);
            }
        } catch (...) {
            next_.resize(predicate);
            throw;
        }
        attributes_.push_back(attribute);
        checks_.push_back(check);
    }

    uint32_t add_like_text(const uint8_t* bytes, size_t length) {
        if (like_ends_.size() >= NONE) throw std::length_error("more than 2**32 - 1 LIKE patterns");
        like_ends_.reserve_more(1);
        like_bytes_.append(bytes, length);
        like_ends_.push_back(like_bytes_.size());
        return static_cast<uint32_t>(like_ends_.size() - 1);
    }

    // Finds the literal that the pattern hangs on.
    void add_like(uint32_t name, bool folded, const uint8_t* bytes, size_t length, uint32_t attribute) {
        size_t begin = 0, end = length;
        while (begin < end && bytes[begin] == ANY_RUN) ++begin;
        while (end > begin && bytes[end - 1] == ANY_RUN) --end;
        size_t best = begin, best_length = 0;  // the longest run of letters; among equals one that is anchored
        for (size_t i = begin; i < end;) {
            size_t run = i;
            while (i < end && bytes[i] < ANY_ONE) ++i;
            if (i - run > best_length || (i - run == best_length && i == length)) best = run, best_length = i - run;
            while (i < end && bytes[i] >= ANY_ONE) ++i;
        }
        bool at_begin = best == 0, at_end = best + best_length == length;
        Place place = at_begin ? (at_end ? EQUALS : STARTS) : (at_end ? ENDS : CONTAINS);
        bool literal_only = best_length == end - begin;  // 'a', 'a%', '%a', '%a%', '%' and ''
        uint32_t check = literal_only ? NONE : add_like_text(bytes, length);
        add_literal(name, folded, place, bytes + best, best_length, attribute, check);
    }

    void report_list(uint32_t head, const char* value, size_t length, std::vector<uint32_t>& found) const {
        for (uint32_t at = head; at != NONE; at = next_.data()[at]) {
            uint32_t check = checks_.data()[at];
            if (check != NONE) {
                uint64_t begin = check ? like_ends_.data()[check - 1] : 0;
                size_t pattern_length = static_cast<size_t>(like_ends_.data()[check] - begin);
                if (!like(like_bytes_.data() + begin, pattern_length, value, length)) continue;
            }
            found.push_back(attributes_.data()[at]);
        }
    }

    IntMap names_;
    Buffer<uint32_t> groups_;
    Buffer<uint32_t> attributes_;
    Buffer<uint32_t> checks_;
    Buffer<uint32_t> next_;
    Buffer<uint64_t> like_ends_;
    Buffer<uint8_t> like_bytes_;
    Forest anchored_{false};
    Forest floating_{true};
};

}  // namespace boolsieve
