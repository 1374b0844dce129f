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
//
// A slot is the place in the order of addition. Removing leaves holes; the index compacts when they are the larger
// part.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string_view>

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
};

struct StoreMark {
    uint32_t slots, clauses;
    size_t sets, text;
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
        return {slot_clause[slot], slot_clauses[slot], text_length[slot], text_begin[slot]};
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
    StoreMark mark() const noexcept { return {slot_count(), clause_count(), sets.size(), text.size()}; }
    void roll_back(const StoreMark& to) {
        ids.truncate(to.slots);
        for (Buffer<uint32_t>* buffer : {&slot_clause, &slot_clauses, &text_length}) buffer->resize(to.slots);
        text_begin.resize(to.slots);
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

    IdTable ids;
    Buffer<uint32_t> slot_clause, slot_clauses, text_length, begin, owner, head;
    Buffer<uint64_t> text_begin, low, high, sets;
    Buffer<uint8_t> text;
    uint64_t dead_text = 0;
    uint32_t live_slots = 0, dead_clauses = 0, last_owner = 0;
    bool in_order = true;  // clauses stand in the order of their slots
};

}  // namespace boolsieve
