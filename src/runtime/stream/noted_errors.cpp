// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/stream/noted_errors.hpp"

#include <atomic>
#include <memory>
#include <string>

#include "core/error.hpp"
#include "runtime/device/cuda_device.hpp"
#include "runtime/device/page_locked.hpp"

namespace gpuarray {
namespace {

using RecordMemory = std::unique_ptr<PageLocked>;
PerDevice<RecordMemory> records;

NotedError* record_in(const RecordMemory& memory) {
  return reinterpret_cast<NotedError*>(memory->data());
}

// Returns the matrix's place in its batch: "7" or "(1, 3)".
std::string place_of(const NotedError& error) {
  if (error.ndim < 2) return std::to_string(error.index);
  std::string text;
  int64_t rest = error.index;
  for (int axis = error.ndim - 1; axis >= 0; rest /= error.batch[axis--])
    text = std::to_string(rest % error.batch[axis]) + (text.empty() ? "" : ", ") + text;
  return "(" + text + ")";
}

const char* problem(NotedError::Kind kind) {
  switch (kind) {
    case NotedError::Kind::singular:
      return " is singular";
    case NotedError::Kind::not_positive_definite:
      return " is not positive definite";
    case NotedError::Kind::no_convergence:
      return ": the iteration did not converge";
    default:
      return " contains infs or NaNs";
  }
}

}  // namespace

void throw_index_error(const char* operation, int64_t index, int axis, int64_t length) {
  throw IndexError(std::string(operation) + ": index " + std::to_string(index) +
                   " is out of bounds for axis " + std::to_string(axis) + " with size " +
                   std::to_string(length));
}

void throw_noted_error(const NotedError& error) {
  if (error.kind == NotedError::Kind::index)
    throw_index_error(error.operation, error.index, error.axis, error.length);
  const std::string matrix =
      error.ndim == 0 ? "the matrix" : "matrix " + place_of(error) + " of the batch";
  throw LinAlgError(std::string(error.operation) + ": " + matrix + problem(error.kind));
}

NotedError* noted_error(Device device) {
  return record_in(records.get(device.index, [](int index) {
    const DeviceGuard on(Device::cuda(index));
    auto memory = std::make_unique<PageLocked>(sizeof(NotedError));
    *record_in(memory) = {};
    return memory;
  }));
}

void raise_noted_errors(Device device) {
  if (device.is_cpu()) return;
  const RecordMemory* memory = records.peek(device.index);
  if (memory == nullptr) [[likely]]
    return;
  NotedError* record = record_in(*memory);
  const std::atomic_ref<uint32_t> state(record->state);
  uint32_t noted = 2;
  if (state.load(std::memory_order_acquire) != noted) [[likely]]
    return;
  if (!state.compare_exchange_strong(noted, 1)) return;  // another thread raises it
  const NotedError found = *record;
  state.store(0, std::memory_order_release);
  throw_noted_error(found);
}

}  // namespace gpuarray
