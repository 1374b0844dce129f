// What PSTBloom and PSTHash share: PS-Trees over the access predicates of clauses, and lists of records at their
// spaces. PSTBloom has one access predicate a clause, PSTHash up to N. The engines' files tell the idea and the costs.
//
// Trees. An attribute has up to seven PS-Trees, by what its predicates cover: points (= and IN), five widths of ranges,
// and the whole line (!=, NOT IN and other predicates that only need the attribute's presence). A tree of ranges is cut
// at so many of their ends that a range covers COPIES spaces on average; ranges 16 times narrower have a tree of
// their own, with 16 times more cuts. So a clause has a bounded number of records, also where each range has ends of
// its own, for which the paper's partition at every end takes quadratic space. A space that a range covers in part
// holds it too, and then the clause's check decides.
//
// Records. Four words: tail, expression, attribute * 8 + flags, signature. The signature belongs to the most selective
// of the clause's other predicates. Each attribute's line is divided into up to 32 quanta; bit i says whether the
// predicate accepts a key of quantum i. An event has one bit an attribute, none where it is absent; so one AND rejects
// a record without looking at the clause. The paper puts Bloom filters of clause ids into the spaces of all other
// predicates and asks these; that asks the same, but touches another place of memory for each candidate, has an entry
// for each space that a wide predicate covers, and cannot forget an id. A signature in the record goes with the record.
// CERTAIN records need no check: access and signature decide all predicates.
//
// Tails. What a record leaves open is decided by its clause's tail: the other predicates, in codes of 16 bits. Each
// attribute's line is divided into up to 65,520 steps at its operands, and an event's value is looked up once. A tail
// lies in one or two lines of memory, where a clause in the store lies in seven. What codes cannot say exactly
// (operands that were not seen when the steps were made, texts beyond their order keys) is decided by the store.
//
// Rebuilding. Everything is built in one go from all clauses, with knowledge of all: bulk loads, and whenever the
// clauses have grown by half. In between, a clause is put into the trees as they are: points are cut out always, ranges
// where the space that they cut is empty. Removal blanks the signature of a record. So updates are amortised, and the
// copying of records at a cut happens for all cuts at once.
//
// Choice. The access predicates are those that the fewest events satisfy. With a history of sampled events, that is
// counted in it. Without, an event is taken to have an attribute as often as clauses ask for it, and to satisfy a
// predicate by the share of quanta that it covers: among predicates on one attribute this is the paper's ranking of
// operators, by width within it.
//
//   buffer             type    length          meaning
//   trees.*            -       -               PS-Trees (pstree.hpp)
//   head               uint32  attributes      an attribute's first tree, or NONE
//   tree_next          uint32  trees           its next tree, or NONE
//   tree_kind          uint32  trees           POINTS, a width, WHOLE
//   list_of            uint32  spaces          the records of clauses with this space alone, or NONE
//   joined             uint32  spaces          the map of a space that clauses have together with others, or NONE
//   maps.*             -       -               (small_maps.hpp) of a space or of several: a further, greater space ->
//                                              the list of clauses with all these; further space + GOES_ON -> the map
//                                              of all these
//   records.*          -       -               lists of records (lists.hpp), by rising tail
//   tails              uint32  -               of each clause: the clause; length * 2, + 1 if the store must decide;
//                                              then for each predicate head and code range (low, width) or head, n and
//                                              n codes
//   tail_of            uint32  clauses         where a clause's tail is
//   choice             uint16  clauses * N     access predicates: place in the clause * 8 + kind of tree; or NO_CHOICE
//   cut_begin          uint32  attributes + 1  where an attribute's quanta are in `cuts`
//   cuts               uint64  -               the first key of each quantum but the first
//   step_begin, steps  uint32, uint64          the same for steps
//   asked              float   attributes      the share of clauses that ask for an attribute
//   history_attribute  uint32  cells           the sampled events: attributes, sorted
//   history_key        uint64  cells           keys, sorted for each attribute
//   numbers            uint64  NUMBERS         see Number
//
// Invariants (check asserts them by number)
//   1. Those of the trees, of the records and of the maps.
//   2. A clause is in the index if its first choice is not NO_CHOICE; then each combination of spaces that its choices
//      cover has exactly one record of it, and no other list has a record of it with a signature.
//   3. Records of a list rise by tail. A record names the clause's expression.
//   4. A signature has the bit of each quantum in which its predicate holds for some key. A CERTAIN record's predicates
//      are all decided. A tail says nothing that is not so, and all that the records leave open unless it asks the
//      store.
//   5. An attribute has at most 31 cuts, which rise.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "clauses.hpp"
#include "lists.hpp"
#include "pstree.hpp"
#include "scratch.hpp"
#include "small_maps.hpp"

namespace boolsieve {

class PSTIndex {
  public:
    static constexpr uint32_t NONE = 0xFFFFFFFFu;
    static constexpr uint32_t MOST_ACCESS = 8;

    explicit PSTIndex(uint32_t access_predicates = 1) : access_(access_predicates) {}

    void insert(const Clauses& c, uint32_t first, uint32_t count) {
        if (!count) return;
        uint64_t built = number(BUILT);
        if (built < SMALL || number(SINCE) + count > built / 2) {
            std::vector<uint32_t> clauses;
            clauses.reserve(number(LIVE) + count);
            for (uint32_t i = 0; i < first; ++i)
                if (holds(i)) clauses.push_back(i);
            for (uint32_t i = first; i < first + count; ++i) clauses.push_back(i);
            rebuild(c, clauses);
            return;
        }
        size_t before = choice.size();
        uint32_t done = first;
        try {
            choice.resize(size_t(first + count) * access_, NO_CHOICE);
            tail_of.resize(first + count, NONE);
            grow_attributes(c.attributes);
            Chooser chooser(*this);
            for (; done < first + count; ++done) insert_one(c, chooser, done);
        } catch (...) {  // the one that failed may have some of its records, which all carry its number
            for (uint32_t i = first; i <= done && size_t(i + 1) * access_ <= choice.size(); ++i) erase(c, i);
            choice.resize(before);
            throw;
        }
        add(SINCE, count);
        add(LIVE, count);
    }

    void remove(const Clauses& c, uint32_t first, uint32_t count) {
        for (uint32_t i = first; i < first + count; ++i) {
            if (!holds(i)) continue;
            erase(c, i);
            numbers.set(LIVE, numbers[LIVE] - 1);
        }
    }

