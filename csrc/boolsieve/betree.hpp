// BE-Tree: space cut by attributes (p-nodes) and by ranges of an attribute's keys (c-nodes), in turns.
// The engine's file (engines/betree.pyx) tells the paper, the buffers, the invariants and the costs; betree_leaf.hpp
// has the l-nodes.
//
//   cluster (the root, no bucket)          l-node: clauses         p-directory: attribute -> top bucket
//                                                                    |
//   cluster (top bucket) = p-node          l-node                    v   base, bits, attribute, clauses
//     |- cluster (bucket in its lower half)   l-node   p-directory
//     |- cluster (bucket in its upper half)   ...
//
// A bucket is a cell of a grid over 2^bits offsets (a key less the base): level 0 is one offset, level l has 2^l. The
// grid does not depend on what was inserted; of its cells only those exist that are needed to tell clauses apart.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "betree_leaf.hpp"
#include "buffer.hpp"
#include "clauses.hpp"
#include "int_map.hpp"
#include "lists.hpp"
#include "scratch.hpp"

namespace boolsieve {

// A c-node, with its bucket; the top bucket of a c-directory is also the p-node.
struct BETreeCluster {
    uint64_t first;       // offset at which the cell begins
    uint64_t base;        // top: the key of offset 0
    uint32_t child[2];    // buckets in the lower and in the upper half, or NONE
    uint32_t above;       // the bucket above; of a top bucket, the cluster whose p-directory it is in
    uint32_t top;         // the top bucket of the same c-directory; NONE for the root
    uint32_t entries;     // live clauses in the l-node
    uint32_t dead;        // units in the l-node that belong to removed clauses
    uint32_t capacity;    // of the l-node, in clauses
    uint32_t directory;   // the p-directory in `directories`, or NONE
    uint32_t attribute;   // top: of the p-node
    uint32_t clauses;     // top: live clauses here and below
    uint32_t place;       // top: in the p-directory
    uint8_t level, bits;  // log2 of the cell's size; top: of the domain's
    uint8_t split;        // whether the bucket was split: then its clauses meet both halves
    uint8_t unused;
};

// The keys that the offsets 1 to last() - 1 stand for; 0 and last() stand for all that is below and above.
struct BETreeDomain {
    Key base;
    uint32_t bits;

    uint64_t last() const noexcept { return bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1; }
    uint64_t offset(Key key) const noexcept { return key <= base ? 0 : std::min<uint64_t>(key - base, last()); }
    bool holds(Key key) const noexcept { return bits == 64 || (key > base && key - base < last()); }
    Key first_key(uint64_t offset) const noexcept { return offset == 0 ? KEY_LOWEST : base + offset; }
    Key last_key(uint64_t offset) const noexcept {
        return offset >= last() || offset > KEY_HIGHEST - base ? KEY_HIGHEST : base + offset;
    }
    // The smallest one for these keys.
    static BETreeDomain of(Key low, Key high) noexcept {
        if (low > high) return {0, 0};
        uint64_t most = high - (low - 1) + 1;  // last() must be at least this
        uint32_t bits = most ? 64 - uint32_t(__builtin_clzll(most)) : 64;
        return bits == 64 ? BETreeDomain{0, 64} : BETreeDomain{low - 1, bits};
    }
};

// The interval of a predicate (table 1): which keys of the attribute may satisfy it.
struct BETreeHull {
    uint32_t attribute;
    Key low, high;
};

// Where an event is that leaves the attribute open: in these of the ranges' spans, which reach from `low` to `high`. A
// plain key has no spans, and is both.
struct BETreeReach {
    Key low, high;
    uint32_t begin, end;
};

template <class Place>
struct BETreeVisit {
    uint32_t cluster;
    Place place;
};

struct BETreeScratch : EngineScratch {
    std::vector<BETreeVisit<uint64_t>> visits;  // of plain events; the other ones are of those with ranges
    std::vector<BETreeVisit<BETreeReach>> reaches;
    std::vector<uint32_t> leaves;
};

class BETreeCore {
    using Cluster = BETreeCluster;
    using Domain = BETreeDomain;
    using Hull = BETreeHull;
    using Reach = BETreeReach;
    using Step = BETreeStep;
    using Unit = BETreeUnit;

  public:
    static constexpr uint32_t NONE = 0xFFFFFFFFu;
    static constexpr uint32_t ELSEWHERE = NONE - 1;
    static constexpr uint32_t ROOT = 0;
    // From this many partitions on, a directory takes those of a single clause: it is large beside the events, which
    // then look their attributes up in it, so that one partition more costs them nothing.
    static constexpr uint32_t LARGE_DIRECTORY = 64;
    // P-nodes on a way. Ten attributes that half of the events have would leave one event in a thousand; more levels
    // only make clauses that are alike, and have very many predicates, slow to place.
    static constexpr uint32_t MOST_PARTITIONS = 16;
    // Table 4: capacities for match rates below 1 percent, below 10 percent, and above.
    static constexpr uint32_t CAPACITY[3] = {5, 20, 160};
    // A partition must keep this part of the events from a clause, or it is not worth the way.
    static constexpr double WORTH = 0.25;
    // A clause waits in the l-node for a partition on an attribute that is so many times better than the best there is.
    static constexpr double EXPLORE = 4;
    // When the l-node overflows, those that go on waiting are at most this part of the clauses below.
    static constexpr uint32_t EXPLORE_PART = 256;
    // What expressions say of how often events have an attribute counts as much as this many events.
    static constexpr double PRIOR_EVENTS = 16;
    // Events whose attributes are counted before all counts are halved, so that old ones fade.
    static constexpr uint64_t WINDOW = 4096;
    // Of the 256 events of a sample so many are matched again, to rank the l-nodes.
    static constexpr uint32_t RANKED_EVENTS = 64;
    // Units of the next l-node that are asked for while one is checked: about what 20 clauses have.
    static constexpr uint32_t PREFETCHED_UNITS = 160;
    // For each event of a sample so many clauses are looked at, and one is moved. That takes 3 microseconds, about as
    // much as an event at least, and from the seventh sample on only every 64th event is in one.
    static constexpr uint32_t LOOKS = 4;
    // A clause that is not where it would be put now moves if that is reached by so much fewer events.
    static constexpr double MOVE_GAIN = 2;

    // A capacity of 0 follows the match rate.
    BETreeCore(uint32_t capacity, uint32_t min_size) : fixed_capacity_(capacity), min_size_(min_size) {
        totals.resize(TOTALS, 0);
        totals.set(MAX_CAPACITY, capacity ? capacity : CAPACITY[1]);
        add_cluster();
        leaves.reserve(ROOT, 1);  // from here on, giving back memory needs none
    }

    // Into an empty tree all at once (BE-B), else one by one (BE).
    void insert(const Clauses& c, uint32_t first, uint32_t count) {
        size_t before = clause_cluster.size();
        auto forget_places = [&]() {
            clause_cluster.resize(std::min(clause_cluster.size(), before));
            clause_place.resize(std::min(clause_place.size(), before));
        };
        try {
            grow(c.attributes);
            clause_cluster.resize(size_t(first) + count, NONE);
            clause_place.resize(size_t(first) + count, 0);
        } catch (...) {
            forget_places();
            throw;
        }
        bool batch = !totals[LIVE] && count > max_capacity();
        tally(c, first, count, 1);
        uint32_t done = first;
        try {
            if (batch) {
                std::vector<uint32_t> all(count);
                for (uint32_t i = 0; i < count; ++i) all[i] = first + i;
                cut(c, ROOT, std::move(all));
            } else {
                for (; done < first + count; ++done) {
                    insert_one(c, ROOT, done, NONE);
                    settle(c);
                }
            }
        } catch (...) {
            for (uint32_t clause = first; clause < done; ++clause) take_out(c, clause);
            tally(c, first, count, uint32_t(-1));
            pending_.clear();
            forget_places();
            throw;
        }
        settle(c);
    }

    void remove(const Clauses& c, uint32_t first, uint32_t count) {
        tally(c, first, count, uint32_t(-1));
        for (uint32_t clause = first; clause < first + count; ++clause) take_out(c, clause);
        settle(c);
    }

