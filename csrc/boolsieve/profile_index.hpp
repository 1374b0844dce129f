// What Tatbul's five indexes share: clauses in partitions, a tree an attribute, the AND of profile sets, levels for
// updates. engines/tatbul.pyx tells the idea, the buffers, the invariants and where it differs from the paper.
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "buffers.hpp"
#include "clauses.hpp"
#include "cluster_tree.hpp"
#include "elementary_tree.hpp"
#include "int_map.hpp"
#include "interval_tree.hpp"
#include "profile_set.hpp"
#include "scratch.hpp"
#include "segment_tree.hpp"

namespace boolsieve {

struct ProfileScratch : EngineScratch {
    ProfileBits found, held;  // empty between two events
};

inline bool is_positive(uint32_t kind) noexcept { return kind == PREDICATE_RANGE || kind == PREDICATE_IN; }

template <class Bank>
class ProfileLevel {
  public:
    // Below this size a partition's clauses are checked one by one: a search costs as much as some ten checks.
    static constexpr size_t TREE_FROM = 8;
    // An attribute gets a tree in a partition if a clause in THIN there constrains it, and at least FEW. Rarer ones
    // would spare few checks; they are decided by the check of what is left.
    static constexpr size_t THIN = 32, FEW = 16;
    // The AND goes on while it can be expected to spare this many checks (10 to 20 ns each; a search takes 200 ns and
    // more) ...
    static constexpr size_t WORTH = 16;
    // ... and while a word of bits of the next set has a profile that is still in question.
    static constexpr size_t WORD = 64;

    size_t size() const noexcept { return clause.size(); }

    void match(const Clauses& c, Scratch& s, ProfileScratch& own) const {
        uint64_t evaluated = 0, checked = 0;
        auto visit = [&evaluated](Key, Key) { ++evaluated; };
        auto check = [&](uint32_t x) {
            uint32_t begin = c.begin[x], end = c.begin[x + 1];
            uint32_t failed = first_failure(c, begin, end, s.event);
            evaluated += failed - begin + (failed < end);
            ++checked;
            if (failed == end) s.found.add(c.owner[x]);
        };
        const uint32_t *begins = part_begin.data(), *tests = part_test.data(), *numbers = clause.data();
        for (uint32_t attribute : s.event.attributes) {
            uint32_t part = part_of.find(attribute);
            if (part == IntMap::NONE) continue;
            uint32_t first = begins[part], behind = begins[part + 1];
            uint32_t test = tests[part], last_test = tests[part + 1];
            if (test == last_test) {
                for (uint32_t i = first; i < behind; ++i) check(numbers[i]);
                continue;
            }
            size_t n = behind - first;
            own.found.open(n);
            trees.stab(test, s.event.table[attribute], own.found, visit);
            size_t left = own.found.count();
            while (++test < last_test) {
                size_t concerned = test_count.data()[test];
                if (left * concerned < WORTH * n || left * WORD < concerned) break;
                Key key = s.event.table[test_attribute.data()[test]];
                own.held.open(n);
                if (key != KEY_ABSENT) trees.stab(test, key, own.held, visit);
                cares.keep(own.found, test, own.held);
                own.held.clear();
                left = own.found.count();
            }
            // Clauses that the sets decide alone stand first in their partition.
            uint32_t decided = Bank::EXACT && test >= last_test ? part_decided.data()[part] : 0;
            own.found.each([&](uint32_t i) {
                uint32_t x = numbers[first + i];
                if (i >= decided)
                    check(x);
                else if (c.owner[x] != DEAD)
                    s.found.add(c.owner[x]);
            });
            own.found.clear();
        }
        s.counters.predicates += evaluated;
        s.counters.candidates += checked;
    }

    void living(const Clauses& c, std::vector<uint32_t>& out) const {
        for (size_t i = 0; i < clause.size(); ++i)
            if (c.owner[clause[i]] != DEAD) out.push_back(clause[i]);
    }

    // For a level that is empty.
    void build(const Clauses& c, const std::vector<uint32_t>& clauses, const TreeOptions& options) {
        Needs needs(c, clauses);
        std::vector<uint32_t> home = needs.homes(c);
        // Partitions in the order of the attributes' first need; clauses in their own order within.
        std::vector<uint32_t> begin(needs.attributes.size() + 1, 0);
        for (uint32_t h : home) ++begin[h + 1];
        for (size_t a = 0; a < needs.attributes.size(); ++a) begin[a + 1] += begin[a];
        std::vector<uint32_t> order(clauses.size()), next(begin.begin(), begin.end() - 1);
        for (uint32_t i = 0; i < clauses.size(); ++i) order[next[home[i]]++] = i;
        part_begin.push_back(0);
        part_test.push_back(0);
        clause.reserve_more(clauses.size());
        std::vector<uint32_t> count(needs.attributes.size(), 0), slot(needs.attributes.size(), NO_TEST);
        for (uint32_t a = 0; a < needs.attributes.size(); ++a) {
            if (begin[a] == begin[a + 1]) continue;
            part_of.set(needs.attributes[a], uint32_t(part_decided.size()));
            add_part(c, clauses, needs, a, order.data() + begin[a], begin[a + 1] - begin[a], count, slot, options);
        }
    }

