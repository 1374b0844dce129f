// The ids of an index and the slots that they stand for. An id is handled as tagged bytes: 'i' and the eight bytes of
// an int64, or 's' and UTF-8.
//
//   buffer      type    length        meaning
//   number      int64   slots         the id itself, or the text's place in the pool
//   kind        uint8   slots         INTEGER, TEXT, or REMOVED
//   places      uint32  power of two  the slots of integer ids: hash table with linear probing, NONE where empty
//   texts.*     -       -             pool of text ids
//   text_slot   uint32  texts         the slot of a text, NONE if it was removed
//
// 1. places is empty, or a power of two with at most three quarters in use, and each live integer id is found from its
// home.
// 2. text_slot and number point at each other for live text ids.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "bounds.hpp"
#include "buffer.hpp"
#include "hash.hpp"
#include "pool.hpp"

namespace boolsieve {

class IdTable {
  public:
    static constexpr uint32_t NONE = 0xFFFFFFFFu;
    enum Kind : uint8_t { INTEGER, TEXT, REMOVED };

    uint32_t size() const noexcept { return uint32_t(kind.size()); }
    bool live(uint32_t slot) const { return kind[slot] != REMOVED; }
    bool is_text(uint32_t slot) const { return kind[slot] == TEXT; }
    int64_t integer(uint32_t slot) const { return number[slot]; }
    std::string_view text(uint32_t slot) const { return texts.text(uint32_t(number[slot])); }

    // The slot of an id, or NONE.
    uint32_t find(const char* tagged, size_t length) const noexcept {
        if (tagged[0] == 's') {
            uint32_t known = texts.find(tagged + 1, length - 1);
            return known == StringPool::NONE ? NONE : text_slot.data()[known];
        }
        return places.size() ? places.data()[place_of(integer_in(tagged))] : NONE;
    }

    // An id that is not there gets the next slot.
    uint32_t add(const char* tagged, size_t length) {
        uint32_t slot = size();
        number.reserve_more(1);
        kind.reserve_more(1);
        if (tagged[0] == 's') {
            text_slot.reserve_more(1);
            uint32_t known = texts.add(tagged + 1, length - 1);
            if (known == text_slot.size())
                text_slot.push_back(slot);
            else
                text_slot.set(known, slot);
            number.push_back(known);
            kind.push_back(TEXT);
            return slot;
        }
        if (integers() + 1 > places.size() / 4 * 3) rebuild(places.size() ? places.size() * 2 : 8);
        int64_t id = integer_in(tagged);
        places.set(place_of(id), slot);
        number.push_back(id);
        kind.push_back(INTEGER);
        ++live_integers;
        return slot;
    }

    void remove(uint32_t slot) {
        if (kind[slot] == TEXT) {
            text_slot.set(uint32_t(number[slot]), NONE);
        } else {
            size_t place = place_of(number[slot]);
            if (places[place] != NONE) {  // always, but in a file from a stranger
                erase(place);
                --live_integers;
            }
        }
        kind.set(slot, REMOVED);
    }

    // Takes back the ids that were added last.
    void truncate(uint32_t slots) {
        for (uint32_t slot = size(); slot-- > slots;)
            if (live(slot)) remove(slot);
        number.resize(slots);
        kind.resize(slots);
    }

    void reserve_more(size_t slots, size_t text_ids) {
        number.reserve_more(slots);
        kind.reserve_more(slots);
        text_slot.reserve_more(text_ids);
        texts.reserve(texts.size() + text_ids);
        size_t count = places.size() ? places.size() : 8;
        while (count / 4 * 3 < integers() + slots - text_ids) count *= 2;
        if (count > places.size() && slots > text_ids) rebuild(count);
    }

    template <class F>
    void each_buffer(F f) {
        f("number", number);
        f("kind", kind);
        f("places", places);
        f("text_slot", text_slot);
        texts.each_buffer([&](const char* name, auto& buffer) { f((std::string("texts.") + name).c_str(), buffer); });
    }
    void recount() {
        live_integers = 0;
        const uint32_t* p = places.data();
        for (size_t i = 0; i < places.size(); ++i) live_integers += p[i] != NONE;
    }