    void match(const Clauses& c, Scratch& s) const {
        Own& own = s.own<Own>();
        const Event& event = s.event;
        if (own.bits.size() < event.table.size()) {
            own.bits.resize(event.table.size());
            own.code.resize(event.table.size());
        }
        own.lists.clear();
        own.spaces.clear();
        for (uint32_t a : event.attributes) {
            Key key = event.table[a];
            own.bits[a] = a ? 1u << quantum(a, key).at : ~0u;
            own.code[a] = step(a, key).at + 1;
            if (a >= head.size()) continue;
            for (uint32_t tree = head.data()[a]; tree != NONE; tree = tree_next.data()[tree]) {
                uint32_t space = trees.locate(tree, key);
                if (list_of.data()[space] != NONE) own.lists.push_back(list_of.data()[space]);
                if (joined.data()[space] != NONE) own.spaces.push_back({space, joined.data()[space]});
            }
        }
        join(own);
        own.candidates.clear();
        uint64_t certain = 0;
        constexpr size_t AHEAD = 8;
        for (size_t i = 0; i < own.lists.size(); ++i) {
            if (i + AHEAD < own.lists.size()) __builtin_prefetch(records.items(own.lists[i + AHEAD]));
            certain += scan(own.lists[i], own, s.found);
        }
        uint64_t evaluated = verify(c, own, event, s.found);
        for (uint32_t a : event.attributes) own.bits[a] = own.code[a] = 0;
        ++s.counters.events;
        s.counters.candidates += certain + own.candidates.size();
        s.counters.predicates += evaluated;
    }

    // Adds the sample to the history, and builds anew if that is due: the time that went into reading records since
    // the last time pays for it, and the history has not been used or events have changed.
    void learn(const Clauses& c, const Sample& sample) {
        if (!number(LIVE) || !sample.events) return;
        uint64_t reads = 0;
        for (const Cell& cell : sample.cells) {
            if (cell.attribute >= head.size()) continue;
            for (uint32_t tree = head[cell.attribute]; tree != NONE; tree = tree_next[tree]) {
                uint32_t list = list_of[trees.locate(tree, cell.key)];
                if (list != NONE) reads += records.size(list);
            }
        }
        take_history(sample);
        uint64_t lessons = number(LESSONS);
        numbers.set(LESSONS, lessons + 1);
        // The index samples every 2^k-th event, up to every 64th.
        add(READS, (reads + uint64_t(EVENT_READS) * sample.events) << std::min<uint64_t>(lessons, 6));
        uint64_t each = reads / sample.events;
        bool changed = !number(LEARNED) || each > 2 * number(LEARNED_READS) + EVENT_READS;
        if (!changed || number(READS) < REBUILD_READS * number(LIVE)) return;
        std::vector<uint32_t> clauses;
        for (uint32_t i = 0; i < choice.size() / access_; ++i)
            if (holds(i)) clauses.push_back(i);
        rebuild(c, clauses);
        numbers.set(READS, 0);
        numbers.set(LEARNED, 1);
        numbers.set(LEARNED_READS, each);
    }

    template <class F>
    void each_buffer(F f) {
        auto within = [&f](const char* prefix) {
            return [&f, prefix](const char* name, BufferBase& b) { f((std::string(prefix) + name).c_str(), b); };
        };
        trees.each_buffer(within("trees."));
        f("head", head);
        f("tree_next", tree_next);
        f("tree_kind", tree_kind);
        f("list_of", list_of);
        f("joined", joined);
        maps.each_buffer(within("maps."));
        records.each_buffer(within("records."));
        f("tails", tails);
        f("tail_of", tail_of);
        f("choice", choice);
        f("cut_begin", cut_begin);
        f("cuts", cuts);
        f("step_begin", step_begin);
        f("steps", steps);
        f("asked", asked);
        f("history_attribute", history_attribute);
        f("history_key", history_key);
        f("numbers", numbers);
    }

    // The invariant that does not hold, or an empty string. For tests.
    std::string check(const Clauses& c) const {
        for (const char* problem : {trees.check(), records.check(), maps.check()})
            if (problem) return std::string("1: ") + problem;
        for (uint32_t a = 0; a + 1 < cut_begin.size(); ++a) {
            if (cut_begin[a + 1] - cut_begin[a] >= QUANTA) return "5: too many cuts";
            for (uint32_t i = cut_begin[a] + 1; i < cut_begin[a + 1]; ++i)
                if (cuts[i - 1] >= cuts[i]) return "5: order";
        }
        std::vector<uint32_t> seen(c.count), wanted(c.count);
        std::string problem;
        for (uint32_t list = 0; list < records.count(); ++list) {
            const uint32_t* r = records.items(list);
            for (uint32_t i = 0; i < records.size(list); ++i, r += 4) {
                if (i && r[-4] >= r[0]) return "3: order";
                if (!r[3]) continue;
                uint32_t clause = r[0] + 1 < tails.size() ? tails[r[0]] : NONE;
                if (clause >= c.count || r[1] != c.owner[clause]) return "3: expression";
                ++seen[clause];
            }
        }
        uint64_t live = 0;
        for (uint32_t i = 0; i < c.count && size_t(i) * access_ < choice.size(); ++i) {
            if (!holds(i)) continue;
            ++live;
            Placing placing;
            place(c, i, placing);
            each_combination(placing, [&](const uint32_t* spaces, bool exact) {
                ++wanted[i];
                uint32_t list = find_list(spaces, placing.parts);
                uint32_t at = list == NONE ? NONE : find_record(list, tail_of[i]);
                if (at == NONE) {
                    problem = "2: a record is missing";
                    return;
                }
                const uint32_t* r = records.items(list) + size_t(at) * 4;
                auto same = [&](uint32_t p) {
                    std::vector<uint32_t> tail;
                    Seal s = seal(c, i, placing, p);
                    write_tail(c, i, placing, p, s.exact, tail);
                    auto record = record_of(s, tail_of[i], exact);
                    return std::equal(record.begin(), record.end(), r) && tail.size() <= tails.size() - tail_of[i] &&
                           std::equal(tail.begin(), tail.end(), tails.data() + tail_of[i]);
                };
                bool good = same(NONE);
                for (uint32_t p = c.begin[i]; p < c.begin[i + 1]; ++p) good |= !placing.is_access(p) && same(p);
                if (!good) problem = "4: signature or tail";
            });
        }
        if (!problem.empty()) return problem;
        if (live != number(LIVE)) return "2: number of clauses";
        return seen == wanted ? "" : "2: records that no choice asks for";
    }

  private:
    enum TreeKind : uint32_t { POINTS = 0, RANGES = 1, WIDTHS = 5, WHOLE = 6 };
    enum Number { BUILT, SINCE, LIVE, LESSONS, READS, LEARNED, LEARNED_READS, HISTORY_EVENTS, NUMBERS };

    static constexpr uint16_t NO_CHOICE = 0xFFFF;
    static constexpr uint32_t MOST_PLACES = NO_CHOICE / 8;  // predicates further back in a clause give no access
    static constexpr uint32_t GOES_ON = 0x80000000u;
    static constexpr uint32_t CERTAIN = 1;
    static constexpr uint32_t QUANTA = 32;
    static constexpr uint32_t SMALL = 32;              // fewer clauses are built anew at each insert
    static constexpr uint32_t COPIES = 8;              // spaces that a range covers on average
    static constexpr uint32_t MOST_COMBINATIONS = 16;  // beyond it a clause has one access predicate less
    static constexpr size_t READ_CELLS = 8;            // reading so many cells takes as long as a look-up
    static constexpr uint32_t CUT_ALL = 64;            // so many ranges are cut at all ends, and are all of one width
    static constexpr uint32_t MOST_STEPS = 0xFFF0;     // codes have 16 bits
    static constexpr uint32_t MOST_MEMBERS = 32;       // of a set in a tail
    static constexpr uint32_t OPERANDS = 2048;         // of an attribute, that its quanta and steps are made from
    static constexpr uint32_t ALL_OPERANDS = 4 << 20;  // of all attributes, about
    static constexpr uint32_t HISTORY = 1024;          // events
    // Building takes as long as reading so many records a clause (1 us against 2 ns, and a quarter of the time at
    // most).
    static constexpr uint64_t REBUILD_READS = 2000;
    static constexpr uint32_t EVENT_READS = 5000;  // what an event costs at least, in the same measure

