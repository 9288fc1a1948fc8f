// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/stream/index_errors.hpp"

#include <atomic>
#include <memory>
#include <string>

#include "core/error.hpp"
#include "runtime/device/cuda_device.hpp"
#include "runtime/device/page_locked.hpp"

namespace gpuarray {
namespace {

using NoteMemory = std::unique_ptr<PageLocked>;
PerDevice<NoteMemory> notes;

NotedIndex* note_in(const NoteMemory& memory) {
  return reinterpret_cast<NotedIndex*>(memory->data());
}

}  // namespace

void throw_index_error(const char* operation, int64_t index, int axis, int64_t length) {
  throw IndexError(std::string(operation) + ": index " + std::to_string(index) +
                   " is out of bounds for axis " + std::to_string(axis) + " with size " +
                   std::to_string(length));
}

NotedIndex* noted_index(Device device) {
  return note_in(notes.get(device.index, [](int index) {
    const DeviceGuard on(Device::cuda(index));
    auto memory = std::make_unique<PageLocked>(sizeof(NotedIndex));
    *note_in(memory) = {};
    return memory;
  }));
}

void raise_index_errors(Device device) {
  if (device.is_cpu()) return;
  const NoteMemory* memory = notes.peek(device.index);
  if (memory == nullptr) [[likely]]
    return;
  NotedIndex* note = note_in(*memory);
  const std::atomic_ref<uint32_t> state(note->state);
  uint32_t noted = 2;
  if (state.load(std::memory_order_acquire) != noted) [[likely]]
    return;
  if (!state.compare_exchange_strong(noted, 1)) return;  // another thread raises it
  const NotedIndex found = *note;
  state.store(0, std::memory_order_release);
  throw_index_error(found.operation, found.index, found.axis, found.length);
}

}  // namespace gpuarray
