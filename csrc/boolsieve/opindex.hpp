// OpIndex: partitions by pivot attribute, in each of them lists of predicates by operator and segment, with signatures.
// The engine's file (engines/opindex.pyx) tells the paper, the buffers, the invariants and the costs.
//
//   partition (8 words of 32 bits an attribute)  block | capacities | clauses | entries | sorted | dead
//                                                  |
//   block (a run of 64-byte lines in `blocks`)     v
//     summaries   64 bits a segment    signature of the attributes in it, with other bits     } only in blocks with
//     directory   256 bits a segment   signatures for =, <=, >=; where its entries are        } room for more than
//                                                                                             } LINEAR entries
//     needs       8 bits a clause     how many entries must hold; 0: dead; bit 7: the store must be asked as well
//     entries     128 bits an entry   key | attribute | clause in the partition * 4 + operator
//                                     first the sorted ones, then the tail: those that came since
//     clauses     32 bits a clause    its number in the store
//
// An entry is a satisfied predicate if its attribute's key in the event is equal, at most or at least the entry's.
// Clauses in conjunctive normal form are not in here but in opindex_cnf.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "buffer.hpp"
#include "clauses.hpp"
#include "hash.hpp"
#include "opindex_cnf.hpp"
#include "scratch.hpp"

namespace boolsieve {

struct OpIndexEntry {
    Key key;
    uint32_t attribute;
    uint32_t reference;  // clause in the partition * 4 + operator
};

struct OpIndexPartition {
    uint32_t block;  // its first line
    uint32_t clause_capacity, entry_capacity;
    uint32_t clauses, entries;  // dead ones included
    uint32_t sorted;            // how many of the entries are in order
    uint32_t dead_clauses, dead_entries;
};

// A segment of a partition.
struct OpIndexSegment {
    uint64_t signature[3];  // by operator
    uint32_t begin, end;    // of its entries
};

// What an event needs of one of its attributes, whatever the partition.
struct OpIndexPair {
    Key key;
    uint32_t attribute, segment;
    uint32_t summary_bit, equal_bit, attribute_bit;  // in the signatures of the segment
};

struct OpIndexScratch : EngineScratch {
    std::vector<uint8_t> counts;  // of satisfied entries, by clause in the partition; 0 between two partitions
    std::vector<uint32_t> hits;   // clauses in the partition whose counter is full
    std::vector<uint32_t> found;  // clauses that hold
    std::vector<OpIndexPair> pairs;
    std::vector<std::pair<uint32_t, uint32_t>> ranges;  // of entries that were counted
};

class OpIndexCore {
    using Entry = OpIndexEntry;
    using Partition = OpIndexPartition;
    using Segment = OpIndexSegment;
    enum Operator : uint32_t { EQUAL, AT_MOST, AT_LEAST, OPERATORS };

  public:
    static constexpr uint32_t NONE = 0xFFFFFFFFu;
    // Up to this many entries are looked at one by one (about 1 ns each): reading a directory costs more.
    static constexpr uint32_t LINEAR = 32;
    // The tail of a larger partition may be this part of what is sorted: each entry is merged about 16 times while the
    // partition doubles, which is 256 bytes moved, and a match looks at 6 percent of the entries one by one.
    static constexpr uint32_t TAIL_PART = 16;
    // Blocks are made with this part more than they need.
    static constexpr uint32_t SLACK_PART = 8;
    // A clause's counter goes up to this; further predicates are left to the store.
    static constexpr uint32_t MOST_COUNTED = 100;
    static constexpr uint8_t ASK_STORE = 0x80;
    // Expression frequencies count as much as this many events; they only have to bridge the time until events come.
    static constexpr double PRIOR_EVENTS = 16;
    // Events whose attributes are counted before all counts are halved, so that old ones fade.
    static constexpr uint64_t WINDOW = 4096;
    // A clause moves to a pivot that was seen in less than half as many events, less this many: chance alone rarely
    // makes such a difference.
    static constexpr double MARGIN = 8;
    // Learning looks at one clause for this many that the sample met in partitions. Looking takes about 100 ns, a
    // clause in a partition 10 ns: a third of the time that the sample took, and of all events that passed far less.
    static constexpr uint32_t LEARN_PART = 32;
    static constexpr int64_t MOVE_COST = 8;  // moving a clause, in clauses looked at

    explicit OpIndexCore(bool segments) : segments_(segments ? 32 : 1) { totals.resize(3, 0); }

    void insert(const Clauses& c, uint32_t first, uint32_t count) {
        grow(c.attributes);
        size_t before = clause_pivot.size();
        try {
            clause_pivot.resize(size_t(first) + count, NONE);
            clause_local.resize(size_t(first) + count, NONE);
        } catch (...) {
            forget_places(before);
            throw;
        }
        tally(c, first, count, 1);
        try {
            insert_counted(c, first, count);
        } catch (...) {
            tally(c, first, count, uint32_t(-1));
            forget_places(before);
            throw;
        }
        tidy();
    }