    struct Candidate {
        uint32_t tail, owner;
    };
    struct Joined {
        uint32_t space, map;
    };
    struct Own : EngineScratch {
        std::vector<uint32_t> bits;  // by attribute, 0 where absent; all 0 between events
        std::vector<uint32_t> code;  // by attribute: 1 + how many steps are at or below the key, 0 where absent
        std::vector<uint32_t> lists;
        std::vector<Joined> spaces;
        std::vector<uint64_t> here;  // a bit for each of them; all 0 between events
        uint32_t limit;              // of the numbers of spaces
        std::vector<Candidate> candidates;
    };

    // The spaces of one access predicate, and those of all.
    struct Part {
        uint32_t predicate;
        std::vector<uint32_t> spaces;
        std::vector<uint8_t> exact;  // the predicate holds in all of the space
    };
    struct Placing {
        std::array<Part, MOST_ACCESS> part;
        uint32_t parts = 0;
        bool is_access(uint32_t p) const noexcept {
            for (uint32_t i = 0; i < parts; ++i)
                if (part[i].predicate == p) return true;
            return false;
        }
    };

    uint64_t number(Number n) const noexcept { return numbers.size() ? numbers[n] : 0; }
    void add(Number n, uint64_t more) { numbers.set(n, numbers[n] + more); }
    bool holds(uint32_t clause) const noexcept {
        return size_t(clause) * access_ < choice.size() && choice[size_t(clause) * access_] != NO_CHOICE;
    }
    static uint32_t kind_of(const Clauses& c, uint32_t p) noexcept { return c.head[p] & KIND_MASK; }
    static uint32_t attribute_of(const Clauses& c, uint32_t p) noexcept { return c.head[p] >> KIND_BITS; }
    static bool is_point(const Clauses& c, uint32_t p) noexcept {
        return kind_of(c, p) == PREDICATE_IN || (kind_of(c, p) == PREDICATE_RANGE && c.low[p] == c.high[p]);
    }
    // The points of a predicate.
    static const Key* points(const Clauses& c, uint32_t p, uint32_t& n) noexcept {
        if (kind_of(c, p) == PREDICATE_IN) {
            n = uint32_t(c.high[p]);
            return c.sets + c.low[p];
        }
        n = 1;
        return c.low + p;
    }

    // Quanta and signatures.

    // Where a key lies among an attribute's cuts or steps.
    struct Spot {
        uint32_t at;  // how many of them are at or below the key
        bool begins;  // one is at the key, or nothing lies below it
        bool ends;    // one is right after the key, or nothing lies above it
    };
    static Spot spot(const Buffer<uint32_t>& begin, const Buffer<Key>& keys, uint32_t attribute, Key key) noexcept {
        Spot s{0, key <= KEY_LOWEST, key == KEY_HIGHEST};
        if (attribute + 1 >= begin.size()) return s;
        const Key* first = keys.data() + begin.data()[attribute];
        uint32_t all = begin.data()[attribute + 1] - begin.data()[attribute], n = all;
        while (n) {
            uint32_t half = (n + 1) / 2;
            s.at += first[s.at + half - 1] <= key ? half : 0;
            n -= half;
        }
        s.begins |= s.at && first[s.at - 1] == key;
        s.ends |= s.at < all && first[s.at] == key + 1;
        return s;
    }
    Spot quantum(uint32_t attribute, Key key) const noexcept { return spot(cut_begin, cuts, attribute, key); }
    Spot step(uint32_t attribute, Key key) const noexcept { return spot(step_begin, steps, attribute, key); }
    // Whether a predicate holds for keys of a quantum; whether the answer is the same for all keys of it.
    uint32_t signature(const Clauses& c, uint32_t p, bool& exact) const noexcept {
        uint32_t a = attribute_of(c, p), kind = kind_of(c, p);
        exact = false;
        if (kind == PREDICATE_RANGE || kind == PREDICATE_NOT_RANGE) {
            Spot from = quantum(a, c.low[p]), to = quantum(a, c.high[p]);
            exact = from.begins && to.ends;
            if (kind == PREDICATE_RANGE) return (~0u << from.at) & (~0u >> (31 - to.at));
            uint32_t out = ~0u;  // all but the quanta that lie inside
            for (uint32_t q = from.at; q <= to.at; ++q)
                if ((q > from.at || from.begins) && (q < to.at || to.ends)) out &= ~(1u << q);
            return out;
        }
        if (kind == PREDICATE_IN || kind == PREDICATE_NOT_IN) {
            uint32_t in = 0, alone = 0;
            exact = true;
            for (uint64_t i = 0; i < c.high[p]; ++i) {
                Spot q = quantum(a, c.sets[c.low[p] + i]);
                in |= 1u << q.at;
                if (q.begins && q.ends)
                    alone |= 1u << q.at;
                else
                    exact = false;
            }
            return kind == PREDICATE_IN ? in : ~alone;
        }
        return ~0u;  // the attribute must be there
    }

    // Estimates how often events satisfy predicates, and chooses.
    struct Chooser {
        const PSTIndex& index;
        float events;
        struct Option {
            float share;
            uint32_t predicate, spaces;
        };
        std::vector<Option> options;

