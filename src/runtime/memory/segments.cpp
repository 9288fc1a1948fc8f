// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/memory/segments.hpp"

#include <algorithm>
#include <new>

#include "core/divide.hpp"
#include "core/error.hpp"
#include "runtime/device/device.hpp"
#include "runtime/stream/main_stream.hpp"
#include "runtime/stream/synchronize.hpp"

namespace gpuarray {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;
constexpr int64_t kGranule = 512;
constexpr int64_t kLargeGranule = 64 << 10;
constexpr int64_t kSmall = kMiB;
constexpr int64_t kMedium = 10 * kMiB;
constexpr int64_t kSlack = 32 * kMiB;
constexpr int64_t kMostSpare = 12;  // the pool may hold a twelfth of its peak as spare
constexpr int64_t kMostWaste = 16;  // a whole segment may be larger than its block by a sixteenth

int64_t rounded(int64_t nbytes) {
  return round_up(nbytes, nbytes <= kSmall ? kGranule : kLargeGranule);
}

SegmentKind kind_of(int64_t nbytes) {
  if (nbytes <= kSmall) return SegmentKind::small;
  return nbytes <= kMedium ? SegmentKind::medium : SegmentKind::whole;
}

int64_t segment_bytes(int64_t nbytes) {
  const SegmentKind kind = kind_of(nbytes);
  if (kind == SegmentKind::whole) return round_up(nbytes, 2 * kMiB);
  return kind == SegmentKind::small ? 2 * kMiB : 20 * kMiB;
}

void* advance(void* data, int64_t nbytes) { return static_cast<char*>(data) + nbytes; }

}  // namespace

const Stream& StreamOrder::permanent_stream(Device device) { return *main_stream(device); }

SegmentResource::SegmentResource(MemoryResourcePtr upstream, StreamOrderPtr order)
    : ForwardingResource(std::move(upstream)),
      device_(upstream_->device()),
      order_(std::move(order)),
      mutex_(device_.is_cpu()) {}

bool SegmentResource::StreamPool::is_empty() const {
  return std::all_of(std::begin(blocks), std::end(blocks),
                     [](const FreeBlocks& kind) { return kind.count() == 0; });
}

SegmentResource::StreamPool* SegmentResource::find_pool(const Stream& stream) {
  for (auto& pool : pools_)
    if (pool->stream == &stream) return pool.get();
  return nullptr;
}

SegmentResource::StreamPool& SegmentResource::pool_of(const Stream& stream) {
  if (StreamPool* pool = find_pool(stream)) return *pool;
  pools_.push_back(std::make_unique<StreamPool>());
  pools_.back()->stream = &stream;
  return *pools_.back();
}

Block& SegmentResource::new_block(void* data, int64_t nbytes, SegmentKind kind,
                                  const Stream& stream) {
  Block& block = blocks_[data];
  block.data = data;
  block.nbytes = nbytes;
  block.kind = kind;
  block.stream = &stream;
  return block;
}

void SegmentResource::erase(Block& block) { blocks_.erase(block.data); }

void SegmentResource::add_free(Block& block, const Stream& stream) {
  StreamPool& pool = pool_of(stream);
  block.free = true;
  block.stream = &stream;
  auto merges = [&](Block* other) {
    return other != nullptr && other->free && other->stream == &stream;
  };
  Block* kept = &block;
  if (merges(block.after)) {
    remove_free(*block.after);
    absorb(block, *block.after);
  }
  if (merges(block.before)) {
    kept = block.before;
    remove_free(*kept);
    absorb(*kept, block);
  }
  kept->free = true;
  pool.of(kept->kind).add(*kept);
}

void SegmentResource::add_free_or_lose(Block& block, const Stream& stream) noexcept try {
  add_free(block, stream);
} catch (const std::bad_alloc&) {  // the host has no memory to remember the block
}

void SegmentResource::remove_free(Block& block) {
  pool_of(*block.stream).of(block.kind).remove(block);
  block.free = false;
}

void SegmentResource::absorb(Block& block, Block& next) {
  block.nbytes += next.nbytes;
  block.after = next.after;
  if (block.after != nullptr) block.after->before = &block;
  erase(next);
}

