// Events that are expressions: an attribute's value may be one of several, or any of a range.
//
// Such an event stands for all plain events that it allows, and satisfies an expression if one of these does. Names are
// chosen independently of each other, so a clause holds if for each name there is one value, among those that the name
// may have, that satisfies all predicates of the clause on that name.
//
// A name that may have several values has choices: a plain value (its keys, as the encoding of events gives them), or a
// range of numbers, texts or times. A range is searched by leaps: a cursor starts at its lowest value, each predicate
// that the cursor fails moves it up to the next value that satisfies the predicate, and it ends above the range or
// where all hold. Values are int64 and float64 for numbers, strings of code points for texts, and keys for times (there
// is always a time between two microseconds). So each value has a next one, and no step leaves one out.
//
// String predicates (derived attributes) neither hold nor fail on a range of texts.
//
// Threads: const but for the scratch that it is part of.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "clauses.hpp"
#include "dictionary.hpp"
#include "event.hpp"
#include "keys.hpp"
#include "number.hpp"

namespace boolsieve {

// A number: an int64, or a float that equals none.
struct Number {
    bool whole = true;
    int64_t integer = 0;
    double real = 0;

    Number() noexcept = default;
    explicit Number(int64_t x) noexcept : integer(x) {}
    explicit Number(double d) noexcept : whole(is_int64(d)), integer(whole ? int64_t(d) : 0), real(d) {}

    static int compare(const Number& a, const Number& b) noexcept {
        if (a.whole && b.whole) return a.integer < b.integer ? -1 : a.integer > b.integer;
        if (a.whole) return compare_int_double(a.integer, b.real);
        if (b.whole) return -compare_int_double(b.integer, a.real);
        return a.real < b.real ? -1 : a.real > b.real;
    }
    // The next number of all int64 and float64; infinity is its own.
    Number next() const noexcept {
        if (!whole) return Number(std::nextafter(real, HUGE_VAL));
        if (integer >= -REAL_LIMIT && integer < REAL_LIMIT) return Number(std::nextafter(double(integer), HUGE_VAL));
        return integer == INT64_MAX ? Number(TWO_63) : Number(integer + 1);
    }
    Number previous() const noexcept {
        if (!whole) return real == TWO_63 ? Number(INT64_MAX) : Number(std::nextafter(real, -HUGE_VAL));
        if (integer > -REAL_LIMIT && integer <= REAL_LIMIT) return Number(std::nextafter(double(integer), -HUGE_VAL));
        return integer == INT64_MIN ? Number(std::nextafter(-TWO_63, -HUGE_VAL)) : Number(integer - 1);
    }
    Key key(uint32_t view) const noexcept {
        if (view == VIEW_WHOLE) return whole ? whole_key(integer) : whole_key(real);
        if (view == VIEW_FAR) return whole ? far_key(integer) : far_key(real);
        return whole ? real_key(integer) : real_key(real);
    }
    ValueBytes bytes() const noexcept { return whole ? ValueBytes::integer(integer) : ValueBytes::real(real); }
    static Number of_bytes(std::string_view text) noexcept {  // of ValueBytes
        int64_t x;
        double d;
        std::memcpy(&x, text.data() + 1, 8);
        std::memcpy(&d, text.data() + 1, 8);
        return text[0] == 'i' ? Number(x) : Number(d);
    }
    // The lowest number whose key in a view is at least this; infinity if there is none.
    static Number first(uint32_t view, Key key) noexcept {
        if (view == VIEW_WHOLE) {
            if (key == KEY_LOWEST) return Number(-HUGE_VAL);
            if (key == KEY_HIGHEST) return Number(WHOLE_LIMIT);
            Number below(int64_t(key - SIGN_BIT) >> 1);
            return key & 1 ? below.next() : below;
        }
        if (view == VIEW_FAR) {
            if (key == KEY_LOWEST) return Number(-HUGE_VAL);
            if (key <= far_key(-WHOLE_LIMIT)) return Number(int64_t(key - 2 + SIGN_BIT));
            if (key <= SIGN_BIT) return Number(-WHOLE_LIMIT + 1);
            if (key < SIGN_BIT + 2) return Number(WHOLE_LIMIT);
            if (key <= far_key(INT64_MAX)) return Number(int64_t(key - SIGN_BIT - 2) + WHOLE_LIMIT);
            return Number(key < KEY_HIGHEST ? TWO_63 : HUGE_VAL);
        }
        if (key <= float_bits_in_order(-HUGE_VAL)) return Number(-HUGE_VAL);
        if (key >= float_bits_in_order(HUGE_VAL)) return Number(HUGE_VAL);
        if (key >= float_bits_in_order(-TWO_63) && key < float_bits_in_order(-TWO_53)) return Number(INT64_MIN);
        if (key == float_bits_in_order(TWO_53) + 1) return Number(REAL_LIMIT + 1);
        if (key > float_bits_in_order(TWO_53) && key < float_bits_in_order(TWO_63)) return Number(TWO_63);
        uint64_t bits = key & SIGN_BIT ? key ^ SIGN_BIT : ~key;
        double real;
        std::memcpy(&real, &bits, sizeof real);
        return Number(real);
    }
};

// The lowest text whose order key is at least this key, which is an operand's or the one after it.
inline std::string first_text(Key key) {
    size_t length = size_t(key & 0xFF) - 1;
    std::string text(length, '\0');
    for (size_t i = 0; i < length && i < ORDER_BYTES; ++i) text[i] = char(key >> (56 - 8 * i));
    return text;
}

// What a cursor's predicate is about.
struct Looked {
    uint32_t kind, view;
    Key low, high;

