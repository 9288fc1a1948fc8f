// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/device.hpp"
#include "runtime/device/memory_kind.hpp"
#include "runtime/memory/memory.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray {

class Capture;
class Event;

// A block of memory shared by views: owned (returned to its resource) or borrowed (its owner
// released).
class Buffer : public std::enable_shared_from_this<Buffer> {
 public:
  // Allocates `nbytes` (>= 0; nothing for 0) on `stream`, from the current resource or from that of
  // a kind of memory that the host sees; on cpu all kinds are its own.
  static std::shared_ptr<Buffer> allocate(int64_t nbytes, const StreamPtr& stream,
                                          MemoryKind kind = MemoryKind::device);
  // Foreign memory, ready for work on `stream`. `release` runs once, after that work was queued; it
  // may run on any thread. On cpu all kinds are its own.
  static std::shared_ptr<Buffer> borrow(void* data, int64_t nbytes, Device device, bool readonly,
                                        StreamPtr stream, std::function<void()> release,
                                        MemoryKind kind = MemoryKind::device);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  void* data() const { return data_; }
  int64_t nbytes() const { return nbytes_; }
  Device device() const { return device_; }
  MemoryKind kind() const { return kind_; }
  bool readonly() const { return readonly_; }
  bool owned() const { return resource_ != nullptr; }

  // The event that other processes wait for before they use the memory; null if it is not shared.
  const std::shared_ptr<Event>& shared_event() const { return shared_event_; }
  void set_shared_event(std::shared_ptr<Event> event) { shared_event_ = std::move(event); }

  // Keeps a stream whose handle others were given for as long as the memory.
  void keep(const StreamPtr& stream);

  // The stream of the last write.
  const StreamPtr& writer() const { return writer_; }
  // The following are for BufferAccess, which calls them one at a time.

  // Whether all uses so far were on `stream`. Equal addresses are one stream: writer_ keeps it.
  bool is_settled_on(const Stream& stream) const { return settled_ == &stream; }
  // Makes work queued on `stream` from now on run after the pending writes, and if it `writes`
  // after the pending reads, and records this use.
  void order(const StreamPtr& stream, bool writes);
  // Uses that are not queued on a stream yet, or by the calling thread itself.
  void begin_long_use(bool writes);
  void end_long_use(bool writes);
  // Whether one is under way that a new use has to wait for.
  bool is_in_long_use(bool writes) const;

 private:
  static constexpr size_t kFewReaders = 8;

  Buffer() = default;
  Buffer(Buffer&&) = default;
  // To be freed by the next allocation, where this thread may not call the driver.
  void leave() noexcept;
  void allocate_in(Capture& capture, const StreamPtr& stream);
  void add_reader(const StreamPtr& stream);
  // Makes writer_ a stream that covers all uses, for this thread to free the memory on.
  void gather_uses() noexcept;
  void settle();

  void* data_ = nullptr;  // device address, or host address on cpu
  int64_t nbytes_ = 0;
  Device device_;
  MemoryKind kind_ = MemoryKind::device;
  bool readonly_ = false;
  std::shared_ptr<MemoryResource> resource_;
  std::function<void()> release_;
  std::shared_ptr<Event> shared_event_;
  StreamPtr writer_;                // the last write's
  std::vector<StreamPtr> readers_;  // others, on which it was read since
  std::vector<StreamPtr> kept_;
  int long_reads_ = 0;
  int long_writes_ = 0;
  const Stream* settled_ = nullptr;  // writer_, where there is no other and no long use
};

using BufferPtr = std::shared_ptr<Buffer>;

}  // namespace gpuarray
