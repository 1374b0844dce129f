// What is known of the distinct strings of a column, so that each is looked up and tested once: its keys, and the
// attributes of the string predicates that hold for it.
#pragma once

#include <cstdint>
#include <vector>

#include "keys.hpp"
#include "pool.hpp"

namespace boolsieve {

struct TextEntries {
    StringPool distinct;                  // entry of a string (columns without a dictionary)
    std::vector<int32_t> entry_of_code;   // entry of a dictionary's row, -1 if not yet made, -2 if null
    std::vector<Key> keys;                // of the text view
    std::vector<uint32_t> hits;           // attributes that hold, entry after entry
    std::vector<uint32_t> hits_begin{0};  // one more than there are entries

    void clear(size_t codes) {
        distinct.clear();
        entry_of_code.assign(codes, -1);
        keys.clear();
        hits.clear();
        hits_begin.assign(1, 0);
    }
    uint32_t close_entry(Key key) {
        keys.push_back(key);
        hits_begin.push_back(uint32_t(hits.size()));
        return uint32_t(keys.size() - 1);
    }
};

}  // namespace boolsieve