    void match(const Clauses& c, Scratch& s) const {
        uint64_t predicates = 0, candidates = 0;
        visit(c, s.event, s.own<BETreeScratch>(), [&](uint32_t, const Unit& entry, uint32_t looked, bool holds) {
            ++candidates;
            predicates += looked;
            if (holds && entry.extra != DEAD) s.found.add(entry.extra);
        });
        s.counters.events += 1;
        s.counters.predicates += predicates;
        s.counters.candidates += candidates;
    }

    // As match, for an event that leaves values open. Units decide what is about plain attributes, and on a way without
    // open ones that is all of a clause, unless it needs an open one, or the store, to be decided: then its predicates
    // in the store are.
    void match_ranges(const Clauses& c, Scratch& s) const {
        auto& own = s.own<BETreeScratch>();
        uint64_t predicates = 0, candidates = 0;
        descend(SpanDescent{s.event, s.ranges, clusters.data()}, own.reaches, own.leaves);
        each_leaf(own.leaves, [&](uint32_t cluster, const Unit* first, const Unit* end) {
            bool open_way = false, open = false;
            for (uint32_t up = cluster; at(up).top != NONE && !open_way; up = at(at(up).top).above)
                open_way = find_open(s.ranges, at(at(up).top).attribute);
            auto is_open = [&](const Unit& unit) {
                bool is = find_open(s.ranges, unit.head >> 4);
                open |= is;
                return is;
            };
            betree_check(c, first, end, s.event, is_open, [&](const Unit& entry, uint32_t looked, bool may_hold) {
                bool decided = !open_way && !open;
                open = false;
                ++candidates;
                predicates += looked;
                if (!may_hold || entry.extra == DEAD) return;
                if (!decided || betree_needs_store(&entry)) {
                    uint32_t p = c.begin[entry.head], last = c.begin[entry.head + 1];
                    if (s.ranges.first_failure(c, p, last, s.event) < last ||
                        !s.ranges.clause_holds(c, entry.head, s.event))
                        return;
                }
                s.found.add(entry.extra);
            });
        });
        s.counters.events += 1;
        s.counters.predicates += predicates;
        s.counters.candidates += candidates;
    }

    // Section 5: counts attributes, sets the capacity, ranks the l-nodes that the events got to and recycles those
    // whose loss is greater than their gain.
    void learn(const Clauses& c, const Sample& sample) {
        grow(c.attributes);
        uint32_t* counts = event_count.writable();
        for (const Cell& cell : sample.cells) ++counts[cell.attribute];
        uint64_t& learned = totals.writable()[LEARNED];
        learned += sample.events;
        if (learned > WINDOW) {
            learned /= 2;
            for (size_t a = 0; a < event_count.size(); ++a) counts[a] /= 2;
        }
        recycle(c, rank(c, sample), sample.events);
    }

    template <class F>
    void each_buffer(F f) {
        f("clusters", clusters);
        leaves.each_buffer([&](const char* name, BufferBase& buffer) { f(named("leaves.", name).c_str(), buffer); });
        directories.each_buffer(
            [&](const char* name, BufferBase& buffer) { f(named("directories.", name).c_str(), buffer); });
        partitions.each_buffer(
            [&](const char* name, BufferBase& buffer) { f(named("partitions.", name).c_str(), buffer); });
        f("clause_cluster", clause_cluster);
        f("clause_place", clause_place);
        f("attribute_low", attribute_low);
        f("attribute_high", attribute_high);
        f("expression_count", expression_count);
        f("event_count", event_count);
        f("totals", totals);
    }

    // The first invariant that does not hold, or nothing. For tests.
    std::string check(const Clauses& c) const {
        std::string problem = check_nodes();
        return problem.empty() ? check_clauses(c) : problem;
    }

  private:
    static constexpr uint32_t CLUSTER_WORDS = sizeof(Cluster) / sizeof(uint32_t);
    enum Total : uint32_t { LIVE, LEARNED, MAX_CAPACITY, TOTALS };  // clauses; events, halved with the counts

    struct Job {  // clauses that are to be placed in a cluster and below
        uint32_t cluster;
        std::vector<uint32_t> members;
    };
    struct Vote {
        uint32_t attribute, member;
        double reach;
    };

    static std::string named(const char* prefix, const char* name) { return std::string(prefix) + name; }
    uint32_t max_capacity() const noexcept { return uint32_t(totals.data()[MAX_CAPACITY]); }
    Cluster& at(uint32_t cluster) { return reinterpret_cast<Cluster*>(clusters.writable())[cluster]; }
    const Cluster& at(uint32_t cluster) const {
        BOOLSIEVE_CHECK(size_t(cluster) * CLUSTER_WORDS < clusters.size());
        return reinterpret_cast<const Cluster*>(clusters.data())[cluster];
    }
    const Unit* units(uint32_t cluster) const noexcept { return reinterpret_cast<const Unit*>(leaves.items(cluster)); }
    static uint32_t length_of(const Unit& entry) noexcept { return uint32_t(entry.operand); }
    static uint64_t slot_of(uint32_t cluster, uint32_t attribute) noexcept {
        return uint64_t(cluster) << 32 | attribute;
    }
    static bool inside(uint64_t offset, const Cluster& k) noexcept {
        return k.level >= 64 || (offset ^ k.first) >> k.level == 0;
    }
    static uint32_t side_of(uint64_t offset, uint32_t level) noexcept { return uint32_t(offset >> (level - 1)) & 1; }
    static uint64_t cell_of(uint64_t offset, uint32_t level) noexcept {
        return level >= 64 ? 0 : offset >> level << level;
    }
    static uint32_t width(uint64_t x) noexcept { return x ? 64 - uint32_t(__builtin_clzll(x)) : 0; }
    Domain domain(uint32_t top) const { return {at(top).base, at(top).bits}; }

    // --- Predicates ---

    static bool hull_of(const Clauses& c, uint32_t p, Hull& hull) noexcept {
        uint32_t kind = c.head[p] & KIND_MASK;
        hull = {c.head[p] >> KIND_BITS, KEY_LOWEST, KEY_HIGHEST};
        if (kind == PREDICATE_RANGE) {
            hull.low = c.low[p];
            hull.high = c.high[p];
        } else if (kind == PREDICATE_IN) {
            hull.low = c.sets[c.low[p]];
            hull.high = c.sets[c.low[p] + c.high[p] - 1];
        }
        return kind != PREDICATE_ABSENT;
    }
    // The narrowest of the clause's intervals on the attribute. False if it does not need the attribute.
    static bool hull_on(const Clauses& c, uint32_t clause, uint32_t attribute, Hull& best) noexcept {
        bool found = false;
        Hull hull;
        for (uint32_t p = c.begin[clause]; p < c.begin[clause + 1]; ++p)
            if (c.head[p] >> KIND_BITS == attribute && hull_of(c, p, hull) &&
                (!found || hull.high - hull.low < best.high - best.low)) {
                best = hull;
                found = true;
            }
        return found;
    }
    // The home bucket of an interval: the smallest cell that encloses it.
    struct Home {
        uint64_t offset;
        uint32_t level;
    };
    static Home home_of(const Hull& hull, const Domain& d) noexcept {
        uint64_t low = hull.low == KEY_LOWEST ? 0 : d.offset(hull.low);
        uint64_t high = hull.high == KEY_HIGHEST ? d.last() : d.offset(hull.high);
        return {low, width(low ^ high)};
    }
    static bool fits(const Hull& hull, const Domain& d) noexcept {
        return (hull.low == KEY_LOWEST || d.holds(hull.low)) && (hull.high == KEY_HIGHEST || d.holds(hull.high));
    }
    Domain observed(uint32_t attribute) const noexcept {
        return Domain::of(attribute_low.data()[attribute], attribute_high.data()[attribute]);
    }
    // The part of the events that have the attribute: what was counted in them, and before that in the clauses.
    double share(uint32_t attribute) const noexcept {
        if (!attribute) return 1;
        double clauses = double(std::max<uint64_t>(totals.data()[LIVE], 1));
        double often = event_count.data()[attribute] + PRIOR_EVENTS * expression_count.data()[attribute] / clauses;
        return std::min(often / (double(totals.data()[LEARNED]) + PRIOR_EVENTS), 1.0);
    }
    // The part of the events that get to the home bucket, if keys are spread evenly: the loss that a clause there
    // would bring (section 5), were it never to match.
    double reach(const Hull& hull, const Domain& d) const noexcept {
        return share(hull.attribute) * std::ldexp(1.0, int(home_of(hull, d).level) - int(d.bits));
    }