    void remove(const Clauses& c, uint32_t first, uint32_t count) {
        tally(c, first, count, uint32_t(-1));
        for (uint32_t clause = first; clause < first + count; ++clause) {
            if (in_conjunctive_form(c, clause)) continue;
            drop(c, clause_pivot[clause], clause_local[clause], clause);
            clause_pivot.set(clause, NONE);
            clause_local.set(clause, NONE);
        }
    }

    // Algorithm 2.
    void match(const Clauses& c, Scratch& s) const {
        OpIndexScratch& own = s.own<OpIndexScratch>();
        const Event& event = s.event;
        const auto* all = reinterpret_cast<const Partition*>(partitions.data());
        uint32_t known = uint32_t(partitions.size() / PARTITION_WORDS);
        own.pairs.clear();
        for (uint32_t a : event.attributes) {
            if (a >= known) continue;
            __builtin_prefetch(&all[a]);
            Key key = event.table[a];
            uint64_t hash = mix(a);
            own.pairs.push_back({key, a, segment(hash), summary_bit(hash), equal_bit(hash, key), attribute_bit(hash)});
        }
        own.ranges.reserve(own.pairs.size() * OPERATORS + 1);
        own.found.clear();
        uint64_t predicates = 0, candidates = 0;
        for (size_t i = 0; i < own.pairs.size() + 2 * AHEAD; ++i) {
            if (i < own.pairs.size()) prefetch_directory(all[own.pairs[i].attribute], own.pairs[i]);
            size_t j = i - AHEAD;
            if (j < own.pairs.size()) prefetch_entries(all[own.pairs[j].attribute], own.pairs[j]);
            j -= AHEAD;
            if (j >= own.pairs.size()) continue;
            const Partition& p = all[own.pairs[j].attribute];  // lines 3-4
            if (p.clauses == p.dead_clauses) continue;
            candidates += p.clauses - p.dead_clauses;
            if (own.counts.size() < p.clauses) {
                own.hits.resize(p.clauses + 1);
                own.counts.resize(p.clauses, 0);
            }
            size_t most = own.found.size() + p.clauses;  // room now, as counters must not be left behind
            if (own.found.capacity() < most) own.found.reserve(2 * most);
            predicates += match_partition(c, p, own, s);
        }
        for (uint32_t clause : own.found) s.found.add(c.owner[clause]);
        s.counters.events += 1;
        s.counters.predicates += predicates;
        s.counters.candidates += candidates;
    }

    void learn(const Clauses& c, const Sample& sample) {
        grow(c.attributes);
        uint32_t* counts = event_count.writable();
        uint64_t met = 0;
        for (const Cell& cell : sample.cells) {
            ++counts[cell.attribute];
            met += live_clauses(partition(cell.attribute));
        }
        uint64_t& learned = totals.writable()[LEARNED];
        learned += sample.events;
        if (learned > WINDOW) {
            learned /= 2;
            for (size_t a = 0; a < event_count.size(); ++a) counts[a] /= 2;
        }
        rearrange(c, sample, int64_t(met / LEARN_PART));
        tidy();
    }

    // How often the events have the attribute (4.1): what was counted in them, and before that in the clauses.
    double visibility(uint32_t attribute) const noexcept {
        double clauses = double(std::max<uint64_t>(totals.data()[LIVE], 1));
        return event_count.data()[attribute] + PRIOR_EVENTS * expression_count.data()[attribute] / clauses;
    }

    template <class F>
    void each_buffer(F f) {
        f("partitions", partitions);
        f("blocks", blocks);
        f("clause_pivot", clause_pivot);
        f("clause_local", clause_local);
        f("event_count", event_count);
        f("expression_count", expression_count);
        f("totals", totals);
    }

    // The first invariant that does not hold, or nothing. For tests.
    std::string check(const Clauses& c) const {
        std::string problem = check_partitions(c);
        return problem.empty() ? check_clauses(c) : problem;
    }

  private:
    static constexpr size_t LINE_WORDS = 8;
    static constexpr uint32_t PARTITION_WORDS = sizeof(Partition) / sizeof(uint32_t);
    enum Total : uint32_t { LIVE, LEARNED, WASTE };  // clauses; events, halved with the counts; lines of no partition

    struct Ranked {  // an entry while it is sorted
        uint64_t rank;
        Key key;
        uint32_t reference;
        bool operator<(const Ranked& other) const noexcept {
            if (rank != other.rank) return rank < other.rank;
            if (key != other.key) return key < other.key;
            return reference < other.reference;
        }
    };

    // The parts of a block. Word is uint64_t, const or not.
    template <class Word>
    struct Parts {
        template <class T>
        using Like = std::conditional_t<std::is_const_v<Word>, const T, T>;
        Word* summaries;  // nullptr if there is no directory
        Like<Segment>* directory;
        Like<uint8_t>* needs;
        Like<Entry>* entries;
        Like<uint32_t>* clauses;
    };