    template <class F>
    void each_buffer(F f) {
        f("clause", clause);
        auto within = [&](const char* prefix, auto& holder) {
            holder.each_buffer(
                [&](const char* name, auto& buffer) { f((std::string(prefix) + name).c_str(), buffer); });
        };
        within("part_of.", part_of);
        f("part_begin", part_begin);
        f("part_decided", part_decided);
        f("part_test", part_test);
        f("test_attribute", test_attribute);
        f("test_count", test_count);
        within("cares.", cares);
        within("trees.", trees);
    }

    // Marks the clauses that are here in `seen`, and says which invariant is broken, if one is.
    std::string check(const Clauses& c, std::vector<uint8_t>& seen) const {
        for (size_t i = 0; i < clause.size(); ++i) {
            if (clause[i] >= c.count) return "1: a clause that is not in the store";
            if (seen[clause[i]]++) return "1: a clause that is there twice";
        }
        size_t parts = part_decided.size(), tests = test_attribute.size();
        if (!clause.size()) return parts || tests ? "2: partitions of an empty level" : "";
        if (part_begin.size() != parts + 1 || part_test.size() != parts + 1 || part_begin[0] || part_test[0] ||
            part_begin.back() != clause.size() || part_test.back() != tests || test_count.size() != tests)
            return "2: numbers of partitions and tests";
        for (size_t p = 0; p < parts; ++p)
            if (part_begin[p] >= part_begin[p + 1] || part_test[p] > part_test[p + 1])
                return "2: partitions do not rise";
        if (const char* problem = part_of.check()) return std::string("2: the map of partitions: ") + problem;
        std::vector<uint32_t> home(parts, NO_TEST);
        part_of.each([&](uint64_t attribute, uint32_t part) {
            if (part < parts) home[part] = uint32_t(attribute);
        });
        if (part_of.size() != parts) return "2: the map of partitions";
        if (const char* problem = trees.check(tests, clause.size())) return std::string("4: trees: ") + problem;
        if (cares.size() != tests) return "3: number of care sets";
        if (const char* problem = cares.check(clause.size())) return std::string("3: care sets: ") + problem;
        ProfileBits bits;
        for (size_t p = 0; p < parts; ++p) {
            std::string problem = check_part(c, p, home[p], bits);
            if (problem.size()) return problem;
        }
        return "";
    }

  private:
    static constexpr uint32_t NO_TEST = 0xFFFFFFFF;

    // What the clauses of a level need: for each its positive predicates, one an attribute; or the first other one that
    // needs its attribute, if it has no positive one.
    struct Need {
        uint32_t attribute, predicate;  // the attribute as its place in `attributes`
    };
    struct Needs {
        std::vector<uint32_t> attributes;
        std::vector<uint32_t> begin;  // of each clause in `all`
        std::vector<Need> all;
        std::vector<uint8_t> complete;  // its needs are all that a clause asks for

        Needs(const Clauses& c, const std::vector<uint32_t>& clauses) {
            begin.reserve(clauses.size() + 1);
            begin.push_back(0);
            IntMap place;
            for (uint32_t x : clauses) {
                for (uint32_t p = c.begin[x]; p < c.begin[x + 1]; ++p)
                    if (is_positive(c.head[p] & KIND_MASK)) all.push_back({c.head[p] >> KIND_BITS, p});
                auto first = all.begin() + begin.back();
                std::sort(first, all.end(), [](const Need& a, const Need& b) {
                    return a.attribute != b.attribute ? a.attribute < b.attribute : a.predicate < b.predicate;
                });
                auto same = [](const Need& a, const Need& b) { return a.attribute == b.attribute; };
                all.erase(std::unique(first, all.end(), same), all.end());
                complete.push_back(all.size() - begin.back() == c.begin[x + 1] - c.begin[x]);
                for (uint32_t p = c.begin[x]; all.size() == begin.back(); ++p)
                    if (needs_attribute(c.head[p] & KIND_MASK)) all.push_back({c.head[p] >> KIND_BITS, p});
                for (size_t i = begin.back(); i < all.size(); ++i) {
                    uint32_t at = place.find(all[i].attribute);
                    if (at == IntMap::NONE) {
                        at = uint32_t(attributes.size());
                        place.set(all[i].attribute, at);
                        attributes.push_back(all[i].attribute);
                    }
                    all[i].attribute = at;
                }
                begin.push_back(uint32_t(all.size()));
            }
        }