    void grow(uint32_t attributes) {
        if (attribute_low.size() < attributes) attribute_low.resize(attributes, KEY_HIGHEST);
        if (attribute_high.size() < attributes) attribute_high.resize(attributes, 0);
        if (expression_count.size() < attributes) expression_count.resize(attributes, 0);
        if (event_count.size() < attributes) event_count.resize(attributes, 0);
    }
    void tally(const Clauses& c, uint32_t first, uint32_t count, uint32_t sign) {
        totals.writable()[LIVE] += uint64_t(int64_t(int32_t(sign))) * count;
        uint32_t* counts = expression_count.writable();
        Key *low = attribute_low.writable(), *high = attribute_high.writable();
        Hull hull;
        for (uint32_t p = c.begin[first]; p < c.begin[first + count]; ++p) {
            counts[c.head[p] >> KIND_BITS] += sign;
            if (!hull_of(c, p, hull)) continue;
            auto observe = [&](Key key) {
                low[hull.attribute] = std::min(low[hull.attribute], key);
                high[hull.attribute] = std::max(high[hull.attribute], key);
            };
            if (hull.low != KEY_LOWEST) observe(hull.low);
            if (hull.high != KEY_HIGHEST) observe(hull.high);
        }
    }

    // --- Nodes ---

    uint32_t add_cluster() {
        clusters.reserve_more(CLUSTER_WORDS);
        uint32_t cluster = leaves.add();
        if (size_t(cluster) * CLUSTER_WORDS == clusters.size()) clusters.resize(clusters.size() + CLUSTER_WORDS);
        Cluster fresh = Cluster();
        fresh.child[0] = fresh.child[1] = fresh.above = fresh.top = fresh.directory = NONE;
        fresh.capacity = max_capacity();
        at(cluster) = fresh;
        return cluster;
    }
    uint32_t add_bucket(uint32_t above, uint64_t first, uint32_t level) {
        uint32_t cluster = add_cluster();
        Cluster& k = at(cluster);
        k.above = above;
        k.top = at(above).top;
        k.first = first;
        k.level = uint8_t(level);
        return cluster;
    }
    // A p-node, in the directory of its parent (Alg. 5, line 4).
    uint32_t add_top(uint32_t parent, uint32_t attribute) {
        uint32_t cluster = add_cluster();
        try {
            partitions.reserve(partitions.size() + 1);
            bool fresh = at(parent).directory == NONE;
            uint32_t directory = fresh ? directories.add() : at(parent).directory;
            uint32_t item[2] = {attribute, cluster};
            try {
                directories.push(directory, item);
            } catch (...) {
                if (fresh) directories.drop(directory);
                throw;
            }
            at(parent).directory = directory;
        } catch (...) {
            leaves.drop(cluster);
            throw;
        }
        partitions.set(slot_of(parent, attribute), cluster);
        Cluster& k = at(cluster);
        k.above = parent;
        k.top = cluster;
        k.attribute = attribute;
        k.place = directories.size(at(parent).directory) - 1;
        set_domain(cluster, observed(attribute));
        return cluster;
    }
    void set_domain(uint32_t top, Domain d) {
        Cluster& k = at(top);
        k.base = d.base;
        k.bits = k.level = uint8_t(d.bits);
    }
    // Gives back one node that nothing is below of, and takes it out of what is above.
    void drop(uint32_t cluster) {
        Cluster& k = at(cluster);
        if (k.top == cluster) {
            Cluster& parent = at(k.above);
            uint32_t n = directories.size(parent.directory);
            uint32_t* items = directories.writable(parent.directory);
            std::memcpy(items + 2 * k.place, items + 2 * (n - 1), 2 * sizeof(uint32_t));
            at(items[2 * k.place + 1]).place = k.place;
            directories.shorten(parent.directory, n - 1);
            partitions.erase(slot_of(k.above, k.attribute));
            if (n == 1) {
                directories.drop(parent.directory);
                parent.directory = NONE;
            }
        } else {
            Cluster& above = at(k.above);
            for (uint32_t& child : above.child)
                if (child == cluster) child = NONE;
        }
        leaves.drop(cluster);
    }
    // f(cluster) for all nodes below, each after those above it.
    template <class F>
    void each_below(uint32_t cluster, F f) const {
        std::vector<uint32_t> stack{cluster};
        while (!stack.empty()) {
            uint32_t next = stack.back();
            stack.pop_back();
            const Cluster& k = at(next);
            for (uint32_t child : k.child)
                if (child != NONE) stack.push_back(child);
            if (k.directory != NONE)
                for (uint32_t i = 0; i < directories.size(k.directory); ++i)
                    stack.push_back(directories.items(k.directory)[2 * i + 1]);
            f(next);
        }
    }
    template <class F>
    void each_entry(uint32_t cluster, F f) const {
        const Unit *first = units(cluster), *end = first + leaves.size(cluster);
        for (const Unit* unit = first; unit < end; unit += length_of(*unit))
            if (unit->extra != DEAD) f(*unit, uint32_t(unit - first));
    }
    void live_members(uint32_t cluster, std::vector<uint32_t>& out) const {
        each_entry(cluster, [&](const Unit& entry, uint32_t) { out.push_back(entry.head); });
    }
    // What events that get to the cluster have; the attributes that are used on the way.
    std::vector<Step> way_to(uint32_t cluster) const {
        std::vector<Step> way;
        while (at(cluster).top != NONE) {
            const Cluster& k = at(cluster);
            Domain d = domain(k.top);
            uint64_t size = k.level >= 64 ? 0 : uint64_t(1) << k.level;
            way.push_back({at(k.top).attribute, d.first_key(k.first), d.last_key(k.first + size - 1)});
            cluster = at(k.top).above;
        }
        return way;
    }
    static bool used(const std::vector<Step>& way, uint32_t attribute) noexcept {
        for (const Step& step : way)
            if (step.attribute == attribute) return true;
        return false;
    }
    double reach_of(uint32_t cluster) const {
        double part = 1;
        while (at(cluster).top != NONE) {
            const Cluster &k = at(cluster), &top = at(k.top);
            part *= share(top.attribute) * std::ldexp(1.0, int(k.level) - int(top.bits));
            cluster = top.above;
        }
        return part;
    }
    size_t partition_count(uint32_t cluster) const {
        uint32_t directory = at(cluster).directory;
        return directory == NONE ? 0 : directories.size(directory);
    }
    uint32_t min_size(size_t partitions) const noexcept { return partitions >= LARGE_DIRECTORY ? 1 : min_size_; }
    void count_up(uint32_t cluster, uint32_t change) {
        while (at(cluster).top != NONE) {
            Cluster& top = at(at(cluster).top);
            top.clauses += change;
            cluster = top.above;
        }
    }

    // --- Leaves ---