    uint32_t segment(uint64_t hash) const noexcept { return uint32_t(hash) & (segments_ - 1); }
    static uint32_t attribute_bit(uint64_t hash) noexcept { return uint32_t(hash >> 8) & 63; }
    static uint32_t summary_bit(uint64_t hash) noexcept { return uint32_t(hash >> 16) & 63; }
    static uint32_t equal_bit(uint64_t hash, Key key) noexcept { return uint32_t(mix(hash ^ key)) & 63; }
    static uint32_t signature_bit(const Entry& e, uint64_t hash) noexcept {
        return operator_of(e) == EQUAL ? equal_bit(hash, e.key) : attribute_bit(hash);
    }
    static uint32_t operator_of(const Entry& e) noexcept { return e.reference & 3; }
    static uint32_t local_of(const Entry& e) noexcept { return e.reference >> 2; }
    uint32_t segment_of(const Entry& e) const noexcept { return segment(mix(e.attribute)); }
    // Entries are sorted by segment, operator, attribute, key and clause.
    Ranked ranked(const Entry& e) const noexcept {
        return {uint64_t(segment_of(e) << 2 | operator_of(e)) << 32 | e.attribute, e.key, e.reference};
    }

    Partition& partition(uint32_t a) { return reinterpret_cast<Partition*>(partitions.writable())[a]; }
    const Partition& partition(uint32_t a) const { return reinterpret_cast<const Partition*>(partitions.data())[a]; }
    static uint32_t live_clauses(const Partition& p) noexcept { return p.clauses - p.dead_clauses; }

    // The layout of a block.
    size_t directory_words(uint32_t entry_capacity) const noexcept {
        return entry_capacity > LINEAR ? segments_ * (1 + sizeof(Segment) / sizeof(uint64_t)) : 0;
    }
    uint32_t lines(uint32_t clause_capacity, uint32_t entry_capacity) const noexcept {
        size_t words = directory_words(entry_capacity) + (size_t(clause_capacity) + 7) / 8 +
                       2 * size_t(entry_capacity) + (size_t(clause_capacity) + 1) / 2;
        return uint32_t((words + LINE_WORDS - 1) / LINE_WORDS);
    }
    template <class Word>
    Parts<Word> parts(Word* words, const Partition& p) const noexcept {
        Parts<Word> found;
        words += size_t(p.block) * LINE_WORDS;
        found.summaries = p.entry_capacity > LINEAR ? words : nullptr;
        found.directory = reinterpret_cast<decltype(found.directory)>(words + segments_);
        words += directory_words(p.entry_capacity);
        found.needs = reinterpret_cast<decltype(found.needs)>(words);
        words += (size_t(p.clause_capacity) + 7) / 8;
        found.entries = reinterpret_cast<decltype(found.entries)>(words);
        words += 2 * size_t(p.entry_capacity);
        found.clauses = reinterpret_cast<decltype(found.clauses)>(words);
        return found;
    }

    // f(attribute, operator, key) for each entry of a clause. Returns what the clause needs.
    template <class F>
    static uint8_t each_entry(const Clauses& c, uint32_t clause, F f) {
        uint32_t need = 0;
        uint8_t ask = 0;
        for (uint32_t i = c.begin[clause], end = c.begin[clause + 1]; i < end; ++i) {
            uint32_t attribute = c.head[i] >> KIND_BITS, kind = c.head[i] & KIND_MASK;
            if (kind == PREDICATE_ABSENT || need + 2 > MOST_COUNTED) {
                ask = ASK_STORE;
            } else if (kind == PREDICATE_IN) {  // an event has one key, so at most one of these holds
                for (const Key *key = c.sets + c.low[i], *last = key + c.high[i]; key < last; ++key)
                    f(attribute, EQUAL, *key);
                ++need;
            } else if (kind != PREDICATE_RANGE) {  // needs the attribute, and more
                f(attribute, AT_LEAST, KEY_LOWEST);
                ++need;
                ask = ASK_STORE;
            } else if (c.low[i] == c.high[i]) {
                f(attribute, EQUAL, c.low[i]);
                ++need;
            } else {
                bool above = c.low[i] > KEY_LOWEST || c.high[i] == KEY_HIGHEST;
                if (above) f(attribute, AT_LEAST, c.low[i]);
                if (c.high[i] < KEY_HIGHEST) f(attribute, AT_MOST, c.high[i]);
                need += uint32_t(above) + uint32_t(c.high[i] < KEY_HIGHEST);
            }
        }
        return uint8_t(need) | ask;
    }
    static uint32_t count_entries(const Clauses& c, uint32_t clause) {
        uint32_t n = 0;
        each_entry(c, clause, [&n](uint32_t, uint32_t, Key) { ++n; });
        return n;
    }

    // The predicates that have no entries, or that were one too many. True if all hold.
    static bool rest_holds(const Clauses& c, uint32_t clause, const Event& event, uint64_t& evaluated) noexcept {
        uint32_t end = c.begin[clause + 1];
        bool all = end - c.begin[clause] > MOST_COUNTED / 2;  // each counts two at most
        for (uint32_t i = c.begin[clause]; i < end; ++i) {
            uint32_t kind = c.head[i] & KIND_MASK;
            if (!all && (kind == PREDICATE_RANGE || kind == PREDICATE_IN)) continue;
            ++evaluated;
            if (!predicate_holds(c, i, event)) return false;
        }
        return true;
    }

