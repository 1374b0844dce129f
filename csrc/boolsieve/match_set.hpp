// The expressions found for one event: each once, drained in order of addition, cleared at the cost of what was found.
//
// Two levels of bits: one a slot, and one for each word of those that is not zero. Marking is one random write into
// slots / 8 bytes; draining reads slots / 4096 words of the upper level and then only what was marked.
#pragma once

#include <cstdint>
#include <vector>

namespace boolsieve {

class MatchSet {
  public:
    void open(size_t slots) {
        size_t words = slots / 64 + 1;
        if (words_.size() < words) words_.resize(words);
        if (upper_.size() < words / 64 + 1) upper_.resize(words / 64 + 1);
    }
    void add(uint32_t slot) noexcept {
        uint32_t w = slot >> 6;
        words_[w] |= uint64_t(1) << (slot & 63);
        upper_[w >> 6] |= uint64_t(1) << (w & 63);
    }
    bool contains(uint32_t slot) const noexcept { return words_[slot >> 6] >> (slot & 63) & 1; }
    // Calls f(slot) in rising order and leaves the set empty.
    template <class F>
    void drain(F f) {
        for (size_t u = 0; u < upper_.size(); ++u) {
            uint64_t above = upper_[u];
            upper_[u] = 0;
            for (; above; above &= above - 1) {
                size_t w = u * 64 + size_t(__builtin_ctzll(above));
                uint64_t word = words_[w];
                words_[w] = 0;
                for (; word; word &= word - 1) f(uint32_t(w * 64 + size_t(__builtin_ctzll(word))));
            }
        }
    }
    void drain_to(std::vector<uint32_t>& out) {
        drain([&](uint32_t slot) { out.push_back(slot); });
    }

  private:
    std::vector<uint64_t> words_, upper_;
};

}  // namespace boolsieve