        explicit Chooser(const PSTIndex& of) : index(of), events(float(of.number(HISTORY_EVENTS))) {}
        float in_history(uint32_t a, Key low, Key high) const noexcept {
            const uint32_t *attributes = index.history_attribute.data(),
                           *end = attributes + index.history_attribute.size();
            auto [from, to] = std::equal_range(attributes, end, a);
            const Key *first = index.history_key.data() + (from - attributes), *last = first + (to - from);
            return float(std::upper_bound(first, last, high) - std::lower_bound(first, last, low));
        }
        float share(const Clauses& c, uint32_t p) const noexcept {
            uint32_t a = attribute_of(c, p);
            uint32_t quanta = a + 1 < index.cut_begin.size() ? index.cut_begin[a + 1] - index.cut_begin[a] + 1 : 1;
            bool exact;
            float covered =
                float(__builtin_popcount(index.signature(c, p, exact) & (~0u >> (32 - quanta)))) / float(quanta);
            if (is_point(c, p))
                covered *= 0.5f;  // a point is narrower than its quantum
            else if (c.low[p] <= KEY_LOWEST || c.high[p] == KEY_HIGHEST)
                covered *= 2;  // < and > go after BETWEEN
            float prior = a < index.asked.size() ? index.asked[a] * covered : 0;
            if (!events) return prior;
            float hits = 0;
            if (is_point(c, p)) {
                uint32_t n;
                const Key* key = points(c, p, n);
                for (uint32_t i = 0; i < n; ++i) hits += in_history(a, key[i], key[i]);
            } else if (kind_of(c, p) == PREDICATE_RANGE) {
                hits = in_history(a, c.low[p], c.high[p]);
            } else {
                hits = in_history(a, KEY_LOWEST, KEY_HIGHEST);
            }
            return (hits + prior) / (events + 1);
        }
        // The predicates by rising share; of an attribute the first.
        void rank(const Clauses& c, uint32_t clause) {
            options.clear();
            uint32_t end = std::min(c.begin[clause + 1], c.begin[clause] + MOST_PLACES);
            for (uint32_t p = c.begin[clause]; p < end; ++p) {
                uint32_t kind = kind_of(c, p);
                if (kind == PREDICATE_ABSENT || kind == PREDICATE_NEVER) continue;
                uint32_t spaces = 1;
                if (is_point(c, p))
                    points(c, p, spaces);
                else if (natural_kind(c, p) == RANGES)
                    spaces = COPIES / 2;
                options.push_back({attribute_of(c, p) ? share(c, p) : 2.0f, p, spaces});
            }
            std::stable_sort(options.begin(), options.end(),
                             [](const Option& x, const Option& y) { return x.share < y.share; });
        }
        // Up to n access predicates; at least one. Writes n choices.
        void choose(const Clauses& c, uint32_t clause, uint32_t n, uint16_t* out) {
            rank(c, clause);
            std::fill(out, out + n, NO_CHOICE);
            uint64_t combinations = 1;
            uint32_t chosen = 0;
            for (size_t i = 0; i < options.size() && chosen < n; ++i) {
                const Option& o = options[i];
                if (chosen && combinations * o.spaces > MOST_COMBINATIONS) continue;
                if (chosen && !attribute_of(c, o.predicate)) continue;  // always there: nothing gained
                bool again = false;
                for (uint32_t j = 0; j < chosen; ++j)
                    again |= attribute_of(c, c.begin[clause] + out[j] / 8) == attribute_of(c, o.predicate);
                if (again) continue;
                combinations *= o.spaces;
                out[chosen++] = uint16_t((o.predicate - c.begin[clause]) * 8 + natural_kind(c, o.predicate));
            }
        }
        // The most selective predicate without access, or NONE; after rank.
        uint32_t next_best(const Placing& placing) const noexcept {
            for (const Option& o : options)
                if (!placing.is_access(o.predicate)) return o.predicate;
            return NONE;
        }
    };

    static uint32_t natural_kind(const Clauses& c, uint32_t p) noexcept {
        if (is_point(c, p)) return POINTS;
        if (kind_of(c, p) != PREDICATE_RANGE || (c.low[p] <= KEY_LOWEST && c.high[p] == KEY_HIGHEST)) return WHOLE;
        return RANGES;
    }

    // Trees.

    uint32_t find_tree(uint32_t attribute, uint32_t kind) const noexcept {
        if (attribute >= head.size()) return NONE;
        uint32_t tree = head[attribute];
        while (tree != NONE && tree_kind[tree] != kind) tree = tree_next[tree];
        return tree;
    }
    uint32_t need_tree(uint32_t attribute, uint32_t kind) {
        uint32_t tree = find_tree(attribute, kind);
        if (tree != NONE) return tree;
        tree_next.reserve_more(1);
        tree_kind.reserve_more(1);
        reserve_spaces();
        tree = trees.add_tree();
        tree_next.push_back(head[attribute]);
        tree_kind.push_back(kind);
        head.set(attribute, tree);
        cover_spaces();
        return tree;
    }
    void reserve_spaces() {  // for what a cut or a new tree adds; so it fails before anything is changed
        list_of.reserve_more(2);
        joined.reserve_more(2);
    }
    void cover_spaces() {
        list_of.resize(trees.space_limit(), NONE);
        joined.resize(trees.space_limit(), NONE);
    }
    void grow_attributes(uint32_t n) {
        if (head.size() < n) head.resize(n, NONE);
    }
    static void no_split(uint32_t, uint32_t) noexcept {}
    void cut_before(uint32_t tree, Key key) {
        reserve_spaces();
        trees.cut(tree, key, false, no_split);
        cover_spaces();
    }
    void cut_point(uint32_t tree, Key key) {
        reserve_spaces();
        trees.cut(tree, key, false, no_split);
        cover_spaces();
        trees.cut(tree, key, true, no_split);
        cover_spaces();
    }
    bool ends_before(uint32_t tree, Key key) const noexcept {  // whether a space ends just before the key
        return key <= KEY_LOWEST || trees.locate(tree, key) != trees.locate(tree, key - 1);
    }
    bool empty(uint32_t space) const noexcept { return list_of[space] == NONE && joined[space] == NONE; }

    // The spaces of the access predicates.
    void place(const Clauses& c, uint32_t clause, Placing& placing) const {
        placing.parts = 0;
        for (uint32_t i = 0; i < access_; ++i) {
            uint16_t chosen = choice[size_t(clause) * access_ + i];
            if (chosen == NO_CHOICE) break;
            Part& part = placing.part[placing.parts++];
            part.spaces.clear();
            part.exact.clear();
            uint32_t p = part.predicate = c.begin[clause] + chosen / 8;
            uint32_t tree = find_tree(attribute_of(c, p), chosen % 8);
            if (chosen % 8 == POINTS) {
                uint32_t n;
                const Key* key = points(c, p, n);
                for (uint32_t j = 0; j < n; ++j) part.spaces.push_back(trees.locate(tree, key[j]));
                part.exact.assign(n, 1);
                continue;
            }
            bool whole = chosen % 8 == WHOLE;
            Key low = whole ? KEY_LOWEST : c.low[p], high = whole ? KEY_HIGHEST : c.high[p];
            trees.each_covered(tree, &low, &high, [&](uint32_t space) { part.spaces.push_back(space); });
            part.exact.assign(part.spaces.size(), kind_of(c, p) == PREDICATE_RANGE);
            if (whole && natural_kind(c, p) != WHOLE) part.exact.front() = 0;
            if (!whole && !ends_before(tree, low)) part.exact.front() = 0;
            if (!whole && high != KEY_HIGHEST && !ends_before(tree, high + 1)) part.exact.back() = 0;
        }
        std::sort(placing.part.begin(), placing.part.begin() + placing.parts, [](const Part& x, const Part& y) {
            return x.predicate < y.predicate;  // any fixed order; the combinations are sorted one by one
        });
    }
    // f(spaces, rising; whether all parts are exact there)
    template <class F>
    void each_combination(const Placing& placing, F f) const {
        std::array<uint32_t, MOST_ACCESS> at{}, spaces;
        uint32_t n = placing.parts;
        for (;;) {
            bool exact = true;
            for (uint32_t i = 0; i < n; ++i) {
                spaces[i] = placing.part[i].spaces[at[i]];
                exact &= placing.part[i].exact[at[i]] != 0;
            }
            std::sort(spaces.begin(), spaces.begin() + n);
            f(spaces.data(), exact);
            uint32_t i = n;
            while (i && ++at[i - 1] == placing.part[i - 1].spaces.size()) at[--i] = 0;
            if (!i) return;
        }
    }
    uint32_t find_list(const uint32_t* spaces, uint32_t n) const noexcept {
        if (n == 1) return list_of[spaces[0]];
        uint32_t map = joined[spaces[0]];
        for (uint32_t i = 1; i + 1 < n && map != NONE; ++i) map = maps.find(map, spaces[i] | GOES_ON);
        return map == NONE ? NONE : maps.find(map, spaces[n - 1]);
    }
    // The list of a combination; `fresh` makes a new one.
    template <class Fresh>
    uint32_t need_list(const uint32_t* spaces, uint32_t n, Fresh fresh) {
        if (n == 1) {
            if (list_of[spaces[0]] == NONE) list_of.set(spaces[0], fresh());
            return list_of[spaces[0]];
        }
        for (uint32_t i = 0; i < n; ++i)
            if (joined[spaces[i]] == NONE) joined.set(spaces[i], maps.add());
        uint32_t map = joined[spaces[0]];
        for (uint32_t i = 1; i + 1 < n; ++i) map = need(map, spaces[i] | GOES_ON, [this] { return maps.add(); });
        return need(map, spaces[n - 1], fresh);
    }
    template <class Fresh>
    uint32_t need(uint32_t map, uint32_t key, Fresh fresh) {
        uint32_t value = maps.find(map, key);
        if (value == NONE) maps.set(map, key, value = fresh());
        return value;
    }

