// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "core/fork.hpp"
#include "runtime/driver/blocking.hpp"
#include "runtime/memory/blocks.hpp"
#include "runtime/memory/resources.hpp"
#include "runtime/stream/stream_order.hpp"

namespace gpuarray {

// Cuts blocks from segments of its upstream. Blocks of up to 10 MiB are parts of segments: the
// smallest free block that fits is split, and free neighbours of one stream are merged. A larger
// block is a segment of its own, kept for requests of about the same size; it is never cut, because
// the driver, which maps its memory anew, does that better.
// A free block belongs to the stream that it was freed on. When a stream has none that fits, these
// steps are tried in order: (1) the pool grows, as long as it and its segments of that kind exceed
// the most that was ever in use by no more than a twelfth (whole free segments of the stream may be
// given back for it); (2) the stream takes another stream's block and waits for that stream's work;
// (3) all free blocks are merged, and whole free segments are given back for a new one.
// Requests of borrowed streams go upstream.
class SegmentResource final : public ForwardingResource {
 public:
  explicit SegmentResource(MemoryResourcePtr upstream,
                           StreamOrderPtr order = std::make_shared<StreamOrder>());
  ~SegmentResource() override { release_segments(); }
  void* allocate(int64_t nbytes, const Stream& stream) override;
  void deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept override;
  void forget(const Stream& stream) noexcept override;
  void release_cached() noexcept override;
  void add_usage(MemoryUsage& usage) const override;

 private:
  // The free blocks of one stream.
  struct StreamPool {
    const Stream* stream = nullptr;
    FreeBlocks blocks[kSegmentKinds];

    FreeBlocks& of(SegmentKind kind) { return blocks[static_cast<int>(kind)]; }
    bool is_empty() const;
  };
  using Lock = BlockingLock;
  // A whole segment on its way back upstream.
  struct Segment {
    void* data;
    int64_t nbytes;
  };

  // The bytes held and used, in all or for one kind of segments.
  struct Use {
    int64_t reserved = 0;  // bytes in segments
    int64_t used = 0;      // bytes in blocks handed out
    int64_t peak = 0;      // the most that `used` ever was

    void take(int64_t nbytes) { peak = std::max(peak, used += nbytes); }
    // Returns the bytes by which the pool would hold too much, once there is a segment for a block
    // of `nbytes`.
    int64_t excess(int64_t nbytes, int64_t segment_bytes) const;
  };

  Use& use_of(SegmentKind kind) REQUIRES(mutex_) { return use_[static_cast<int>(kind)]; }
  StreamPool* find_pool(const Stream& stream) REQUIRES(mutex_);  // null if the stream has none
  // Returns the stream's pool, and makes an empty one at its first use. Throws std::bad_alloc.
  StreamPool& pool_of(const Stream& stream) REQUIRES(mutex_);
  // Makes the block of an address, in use and not linked to others. Throws std::bad_alloc.
  Block& new_block(void* data, int64_t nbytes, SegmentKind kind, const Stream& stream)
      REQUIRES(mutex_);
  void erase(Block& block) REQUIRES(mutex_);
  // Adds a block to the stream's free ones and merges it with free neighbours. Changes nothing if
  // it throws std::bad_alloc, which happens only when the stream's pool has to be made.
  void add_free(Block& block, const Stream& stream) REQUIRES(mutex_);
  // Adds a block as add_free(). If the host has no memory for the stream's pool, the block is lost.
  void add_free_or_lose(Block& block, const Stream& stream) noexcept REQUIRES(mutex_);
  void remove_free(Block& block) REQUIRES(mutex_);
  // Merges a block with the next one, which is free.
  void absorb(Block& block, Block& next) REQUIRES(mutex_);

  // Takes `nbytes` of a free block; what is left of a part of a segment stays free.
  void* use(Block& block, int64_t nbytes) REQUIRES(mutex_);
  // Returns the pool's free block that fits best, null if there is none.
  Block* best(StreamPool& pool, int64_t nbytes) const;
  // Moves the best free block of another stream to `stream`, which waits for the other one; null if
  // there is none.
  Block* best_of_others(int64_t nbytes, const Stream& stream) REQUIRES(mutex_);
  // Moves the free blocks of one pool (of all pools) to `stream`, which waits for the others' work.
  void move_blocks(StreamPool& pool, const Stream& stream) REQUIRES(mutex_);
  void gather(const Stream& stream) REQUIRES(mutex_);
  // Returns a block of a new segment, null if the upstream is out of memory. It releases the lock
  // during the call of the upstream, which clang does not follow.
  void* grow(int64_t nbytes, int64_t segment_bytes, const Stream& stream, Lock& lock)
      REQUIRES(mutex_) NO_THREAD_SAFETY_ANALYSIS;
  // Gives whole free segments of `stream` back upstream until they have `nbytes`. It releases the
  // lock during the calls of the upstream.
  void give_back(int64_t nbytes, const Stream& stream, Lock& lock)
      REQUIRES(mutex_) NO_THREAD_SAFETY_ANALYSIS;
  // Removes whole free segments of `stream` from the pool until they have `nbytes`.
  std::vector<Segment> take_segments(int64_t nbytes, const Stream& stream) REQUIRES(mutex_);
  void release_segments() noexcept;
  // Moves the free blocks of `pool` to `stream`. With a null stream they are dropped, as the driver
  // is gone and the memory with it.
  void hand_over(const Stream* permanent, StreamPool& pool) noexcept REQUIRES(mutex_);
  // Returns the device's permanent stream, made to wait for `stream`; null if the driver is gone.
  const Stream* permanent_stream_after(const Stream& stream) noexcept;

  const Device device_;
  const StreamOrderPtr order_;
  mutable HeldAtFork mutex_;
  std::unordered_map<void*, Block> blocks_ GUARDED_BY(mutex_);  // all blocks, by address
  std::vector<std::unique_ptr<StreamPool>> pools_ GUARDED_BY(mutex_);
  Use all_ GUARDED_BY(mutex_);
  Use use_[kSegmentKinds] GUARDED_BY(mutex_);
};

}  // namespace gpuarray
