// One value into the views of its name that are in use. The sink is an Event, or a row of a Block.
#pragma once

#include <cstdint>
#include <string>

#include "dictionary.hpp"
#include "event.hpp"

namespace boolsieve {

struct RowSink {
    Block* block = nullptr;
    uint32_t row = 0;
    void put(uint32_t attribute, Key key) { block->put(row, attribute, key); }
    void put_text(uint32_t attribute, const char* data, size_t length) {
        block->put_text(row, attribute, data, length);
    }
};

template <class Sink>
inline void put_held(Sink& sink, uint32_t attribute) {
    if (attribute) sink.put(attribute, KEY_HELD);
}

template <class Sink>
inline void put_integer(const Dictionary& d, const uint32_t* views, int64_t x, Sink& sink) {
    if (views[VIEW_WHOLE]) sink.put(views[VIEW_WHOLE], whole_key(x));
    if (views[VIEW_REAL]) sink.put(views[VIEW_REAL], real_key(x));
    if (views[VIEW_FAR]) sink.put(views[VIEW_FAR], far_key(x));
    if (views[VIEW_VALUE]) sink.put(views[VIEW_VALUE], d.value_key(ValueBytes::integer(x)));
    put_held(sink, views[VIEW_ANY]);
}

template <class Sink>
inline void put_real(const Dictionary& d, const uint32_t* views, double x, Sink& sink) {
    if (views[VIEW_WHOLE]) sink.put(views[VIEW_WHOLE], whole_key(x));
    if (views[VIEW_REAL]) sink.put(views[VIEW_REAL], real_key(x));
    if (views[VIEW_FAR]) sink.put(views[VIEW_FAR], far_key(x));
    if (views[VIEW_VALUE]) sink.put(views[VIEW_VALUE], d.value_key(ValueBytes::real(x)));
    put_held(sink, views[VIEW_ANY]);
}

template <class Sink>
inline void put_bool(const uint32_t* views, bool x, Sink& sink) {
    if (views[VIEW_BOOL]) sink.put(views[VIEW_BOOL], x ? KEY_TRUE : KEY_FALSE);
    put_held(sink, views[VIEW_ANY]);
}

template <class Sink>
inline void put_time(const uint32_t* views, int64_t microseconds, bool between, Sink& sink) {
    if (views[VIEW_TIME]) sink.put(views[VIEW_TIME], time_key(microseconds, between));
    put_held(sink, views[VIEW_ANY]);
}

template <class Sink>
inline void put_text(const Dictionary& d, const uint32_t* views, const char* text, size_t length, Sink& sink) {
    if (views[VIEW_TEXT]) sink.put(views[VIEW_TEXT], d.text_key(views, text, length));
    if (views[VIEW_ORDER]) {
        sink.put(views[VIEW_ORDER], order_key(text, length));
        sink.put_text(views[VIEW_ORDER], text, length);
    }
    put_held(sink, views[VIEW_ANY]);
}

template <class Sink>
inline void put_set(const uint32_t* views, Sink& sink) {
    put_held(sink, views[VIEW_SET]);
    put_held(sink, views[VIEW_ANY]);
}

template <class Sink>
inline void put_element(const Dictionary& d, uint32_t name, const char* tagged, size_t length, std::string& scratch,
                        Sink& sink) {
    uint32_t attribute = d.find_element(name, tagged, length, scratch);
    if (attribute != Dictionary::NONE) sink.put(attribute, KEY_HELD);
}

template <class Sink>
inline void put_element(const Dictionary& d, uint32_t name, const ValueBytes& value, std::string& scratch, Sink& sink) {
    put_element(d, name, value.bytes, sizeof value.bytes, scratch, sink);
}

template <class Sink>
inline void put_text_element(const Dictionary& d, uint32_t name, const char* text, size_t length, std::string& scratch,
                             Sink& sink) {
    std::string tagged(1, 's');
    tagged.append(text, length);
    put_element(d, name, tagged.data(), tagged.size(), scratch, sink);
}

}  // namespace boolsieve
