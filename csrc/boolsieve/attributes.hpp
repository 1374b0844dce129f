// The attributes that expressions themselves have, for filters on who is reported (symmetric matching).
//
//   buffer      type    length    meaning
//   names.*     -       -         pool of their names
//   strings.*   -       -         pool of their texts
//   begin       uint64  <= slots  where a slot's values start; none for the slots beyond its length
//   count       uint32  <= slots  how many they are
//   name        uint32  values    the name
//   type        uint8   values    an AttributeType
//   value       uint64  values    the bits of an int64 (also of a bool), a float64 or microseconds; a text in strings;
//                                 how many of the values behind it are a list's elements
//
// All stay empty until an expression has attributes. Values of replaced and removed expressions stay until the store is
// compacted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "bounds.hpp"
#include "buffer.hpp"
#include "pool.hpp"

namespace boolsieve {

enum AttributeType : uint8_t {
    ATTRIBUTE_BOOL,
    ATTRIBUTE_INTEGER,
    ATTRIBUTE_REAL,
    ATTRIBUTE_TEXT,
    ATTRIBUTE_DATE,
    ATTRIBUTE_TIME,
    ATTRIBUTE_LIST,
};

struct AttributeValues {  // of a slot
    uint64_t begin;
    uint32_t count;
};

class AttributeTable {
  public:
    AttributeValues of(uint32_t slot) const noexcept {
        if (slot >= begin.size()) return {0, 0};
        return {begin.data()[slot], count.data()[slot]};
    }
    // Gives a slot the values that were added last, this many of them.
    void set(uint32_t slot, AttributeValues values) {
        if (slot >= begin.size()) {
            if (!values.count) return;
            begin.resize(slot + 1, 0);
            count.resize(slot + 1, 0);
        }
        begin.set(slot, values.begin);
        count.set(slot, values.count);
    }
    void add(uint32_t of_name, AttributeType of_type, uint64_t bits) {
        name.reserve_more(1);
        type.reserve_more(1);
        value.push_back(bits);
        name.push_back(of_name);
        type.push_back(of_type);
    }
    size_t size() const noexcept { return value.size(); }
    void truncate(uint32_t slots, size_t values) {
        begin.resize(std::min<size_t>(begin.size(), slots));
        count.resize(begin.size());
        name.resize(values);
        type.resize(values);
        value.resize(values);
    }

    // See bounds.hpp.
    const char* flaw(size_t slots) const noexcept {
        if (const char* problem = names.flaw()) return problem;
        if (const char* problem = strings.flaw()) return problem;
        size_t n = value.size();
        if (begin.size() > slots || count.size() != begin.size()) return "attributes.begin: length";
        if (name.size() != n || type.size() != n) return "attributes.name: length";
        if (!all_below(name, names.size())) return "attributes.name";
        if (!all_below(type, ATTRIBUTE_LIST + 1)) return "attributes.type";
        for (size_t i = 0; i < n; ++i)
            if (type[i] == ATTRIBUTE_TEXT && value[i] >= strings.size()) return "attributes.value";
        for (size_t slot = 0; slot < begin.size(); ++slot) {
            if (begin[slot] > n || count[slot] > n - begin[slot]) return "attributes.begin";
            uint64_t end = begin[slot] + count[slot];
            for (uint64_t i = begin[slot]; i < end; ++i) {
                if (type[i] != ATTRIBUTE_LIST) continue;
                uint64_t elements = value[i];
                if (elements >= end - i) return "attributes.value";
                for (; elements; --elements)
                    if (type[++i] == ATTRIBUTE_LIST) return "attributes.type";
            }
        }
        return nullptr;
    }

    template <class F>
    void each_buffer(F f) {
        names.each_buffer([&](const char* part, auto& buffer) { f((std::string("names.") + part).c_str(), buffer); });
        strings.each_buffer(
            [&](const char* part, auto& buffer) { f((std::string("strings.") + part).c_str(), buffer); });
        f("begin", begin);
        f("count", count);
        f("name", name);
        f("type", type);
        f("value", value);
    }

    StringPool names, strings;
    Buffer<uint64_t> begin, value;
    Buffer<uint32_t> count, name;
    Buffer<uint8_t> type;
};

}  // namespace boolsieve
