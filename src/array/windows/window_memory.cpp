// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The memory that a window keeps, and who else has it.
#include <algorithm>
#include <ranges>
#include <utility>

#include "array/windows/window.hpp"
#include "core/layout.hpp"

namespace gpuarray::ops {

int64_t Window::holds(const Buffer* buffer) const {
  return std::ranges::count(read_, buffer, [](const Held& held) { return held.buffer.get(); });
}

BufferPtr Window::owner_of(const Made& made) const {
  BufferPtr owner = made.owner.lock();
  if (owner != nullptr && owner->is_read_later() && owner.use_count() - 1 <= holds(owner.get()))
    return nullptr;
  return owner;
}

BufferPtr Window::take_kept(const Shape& shape, DType dtype, const MemoryResource& resource) {
  if (shape != steps_.shape) return nullptr;
  const int64_t nbytes = steps_.size * itemsize(dtype);
  const Strides strides = contiguous_strides(shape);
  const auto is_same = [&](const StepMemory& memory, const Buffer& buffer) {
    return memory.data == buffer.address() && memory.dtype == dtype && memory.strides == strides;
  };
  for (const Held& held : read_) {
    const BufferPtr& buffer = held.buffer;
    if (buffer->nbytes() != nbytes || buffer.use_count() != holds(buffer.get()) ||
        !buffer->is_private() || !buffer->is_from(resource))
      continue;
    bool fits = true;
    for (size_t k = 0; k < read_.size(); ++k)
      fits = fits && (read_[k].buffer != buffer || is_same(steps_.memory[k], *buffer));
    if (!fits) continue;
    // What was to be written there is dead.
    for (Made& made : made_)
      if (made.buffer == buffer.get()) made.owner.reset();
    buffer->set_deferred(false);
    return buffer;
  }
  return nullptr;
}

int64_t Window::kept_bytes() const {
  int64_t bytes = 0;
  for (size_t k = 0; k < read_.size(); ++k) {
    const BufferPtr& buffer = read_[k].buffer;
    const auto is_same = [&](size_t other) { return read_[other].buffer == buffer; };
    if (buffer.use_count() == buffer->deferred_reads() &&
        std::ranges::none_of(std::views::iota(size_t{0}, k), is_same))
      bytes += buffer->nbytes();
  }
  return bytes;
}

void Window::mark_results(std::vector<BufferPtr>& released) const {
  for (const Made& made : made_)
    if (BufferPtr buffer = made.owner.lock()) {
      buffer->set_deferred(true);
      released.push_back(std::move(buffer));
    }
}

}  // namespace gpuarray::ops
