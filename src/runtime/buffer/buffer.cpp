// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/buffer/buffer.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "core/fork.hpp"
#include "core/kept_blocks.hpp"
#include "core/spin_lock.hpp"
#include "core/thread_safety.hpp"
#include "runtime/buffer/access.hpp"
#include "runtime/buffer/capture.hpp"
#include "runtime/buffer/lent_buffers.hpp"
#include "runtime/buffer/live_blocks.hpp"
#include "runtime/driver/deferred_frees.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/driver/driver_error.hpp"
#include "runtime/memory/kinds.hpp"
#include "runtime/memory/watch.hpp"
#include "runtime/stream/main_stream.hpp"

namespace gpuarray {

namespace {

HeldAtFork keeping;                 // guards Buffer::kept_ of all buffers
constinit SpinLock long_uses_lock;  // guards the list of buffers in a long use, and their number

// Allocates again if memory that is missing may be what deferred work keeps.
void* allocate_from(MemoryResource& resource, int64_t nbytes, const Stream& stream) {
  try {
    return resource.allocate(nbytes, stream);
  } catch (const OutOfMemory&) {
    if (!is_work_deferred()) throw;
    run_all_deferred();
  }
  return resource.allocate(nbytes, stream);
}

}  // namespace

// A buffer that owns memory.
struct Buffer::Owned : Buffer {  // lets make_shared reach the constructor
  Owned() {}                     // not defaulted, because that would clear all bytes first
  ListedBuffer listed;
};

// Inlined, because it serves every result.
[[gnu::always_inline]] inline std::shared_ptr<Buffer> Buffer::make(
    int64_t nbytes, const StreamPtr& stream, MemoryKind kind, std::shared_ptr<Capture>& capture) {
  if (!stream->device().is_cpu()) require_driver();
  refuse_foreign_capture(*stream);
  run_deferred_frees();
  // It fits the small blocks of core/kept_blocks.cpp, with the count of its owners.
  static_assert(sizeof(Owned) <= 384 - 2 * sizeof(void*));
  auto buffer = std::allocate_shared<Owned>(KeptAllocator<Owned>());
  buffer->nbytes_ = nbytes;
  buffer->device_ = stream->device();
  buffer->kind_ = buffer->device_.is_cpu() ? MemoryKind::host : kind;
  buffer->writer_ = stream;
  if (stream->is_capturing()) [[unlikely]] {
    if (kind == MemoryKind::device) capture = capture_of(*stream);
    if (capture != nullptr) return buffer;
    buffer->writer_ = main_stream(buffer->device_);
  }
  buffer->resource_ = resource_of(buffer->device_, kind);
  buffer->update_sole_stream();
  return buffer;
}

std::shared_ptr<Buffer> Buffer::allocate(int64_t nbytes, const StreamPtr& stream, MemoryKind kind) {
  std::shared_ptr<Capture> capture;
  std::shared_ptr<Buffer> buffer = make(nbytes, stream, kind, capture);
  if (capture != nullptr) [[unlikely]] {
    buffer->allocate_in(*capture, stream);
    if (nbytes > 0) static_cast<Owned&>(*buffer).listed.list(*buffer, *stream);
    return buffer;
  }
  if (nbytes > 0) {
    buffer->data_ = allocate_from(*buffer->resource_, nbytes, *buffer->writer_);
    static_cast<Owned&>(*buffer).listed.list(*buffer, *buffer->writer_);
  }
  buffer->writer_->record_use_if_borrowed();
  return buffer;
}

std::shared_ptr<Buffer> Buffer::allocate_later(int64_t nbytes, const StreamPtr& stream) {
  if (stream->is_borrowed() || stream->is_capturing() || blocks_are_recorded)
    return allocate(nbytes, stream);
  std::shared_ptr<Capture> none;
  return make(nbytes, stream, MemoryKind::device, none);
}

void Buffer::take_memory() {
  if (writer_->is_capturing()) [[unlikely]] {  // its graph would take the allocation
    writer_ = main_stream(device_);
    update_sole_stream();
  }
  void* const data = allocate_from(*resource_, nbytes_, *writer_);
  void* before = nullptr;
  if (std::atomic_ref(data_).compare_exchange_strong(before, data))
    static_cast<Owned*>(this)->listed.list(*this, *writer_);
  else
    resource_->deallocate(data, nbytes_, *writer_);
}

void Buffer::allocate_in(Capture& capture, const StreamPtr& stream) {
  lend();  // launches of the graph use it, too
  resource_ = capture.memory();
  writer_ = capture.memory()->home();
  update_sole_stream();
  if (nbytes_ > 0) data_ = resource_->allocate(nbytes_, *stream);
  capture.add_made(shared_from_this(), stream);
}

void Buffer::take_memory_of(Buffer& other) {
  static_cast<Owned&>(other).listed.unlist();
  writer_ = other.writer_;
  readers_ = std::move(other.readers_);
  kept_ = std::move(other.kept_);
  update_sole_stream();
  std::atomic_ref(data_).store(std::exchange(other.data_, nullptr));
  static_cast<Owned*>(this)->listed.list(*this, *writer_);
}

std::shared_ptr<Buffer> Buffer::borrow(void* data, int64_t nbytes, Device device, bool readonly,
                                       const StreamPtr& stream, std::function<void()> release,
                                       MemoryKind kind, bool is_ready) {
  struct Shared : Buffer {};
  auto buffer = std::make_shared<Shared>();
  buffer->data_ = data;
  buffer->nbytes_ = nbytes;
  buffer->device_ = device;
  buffer->kind_ = device.is_cpu() ? MemoryKind::host : kind;
  buffer->readonly_ = readonly;
  stream->record_use_if_borrowed();
  buffer->writer_ = stream;
  BufferPtr lent = device.is_cpu() || nbytes <= 0 ? nullptr : find_lent_buffer(data, nbytes);
  if (lent != nullptr) {
    buffer->become_part_of(std::move(lent), stream, is_ready);
  } else {
    buffer->update_sole_stream();
  }
  buffer->release_ = std::move(release);
  return buffer;
}

void Buffer::defer_destruction() noexcept {
  struct Shared : Buffer {
    explicit Shared(Buffer&& buffer) : Buffer(std::move(buffer)) {}
  };
  quietly([&] { defer_free(std::make_shared<Shared>(std::move(*this))); });
}

Buffer::~Buffer() {
  if (is_value() || later_.was_lent.load(std::memory_order_relaxed)) [[unlikely]] {
    if (later_.was_lent) remove_lent_buffer(*this);
    if (is_value()) {
      end_value();
      return;
    }
  }
  if (!device_.is_cpu() && (in_host_function || !gather_uses())) {
    defer_destruction();
    return;
  }
  if (resource_ != nullptr) {
    // Without a driver there is nothing to free, and locks may be held for ever.
    if (!device_.is_cpu() && driver_end.load() != nullptr) return;
    if (data_ != nullptr) resource_->deallocate(data_, nbytes_, *writer_);
    return;
  }
  if (release_ != nullptr && !release()) {
    defer_destruction();
    return;
  }
  if (is_part()) source_->end_loan();
}

bool Buffer::release() noexcept {
  // The owner may reuse the memory at once, normally on the legacy default stream. The main stream
  // orders itself with that one, and is made to wait for our work.
  bool ordered = device_.is_cpu() || writer_ == nullptr;
  if (!ordered) quietly([&] { ordered = main_stream(device_)->wait_or_block(*writer_); });
  if (!ordered && driver_end.load() == nullptr) return false;
  quietly(release_);
  return true;
}

bool Buffer::gather_uses() noexcept {
  if (is_part()) {
    // The buffer may be in use by other threads. What the driver does not order is tried again.
    quietly([&] { writer_ = pending_stream(*source_); });
    return writer_ != nullptr || driver_end.load() != nullptr;
  }
  bool ordered = true;
  // A borrowed handle may be gone or mean another stream on this thread, and its event would not
  // cover the work that it is made to wait for. What is queued on a stream during a capture does
  // not wait.
  if (writer_->is_borrowed() || writer_->is_capturing()) {
    ordered = false;
    quietly([&] {
      StreamPtr main = main_stream(device_);
      ordered = main->wait_or_block(*writer_);
      if (ordered) writer_ = std::move(main);
    });
  }
  for (const StreamPtr& reader : readers_) ordered = ordered && writer_->wait_or_block(*reader);
  return ordered || driver_end.load() != nullptr;
}

void Buffer::become_part_of(BufferPtr lent, const StreamPtr& stream, bool is_ready) {
  lent->lend();
  source_ = std::move(lent);
  writer_ = nullptr;
  if (!is_ready) return;
  // The stream waits for what the lender has queued, and others have to wait for the stream.
  BufferAccess access(stream);
  access.write(*this);
}

void Buffer::keep(const StreamPtr& stream) {
  const LockGuard lock(keeping);
  if (std::ranges::find(kept_, stream) == kept_.end()) kept_.push_back(stream);
}

void Buffer::order(const StreamPtr& stream, bool writes) {
  if (source_ != nullptr) [[unlikely]] {
    const std::shared_ptr<Buffer> source = source_;  // which may move a value elsewhere and end
    return source->order(stream, writes);
  }
  if (writes && has_values()) [[unlikely]]
    copy_values(stream);
  if (writer_->awaits_graph_launch())
    throw CaptureError(
        "the array exists only in the graph being captured; to use it there on another stream, let "
        "that wait for the capturing one");
  const bool has_waited =
      stream == writer_ || std::ranges::find(readers_, stream) != readers_.end();
  // Even a stream that has read before has to wait for the writer when it writes, because the
  // writer's own stream may have read since.
  if (stream != writer_ && (writes || !has_waited)) stream->wait_for_uses(*writer_);
  if (!writes) {
    if (!has_waited) add_reader(stream);
    return update_sole_stream();
  }
  for (const StreamPtr& reader : readers_) stream->wait_for_uses(*reader);
  readers_.clear();
  writer_ = stream;
  update_sole_stream();
}

bool Buffer::is_ordered(const StreamPtr& stream, bool writes) const {
  if (is_used_only_on(*stream)) return true;
  if (is_part()) return source_->is_ordered(stream, writes);
  if (writes || is_value() || is_in_long_use(false) || writer_->awaits_graph_launch()) return false;
  return stream == writer_ || std::ranges::find(readers_, stream) != readers_.end();
}

void Buffer::add_reader(const StreamPtr& stream) {
  // Readers that are done are dropped, so that they do not pile up in programs with many
  // short-lived streams.
  if (readers_.size() >= kFewReaders)
    std::erase_if(readers_, [](const StreamPtr& reader) {
      return !reader->is_capturing() && reader->uses_done();
    });
  readers_.push_back(stream);
}

void Buffer::update_sole_stream() {
  const bool alone = readers_.empty() && later_.long_reads == 0 && later_.long_writes == 0;
  later_.sole_stream.store(alone ? writer_.get() : nullptr, std::memory_order_relaxed);
}

void Buffer::begin_long_use(bool writes) {
  if (is_part()) return source_->begin_long_use(writes);
  if (is_value()) {
    if (later_.long_reads++ == 0) long_source_ = source_;
    return long_source_->begin_long_use(writes);
  }
  {
    const LockGuard lock(long_uses_lock);
    if (later_.long_reads + later_.long_writes == 0) {
      next_used_ = first_used.exchange(this);
      if (next_used_ != nullptr) next_used_->previous_used_ = this;
    }
    ++(writes ? later_.long_writes : later_.long_reads);
  }
  update_sole_stream();
}

void Buffer::end_long_use(bool writes) {
  if (is_part()) return source_->end_long_use(writes);
  if (is_value()) {
    const std::shared_ptr<Buffer> source = long_source_;
    if (--later_.long_reads == 0) long_source_.reset();
    return source->end_long_use(writes);
  }
  {
    const LockGuard lock(long_uses_lock);
    --(writes ? later_.long_writes : later_.long_reads);
    if (later_.long_reads + later_.long_writes == 0) {
      if (next_used_ != nullptr) next_used_->previous_used_ = previous_used_;
      if (previous_used_ != nullptr)
        previous_used_->next_used_ = next_used_;
      else
        first_used = next_used_;
      next_used_ = previous_used_ = nullptr;
    }
  }
  update_sole_stream();
}

bool Buffer::is_any_in_long_use(const std::function<bool(const Buffer&)>& meets) {
  const LockGuard lock(long_uses_lock);
  for (const Buffer* used = first_used; used != nullptr; used = used->next_used_)
    if (meets(*used)) return true;
  return false;
}

bool Buffer::is_in_long_use(bool writes) const {
  if (source_ != nullptr) return source_->is_in_long_use(writes);
  return later_.long_writes > 0 || (writes && later_.long_reads > 0);
}

}  // namespace gpuarray