    Looked(const Clauses& c, uint32_t p, const Dictionary& d) noexcept
        : kind(c.head[p] & KIND_MASK),
          view(d.attribute_view.data()[c.head[p] >> KIND_BITS]),
          low(c.low[p]),
          high(c.high[p]) {}
    bool is_presence() const noexcept { return kind == PREDICATE_RANGE && low == KEY_LOWEST && high == KEY_HIGHEST; }
    // The keys of a point or a set of an interned view.
    const Key* begin(const Clauses& c) const noexcept {
        return kind == PREDICATE_IN || kind == PREDICATE_NOT_IN ? c.sets + low : &low;
    }
    size_t count() const noexcept { return kind == PREDICATE_IN || kind == PREDICATE_NOT_IN ? high : 1; }
    bool has(const Clauses& c, Key key) const noexcept { return in_set(begin(c), count(), key); }
};

// Each cursor's settle(p) moves it to the lowest value from where it stands that satisfies the predicate p, and tells
// whether there is one within the range.
struct NumberCursor {
    Number at, last;
    const Clauses& c;
    const Dictionary& d;

    bool to(const Number& target) noexcept {  // up, or there is nothing left
        if (Number::compare(target, at) <= 0 || Number::compare(target, last) > 0) return false;
        at = target;
        return true;
    }
    bool above(uint32_t view, Key key) noexcept {  // to the lowest number with a higher key
        if (key == KEY_HIGHEST) return false;
        Number target = Number::first(view, key + 1);
        return target.key(view) > key && to(target);
    }
    bool settle(uint32_t p) noexcept {
        Looked l(c, p, d);
        bool ordered = l.view == VIEW_WHOLE || l.view == VIEW_FAR || l.view == VIEW_REAL;
        if (l.kind == PREDICATE_ABSENT) return !ordered && l.view != VIEW_VALUE && l.view != VIEW_ANY;
        if (l.view == VIEW_ANY) return true;
        if (l.view == VIEW_VALUE) return settle_interned(l);
        if (!ordered) return false;
        Key key = at.key(l.view);
        switch (l.kind) {
            case PREDICATE_RANGE: {
                if (key > l.high) return false;
                if (key >= l.low) return true;
                Number target = Number::first(l.view, l.low);
                Key there = target.key(l.view);
                return there >= l.low && there <= l.high && to(target);
            }
            case PREDICATE_IN: {
                const Key *end = c.sets + l.low + l.high, *member = std::lower_bound(c.sets + l.low, end, key);
                if (member == end) return false;
                return *member == key || to(Number::first(l.view, *member));
            }
            case PREDICATE_NOT_RANGE:
                return key < l.low || key > l.high || above(l.view, l.high);
            case PREDICATE_NOT_IN:
                return !l.has(c, key) || to(at.next());
            case PREDICATE_OUTSIDE: {
                const Key* end = c.sets + l.high;
                uint32_t view = d.attribute_view.data()[end[0]];
                return key < l.low || at.key(view) > end[1] || above(view, end[1]);
            }
            default:
                return false;
        }
    }
    bool settle_interned(const Looked& l) noexcept {
        if (l.kind == PREDICATE_NOT_RANGE || l.kind == PREDICATE_NOT_IN)
            return !l.has(c, d.value_key(at.bytes())) || to(at.next());
        bool found = false;
        Number best;
        for (const Key *key = l.begin(c), *end = key + l.count(); key < end; ++key) {
            Number member = Number::of_bytes(c.strings->text(uint32_t(*key - KEY_FIRST_TEXT)));
            if (Number::compare(member, at) < 0 || (found && Number::compare(member, best) >= 0)) continue;
            best = member;
            found = true;
        }
        return found && (Number::compare(best, at) == 0 || to(best));
    }
};

inline int compare_text(std::string_view a, std::string_view b) noexcept {
    return compare_text(a.data(), a.size(), b.data(), b.size());
}

struct TextCursor {
    std::string at;
    std::string_view last;
    bool open, endless;  // whether `last` is in the range; whether there is one
    const Clauses& c;
    const Dictionary& d;