        // The attribute that each clause is filed under: whose interval is hit by the smallest share of events, if they
        // have an attribute as often as clauses need it, and values spread evenly between the operands seen. Shares
        // that differ by less than a factor of four or so count as equal, and then the attribute that most
        // clauses need wins: large partitions make the most of words of bits.
        std::vector<uint32_t> homes(const Clauses& c) const {
            struct Span {
                uint32_t count = 0;
                Key low = KEY_HIGHEST, high = KEY_LOWEST;
            };
            std::vector<Span> spans(attributes.size());
            auto finite = [](Span& span, Key key) {
                if (key == KEY_LOWEST || key == KEY_HIGHEST) return;
                span.low = std::min(span.low, key);
                span.high = std::max(span.high, key);
            };
            for (const Need& need : all) {
                Span& span = spans[need.attribute];
                ++span.count;
                each_range(c, need.predicate, [&](Key low, Key high) {
                    finite(span, low);
                    finite(span, high);
                });
            }
            auto share = [&](const Need& need) {
                const Span& span = spans[need.attribute];
                if (span.low >= span.high) return std::ilogb(double(span.count)) / 2;
                double width = 0;
                each_range(c, need.predicate, [&](Key low, Key high) {
                    Key l = std::max(low, span.low), h = std::min(high, span.high);
                    if (l <= h) width += double(h - l) + 1;
                });
                return std::ilogb(double(span.count) * (width + 1) / double(span.high - span.low)) / 2;
            };
            std::vector<uint32_t> homes;
            homes.reserve(begin.size() - 1);
            for (size_t i = 0; i + 1 < begin.size(); ++i) {
                const Need* best = &all[begin[i]];
                int least = share(*best);
                for (const Need* need = best + 1; need < all.data() + begin[i + 1]; ++need) {
                    int x = share(*need);
                    if (x < least || (x == least && spans[need->attribute].count > spans[best->attribute].count)) {
                        best = need;
                        least = x;
                    }
                }
                homes.push_back(best->attribute);
            }
            return homes;
        }
    };

    // The ranges of keys outside of which a predicate fails.
    template <class F>
    static void each_range(const Clauses& c, uint32_t p, F f) {
        switch (c.head[p] & KIND_MASK) {
            case PREDICATE_RANGE:
                f(c.low[p], c.high[p]);
                break;
            case PREDICATE_IN:
                for (uint64_t i = 0; i < c.high[p]; ++i) f(c.sets[c.low[p] + i], c.sets[c.low[p] + i]);
                break;
            default:
                f(KEY_LOWEST, KEY_HIGHEST);
        }
    }

    void add_part(const Clauses& c, const std::vector<uint32_t>& clauses, const Needs& needs, uint32_t home,
                  uint32_t* members, size_t n, std::vector<uint32_t>& count, std::vector<uint32_t>& slot,
                  const TreeOptions& options) {
        uint32_t decided = 0;
        if (n >= TREE_FROM) {
            auto each_need = [&](auto f) {
                for (size_t i = 0; i < n; ++i)
                    for (uint32_t k = needs.begin[members[i]]; k < needs.begin[members[i] + 1]; ++k)
                        f(uint32_t(i), needs.all[k]);
            };
            std::vector<uint32_t> tests;
            each_need([&](uint32_t, const Need& need) {
                if (!count[need.attribute]++ && need.attribute != home) tests.push_back(need.attribute);
            });
            size_t least = std::max(FEW, n / THIN);
            std::vector<uint32_t> touched(tests);
            tests.erase(std::remove_if(tests.begin(), tests.end(), [&](uint32_t a) { return count[a] < least; }),
                        tests.end());
            std::sort(tests.begin(), tests.end(),
                      [&](uint32_t a, uint32_t b) { return count[a] != count[b] ? count[a] > count[b] : a < b; });
            tests.insert(tests.begin(), home);
            for (uint32_t t = 0; t < tests.size(); ++t) slot[tests[t]] = t;
            // Those that the trees decide come first.
            decided = uint32_t(std::stable_partition(members, members + n,
                                                     [&](uint32_t m) {
                                                         bool all = needs.complete[m];
                                                         for (uint32_t k = needs.begin[m]; k < needs.begin[m + 1]; ++k)
                                                             all &= slot[needs.all[k].attribute] != NO_TEST;
                                                         return all;
                                                     }) -
                               members);
            std::vector<std::vector<Interval>> intervals(tests.size());
            std::vector<std::vector<uint32_t>> concerned(tests.size());
            each_need([&](uint32_t i, const Need& need) {
                uint32_t t = slot[need.attribute];
                if (t == NO_TEST) return;
                if (t) concerned[t].push_back(i);
                each_range(c, need.predicate, [&](Key low, Key high) { intervals[t].push_back({low, high, i}); });
            });
            for (uint32_t t = 0; t < tests.size(); ++t) {
                test_attribute.push_back(needs.attributes[tests[t]]);
                test_count.push_back(count[tests[t]]);
                cares.add(concerned[t].data(), concerned[t].size());  // of the home, where all are concerned: none
                trees.add_tree(intervals[t], options);
                std::vector<Interval>().swap(intervals[t]);
            }
            for (uint32_t a : touched) count[a] = 0;
            count[home] = 0;
            for (uint32_t a : tests) slot[a] = NO_TEST;
        }
        for (size_t i = 0; i < n; ++i) clause.push_back(clauses[members[i]]);
        part_begin.push_back(uint32_t(clause.size()));
        part_decided.push_back(decided);
        part_test.push_back(uint32_t(test_attribute.size()));
    }

