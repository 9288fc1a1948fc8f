// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <algorithm>
#include <map>
#include <mutex>

#include "core/error.hpp"
#include "runtime/memory/caching.hpp"
#include "runtime/memory/segments.hpp"

// Defines a source of memory that is only addresses, and streams that need no driver.

// Hands out addresses, counts the bytes handed out, and refuses beyond `limit` bytes.
class Recorder final : public gpuarray::MemoryResource {
 public:
  gpuarray::Device device() const override { return gpuarray::Device::cuda(0); }
  void* allocate(int64_t nbytes, const gpuarray::Stream&) override {
    std::lock_guard lock(mutex_);
    if (nbytes > limit - bytes_) throw gpuarray::OutOfMemory("full");
    void* data = reinterpret_cast<void*>(next_);
    next_ += static_cast<uintptr_t>(nbytes) / 4096 * 4096 + 8192;
    blocks[data] = nbytes;
    bytes_ += nbytes;
    most = std::max(most, bytes_);
    ++allocations;
    return data;
  }
  void deallocate(void* data, int64_t nbytes, const gpuarray::Stream&) noexcept override {
    std::lock_guard lock(mutex_);
    wrong_sizes += blocks[data] != nbytes;
    blocks.erase(data);
    bytes_ -= nbytes;
  }
  int64_t bytes() const { return bytes_; }

  int64_t limit = int64_t{1} << 50;
  int wrong_sizes = 0;
  int allocations = 0;
  int64_t most = 0;
  std::map<void*, int64_t> blocks;

 private:
  std::mutex mutex_;
  uintptr_t next_ = 1 << 20;
  int64_t bytes_ = 0;
};

// Streams are never destroyed, because there is no driver to destroy them.
inline const gpuarray::Stream& stream(int device, bool owned = true) {
  return *new gpuarray::Stream(gpuarray::Device::cuda(device), 3, owned);
}
// Returns a stream of another handle, and so of another part than most.
inline const gpuarray::Stream& stream_of(uintptr_t handle) {
  return *new gpuarray::Stream(gpuarray::Device::cuda(0), handle, true);
}

// Records what each stream waits for, as the number of the last piece of work on each other stream.
class RecordedOrder final : public gpuarray::StreamOrder {
 public:
  using StreamKey = const gpuarray::Stream*;
  void wait(const gpuarray::Stream& later, const gpuarray::Stream& earlier) override {
    std::lock_guard lock(mutex_);
    ++waits;
    known_[&later][&earlier] = now_[&earlier];
    for (auto [other, time] : known_[&earlier])
      known_[&later][other] = std::max(known_[&later][other], time);
  }
  const gpuarray::Stream& permanent_stream(gpuarray::Device) override { return heir_; }
  int64_t tick(StreamKey stream) {
    std::lock_guard lock(mutex_);
    return ++now_[stream];
  }
  bool is_after(StreamKey later, StreamKey earlier, int64_t time) {
    std::lock_guard lock(mutex_);
    return later == earlier || known_[later][earlier] >= time;
  }

  int waits = 0;

 private:
  const gpuarray::Stream& heir_ = stream(0);
  std::mutex mutex_;
  std::map<StreamKey, int64_t> now_;
  std::map<StreamKey, std::map<StreamKey, int64_t>> known_;
};
