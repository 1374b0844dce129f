// What an index stores: its clauses (see clauses.hpp), and for each expression its id, its text and where its clauses
// are.
//
//   buffer        type    length       meaning
//   ids.*         -       -            the ids, see id_table.hpp
//   slot_clause   uint32  slots        its first clause
//   slot_clauses  uint32  slots        how many clauses (none: never true)
//   text          uint8   -            the texts of all expressions
//   text_begin    uint64  slots        where a slot's text starts
//   text_length   uint32  slots
//   slot_weight   float64 <= slots     the weight of an expression; 0 for the slots beyond its length
//   weights_begin uint32  <= slots     where a slot's attribute weights start; none for the slots beyond
//   weights_count uint32  <= slots     how many they are
//   weight_name   uint32  -            the names of all attribute weights
//   weight_value  float64 -            the weights
//   attributes.*  -       -            what attributes expressions have themselves, see attributes.hpp
//
// The weights stay empty until one is given.
//
// A slot is the place in the order of addition. Removing leaves holes; the index compacts when they are the larger
// part.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string_view>

#include "attributes.hpp"
#include "bounds.hpp"
#include "buffer.hpp"
#include "clauses.hpp"
#include "id_table.hpp"
#include "pool.hpp"

namespace boolsieve {

struct Predicate {
    uint32_t attribute;
    uint32_t kind;
    Key low, high;
};

struct SlotContent {
    uint32_t clause, clauses, text_length;
    uint64_t text_begin;
    double weight;
    uint32_t weights_begin, weights_count;
    AttributeValues attributes;
};

struct StoreMark {
    uint32_t slots, clauses;
    size_t sets, text, weights, attributes;
};

struct SlotWeights {  // the attribute weights of a slot, in the order in which they were given
    const uint32_t* names;
    const double* values;
    uint32_t count;
};

class Store {
  public:
    Store() { begin.push_back(0); }

    uint32_t clause_count() const noexcept { return uint32_t(owner.size()); }
    uint32_t slot_count() const noexcept { return ids.size(); }

    std::string_view text_of(uint32_t slot) const {
        return {reinterpret_cast<const char*>(text.data()) + text_begin[slot], text_length[slot]};
    }

    uint32_t add_slot(const char* id, size_t length) {
        if (slot_count() == DEAD) throw std::length_error("an index has at most 2**32 - 1 expressions");
        uint32_t slot = ids.add(id, length);
        slot_clause.push_back(clause_count());
        slot_clauses.push_back(0);
        text_begin.push_back(text.size());
        text_length.push_back(0);
        ++live_slots;
        return slot;
    }
    // Before many are added: room for what is known beforehand, so that growing leaves no slack.
    void reserve(size_t slots, size_t text_ids, size_t clauses, size_t predicates, size_t keys, size_t text_bytes) {
        ids.reserve_more(slots, text_ids);
        for (Buffer<uint32_t>* buffer : {&slot_clause, &slot_clauses, &text_length}) buffer->reserve_more(slots);
        sets.reserve_more(keys);
        text_begin.reserve_more(slots);
        text.reserve_more(text_bytes);
        begin.reserve_more(clauses);
        owner.reserve_more(clauses);
        head.reserve_more(predicates);
        low.reserve_more(predicates);
        high.reserve_more(predicates);
    }
    void set_text(uint32_t slot, const char* data, size_t length) {
        if (length > UINT32_MAX) throw std::length_error("the text of an expression has less than 4 GB");
        text_begin.set(slot, text.size());
        text_length.set(slot, uint32_t(length));
        text.append(reinterpret_cast<const uint8_t*>(data), length);
    }

    double weight(uint32_t slot) const noexcept { return slot < slot_weight.size() ? slot_weight.data()[slot] : 0; }
    SlotWeights weights(uint32_t slot) const noexcept {
        if (slot >= weights_begin.size()) return {nullptr, nullptr, 0};
        uint32_t at = weights_begin.data()[slot];
        return {weight_name.data() + at, weight_value.data() + at, weights_count.data()[slot]};
    }
    bool weighted() const noexcept { return slot_weight.size() || weights_begin.size(); }
    void set_weight(uint32_t slot, double weight) {
        if (slot >= slot_weight.size()) {
            if (weight == 0) return;
            slot_weight.resize(slot + 1, 0);
        }
        slot_weight.set(slot, weight);
    }
    void set_weights(uint32_t slot, const uint32_t* names, const double* values, size_t n) {
        if (slot >= weights_begin.size()) {
            if (n == 0) return;
            weights_begin.resize(slot + 1, 0);
            weights_count.resize(slot + 1, 0);
        }
        if (weight_name.size() + n > UINT32_MAX) throw std::length_error("an index has at most 2**32 - 1 weights");
        weights_begin.set(slot, uint32_t(weight_name.size()));
        weights_count.set(slot, uint32_t(n));
        weight_name.append(names, n);
        weight_value.append(values, n);
    }

