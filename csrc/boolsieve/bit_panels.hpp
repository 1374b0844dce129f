// Many sets over the same growing range of places, as bits. Places come in panels; a panel holds its part of each set
// in one piece, so that sets grow by a panel at the end and never move.
//
//   buffer  type    length                   meaning
//   words   uint64  panels * sets * breadth  the bits: by panel, then by set
//   shape   uint32  0 or 2                   how many sets; breadth, the words that one has in a panel
//
// Invariants
//   1. breadth is a power of two, and words holds whole panels.
//   2. Bits of places that no one has put are 0.
#pragma once

#include <cstdint>

#include "buffer.hpp"

namespace boolsieve {

class BitPanels {
  public:
    // A page of memory: long enough for reading forward, and what is unused of the last panel is little.
    static constexpr uint32_t BREADTH_MOST = 512;

    uint32_t sets() const noexcept { return shape.size() ? shape.data()[0] : 0; }
    uint32_t breadth() const noexcept { return shape.data()[1]; }
    size_t panels() const noexcept { return sets() ? words.size() / (size_t(sets()) * breadth()) : 0; }
    size_t room() const noexcept { return sets() ? panels() * breadth() * 64 : 0; }

    // For an empty one. Panels get so broad that a few hold the places that are expected.
    void open(uint32_t sets, size_t places) {
        uint32_t breadth = 1;
        while (breadth < BREADTH_MOST && size_t(breadth) * 64 * 8 < places) breadth *= 2;
        shape.reserve_more(2);
        shape.push_back(sets);
        shape.push_back(breadth);
        reserve(places);
    }
    void reserve(size_t places) {
        size_t a_panel = size_t(sets()) * breadth(), need = (places + breadth() * 64 - 1) / (breadth() * 64) * a_panel;
        if (need > words.size()) words.resize(need, 0);
    }
    const uint64_t* part(size_t panel, uint32_t set) const noexcept {
        return words.data() + (panel * sets() + set) * breadth();
    }
    bool has(uint32_t set, uint32_t place) const { return words[at(set, place)] >> (place & 63) & 1; }
    // There is room for the place.
    void put(uint32_t set, uint32_t place, bool in) {
        uint64_t& word = words.writable()[at(set, place)];
        uint64_t bit = uint64_t(1) << (place & 63);
        word = in ? word | bit : word & ~bit;
    }
    // Adds 64 bits to those of the 64 places that this one is among.
    void put_word(uint32_t set, uint32_t place, uint64_t bits) { words.writable()[at(set, place)] |= bits; }

    template <class F>
    void each_buffer(F f) {
        f("words", words);
        f("shape", shape);
    }
    // The invariant that does not hold with n places in use, or nullptr. For tests.
    const char* check(size_t n) const {
        if (shape.size() != 2 && (shape.size() || words.size())) return "1: shape";
        if (!sets()) return n ? "1: no sets" : nullptr;
        if (!breadth() || breadth() & (breadth() - 1) || words.size() % (size_t(sets()) * breadth()))
            return "1: broken panels";
        if (n > room()) return "1: places without room";
        for (uint32_t set = 0; set < sets(); ++set)
            for (size_t place = n; place < room(); ++place)
                if (has(set, uint32_t(place))) return "2: a bit of an unused place";
        return nullptr;
    }

  private:
    size_t at(uint32_t set, uint32_t place) const noexcept {
        uint32_t word = place >> 6;
        uint32_t inside = word & (breadth() - 1);
        return size_t(word - inside) * sets() + size_t(set) * breadth() + inside;
    }

    Buffer<uint64_t> words;
    Buffer<uint32_t> shape;
};

}  // namespace boolsieve
