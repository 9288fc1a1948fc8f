// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <cassert>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/device.hpp"
#include "runtime/buffer/deferred.hpp"
#include "runtime/device/memory_kind.hpp"
#include "runtime/memory/memory.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray {

class Capture;
class Event;

// A block of memory, shared by arrays that view it. It is owned, and goes back to its resource, or
// borrowed, and releases its owner. The destructor frees it after all uses so far; in a
// host function the free is deferred (runtime/driver/deferred_frees.hpp). All uses go through
// BufferAccess.
class Buffer : public std::enable_shared_from_this<Buffer> {
 public:
  // Allocates `nbytes` (which may be 0) for work on `stream`, from the device's current resource or
  // from the pool of a kind that the host sees. On cpu all kinds are its own memory. During a
  // capture the memory is the graph's. Throws OutOfMemory, and what the resource throws.
  static std::shared_ptr<Buffer> allocate(int64_t nbytes, const StreamPtr& stream,
                                          MemoryKind kind = MemoryKind::device);
  // Does the same for device memory, but leaves the allocation to take_memory(), which an access
  // calls that opens the buffer. Memory of a capture, and memory whose allocation is recorded, is
  // allocated at once.
  static std::shared_ptr<Buffer> allocate_later(int64_t nbytes, const StreamPtr& stream);
  // Borrows memory. With `is_ready`, work on `stream` may use it; else other code orders its work
  // with ours. `release` is called once, after all work on the memory was queued and the main
  // stream waits for it, on any thread; it is not called if this throws. On cpu all kinds are its
  // own. Memory of a buffer that was lent comes back as a part of that buffer: their uses are one
  // record, and the part keeps the buffer. Throws CudaError, CaptureError.
  static std::shared_ptr<Buffer> borrow(void* data, int64_t nbytes, Device device, bool readonly,
                                        const StreamPtr& stream, std::function<void()> release,
                                        MemoryKind kind = MemoryKind::device, bool is_ready = true);
  // Returns a value: a buffer that may only be read, and whose content stays that of some bytes of
  // `source` now. They are read where they lie, and copied before somebody writes to the source,
  // which must be private device memory with nothing deferred.
  static std::shared_ptr<Buffer> value_of(const std::shared_ptr<Buffer>& source, int64_t offset,
                                          int64_t nbytes);
  // Returns a copy of at most 16 bytes on cpu, as a value.
  static std::shared_ptr<Buffer> value_on_host(const void* bytes, int64_t nbytes,
                                               const StreamPtr& stream);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  // Whether no memory was allocated yet, so that the address is null.
  bool lacks_memory() const { return address() == nullptr && nbytes_ > 0 && owned(); }
  // Allocates the memory of a buffer that lacks it. If two threads call it at once, the buffer gets
  // the memory of one. Throws as allocate() does.
  void take_memory();
  // Returns the resource that the memory is from; null if it is borrowed.
  const MemoryResource* resource() const { return resource_.get(); }
  // Whether another buffer may take the memory, whose address nothing else has had.
  bool can_give_memory() const {
    return is_private() && !lacks_memory() && !later_.was_lent && shared_event_ == nullptr;
  }
  // Takes the memory of another buffer that is of the same size and resource, with its uses so far.
  // The caller holds the whole submission lock.
  void take_memory_of(Buffer& other);

  // Returns the address of the content, which must not be pending. That of a value may change
  // unless an access has it open. It launches nothing.
  void* data() const {
    assert(!is_deferred() && !lacks_memory());
    return address();
  }
  // Runs the pending operations that make the content, and copies a value from its source. Returns
  // the address, which stays the same until the memory is lent. It is for an address that is needed
  // before an access is open. Throws what the operations throw, and as allocate() does.
  void* settle() {
    if (is_deferred()) [[unlikely]]
      run_deferred(false);
    if (lacks_memory()) [[unlikely]]  // because the operations failed
      take_memory();
    return is_value() ? own_value() : data_;
  }
  // Returns the address alone, to be compared or to be used later. That of a value may change
  // meanwhile, unless an access has it open.
  void* address() const {
    return std::atomic_ref(const_cast<void*&>(data_)).load(std::memory_order_relaxed);
  }
  int64_t nbytes() const { return nbytes_; }
  Device device() const { return device_; }
  MemoryKind kind() const { return kind_; }
  bool readonly() const { return readonly_; }
  bool owned() const { return resource_ != nullptr; }

  // Returns the event that other processes wait for before they use the memory; null if it is not
  // shared.
  const std::shared_ptr<Event>& shared_event() const { return shared_event_; }
  void set_shared_event(std::shared_ptr<Event> event) { shared_event_ = std::move(event); }

