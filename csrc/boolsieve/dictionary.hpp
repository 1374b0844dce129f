// The dictionary of an index: names, their views (the attributes that engines see), operand strings, derived
// predicates.
//
//   buffer              type    length      meaning
//   names.*             -       -           pool of the attribute names that expressions use
//   strings.*           -       -           pool of string operands, and of numbers (tag and bits) of the value view
//   derived.*           -       -           pool of derived predicates: name, kind, operand
//   views               uint32  names * 16  attribute of each view of a name, 0 for none; then lengths and Uses
//   derived_attribute   uint32  derived     attribute of a derived predicate
//   attribute_name      uint32  attributes  the name that an attribute belongs to
//   attribute_view      uint8   attributes  its view, VIEW_DERIVED for a derived predicate
//
// Attribute 0 is there in every event; clauses that need nothing else test it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "bounds.hpp"
#include "buffer.hpp"
#include "clauses.hpp"
#include "keys.hpp"
#include "patterns.hpp"
#include "pool.hpp"
#include "tree.hpp"

namespace boolsieve {

enum View : uint32_t {
    VIEW_ANY,    // has a value
    VIEW_WHOLE,  // numbers, see keys.hpp
    VIEW_FAR,
    VIEW_REAL,
    VIEW_VALUE,  // numbers interned for equality: sets whose members no one ordered view can hold
    VIEW_TEXT,
    VIEW_ORDER,
    VIEW_BOOL,
    VIEW_TIME,
    VIEW_SET,  // has a set
    VIEW_DERIVED,
    VIEW_LENGTHS = 13,  // no attributes: two words of the lengths that the text view's operands have
    VIEW_USES = 15,
    VIEW_COUNT = 16,
};

enum Uses : uint32_t { USES_ELEMENTS = 1, USES_PLAIN = 2, USES_FOLDED = 4, USES_REGEX = 8 };

// A value as bytes, equal for equal values: the operand of HAS, and numbers of the value view.
struct ValueBytes {
    char bytes[9] = {};
    ValueBytes() noexcept = default;
    ValueBytes(char tag, const void* payload) noexcept {
        bytes[0] = tag;
        std::memcpy(bytes + 1, payload, 8);
    }
    static ValueBytes integer(int64_t x) noexcept { return {'i', &x}; }
    static ValueBytes real(double d) noexcept {
        if (is_int64(d)) return integer(int64_t(d));
        return {'d', &d};
    }
    static ValueBytes time(int64_t microseconds) noexcept { return {'t', &microseconds}; }
    static ValueBytes boolean(bool b) noexcept {
        int64_t x = b;
        return {'b', &x};
    }
};

class Dictionary {
  public:
    static constexpr uint32_t NONE = StringPool::NONE;

    Dictionary() { clear(); }
    void clear() {
        attribute_name.assign(1, NONE);
        attribute_view.assign(1, VIEW_DERIVED);
    }

    uint32_t attribute_count() const noexcept { return uint32_t(attribute_name.size()); }

    // Adding does first what can fail, so that a failure leaves the pools and the tables beside them equally long.
    uint32_t add_name(const char* text, size_t length) {
        views.reserve_more(VIEW_COUNT);
        uint32_t id = names.add(text, length);
        if (views.size() < size_t(id + 1) * VIEW_COUNT) {
            views.resize(size_t(id + 1) * VIEW_COUNT, 0);
            note_depth(id);
        }
        return id;
    }
    // What is not in the buffers, after they were filled from outside.
    void recount() {
        deepest = 0;
        for (uint32_t id = 0; id < names.size(); ++id) note_depth(id);
    }
    const uint32_t* views_of(uint32_t name) const noexcept { return views.data() + size_t(name) * VIEW_COUNT; }

    uint32_t add_view(uint32_t name, uint32_t view) {
        size_t at = size_t(name) * VIEW_COUNT + view;
        if (!views[at]) views.set(at, add_attribute(name, view));
        return views[at];
    }

    // Tells through `fresh` whether the predicate is new.
    uint32_t add_derived(uint32_t name, Derived kind, const char* operand, size_t length, bool& fresh) {
        make_key(name, kind, operand, length);
        uint32_t id = derived.find(key_.data(), key_.size());
        fresh = id == NONE;
        if (!fresh) return derived_attribute[id];
        uint32_t attribute = add_attribute(name, VIEW_DERIVED);
        uint32_t uses = kind == DERIVED_HAS             ? USES_ELEMENTS
                        : kind == DERIVED_MATCHES       ? USES_REGEX
                        : kind >= DERIVED_FOLDED_EQUALS ? USES_FOLDED
                                                        : USES_PLAIN;
        size_t at = size_t(name) * VIEW_COUNT + VIEW_USES;
        views.set(at, views[at] | uses);
        if (uses == USES_PLAIN || uses == USES_FOLDED) patterns.add(name, kind, operand, length, attribute);
        derived_attribute.reserve_more(1);
        derived.add(key_.data(), key_.size());
        derived_attribute.push_back(attribute);
        return attribute;
    }

