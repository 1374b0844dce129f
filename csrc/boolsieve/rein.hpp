// REIN: the index of engines/rein.pyx, which tells the idea, the buffers and the invariants.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "buffer.hpp"
#include "candidates.hpp"
#include "clauses.hpp"
#include "dense_clauses.hpp"
#include "lists.hpp"
#include "scratch.hpp"
#include "slots.hpp"
#include "word_sets.hpp"

namespace boolsieve {

struct ReinScratch : EngineScratch {
    std::vector<uint64_t> unmarked;  // a bit a place
};

class ReinIndex {
  public:
    static constexpr uint32_t NONE = 0xFFFFFFFFu;
    enum Side : uint32_t { LOW, HIGH, SIDES };
    // Entries a bucket, unless a number of buckets is given. At 100,000 expressions of DEXIN's workload an event takes
    // 555, 538 and 558 us with 128, 512 and 2,048.
    static constexpr size_t ENTRIES_A_BUCKET = 512;
    // A bucket is split when it holds SKEW times its share or up to twice that, and not below SPLIT_LEAST.
    static constexpr size_t SKEW = 2, SPLIT_LEAST = 64;

    uint32_t buckets = 0;  // of each list; 0: by the number of entries

    void insert(const Clauses& c, uint32_t first, uint32_t count) {
        if (dense.full(count)) {
            ReinIndex fresh;
            fresh.buckets = buckets;
            fresh.build(c, first + count);
            *this = std::move(fresh);
            return;
        }
        uint32_t x = first;
        try {
            for (; x < first + count; ++x) add(c, x);
        } catch (...) {
            while (x-- > first) take_back(c, x);
            throw;
        }
    }
    // Marking a clause that is gone does no harm, so its entries stay until all is built anew.
    void remove(uint32_t first, uint32_t count) {
        for (uint32_t x = first; x < first + count; ++x) {
            uint32_t place = dense.place_of(x);
            if (place != NONE) dense.bits.put(DenseClauses::LIVE, place, false);
        }
    }

    void match(const Clauses& c, Scratch& s) const {
        ++s.counters.events;
        CandidateCheck check(c, s);
        dense.match_filed(s, check);
        if (!dense.places()) return;
        const BitPanels& bits = dense.bits;
        size_t breadth = bits.breadth(), panels = bits.panels();
        ReinScratch& own = s.own<ReinScratch>();
        if (own.unmarked.size() < panels * breadth) own.unmarked.resize(panels * breadth);
        uint64_t* unmarked = own.unmarked.data();
        for (size_t i = 0; i < panels; ++i)
            std::memcpy(unmarked + i * breadth, bits.part(i, DenseClauses::LIVE), breadth * sizeof(uint64_t));
        uint64_t compared = 0;
        for (uint32_t k = 0; k < dense.columns(); ++k) {
            Key key = s.event.table[dense.column_attribute.data()[k]];
            if (key != KEY_ABSENT) {
                compared += mark(k, key, unmarked);
                continue;
            }
            for (size_t i = 0; i < panels; ++i)
                take_out_words(unmarked + i * breadth, bits.part(i, DenseClauses::NEEDS + k), breadth);
        }
        s.counters.predicates += compared;
        const uint32_t* clause = dense.clause_at.data();
        for (size_t i = 0; i < panels; ++i) {
            const uint64_t* unsure = bits.part(i, DenseClauses::UNDECIDED);
            uint32_t first = uint32_t(i * breadth * 64);
            each_bit(unmarked + i * breadth, breadth, [&](uint32_t at) {
                if (unsure[at >> 6] >> (at & 63) & 1)
                    check.add(clause[first + at]);
                else
                    check.report(clause[first + at]);
            });
        }
    }

    template <class F>
    void each_buffer(F f) {
        auto within = [&](const char* prefix, auto& holder) {
            holder.each_buffer(
                [&](const char* name, auto& buffer) { f((std::string(prefix) + name).c_str(), buffer); });
        };
        within("dense.", dense);
        within("buckets.", directory);
        f("entries", entries);
        within("keys.", keys);
        within("places.", places);
    }