    bool within() const noexcept {
        if (endless) return true;
        int order = compare_text(at, last);
        return open ? order < 0 : order <= 0;
    }
    bool to(std::string_view target) {
        if (compare_text(target, at) <= 0) return false;
        at = target;
        return within();
    }
    bool after(std::string_view text) {
        std::string next(text);
        next.push_back('\0');
        return to(next);
    }
    bool settle(uint32_t p) {
        Looked l(c, p, d);
        bool is_text = l.view == VIEW_TEXT || l.view == VIEW_ORDER;
        if (l.kind == PREDICATE_ABSENT) return !is_text && l.view != VIEW_ANY && l.view != VIEW_DERIVED;
        if (l.view == VIEW_ANY) return true;
        if (!is_text) return false;
        if (l.is_presence()) return true;
        if (l.kind == PREDICATE_TEXT) return settle_text(l);
        if (l.view == VIEW_TEXT) return settle_interned(l);
        Key key = order_key(at.data(), at.size());
        if (l.kind == PREDICATE_RANGE) return key <= l.high && (key >= l.low || to(first_text(l.low)));
        return key < l.low || key > l.high || to(first_text(l.high + 1));
    }
    bool settle_interned(const Looked& l) {
        if (l.kind == PREDICATE_NOT_RANGE || l.kind == PREDICATE_NOT_IN)
            return !l.has(c, d.text_key(at.data(), at.size())) || after(at);
        bool found = false;
        std::string_view best;
        for (const Key *key = l.begin(c), *end = key + l.count(); key < end; ++key) {
            std::string_view member = c.strings->text(uint32_t(*key - KEY_FIRST_TEXT));
            if (compare_text(member, at) < 0 || (found && compare_text(member, best) >= 0)) continue;
            best = member;
            found = true;
        }
        return found && (best == at || to(best));
    }
    bool settle_text(const Looked& l) {
        if (compare_holds(at, *c.strings, l.low, l.high)) return true;
        std::string_view operand = c.strings->text(uint32_t(l.low));
        switch (l.high) {
            case TEXT_GREATER:
                return after(operand);
            case TEXT_GREATER_EQUAL:
                return to(operand);
            case TEXT_OUTSIDE:
                return after(c.strings->text(uint32_t(l.low >> 32)));
            default:
                return false;
        }
    }
};

struct TimeCursor {
    Key at, last;
    const Clauses& c;
    const Dictionary& d;