  // Whether it was made by value_of() or value_on_host().
  bool is_value() const { return is_value_; }
  // Returns the buffer whose record of uses this one shares: itself, but for a part.
  Buffer& owner_of_uses() { return is_part() ? *source_ : *this; }
  // Whether there are values that lie in this memory.
  bool has_values() const { return later_.values.load(std::memory_order_relaxed) != 0; }

  // Whether work on this memory may be deferred: nobody but its arrays knows where it is.
  bool is_private() const { return (owned() || is_value()) && later_.lenders == 0; }
  // Tell that code which asks nobody may use the memory from now on, and that it no longer does.
  // Pending operations on it run first, values leave it, and a value gets memory that no other one
  // lies in. Throws what the operations throw, and as allocate() does.
  void lend();
  void end_loan() { --later_.lenders; }
  // The following are for deferred work (runtime/buffer/deferred.hpp): which part of it makes the
  // content last, a number of its own, kNotDeferred if none does, and how often it reads the
  // memory.
  static constexpr int kNotDeferred = -1;
  bool is_deferred() const { return maker() != kNotDeferred; }
  int maker() const { return later_.maker.load(std::memory_order_acquire); }
  void set_maker(DeferredWork& work, int maker) {
    later_.deferred_by.store(&work, std::memory_order_relaxed);
    later_.maker.store(maker, std::memory_order_release);
  }
  void end_making() { later_.maker.store(kNotDeferred, std::memory_order_release); }
  // Returns the work that makes the content, or that did so last.
  DeferredWork* deferred_by() const { return later_.deferred_by.load(std::memory_order_relaxed); }
  void begin_deferred_read() { ++later_.deferred_reads; }
  void end_deferred_read() { --later_.deferred_reads; }
  int deferred_reads() const { return later_.deferred_reads; }
  bool is_read_later() const { return deferred_reads() != 0; }
  // Runs what makes the content and, if it is to be written, what reads it. Throws what that
  // throws.
  void run_deferred(bool writes) const {
    if (is_deferred()) deferred_by()->run_all();
    if (writes && is_read_later()) run_deferred_readers(*this);
  }
  // The number of the last element-wise operation that wrote the memory, or that was to; 0 if none
  // did.
  uint64_t written_at() const { return later_.written_at.load(std::memory_order_relaxed); }
  void set_written_at(uint64_t number) {
    later_.written_at.store(number, std::memory_order_relaxed);
  }

  // The number of the step of a sketch that wrote the memory last. A hint: another sketch may have
  // set it, so Window::find_maker() looks at the step.
  int sketched() const { return later_.sketched.load(std::memory_order_relaxed); }
  void set_sketched(size_t step) {
    later_.sketched.store(static_cast<int>(step), std::memory_order_relaxed);
  }

  // Keeps a stream alive as long as the memory, because its handle was given to another library.
  void keep(const StreamPtr& stream);

  // Returns the stream of the last write.
  const StreamPtr& writer() const { return source_ != nullptr ? source_->writer() : writer_; }
  // The following are for BufferAccess, under the submission lock: what does not change the uses
  // under the slot of the stream, else under the whole lock.

  // Returns whether all uses so far were on `stream`, so that nothing has to be ordered. Comparing
  // addresses is enough, because writer_ keeps the stream alive.
  bool is_used_only_on(const Stream& stream) const {
    return later_.sole_stream.load(std::memory_order_relaxed) == &stream && !has_values();
  }
  // Returns whether a use on `stream` changes nothing: that is so on the sole stream, and for
  // reading where the stream has read since the last write.
  bool is_ordered(const StreamPtr& stream, bool writes) const;
  // Makes work queued on `stream` from now on run after the pending writes, and if it `writes`
  // after the pending reads, and records this use. Throws CudaError; CaptureError if the memory
  // exists only in a graph under capture.
  void order(const StreamPtr& stream, bool writes);
  // Copies a value, if that was not done, on the stream; if that is being captured, or one of
  // another device, on the main stream, outside of the graph. Throws as allocate() does.
  void copy_value(const StreamPtr& stream);
  // Begin and end a use that is not work queued on a stream: the thread's own copying, or that of
  // an access without the lock. The slot is enough to begin one of a buffer that is_ordered().
  void begin_long_use(bool writes);
  void end_long_use(bool writes);
  // Returns whether such a use is under way that a new one has to wait for.
  bool is_in_long_use(bool writes) const;
  // Return whether any buffer is in such a use, or one that meets the condition, which must be
  // quick.
  static bool is_any_in_long_use() { return first_used.load() != nullptr; }
  static bool is_any_in_long_use(const std::function<bool(const Buffer&)>& meets);
  // Returns whether it is that buffer, or a value that lies in it.
  bool lies_in(const Buffer& other) const { return this == &other || source_.get() == &other; }