    uint32_t pivot_of(const Clauses& c, uint32_t clause) const noexcept {  // equation 1
        uint32_t best = NONE;
        double least = 0;
        for (uint32_t i = c.begin[clause]; i < c.begin[clause + 1]; ++i) {
            if ((c.head[i] & KIND_MASK) == PREDICATE_ABSENT) continue;
            double seen = visibility(c.head[i] >> KIND_BITS);
            if (best != NONE && seen >= least) continue;
            best = c.head[i] >> KIND_BITS;
            least = seen;
        }
        return best;
    }

    void grow(uint32_t attributes) {
        if (event_count.size() < attributes) event_count.resize(attributes, 0);
        if (expression_count.size() < attributes) expression_count.resize(attributes, 0);
        size_t words = size_t(attributes) * PARTITION_WORDS;
        if (partitions.size() < words) partitions.resize(words, 0);
    }
    void forget_places(size_t clauses) {
        clause_pivot.resize(std::min(clauses, clause_pivot.size()));
        clause_local.resize(std::min(clauses, clause_local.size()));
    }
    void tally(const Clauses& c, uint32_t first, uint32_t count, uint32_t step) {
        uint32_t* counts = expression_count.writable();
        uint64_t& live = totals.writable()[LIVE];
        for (uint32_t clause = first; clause < first + count; ++clause) {
            if (in_conjunctive_form(c, clause)) continue;
            for (uint32_t i = c.begin[clause]; i < c.begin[clause + 1]; ++i)
                if ((c.head[i] & KIND_MASK) != PREDICATE_ABSENT) counts[c.head[i] >> KIND_BITS] += step;
            live += uint64_t(int64_t(int32_t(step)));
        }
    }

    // Algorithm 1. All that may fail comes first.
    void insert_counted(const Clauses& c, uint32_t first, uint32_t count) {
        std::vector<uint64_t> order;  // pivot and clause
        std::vector<uint32_t> entries;
        order.reserve(count);
        entries.reserve(count);
        for (uint32_t clause = first; clause < first + count; ++clause) {
            bool conjunctive = in_conjunctive_form(c, clause);
            if (!conjunctive) order.push_back(uint64_t(pivot_of(c, clause)) << 32 | clause);  // line 1
            entries.push_back(conjunctive ? 0 : count_entries(c, clause));
        }
        std::sort(order.begin(), order.end());
        size_t more = 0, longest = 0;
        auto each_group = [&](auto f) {
            for (size_t i = 0, j; i < order.size(); i = j) {
                uint64_t total = 0;
                for (j = i; j < order.size() && order[j] >> 32 == order[i] >> 32; ++j)
                    total += entries[uint32_t(order[j]) - first];
                f(uint32_t(order[i] >> 32), i, j, total);
            }
        };
        each_group([&](uint32_t pivot, size_t i, size_t j, uint64_t total) {
            const Partition& p = partition(pivot);
            more += lines_wanted(p, j - i, total);
            longest = std::max(longest, size_t(p.entries - p.sorted + total));
        });
        reserve(more, longest);
        each_group([&](uint32_t pivot, size_t i, size_t j, uint64_t total) {
            make_room(pivot, j - i, total);
            for (; i < j; ++i) append(c, pivot, uint32_t(order[i]));
            settle(partition(pivot));
        });
        if (count > 1) std::vector<Ranked>().swap(sorting_);
    }

    // How many lines must be allocated for some more clauses and entries.
    size_t lines_wanted(const Partition& p, size_t clauses, size_t entries) const {
        clauses += p.clauses;
        entries += p.entries;
        if (clauses <= p.clause_capacity && entries <= p.entry_capacity) return 0;
        clauses += clauses / SLACK_PART;
        entries += entries / SLACK_PART;
        if (entries >= NONE || clauses >= NONE / 4) throw std::length_error("a pivot has too many predicates");
        return lines(uint32_t(clauses), uint32_t(entries));
    }
    void reserve(size_t more_lines, size_t longest_tail) {
        if (blocks.size() / LINE_WORDS + more_lines > NONE) throw std::length_error("an OpIndex holds at most 256 GB");
        blocks.reserve_more(more_lines * LINE_WORDS);
        sorting_.reserve(longest_tail);
    }
    // What was reserved.
    void make_room(uint32_t pivot, size_t clauses, size_t entries) {
        Partition& p = partition(pivot);
        if (!lines_wanted(p, clauses, entries)) return;
        clauses += p.clauses;
        entries += p.entries;
        totals.writable()[WASTE] += p.entry_capacity ? lines(p.clause_capacity, p.entry_capacity) : 0;
        move_block(p, blocks, uint32_t(clauses + clauses / SLACK_PART), uint32_t(entries + entries / SLACK_PART));
    }
    // To the end of a buffer, with other capacities.
    void move_block(Partition& p, Buffer<uint64_t>& to, uint32_t clause_capacity, uint32_t entry_capacity) {
        Partition old = p;
        p.block = uint32_t(to.size() / LINE_WORDS);
        p.clause_capacity = clause_capacity;
        p.entry_capacity = entry_capacity;
        to.resize(to.size() + size_t(lines(clause_capacity, entry_capacity)) * LINE_WORDS, 0);
        if (!old.entry_capacity) return;
        Parts<const uint64_t> from = parts(blocks.data(), old);
        Parts<uint64_t> fresh = parts(to.writable(), p);
        if (!fresh.summaries) p.sorted = 0;
        if (p.sorted) {
            std::memcpy(fresh.summaries, from.summaries, segments_ * sizeof(uint64_t));
            std::memcpy(fresh.directory, from.directory, segments_ * sizeof(Segment));
        }
        std::memcpy(fresh.needs, from.needs, p.clauses);
        std::memcpy(fresh.entries, from.entries, p.entries * sizeof(Entry));
        std::memcpy(fresh.clauses, from.clauses, p.clauses * sizeof(uint32_t));
    }

