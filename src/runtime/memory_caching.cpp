// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <bit>

#include "core/error.hpp"
#include "runtime/memory_resources.hpp"

namespace gpuarray {
namespace {

constexpr int64_t kGranule = 512;
constexpr int64_t kLargest = int64_t{1} << 20;
constexpr int64_t kMostCached = int64_t{64} << 20;  // bytes a device

struct SizeClass {
  int index;
  int64_t nbytes;
};

// Multiples of 512 bytes up to 2 KiB, then four classes a power of two.
SizeClass size_class(int64_t nbytes) {
  int64_t granules = (nbytes + kGranule - 1) / kGranule;
  if (granules <= 4) return {static_cast<int>(granules) - 1, granules * kGranule};
  int shift = std::bit_width(static_cast<uint64_t>(granules - 1)) - 3;
  int64_t quarters = (granules + (int64_t{1} << shift) - 1) >> shift;  // 5 to 8
  return {4 * shift + static_cast<int>(quarters) - 1, (quarters << shift) * kGranule};
}

int64_t class_bytes(int index) {
  if (index < 4) return (index + 1) * kGranule;
  return (int64_t{index % 4 + 5} << (index / 4 - 1)) * kGranule;
}

// What a block of `nbytes` takes up, whatever stream it is allocated or freed on.
int64_t reserved_bytes(int64_t nbytes) {
  return nbytes <= kLargest ? size_class(nbytes).nbytes : nbytes;
}

}  // namespace

CachingResource::StreamBlocks& CachingResource::blocks_of(const Stream& stream) {
  for (auto& blocks : streams_)
    if (blocks->stream == &stream) return *blocks;
  streams_.push_back(std::make_unique<StreamBlocks>());
  streams_.back()->stream = &stream;
  return *streams_.back();
}

bool CachingResource::is_cached(int64_t nbytes, const Stream& stream) const {
  return nbytes <= kLargest && stream.owned() && stream.device() == device_;
}

void* CachingResource::take(int64_t nbytes, const Stream& stream) {
  const SizeClass wanted = size_class(nbytes);
  std::lock_guard lock(mutex_);
  std::vector<void*>& kept = blocks_of(stream).classes[wanted.index];
  if (kept.empty()) return nullptr;
  void* data = kept.back();
  kept.pop_back();
  cached_ -= wanted.nbytes;
  return data;
}

bool CachingResource::keep(void* data, int64_t nbytes, const Stream& stream) noexcept try {
  const SizeClass block = size_class(nbytes);
  std::lock_guard lock(mutex_);
  if (cached_ + block.nbytes > kMostCached) return false;
  blocks_of(stream).classes[block.index].push_back(data);
  cached_ += block.nbytes;
  return true;
} catch (...) {  // no memory to remember it by
  return false;
}

void* CachingResource::allocate(int64_t nbytes, const Stream& stream) {
  if (is_cached(nbytes, stream))
    if (void* data = take(nbytes, stream)) return data;
  try {
    return upstream_->allocate(reserved_bytes(nbytes), stream);
  } catch (const OutOfMemory&) {
    if (cached_bytes() == 0) throw;
  }
  release_cached();
  return upstream_->allocate(reserved_bytes(nbytes), stream);
}

void CachingResource::deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept {
  if (is_cached(nbytes, stream) && keep(data, nbytes, stream)) return;
  upstream_->deallocate(data, reserved_bytes(nbytes), stream);
}

void CachingResource::give_back(StreamBlocks& blocks) noexcept {
  for (int index = 0; index < kClasses; ++index) {
    for (void* data : blocks.classes[index]) {
      upstream_->deallocate(data, class_bytes(index), *blocks.stream);
      cached_ -= class_bytes(index);
    }
    blocks.classes[index].clear();
  }
}

void CachingResource::forget(const Stream& stream) noexcept {
  std::lock_guard lock(mutex_);
  for (size_t i = 0; i < streams_.size(); ++i) {
    if (streams_[i]->stream != &stream) continue;
    give_back(*streams_[i]);
    streams_.erase(streams_.begin() + static_cast<std::ptrdiff_t>(i));
    return;
  }
}

int64_t CachingResource::cached_bytes() const {
  std::lock_guard lock(mutex_);
  return cached_;
}

void CachingResource::release_cached() noexcept {
  std::lock_guard lock(mutex_);
  for (auto& blocks : streams_) give_back(*blocks);
}

}  // namespace gpuarray