    // See bounds.hpp.
    const char* flaw(bool deep) const noexcept {
        if (number.size() != kind.size() || kind.size() > NONE) return "ids.number: length";
        if (texts.flaw()) return "ids.texts";
        if (text_slot.size() != texts.size() || !all_below_or_none(text_slot, size())) return "ids.text_slot";
        if (places.size() && !is_power_of_two(places.size())) return "ids.places: length";
        if (!all_below_or_none(places, size())) return "ids.places";
        const uint32_t *p = places.data(), *t = text_slot.data();
        const uint8_t* k = kind.data();
        const int64_t* n = number.data();
        size_t used = 0, integers = 0;
        bool good = true;
        for (size_t s = 0; s < kind.size(); ++s) {
            good &= k[s] <= REMOVED && (k[s] != TEXT || uint64_t(n[s]) < texts.size());
            integers += k[s] == INTEGER;
        }
        if (!good) return "ids.number";
        for (size_t i = 0; i < places.size(); ++i) used += p[i] != NONE;
        if (used != integers || used > places.size() / 4 * 3) return "ids.places";
        if (!deep) return nullptr;
        for (size_t s = 0; s < kind.size(); ++s)
            if (k[s] == TEXT && t[n[s]] != s) return "ids.number";
        for (size_t i = 0; i < text_slot.size(); ++i)
            if (t[i] != NONE && k[t[i]] != TEXT) return "ids.text_slot";
        for (size_t i = 0; i < places.size(); ++i)
            if (p[i] != NONE && k[p[i]] != INTEGER) return "ids.places";
        return nullptr;
    }

    // The number of the first invariant that does not hold, or nullptr. Linear; for tests.
    const char* check() const {
        if (places.size() & (places.size() - 1) && places.size()) return "1: size of places";
        size_t used = 0;
        for (size_t i = 0; i < places.size(); ++i) used += places[i] != NONE;
        if (used != live_integers || used > places.size() / 4 * 3) return "1: number of integer ids";
        for (uint32_t s = 0; s < size(); ++s) {
            if (kind[s] == INTEGER && places[place_of(number[s])] != s) return "1: an id that is not found";
            if (kind[s] == TEXT && text_slot[uint32_t(number[s])] != s) return "2: a text that is not found";
        }
        return nullptr;
    }

  private:
    static int64_t integer_in(const char* tagged) noexcept {
        int64_t id;
        std::memcpy(&id, tagged + 1, 8);
        return id;
    }
    size_t integers() const noexcept { return live_integers; }
    size_t home(int64_t id) const noexcept { return mix(uint64_t(id)) & (places.size() - 1); }
    // Where an integer id is or would be.
    size_t place_of(int64_t id) const noexcept {
        size_t i = home(id);
        while (places.data()[i] != NONE && number.data()[places.data()[i]] != id) i = (i + 1) & (places.size() - 1);
        return i;
    }
    void erase(size_t hole) {  // what stands behind the hole moves up, so that no run is broken
        uint32_t* p = places.writable();
        size_t mask = places.size() - 1;
        for (size_t i = (hole + 1) & mask; p[i] != NONE; i = (i + 1) & mask) {
            if (((i - home(number[p[i]])) & mask) < ((i - hole) & mask)) continue;
            p[hole] = p[i];
            hole = i;
        }
        p[hole] = NONE;
    }
    void rebuild(size_t count) {
        Buffer<uint32_t> fresh;
        fresh.resize(count, NONE);
        places.swap(fresh);
        uint32_t* p = places.writable();
        for (size_t i = 0; i < fresh.size(); ++i)
            if (fresh[i] != NONE) p[place_of(number[fresh[i]])] = fresh[i];
    }

    Buffer<int64_t> number;
    Buffer<uint8_t> kind;
    Buffer<uint32_t> places, text_slot;
    StringPool texts;
    size_t live_integers = 0;
};

}  // namespace boolsieve
