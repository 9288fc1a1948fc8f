// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The memory of results that are gone, and what their end means for the window.
#include <algorithm>
#include <mutex>
#include <utility>

#include "array/joining.hpp"
#include "array/windows/fusion.hpp"
#include "array/windows/process_window.hpp"
#include "runtime/buffer/access.hpp"
#include "runtime/buffer/deferred.hpp"
#include "runtime/memory/memory.hpp"
#include "runtime/memory/watch.hpp"

namespace gpuarray::ops {
namespace {

// From this size on memory that only the window keeps is looked at; smaller memory of temporaries
// goes from one to the next.
constexpr int64_t kLeastKeptBytes = int64_t{1} << 20;

int64_t least_kept_bytes() { return tested == TestedWindows::adversary ? 1 : kLeastKeptBytes; }

// What memory_for_result() returns.
BufferPtr take_memory(const Shape& shape, DType dtype, Device device) {
  if (blocks_are_recorded) return nullptr;
  const StreamPtr& stream = current_stream(device);
  const MemoryResource* resource = current_resource_address(device);  // may call Python
  const std::lock_guard lock(state->lock);
  Window& window = *state->window;
  if (state->running > 0 || window.empty() || !window.is_on(*stream)) return nullptr;
  if (shape != window.steps().shape) return nullptr;
  const int64_t nbytes = window.steps().size * itemsize(dtype);
  if (BufferPtr found = state->unused.take(nbytes, resource)) {
    update_memory_hook();
    return found;
  }
  if (state->kept_bytes < least_kept_bytes()) return nullptr;
  if (InWindow::here() || BufferAccess::is_any_open_here()) return nullptr;
  BufferPtr found = window.take_kept(nbytes, dtype, resource);
  if (found != nullptr) set_kept_bytes(state->kept_bytes - nbytes);
  return found;
}

// Keeps the memory of a result that waits, which nothing has any more, for the next one. Returns
// whether it does.
bool keep_unused(BufferPtr& buffer) {
  Window& window = *state->window;
  if (state->running > 0 || buffer.use_count() != 1 || window.maker(*buffer) < 0 ||
      !window.is_on(*buffer->writer()) || state->unused.is_full())
    return false;
  window.forget(*buffer);
  state->unused.add(std::move(buffer));
  update_memory_hook();
  return true;
}

}  // namespace

BufferPtr UnusedMemory::take(int64_t nbytes, const MemoryResource* resource) {
  for (int i = count_; i-- > 0;)
    if (buffers_[i]->nbytes() == nbytes && buffers_[i]->is_from(resource)) {
      std::swap(buffers_[i], buffers_[--count_]);
      return std::move(buffers_[count_]);
    }
  return nullptr;
}

void update_memory_hook() {
  const bool is_any = !state->unused.empty() || state->kept_bytes >= least_kept_bytes();
  memory_hook.store(is_any ? take_memory : nullptr, std::memory_order_relaxed);
}

void set_kept_bytes(int64_t nbytes) {
  state->kept_bytes = nbytes;
  update_memory_hook();
}

bool keeps_much(int64_t nbytes) {
  // How much more memory may be in use for what waits than single operations would have needed.
  constexpr int64_t kMostKeptBytes = int64_t{64} << 20;
  if (nbytes < kLeastKeptBytes && state->kept_bytes < kLeastKeptBytes) return false;
  const int64_t in_use = memory_statistics(state->window->device()).bytes_in_use;
  state->most_bytes = std::max(state->most_bytes, in_use - state->kept_bytes);
  return in_use > state->most_bytes + kMostKeptBytes;
}

void end(Array& array) noexcept {
  BufferPtr buffer = array.take_buffer();
  if (buffer == nullptr) return;
  if (deferred.load(std::memory_order_relaxed) == Deferred::sketch) {
    const std::lock_guard lock(state->lock);
    state->deaths += state->sketch->maker(*buffer) >= 0;
    return;
  }
  const bool is_result = buffer->is_deferred();
  // This array is the other owner.
  const int reads = buffer->deferred_reads();
  const int64_t kept = reads > 0 && buffer.use_count() == reads + 1 ? buffer->nbytes() : 0;
  if (!is_result && kept == 0) return;
  if (reads > 0 || buffer.use_count() > 1 || buffer->nbytes() >= kLeastKeptBytes) buffer.reset();
  StateLock lock(state->lock);
  if (buffer != nullptr && !keep_unused(buffer)) {
    lock.unlock();  // the release may call Python
    buffer.reset();
    lock.lock();
  }
  if (kept > 0) set_kept_bytes(state->kept_bytes + kept);
  const bool is_end = is_result && ++state->deaths == state->awaited_deaths;
  if (state->running > 0 || state->window->empty()) return;
  if (!is_end && !keeps_much(kept)) return;
  try {
    run_window(lock, is_end ? "its end of last time" : "memory that only it keeps");
  } catch (...) {  // the next call from Python throws it
    state->failure = std::current_exception();
    update_deferred();
  }
}

}  // namespace gpuarray::ops
