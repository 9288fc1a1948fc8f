// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <span>
#include <vector>

#include "runtime/buffer/buffer.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray {

struct BufferUse {
  Buffer* buffer;
  bool writes;
};

// Opens buffers for an operation on `stream`: its work, queued while the access is open, runs after
// pending writes of what it reads and all pending uses of what it writes, on any stream. One access
// of the process is open at a time, so that nothing comes between the waits and the work; a thread
// that waits for its turn gives up the GIL. On a stream that captures a graph, the capture notes
// and orders the uses instead. Nothing is to be done on cpu.
class Capture;

class BufferAccess {
 public:
  explicit BufferAccess(const StreamPtr& stream);
  ~BufferAccess();
  BufferAccess(const BufferAccess&) = delete;
  BufferAccess& operator=(const BufferAccess&) = delete;

  void read(Buffer& buffer) { open(buffer, false); }
  void write(Buffer& buffer) { open(buffer, true); }
  void open(std::span<const BufferUse> uses);
  // For work that keeps this thread: others are opened meanwhile, but for those that write what
  // this one has open, or use what it writes. No buffer can be opened after it.
  void let_others_pass();
  // Once all is open: any thread may close it, even while this one works on.
  void lend();

  const StreamPtr& stream() const { return stream_; }
  // Gives up the turn until an access that let others pass has closed. The open ones of this
  // thread, from `innermost` outwards, keep what they have opened to themselves meanwhile.
  static void let_others_close(BufferAccess* innermost);

 private:
  static constexpr int kFew = 6;

  void open(Buffer& buffer, bool writes) {
    if (!locked_) return;
    if (capture_ != nullptr) [[unlikely]]
      return open_in_capture(buffer, writes);
    if (few_ < kFew)
      few_uses_[few_++] = {&buffer, writes};
    else
      more_uses_.push_back({&buffer, writes});
    if (!buffer.is_settled_on(*stream_)) order();
  }
  void order();
  void open_in_capture(Buffer& buffer, bool writes);
  void close_lent();
  void begin_long_uses();
  void end_long_uses();
  template <class Function>
  bool any_use(Function&& function) const {
    for (int k = 0; k < few_; ++k)
      if (function(few_uses_[k])) return true;
    for (const BufferUse& use : more_uses_)
      if (function(use)) return true;
    return false;
  }

  const StreamPtr& stream_;
  BufferAccess* outer_ = nullptr;  // of this thread
  bool locked_ = false;
  bool passed_ = false;     // let_others_pass was called
  uint64_t lent_by_ = 0;    // the thread's number, once lend() was called
  bool suspended_ = false;  // lent by a thread that has given up the turn for a while
  int few_ = 0;
  BufferUse few_uses_[kFew];
  std::vector<BufferUse> more_uses_;
  std::shared_ptr<Capture> capture_;
};

// A stream that covers all pending uses of a buffer: what is queued on it, or after it, runs after
// them.
StreamPtr pending_stream(Buffer& buffer);

}  // namespace gpuarray
