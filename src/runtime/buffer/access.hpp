// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <span>
#include <vector>

#include "runtime/buffer/buffer.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray {

class Capture;

// A buffer and whether the operation writes to it.
struct BufferUse {
  Buffer* buffer;
  bool writes;
};

// Opens buffers for an operation on `stream`. Work that is queued while the access is open runs
// after pending writes of what it reads, and after all pending uses of what it writes, on any
// stream. Until it is closed by the destructor, the access holds the submission lock, so that no
// other thread can queue work that concerns it between these waits and the operation: the slot of
// its stream as long as nothing has to be ordered, else the whole lock. A thread that waits for the
// lock gives up the GIL. On a stream that is being captured, the capture orders the uses instead.
// On cpu an access only runs what is pending on the buffers, which it does on a CUDA device too.
class BufferAccess {
 public:
  // Waits for the submission lock. `stream` must outlive the access. Throws DeviceError or
  // CudaError if the driver can no longer be used, CaptureError for a stream that another library
  // captures.
  explicit BufferAccess(const StreamPtr& stream);
  ~BufferAccess();
  BufferAccess(const BufferAccess&) = delete;
  BufferAccess& operator=(const BufferAccess&) = delete;

  // Open a buffer for reading, for writing (which covers reading), or several at once. The buffers
  // must outlive the access. They throw CudaError, CaptureError and, for a value or a buffer
  // without memory, as Buffer::allocate() does.
  void read(Buffer& buffer) { open(buffer, false); }
  void write(Buffer& buffer) { open(buffer, true); }
  void open(std::span<const BufferUse> uses);
  // Releases the submission lock, but keeps the buffers: for work that this thread does itself,
  // such as a blocking copy. Other accesses can be opened meanwhile, except those that write what
  // this one has open or use what it writes; these wait. No buffer can be opened afterwards.
  void unlock_for_host_work();
  // Opens buffers as they are, whatever is pending, for pending operations themselves.
  void ignore_deferred() { settles_ = false; }
  // Holds the whole submission lock from now on, so that no other thread has an access open.
  void exclude_others();
  // Lets any thread destroy the access, even while this thread opens others. Call it when all
  // buffers are open.
  void detach_from_thread();

  const StreamPtr& stream() const { return stream_; }
  // Whether this thread has one open on a CUDA device, within which nothing that waits is run.
  static bool is_any_open_here();
  // Takes the slot of the stream; the whole lock within another access of the thread, and where all
  // accesses are in turn.
  static void acquire_slot(const Stream& stream);
  // Takes the whole submission lock for this thread. Its open accesses keep their buffers
  // meanwhile. As an access, it is closed once.
  static void acquire_all();
  // Releases the submission lock until an access that has called unlock_for_host_work() is closed.
  // The open accesses of this thread, from `innermost` outwards, keep their buffers meanwhile.
  static void yield_to_host_work(BufferAccess* innermost);

 private:
  static constexpr int kFew = 6;

  void open(Buffer& buffer, bool writes) {
    if (settles_) [[unlikely]]
      settle(buffer, writes);
    if (buffer.lacks_memory()) [[unlikely]]
      buffer.take_memory();
    if (!locked_) return;
    if (capture_ != nullptr) [[unlikely]]
      return open_in_capture(buffer, writes);
    note({&buffer, writes});
    if (!buffer.is_used_only_on(*stream_)) order();
  }
  void note(const BufferUse& use) {
    if (few_ < kFew)
      few_uses_[few_++] = use;
    else
      more_uses_.push_back(use);
  }
  // Orders the stream after the pending uses of all opened buffers, if they are not.
  void order();
  // Does so under the whole lock; first waits for uses by host work.
  void order_uses();
  void open_in_capture(Buffer& buffer, bool writes);
  // Runs the pending operations that make the buffer or, if it is written, that read it. Releases
  // the submission lock meanwhile, unless an outer access of the thread needs it, and then orders
  // anew what is open: no work was queued yet.
  void settle(Buffer& buffer, bool writes);
  // Closes a detached access, on any thread.
  void close_detached();
  // Begin and end a long use (Buffer::begin_long_use) of all opened buffers.
  void begin_long_uses();
  void end_long_uses();
  // Calls function(use) for each opened buffer until it returns true; whether it did.
  template <class Function>
  bool any_use(Function&& function) const {
    for (int k = 0; k < few_; ++k)
      if (function(few_uses_[k])) return true;
    for (const BufferUse& use : more_uses_)
      if (function(use)) return true;
    return false;
  }

  const StreamPtr& stream_;
  BufferAccess* outer_ = nullptr;  // the access of this thread that was open before
  bool settles_ = false;           // whether other threads may have operations pending
  bool locked_ = false;
  bool unlocked_for_host_work_ = false;  // unlock_for_host_work() was called
  uint64_t detached_by_ = 0;  // number of the thread that called detach_from_thread(), else 0
  bool suspended_ = false;    // detached, while its thread has released the lock for a while
  int few_ = 0;
  BufferUse few_uses_[kFew];
  std::vector<BufferUse> more_uses_;
  std::shared_ptr<Capture> capture_;
};

// While one is alive, what opens an access holds the whole lock from the start: for allocators that
// may use arrays amid an operation, where two threads could wait for each other's buffers without
// end.
class AccessesInTurn {
 public:
  AccessesInTurn();
  ~AccessesInTurn();
  AccessesInTurn(const AccessesInTurn&) = delete;
  AccessesInTurn& operator=(const AccessesInTurn&) = delete;
};

// Returns a stream on which all pending uses of the buffer come before later work. Runs the pending
// operations that make or read it. Throws CudaError, and what they throw.
StreamPtr pending_stream(Buffer& buffer);

}  // namespace gpuarray