    // The number of the first invariant that does not hold, or an empty text. For tests.
    std::string check(const Clauses& c) const {
        std::string problem = dense.check(c);
        if (!problem.empty()) return problem;
        const char* broken = directory.check();
        if (!broken) broken = keys.check();
        if (!broken) broken = places.check();
        if (broken) return std::string("5: within: ") + broken;
        if (directory.count() != dense.columns() * SIDES || entries.size() != directory.count() ||
            keys.count() != places.count())
            return "5: lengths";
        std::vector<std::vector<std::pair<Key, uint32_t>>> found(directory.count());
        size_t used = 0;
        for (uint32_t list = 0; list < directory.count(); ++list) {
            uint32_t n = directory.size(list);
            if (!n || bound_of(list, 0)) return "6: the first bucket";
            for (uint32_t i = 1; i < n; ++i)
                if (bound_of(list, i - 1) >= bound_of(list, i)) return "6: bounds do not rise";
            for (uint32_t i = 0; i < n; ++i, ++used) {
                uint32_t bucket = bucket_of(list, i);
                if (bucket >= keys.count() || keys.size(bucket) != places.size(bucket)) return "6: a bucket";
                for (uint32_t j = 0; j < keys.size(bucket); ++j) {
                    Key key = key_at(keys.items(bucket), j);
                    if (find_bucket(list, key) != i) return "7: a key in a bucket that is not its own";
                    found[list].push_back({key, places.items(bucket)[j]});
                }
            }
            if (entries[list] != found[list].size()) return "7: number of entries";
        }
        if (used != keys.count()) return "6: a bucket that is in no list";
        for (auto& list : found) std::sort(list.begin(), list.end());
        std::vector<size_t> living(found.size(), 0);
        for (uint32_t place = 0; place < dense.places(); ++place) {
            uint32_t x = dense.clause_at[place];
            if (c.owner[x] == DEAD) continue;
            if (dense.bits.has(DenseClauses::UNDECIDED, place) != undecided(c, x)) return "8: what is undecided";
            each_entry(c, x, [&](uint32_t list, Key key) {
                if (!std::binary_search(found[list].begin(), found[list].end(), std::make_pair(key, place)))
                    problem = "8: a clause without its entries";
                ++living[list];
            });
            if (!problem.empty()) return problem;
        }
        for (uint32_t list = 0; list < found.size(); ++list) {
            for (auto& entry : found[list]) {
                if (entry.second >= dense.places()) return "8: an entry without a clause";
                living[list] += c.owner[dense.clause_at[entry.second]] == DEAD;
            }
            if (living[list] != found[list].size()) return "8: an entry that no clause calls for";
        }
        return "";
    }

  private:
    // --- Buckets. The directory of a list is an array of (first key, bucket). ---

    static Key key_at(const uint32_t* words, uint32_t i, uint32_t stride = 2) noexcept {
        const uint32_t* at = words + size_t(i) * stride;
        return Key(at[1]) << 32 | at[0];
    }
    Key bound_of(uint32_t list, uint32_t i) const noexcept { return key_at(directory.items(list), i, 3); }
    uint32_t bucket_of(uint32_t list, uint32_t i) const noexcept { return directory.items(list)[size_t(i) * 3 + 2]; }
    uint32_t find_bucket(uint32_t list, Key key) const noexcept {
        uint32_t at = 0, n = directory.size(list);
        while (n > 1) {
            uint32_t half = n / 2;
            at = bound_of(list, at + half) <= key ? at + half : at;
            n -= half;
        }
        return at;
    }
    // Marks what the column excludes; returns how many entries were compared.
    uint32_t mark(uint32_t column, Key key, uint64_t* unmarked) const noexcept {
        auto mark_all = [&](uint32_t bucket) {
            const uint32_t* at = places.items(bucket);
            for (const uint32_t* end = at + places.size(bucket); at < end; ++at)
                unmarked[*at >> 6] &= ~(uint64_t(1) << (*at & 63));
        };
        auto mark_some = [&](uint32_t bucket, auto excluded) {
            const uint32_t *at = places.items(bucket), *key_words = keys.items(bucket);
            uint32_t n = places.size(bucket);
            for (uint32_t i = 0; i < n; ++i)  // without a branch, which would be a coin toss
                unmarked[at[i] >> 6] &= ~(uint64_t(excluded(key_at(key_words, i))) << (at[i] & 63));
            return n;
        };
        uint32_t list = column * SIDES + LOW, here = find_bucket(list, key);
        uint32_t compared = mark_some(bucket_of(list, here), [key](Key low) { return low > key; });
        for (uint32_t i = here + 1, n = directory.size(list); i < n; ++i) mark_all(bucket_of(list, i));
        list = column * SIDES + HIGH;
        here = find_bucket(list, key);
        for (uint32_t i = 0; i < here; ++i) mark_all(bucket_of(list, i));
        return compared + mark_some(bucket_of(list, here), [key](Key high) { return high < key; });
    }