    // Appends the entries of clauses to units_.
    void encode(const Clauses& c, const std::vector<Step>& way, const uint32_t* members, size_t n) {
        for (size_t i = 0; i < n; ++i) {
            uint32_t clause = members[i];
            size_t begin = units_.size();
            units_.push_back({clause, c.owner[clause], 0});
            others_.clear();
            for (uint32_t p = c.begin[clause]; p < c.begin[clause + 1]; ++p)
                betree_encode(c, p, way, (c.head[p] & KIND_MASK) == PREDICATE_RANGE ? units_ : others_);
            size_t comparisons = units_.size() - begin - 1;
            units_.insert(units_.end(), others_.begin(), others_.end());
            units_[begin].operand = (units_.size() - begin) | uint64_t(comparisons) << 32;
        }
    }
    void append(const Clauses& c, uint32_t cluster, const uint32_t* members, size_t n) {
        units_.clear();
        encode(c, way_to(cluster), members, n);
        reserve(cluster, leaves.size(cluster) + units_.size());
        write(cluster, leaves.size(cluster), n + at(cluster).entries);
    }
    void reserve(uint32_t cluster, size_t n) {
        if (n >= NONE / 2) throw std::length_error("an l-node would be larger than 32 GB");
        leaves.reserve(cluster, uint32_t(n));
    }
    // units_ into the leaf, from a place on; there is room.
    void write(uint32_t cluster, uint32_t from, size_t entries) {
        if (!units_.empty())
            std::memcpy(leaves.writable(cluster) + size_t(from) * 4, units_.data(), units_.size() * sizeof(Unit));
        leaves.shorten(cluster, from + uint32_t(units_.size()));
        at(cluster).entries = uint32_t(entries);
        index(cluster, from);
    }
    void index(uint32_t cluster, uint32_t from) {
        uint32_t *where = clause_cluster.writable(), *place = clause_place.writable();
        const Unit *first = units(cluster), *end = first + leaves.size(cluster);
        for (const Unit* unit = first + from; unit < end; unit += length_of(*unit)) {
            if (unit->extra == DEAD) continue;
            where[unit->head] = cluster;
            place[unit->head] = uint32_t(unit - first);
        }
    }
    void kill(uint32_t cluster, uint32_t place) {
        Unit* all = reinterpret_cast<Unit*>(leaves.writable(cluster));
        Cluster& k = at(cluster);
        all[place].extra = DEAD;
        k.dead += length_of(all[place]);
        --k.entries;
        if (k.dead <= leaves.size(cluster) / 2) return;
        const Unit* end = all + leaves.size(cluster);
        Unit* to = all;
        for (const Unit *unit = all, *next; unit < end; unit = next) {
            next = unit + length_of(*unit);
            if (unit->extra == DEAD) continue;
            std::memmove(to, unit, size_t(next - unit) * sizeof(Unit));
            to += length_of(*to);
        }
        leaves.shorten(cluster, uint32_t(to - all));
        k.dead = 0;
        index(cluster, 0);
    }

    // --- Inserting ---

    // Alg. 3: to the p-node with the best score, then to the smallest bucket (Alg. 4), and so on. Buckets are made
    // where there is none in the half that encloses the clause. If not `make`, returns NONE where one would be made.
    // `part` is multiplied with the part of the events that get there, or will when the clause has its partition.
    uint32_t seek(const Clauses& c, uint32_t cluster, uint32_t clause, uint32_t except, bool make, bool explore,
                  double& part) {
        hulls_.clear();
        Hull hull;
        for (uint32_t p = c.begin[clause]; p < c.begin[clause + 1]; ++p)
            if (hull_of(c, p, hull)) hulls_.push_back(hull);
        std::sort(hulls_.begin(), hulls_.end(), [](const Hull& a, const Hull& b) {
            return a.attribute != b.attribute ? a.attribute < b.attribute : a.high - a.low < b.high - b.low;
        });
        hulls_.erase(std::unique(hulls_.begin(), hulls_.end(),
                                 [](const Hull& a, const Hull& b) { return a.attribute == b.attribute; }),
                     hulls_.end());
        std::vector<Step> way = way_to(cluster);
        for (;;) {
            if (at(cluster).directory == NONE) return cluster;
            uint32_t best = NONE;
            double least = 1 - WORTH, wish = 1;
            for (const Hull& h : hulls_) {
                uint32_t top = partitions.find(slot_of(cluster, h.attribute));
                if (top != NONE && top != except) {
                    double there = reach(h, domain(top));
                    if (there > least) continue;
                    best = top;
                    least = there;
                    hull = h;
                } else if (!used(way, h.attribute)) {
                    wish = std::min(wish, reach(h, observed(h.attribute)));
                }
            }
            if (best == NONE) return cluster;
            if (explore && least > EXPLORE * wish && at(cluster).entries <= at(cluster).capacity) {
                part *= wish;
                return cluster;
            }
            if (!fits(hull, domain(best))) {
                if (!make) return NONE;
                widen(c, best, hull);
            }
            Home home = home_of(hull, domain(best));
            part *= share(hull.attribute);
            uint32_t bits = at(best).bits, found = smallest(best, home), level = at(found).level;
            if (at(found).split && home.level < level) {
                part *= std::ldexp(1.0, int(level) - 1 - int(bits));
                if (!make) return NONE;
                return make_bucket(found, home);
            }
            part *= std::ldexp(1.0, int(level) - int(bits));
            way.push_back({hull.attribute, 0, 0});
            cluster = found;
        }
    }
    uint32_t explorers(uint32_t cluster) const {
        uint32_t top = at(cluster).top;
        uint64_t below = top == NONE ? totals[LIVE] : at(top).clauses;
        return std::max(max_capacity(), uint32_t(below / EXPLORE_PART));
    }
    // The smallest bucket there is that encloses a home bucket.
    uint32_t smallest(uint32_t cluster, const Home& home) const {
        for (;;) {
            const Cluster& k = at(cluster);
            if (!k.split || home.level >= k.level) return cluster;
            uint32_t child = k.child[side_of(home.offset, k.level)];
            if (child == NONE || at(child).level < home.level || !inside(home.offset, at(child))) return cluster;
            cluster = child;
        }
    }
    // A bucket for a home that is in a half of a split bucket, and in no bucket there: the half, or the smallest cell
    // that encloses the home and the bucket that is in this half.
    uint32_t make_bucket(uint32_t above, const Home& home) {
        uint32_t side = side_of(home.offset, at(above).level), other = at(above).child[side];
        if (other == NONE) {
            uint32_t level = at(above).level - 1u;
            uint32_t fresh = add_bucket(above, cell_of(home.offset, level), level);
            at(above).child[side] = fresh;
            return fresh;
        }
        uint32_t level = std::max({home.level, uint32_t(at(other).level), width(home.offset ^ at(other).first)});
        uint32_t joint = add_bucket(above, cell_of(home.offset, level), level), found = joint;
        at(joint).split = 1;
        at(joint).child[side_of(at(other).first, level)] = other;
        if (home.level < level) {
            try {
                found = add_bucket(joint, cell_of(home.offset, level - 1), level - 1);
            } catch (...) {
                leaves.drop(joint);
                throw;
            }
            at(joint).child[side_of(home.offset, level)] = found;
        }
        at(above).child[side] = joint;
        at(other).above = joint;
        return found;
    }

    void insert_one(const Clauses& c, uint32_t from, uint32_t clause, uint32_t except) {
        add(c, from, clause, except, true, NONE);
    }
    // To where it would be inserted now, from a cluster on. The caller tidies the one that it leaves.
    bool move(const Clauses& c, uint32_t from, uint32_t clause, bool explore) {
        uint32_t old = clause_cluster[clause], place = clause_place[clause];
        if (add(c, from, clause, NONE, explore, old) == old) return false;
        count_up(old, uint32_t(-1));
        kill(old, place);
        return true;
    }
    // Adds an entry and returns where, unless that is where the clause has one already.
    uint32_t add(const Clauses& c, uint32_t from, uint32_t clause, uint32_t except, bool explore, uint32_t already) {
        double part = 1;
        uint32_t cluster = seek(c, from, clause, except, true, explore, part);
        if (cluster == already) return cluster;
        try {
            append(c, cluster, &clause, 1);
        } catch (...) {
            prune(cluster);
            throw;
        }
        count_up(cluster, 1);
        note(cluster);
        return cluster;
    }
    // To look at in settle.
    void note(uint32_t cluster) {
        if (at(cluster).entries <= at(cluster).capacity) return;
        try {
            pending_.push_back(cluster);
        } catch (const std::bad_alloc&) {  // it stays overfull until the next insert
        }
    }
    // Cuts what overflows. Without memory for that, leaves stay as they are.
    void settle(const Clauses& c) {
        while (!pending_.empty()) {
            uint32_t cluster = pending_.back();
            pending_.pop_back();
            if (!leaves.live(cluster) || at(cluster).entries <= at(cluster).capacity) continue;
            try {
                std::vector<uint32_t> members;
                live_members(cluster, members);
                cut(c, cluster, std::move(members));
            } catch (const std::exception&) {
            }
        }
    }

