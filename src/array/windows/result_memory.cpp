// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The memory of results that are gone, and what their end means for the window.
#include <algorithm>
#include <utility>

#include "array/windows/fusion.hpp"
#include "array/windows/recorder.hpp"
#include "array/windows/recorders.hpp"
#include "runtime/memory/memory.hpp"
#include "runtime/memory/watch.hpp"

namespace gpuarray::ops {
namespace {

// From this size on memory that only the window keeps is looked at; smaller memory of temporaries
// goes from one to the next.
constexpr int64_t kLeastKeptBytes = int64_t{1} << 20;

int64_t least_kept_bytes() { return tested == TestedWindows::adversary ? 1 : kLeastKeptBytes; }

}  // namespace

BufferPtr UnusedMemory::take(int64_t nbytes, const MemoryResource* resource) {
  for (int i = count_; i-- > 0;)
    if (buffers_[i]->nbytes() == nbytes && buffers_[i]->is_from(resource)) {
      std::swap(buffers_[i], buffers_[--count_]);
      return std::move(buffers_[count_]);
    }
  return nullptr;
}

BufferPtr Recorder::take_memory(const Shape& shape, DType dtype, Device device) {
  if (blocks_are_recorded) return nullptr;
  const StreamPtr& stream = current_stream(device);
  const MemoryResource* resource = current_resource_address(device);  // may call Python
  const LockGuard lock(lock_);
  if (runner_ != 0 || window_->empty() || !window_->is_on(*stream)) return nullptr;
  if (shape != window_->steps().shape) return nullptr;
  const int64_t nbytes = window_->steps().size * itemsize(dtype);
  if (BufferPtr found = unused_.take(nbytes, resource)) {
    update_has_memory();
    return found;
  }
  if (kept_bytes_ < least_kept_bytes()) return nullptr;
  if (InWindow::here() || BufferAccess::is_any_open_here()) return nullptr;
  BufferPtr found = window_->take_kept(nbytes, dtype, resource);
  if (found != nullptr) set_kept_bytes(kept_bytes_ - nbytes);
  return found;
}

bool Recorder::keep_unused(BufferPtr& buffer) {
  if (runner_ != 0 || buffer.use_count() != 1 || window_->maker(*buffer) < 0 ||
      !window_->is_on(*buffer->writer()) || unused_.is_full())
    return false;
  window_->forget(*buffer);
  unused_.add(std::move(buffer));
  update_has_memory();
  return true;
}

void Recorder::update_has_memory() {
  has_memory_.store(!unused_.empty() || kept_bytes_ >= least_kept_bytes(),
                    std::memory_order_relaxed);
}

void Recorder::set_kept_bytes(int64_t nbytes) {
  kept_bytes_ = nbytes;
  update_has_memory();
}

bool Recorder::keeps_much(int64_t nbytes) {
  // How much more memory may be in use for what waits than single operations would have needed.
  constexpr int64_t kMostKeptBytes = int64_t{64} << 20;
  if (nbytes < kLeastKeptBytes && kept_bytes_ < kLeastKeptBytes) return false;
  const int64_t in_use = memory_statistics(window_->device()).bytes_in_use;
  most_bytes_ = std::max(most_bytes_, in_use - kept_bytes_);
  return in_use > most_bytes_ + kMostKeptBytes;
}

void Recorder::note_sketched_end(const Buffer& buffer) {
  if (state_.load(std::memory_order_relaxed) != Deferred::sketch) return;
  const LockGuard lock(lock_);
  deaths_ += sketch_->maker(buffer) >= 0;
}

void Recorder::note_end(BufferPtr&& buffer, bool is_result, int64_t kept) noexcept {
  std::exception_ptr failure;
  {
    const LockGuard lock(lock_);
    if (buffer != nullptr && !keep_unused(buffer)) {
      const Unlocked unlocked(lock_);  // the release may call Python
      buffer.reset();
    }
    if (kept > 0) set_kept_bytes(kept_bytes_ + kept);
    const bool is_end = is_result && ++deaths_ == awaited_deaths_;
    if (runner_ != 0 || window_->empty()) return;
    // The owner may be idle, and keep it as long.
    const bool is_others = kept >= kLeastKeptBytes && this != here();
    if (!is_end && !is_others && !keeps_much(kept)) return;
    try {
      run_window(is_end ? EndReason::predicted : EndReason::memory);
    } catch (...) {
      failure = std::current_exception();
    }
  }
  if (failure == nullptr) return;
  Recorder* const own = made_here();
  (own != nullptr ? own : this)->keep_failure(std::move(failure));
}

void Recorder::keep_failure(std::exception_ptr failure) {
  const LockGuard lock(lock_);
  failure_ = std::move(failure);
  update_state();
}

void end(Array& array) noexcept {
  BufferPtr buffer = array.take_buffer();
  if (buffer == nullptr) return;
  // This array is the other owner.
  const int reads = buffer->deferred_reads();
  const int64_t kept = reads > 0 && buffer.use_count() == reads + 1 ? buffer->nbytes() : 0;
  const bool is_result = buffer->is_deferred();
  if (!is_result && kept == 0) {
    if (Recorder* const recorder = Recorder::here()) recorder->note_sketched_end(*buffer);
    return;
  }
  Recorder* recorder = is_result ? static_cast<Recorder*>(buffer->deferred_by()) : nullptr;
  if (recorder == nullptr) recorder = recorders.reader_of(*buffer);
  if (reads > 0 || buffer.use_count() > 1 || buffer->nbytes() >= kLeastKeptBytes) buffer.reset();
  if (recorder != nullptr) recorder->note_end(std::move(buffer), is_result, kept);
}

}  // namespace gpuarray::ops