    // --- What a clause has in the index ---

    template <class F>
    void each_entry(const Clauses& c, uint32_t clause, F f) const {
        for (uint32_t p = c.begin[clause]; p < c.begin[clause + 1]; ++p) {
            uint32_t column = dense.column_of.find(c.head[p] >> KIND_BITS);
            Key low, high;
            if (column == IntMap::NONE || !hull_of(c, p, low, high)) continue;
            if (low > KEY_LOWEST) f(column * SIDES + LOW, low);
            if (high < KEY_HIGHEST) f(column * SIDES + HIGH, high);
        }
    }
    static bool undecided(const Clauses& c, uint32_t clause) noexcept {
        for (uint32_t p = c.begin[clause]; p < c.begin[clause + 1]; ++p)
            if ((c.head[p] & KIND_MASK) != PREDICATE_RANGE) return true;
        return false;
    }

    // --- Updates ---

    void add(const Clauses& c, uint32_t clause) {
        if (!dense.is_dense(c, clause)) {
            dense.file(c, clause);
            return;
        }
        uint32_t place = dense.add_place(c, clause);
        dense.set_undecided(place, undecided(c, clause));
        try {
            each_entry(c, clause, [&](uint32_t list, Key key) { add_entry(list, key, place); });
        } catch (...) {
            withdraw(c, clause, place);
            throw;
        }
    }
    void take_back(const Clauses& c, uint32_t clause) {
        uint32_t place = dense.place_of(clause);
        if (place == NONE)
            dense.take_back_filed(c, clause);
        else
            withdraw(c, clause, place);
    }
    void withdraw(const Clauses& c, uint32_t clause, uint32_t place) {
        each_entry(c, clause, [&](uint32_t list, Key key) { drop_entry(list, key, place); });
        dense.set_undecided(place, false);
        dense.drop_last_place(c);
    }
    void add_entry(uint32_t list, Key key, uint32_t place) {
        uint32_t at = find_bucket(list, key), bucket = bucket_of(list, at), n = keys.size(bucket);
        uint32_t words[2] = {uint32_t(key), uint32_t(key >> 32)};
        keys.reserve(bucket, n + 1);
        places.push(bucket, &place);
        keys.push(bucket, words);
        entries.set(list, entries[list] + 1);
        ++n;
        // Only at powers of two, so that equal keys, which cannot be split, are looked at seldom.
        if (n >= SPLIT_LEAST && !(n & (n - 1)) && n >= SKEW * (entries[list] / directory.size(list))) split(list, at);
    }
    void drop_entry(uint32_t list, Key key, uint32_t place) {
        uint32_t bucket = bucket_of(list, find_bucket(list, key)), n = keys.size(bucket);
        uint32_t *at = places.writable(bucket), *words = keys.writable(bucket);
        for (uint32_t i = n; i-- > 0;) {
            if (at[i] != place || key_at(words, i) != key) continue;
            at[i] = at[n - 1];
            std::memcpy(words + size_t(i) * 2, words + size_t(n - 1) * 2, 2 * sizeof(uint32_t));
            places.shorten(bucket, n - 1);
            keys.shorten(bucket, n - 1);
            entries.set(list, entries[list] - 1);
            return;
        }
    }
    // Splits a bucket at its median, or above its least key if that is the median; not at all if its keys are equal.
    void split(uint32_t list, uint32_t at) {
        uint32_t bucket = bucket_of(list, at), n = keys.size(bucket);
        std::vector<Key> all;
        for (uint32_t i = 0; i < n; ++i) all.push_back(key_at(keys.items(bucket), i));
        Key least = *std::min_element(all.begin(), all.end());
        std::nth_element(all.begin(), all.begin() + n / 2, all.end());
        Key cut = all[n / 2];
        if (cut == least) {
            cut = KEY_HIGHEST;
            for (Key key : all)
                if (key > least) cut = std::min(cut, key);
            if (cut == KEY_HIGHEST) return;  // a high end is never that, a low end there is as rare as it is harmless
        }
        uint32_t count = directory.size(list);
        directory.reserve(list, count + 1);
        uint32_t fresh = keys.add();
        places.add();
        uint32_t moved = 0;
        for (uint32_t i = 0; i < n; ++i) moved += key_at(keys.items(bucket), i) >= cut;
        keys.reserve(fresh, moved);
        places.reserve(fresh, moved);
        uint32_t kept = 0;
        for (uint32_t i = 0; i < n; ++i) {
            uint32_t* words = keys.writable(bucket) + size_t(i) * 2;
            uint32_t place = places.items(bucket)[i], copy[2] = {words[0], words[1]};
            if (key_at(copy, 0) >= cut) {
                keys.push(fresh, copy);
                places.push(fresh, &place);
                continue;
            }
            std::memcpy(keys.writable(bucket) + size_t(kept) * 2, copy, sizeof copy);
            places.writable(bucket)[kept++] = place;
        }
        keys.shorten(bucket, kept);
        places.shorten(bucket, kept);
        uint32_t item[3] = {uint32_t(cut), uint32_t(cut >> 32), fresh};
        directory.push(list, item);
        uint32_t* items = directory.writable(list) + size_t(at + 1) * 3;
        std::memmove(items + 3, items, size_t(count - at - 1) * sizeof item);
        std::memcpy(items, item, sizeof item);
    }

