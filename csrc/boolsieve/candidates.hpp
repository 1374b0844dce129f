// Checks candidates against the store. They are spread over it, so a number of them is fetched from memory at the same
// time: at 1,000,000 clauses a check takes 30 ns in place of 100.
#pragma once

#include <cstdint>

#include "clauses.hpp"
#include "scratch.hpp"

namespace boolsieve {

class CandidateCheck {
  public:
    CandidateCheck(const Clauses& clauses, Scratch& scratch) noexcept : c_(clauses), s_(scratch) {}
    ~CandidateCheck() { flush(); }
    CandidateCheck(const CandidateCheck&) = delete;
    CandidateCheck& operator=(const CandidateCheck&) = delete;

    void add(uint32_t clause) noexcept {
        __builtin_prefetch(c_.begin + clause);
        __builtin_prefetch(c_.owner + clause);
        pending_[count_++] = clause;
        if (count_ == MOST) flush();
    }
    // A clause that needs no check.
    void report(uint32_t clause) noexcept {
        if (c_.owner[clause] != DEAD) s_.found.add(c_.owner[clause]);
    }
    void flush() noexcept {
        for (uint32_t i = 0; i < count_; ++i) {
            uint32_t begin = c_.begin[pending_[i]];
            __builtin_prefetch(c_.head + begin);
            __builtin_prefetch(c_.low + begin);
            __builtin_prefetch(c_.low + begin + 8);
            __builtin_prefetch(c_.high + begin);
            __builtin_prefetch(c_.high + begin + 8);
        }
        for (uint32_t i = 0; i < count_; ++i) {
            uint32_t clause = pending_[i], begin = c_.begin[clause], end = c_.begin[clause + 1];
            uint32_t failed = first_failure(c_, begin, end, s_.event);
            s_.counters.predicates += failed - begin + (failed < end);
            if (failed == end) s_.found.add(c_.owner[clause]);
        }
        s_.counters.candidates += count_;
        count_ = 0;
    }

  private:
    static constexpr uint32_t MOST = 32;
    const Clauses& c_;
    Scratch& s_;
    uint32_t count_ = 0;
    uint32_t pending_[MOST];
};

}  // namespace boolsieve