    // Appends to `out` what records leave open: clause; words that follow * 2, + 1 if the clause must be looked at; the
    // predicates in codes, ranges first. Left out are points that give access and an exact signature's predicate p.
    void write_tail(const Clauses& c, uint32_t clause, const Placing& placing, uint32_t p, bool signed_exactly,
                    std::vector<uint32_t>& out) const {
        size_t from = out.size();
        bool open = false;
        out.push_back(clause);
        out.push_back(0);
        for (bool ranges : {true, false})
            for (uint32_t q = c.begin[clause]; q < c.begin[clause + 1]; ++q) {
                if ((kind_of(c, q) == PREDICATE_RANGE) != ranges) continue;
                if ((q == p && signed_exactly) || (is_point(c, q) && placing.is_access(q))) continue;
                open |= !write_codes(c, q, out);
            }
        out[from + 1] = uint32_t(out.size() - from - 2) * 2 + open;
    }
    // A predicate in codes; whether they say all. A predicate that holds only in its codes may be given roughly.
    bool write_codes(const Clauses& c, uint32_t p, std::vector<uint32_t>& out) const {
        uint32_t kind = kind_of(c, p), a = attribute_of(c, p);
        if (kind == PREDICATE_ABSENT) {
            out.push_back(c.head[p]);
            return true;
        }
        if (kind == PREDICATE_RANGE || kind == PREDICATE_NOT_RANGE) {
            Spot low = step(a, c.low[p]), high = step(a, c.high[p]);
            bool known = low.begins && high.ends;
            if (!known && kind == PREDICATE_NOT_RANGE) return false;
            out.push_back(c.head[p]);
            out.push_back((low.at + 1) | (high.at - low.at) << 16);
            return known;
        }
        if ((kind == PREDICATE_IN || kind == PREDICATE_NOT_IN) && c.high[p] <= MOST_MEMBERS) {
            bool known = true;
            size_t at = out.size();
            uint32_t n = uint32_t(c.high[p]);
            out.push_back(c.head[p]);
            out.push_back(n);
            for (uint32_t i = 0; i < n; ++i) {
                Spot member = step(a, c.sets[c.low[p] + i]);
                known &= member.begins && member.ends;
                if (i % 2)
                    out.back() |= (member.at + 1) << 16;
                else
                    out.push_back(member.at + 1);
            }
            if (!known && kind == PREDICATE_NOT_IN) out.resize(at);
            return known;
        }
        return false;
    }

    // What all records of a clause say, with the signature of predicate p (or NONE).
    struct Seal {
        uint32_t owner, place, signature;
        bool exact;    // the signature decides its predicate
        bool decides;  // nothing is open where all access predicates hold
    };
    Seal seal(const Clauses& c, uint32_t clause, const Placing& placing, uint32_t p) const noexcept {
        Seal s{c.owner[clause], 0, ~0u, true, true};
        if (p != NONE) {
            s.place = attribute_of(c, p) << 3;
            s.signature = signature(c, p, s.exact);
        }
        s.decides = s.exact && placing.parts + (p != NONE) == c.begin[clause + 1] - c.begin[clause];
        return s;
    }
    // The record in spaces where the access predicates hold everywhere (exact), or not.
    static std::array<uint32_t, 4> record_of(const Seal& s, uint32_t tail, bool exact) noexcept {
        return {tail, s.owner, s.place | (exact && s.decides ? CERTAIN : 0), s.signature};
    }

    // Updates.

    void insert_one(const Clauses& c, Chooser& chooser, uint32_t clause) {
        std::array<uint16_t, MOST_ACCESS> chosen;
        chooser.choose(c, clause, access_, chosen.data());
        for (uint32_t i = 0; i < access_ && chosen[i] != NO_CHOICE; ++i) {
            uint32_t p = c.begin[clause] + chosen[i] / 8, a = attribute_of(c, p);
            if (chosen[i] % 8 == POINTS) {
                uint32_t n, tree = need_tree(a, POINTS);
                const Key* key = points(c, p, n);
                for (uint32_t j = 0; j < n; ++j)  // what lies between points is empty
                    if (empty(trees.locate(tree, key[j]))) cut_point(tree, key[j]);
            } else if (chosen[i] % 8 == WHOLE) {
                need_tree(a, WHOLE);
            } else {
                uint32_t kind = kind_for(a, c.low[p], c.high[p]);
                uint32_t tree = need_tree(a, kind);
                chosen[i] = uint16_t(chosen[i] / 8 * 8 + kind);
                if (kind == WHOLE) continue;
                if (c.low[p] > KEY_LOWEST && empty(trees.locate(tree, c.low[p]))) cut_before(tree, c.low[p]);
                if (c.high[p] < KEY_HIGHEST && empty(trees.locate(tree, c.high[p]))) cut_before(tree, c.high[p] + 1);
            }
        }
        std::copy(chosen.begin(), chosen.begin() + access_, choice.writable() + size_t(clause) * access_);
        Placing placing;
        place_bounded(c, clause, placing);
        uint32_t p = chooser.next_best(placing);
        Seal s = seal(c, clause, placing, p);
        std::vector<uint32_t> tail;
        write_tail(c, clause, placing, p, s.exact, tail);
        tail_of.set(clause, add_tail(tail.data(), tail.size()));
        each_combination(placing, [&](const uint32_t* spaces, bool exact) {
            uint32_t list = need_list(spaces, placing.parts, [&] { return checked_list(records.add()); });
            records.push(list, record_of(s, tail_of[clause], exact).data());
        });
    }
    uint32_t add_tail(const uint32_t* words, size_t n) {
        if (tails.size() + n >= NONE) throw std::length_error("the tails would hold more than 2^32 words");
        tails.append(words, n);
        return uint32_t(tails.size() - n);
    }
    static constexpr uint32_t EXACT = 0x80000000u;  // beside a list, where its records are built
    static uint32_t checked_list(size_t list) {
        if (list >= EXACT) throw std::length_error("there would be more than 2^31 lists");
        return uint32_t(list);
    }
    // Gives up access predicates while there are too many combinations: ranges cover more spaces than was foreseen.
    void place_bounded(const Clauses& c, uint32_t clause, Placing& placing) {
        for (;;) {
            place(c, clause, placing);
            uint64_t n = 1;
            for (uint32_t i = 0; i < placing.parts; ++i) n *= placing.part[i].spaces.size();
            if (placing.parts == 1 || n <= MOST_COMBINATIONS * COPIES) return;
            choice.set(size_t(clause) * access_ + placing.parts - 1, NO_CHOICE);
        }
    }
    // The tree for one more range: the one with the most cuts in which it covers few spaces. The whole line if it has
    // many in all of them, until the next rebuilding.
    uint32_t kind_for(uint32_t attribute, Key low, Key high) const {
        for (uint32_t kind = WIDTHS; kind >= RANGES; --kind) {
            uint32_t tree = find_tree(attribute, kind), most = (kind == RANGES ? 4 : 2) * COPIES;
            if (tree == NONE && kind > RANGES) continue;
            if (tree == NONE) return kind;
            uint32_t n = 1, end = trees.locate(tree, high);
            for (uint32_t space = trees.locate(tree, low); n <= most && space != end; ++n)
                space = trees.next_space(space);
            if (n <= most) return kind;
        }
        return WHOLE;
    }