    // A clause to a partition that has room for it (lines 2-4); the directory follows in settle.
    void append(const Clauses& c, uint32_t pivot, uint32_t clause) {
        Partition& p = partition(pivot);
        Parts<uint64_t> b = parts(blocks.writable(), p);
        uint32_t local = p.clauses++;
        Entry* entry = b.entries + p.entries;
        b.needs[local] = each_entry(
            c, clause, [&](uint32_t attribute, uint32_t op, Key key) { *entry++ = {key, attribute, local << 2 | op}; });
        p.entries = uint32_t(entry - b.entries);
        b.clauses[local] = clause;
        clause_pivot.set(clause, pivot);
        clause_local.set(clause, local);
    }

    // Merges the tail into the sorted entries once it is long.
    void settle(Partition& p) {
        uint32_t tail = p.entries - p.sorted;
        if (tail <= std::max(LINEAR, p.sorted / TAIL_PART)) return;
        Parts<uint64_t> b = parts(blocks.writable(), p);
        sorting_.clear();
        for (uint32_t i = p.sorted; i < p.entries; ++i) sorting_.push_back(ranked(b.entries[i]));
        std::sort(sorting_.begin(), sorting_.end());
        Entry *left = b.entries + p.sorted, *to = b.entries + p.entries;
        for (size_t i = sorting_.size(); i-- > 0;) {
            const Ranked& r = sorting_[i];
            while (left > b.entries && r < ranked(left[-1])) *--to = *--left;
            *--to = {r.key, uint32_t(r.rank), r.reference};
        }
        p.sorted = p.entries;
        direct(p, b);
    }

    // Line 5: where the segments are, and their signatures.
    void direct(const Partition& p, const Parts<uint64_t>& b) const {
        uint64_t none = segments_ > 1 ? 0 : ~uint64_t(0);  // without signatures nothing is passed over
        for (uint32_t i = 0; i < segments_; ++i) {
            b.summaries[i] = none;
            b.directory[i] = {{none, none, none}, 0, 0};
        }
        for (uint32_t i = 0; i < p.sorted;) {
            Segment& in = b.directory[segment_of(b.entries[i])];
            in.begin = i;
            do {
                const Entry& e = b.entries[i];
                uint64_t hash = mix(e.attribute);
                in.signature[operator_of(e)] |= uint64_t(1) << signature_bit(e, hash);
                b.summaries[segment(hash)] |= uint64_t(1) << summary_bit(hash);
            } while (++i < p.sorted && &b.directory[segment_of(b.entries[i])] == &in);
            in.end = i;
        }
    }

    // A clause out of its partition. Its entries stay until they are a third of all.
    void drop(const Clauses& c, uint32_t pivot, uint32_t local, uint32_t clause) {
        Partition& p = partition(pivot);
        parts(blocks.writable(), p).needs[local] = 0;
        ++p.dead_clauses;
        p.dead_entries += count_entries(c, clause);
        if (!live_clauses(p)) {
            totals.writable()[WASTE] += lines(p.clause_capacity, p.entry_capacity);
            p = Partition();
        } else if (p.dead_entries > LINEAR && p.dead_entries > p.entries / 3) {
            sweep(p);
        }
    }
    void sweep(Partition& p) {
        Parts<uint64_t> b = parts(blocks.writable(), p);
        uint32_t* local = clause_local.writable();
        uint32_t live = 0, entries = 0, sorted = 0;
        for (uint32_t i = 0; i < p.clauses; ++i)
            if (b.needs[i]) local[b.clauses[i]] = live++;
        for (uint32_t i = 0; i < p.entries; ++i) {  // numbers keep their order, so what is sorted stays so
            Entry e = b.entries[i];
            if (!b.needs[local_of(e)]) continue;
            e.reference = local[b.clauses[local_of(e)]] << 2 | operator_of(e);
            b.entries[entries++] = e;
            sorted += i < p.sorted;
        }
        live = 0;
        for (uint32_t i = 0; i < p.clauses; ++i) {
            if (!b.needs[i]) continue;
            b.needs[live] = b.needs[i];
            b.clauses[live++] = b.clauses[i];
        }
        p.clauses = live;
        p.entries = entries;
        p.sorted = sorted;
        p.dead_clauses = p.dead_entries = 0;
        if (b.summaries) direct(p, b);
        settle(p);  // the tail may now be long beside what is sorted
    }

