// What can be done with anything that names its buffers through each_buffer(f).
#pragma once

#include <cstddef>
#include <vector>

#include "boolsieve/buffer.hpp"

namespace boolsieve {

template <class Holder>
size_t total_bytes(Holder& holder) {
    size_t total = 0;
    holder.each_buffer([&total](const char*, BufferBase& buffer) { total += buffer.bytes(); });
    return total;
}

// Makes `to` a private copy of `from`.
template <class Holder>
void copy_buffers(Holder& from, Holder& to) {
    std::vector<BufferBase*> sources;
    from.each_buffer([&sources](const char*, BufferBase& buffer) { sources.push_back(&buffer); });
    size_t next = 0;
    to.each_buffer([&](const char*, BufferBase& buffer) {
        buffer.assign_raw(sources[next]->raw(), sources[next]->size());
        ++next;
    });
}

}  // namespace boolsieve
