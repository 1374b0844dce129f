// What one thread needs while it matches, reused from event to event. Engines get it as an argument, so that any number
// of threads can share an index.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "event.hpp"
#include "match_set.hpp"
#include "ranges.hpp"
#include "text_entries.hpp"

namespace boolsieve {

struct Counters {
    uint64_t events = 0;
    uint64_t predicates = 0;  // predicates evaluated
    uint64_t candidates = 0;  // clauses whose check was begun
    uint64_t matches = 0;     // expressions reported

    void add_and_clear(Counters& other) noexcept {
        events += other.events;
        predicates += other.predicates;
        candidates += other.candidates;
        matches += other.matches;
        other = Counters();
    }
};

// Events that an engine may learn from, each as the cells of one row.
struct Sample {
    uint32_t events = 0;
    std::vector<Cell> cells;

    void add(const Event& event) {
        for (uint32_t attribute : event.attributes) cells.push_back({events, attribute, event.table[attribute]});
        ++events;
    }
    void take(Sample& other) {
        for (const Cell& cell : other.cells) cells.push_back({events + cell.row, cell.attribute, cell.key});
        events += other.events;
        other.clear();
    }
    void clear() noexcept {
        events = 0;
        cells.clear();
    }
};

// Base of what an engine keeps in a scratch from event to event (counters, stamps). A scratch may come from another
// engine of the same class, which had other clauses; so what is in it must not depend on them between two events.
struct EngineScratch {
    virtual ~EngineScratch() = default;
};

struct RowMatch {
    uint32_t row, slot;
};

struct Scratch {
    Event event;
    Ranges ranges;  // what the event leaves open; empty for plain events
    Block block;
    MatchSet found;               // an engine's answer for one event
    std::vector<RowMatch> pairs;  // an engine's answer for a block, before it is put in order
    std::vector<uint32_t> ordered;
    std::vector<size_t> row_end;     // of the pairs, which may be more than 2^32
    std::vector<uint32_t> slots;     // the answer: row after row, each in order of addition, without duplicates
    std::vector<uint32_t> counts;    // how many of them each row has
    std::vector<int32_t> column_of;  // block scan: the column of an attribute, or -1
    std::vector<uint64_t> masks;     // block scan: which rows have a column's attribute
    std::vector<uint32_t> hits;      // derived attributes of one value
    bool remember = false;           // of a batch of mappings: what holds for the strings that were seen
    TextEntries seen;                // by name and string
    std::string key;
    Counters counters;
    std::unique_ptr<EngineScratch> engine;
    Sample sample;
    uint32_t sample_every = 0;  // every which event goes into the sample; 0: none
    uint32_t until_sample = 0;

    // The engine's own part of the scratch.
    template <class Own>
    Own& own() {
        if (!engine) engine = std::make_unique<Own>();
        return static_cast<Own&>(*engine);
    }
    // To be called for each event that was matched, while it is open.
    void observe() {
        if (!sample_every || until_sample-- > 0) return;
        until_sample = sample_every - 1;
        sample.add(event);
    }
};

// Puts the pairs of a block in order and appends them to the answer. Pairs that come by rising slot need no sorting.
inline void collect_pairs(Scratch& s, uint32_t rows, bool by_slot) {
    std::vector<size_t>& end = s.row_end;
    end.assign(rows + 1, 0);
    for (const RowMatch& pair : s.pairs) ++end[pair.row + 1];
    for (uint32_t r = 0; r < rows; ++r) end[r + 1] += end[r];
    if (s.ordered.size() < s.pairs.size()) s.ordered.resize(s.pairs.size());
    for (const RowMatch& pair : s.pairs)
        s.ordered[end[pair.row]++] = pair.slot;  // end[r] moves from r's begin to its end
    size_t begin = 0;
    for (uint32_t r = 0; r < rows; ++r) {
        uint32_t *first = s.ordered.data() + begin, *last = s.ordered.data() + end[r];
        begin = end[r];
        if (!by_slot) std::sort(first, last);
        last = std::unique(first, last);
        s.slots.insert(s.slots.end(), first, last);
        s.counts.push_back(uint32_t(last - first));
        s.counters.matches += uint64_t(last - first);
    }
    s.pairs.clear();
}

}  // namespace boolsieve