 private:
  struct Owned;
  static constexpr size_t kFewReaders = 8;
  static inline constinit std::atomic<Buffer*> first_used = nullptr;  // of those in a long use

  Buffer() = default;
  Buffer(Buffer&&) = default;
  // Moves the content to a new buffer whose destruction is deferred, for a thread that may not call
  // the driver, or where the driver neither orders nor waits for the uses.
  void defer_destruction() noexcept;
  // Whether it is a part of a buffer that was lent.
  bool is_part() const { return source_ != nullptr && !is_value_; }
  // Makes it a part of a buffer, whose memory other code may use as long as the part lives. Throws
  // what BufferAccess throws.
  void become_part_of(std::shared_ptr<Buffer> lent, const StreamPtr& stream, bool is_ready);
  // Returns a buffer without memory, which a capture of the stream then has.
  static std::shared_ptr<Buffer> make(int64_t nbytes, const StreamPtr& stream, MemoryKind kind,
                                      std::shared_ptr<Capture>& capture);
  // Allocates the memory from the graph of the capture.
  void allocate_in(Capture& capture, const StreamPtr& stream);
  // Adds a stream to readers_, and drops some that are done.
  void add_reader(const StreamPtr& stream);
  // Makes writer_ a stream that comes after all uses and that this thread can free the memory on.
  // Blocks until the uses are done where the driver does not order them. Returns false where it
  // does not wait for them either: the memory must then be kept.
  bool gather_uses() noexcept;
  // Calls `release_` after all uses. Returns false as gather_uses().
  bool release() noexcept;
  // Updates the sole stream after a change of the uses.
  void update_sole_stream();
  // Copies the values that lie in this memory, under the submission lock.
  void copy_values(const StreamPtr& stream);
  // Takes the lock and does the same.
  void release_values();
  // Takes the lock and copies the value, if that was not done. Returns its address from then on.
  void* own_value() const;
  // Moves the value to memory of its own, where others lie beside it. From then on its address
  // stays.
  void separate_value();
  // Returns whether the value has memory of its own, where it then stays.
  bool stays_if_separate();
  // Moves the value from its source to `holder`, at this address.
  void move_value(std::shared_ptr<Buffer> holder, void* data);
  // Takes the value from its source's list, under the lists' lock.
  void leave_source();
  // Does what a value's destructor does.
  void end_value() noexcept;

  void* data_ = nullptr;  // device address, or host address on cpu
  int64_t nbytes_ = 0;
  Device device_;
  MemoryKind kind_ = MemoryKind::device;
  bool readonly_ = false;
  bool is_value_ = false;
  bool is_separate_ = false;  // whether a value's address stays; under the lists' lock
  std::shared_ptr<MemoryResource> resource_;
  std::function<void()> release_;
  std::shared_ptr<Event> shared_event_;
  StreamPtr writer_;                // stream of the last write
  std::vector<StreamPtr> readers_;  // other streams that have read it since
  std::vector<StreamPtr> kept_;
  // The buffer that a value or a part lies in; at last a value's own.
  std::shared_ptr<Buffer> source_;
  std::vector<Buffer*> values_;  // that lie in this memory; under a lock of their own
  int64_t value_index_ = -1;     // of a value among those of its source; -1 if that is its own
  std::shared_ptr<Buffer> long_source_;  // of a value in a long use: the source when that began
  Buffer* next_used_ = nullptr;          // in the list of buffers that are in a long use
  Buffer* previous_used_ = nullptr;
  // What other threads may read or change meanwhile: of deferred work, loans, values and long uses.
  // It does not move with the memory.
  struct Uses {
    Uses() = default;
    Uses(Uses&&) {}
    std::atomic<uint64_t> written_at = 0;
    std::atomic<DeferredWork*> deferred_by = nullptr;
    std::atomic<int> maker = kNotDeferred;
    std::atomic<int> deferred_reads = 0;
    std::atomic<int> lenders = 0;
    std::atomic<int> values = 0;
    std::atomic<int> long_reads = 0;
    std::atomic<int> long_writes = 0;
    // The writer if all uses are on it and no long use is under way, else null.
    std::atomic<const Stream*> sole_stream = nullptr;
    std::atomic<bool> was_lent = false;  // and may be listed (runtime/buffer/lent_buffers.hpp)
    std::atomic<int> sketched = -1;
  };
  Uses later_;
};

using BufferPtr = std::shared_ptr<Buffer>;

}  // namespace gpuarray
