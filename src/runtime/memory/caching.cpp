// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>
#include <bit>
#include <utility>

#include "core/divide.hpp"
#include "core/error.hpp"
#include "runtime/driver/blocking.hpp"
#include "runtime/memory/caching.hpp"

namespace gpuarray {
namespace {

constexpr int64_t kGranule = 512;
constexpr int64_t kLargest = int64_t{1} << 20;
constexpr int64_t kMostCached = int64_t{64} << 20;  // bytes kept for a device at most
constexpr int64_t kMostRoom = 2 * kLargest;         // of a part; more goes back to all

struct SizeClass {
  int index;
  int64_t nbytes;
};

// Returns the size class of a request: multiples of 512 bytes up to 2 KiB, then four classes a
// power of two.
SizeClass size_class(int64_t nbytes) {
  int64_t granules = divide_up(nbytes, kGranule);
  if (granules <= 4) return {static_cast<int>(granules) - 1, granules * kGranule};
  int shift = std::bit_width(static_cast<uint64_t>(granules - 1)) - 3;
  // Quarters of the next lower power of two, 5 to 8.
  int64_t quarters = (granules + (int64_t{1} << shift) - 1) >> shift;
  return {4 * shift + static_cast<int>(quarters) - 1, (quarters << shift) * kGranule};
}

int64_t class_bytes(int index) {
  if (index < 4) return (index + 1) * kGranule;
  return (int64_t{index % 4 + 5} << (index / 4 - 1)) * kGranule;
}

// Returns the bytes that a block of `nbytes` is allocated with. They do not depend on the stream,
// so that a block may be freed on another stream than it was allocated on.
int64_t reserved_bytes(int64_t nbytes) {
  return nbytes <= kLargest ? size_class(nbytes).nbytes : nbytes;
}

}  // namespace

CachingResource::StreamBlocks& CachingResource::blocks_of(Part& part, const Stream& stream) {
  for (auto& blocks : part.streams)
    if (blocks->stream == &stream) return *blocks;
  part.streams.push_back(std::make_unique<StreamBlocks>());
  part.streams.back()->stream = &stream;
  return *part.streams.back();
}

bool CachingResource::make_room(Part& part, int64_t nbytes) {
  if (granted_.fetch_add(kLargest) + kLargest <= kMostCached) {
    part.room += kLargest;
    return true;
  }
  granted_ -= kLargest;
  for (Part& other : parts_) {  // what others have and do not use
    if (&other == &part) continue;
    if (other.mutex.try_lock()) {
      part.room += std::exchange(other.room, 0);
      other.mutex.unlock();
    }
    if (part.room >= nbytes) return true;
  }
  return false;
}

bool CachingResource::is_cached(int64_t nbytes, const Stream& stream) const {
  return nbytes <= kLargest && is_pooled(stream, device_);
}

void* CachingResource::take(int64_t nbytes, const Stream& stream) {
  const SizeClass wanted = size_class(nbytes);
  Part& part = parts_[stream.part()];
  const BlockingLock lock(part.mutex);
  std::vector<void*>& kept = blocks_of(part, stream).classes[wanted.index];
  if (kept.empty()) return nullptr;
  void* data = kept.back();
  kept.pop_back();
  part.room += wanted.nbytes;
  if (part.room > kMostRoom) {
    part.room -= kLargest;
    granted_ -= kLargest;
  }
  return data;
}

bool CachingResource::keep(void* data, int64_t nbytes, const Stream& stream) noexcept try {
  const SizeClass block = size_class(nbytes);
  Part& part = parts_[stream.part()];
  const BlockingLock lock(part.mutex);
  if (part.room < block.nbytes && !make_room(part, block.nbytes)) return false;
  blocks_of(part, stream).classes[block.index].push_back(data);
  part.room -= block.nbytes;
  return true;
} catch (...) {  // the host has no memory to remember the block
  return false;
}

void* CachingResource::allocate(int64_t nbytes, const Stream& stream) {
  if (is_cached(nbytes, stream))
    if (void* data = take(nbytes, stream)) return data;
  try {
    return upstream_->allocate(reserved_bytes(nbytes), stream);
  } catch (const OutOfMemory&) {
    if (!release_blocks()) throw;
  }
  return upstream_->allocate(reserved_bytes(nbytes), stream);
}

void CachingResource::deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept {
  if (is_cached(nbytes, stream) && keep(data, nbytes, stream)) return;
  upstream_->deallocate(data, reserved_bytes(nbytes), stream);
}

void CachingResource::give_back(const StreamBlocks& blocks, const Stream& stream) noexcept {
  for (int index = 0; index < kClasses; ++index)
    for (void* data : blocks.classes[index])
      upstream_->deallocate(data, class_bytes(index), stream);
}

void CachingResource::forget(const Stream& stream) noexcept {
  std::unique_ptr<StreamBlocks> blocks;
  {
    Part& part = parts_[stream.part()];
    const BlockingLock lock(part.mutex);
    auto known = std::find_if(part.streams.begin(), part.streams.end(),
                              [&](auto& entry) { return entry->stream == &stream; });
    if (known != part.streams.end()) {
      blocks = std::move(*known);
      part.streams.erase(known);
      granted_ -= bytes_of(*blocks) + std::exchange(part.room, 0);
    }
  }
  if (blocks != nullptr) give_back(*blocks, stream);
  upstream_->forget(stream);
}

int64_t CachingResource::bytes_of(const StreamBlocks& blocks) {
  int64_t sum = 0;
  for (int index = 0; index < kClasses; ++index)
    sum += static_cast<int64_t>(blocks.classes[index].size()) * class_bytes(index);
  return sum;
}

int64_t CachingResource::cached_bytes_here() const {
  int64_t sum = 0;
  for (const Part& part : parts_) {
    const BlockingLock lock(part.mutex);
    for (auto& blocks : part.streams) sum += bytes_of(*blocks);
  }
  return sum;
}

bool CachingResource::release_blocks() noexcept try {
  if (cached_bytes_here() == 0) return false;
  const Stream& permanent = order_->permanent_stream(device_);
  for (Part& part : parts_) {
    std::vector<std::unique_ptr<StreamBlocks>> released;
    {
      const BlockingLock lock(part.mutex);
      // A stream may be destroyed as soon as the lock is released, so that the permanent stream
      // frees its blocks, after the stream's work.
      for (auto& blocks : part.streams) order_->wait(permanent, *blocks->stream);
      released.swap(part.streams);
      for (auto& blocks : released) granted_ -= bytes_of(*blocks);
      granted_ -= std::exchange(part.room, 0);
    }
    for (auto& blocks : released) give_back(*blocks, permanent);
  }
  return true;
} catch (...) {  // the driver is gone, and the memory with it
  return false;
}

void CachingResource::release_cached() noexcept {
  release_blocks();
  upstream_->release_cached();
}

void CachingResource::add_usage(MemoryUsage& usage) const {
  upstream_->add_usage(usage);
  for (const Part& part : parts_) {
    const BlockingLock lock(part.mutex);
    for (auto& blocks : part.streams) {
      usage.used -= bytes_of(*blocks);
      usage.cached += bytes_of(*blocks);
      for (int index = 0; index < kClasses; ++index) {
        if (blocks->classes[index].empty()) continue;
        usage.free_blocks += static_cast<int64_t>(blocks->classes[index].size());
        usage.largest_free_block = std::max(usage.largest_free_block, class_bytes(index));
      }
    }
  }
}

}  // namespace gpuarray