    // The keys outgrew the domain of a p-node: all of it goes into the top bucket of a larger one, to be cut again. The
    // new domain holds the old one and is at least twice as large, so this happens at most 64 times.
    void widen(const Clauses& c, uint32_t top, const Hull& hull) {
        Domain d = domain(top), wider;
        Key low = attribute_low[at(top).attribute], high = attribute_high[at(top).attribute];
        bool below = (hull.low != KEY_LOWEST && hull.low <= d.base) || hull.high <= d.base;
        if (d.bits) {
            low = std::min(low, d.base + 1);
            high = std::max(high, d.last_key(d.last() - 1));
        }
        wider = Domain::of(low, high);
        if (below && wider.bits < 64) wider.base = high - std::min(high, wider.last() - 1);  // what is new is below
        std::vector<uint32_t> members, nodes;
        each_below(top, [&](uint32_t cluster) {
            live_members(cluster, members);
            nodes.push_back(cluster);
        });
        Cluster old = at(top);
        set_domain(top, wider);
        units_.clear();
        try {
            encode(c, way_to(top), members.data(), members.size());
            reserve(top, units_.size());
        } catch (...) {
            at(top) = old;
            throw;
        }
        while (nodes.size() > 1) {
            drop(nodes.back());
            nodes.pop_back();
        }
        at(top).split = 0;
        at(top).dead = 0;
        at(top).capacity = max_capacity();
        write(top, 0, members.size());
        note(top);
    }

    // --- Cutting ---