    bool to(Key target) noexcept {
        if (target <= at || target > last) return false;  // 0, after the highest, is below too
        at = target;
        return true;
    }
    bool settle(uint32_t p) noexcept {
        Looked l(c, p, d);
        if (l.kind == PREDICATE_ABSENT) return l.view != VIEW_TIME && l.view != VIEW_ANY;
        if (l.view == VIEW_ANY) return true;
        if (l.view != VIEW_TIME) return false;
        switch (l.kind) {
            case PREDICATE_RANGE:
                return at <= l.high && (at >= l.low || to(l.low));
            case PREDICATE_IN: {
                const Key *end = c.sets + l.low + l.high, *member = std::lower_bound(c.sets + l.low, end, at);
                return member != end && (*member == at || to(*member));
            }
            case PREDICATE_NOT_RANGE:
                return at < l.low || at > l.high || to(l.high + 1);
            default:
                return !l.has(c, at) || to(at + 1);
        }
    }
};

template <class Cursor>
inline bool some_value(Cursor&& cursor, const uint32_t* predicates, size_t n) {
    for (size_t held = 0, i = 0; held < n; i = i + 1 < n ? i + 1 : 0) {
        auto before = cursor.at;
        if (!cursor.settle(predicates[i])) return false;
        if constexpr (std::is_same_v<decltype(before), Number>)
            held = Number::compare(before, cursor.at) ? 1 : held + 1;
        else
            held = before == cursor.at ? held + 1 : 1;
    }
    return true;
}

struct KeySpan {
    Key low, high;  // closed
};

class Ranges {
  public:
    // What an engine may descend by: an attribute of a name with choices. A predicate that needs the attribute to be
    // there can hold only if it takes a key of one of the spans, which rise and do not touch.
    struct Attribute {
        uint32_t attribute;
        bool maybe_absent;    // some choice lacks it
        uint32_t begin, end;  // of its spans
    };
    std::vector<Attribute> attributes;  // by attribute
    std::vector<KeySpan> spans;

    bool empty() const noexcept { return names_.empty(); }

    // --- Filling, name by name ---

    void open_name(const Dictionary& dictionary, uint32_t name) {
        dictionary_ = &dictionary;
        if (place_of_name_.size() < dictionary.names.size()) place_of_name_.resize(dictionary.names.size(), 0);
        names_.push_back({name, uint32_t(choices_.size()), uint32_t(choices_.size())});
        place_of_name_[name] = uint32_t(names_.size());
    }
    // Takes what the event got since it had this many attributes and texts out of it again.
    void add_plain(Event& event, size_t attributes_before, size_t texts_before) {
        Choice choice(Choice::PLAIN);
        choice.cells_begin = uint32_t(cells_.size());
        choice.texts_begin = uint32_t(texts_.size());
        for (size_t i = attributes_before; i < event.attributes.size(); ++i)
            cells_.push_back({0, event.attributes[i], event.table[event.attributes[i]]});
        texts_.insert(texts_.end(), event.texts.begin() + texts_before, event.texts.end());
        take_out(event, attributes_before, texts_before);
        choice.cells_end = uint32_t(cells_.size());
        choice.texts_end = uint32_t(texts_.size());
        add(std::move(choice));
    }
    void add_numbers(const Number& low, const Number& high) {
        Choice choice(Choice::NUMBERS);
        choice.low = low;
        choice.high = high;
        add(std::move(choice));
    }
    void add_texts(std::string_view low, std::string_view high, bool open, bool endless) {
        Choice choice(Choice::TEXTS);
        choice.low_text = low;
        choice.high_text = high;
        choice.open = open;
        choice.endless = endless;
        add(std::move(choice));
    }
    void add_times(Key low, Key high) {
        Choice choice(Choice::TIMES);
        choice.low_key = low;
        choice.high_key = high;
        add(std::move(choice));
    }
    // After the last name.
    void close_names() {
        std::vector<Cut> cuts;
        for (const Name& name : names_) {
            cuts.clear();
            for (uint32_t i = name.begin; i < name.end; ++i) add_cuts(name.name, i, cuts);
            add_attributes(name.end - name.begin, cuts);
        }
        std::sort(attributes.begin(), attributes.end(),
                  [](const Attribute& a, const Attribute& b) { return a.attribute < b.attribute; });
        if (place_of_attribute_.size() < dictionary_->attribute_count())
            place_of_attribute_.resize(dictionary_->attribute_count(), 0);
        for (size_t i = 0; i < attributes.size(); ++i) place_of_attribute_[attributes[i].attribute] = uint32_t(i + 1);
    }
    void close() noexcept {
        for (const Name& name : names_) place_of_name_[name.name] = 0;
        for (const Attribute& a : attributes)
            if (a.attribute < place_of_attribute_.size()) place_of_attribute_[a.attribute] = 0;
        names_.clear();
        choices_.clear();
        cells_.clear();
        texts_.clear();
        attributes.clear();
        spans.clear();
    }

