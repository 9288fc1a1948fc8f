// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The end of arrays, and what it means for the window and the memory that it keeps.
#include <algorithm>
#include <utility>

#include "array/windows/fusion.hpp"
#include "array/windows/recorder.hpp"
#include "array/windows/recorders.hpp"
#include "runtime/memory/memory.hpp"

namespace gpuarray::ops {
namespace {

// From this size on memory that only the window keeps is looked at.
constexpr int64_t kLeastKeptBytes = int64_t{1} << 20;

}  // namespace

bool Recorder::keeps_much(int64_t nbytes) {
  // Pending operations may use so much more memory than single operations would have used.
  constexpr int64_t kMostKeptBytes = int64_t{64} << 20;
  if (nbytes < kLeastKeptBytes && kept_bytes_ < kLeastKeptBytes) return false;
  const int64_t in_use =
      memory_statistics(window_->device()).bytes_in_use + window_->missing_bytes();
  most_bytes_ = std::max(most_bytes_, in_use - kept_bytes_);
  return in_use > most_bytes_ + kMostKeptBytes;
}

void Recorder::note_sketched_end(const Buffer& buffer) {
  if (state_.load(std::memory_order_relaxed) != Deferred::sketch) return;
  const LockGuard lock(lock_);
  deaths_ += sketch_->maker(buffer) >= 0;
}

void Recorder::note_end(bool is_result, int64_t kept) noexcept {
  std::exception_ptr failure;
  {
    const LockGuard lock(lock_);
    kept_bytes_ += kept;
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
  buffer.reset();
  if (recorder != nullptr) recorder->note_end(is_result, kept);
}

}  // namespace gpuarray::ops