    // The attribute that stands for an element of a set, or NONE. Thread-safe: the key is built on the caller's stack
    // or heap.
    uint32_t find_element(uint32_t name, const char* tagged, size_t length, std::string& scratch) const {
        scratch.assign(5, '\0');
        std::memcpy(&scratch[0], &name, 4);
        scratch[4] = char(DERIVED_HAS);
        scratch.append(tagged, length);
        uint32_t id = derived.find(scratch.data(), scratch.size());
        return id == NONE ? NONE : derived_attribute[id];
    }

    // An operand of the text view; its key is what text_key gives for it from now on.
    Key add_text(uint32_t name, const char* text, size_t length) {
        size_t at = size_t(name) * VIEW_COUNT + VIEW_LENGTHS + length_bit(length) / 32;
        views.set(at, views[at] | 1u << length_bit(length) % 32);
        return Key(strings.add(text, length)) + KEY_FIRST_TEXT;
    }
    // The key of a value in the text view of a name. Most values are told apart from all operands by their length
    // alone.
    Key text_key(const uint32_t* views, const char* text, size_t length) const noexcept {
        uint32_t bit = length_bit(length);
        return views[VIEW_LENGTHS + bit / 32] >> bit % 32 & 1 ? text_key(text, length) : KEY_UNKNOWN_TEXT;
    }
    Key text_key(const char* text, size_t length) const noexcept {
        uint32_t id = strings.find(text, length);
        return id == NONE ? KEY_UNKNOWN_TEXT : Key(id) + KEY_FIRST_TEXT;
    }
    Key value_key(const ValueBytes& value) const noexcept { return text_key(value.bytes, sizeof value.bytes); }

    template <class F>
    void each_buffer(F f) {
        nested("names", names, f);
        nested("strings", strings, f);
        nested("derived", derived, f);
        nested("patterns", patterns, f);
        f("views", views);
        f("derived_attribute", derived_attribute);
        f("attribute_name", attribute_name);
        f("attribute_view", attribute_view);
    }

    // See bounds.hpp.
    const char* flaw() const {
        if (names.flaw()) return "names";
        if (strings.flaw()) return "strings";
        if (derived.flaw()) return "derived";
        size_t count = attribute_name.size();
        if (!count || count > MAX_ATTRIBUTES || attribute_view.size() != count) return "attribute_name: length";
        if (attribute_name[0] != NONE) return "attribute_name";
        for (size_t a = 1; a < count; ++a)
            if (attribute_name[a] >= names.size()) return "attribute_name";
        if (!all_below(attribute_view, VIEW_DERIVED + 1)) return "attribute_view";
        if (views.size() != size_t(names.size()) * VIEW_COUNT) return "views: length";
        for (size_t at = 0; at < views.size(); at += VIEW_COUNT)
            for (size_t view = 0; view < VIEW_LENGTHS; ++view)
                if (views[at + view] >= count) return "views";
        if (derived_attribute.size() != derived.size()) return "derived_attribute: length";
        if (!all_below(derived_attribute, count)) return "derived_attribute";
        for (uint32_t i = 0; i < derived.size(); ++i) {  // see make_key
            std::string_view key = derived.text(i);
            uint32_t name;
            if (key.size() < 5) return "derived";
            std::memcpy(&name, key.data(), 4);
            if (name >= names.size()) return "derived";
        }
        return patterns.flaw(count);
    }

    StringPool names, strings, derived;
    Patterns patterns;
    Buffer<uint32_t> views, derived_attribute, attribute_name;
    Buffer<uint8_t> attribute_view;
    uint32_t deepest = 0;  // the most dots in a name: what events have deeper than that, no expression is about

  private:
    void note_depth(uint32_t name) {
        std::string_view text = names.text(name);
        deepest = std::max(deepest, uint32_t(std::count(text.begin(), text.end(), '.')));
    }
    static uint32_t length_bit(size_t length) noexcept { return length < 63 ? uint32_t(length) : 63; }
    uint32_t add_attribute(uint32_t name, uint32_t view) {
        if (attribute_name.size() >= MAX_ATTRIBUTES) throw std::length_error("an index has at most 2**29 attributes");
        attribute_name.reserve_more(1);
        attribute_view.push_back(uint8_t(view));
        attribute_name.push_back(name);
        return uint32_t(attribute_name.size() - 1);
    }
    void make_key(uint32_t name, Derived kind, const char* operand, size_t length) {
        key_.assign(5, '\0');
        std::memcpy(&key_[0], &name, 4);
        key_[4] = char(kind);
        key_.append(operand, length);
    }
    template <class T, class F>
    static void nested(const char* prefix, T& part, F& f) {
        part.each_buffer(
            [&](const char* name, auto& buffer) { f((std::string(prefix) + "." + name).c_str(), buffer); });
    }
    std::string key_;
};

}  // namespace boolsieve