    // Moves all blocks together once a third of the lines belongs to none. Without memory for that they stay.
    void tidy() {
        size_t all = blocks.size() / LINE_WORDS, waste = totals[WASTE];
        if (waste < 1024 || waste < all / 3) return;
        Buffer<uint64_t> fresh;
        auto* each = reinterpret_cast<Partition*>(partitions.writable());
        uint32_t n = uint32_t(partitions.size() / PARTITION_WORDS);
        auto with_slack = [](uint32_t used) { return used + used / SLACK_PART; };
        try {
            size_t needed = 0;
            for (uint32_t a = 0; a < n; ++a)
                if (each[a].entries) needed += lines(with_slack(each[a].clauses), with_slack(each[a].entries));
            fresh.reserve_more(needed * LINE_WORDS);
        } catch (const std::bad_alloc&) {
            return;
        }
        for (uint32_t a = 0; a < n; ++a)
            if (each[a].entries) move_block(each[a], fresh, with_slack(each[a].clauses), with_slack(each[a].entries));
        blocks.swap(fresh);
        totals.set(WASTE, 0);
    }

    // Looks at clauses of partitions that the sample met, and moves those that have a much rarer attribute.
    void rearrange(const Clauses& c, const Sample& sample, int64_t budget) {
        std::vector<bool> seen(event_count.size());
        std::vector<std::pair<uint32_t, uint32_t>> moves;  // clause, pivot
        size_t n = sample.cells.size();
        uint64_t turn = mix(totals[LEARNED]);  // so that each time others come first
        for (size_t i = 0; i < n && budget > 0; ++i) {
            uint32_t attribute = sample.cells[(turn + i) % n].attribute;
            const Partition& p = partition(attribute);
            double often = visibility(attribute);
            if (seen[attribute] || !live_clauses(p) || often <= MARGIN) continue;
            seen[attribute] = true;
            Parts<const uint64_t> b = parts<const uint64_t>(blocks.data(), p);
            uint32_t looked = uint32_t(std::min<int64_t>(p.clauses, std::max<int64_t>(budget, LINEAR)));
            moves.clear();
            for (uint32_t k = 0, from = uint32_t(turn % p.clauses); k < looked; ++k) {
                uint32_t local = (from + k) % p.clauses;
                if (!b.needs[local]) continue;
                uint32_t better = pivot_of(c, b.clauses[local]);
                if (2 * visibility(better) + MARGIN < often) moves.push_back({b.clauses[local], better});
            }
            budget -= looked + MOVE_COST * int64_t(moves.size());
            for (auto [clause, better] : moves) {
                uint32_t local = clause_local[clause];
                uint32_t entries = count_entries(c, clause);
                const Partition& to = partition(better);
                reserve(lines_wanted(to, 1, entries), to.entries - to.sorted + entries);
                make_room(better, 1, entries);
                append(c, better, clause);
                drop(c, attribute, local, clause);
                settle(partition(better));
            }
        }
    }

    // A visit misses the caches about 30 times, which takes longer than all it computes; so two partitions ahead the
    // lines that are sure to be read are asked for, in two steps.
    static constexpr size_t AHEAD = 2;
    static void prefetch(const void* first, const void* last) noexcept {
        for (const char* at = static_cast<const char*>(first); at < last; at += 64) __builtin_prefetch(at);
    }
    void prefetch_directory(const Partition& p, const OpIndexPair& pair) const noexcept {
        if (!p.entries) return;
        Parts<const uint64_t> b = parts(blocks.data(), p);
        if (p.sorted) {
            prefetch(b.summaries, b.summaries + segments_);
            prefetch(b.directory + pair.segment, b.directory + pair.segment + 1);
        } else {
            prefetch(b.entries, b.entries + p.entries);
        }
        prefetch(b.needs, b.needs + std::min(p.clauses, 256u));
    }
    void prefetch_entries(const Partition& p, const OpIndexPair& pair) const noexcept {
        if (!p.sorted) return;
        Parts<const uint64_t> b = parts(blocks.data(), p);
        const Segment& in = b.directory[pair.segment];
        prefetch(b.entries + in.begin, b.entries + std::min(in.end, in.begin + 128));
        prefetch(b.clauses, b.clauses + std::min(p.clauses, 64u));
    }

    // The first of n entries of a segment that is not before this one.
    static const Entry* search(const Entry* base, size_t n, Operator op, uint32_t attribute, Key key) noexcept {
        uint64_t rank = uint64_t(op) << 32 | attribute;
        while (n > 0) {
            size_t half = n / 2;
            const Entry& e = base[half];
            uint64_t other = uint64_t(operator_of(e)) << 32 | e.attribute;
            bool before = (other < rank) | ((other == rank) & (e.key < key));
            base = before ? base + half + 1 : base;
            n = before ? n - half - 1 : half;
        }
        return base;
    }