void* SegmentResource::use(Block& block, int64_t nbytes) {
  remove_free(block);
  if (block.nbytes > nbytes && block.kind != SegmentKind::whole) {
    Block& rest =
        new_block(advance(block.data, nbytes), block.nbytes - nbytes, block.kind, *block.stream);
    rest.before = &block;
    rest.after = block.after;
    if (rest.after != nullptr) rest.after->before = &rest;
    block.after = &rest;
    block.nbytes = nbytes;
    add_free(rest, *block.stream);
  }
  use_of(block.kind).take(block.nbytes);
  all_.take(block.nbytes);
  return block.data;
}

Block* SegmentResource::best(StreamPool& pool, int64_t nbytes) const {
  const SegmentKind kind = kind_of(nbytes);
  Block* block = pool.of(kind).best(nbytes);
  if (block == nullptr || kind != SegmentKind::whole) return block;
  return block->nbytes - nbytes <= std::max(nbytes / kMostWaste, 2 * kMiB) ? block : nullptr;
}

Block* SegmentResource::best_of_others(int64_t nbytes, const Stream& stream) {
  Block* found = nullptr;
  for (auto& pool : pools_) {
    Block* block = pool->stream == &stream ? nullptr : best(*pool, nbytes);
    if (block != nullptr && (found == nullptr || block->nbytes < found->nbytes)) found = block;
  }
  if (found == nullptr) return nullptr;
  order_->wait(stream, *found->stream);
  // The whole block is moved, because using its rest would need the same wait again.
  remove_free(*found);
  add_free(*found, stream);
  return best(pool_of(stream), nbytes);
}

void SegmentResource::move_blocks(StreamPool& pool, const Stream& stream) {
  if (pool.stream == &stream || pool.is_empty()) return;
  order_->wait(stream, *pool.stream);
  hand_over(&stream, pool);
}

void SegmentResource::gather(const Stream& stream) {
  pool_of(stream);  // made now, so that no pool is added during the loop
  for (auto& pool : pools_) move_blocks(*pool, stream);
}

void* SegmentResource::grow(int64_t nbytes, int64_t segment_bytes, const Stream& stream,
                            Lock& lock) {
  void* data = nullptr;
  lock.unlock();
  try {
    data = upstream_->allocate(segment_bytes, stream);
  } catch (const OutOfMemory&) {  // the caller looks for memory elsewhere
  }
  lock.lock();
  if (data == nullptr) return nullptr;
  Block& block = new_block(data, segment_bytes, kind_of(nbytes), stream);
  use_of(block.kind).reserved += segment_bytes;
  all_.reserved += segment_bytes;
  add_free(block, stream);
  return use(block, nbytes);
}

std::vector<SegmentResource::Segment> SegmentResource::take_segments(int64_t nbytes,
                                                                     const Stream& stream) {
  std::vector<Segment> segments;
  for (FreeBlocks& blocks : pool_of(stream).blocks)
    blocks.for_each([&](Block& block) NO_THREAD_SAFETY_ANALYSIS {  // under the caller's lock
      if (nbytes <= 0 || !block.is_whole_segment()) return;
      segments.push_back({block.data, block.nbytes});
      nbytes -= block.nbytes;
      use_of(block.kind).reserved -= block.nbytes;
      all_.reserved -= block.nbytes;
      remove_free(block);
      erase(block);
    });
  return segments;
}

void SegmentResource::give_back(int64_t nbytes, const Stream& stream, Lock& lock) {
  if (nbytes <= 0) return;
  std::vector<Segment> segments = take_segments(nbytes, stream);
  lock.unlock();
  for (const Segment& segment : segments)
    upstream_->deallocate(segment.data, segment.nbytes, stream);
  lock.lock();
}

int64_t SegmentResource::Use::excess(int64_t nbytes, int64_t segment_bytes) const {
  const int64_t most = std::max(peak, used + nbytes);
  return reserved + segment_bytes - (most + most / kMostSpare + kSlack);
}