    uint32_t find_record(uint32_t list, uint32_t tail) const noexcept {
        const uint32_t* r = records.items(list);
        uint32_t from = 0, n = records.size(list);
        while (n) {
            uint32_t half = n / 2;
            if (r[size_t(from + half) * 4] < tail) {
                from += half + 1;
                n -= half + 1;
            } else {
                n = half;
            }
        }
        return from < records.size(list) && r[size_t(from) * 4] == tail ? from : NONE;
    }
    void erase(const Clauses& c, uint32_t clause) {
        Placing placing;
        place(c, clause, placing);
        if (placing.parts)
            each_combination(placing, [&](const uint32_t* spaces, bool) {
                uint32_t list = find_list(spaces, placing.parts);
                uint32_t at = list == NONE ? NONE : find_record(list, tail_of[clause]);
                if (at != NONE) records.writable(list)[size_t(at) * 4 + 3] = 0;
            });
        uint16_t* chosen = choice.writable() + size_t(clause) * access_;
        std::fill(chosen, chosen + access_, NO_CHOICE);
    }

    // Building.

    void rebuild(const Clauses& c, const std::vector<uint32_t>& clauses) {
        PSTIndex fresh(access_);
        fresh.history_attribute.append(history_attribute.data(), history_attribute.size());
        fresh.history_key.append(history_key.data(), history_key.size());
        fresh.numbers.append(numbers.data(), numbers.size());
        fresh.numbers.resize(NUMBERS, 0);
        fresh.build(c, clauses);
        *this = std::move(fresh);
    }

    void build(const Clauses& c, const std::vector<uint32_t>& clauses) {
        numbers.set(BUILT, clauses.size());
        numbers.set(LIVE, clauses.size());
        numbers.set(SINCE, 0);
        grow_attributes(c.attributes);
        make_quanta(c, clauses);
        Chooser chooser(*this);
        choice.assign(size_t(clauses.empty() ? 0 : clauses.back() + 1) * access_, NO_CHOICE);
        std::vector<uint32_t> signed_by(clauses.size());
        std::vector<Range> ranges;
        Placing none;
        for (size_t i = 0; i < clauses.size(); ++i) {
            uint32_t clause = clauses[i];
            uint16_t* chosen = choice.writable() + size_t(clause) * access_;
            chooser.choose(c, clause, access_, chosen);
            none.parts = 0;
            for (uint32_t j = 0; j < access_ && chosen[j] != NO_CHOICE; ++j) {
                uint32_t p = c.begin[clause] + chosen[j] / 8, a = attribute_of(c, p), kind = chosen[j] % 8;
                none.part[none.parts++].predicate = p;
                if (kind == RANGES) {
                    ranges.push_back({a, RANGES, size_t(clause) * access_ + j, c.low[p], c.high[p]});
                    continue;
                }
                uint32_t tree = need_tree(a, kind);
                if (kind == WHOLE) continue;
                uint32_t n;
                const Key* key = points(c, p, n);
                for (uint32_t k = 0; k < n; ++k) cut_point(tree, key[k]);
            }
            signed_by[i] = chooser.next_best(none);
        }
        make_range_trees(ranges);
        fill(c, clauses, signed_by);
    }

    // Cuts and steps of each attribute, at ends of its operands; and how often clauses ask for the attribute.
    void make_quanta(const Clauses& c, const std::vector<uint32_t>& clauses) {
        std::vector<uint32_t> uses(c.attributes);
        for (uint32_t clause : clauses)
            for (uint32_t p = c.begin[clause]; p < c.begin[clause + 1]; ++p) ++uses[attribute_of(c, p)];
        struct Cut {
            uint32_t attribute;
            Key key;
        };
        std::vector<Cut> found;
        uint32_t most = std::max(48u, std::min(OPERANDS, ALL_OPERANDS / c.attributes));
        std::vector<uint32_t> count(c.attributes), turn(c.attributes);
        for (uint32_t clause : clauses)
            for (uint32_t p = c.begin[clause]; p < c.begin[clause + 1]; ++p) {
                uint32_t a = attribute_of(c, p), kind = kind_of(c, p);
                if (turn[a]++ % (uses[a] / most + 1)) continue;
                auto both = [&](Key low, Key high) {
                    if (low > KEY_LOWEST) found.push_back({a, low});
                    if (high < KEY_HIGHEST) found.push_back({a, high + 1});
                };
                if (kind == PREDICATE_RANGE || kind == PREDICATE_NOT_RANGE) {
                    both(c.low[p], c.high[p]);
                } else if (kind == PREDICATE_IN || kind == PREDICATE_NOT_IN) {
                    for (uint64_t i = 0; i < c.high[p] && i < 8; ++i) both(c.sets[c.low[p] + i], c.sets[c.low[p] + i]);
                }
            }
        for (const Cut& cut : found) ++count[cut.attribute];
        std::vector<uint32_t> at(c.attributes + 1);
        for (uint32_t a = 0; a < c.attributes; ++a) at[a + 1] = at[a] + count[a];
        std::vector<Key> keys(found.size());
        for (const Cut& cut : found) keys[at[cut.attribute]++] = cut.key;
        cut_begin.push_back(0);
        step_begin.push_back(0);
        uint32_t from = 0;
        for (uint32_t a = 0; a < c.attributes; ++a) {
            std::sort(keys.begin() + from, keys.begin() + at[a]);
            take_evenly(keys.data() + from, at[a] - from, QUANTA - 1, [&](Key key) { cuts.push_back(key); });
            cut_begin.push_back(uint32_t(cuts.size()));
            take_evenly(keys.data() + from, at[a] - from, MOST_STEPS, [&](Key key) { steps.push_back(key); });
            step_begin.push_back(uint32_t(steps.size()));
            from = at[a];
        }
        for (uint32_t a = 0; a < c.attributes; ++a)
            asked.push_back(std::min(1.0f, float(uses[a]) / float(clauses.size())));
    }
    // Of sorted keys all distinct ones, or if these are too many, `most` in even steps.
    template <class F>
    static void take_evenly(Key* keys, size_t n, size_t most, F f) {
        size_t different = 0;
        for (size_t i = 0; i < n; ++i) different += i == 0 || keys[i] != keys[i - 1];
        if (different <= most) {
            for (size_t i = 0; i < n; ++i)
                if (i == 0 || keys[i] != keys[i - 1]) f(keys[i]);
            return;
        }
        Key last = 0;
        for (size_t k = 0; k < most; ++k) {
            Key key = keys[(2 * k + 1) * n / (2 * most)];
            if (k == 0 || key != last) f(key);
            last = key;
        }
    }