    // Algorithms 5 and 6: places clauses in a cluster and in new ones below it.
    void cut(const Clauses& c, uint32_t origin, std::vector<uint32_t> members) {
        Cluster old = at(origin);
        std::vector<uint32_t> fresh, rest, better;
        std::vector<Job> jobs;
        jobs.push_back({origin, std::move(members)});
        try {
            while (!jobs.empty()) {
                Job job = std::move(jobs.back());
                jobs.pop_back();
                uint32_t cluster = job.cluster;
                if (job.members.size() > at(cluster).capacity) {
                    if (at(cluster).top != NONE && !at(cluster).split) cut_bucket(c, job, jobs, fresh);
                    if (job.members.size() > at(cluster).capacity) partition(c, job, jobs, fresh, better);
                }
                if (cluster == origin) {
                    rest = std::move(job.members);
                    continue;
                }
                units_.clear();
                encode(c, way_to(cluster), job.members.data(), job.members.size());
                reserve(cluster, units_.size());
                put(cluster, job.members.size());
            }
            units_.clear();
            encode(c, way_to(origin), rest.data(), rest.size());
            reserve(origin, units_.size());
        } catch (...) {
            while (!fresh.empty()) {
                drop(fresh.back());
                fresh.pop_back();
            }
            uint32_t directory = at(origin).directory;
            at(origin) = old;
            at(origin).directory = directory;
            throw;
        }
        write(origin, 0, rest.size());
        at(origin).dead = 0;
        for (uint32_t cluster : fresh) index(cluster, 0);
        for (uint32_t clause : better) move(c, origin, clause, false);
    }
    // units_ into the leaf of a new cluster; the clauses do not point there yet.
    void put(uint32_t cluster, size_t entries) {
        if (!units_.empty()) std::memcpy(leaves.writable(cluster), units_.data(), units_.size() * sizeof(Unit));
        leaves.shorten(cluster, uint32_t(units_.size()));
        at(cluster).entries = uint32_t(entries);
    }
    // Alg. 6, lines 7-13, with the midpoint for endBound/2.
    void cut_bucket(const Clauses& c, Job& job, std::vector<Job>& jobs, std::vector<uint32_t>& fresh) {
        uint32_t cluster = job.cluster, top = at(cluster).top;
        Domain d = domain(top);
        std::vector<Home> homes;
        homes.reserve(job.members.size());
        uint64_t apart = 0;
        uint32_t highest = 0;
        for (uint32_t clause : job.members) {
            Hull hull;
            hull_on(c, clause, at(top).attribute, hull);
            homes.push_back(home_of(hull, d));
            apart |= homes.back().offset ^ homes[0].offset;
            highest = std::max(highest, homes.back().level);
        }
        uint32_t level = std::max(highest, width(apart));
        if (cluster != top) {  // to the smallest cell that encloses all: what is cut off is empty
            at(cluster).level = uint8_t(level);
            at(cluster).first = cell_of(homes[0].offset, level);
        }
        level = at(cluster).level;
        if (!level) return;  // atomic
        std::vector<uint32_t> stay, half[2];
        for (size_t i = 0; i < homes.size(); ++i)
            (homes[i].level < level ? half[side_of(homes[i].offset, level)] : stay).push_back(job.members[i]);
        for (uint32_t side : {0, 1}) {
            if (half[side].empty()) continue;
            fresh.reserve(fresh.size() + 1);
            jobs.reserve(jobs.size() + 1);
            uint64_t first = at(cluster).first + (uint64_t(side) << (level - 1));
            uint32_t child = add_bucket(cluster, first, level - 1);
            fresh.push_back(child);
            at(cluster).child[side] = child;
            jobs.push_back({child, std::move(half[side])});
        }
        at(cluster).split = 1;
        job.members = std::move(stay);
    }
    // Algorithm 5. Each clause votes for the attribute that keeps most events from it; those with most votes get
    // p-nodes until the rest fits. Then clauses go where there is a p-node, and if there is none for too many, to the
    // attribute that most have in common. What is left makes an extended l-node (4.2).
    void partition(const Clauses& c, Job& job, std::vector<Job>& jobs, std::vector<uint32_t>& fresh,
                   std::vector<uint32_t>& better) {
        uint32_t cluster = job.cluster;
        std::vector<Step> way = way_to(cluster);
        std::vector<uint32_t>& members = job.members;
        std::vector<uint32_t> goes(members.size(), NONE);  // the attribute of the p-node
        std::vector<uint32_t> chosen;
        size_t left = way.size() < MOST_PARTITIONS ? members.size() : 0;
        auto open = [&](uint32_t attribute) {
            return !used(way, attribute) && partitions.find(slot_of(cluster, attribute)) == NONE;
        };
        std::vector<Vote> votes;
        for (uint32_t i = 0; i < members.size() && left; ++i) {
            Vote best{NONE, i, 1 - WORTH};
            each_hull(c, members[i], [&](const Hull& hull) {
                double there = reach(hull, observed(hull.attribute));
                if (there > best.reach || used(way, hull.attribute)) return;
                best = {hull.attribute, i, there};
            });
            if (best.attribute != NONE && open(best.attribute)) votes.push_back(best);
        }
        elect(votes, goes, chosen, left, partition_count(cluster));
        size_t limit = std::max(at(cluster).directory == NONE ? 0 : explorers(cluster), max_capacity());
        if (left > limit) {
            std::sort(chosen.begin(), chosen.end());
            for (uint32_t i = 0; i < members.size(); ++i) {
                if (goes[i] != NONE) continue;
                double least = 1 - WORTH;
                bool exists = false;
                each_hull(c, members[i], [&](const Hull& hull) {
                    uint32_t top = partitions.find(slot_of(cluster, hull.attribute));
                    bool elected = std::binary_search(chosen.begin(), chosen.end(), hull.attribute);
                    if (top == NONE && !elected) return;
                    double there = reach(hull, elected ? observed(hull.attribute) : domain(top));
                    if (there > least) return;
                    least = there;
                    exists = !elected;
                    goes[i] = elected ? hull.attribute : NONE;
                });
                if (exists) {
                    better.push_back(members[i]);
                    goes[i] = ELSEWHERE;
                }
                left -= exists || goes[i] != NONE;
            }
        }
        if (left > limit) {
            votes.clear();
            for (uint32_t i = 0; i < members.size(); ++i) {
                if (goes[i] != NONE) continue;
                each_hull(c, members[i], [&](const Hull& hull) {
                    double there = reach(hull, observed(hull.attribute));
                    if (there <= 1 - WORTH && open(hull.attribute)) votes.push_back({hull.attribute, i, there});
                });
            }
            elect(votes, goes, chosen, left, partition_count(cluster));
        }
        place(job, goes, chosen, jobs, fresh);
        size_t n = members.size();
        at(cluster).capacity = capacity_for(n > max_capacity() ? n + n / 4 : n);  // each overflow looks at all of it
    }
    uint32_t capacity_for(size_t entries) const noexcept {
        size_t step = max_capacity();
        return uint32_t(std::max<size_t>((entries + step - 1) / step * step, step));
    }
    template <class F>
    static void each_hull(const Clauses& c, uint32_t clause, F f) {
        Hull hull;
        for (uint32_t p = c.begin[clause]; p < c.begin[clause + 1]; ++p)
            if (hull_of(c, p, hull)) f(hull);
    }
    // The attributes with the highest rank, one after the other, until what is left fits an l-node. The rank of an
    // attribute is its gain, the number of clauses that voted for it and are not placed yet, less its loss, the number
    // of them that an event gets to.
    void elect(std::vector<Vote>& votes, std::vector<uint32_t>& goes, std::vector<uint32_t>& chosen, size_t& left,
               size_t partitions_before) const {
        std::sort(votes.begin(), votes.end(), [](const Vote& a, const Vote& b) {
            return a.attribute != b.attribute ? a.attribute < b.attribute : a.member < b.member;
        });
        struct Candidate {
            uint32_t attribute, clauses;
            double rank;
            size_t begin, end;
        };
        std::vector<Candidate> candidates;
        std::vector<uint32_t> begin(goes.size() + 1, 0), of_member(votes.size());  // votes by member
        std::vector<uint32_t> candidate_of(votes.size());
        for (size_t i = 0; i < votes.size(); ++i) {
            if (!i || votes[i].attribute != votes[i - 1].attribute)
                candidates.push_back({votes[i].attribute, 0, 0, i, i});
            Candidate& x = candidates.back();
            ++x.clauses;
            ++x.end;
            x.rank += 1 - votes[i].reach;
            ++begin[votes[i].member + 1];
        }
        for (size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
        std::vector<uint32_t> next(begin.begin(), begin.end() - 1);
        std::vector<std::pair<double, uint32_t>> heap;  // rank, candidate from the end, so that the first goes first
        uint32_t last = uint32_t(candidates.size());
        for (uint32_t x = 0; x < candidates.size(); ++x) {
            for (size_t i = candidates[x].begin; i < candidates[x].end; ++i) {
                of_member[next[votes[i].member]++] = uint32_t(i);
                candidate_of[i] = x;
            }
            heap.push_back({candidates[x].rank, last - x});
        }
        std::make_heap(heap.begin(), heap.end());
        while (left > max_capacity() && !heap.empty()) {
            std::pop_heap(heap.begin(), heap.end());
            double rank = heap.back().first;
            const Candidate& x = candidates[last - heap.back().second];
            if (x.clauses && x.rank < rank) {  // some were placed meanwhile
                heap.back().first = x.rank;
                std::push_heap(heap.begin(), heap.end());
                continue;
            }
            heap.pop_back();
            if (x.clauses < min_size(partitions_before + chosen.size())) continue;
            chosen.push_back(x.attribute);
            for (size_t i = x.begin; i < x.end; ++i) {
                uint32_t member = votes[i].member;
                if (goes[member] != NONE) continue;
                goes[member] = x.attribute;
                --left;
                for (uint32_t j = begin[member]; j < begin[member + 1]; ++j) {
                    Candidate& other = candidates[candidate_of[of_member[j]]];
                    --other.clauses;
                    other.rank -= 1 - votes[of_member[j]].reach;
                }
            }
        }
    }
    // Alg. 5, lines 4-8: p-nodes for the chosen attributes.
    void place(Job& job, const std::vector<uint32_t>& goes, std::vector<uint32_t>& chosen, std::vector<Job>& jobs,
               std::vector<uint32_t>& fresh) {
        std::vector<std::pair<uint32_t, uint32_t>> moving;  // attribute, clause
        std::vector<uint32_t> stay;
        for (size_t i = 0; i < goes.size(); ++i) {
            if (goes[i] == NONE || goes[i] == ELSEWHERE)
                stay.push_back(job.members[i]);
            else
                moving.push_back({goes[i], job.members[i]});
        }
        std::sort(moving.begin(), moving.end());
        for (size_t begin = 0, end; begin < moving.size(); begin = end) {
            Job next{NONE, {}};
            for (end = begin; end < moving.size() && moving[end].first == moving[begin].first; ++end)
                next.members.push_back(moving[end].second);
            fresh.reserve(fresh.size() + 1);
            jobs.reserve(jobs.size() + 1);
            next.cluster = add_top(job.cluster, moving[begin].first);
            fresh.push_back(next.cluster);
            at(next.cluster).clauses = uint32_t(next.members.size());
            jobs.push_back(std::move(next));
        }
        job.members = std::move(stay);
    }

    // --- Removing ---

    void take_out(const Clauses& c, uint32_t clause) {
        uint32_t cluster = clause_cluster[clause];
        kill(cluster, clause_place[clause]);
        clause_cluster.set(clause, NONE);
        count_up(cluster, uint32_t(-1));
        tidy(c, cluster);
    }
    // After a clause left an l-node. What memory is needed for, is done if there is some.
    void tidy(const Clauses& c, uint32_t cluster) {
        try {
            uint32_t small = NONE;  // the highest p-node with too few clauses
            for (uint32_t up = cluster; at(up).top != NONE; up = at(at(up).top).above)
                if (at(at(up).top).clauses < min_size(partition_count(at(at(up).top).above))) small = at(up).top;
            if (small != NONE) {
                uint32_t parent = at(small).above;
                dissolve(c, small);
                cluster = parent;
            }
            Cluster& k = at(cluster);
            if (k.entries < k.capacity / 2) k.capacity = std::min(k.capacity, capacity_for(k.entries));
            merge(c, prune(cluster));
        } catch (const std::exception&) {
        }
    }
    // The underflowing p-node's clauses are inserted again, from its parent on (4.2).
    void dissolve(const Clauses& c, uint32_t top) {
        std::vector<uint32_t> members, nodes;
        each_below(top, [&](uint32_t cluster) {
            live_members(cluster, members);
            nodes.push_back(cluster);
        });
        uint32_t parent = at(top).above;
        for (uint32_t clause : members) {
            uint32_t cluster = clause_cluster[clause], place = clause_place[clause];
            insert_one(c, parent, clause, top);
            count_up(cluster, uint32_t(-1));
            kill(cluster, place);
        }
        for (; !nodes.empty(); nodes.pop_back()) drop(nodes.back());
    }
    // Drops buckets with nothing in and below them. Returns what is above and stays.
    uint32_t prune(uint32_t cluster) {
        for (;;) {
            const Cluster& k = at(cluster);
            uint32_t children = uint32_t(k.child[0] != NONE) + uint32_t(k.child[1] != NONE);
            if (k.top == NONE || k.entries || k.directory != NONE || children == 2) return cluster;
            uint32_t above = k.above;
            if (k.top == cluster) return cluster;
            if (children) {  // only the way to another
                uint32_t child = k.child[k.child[0] == NONE];
                at(above).child[at(above).child[1] == cluster] = child;
                at(child).above = above;
                at(cluster).child[0] = at(cluster).child[1] = NONE;
                leaves.drop(cluster);
                return above;
            }
            drop(cluster);
            cluster = above;
        }
    }
    // The merge rule: underflowing leaf buckets go into the one above if that is open.
    void merge(const Clauses& c, uint32_t cluster) {
        while (at(cluster).top != NONE && at(cluster).directory == NONE) {
            if (!at(cluster).split) {
                if (at(cluster).top == cluster) return;
                cluster = at(cluster).above;
                if (at(cluster).directory != NONE) return;
            }
            size_t entries = at(cluster).entries;
            for (uint32_t child : at(cluster).child) {
                if (child == NONE) continue;
                if (at(child).split || at(child).directory != NONE) return;
                entries += at(child).entries;
            }
            if (entries > max_capacity() / 2) return;
            std::vector<uint32_t> members;
            for (uint32_t child : at(cluster).child)
                if (child != NONE) live_members(child, members);
            append(c, cluster, members.data(), members.size());
            for (uint32_t child : {at(cluster).child[0], at(cluster).child[1]})
                if (child != NONE) drop(child);
            at(cluster).split = 0;
        }
    }

    // --- Matching ---

    // Algorithms 1 and 2, in two rounds so that memory is asked for before it is read: `descend` to all c-nodes that
    // the event gets to, then `each_leaf` of their l-nodes. A descent knows where an event is in the domains.

    // At one place of each attribute that the event has: a key, as offset from the top bucket on.
    struct PointDescent {
        const Event& event;

        size_t attributes() const noexcept { return event.attributes.size(); }
        template <class F>
        void each_attribute(F f) const {
            for (uint32_t attribute : event.attributes) f(attribute);
        }
        bool find(uint32_t attribute, uint64_t& place) const noexcept {
            place = event.table.data()[attribute];
            return place != KEY_ABSENT;
        }
        bool enter(uint32_t cluster, const Cluster& k, uint64_t& place) const noexcept {
            if (k.top != cluster) return inside(place, k);
            place = Domain{k.base, k.bits}.offset(place);
            return true;
        }
        template <class F>
        void each_side(const Cluster& k, uint64_t place, F f) const {
            f(side_of(place, k.level));
        }
    };
    static const Ranges::Attribute* find_open(const Ranges& ranges, uint32_t attribute) noexcept {
        auto end = ranges.attributes.end();
        auto a = std::lower_bound(ranges.attributes.begin(), end, attribute,
                                  [](const Ranges::Attribute& x, uint32_t wanted) { return x.attribute < wanted; });
        return a != end && a->attribute == attribute ? &*a : nullptr;
    }
    // In all buckets that overlap a span of the attribute.
    struct SpanDescent {
        const Event& event;
        const Ranges& ranges;
        const uint32_t* clusters;

        size_t attributes() const noexcept { return event.attributes.size() + ranges.attributes.size(); }
        template <class F>
        void each_attribute(F f) const {
            for (uint32_t attribute : event.attributes) f(attribute);
            for (const Ranges::Attribute& a : ranges.attributes) f(a.attribute);
        }
        bool find(uint32_t attribute, Reach& place) const noexcept {
            Key key = event.table.data()[attribute];
            place = {key, key, 0, 0};
            if (key != KEY_ABSENT) return true;
            const Ranges::Attribute* a = find_open(ranges, attribute);
            if (!a) return false;
            place = {ranges.spans[a->begin].low, ranges.spans[a->end - 1].high, a->begin, a->end};
            return true;
        }
        // Leaves of the spans those that overlap the bucket.
        bool enter(uint32_t, const Cluster& k, Reach& place) const noexcept {
            if (k.top == NONE) return true;
            Domain d = domain_of(k);
            uint64_t last = last_of(k);
            if (place.begin < place.end) {
                const KeySpan *all = ranges.spans.data(), *end = all + place.end;
                const KeySpan* first = std::partition_point(
                    all + place.begin, end, [&](const KeySpan& span) { return d.offset(span.high) < k.first; });
                end = std::partition_point(first, end, [&](const KeySpan& span) { return d.offset(span.low) <= last; });
                if (first == end) return false;
                place = {first->low, end[-1].high, uint32_t(first - all), uint32_t(end - all)};
            }
            return d.offset(place.low) <= last && d.offset(place.high) >= k.first;
        }
        template <class F>
        void each_side(const Cluster& k, const Reach& place, F f) const {
            Domain d = domain_of(k);
            uint32_t low = side_of(std::max(d.offset(place.low), k.first), k.level);
            uint32_t high = side_of(std::min(d.offset(place.high), last_of(k)), k.level);
            for (uint32_t side = low; side <= high; ++side) f(side);
        }

      private:
        Domain domain_of(const Cluster& k) const noexcept {
            const Cluster& top = reinterpret_cast<const Cluster*>(clusters)[k.top];
            return {top.base, top.bits};
        }
        static uint64_t last_of(const Cluster& k) noexcept { return k.first + Domain{0, k.level}.last(); }
    };

    template <class Descent, class Place>
    void descend(const Descent& descent, std::vector<BETreeVisit<Place>>& visits, std::vector<uint32_t>& found) const {
        const Cluster* all = reinterpret_cast<const Cluster*>(clusters.data());
        visits.clear();
        found.clear();
        visits.push_back({ROOT, Place{}});
        for (size_t i = 0; i < visits.size(); ++i) {
            auto [cluster, place] = visits[i];
            const Cluster& k = all[cluster];
            if (!descent.enter(cluster, k, place)) continue;
            if (k.entries) {
                found.push_back(cluster);
                const Unit* first = units(cluster);
                __builtin_prefetch(first);
                __builtin_prefetch(first + 4);
            }
            if (k.split)
                descent.each_side(k, place, [&, here = place](uint32_t side) {
                    uint32_t child = k.child[side];
                    if (child == NONE) return;
                    __builtin_prefetch(&all[child]);
                    visits.push_back({child, here});
                });
            if (k.directory == NONE) continue;
            uint32_t n = directories.size(k.directory);
            if (n <= 2 * descent.attributes()) {
                const uint32_t* item = directories.items(k.directory);
                for (const uint32_t* end = item + 2 * n; item < end; item += 2) {
                    Place start;
                    if (!descent.find(item[0], start)) continue;
                    __builtin_prefetch(&all[item[1]]);
                    visits.push_back({item[1], start});
                }
            } else {
                descent.each_attribute([&, from = cluster](uint32_t attribute) {
                    uint32_t top = partitions.find(slot_of(from, attribute));
                    if (top == NONE) return;
                    __builtin_prefetch(&all[top]);
                    Place start;
                    descent.find(attribute, start);
                    visits.push_back({top, start});
                });
            }
        }
    }
    // Calls f(cluster, its first unit, their end).
    template <class F>
    void each_leaf(const std::vector<uint32_t>& found, F f) const {
        for (size_t i = 0; i < found.size(); ++i) {
            const Unit* first = units(found[i]);
            if (i + 1 < found.size()) {
                const Unit* next = units(found[i + 1]);
                uint32_t n = std::min(leaves.size(found[i + 1]), PREFETCHED_UNITS);
                for (const Unit* end = next + n; next < end; next += 4) __builtin_prefetch(next);
            }
            f(found[i], first, first + leaves.size(found[i]));
        }
    }
    // Of a plain event: calls found(cluster, entry, predicates looked at, whether it holds).
    template <class Found>
    void visit(const Clauses& c, const Event& event, BETreeScratch& own, Found found) const {
        descend(PointDescent{event}, own.visits, own.leaves);
        each_leaf(own.leaves, [&](uint32_t cluster, const Unit* first, const Unit* end) {
            betree_check(
                c, first, end, event, [](const Unit&) { return false; },
                [&](const Unit& entry, uint32_t looked, bool holds) { found(cluster, entry, looked, holds); });
        });
    }

    // --- Learning ---

    struct Ranked {
        uint32_t cluster;
        double loss;  // predicates of all events
    };
    // The l-nodes that events of the sample got to, whose gain is not above their loss, the greatest loss first. Sets
    // the capacity.
    std::vector<Ranked> rank(const Clauses& c, const Sample& sample) {
        struct Seen {
            uint32_t cluster, event;
            uint32_t discarded;
        };
        std::vector<Seen> seen;
        BETreeScratch own;
        Event event;
        uint64_t matches = 0;
        uint32_t events = std::min(sample.events, RANKED_EVENTS);
        for (size_t i = 0; i < sample.cells.size() && sample.cells[i].row < events;) {
            uint32_t row = sample.cells[i].row;
            event.open(c.attributes);
            for (; i < sample.cells.size() && sample.cells[i].row == row; ++i)
                event.put(sample.cells[i].attribute, sample.cells[i].key);
            visit(c, event, own, [&](uint32_t cluster, const Unit&, uint32_t looked, bool holds) {
                if (seen.empty() || seen.back().cluster != cluster || seen.back().event != row)
                    seen.push_back({cluster, row, 0});
                matches += holds;
                seen.back().discarded += holds ? 0 : looked;
            });
            event.close();
        }
        if (!fixed_capacity_ && events && totals[LIVE]) {
            double rate = double(matches) / events / double(totals[LIVE]);
            totals.set(MAX_CAPACITY, CAPACITY[(rate >= 0.01) + (rate >= 0.1)]);
        }
        std::sort(seen.begin(), seen.end(), [](const Seen& a, const Seen& b) { return a.cluster < b.cluster; });
        std::vector<Ranked> found;
        for (size_t begin = 0, end; begin < seen.size(); begin = end) {
            double loss = 0;
            for (end = begin; end < seen.size() && seen[end].cluster == seen[begin].cluster; ++end)
                loss += seen[end].discarded;
            uint32_t cluster = seen[begin].cluster;
            double gain = double(way_to(cluster).size()) * at(cluster).entries;
            if (gain <= loss / double(end - begin)) found.push_back({cluster, loss});
        }
        std::sort(found.begin(), found.end(), [](const Ranked& a, const Ranked& b) {
            return a.loss != b.loss ? a.loss > b.loss : a.cluster < b.cluster;
        });
        return found;
    }
    // Takes clauses out of the l-nodes and inserts them again, where that spares events.
    void recycle(const Clauses& c, const std::vector<Ranked>& ranked, size_t moves) {
        size_t looks = LOOKS * moves;
        std::vector<uint32_t> members;
        for (const Ranked& r : ranked) {
            if (!leaves.live(r.cluster)) continue;
            double now = reach_of(r.cluster);
            members.clear();
            live_members(r.cluster, members);
            for (uint32_t clause : members) {
                if (!looks-- || !moves) return settle(c);
                uint32_t cluster = clause_cluster[clause];
                double part = 1;
                if (cluster != r.cluster || seek(c, ROOT, clause, NONE, false, true, part) == cluster ||
                    part * MOVE_GAIN > now)
                    continue;
                if (!move(c, ROOT, clause, true)) continue;
                --moves;
                tidy(c, cluster);
            }
            settle(c);
        }
    }

    // --- Invariants ---

    std::string check_nodes() const {
        if (clusters.size() != size_t(leaves.count()) * CLUSTER_WORDS || !leaves.count()) return "1: lengths";
        for (const char* problem : {leaves.check(), directories.check(), partitions.check()})
            if (problem) return std::string("1: ") + problem;
        std::vector<bool> seen(leaves.count());
        std::vector<uint32_t> stack{ROOT};
        size_t tops = 0, nodes = 0;
        while (!stack.empty()) {
            uint32_t cluster = stack.back();
            stack.pop_back();
            if (!leaves.live(cluster) || seen[cluster]) return "1: a node that is free, or in two places";
            seen[cluster] = true;
            ++nodes;
            const Cluster& k = at(cluster);
            uint32_t below = 0;
            for (uint32_t side : {0, 1}) {
                uint32_t child = k.child[side];
                if (child == NONE) continue;
                if (child >= leaves.count() || !k.split) return "1: a child of a bucket that was not split";
                const Cluster& b = at(child);
                if (b.above != cluster || b.top != k.top) return "1: a bucket that is not below the one above it";
                if (b.level >= k.level || !inside(b.first, k) || side_of(b.first, k.level) != side ||
                    cell_of(b.first, b.level) != b.first)
                    return "3: a bucket that is no cell in its half of the bucket above";
                stack.push_back(child);
                ++below;
            }
            if (k.directory != NONE) {
                if (k.directory >= directories.count() || !directories.live(k.directory)) return "2: a free directory";
                if (k.top != NONE && !k.split && k.level) return "6: a leaf bucket that could be split is partitioned";
                uint32_t n = directories.size(k.directory);
                for (uint32_t i = 0; i < n; ++i, ++tops, ++below) {
                    uint32_t attribute = directories.items(k.directory)[2 * i];
                    uint32_t top = directories.items(k.directory)[2 * i + 1];
                    if (top >= leaves.count() || at(top).top != top || at(top).above != cluster ||
                        at(top).attribute != attribute || at(top).place != i ||
                        partitions.find(slot_of(cluster, attribute)) != top)
                        return "2: a p-node that its directory does not lead to";
                    if (at(top).first || at(top).level != at(top).bits || at(top).bits > 64)
                        return "3: a top bucket that is not the domain";
                    for (uint32_t up = cluster; at(up).top != NONE; up = at(at(up).top).above)
                        if (at(at(up).top).attribute == attribute) return "4: an attribute twice on a way";
                    stack.push_back(top);
                }
            }
            if (way_to(cluster).size() > MOST_PARTITIONS) return "4: a way that is too long";
            if (!below && !k.entries && cluster != ROOT) return "8: an empty node";
            if (k.entries > k.capacity) return "8: an l-node beyond its capacity";
        }
        if (partitions.size() != tops) return "2: partitions that no directory has";
        for (uint32_t cluster = 0; cluster < leaves.count(); ++cluster)
            if (leaves.live(cluster)) --nodes;
        return nodes ? "1: nodes out of reach" : "";
    }
    std::string check_clauses(const Clauses& c) const {
        std::vector<uint32_t> counted(leaves.count(), 0);
        size_t placed = 0, live = 0;
        if (clause_cluster.size() != clause_place.size() || clause_cluster.size() < c.count) return "5: lengths";
        for (uint32_t cluster = 0; cluster < leaves.count(); ++cluster) {
            if (!leaves.live(cluster)) continue;
            std::vector<Step> way = way_to(cluster);
            uint32_t entries = 0, dead = 0, size = leaves.size(cluster);
            for (uint32_t place = 0, length; place < size; place += length) {
                const Unit& entry = units(cluster)[place];
                length = length_of(entry);
                if (!length || length > size - place) return "5: an entry that does not end";
                if (entry.extra == DEAD) {
                    dead += length;
                    continue;
                }
                uint32_t clause = entry.head;
                if (clause >= c.count || c.owner[clause] != entry.extra) return "5: an entry of no clause";
                if (clause_cluster[clause] != cluster || clause_place[clause] != place)
                    return "5: a clause that is not where it should be";
                std::string problem = check_entry(c, cluster, way, &entry, counted);
                if (!problem.empty()) return problem;
                ++entries;
            }
            if (entries != at(cluster).entries || dead != at(cluster).dead) return "5: number of entries";
            placed += entries;
        }
        for (uint32_t clause = 0; clause < c.count; ++clause) live += c.owner[clause] != DEAD;
        if (placed != live || totals[LIVE] != live) return "5: a clause without entry";
        for (uint32_t cluster = 0; cluster < leaves.count(); ++cluster)
            if (leaves.live(cluster) && at(cluster).top == cluster && counted[cluster] != at(cluster).clauses)
                return "4: number of clauses of a p-node";
        return "";
    }
    std::string check_entry(const Clauses& c, uint32_t cluster, const std::vector<Step>& way, const Unit* entry,
                            std::vector<uint32_t>& counted) const {
        uint32_t clause = entry->head;
        for (uint32_t up = cluster; at(up).top != NONE; up = at(at(up).top).above) {
            const Cluster& k = at(up);
            Domain d = domain(k.top);
            Hull hull;
            ++counted[k.top];
            if (!hull_on(c, clause, at(k.top).attribute, hull)) return "4: a clause that does not need the attribute";
            Home home = home_of(hull, d);
            if (!fits(hull, d)) return "6: a clause beyond the domain";
            if (home.level > k.level || !inside(home.offset, k)) return "6: a clause that its bucket does not enclose";
            if (k.split && home.level < k.level) return "6: a clause that a smaller bucket encloses";
        }
        auto sorted = [](const Unit* unit, const Unit* end) {  // predicates, in any order
            std::vector<std::vector<uint64_t>> found;
            while (unit < end) {
                found.emplace_back();
                for (const Unit* next = unit + 1 + betree_more_units(*unit); unit < next && unit < end; ++unit)
                    found.back().insert(found.back().end(), {unit->head, unit->extra, unit->operand});
            }
            std::sort(found.begin(), found.end());
            return found;
        };
        std::vector<Unit> wanted;
        for (uint32_t p = c.begin[clause]; p < c.begin[clause + 1]; ++p) betree_encode(c, p, way, wanted);
        if (sorted(entry + 1, entry + length_of(*entry)) != sorted(wanted.data(), wanted.data() + wanted.size()))
            return "7: an entry that does not say what is left to check";
        return "";
    }

    Buffer<uint32_t> clusters;
    Lists<4> leaves;       // by cluster: units
    Lists<2> directories;  // attribute, top bucket
    IntMap partitions;     // cluster << 32 | attribute -> top bucket
    Buffer<uint32_t> clause_cluster, clause_place;
    Buffer<Key> attribute_low, attribute_high;  // of the operands that were seen
    Buffer<uint32_t> expression_count, event_count;
    Buffer<uint64_t> totals;
    uint32_t fixed_capacity_, min_size_;
    std::vector<uint32_t> pending_;  // clusters that may overflow; empty between two calls
    std::vector<Unit> units_, others_;
    std::vector<Hull> hulls_;
};

}  // namespace boolsieve
