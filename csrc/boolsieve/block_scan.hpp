// Scanning for up to 512 events at once: a clause is a few ANDs of row masks, and an empty mask ends it. The clauses
// are read once for all rows, instead of once a row.
#pragma once

#include <cstdint>
#include <vector>

#include "clauses.hpp"
#include "row_masks.hpp"
#include "scratch.hpp"

namespace boolsieve {

// Below this many rows left, looking at each is cheaper than the vector loop over all 512 (measured: 2 ns a row, 70 ns
// a loop).
constexpr uint32_t FEW_ROWS = 32;
// A block with more attributes than this is matched row by row: a column takes 4 KB, and the caches hold no more.
constexpr size_t MAX_COLUMNS = 1024;

// Turns the cells of a block into columns. False if there would be too many of them; the block is then as it was.
inline bool make_columns(Scratch& s, uint32_t attributes) {
    Block& b = s.block;
    s.column_of.assign(attributes, -1);
    size_t columns = b.column_attribute.size();
    for (size_t i = 0; i < columns; ++i) s.column_of[b.column_attribute[i]] = int32_t(i);
    std::vector<uint32_t> fresh;
    for (const Cell& cell : b.cells)
        if (s.column_of[cell.attribute] < 0) {
            if (columns == MAX_COLUMNS) return false;
            s.column_of[cell.attribute] = int32_t(columns++);
            fresh.push_back(cell.attribute);
        }
    for (uint32_t attribute : fresh) std::fill_n(b.add_column(attribute), BLOCK_ROWS, KEY_ABSENT);
    for (const Cell& cell : b.cells)
        b.column_keys[size_t(s.column_of[cell.attribute]) * BLOCK_ROWS + cell.row] = cell.key;
    s.masks.resize(columns * BLOCK_WORDS);
    for (size_t i = 0; i < columns; ++i) range_mask(b.column(i), KEY_LOWEST, KEY_HIGHEST, &s.masks[i * BLOCK_WORDS]);
    return true;
}

// Needs make_columns. Appends (row, slot) pairs, in the order of the clauses.
inline void scan_block(const Clauses& c, Scratch& s) {
    const Block& b = s.block;
    uint64_t every[BLOCK_WORDS] = {};
    for (uint32_t r = 0; r < b.rows; ++r) every[r / 64] |= uint64_t(1) << (r % 64);
    uint64_t evaluated = 0;
    s.pairs.clear();  // of a scan that ran out of memory
    for (uint32_t clause = 0; clause < c.count; ++clause) {
        uint64_t mask[BLOCK_WORDS], part[BLOCK_WORDS];
        std::memcpy(mask, every, sizeof mask);
        uint32_t end = c.begin[clause + 1], p = c.begin[clause];
        for (; p < end; ++p) {
            ++evaluated;
            uint32_t attribute = c.head[p] >> KIND_BITS, kind = c.head[p] & KIND_MASK;
            int32_t column = s.column_of[attribute];
            if (column < 0) {
                if (kind == PREDICATE_ABSENT || (attribute == 0 && kind == PREDICATE_RANGE)) continue;
                break;
            }
            const uint64_t* present = &s.masks[size_t(column) * BLOCK_WORDS];
            if (kind == PREDICATE_ABSENT) {
                for (uint32_t w = 0; w < BLOCK_WORDS; ++w) mask[w] &= ~present[w];
                if (!any_row(mask)) break;
                continue;
            }
            for (uint32_t w = 0; w < BLOCK_WORDS; ++w) mask[w] &= present[w];
            if (!any_row(mask)) break;
            const Key* keys = b.column(size_t(column));
            if ((kind == PREDICATE_RANGE || kind == PREDICATE_NOT_RANGE) && count_rows(mask) > FEW_ROWS) {
                range_mask(keys, c.low[p], c.high[p], part);
                uint64_t flip = kind == PREDICATE_RANGE ? 0 : ~uint64_t(0);
                for (uint32_t w = 0; w < BLOCK_WORDS; ++w) mask[w] &= part[w] ^ flip;
            } else if (kind == PREDICATE_RANGE) {
                Key low = c.low[p], width = c.high[p] - low;
                each_row(mask, [&](uint32_t r) {
                    if (!(keys[r] - low <= width)) mask[r / 64] &= ~(uint64_t(1) << (r % 64));
                });
            } else {
                each_row(mask, [&](uint32_t r) {
                    const Text* texts = b.texts.data() + b.text_begin[r];
                    auto key_of = [&](uint32_t a) {
                        return s.column_of[a] < 0 ? KEY_ABSENT : b.column(size_t(s.column_of[a]))[r];
                    };
                    if (!other_holds(c, p, kind, key_of, texts, b.text_begin[r + 1] - b.text_begin[r]))
                        mask[r / 64] &= ~(uint64_t(1) << (r % 64));
                });
            }
            if (!any_row(mask)) break;
        }
        if (p < end) continue;
        uint32_t slot = c.owner[clause];
        each_row(mask, [&](uint32_t r) { s.pairs.push_back({r, slot}); });
    }
    s.counters.predicates += evaluated;
    s.counters.candidates += c.count;
    s.counters.events += b.rows;
}

}  // namespace boolsieve
