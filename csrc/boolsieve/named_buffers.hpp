// A list of a holder's buffers by name, for what treats all of them alike: saving, loading, copying, pickling, sizing.
#pragma once

#include <string>
#include <vector>

#include "buffer.hpp"

namespace boolsieve {

struct NamedBuffer {
    std::string name;
    BufferBase* buffer;
};

template <class Holder>
void list_buffers(Holder& holder, const std::string& prefix, std::vector<NamedBuffer>& out) {
    holder.each_buffer([&](const char* name, BufferBase& buffer) { out.push_back({prefix + name, &buffer}); });
}

}  // namespace boolsieve