    // --- Checking; the event holds the other names, and is as before after each call ---

    // Whether a predicate may hold, looked at alone: false is certain, true is not.
    bool predicate_may_hold(const Clauses& c, uint32_t p, const Event& event) const noexcept {
        uint32_t place = place_of_attribute_[c.head[p] >> KIND_BITS];
        if (!place) return predicate_holds(c, p, event);
        const Attribute& a = attributes[place - 1];
        uint32_t kind = c.head[p] & KIND_MASK;
        if (kind == PREDICATE_ABSENT) return a.maybe_absent;
        if (kind != PREDICATE_RANGE) return true;
        for (uint32_t i = a.begin; i < a.end; ++i)
            if (spans[i].low <= c.high[p] && c.low[p] <= spans[i].high) return true;
        return false;
    }
    // As first_failure, but what it lets through must be decided by clause_holds.
    uint32_t first_failure(const Clauses& c, uint32_t p, uint32_t end, const Event& event) const noexcept {
        while (p < end) {
            if (predicate_may_hold(c, p, event)) {
                while (c.head[p] & OR_NEXT) ++p;
            } else if (!(c.head[p] & OR_NEXT)) {
                break;
            }
            ++p;
        }
        return p;
    }
    bool clause_holds(const Clauses& c, uint32_t clause, Event& event) {
        taken_.resize(names_.size());
        for (auto& taken : taken_) taken.clear();
        runs_.clear();
        run_begin_.assign(1, 0);
        uint32_t end = c.begin[clause + 1];
        for (uint32_t p = c.begin[clause]; p < end; ++p) {
            bool alternatives = c.head[p] & OR_NEXT, holds = false;
            for (;; ++p) {
                if (place_of(c, p))
                    runs_.push_back(p);
                else
                    holds = holds || predicate_holds(c, p, event);
                if (!(c.head[p] & OR_NEXT)) break;
            }
            size_t open = runs_.size() - run_begin_.back();
            if (holds || !open) {
                if (!holds) return false;
                runs_.resize(run_begin_.back());
            } else if (!alternatives) {
                taken_[place_of(c, p) - 1].push_back(p);
                runs_.pop_back();
            } else {
                run_begin_.push_back(uint32_t(runs_.size()));
            }
        }
        for (size_t name = 0; name < names_.size(); ++name)
            if (!taken_[name].empty() && !name_holds(c, name, event)) return false;
        return run_begin_.size() == 1 || runs_hold(c, event);
    }

    // --- As plain events, one after another ---

