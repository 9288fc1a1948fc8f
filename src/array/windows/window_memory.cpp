// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The memory that a window keeps, and who else has it.
#include <algorithm>
#include <utility>

#include "array/windows/window.hpp"
#include "core/layout.hpp"

namespace gpuarray::ops {

uint8_t Window::hold(const Window& other, size_t k) {
  StepMemory memory = other.steps_.memory[k];
  if (memory.map >= 0) memory.map = map(other.steps_.maps[static_cast<size_t>(memory.map)]);
  return hold(memory, other.read_[k]);
}

int8_t Window::map(const IndexMap& value) {
  std::vector<IndexMap>& maps = steps_.maps;
  const auto found = std::ranges::find(maps, value);
  const auto number = found - maps.begin();
  if (found == maps.end()) maps.push_back(value);
  return static_cast<int8_t>(number);
}

uint8_t Window::hold(const StepMemory& memory, const Held& held) {
  for (size_t k = 0; k < read_.size(); ++k)
    if (const StepMemory& other = steps_.memory[k];
        read_[k].buffer == held.buffer && other.data == memory.data &&
        other.dtype == memory.dtype && other.map == memory.map && other.strides == memory.strides &&
        is_held(read_[k]))
      return static_cast<uint8_t>(k);
  steps_.memory.push_back(memory);
  steps_.is_plain = steps_.is_plain && held.is_plain;
  Held& kept = read_.emplace_back(held);
  if (!is_sketch()) {
    kept.buffer->begin_deferred_read();
  } else if (kept.buffer.use_count() > 0) {
    kept.owner = kept.buffer;
    kept.buffer = BufferPtr(BufferPtr(), kept.buffer.get());
  }
  return static_cast<uint8_t>(read_.size() - 1);
}

int64_t Window::holds(const Buffer* buffer) const {
  return std::ranges::count(read_, buffer, [](const Held& held) { return held.buffer.get(); });
}

BufferPtr Window::owner_of(const Made& made) const {
  BufferPtr owner = made.owner.lock();
  if (owner != nullptr && owner->is_read_later() && owner.use_count() - 1 <= holds(owner.get()))
    return nullptr;
  return owner;
}

bool Window::must_wait_for(const Buffer& used) const {
  if (maker(used) >= 0) return true;
  const auto reads = [&](const Held& held) { return held.buffer->lies_in(used); };
  return used.is_in_long_use(false) && std::ranges::any_of(read_, reads);
}

void Window::forget(Buffer& buffer) {
  for (int i = maker(buffer); i >= 0; i = made_[static_cast<size_t>(i)].earlier)
    made_[static_cast<size_t>(i)].owner.reset();
  buffer.end_making();
}

BufferPtr Window::take_kept(int64_t nbytes, DType dtype, const MemoryResource* resource) {
  const Strides strides = contiguous_strides(steps_.shape);
  const auto is_same = [&](const StepMemory& memory, const Buffer& buffer) {
    return memory.data == buffer.address() && memory.dtype == dtype && memory.strides == strides &&
           memory.map < 0;
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
    forget(*buffer);
    return buffer;
  }
  return nullptr;
}

int64_t Window::kept_bytes() const {
  int64_t bytes = 0;
  for (auto held = read_.begin(); held != read_.end(); ++held) {
    const BufferPtr& buffer = held->buffer;
    const auto is_same = [&](const Held& other) { return other.buffer == buffer; };
    if (buffer.use_count() == buffer->deferred_reads() &&
        std::none_of(read_.begin(), held, is_same))
      bytes += buffer->nbytes();
  }
  return bytes;
}

void Window::mark_results(std::vector<BufferPtr>& released) const {
  for (size_t i = 0; i < made_.size(); ++i)
    if (BufferPtr buffer = made_[i].owner.lock()) {
      buffer->set_maker(work_, static_cast<int>(i));
      released.push_back(std::move(buffer));
    }
}

void Window::clear(std::vector<BufferPtr>& released) {
  for (const Made& made : made_)
    if (BufferPtr buffer = is_sketch() ? nullptr : made.owner.lock()) {
      buffer->end_making();
      released.push_back(std::move(buffer));
    }
  for (Held& held : read_) {
    if (is_sketch()) continue;
    held.buffer->end_deferred_read();
    released.push_back(std::move(held.buffer));
  }
  read_.clear();
  steps_.steps.clear();
  steps_.memory.clear();
  steps_.scalars.clear();
  steps_.maps.clear();
  steps_.is_plain = true;
  made_.clear();
  counted_alive_ = counted_of_ = 0;
  stream_.reset();
  plan_.reset();
}

}  // namespace gpuarray::ops
