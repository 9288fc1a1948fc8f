// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Buffers that hold values: a few bytes of an array, which stay what they are when it is written.
#include <atomic>
#include <cstring>
#include <utility>

#include "core/fork.hpp"
#include "core/spin_lock.hpp"
#include "core/thread_safety.hpp"
#include "runtime/buffer/access.hpp"
#include "runtime/buffer/buffer.hpp"
#include "runtime/buffer/lent_buffers.hpp"
#include "runtime/stream/device_memory.hpp"
#include "runtime/stream/main_stream.hpp"

namespace gpuarray {
namespace {

// Guards the lists of values and the places in them. It is held during fork, as those of
// ListedBuffer are.
constinit SpinLock values_lock;
[[maybe_unused]] const int at_fork = hold_at_fork<values_lock>();

// Where there are many values, all of the memory is copied at once if that is so little for each.
constexpr int64_t kMostBytesPerValue = 64 << 10;

}  // namespace

std::shared_ptr<Buffer> Buffer::value_of(const std::shared_ptr<Buffer>& source, int64_t offset,
                                         int64_t nbytes) {
  struct Shared : Buffer {};
  auto value = std::make_shared<Shared>();
  value->data_ = static_cast<char*>(source->data_) + offset;
  value->nbytes_ = nbytes;
  value->device_ = source->device_;
  value->kind_ = source->kind_;
  value->readonly_ = true;
  value->is_value_ = true;
  value->source_ = source;
  const LockGuard lock(values_lock);
  source->values_.push_back(value.get());
  value->value_index_ = static_cast<int64_t>(source->values_.size()) - 1;
  ++source->later_.values;
  return value;
}

std::shared_ptr<Buffer> Buffer::value_on_host(const void* bytes, int64_t nbytes,
                                              const StreamPtr& stream) {
  struct Shared : Buffer {
    alignas(16) char bytes[16];  // the largest element
  };
  auto value = std::make_shared<Shared>();
  std::memcpy(value->bytes, bytes, static_cast<size_t>(nbytes));
  value->data_ = value->bytes;
  value->nbytes_ = nbytes;
  value->device_ = stream->device();
  value->kind_ = MemoryKind::host;
  value->readonly_ = true;
  value->is_value_ = true;
  value->writer_ = stream;
  return value;
}

void Buffer::leave_source() {
  if (value_index_ < 0) return;
  std::vector<Buffer*>& values = source_->values_;
  values.back()->value_index_ = value_index_;
  values[static_cast<size_t>(value_index_)] = values.back();
  values.pop_back();
  value_index_ = -1;
  --source_->later_.values;
}

void Buffer::end_value() noexcept {
  if (source_ == nullptr) return;  // made on the host
  const LockGuard lock(values_lock);
  leave_source();
}

void Buffer::move_value(std::shared_ptr<Buffer> holder, void* data) {
  const LockGuard lock(values_lock);
  leave_source();
  std::atomic_ref(data_).store(data, std::memory_order_relaxed);
  source_.swap(holder);
}

void Buffer::copy_value(const StreamPtr& stream) {
  {
    const LockGuard lock(values_lock);  // the end of another value may change the index
    if (value_index_ < 0) return;
  }
  const bool is_elsewhere = stream->is_capturing() || stream->device() != device_;
  const StreamPtr on = is_elsewhere ? main_stream(device_) : stream;
  const std::shared_ptr<Buffer> holder = allocate(nbytes_, on);
  source_->order(on, false);
  copy_device_to_device(holder->data_, data_, nbytes_, *on);
  move_value(holder, holder->data_);
}

void Buffer::copy_values(const StreamPtr& stream) {
  std::vector<std::shared_ptr<Buffer>> values;
  for (bool is_listed = false; !is_listed;) {
    values.reserve(
        static_cast<size_t>(later_.values.load()));  // nothing is allocated under the lock
    const LockGuard lock(values_lock);
    is_listed = values_.size() <= values.capacity();
    if (!is_listed) continue;
    for (Buffer* value : values_)  // those that are being destroyed are left out
      if (auto kept = value->weak_from_this().lock()) values.push_back(std::move(kept));
  }
  const int64_t count = static_cast<int64_t>(values.size());
  if (count < 2 || nbytes_ > count * kMostBytesPerValue || stream->is_capturing() ||
      stream->device() != device_) {
    for (const auto& value : values) value->copy_value(stream);
    return;
  }
  const std::shared_ptr<Buffer> holder = allocate(nbytes_, stream);
  order(stream, false);
  copy_device_to_device(holder->data_, data_, nbytes_, *stream);
  for (const auto& value : values)
    value->move_value(holder, static_cast<char*>(holder->data_) +
                                  (static_cast<char*>(value->data_) - static_cast<char*>(data_)));
}

void Buffer::release_values() { pending_stream(*this); }

void Buffer::lend() {
  ++later_.lenders;
  try {
    run_deferred(true);
    if (lacks_memory()) take_memory();
    if (has_values()) release_values();
    if (is_value()) separate_value();
    if (!device_.is_cpu() && data_ != nullptr && !is_part() && !later_.was_lent) {
      add_lent_buffer(*this);  // once: it lies over itself
      later_.was_lent = true;
    }
  } catch (...) {
    --later_.lenders;
    throw;
  }
}

bool Buffer::stays_if_separate() {
  const LockGuard lock(values_lock);
  is_separate_ = is_separate_ || source_ == nullptr || source_.use_count() == 1;
  return is_separate_;
}

void Buffer::separate_value() {
  own_value();
  if (stays_if_separate()) return;
  StreamPtr stream = pending_stream(*this);
  if (stream->is_capturing()) stream = main_stream(device_);  // outside of the graph
  std::shared_ptr<Buffer> holder = allocate(nbytes_, stream);
  void* const data = holder->data_;
  BufferAccess access(stream);
  access.exclude_others();
  if (stays_if_separate()) return;  // another thread has moved it
  access.read(*this);
  copy_device_to_device(data, data_, nbytes_, *stream);
  move_value(std::move(holder), data);
  stays_if_separate();
}

void* Buffer::own_value() const {
  std::shared_ptr<Buffer> source;
  {
    const LockGuard lock(values_lock);
    if (value_index_ < 0) return data_;
    source = source_;
  }
  source->release_values();
  return data_;
}

}  // namespace gpuarray