    // --- Building ---

    void build(const Clauses& c, uint32_t end) {
        std::vector<uint32_t> clauses;
        for (uint32_t x = 0; x < end; ++x)
            if (c.owner[x] != DEAD) clauses.push_back(x);
        dense.choose(c, clauses);
        std::vector<uint32_t> dense_clauses;
        entries.resize(dense.columns() * SIDES, 0);
        for (uint32_t x : clauses) {
            if (!dense.is_dense(c, x)) {
                dense.file(c, x);
                continue;
            }
            dense_clauses.push_back(x);
            each_entry(c, x, [&](uint32_t list, Key) { entries.set(list, entries[list] + 1); });
        }
        dense.open_bits(0, dense_clauses.size());
        dense.clause_at.reserve_more(dense_clauses.size());
        for (uint32_t x : dense_clauses) dense.set_undecided(dense.add_place(c, x), undecided(c, x));
        std::vector<size_t> begin(entries.size() + 1, 0);
        for (size_t i = 0; i < entries.size(); ++i) begin[i + 1] = begin[i] + entries[i];
        std::vector<Key> all_keys(begin.back());
        std::vector<uint32_t> all_places(begin.back());
        std::vector<size_t> next(begin.begin(), begin.end() - 1);
        for (uint32_t i = 0; i < dense_clauses.size(); ++i)
            each_entry(c, dense_clauses[i], [&](uint32_t list, Key key) {
                all_keys[next[list]] = key;
                all_places[next[list]++] = i;
            });
        for (uint32_t list = 0; list < entries.size(); ++list)
            fill(all_keys.data() + begin[list], all_places.data() + begin[list], entries[list]);
    }
    // The next list, with its buckets.
    void fill(const Key* list_keys, const uint32_t* list_places, size_t n) {
        std::vector<Key> operands(list_keys, list_keys + n);
        std::vector<Key> bounds = slot_bounds(operands, buckets ? buckets : n / ENTRIES_A_BUCKET + 1);
        uint32_t count = uint32_t(bounds.size()), first = keys.count(), list = directory.add();
        directory.reserve(list, count);
        for (uint32_t i = 0; i < count; ++i) {
            uint32_t item[3] = {uint32_t(bounds[i]), uint32_t(bounds[i] >> 32), first + i};
            directory.push(list, item);
        }
        std::vector<uint32_t> lengths(count, 0), bucket(n);
        for (size_t i = 0; i < n; ++i) ++lengths[bucket[i] = slot_of(bounds.data(), count, list_keys[i])];
        keys.add_full(lengths);
        places.add_full(lengths);
        std::fill(lengths.begin(), lengths.end(), 0);
        for (size_t i = 0; i < n; ++i) {
            uint32_t at = lengths[bucket[i]]++, words[2] = {uint32_t(list_keys[i]), uint32_t(list_keys[i] >> 32)};
            std::memcpy(keys.writable(first + bucket[i]) + size_t(at) * 2, words, sizeof words);
            places.writable(first + bucket[i])[at] = list_places[i];
        }
    }

    DenseClauses dense;
    Lists<3> directory;
    Buffer<uint32_t> entries;
    Lists<2> keys;
    Lists<1> places;
};

}  // namespace boolsieve