    // How many plain events it stands for, or one more than `most` if they are more than that.
    size_t plain_events(size_t most) const noexcept {
        for (const Choice& choice : choices_)
            if (choice.kind != Choice::PLAIN) return most + 1;
        size_t events = 1;
        for (const Name& name : names_) {
            events *= name.end - name.begin;
            if (events > most) return most + 1;
        }
        return events;
    }
    void put_first(Event& event) {
        plain_attributes_ = event.attributes.size();
        plain_texts_ = event.texts.size();
        turn_.assign(names_.size(), 0);
        put_turn(event);
    }
    // The next one in its place; false, and the event as it was at first, after the last.
    bool put_next(Event& event) {
        take_out(event, plain_attributes_, plain_texts_);
        for (size_t i = 0; i < names_.size(); ++i) {
            if (++turn_[i] < names_[i].end - names_[i].begin) {
                put_turn(event);
                return true;
            }
            turn_[i] = 0;
        }
        return false;
    }

  private:
    struct Name {
        uint32_t name, begin, end;  // of its choices
    };
    struct Choice {
        enum Kind { PLAIN, NUMBERS, TEXTS, TIMES } kind;
        uint32_t cells_begin = 0, cells_end = 0, texts_begin = 0, texts_end = 0;
        Number low, high;
        std::string low_text, high_text;
        bool open = false, endless = false;
        Key low_key = 0, high_key = 0;
        explicit Choice(Kind k) : kind(k) {}
    };
    struct Cut {
        uint32_t attribute;
        KeySpan span;
        uint32_t choice;
    };

    void add(Choice&& choice) {
        choices_.push_back(std::move(choice));
        names_.back().end = uint32_t(choices_.size());
    }
    uint32_t place_of(const Clauses& c, uint32_t p) const noexcept {  // of its name, from 1; 0 for a plain one
        uint32_t name = dictionary_->attribute_name.data()[c.head[p] >> KIND_BITS];
        return name == Dictionary::NONE ? 0 : place_of_name_[name];
    }
    static void take_out(Event& event, size_t attributes_before, size_t texts_before) noexcept {
        for (size_t i = attributes_before; i < event.attributes.size(); ++i)
            event.table[event.attributes[i]] = KEY_ABSENT;
        event.attributes.resize(attributes_before);
        event.texts.resize(texts_before);
    }
    void put(const Choice& choice, Event& event) const {
        for (uint32_t i = choice.cells_begin; i < choice.cells_end; ++i) event.put(cells_[i].attribute, cells_[i].key);
        event.texts.insert(event.texts.end(), texts_.begin() + choice.texts_begin, texts_.begin() + choice.texts_end);
    }
    void put_turn(Event& event) const {
        for (size_t i = 0; i < names_.size(); ++i) put(choices_[names_[i].begin + turn_[i]], event);
    }

    // Whether one value of a name satisfies all predicates that were taken of it.
    bool name_holds(const Clauses& c, size_t name, Event& event) const {
        for (uint32_t i = names_[name].begin; i < names_[name].end; ++i)
            if (choice_holds(c, choices_[i], taken_[name].data(), taken_[name].size(), event)) return true;
        return false;
    }
    bool choice_holds(const Clauses& c, const Choice& choice, const uint32_t* predicates, size_t n,
                      Event& event) const {
        const Dictionary& d = *dictionary_;
        switch (choice.kind) {
            case Choice::NUMBERS:
                return some_value(NumberCursor{choice.low, choice.high, c, d}, predicates, n);
            case Choice::TEXTS:
                return some_value(TextCursor{choice.low_text, choice.high_text, choice.open, choice.endless, c, d},
                                  predicates, n);
            case Choice::TIMES:
                return some_value(TimeCursor{choice.low_key, choice.high_key, c, d}, predicates, n);
            default: {
                size_t attributes_before = event.attributes.size(), texts_before = event.texts.size();
                put(choice, event);
                size_t held = 0;
                while (held < n && predicate_holds(c, predicates[held], event)) ++held;
                take_out(event, attributes_before, texts_before);
                return held == n;
            }
        }
    }
    // Conjunctive normal form: takes one predicate of each open run, so that each name still has a value for its own.
    bool runs_hold(const Clauses& c, Event& event) {
        size_t depth = 0, runs = run_begin_.size() - 1;
        next_.assign(runs, 0);
        while (depth < runs) {
            uint32_t at = run_begin_[depth] + next_[depth];
            if (at == run_begin_[depth + 1]) {
                next_[depth] = 0;
                if (depth == 0) return false;
                --depth;
                taken_[place_of(c, runs_[run_begin_[depth] + next_[depth]]) - 1].pop_back();
                ++next_[depth];
                continue;
            }
            size_t name = place_of(c, runs_[at]) - 1;
            taken_[name].push_back(runs_[at]);
            if (name_holds(c, name, event)) {
                ++depth;
            } else {
                taken_[name].pop_back();
                ++next_[depth];
            }
        }
        return true;
    }