    // Clauses are appended to the slot that was opened last.
    void open_clauses(uint32_t slot) {
        slot_clause.set(slot, clause_count());
        slot_clauses.set(slot, 0);
        in_order &= owner.size() == 0 || last_owner <= slot;
        last_owner = slot;
    }
    void add_clause(uint32_t slot, const Predicate* predicates, size_t n) {
        if (head.size() + n > UINT32_MAX) throw std::length_error("an index has at most 2**32 - 1 predicates");
        for (size_t i = 0; i < n; ++i) {
            head.push_back(predicates[i].attribute << KIND_BITS | predicates[i].kind);
            low.push_back(predicates[i].low);
            high.push_back(predicates[i].high);
        }
        owner.push_back(slot);
        begin.push_back(uint32_t(head.size()));
        slot_clauses.set(slot, slot_clauses[slot] + 1);
    }
    SlotContent content(uint32_t slot) const {
        bool has_weights = slot < weights_begin.size();
        return {slot_clause[slot],
                slot_clauses[slot],
                text_length[slot],
                text_begin[slot],
                weight(slot),
                has_weights ? weights_begin[slot] : 0,
                has_weights ? weights_count[slot] : 0,
                attributes.of(slot)};
    }
    // What a slot had before it was given other clauses. The caller has told the engine already.
    void kill(const SlotContent& old) {
        for (uint32_t c = old.clause, end = c + old.clauses; c < end; ++c) {
            owner.set(c, DEAD);
            head.set(begin[c], PREDICATE_NEVER);
            ++dead_clauses;
        }
        dead_text += old.text_length;
    }
    void kill_slot(uint32_t slot) {
        kill(content(slot));
        ids.remove(slot);
        --live_slots;
    }

    // Takes back all that was added since the mark; a recount must follow.
    StoreMark mark() const noexcept {
        return {slot_count(), clause_count(), sets.size(), text.size(), weight_name.size(), attributes.size()};
    }
    void roll_back(const StoreMark& to) {
        ids.truncate(to.slots);
        for (Buffer<uint32_t>* buffer : {&slot_clause, &slot_clauses, &text_length}) buffer->resize(to.slots);
        text_begin.resize(to.slots);
        slot_weight.resize(std::min<size_t>(slot_weight.size(), to.slots));
        weights_begin.resize(std::min<size_t>(weights_begin.size(), to.slots));
        weights_count.resize(weights_begin.size());
        weight_name.resize(to.weights);
        weight_value.resize(to.weights);
        attributes.truncate(to.slots, to.attributes);
        text.resize(to.text);
        sets.resize(to.sets);
        owner.resize(to.clauses);
        begin.resize(to.clauses + 1);
        head.resize(begin.back());
        low.resize(begin.back());
        high.resize(begin.back());
    }
    void restore(uint32_t slot, const SlotContent& old) {
        slot_clause.set(slot, old.clause);
        slot_clauses.set(slot, old.clauses);
        text_length.set(slot, old.text_length);
        text_begin.set(slot, old.text_begin);
        set_weight(slot, old.weight);
        if (slot < weights_begin.size()) {
            weights_begin.set(slot, old.weights_begin);
            weights_count.set(slot, old.weights_count);
        }
        attributes.set(slot, old.attributes);
    }

    Clauses clauses(uint32_t attributes, const StringPool* strings) const noexcept {
        return {begin.data(), owner.data(),   head.data(), low.data(), high.data(),
                sets.data(),  clause_count(), attributes,  strings};
    }

