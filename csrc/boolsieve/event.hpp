// Encoded events: one at a time (Event) and up to 512 together (Block).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "keys.hpp"

namespace boolsieve {

struct Text {  // the text behind an order key; the caller keeps the bytes alive
    uint32_t row, attribute;
    const char* data;
    size_t length;
};

// The attributes that an event has, as a list and as a table by attribute (0 where absent). Attribute 0 is always
// there. Invariant: table[a] != 0 only for the listed attributes, so that clearing costs what the event touched.
struct Event {
    std::vector<uint32_t> attributes;
    std::vector<Key> table;
    std::vector<Text> texts;

    void open(size_t attribute_count) {
        if (table.size() < attribute_count) table.resize(attribute_count, KEY_ABSENT);
        put(0, KEY_HELD);
    }
    void put(uint32_t attribute, Key key) {
        if (table[attribute] == KEY_ABSENT) attributes.push_back(attribute);
        table[attribute] = key;
    }
    void put_text(uint32_t attribute, const char* data, size_t length) {
        texts.push_back({0, attribute, data, length});
    }
    void close() noexcept {
        for (uint32_t a : attributes) table[a] = KEY_ABSENT;
        attributes.clear();
        texts.clear();
    }
};

constexpr uint32_t BLOCK_ROWS = 512;  // eight words of a row mask: one cache line
constexpr uint32_t BLOCK_WORDS = BLOCK_ROWS / 64;

struct Cell {
    uint32_t row, attribute;
    Key key;
};

// Rows of events. Columns hold one key a row for attributes that most rows have; cells hold the rest, in any order
// until `sort_cells`, by row after it.
struct Block {
    uint32_t rows = 0;
    std::vector<uint32_t> column_attribute;
    std::vector<Key> column_keys;  // BLOCK_ROWS for each column
    std::vector<Cell> cells;
    std::vector<uint32_t> row_begin;  // of the sorted cells
    std::vector<Text> texts;          // by row after sort_cells
    std::vector<uint32_t> text_begin;

    void open(uint32_t n) {
        rows = n;
        column_attribute.clear();
        cells.clear();
        texts.clear();
    }
    Key* add_column(uint32_t attribute) {
        size_t at = column_attribute.size() * BLOCK_ROWS;
        if (column_keys.size() < at + BLOCK_ROWS) column_keys.resize(at + BLOCK_ROWS);
        column_attribute.push_back(attribute);
        return column_keys.data() + at;
    }
    const Key* column(size_t i) const noexcept { return column_keys.data() + i * BLOCK_ROWS; }
    void put(uint32_t row, uint32_t attribute, Key key) { cells.push_back({row, attribute, key}); }
    void put_text(uint32_t row, uint32_t attribute, const char* data, size_t length) {
        texts.push_back({row, attribute, data, length});
    }
    void sort_cells() {
        by_row(cells, sorted_cells_, row_begin);
        by_row(texts, sorted_texts_, text_begin);
    }
    // The event of one row; open on entry, the caller closes it.
    void read_row(uint32_t row, Event& event) const {
        for (size_t c = 0; c < column_attribute.size(); ++c) {
            Key key = column(c)[row];
            if (key != KEY_ABSENT) event.put(column_attribute[c], key);
        }
        for (uint32_t i = row_begin[row]; i < row_begin[row + 1]; ++i) event.put(cells[i].attribute, cells[i].key);
        event.texts.assign(texts.begin() + text_begin[row], texts.begin() + text_begin[row + 1]);
    }

  private:
    template <class T>
    void by_row(std::vector<T>& items, std::vector<T>& scratch, std::vector<uint32_t>& begin) const {
        begin.assign(rows + 1, 0);
        bool sorted = true;
        for (size_t i = 0; i < items.size(); ++i) {
            ++begin[items[i].row + 1];
            sorted &= i == 0 || items[i - 1].row <= items[i].row;
        }
        for (uint32_t r = 0; r < rows; ++r) begin[r + 1] += begin[r];
        if (sorted) return;
        scratch.resize(items.size());
        std::vector<uint32_t> next(begin.begin(), begin.end() - 1);
        for (const T& item : items) scratch[next[item.row]++] = item;
        items.swap(scratch);
    }
    std::vector<Cell> sorted_cells_;
    std::vector<Text> sorted_texts_;
};

}  // namespace boolsieve