    void add_cuts(uint32_t name, uint32_t i, std::vector<Cut>& cuts) const {
        const uint32_t* views = dictionary_->views_of(name);
        const Choice& choice = choices_[i];
        auto cut = [&](uint32_t view, Key low, Key high) {
            if (views[view]) cuts.push_back({views[view], {low, high}, i});
        };
        switch (choice.kind) {
            case Choice::PLAIN:
                for (uint32_t j = choice.cells_begin; j < choice.cells_end; ++j)
                    cuts.push_back({cells_[j].attribute, {cells_[j].key, cells_[j].key}, i});
                return;
            case Choice::NUMBERS:
                for (uint32_t view : {VIEW_WHOLE, VIEW_FAR, VIEW_REAL})
                    cut(view, choice.low.key(view), choice.high.key(view));
                cut(VIEW_VALUE, KEY_LOWEST, KEY_HIGHEST);
                break;
            case Choice::TEXTS:
                cut(VIEW_TEXT, KEY_LOWEST, KEY_HIGHEST);
                cut(VIEW_ORDER, order_key(choice.low_text.data(), choice.low_text.size()),
                    choice.endless ? KEY_HIGHEST : order_key(choice.high_text.data(), choice.high_text.size()));
                break;
            case Choice::TIMES:
                cut(VIEW_TIME, choice.low_key, choice.high_key);
        }
        cut(VIEW_ANY, KEY_HELD, KEY_HELD);
    }
    void add_attributes(uint32_t choices, std::vector<Cut>& cuts) {
        std::sort(cuts.begin(), cuts.end(), [](const Cut& a, const Cut& b) {
            return a.attribute != b.attribute ? a.attribute < b.attribute : a.span.low < b.span.low;
        });
        for (size_t i = 0; i < cuts.size();) {
            Attribute a{cuts[i].attribute, false, uint32_t(spans.size()), 0};
            uint32_t having = 0;
            for (; i < cuts.size() && cuts[i].attribute == a.attribute; ++i) {
                ++having;
                if (spans.size() > a.begin && cuts[i].span.low - 1 <= spans.back().high)
                    spans.back().high = std::max(spans.back().high, cuts[i].span.high);
                else
                    spans.push_back(cuts[i].span);
            }
            a.maybe_absent = having < choices;
            a.end = uint32_t(spans.size());
            attributes.push_back(a);
        }
    }

    const Dictionary* dictionary_ = nullptr;
    std::vector<Name> names_;
    std::vector<Choice> choices_;
    std::vector<Cell> cells_;
    std::vector<Text> texts_;
    std::vector<uint32_t> place_of_name_, place_of_attribute_;  // from 1; 0 for those that are not here
    std::vector<std::vector<uint32_t>> taken_;                  // by name: predicates that one value must satisfy
    std::vector<uint32_t> runs_, run_begin_, next_;             // of a clause in conjunctive normal form
    std::vector<uint32_t> turn_;
    size_t plain_attributes_ = 0, plain_texts_ = 0;
};

inline void open_name(Ranges& ranges, const Dictionary& dictionary, uint32_t name) {
    ranges.open_name(dictionary, name);
}

}  // namespace boolsieve