    template <class F>
    void each_buffer(F f) {
        ids.each_buffer([&](const char* name, auto& buffer) { f((std::string("ids.") + name).c_str(), buffer); });
        f("slot_clause", slot_clause);
        f("slot_clauses", slot_clauses);
        f("text", text);
        f("text_begin", text_begin);
        f("text_length", text_length);
        f("begin", begin);
        f("owner", owner);
        f("head", head);
        f("low", low);
        f("high", high);
        f("sets", sets);
        f("slot_weight", slot_weight);
        f("weights_begin", weights_begin);
        f("weights_count", weights_count);
        f("weight_name", weight_name);
        f("weight_value", weight_value);
        attributes.each_buffer(
            [&](const char* name, auto& buffer) { f((std::string("attributes.") + name).c_str(), buffer); });
    }
    // What is not in the buffers, after they were filled from outside.
    void recount() {
        ids.recount();
        live_slots = 0;
        dead_clauses = 0;
        uint64_t live_text = 0;
        for (uint32_t s = 0; s < slot_count(); ++s)
            if (ids.live(s)) {
                ++live_slots;
                live_text += text_length[s];
            }
        dead_text = text.size() - live_text;
        in_order = true;
        last_owner = 0;
        for (uint32_t c = 0; c < clause_count(); ++c) {
            if (owner[c] == DEAD) {
                ++dead_clauses;
                continue;
            }
            in_order &= last_owner <= owner[c];
            last_owner = owner[c];
        }
    }

    // See bounds.hpp. `strings` and `names` are how many there are; `cnf`: whether alternatives are allowed.
    const char* flaw(uint32_t attributes, uint32_t strings, uint32_t names, bool cnf, bool deep) const noexcept {
        if (const char* problem = ids.flaw(deep)) return problem;
        size_t slots = ids.size(), count = owner.size();
        if (slot_clause.size() != slots || slot_clauses.size() != slots) return "slot_clause: length";
        if (text_begin.size() != slots || text_length.size() != slots) return "text_begin: length";
        if (count >= DEAD || begin.size() != count + 1) return "begin: length";
        if (head.size() > UINT32_MAX || low.size() != head.size() || high.size() != head.size()) return "head: length";
        if (begin[0] != 0 || begin[count] != head.size()) return "begin";
        const uint32_t* at = begin.data();
        Order rising;
        for (size_t c = 0; c < count; ++c) rising.require(at[c] + 1, at[c + 1]);
        bool good = rising.holds();
        if (head.size() >> 31) {
            good = true;
            for (size_t c = 0; c < count; ++c) good &= at[c] < at[c + 1];
        }
        if (!good) return "begin";
        if (!all_below_or_none(owner, slots)) return "owner";
        const uint64_t* text_at = text_begin.data();
        const uint32_t *text_lengths = text_length.data(), *firsts = slot_clause.data(), *counts = slot_clauses.data();
        uint64_t text_size = text.size();
        for (size_t s = 0; s < slots; ++s)  // in 64 bits nothing wraps, once the first holds
            good &= (text_at[s] <= text_size) & (text_at[s] + text_lengths[s] <= text_size);
        if (!good) return "text_begin";
        for (size_t s = 0; s < slots; ++s) good &= uint64_t(firsts[s]) + counts[s] <= count;
        if (!good) return "slot_clause";
        if (const char* problem = predicates_flaw(attributes, strings, cnf)) return problem;
        if (deep && !owners_are_good()) return "owner";
        if (deep && !clauses_are_good()) return "head";
        if (const char* problem = this->attributes.flaw(slots)) return problem;
        return weights_flaw(names);
    }

    IdTable ids;
    Buffer<uint32_t> slot_clause, slot_clauses, text_length, begin, owner, head;
    Buffer<uint64_t> text_begin, low, high, sets;
    Buffer<uint8_t> text;
    Buffer<double> slot_weight, weight_value;
    Buffer<uint32_t> weights_begin, weights_count, weight_name;
    AttributeTable attributes;
    uint64_t dead_text = 0;
    uint32_t live_slots = 0, dead_clauses = 0, last_owner = 0;
    bool in_order = true;  // clauses stand in the order of their slots

