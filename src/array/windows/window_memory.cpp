// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The memory that a window keeps, and who else has it.
#include <algorithm>
#include <utility>

#include "array/windows/window.hpp"
#include "core/error.hpp"
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

bool Window::is_held(const Held& held, const Held& other) const {
  if (held.buffer != other.buffer) return false;
  if (!is_sketch() || other.buffer.use_count() > 0) return is_held(held);
  return !held.owner.owner_before(other.owner) && !other.owner.owner_before(held.owner);
}

uint8_t Window::hold(const StepMemory& memory, const Held& held) {
  for (size_t k = 0; k < read_.size(); ++k)
    if (const StepMemory& other = steps_.memory[k];
        is_held(read_[k], held) && read_[k].offset == held.offset && other.dtype == memory.dtype &&
        other.map == memory.map && other.strides == memory.strides)
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

size_t Window::find_dead(size_t i, uint32_t taken) const {
  const Made& made = made_[i];
  const size_t count = made.is_plain && made.offset == 0 ? read_.size() : 0;
  for (size_t k = 0; k < count; ++k) {
    const Buffer& buffer = *read_[k].buffer;
    // Memory that is held twice is read at different elements.
    if (read_[k].buffer.use_count() == 1 && (taken >> k & 1) == 0 && read_[k].is_plain &&
        read_[k].offset == 0 && steps_.memory[k].dtype == made.target.dtype &&
        buffer.nbytes() == made.missing && buffer.resource() == made.resource &&
        buffer.can_give_memory() && read_[k].last_read <= static_cast<int>(i))
      return k;
  }
  return read_.size();
}

void Window::find_stored(std::vector<BufferPtr>& stored) {
  stored.reserve(2 * made_.size() + read_.size());  // for clear(), too
  for (size_t i = made_.size(); i-- > 0;) {
    Made& made = made_[i];
    made.is_stored = false;
    if (made.owner.expired()) continue;
    BufferPtr owner = owner_of(made);
    made.is_stored = owner != nullptr && std::ranges::find(stored, owner) == stored.end();
    if (made.is_stored) stored.push_back(std::move(owner));
  }
}

void Window::allocate(std::span<const BufferPtr> stored) {
  // Earlier results come first: where memory runs out, their operations run first, and free some.
  auto next = stored.rbegin();
  for (size_t i = 0; i < made_.size(); ++i) {
    if (!made_[i].is_stored) continue;
    const BufferPtr& result = *next++;
    if (!result->lacks_memory()) continue;
    const size_t k = find_dead(i, 0);
    if (k == read_.size()) {
      result->take_memory();
      continue;
    }
    BufferPtr& dead = read_[k].buffer;
    result->take_memory_of(*dead);
    result->begin_deferred_read();
    dead->end_deferred_read();
    dead = result;
  }
}

void Window::allocate(std::vector<BufferPtr>& stored, std::unique_ptr<Window>& rest) {
  find_stored(stored);
  try {
    return allocate(stored);
  } catch (const OutOfMemory&) {
    stored.clear();
    size_t first = 1;
    while (best_cut(first, first) != first) ++first;
    if (first == size()) throw;
    rest = std::make_unique<Window>(work_);
    move_rest(first, *rest);
  }
  find_stored(stored);
  allocate(stored);
}

int64_t Window::missing_bytes() {
  int64_t bytes = 0;
  uint32_t taken = 0;
  forget_dead_results();
  for (const uint8_t i : results_) {
    if (made_[i].missing == 0) continue;
    const size_t k = find_dead(i, taken);
    taken |= uint32_t{1} << k;
    bytes += k == read_.size() ? made_[i].missing : 0;
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
  steps_.reductions.clear();
  steps_.is_plain = true;
  made_.clear();
  results_.clear();
  compile_time_ = 0;
  stream_.reset();
  plan_.reset();
}

}  // namespace gpuarray::ops