    static bool satisfied(const Entry& e, Key key) noexcept {
        switch (operator_of(e)) {
            case EQUAL:
                return key == e.key;
            case AT_MOST:
                return key - 1 < e.key;  // an absent key, 0, is not
            default:
                return key >= e.key;
        }
    }

    // Lines 5-12 for one pivot. Returns how many predicates were evaluated.
    uint64_t match_partition(const Clauses& c, const Partition& p, OpIndexScratch& own, Scratch& s) const {
        Parts<const uint64_t> b = parts(blocks.data(), p);
        uint8_t* counts = own.counts.data();
        uint32_t *hits = own.hits.data(), hit_count = 0;
        uint64_t evaluated = 0;
        auto count = [&, needs = b.needs](const Entry& e) {
            uint32_t local = local_of(e);
            uint8_t left = uint8_t(++counts[local] ^ needs[local]);
            hits[hit_count] = local;
            hit_count += !(left & uint8_t(~ASK_STORE));
        };
        own.ranges.clear();
        auto count_all = [&](const Entry* first, const Entry* last) {
            if (first >= last) return;
            own.ranges.push_back({uint32_t(first - b.entries), uint32_t(last - b.entries)});
            evaluated += uint64_t(last - first);
            for (; first < last; ++first) count(*first);
        };
        if (p.sorted)
            for (const OpIndexPair& pair : own.pairs) {
                if (!(b.summaries[pair.segment] >> pair.summary_bit & 1)) continue;
                const Segment& in = b.directory[pair.segment];
                auto find = [&](Operator op, uint32_t attribute, Key key) {
                    return search(b.entries + in.begin, in.end - in.begin, op, attribute, key);
                };
                uint32_t a = pair.attribute;
                if (in.signature[EQUAL] >> pair.equal_bit & 1) {
                    const Entry *first = find(EQUAL, a, pair.key), *last = first, *end = b.entries + in.end;
                    while (last < end && last->attribute == a && last->key == pair.key && operator_of(*last) == EQUAL)
                        ++last;
                    count_all(first, last);
                }
                if (in.signature[AT_MOST] >> pair.attribute_bit & 1)
                    count_all(find(AT_MOST, a, pair.key), find(AT_MOST, a + 1, KEY_ABSENT));
                if (in.signature[AT_LEAST] >> pair.attribute_bit & 1) {
                    const Entry* last =
                        pair.key == KEY_HIGHEST ? find(AT_LEAST, a + 1, KEY_ABSENT) : find(AT_LEAST, a, pair.key + 1);
                    count_all(find(AT_LEAST, a, KEY_ABSENT), last);
                }
            }
        const Key* table = s.event.table.data();
        for (uint32_t i = p.sorted; i < p.entries; ++i)
            if (satisfied(b.entries[i], table[b.entries[i].attribute])) count(b.entries[i]);
        evaluated += p.entries - p.sorted;
        own.ranges.push_back({p.sorted, p.entries});
        for (uint32_t i = 0; i < hit_count; ++i) {
            uint32_t clause = b.clauses[hits[i]];
            if (b.needs[hits[i]] & ASK_STORE && !rest_holds(c, clause, s.event, evaluated)) continue;
            __builtin_prefetch(&c.owner[clause]);
            own.found.push_back(clause);
        }
        if (p.clauses <= 256 + 16 * evaluated) {  // 16 counters are cleared in the time of one entry
            std::memset(counts, 0, p.clauses);
        } else {
            for (auto [first, last] : own.ranges)
                for (uint32_t i = first; i < last; ++i) counts[local_of(b.entries[i])] = 0;
        }
        return evaluated;
    }

