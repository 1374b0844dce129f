// What can be done with anything that names its buffers through each_buffer(f).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "boolsieve/buffer.hpp"

namespace boolsieve {

struct NamedBuffer {
    std::string name;
    BufferBase* buffer;
};

template <class Holder>
void list_buffers(Holder& holder, const std::string& prefix, std::vector<NamedBuffer>& out) {
    holder.each_buffer([&](const char* name, BufferBase& buffer) { out.push_back({prefix + name, &buffer}); });
}

template <class Holder>
size_t total_bytes(Holder& holder) {
    size_t total = 0;
    holder.each_buffer([&total](const char*, BufferBase& buffer) { total += buffer.bytes(); });
    return total;
}

// Makes `to` a private copy of `from`.
template <class Holder>
void copy_buffers(Holder& from, Holder& to) {
    std::vector<NamedBuffer> sources, targets;
    list_buffers(from, "", sources);
    list_buffers(to, "", targets);
    for (size_t i = 0; i < sources.size(); ++i)
        targets[i].buffer->assign_raw(sources[i].buffer->raw(), sources[i].buffer->size());
}

}  // namespace boolsieve
