// The loop that `scan` is measured against: early exit over the clause store's own arrays, in plain C++.
#include <cstddef>
#include <cstdint>

extern "C" size_t plain_loop(const uint32_t* begin, const uint32_t* owner, const uint32_t* head, const uint64_t* low,
                             const uint64_t* high, const uint64_t* sets, size_t clauses, const uint64_t* event,
                             uint32_t* found) {
    size_t count = 0;
    for (size_t c = 0; c < clauses; ++c) {
        bool holds = true;
        for (uint32_t p = begin[c]; p < begin[c + 1]; ++p) {
            uint64_t key = event[head[p] >> 4];
            switch (head[p] & 7) {
                case 0: holds = key >= low[p] && key <= high[p]; break;
                case 1: {
                    const uint64_t* first = sets + low[p];
                    const uint64_t* last = first + high[p];
                    while (first < last && *first != key) ++first;
                    holds = key != 0 && first < last;
                    break;
                }
                case 2: holds = key != 0 && (key < low[p] || key > high[p]); break;
                default: holds = false;
            }
            if (!holds) break;
        }
        if (holds) found[count++] = owner[c];
    }
    return count;
}