    std::string check_part(const Clauses& c, size_t p, uint32_t home, ProfileBits& bits) const {
        uint32_t first = part_begin[p];
        size_t n = part_begin[p + 1] - first;
        // Where a clause asks for an attribute: as a need of its own, and at all.
        auto need = [&](uint32_t x, uint32_t attribute, bool positive) {
            for (uint32_t i = c.begin[x]; i < c.begin[x + 1]; ++i) {
                uint32_t kind = c.head[i] & KIND_MASK;
                if (c.head[i] >> KIND_BITS == attribute && (positive ? is_positive(kind) : needs_attribute(kind)))
                    return i;
            }
            return NO_TEST;
        };
        auto lives = [&](size_t i) { return c.owner[clause[first + i]] != DEAD; };
        if (part_decided[p] > n) return "2: more decided clauses than clauses";
        for (size_t i = 0; i < n; ++i)
            if (lives(i) && need(clause[first + i], home, false) == NO_TEST)
                return "2: a clause that does not need its partition's attribute";
        uint32_t t0 = part_test[p], t1 = part_test[p + 1];
        if (t0 < t1 && test_attribute[t0] != home) return "3: the first test is not the home";
        for (uint32_t t = t0; t < t1; ++t) {
            uint32_t attribute = test_attribute[t];
            bits.open(n);
            std::vector<uint32_t> care;
            cares.each(
                t, [&](uint32_t i) { care.push_back(i); },
                [&](uint32_t chunk, const uint64_t* words) {
                    for (uint32_t i = 0; i < CHUNK; ++i)
                        if (words[i / 64] >> (i % 64) & 1) care.push_back(chunk * CHUNK + i);
                });
            if (t == t0 ? !care.empty() || test_count[t] != n : care.size() != test_count[t]) return "3: care sets";
            size_t at = 0;
            std::vector<uint32_t> asked(n, NO_TEST);
            for (uint32_t i = 0; i < n; ++i) {
                bool in = at < care.size() && care[at] == i;
                at += in;
                if (!lives(i)) continue;
                asked[i] = need(clause[first + i], attribute, true);
                if (t > t0 && in != (asked[i] != NO_TEST)) return "3: a care set is not who needs the attribute";
            }
            if (at != care.size()) return "3: care sets";
            // The keys of up to 64 of its clauses.
            for (size_t i = 0; i < n; i += n / 64 + 1) {
                if (asked[i] == NO_TEST || (c.head[asked[i]] & KIND_MASK) != PREDICATE_RANGE) continue;
                for (Key key : {c.low[asked[i]], c.high[asked[i]]}) {
                    trees.stab(t, key, bits, [](Key, Key) {});
                    bool found = true, wrong = false;
                    for (uint32_t k = 0; k < n; ++k) {
                        if (asked[k] == NO_TEST) continue;
                        bool holds = false;
                        each_range(c, asked[k], [&](Key low, Key high) { holds |= key >= low && key <= high; });
                        found &= !holds || bits.has(k);
                        wrong |= Bank::EXACT && !holds && bits.has(k);
                    }
                    bits.clear();
                    if (!found) return "4: a tree does not give a clause that holds the key";
                    if (wrong) return "4: a tree gives a clause that does not hold the key";
                }
            }
        }
        for (uint32_t i = 0; i < part_decided[p]; ++i) {
            if (!lives(i)) continue;
            uint32_t x = clause[first + i];
            for (uint32_t q = c.begin[x]; q < c.begin[x + 1]; ++q) {
                const uint32_t* begin = test_attribute.data() + t0;
                const uint32_t* end = test_attribute.data() + t1;
                if (!is_positive(c.head[q] & KIND_MASK) || need(x, c.head[q] >> KIND_BITS, true) != q ||
                    std::find(begin, end, c.head[q] >> KIND_BITS) == end)
                    return "5: a clause is said to be decided and is not";
            }
        }
        return "";
    }