    std::string check_partitions(const Clauses& c) const {
        size_t n = partitions.size() / PARTITION_WORDS;
        if (partitions.size() % PARTITION_WORDS || event_count.size() != n || expression_count.size() != n ||
            n > c.attributes || totals.size() != 3 || blocks.size() % LINE_WORDS)
            return "1: lengths";
        std::vector<std::pair<size_t, size_t>> used;
        size_t lines_used = 0;
        for (uint32_t a = 0; a < n; ++a) {
            const Partition& p = partition(a);
            std::string at = " of partition " + std::to_string(a);
            if (!p.entry_capacity) {
                if (p.clauses || p.entries || p.sorted) return "1: no block" + at;
                continue;
            }
            size_t end = size_t(p.block) + lines(p.clause_capacity, p.entry_capacity);
            if (end > blocks.size() / LINE_WORDS || p.clauses > p.clause_capacity || p.entries > p.entry_capacity ||
                p.sorted > p.entries || p.dead_clauses >= p.clauses || p.dead_entries >= p.entries)
                return "1: sizes" + at;
            used.push_back({p.block, end});
            lines_used += end - p.block;
            std::string problem = check_entries(p);
            if (!problem.empty()) return problem + at;
        }
        std::sort(used.begin(), used.end());
        for (size_t i = 1; i < used.size(); ++i)
            if (used[i].first < used[i - 1].second) return "1: blocks overlap";
        if (lines_used + totals[WASTE] != blocks.size() / LINE_WORDS) return "1: lines of no partition";
        return "";
    }
    std::string check_entries(const Partition& p) const {
        Parts<const uint64_t> b = parts(blocks.data(), p);
        if (p.sorted && !b.summaries) return "3: sorted entries without a directory";
        uint32_t tail = p.entries - p.sorted;
        if (tail > std::max(LINEAR, p.sorted / TAIL_PART)) return "5: a long tail";
        for (uint32_t i = 0; i < p.entries; ++i)
            if (local_of(b.entries[i]) >= p.clauses) return "2: an entry of no clause";
        if (!p.sorted) return "";
        uint32_t end = 0;
        for (uint32_t i = 0; i < segments_; ++i) {
            const Segment& in = b.directory[i];
            if (in.begin == in.end) continue;
            if (in.begin != end || in.end < in.begin || in.end > p.sorted) return "3: segments";
            end = in.end;
            for (uint32_t j = in.begin; j < end; ++j) {
                const Entry& e = b.entries[j];
                uint64_t hash = mix(e.attribute);
                if (segment(hash) != i) return "3: an entry in the segment of others";
                if (j && ranked(e) < ranked(b.entries[j - 1])) return "3: order";
                if (!(in.signature[operator_of(e)] >> signature_bit(e, hash) & 1) ||
                    !(b.summaries[i] >> summary_bit(hash) & 1))
                    return "4: signature";
            }
        }
        return end == p.sorted ? "" : "3: segments";
    }
    std::string check_clauses(const Clauses& c) const {
        if (clause_pivot.size() != c.count || clause_local.size() != c.count) return "1: lengths";
        std::vector<uint32_t> frequency(expression_count.size());
        std::vector<uint32_t> clauses(frequency.size());
        std::vector<std::vector<std::vector<Ranked>>> found(frequency.size());  // by partition and clause in it
        uint64_t live = 0;
        for (uint32_t a = 0; a < frequency.size(); ++a) {
            const Partition& p = partition(a);
            if (!p.entries) continue;
            Parts<const uint64_t> b = parts(blocks.data(), p);
            found[a].resize(p.clauses);
            uint32_t dead = 0, dead_entries = 0;
            for (uint32_t i = 0; i < p.clauses; ++i) dead += !b.needs[i];
            for (uint32_t i = 0; i < p.entries; ++i) {
                dead_entries += !b.needs[local_of(b.entries[i])];
                found[a][local_of(b.entries[i])].push_back(ranked(b.entries[i]));
            }
            if (dead != p.dead_clauses || dead_entries != p.dead_entries)
                return "6: dead ones of partition " + std::to_string(a);
        }
        for (uint32_t clause = 0; clause < c.count; ++clause) {
            std::string at = " of clause " + std::to_string(clause);
            uint32_t pivot = clause_pivot[clause], local = clause_local[clause];
            if (c.owner[clause] == DEAD || in_conjunctive_form(c, clause)) {
                if (pivot != NONE || local != NONE) return "2: the place of one that has none," + at;
                continue;
            }
            if (pivot >= frequency.size() || local >= partition(pivot).clauses) return "2: place" + at;
            Parts<const uint64_t> b = parts(blocks.data(), partition(pivot));
            if (b.clauses[local] != clause) return "2: place" + at;
            bool required = false;
            for (uint32_t i = c.begin[clause]; i < c.begin[clause + 1]; ++i) {
                if ((c.head[i] & KIND_MASK) == PREDICATE_ABSENT) continue;
                ++frequency[c.head[i] >> KIND_BITS];
                required |= c.head[i] >> KIND_BITS == pivot;
            }
            if (!required) return "2: pivot" + at;
            std::vector<Ranked> expected;
            uint8_t need = each_entry(c, clause, [&](uint32_t attribute, uint32_t op, Key key) {
                expected.push_back(ranked({key, attribute, local << 2 | op}));
            });
            if (b.needs[local] != need) return "6: counter" + at;
            std::vector<Ranked>& there = found[pivot][local];
            std::sort(expected.begin(), expected.end());
            std::sort(there.begin(), there.end());
            auto same = [](const Ranked& x, const Ranked& y) { return !(x < y) && !(y < x); };
            if (!std::equal(there.begin(), there.end(), expected.begin(), expected.end(), same))
                return "6: entries" + at;
            ++live;
            ++clauses[pivot];
        }
        for (uint32_t a = 0; a < frequency.size(); ++a) {
            if (frequency[a] != expression_count[a]) return "7: frequency of attribute " + std::to_string(a);
            if (clauses[a] != live_clauses(partition(a))) return "2: clauses of partition " + std::to_string(a);
        }
        return live == totals[LIVE] ? "" : "7: number of clauses";
    }

    Buffer<uint32_t> partitions, clause_pivot, clause_local, event_count, expression_count;
    Buffer<uint64_t> blocks, totals;
    uint32_t segments_;
    std::vector<Ranked> sorting_;  // reserved before a change, so that merging cannot fail
};

}  // namespace boolsieve