  private:
    // Whether each clause that lives is one of its owner's, and the other way round.
    bool owners_are_good() const noexcept {
        size_t owned = 0;
        const uint32_t* owners = owner.data();
        for (uint32_t s = 0; s < ids.size(); ++s) {
            if (!ids.live(s)) continue;
            for (uint32_t c = slot_clause[s], end = c + slot_clauses[s]; c < end; ++c)
                if (owners[c] != s) return false;
            owned += slot_clauses[s];
        }
        for (size_t c = 0; c < owner.size(); ++c) owned += owners[c] == DEAD;
        return owned == owner.size();
    }
    const char* predicates_flaw(uint32_t attributes, uint32_t strings, bool cnf) const noexcept {
        const uint32_t *heads = head.data(), *at = begin.data(), *owners = owner.data();
        auto refers = [heads](size_t p) -> uint32_t {  // the operand is an index
            uint32_t kind = heads[p] & KIND_MASK;
            return (kind == PREDICATE_IN) | (kind == PREDICATE_NOT_IN) | (kind == PREDICATE_TEXT) |
                   (kind == PREDICATE_OUTSIDE);
        };
        constexpr size_t RUN = 256;  // looked at as one without branches, since most have no such operand
        Order known;
        uint32_t flags = 0;
        for (size_t first = 0; first < head.size(); first += RUN) {
            size_t end = std::min(first + RUN, head.size());
            uint32_t some = 0;
            for (size_t p = first; p < end; ++p) {
                known.require((heads[p] >> KIND_BITS) + 1, attributes);
                flags |= heads[p];
                some |= refers(p);
            }
            if (!known.holds()) return "head";
            for (size_t p = some ? first : end; p < end; ++p)
                if (refers(p) && !operand_is_there(uint32_t(p), attributes, strings)) return "low";
        }
        if (!(flags & OR_NEXT) && all_live()) return nullptr;
        bool good = cnf || !(flags & OR_NEXT);
        for (size_t c = 0; c < owner.size(); ++c) {
            good &= !(heads[at[c + 1] - 1] & OR_NEXT);  // what stands behind a clause is not an alternative in it
            good &= owners[c] != DEAD || heads[at[c]] == PREDICATE_NEVER;
        }
        return good ? nullptr : "head";
    }
    bool all_live() const noexcept {
        uint32_t dead = 0;
        for (size_t c = 0; c < owner.size(); ++c) dead |= owner.data()[c] == DEAD;
        return !dead;
    }
    bool operand_is_there(uint32_t p, uint32_t attributes, uint32_t strings) const noexcept {
        uint64_t a = low.data()[p], b = high.data()[p], size = sets.size();
        switch (head.data()[p] & KIND_MASK) {
            case PREDICATE_TEXT:
                return b <= TEXT_OUTSIDE && uint32_t(a) < strings && (a >> 32) < (b == TEXT_OUTSIDE ? strings : 1);
            case PREDICATE_OUTSIDE:
                return size >= 2 && b <= size - 2 && sets.data()[b] < attributes;
            default:
                return b >= 2 && b <= size && a <= size - b;
        }
    }
    // Invariants 2 and 5 of clauses.hpp, and that each clause needs an attribute.
    bool clauses_are_good() const noexcept {
        const Key* keys = sets.data();
        bool good = true;
        for (uint32_t c = 0; c < owner.size(); ++c) {
            if (owner.data()[c] == DEAD) continue;
            bool needs = false, all_need = true;  // in one of the runs of alternatives, every one needs its attribute
            for (uint32_t p = begin.data()[c], end = begin.data()[c + 1]; p < end; ++p) {
                uint32_t kind = head.data()[p] & KIND_MASK;
                uint64_t a = low.data()[p], b = high.data()[p];
                if (kind == PREDICATE_RANGE || kind == PREDICATE_NOT_RANGE)
                    good &= a - 1 < b;  // 1 <= a <= b
                else if (kind == PREDICATE_IN || kind == PREDICATE_NOT_IN)
                    for (uint64_t i = a + 1; i < a + b; ++i) good &= keys[i - 1] < keys[i];
                good &= kind != PREDICATE_NEVER;
                all_need &= kind != PREDICATE_ABSENT;
                if (head.data()[p] & OR_NEXT) continue;
                needs |= all_need;
                all_need = true;
            }
            good &= needs;
        }
        return good;
    }
    const char* weights_flaw(uint32_t names) const noexcept {
        if (slot_weight.size() > ids.size()) return "slot_weight: length";
        if (weights_begin.size() > ids.size() || weights_count.size() != weights_begin.size())
            return "weights_begin: length";
        if (weight_name.size() != weight_value.size()) return "weight_name: length";
        if (!all_below(weight_name, names)) return "weight_name";
        for (size_t i = 0; i < weights_begin.size(); ++i)
            if (uint64_t(weights_begin[i]) + weights_count[i] > weight_name.size()) return "weights_begin";
        for (const Buffer<double>* weights : {&slot_weight, &weight_value})
            for (size_t i = 0; i < weights->size(); ++i)  // false for what is no number, too
                if (!((*weights)[i] >= 0 && (*weights)[i] <= std::numeric_limits<double>::max())) return "slot_weight";
        return nullptr;
    }
};

}  // namespace boolsieve