    Buffer<uint32_t> clause, part_begin, part_decided, part_test, test_attribute, test_count;
    IntMap part_of;
    ProfileSets cares;
    Bank trees;
};

// The interface that the five have for Cython.
struct ProfileIndex {
    virtual ~ProfileIndex() = default;
    virtual void insert(const Clauses& c, uint32_t first, uint32_t count) = 0;
    virtual void match(const Clauses& c, Scratch& s) const = 0;
    virtual void list(std::vector<NamedBuffer>& out) = 0;
    virtual std::string check(const Clauses& c) const = 0;
};

template <class Bank>
class ProfileIndexOf : public ProfileIndex {
  public:
    static constexpr size_t TAIL = 16;
    static constexpr size_t LEVELS = 14;  // 16 * 4^14 clauses are 4 * 10^9

    explicit ProfileIndexOf(const TreeOptions& options = TreeOptions()) : options_(options) {}

    void insert(const Clauses& c, uint32_t first, uint32_t count) override {
        if (tail.size() + count < TAIL) {
            tail.reserve_more(count);
            for (uint32_t i = 0; i < count; ++i) tail.push_back(first + i);
            return;
        }
        std::vector<uint32_t> all;
        size_t k = 0, total = tail.size() + count;
        for (;; ++k) {
            total += levels_[k].size();
            if (total <= capacity(k) || k + 1 == LEVELS) break;
        }
        all.reserve(total);
        for (size_t i = 0; i <= k; ++i) levels_[i].living(c, all);
        for (size_t i = 0; i < tail.size(); ++i)
            if (c.owner[tail[i]] != DEAD) all.push_back(tail[i]);
        for (uint32_t i = 0; i < count; ++i) all.push_back(first + i);
        std::sort(all.begin(), all.end());
        ProfileLevel<Bank> fresh;
        fresh.build(c, all, options_);
        levels_[k] = std::move(fresh);
        for (size_t i = 0; i < k; ++i) levels_[i] = ProfileLevel<Bank>();
        tail.clear();
    }

    void match(const Clauses& c, Scratch& s) const override {
        ProfileScratch& own = s.own<ProfileScratch>();
        for (size_t i = 0; i < tail.size(); ++i) {
            uint32_t begin = c.begin[tail[i]], end = c.begin[tail[i] + 1];
            uint32_t failed = first_failure(c, begin, end, s.event);
            s.counters.predicates += failed - begin + (failed < end);
            if (failed == end) s.found.add(c.owner[tail[i]]);
        }
        s.counters.candidates += tail.size();
        for (const ProfileLevel<Bank>& level : levels_)
            if (level.size()) level.match(c, s, own);
        ++s.counters.events;
    }

    void list(std::vector<NamedBuffer>& out) override {
        out.push_back({"tail", &tail});
        for (size_t i = 0; i < LEVELS; ++i) list_buffers(levels_[i], "level" + std::to_string(i) + ".", out);
    }

    std::string check(const Clauses& c) const override {
        std::vector<uint8_t> seen(c.count, 0);
        if (tail.size() >= TAIL) return "1: the tail is too long";
        for (size_t i = 0; i < tail.size(); ++i)
            if (tail[i] >= c.count || seen[tail[i]]++) return "1: a clause of the tail";
        for (size_t k = 0; k < LEVELS; ++k) {
            if (levels_[k].size() > capacity(k)) return "1: a level is too large";
            std::string problem = levels_[k].check(c, seen);
            if (problem.size()) return problem;
        }
        for (uint32_t x = 0; x < c.count; ++x)
            if (c.owner[x] != DEAD && !seen[x]) return "1: a clause of the store is not there";
        return "";
    }

  private:
    static size_t capacity(size_t k) noexcept { return TAIL << (2 * (k + 1)); }

    TreeOptions options_;
    Buffer<uint32_t> tail;
    ProfileLevel<Bank> levels_[LEVELS];
};

}  // namespace boolsieve
