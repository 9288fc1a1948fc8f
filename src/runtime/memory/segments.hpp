// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "runtime/driver/blocking.hpp"
#include "runtime/memory/blocks.hpp"
#include "runtime/memory/resources.hpp"
#include "runtime/stream/stream_order.hpp"

namespace gpuarray {

// Takes segments from its upstream. Blocks of up to 10 MiB are parts of segments: the smallest free
// block that fits is split, free neighbours of one stream are merged. Larger ones are segments of
// their own, kept for blocks of about the same size, so that the driver, which maps its memory
// anew, is the one to cut them. A free block belongs to the stream that it was freed on. When a
// stream has none that fits, the pool first grows, as long as it and its segments of that kind stay
// within a twelfth of the most that was ever in use, if need be once whole free segments of the
// stream are given back; then the stream takes another's block and waits for that stream's work;
// then all are merged, and whole free segments make room for a new one. Borrowed streams' blocks go
// upstream.
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
  struct StreamPool {
    const Stream* stream = nullptr;
    FreeBlocks blocks[kSegmentKinds];

    FreeBlocks& of(SegmentKind kind) { return blocks[static_cast<int>(kind)]; }
    bool is_empty() const;
  };
  using Lock = BlockingLock;
  struct Segment {
    void* data;
    int64_t nbytes;
  };

  struct Use {
    int64_t reserved = 0;  // in segments
    int64_t used = 0;      // in blocks handed out
    int64_t peak = 0;

    void take(int64_t nbytes) { peak = std::max(peak, used += nbytes); }
    // Bytes beyond what may be held once a segment for a block of `nbytes` is there.
    int64_t excess(int64_t nbytes, int64_t segment_bytes) const;
  };

  Use& use_of(SegmentKind kind) { return use_[static_cast<int>(kind)]; }
  StreamPool* find_pool(const Stream& stream);  // null if there is none
  StreamPool& pool_of(const Stream& stream);
  Block& new_block(void* data, int64_t nbytes, SegmentKind kind, const Stream& stream);
  void erase(Block& block);
  // Changes nothing if it throws, which only making the stream's pool does.
  void add_free(Block& block, const Stream& stream);
  // The block is lost where the host has no memory for the stream's pool.
  void add_free_or_lose(Block& block, const Stream& stream) noexcept;
  void remove_free(Block& block);
  void absorb(Block& block, Block& next);

  // `nbytes` of the free block, in use from now on; the rest of a part stays free.
  void* use(Block& block, int64_t nbytes);
  Block* best(StreamPool& pool, int64_t nbytes) const;
  Block* best_of_others(int64_t nbytes, const Stream& stream);
  // Makes the free blocks of a pool, or of all, `stream`'s, which waits for the others.
  void move_blocks(StreamPool& pool, const Stream& stream);
  void gather(const Stream& stream);
  // A block of a new segment; null if the upstream has not got one. Unlocks meanwhile.
  void* grow(int64_t nbytes, int64_t segment_bytes, const Stream& stream, Lock& lock);
  // Gives whole free segments, all of which `stream` may use, back until `nbytes` are; unlocks
  // meanwhile.
  void give_back(int64_t nbytes, const Stream& stream, Lock& lock);
  std::vector<Segment> take_segments(int64_t nbytes, const Stream& stream);
  void release_segments() noexcept;
  // Without an heir the memory is gone with the driver.
  void leave_to(const Stream* heir, StreamPool& pool) noexcept;
  // The stream that was made to wait for `stream`; null where there is no driver any more.
  const Stream* heir_of(const Stream& stream) noexcept;

  const Device device_;
  const StreamOrderPtr order_;
  mutable std::mutex mutex_;
  std::unordered_map<void*, Block> blocks_;  // all of them, by address
  std::vector<std::unique_ptr<StreamPool>> pools_;
  Use all_;
  Use use_[kSegmentKinds];
};

}  // namespace gpuarray