    struct Range {
        uint32_t attribute, kind;
        size_t place;  // in `choice`
        Key low, high;
    };
    void make_range_trees(std::vector<Range>& ranges) {
        std::sort(ranges.begin(), ranges.end(),
                  [](const Range& x, const Range& y) { return x.attribute < y.attribute; });
        for (size_t from = 0; from < ranges.size();) {
            size_t to = from;
            while (to < ranges.size() && ranges[to].attribute == ranges[from].attribute) ++to;
            if (to - from > CUT_ALL) {
                std::vector<Key> ends = ends_of(ranges.data() + from, to - from);
                for (size_t i = from; i < to; ++i) {
                    double part = double(between(ends, ranges[i])) / double(ends.size());
                    uint32_t width = RANGES;
                    while (width < WIDTHS && part < 1.0 / 16) {
                        part *= 16;
                        ++width;
                    }
                    ranges[i].kind = width;
                }
                std::sort(ranges.begin() + from, ranges.begin() + to,
                          [](const Range& x, const Range& y) { return x.kind < y.kind; });
            }
            for (size_t i = from; i < to;) {
                size_t j = i;
                while (j < to && ranges[j].kind == ranges[i].kind) ++j;
                make_range_tree(ranges.data() + i, j - i);
                i = j;
            }
            from = to;
        }
    }
    static std::vector<Key> ends_of(const Range* range, size_t n) {
        std::vector<Key> ends;
        ends.reserve(2 * n);
        for (size_t i = 0; i < n; ++i) {
            if (range[i].low > KEY_LOWEST) ends.push_back(range[i].low);
            if (range[i].high < KEY_HIGHEST) ends.push_back(range[i].high + 1);
        }
        std::sort(ends.begin(), ends.end());
        return ends;
    }
    static size_t between(const std::vector<Key>& ends, const Range& range) noexcept {
        return size_t(std::upper_bound(ends.begin(), ends.end(), range.high) -
                      std::upper_bound(ends.begin(), ends.end(), range.low));
    }
    void make_range_tree(const Range* range, size_t n) {
        uint32_t tree = need_tree(range->attribute, range->kind);
        std::vector<Key> ends = ends_of(range, n);
        size_t most = ends.size();
        if (n > CUT_ALL) {
            double covered = 0;
            for (size_t i = 0; i < n; ++i) covered += double(between(ends, range[i])) / double(ends.size());
            double average = covered / double(n);
            most = size_t(std::min(double(ends.size()), (COPIES - 1) / std::max(average, 1e-9)));
        }
        take_evenly(ends.data(), ends.size(), most, [&](Key key) { cut_before(tree, key); });
        for (size_t i = 0; i < n; ++i) {
            uint16_t* chosen = choice.writable() + range[i].place;
            *chosen = uint16_t(*chosen / 8 * 8 + range[i].kind);
        }
    }

    // Tails lie in the order of the clauses' first lists, so that reading the candidates of a list is reading forward.
    // (In the order of the clauses, half of an event's time went into fetching tails.)
    void fill(const Clauses& c, const std::vector<uint32_t>& clauses, const std::vector<uint32_t>& signed_by) {
        std::vector<uint32_t> list, length, words;  // list: of each record; + EXACT if access predicates hold there
        std::vector<size_t> record_begin{0}, words_begin{0};
        std::vector<Seal> seals;
        list.reserve(clauses.size() * 2);
        record_begin.reserve(clauses.size() + 1);
        words_begin.reserve(clauses.size() + 1);
        seals.reserve(clauses.size());
        Placing placing;
        for (size_t k = 0; k < clauses.size(); ++k) {
            place_bounded(c, clauses[k], placing);
            seals.push_back(seal(c, clauses[k], placing, signed_by[k]));
            write_tail(c, clauses[k], placing, signed_by[k], seals.back().exact, words);
            each_combination(placing, [&](const uint32_t* spaces, bool exact) {
                uint32_t at = need_list(spaces, placing.parts, [&] {
                    length.push_back(0);
                    return checked_list(length.size() - 1);
                });
                ++length[at];
                list.push_back(at | (exact ? EXACT : 0));
            });
            record_begin.push_back(list.size());
            words_begin.push_back(words.size());
        }
        number_lists(list, length);
        std::vector<uint32_t> begin(length.size() + 1), order(clauses.size()), filled(length.size());
        for (size_t k = 0; k < clauses.size(); ++k) ++begin[(list[record_begin[k]] & ~EXACT) + 1];
        for (size_t i = 0; i < length.size(); ++i) begin[i + 1] += begin[i];
        for (size_t k = 0; k < clauses.size(); ++k) order[begin[list[record_begin[k]] & ~EXACT]++] = uint32_t(k);
        records.add_full(length);
        tails.reserve_more(words.size());
        tail_of.resize(clauses.empty() ? 0 : clauses.back() + 1, NONE);
        for (uint32_t k : order) {
            uint32_t tail = add_tail(words.data() + words_begin[k], words_begin[k + 1] - words_begin[k]);
            tail_of.set(clauses[k], tail);
            for (size_t i = record_begin[k]; i < record_begin[k + 1]; ++i) {
                uint32_t at = list[i] & ~EXACT;
                auto record = record_of(seals[k], tail, (list[i] & EXACT) != 0);
                std::copy(record.begin(), record.end(), records.writable(at) + size_t(filled[at]++) * 4);
            }
        }
    }
    // Gives the lists new numbers, so that those of one map lie together.
    void number_lists(std::vector<uint32_t>& list, std::vector<uint32_t>& length) {
        std::vector<uint32_t> number(length.size()), ordered;
        ordered.reserve(length.size());
        auto next = [&](uint32_t old) {
            ordered.push_back(length[old]);
            return number[old] = uint32_t(ordered.size() - 1);
        };
        for (size_t space = 0; space < list_of.size(); ++space)
            if (list_of[space] != NONE) list_of.set(space, next(list_of[space]));
        for (uint32_t map = 0; map < maps.count(); ++map)
            maps.replace(map, [&](uint32_t key, uint32_t value) { return key & GOES_ON ? value : next(value); });
        for (uint32_t& at : list) at = number[at & ~EXACT] | (at & EXACT);
        length.swap(ordered);
    }