void* SegmentResource::allocate(int64_t nbytes, const Stream& stream) {
  if (!is_pooled(stream, device_) || nbytes > INT64_MAX / 2)
    return upstream_->allocate(nbytes, stream);
  const int64_t size = rounded(nbytes);
  const int64_t segment = segment_bytes(size);
  Lock lock(mutex_);
  StreamPool& own = pool_of(stream);
  if (Block* block = best(own, size)) return use(*block, size);
  // Only the stream's own segments, which needs no wait.
  give_back(all_.excess(size, segment), stream, lock);
  if (all_.excess(size, segment) <= 0 && use_of(kind_of(size)).excess(size, segment) <= 0)
    if (void* data = grow(size, segment, stream, lock)) return data;
  if (Block* block = best_of_others(size, stream)) return use(*block, size);
  gather(stream);
  if (Block* block = best(own, size)) return use(*block, size);
  give_back(all_.excess(size, segment), stream, lock);
  if (void* data = grow(size, segment, stream, lock)) return data;
  gather(stream);
  give_back(INT64_MAX, stream, lock);
  if (void* data = grow(size, size, stream, lock)) return data;
  // A small block may be cut from a segment for larger ones.
  if (Block* block = own.of(SegmentKind::medium).best(size)) return use(*block, size);
  lock.unlock();
  // This throws, or returns what others have freed meanwhile.
  return upstream_->allocate(nbytes, stream);
}

void SegmentResource::deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept {
  Lock lock(mutex_);
  auto found = blocks_.find(data);
  if (found == blocks_.end()) {
    lock.unlock();
    return upstream_->deallocate(data, nbytes, stream);
  }
  Block& block = found->second;  // belongs to the caller until it is marked as free
  const Stream* last = &stream;
  if (!is_pooled(stream, device_)) {
    lock.unlock();  // this may block
    last = permanent_stream_after(stream);
    lock.lock();
  }
  use_of(block.kind).used -= block.nbytes;
  all_.used -= block.nbytes;
  if (last != nullptr) add_free_or_lose(block, *last);
}

const Stream* SegmentResource::permanent_stream_after(const Stream& stream) noexcept try {
  const Stream& permanent = order_->permanent_stream(device_);
  try {
    order_->wait(permanent, stream);
  } catch (const Error&) {  // the borrowed stream may be gone by now
    finish(device_);
  }
  return &permanent;
} catch (...) {  // the driver is gone, and so is the memory
  return nullptr;
}

void SegmentResource::forget(const Stream& stream) noexcept {
  Lock lock(mutex_);
  StreamPool* pool = find_pool(stream);
  if (pool != nullptr && !pool->is_empty()) {
    lock.unlock();  // this may block
    const Stream* permanent = permanent_stream_after(stream);
    lock.lock();
    hand_over(permanent, *pool);
  }
  std::erase_if(pools_, [&](auto& pool) { return pool->stream == &stream; });
  lock.unlock();
  upstream_->forget(stream);
}

void SegmentResource::hand_over(const Stream* permanent, StreamPool& pool) noexcept {
  for (FreeBlocks& blocks : pool.blocks)
    blocks.for_each([&](Block& block) NO_THREAD_SAFETY_ANALYSIS {  // under the caller's lock
      remove_free(block);
      if (permanent != nullptr) add_free_or_lose(block, *permanent);
    });
}

void SegmentResource::release_segments() noexcept try {
  Lock lock(mutex_);
  if (blocks_.empty()) return;
  const Stream& permanent = order_->permanent_stream(device_);
  gather(permanent);
  give_back(INT64_MAX, permanent, lock);
} catch (...) {  // the driver is gone, and so is the memory
}

void SegmentResource::release_cached() noexcept {
  release_segments();
  upstream_->release_cached();
}

void SegmentResource::add_usage(MemoryUsage& usage) const {
  upstream_->add_usage(usage);
  Lock lock(mutex_);
  usage.used = all_.used;
  usage.cached += all_.reserved - all_.used;
  for (auto& pool : pools_)
    for (const FreeBlocks& blocks : pool->blocks) {
      usage.free_blocks += blocks.count();
      blocks.for_each([&](const Block& block) {
        usage.largest_free_block = std::max(usage.largest_free_block, block.nbytes);
      });
    }
}

}  // namespace gpuarray