    // The last HISTORY events or more, thinned evenly by dropping the older half when full.
    void take_history(const Sample& sample) {
        uint64_t kept = number(HISTORY_EVENTS);
        std::vector<std::pair<uint32_t, Key>> cells;
        if (kept + sample.events <= HISTORY)
            for (size_t i = 0; i < history_attribute.size(); ++i)
                cells.push_back({history_attribute[i], history_key[i]});
        else
            kept = 0;
        for (const Cell& cell : sample.cells) cells.push_back({cell.attribute, cell.key});
        std::sort(cells.begin(), cells.end());
        history_attribute.assign(0, 0);
        history_key.assign(0, 0);
        history_attribute.reserve_more(cells.size());
        history_key.reserve_more(cells.size());
        for (auto [attribute, key] : cells) {
            history_attribute.push_back(attribute);
            history_key.push_back(key);
        }
        numbers.set(HISTORY_EVENTS, kept + sample.events);
    }

    // Matching.

    // Alg. 7, lines 5-7: the lists of all combinations of the event's spaces.
    void join(Own& own) const {
        if (own.spaces.size() < 2) return;
        std::sort(own.spaces.begin(), own.spaces.end(), [](Joined x, Joined y) { return x.space < y.space; });
        own.limit = uint32_t(joined.size());
        if (own.here.size() <= own.limit / 64) own.here.resize(own.limit / 64 + 1);
        for (Joined j : own.spaces) own.here[j.space / 64] |= uint64_t(1) << (j.space % 64);
        for (size_t i = 0; i + 1 < own.spaces.size(); ++i) join_from(own, own.spaces[i].map, i + 1, 2);
        for (Joined j : own.spaces) own.here[j.space / 64] = 0;
    }
    // Reads a small map from one end to the other, which has no branches that are hard to foresee; in a large one looks
    // each space up. (On dense BEGen with 300,000 clauses: 41 us instead of 95.)
    void join_from(Own& own, uint32_t map, size_t from, uint32_t depth) const {
        size_t n = own.spaces.size();
        auto go_on = [&](uint32_t further, size_t next) {
            if (further != NONE) join_from(own, further, next, depth + 1);
        };
        if (maps.room(map) <= READ_CELLS * (n - from)) {
            maps.each_cell(map, [&](uint32_t key, uint32_t value) {
                uint32_t space = std::min(key & ~GOES_ON, own.limit);  // no event is at the limit, nor in empty cells
                if (!(own.here[space / 64] >> (space % 64) & 1)) return;
                if (!(key & GOES_ON)) {
                    own.lists.push_back(value);
                    return;
                }
                auto at = std::lower_bound(own.spaces.begin(), own.spaces.end(), space,
                                           [](Joined x, uint32_t sought) { return x.space < sought; });
                go_on(value, size_t(at - own.spaces.begin()) + 1);
            });
            return;
        }
        for (size_t j = from; j < n; ++j) maps.prefetch(map, own.spaces[j].space);
        for (size_t j = from; j < n; ++j) {
            uint32_t list = maps.find(map, own.spaces[j].space);
            if (list != NONE) own.lists.push_back(list);
            if (depth < access_) go_on(maps.find(map, own.spaces[j].space | GOES_ON), j + 1);
        }
    }

    uint64_t scan(uint32_t list, Own& own, MatchSet& found) const {
        const uint32_t* r = records.items(list);
        uint32_t n = records.size(list);
        const uint32_t* bits = own.bits.data();
        uint64_t certain = 0;
        for (uint32_t i = 0; i < n; ++i, r += 4) {
            if (!(r[3] & bits[r[2] >> 3])) continue;
            if (r[2] & CERTAIN) {
                ++certain;
                found.add(r[1]);
            } else {
                own.candidates.push_back({r[0], r[1]});
            }
        }
        return certain;
    }

    // Checks the candidates; what the next ones need is fetched meanwhile.
    uint64_t verify(const Clauses& c, const Own& own, const Event& event, MatchSet& found) const noexcept {
        constexpr size_t AHEAD = 12;
        size_t n = own.candidates.size();
        uint64_t evaluated = 0;
        for (size_t i = 0; i < n; ++i) {
            if (i + AHEAD < n) {
                const uint32_t* next = tails.data() + own.candidates[i + AHEAD].tail;
                __builtin_prefetch(next);
                __builtin_prefetch(next + 16);
            }
            const uint32_t* tail = tails.data() + own.candidates[i].tail;
            if (!tail_holds(tail + 2, tail + 2 + tail[1] / 2, own.code.data(), evaluated)) continue;
            if (tail[1] & 1) {
                uint32_t begin = c.begin[tail[0]], end = c.begin[tail[0] + 1];
                uint32_t failed = first_failure(c, begin, end, event);
                evaluated += failed - begin + (failed < end);
                if (failed < end) continue;
            }
            found.add(own.candidates[i].owner);
        }
        return evaluated;
    }
    static bool tail_holds(const uint32_t* t, const uint32_t* end, const uint32_t* codes,
                           uint64_t& evaluated) noexcept {
        while (t < end) {
            uint32_t code = codes[*t >> KIND_BITS], kind = *t & KIND_MASK;
            ++evaluated;
            if (kind == PREDICATE_RANGE) {  // 0, absent, is below each low
                if (code - (t[1] & 0xFFFF) > t[1] >> 16) return false;
                t += 2;
            } else if (kind == PREDICATE_IN || kind == PREDICATE_NOT_IN) {
                uint32_t n = t[1];
                bool in = false;
                for (uint32_t i = 0; i < n; ++i) in |= (t[2 + i / 2] >> (i % 2 * 16) & 0xFFFF) == code;
                if (!code || in != (kind == PREDICATE_IN)) return false;
                t += 2 + (n + 1) / 2;
            } else if (kind == PREDICATE_NOT_RANGE) {
                if (!code || code - (t[1] & 0xFFFF) <= t[1] >> 16) return false;
                t += 2;
            } else {
                if (code) return false;
                ++t;
            }
        }
        return true;
    }

    uint32_t access_;
    PSTrees trees;
    Buffer<uint32_t> head, tree_next, tree_kind, list_of, joined;
    SmallMaps maps;
    Lists<4> records;
    Buffer<uint32_t> tails, tail_of;
    Buffer<uint16_t> choice;
    Buffer<uint32_t> cut_begin;
    Buffer<Key> cuts;
    Buffer<uint32_t> step_begin;
    Buffer<Key> steps;
    Buffer<float> asked;
    Buffer<uint32_t> history_attribute;
    Buffer<Key> history_key;
    Buffer<uint64_t> numbers;
};

}  // namespace boolsieve
