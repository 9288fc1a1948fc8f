// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/buffer.hpp"

#include "runtime/driver.hpp"
#include "runtime/main_stream.hpp"
#include "runtime/memory_kinds.hpp"

namespace gpuarray {

std::shared_ptr<Buffer> Buffer::allocate(int64_t nbytes, const StreamPtr& stream, MemoryKind kind) {
  struct Shared : Buffer {};  // lets make_shared reach the constructor
  auto buffer = std::make_shared<Shared>();
  buffer->nbytes_ = nbytes;
  buffer->device_ = stream->device();
  buffer->kind_ = buffer->device_.is_cpu() ? MemoryKind::host : kind;
  buffer->resource_ = resource_of(buffer->device_, kind);
  if (nbytes > 0) buffer->data_ = buffer->resource_->allocate(nbytes, *stream);
  buffer->set_last_stream(stream);
  return buffer;
}

std::shared_ptr<Buffer> Buffer::borrow(void* data, int64_t nbytes, Device device, bool readonly,
                                       StreamPtr stream, std::function<void()> release) {
  struct Shared : Buffer {};
  auto buffer = std::make_shared<Shared>();
  buffer->data_ = data;
  buffer->nbytes_ = nbytes;
  buffer->device_ = device;
  buffer->kind_ = device.is_cpu() ? MemoryKind::host : MemoryKind::device;
  buffer->readonly_ = readonly;
  buffer->set_last_stream(stream);
  buffer->release_ = std::move(release);
  return buffer;
}

Buffer::~Buffer() {
  if (resource_ != nullptr) {
    if (data_ != nullptr) resource_->deallocate(data_, nbytes_, *last_stream_);
    return;
  }
  if (release_ == nullptr) return;
  // The owner may reuse the memory at once, as a rule on the legacy default stream, which the main
  // stream holds back until our work is done.
  if (!device_.is_cpu()) quietly([&] { main_stream(device_)->wait_for(*last_stream_); });
  quietly(release_);
}

void Buffer::move_to(const StreamPtr& stream) {
  std::lock_guard lock(mutex_);
  if (stream == last_stream_) return;
  stream->wait_for(*last_stream_);
  set_last_stream(stream);
}

void Buffer::set_last_stream(const StreamPtr& stream) {
  last_stream_ = stream;
  last_.store(stream.get(), std::memory_order_release);
}

StreamPtr Buffer::last_stream() const {
  std::lock_guard lock(mutex_);
  return last_stream_;
}

}  // namespace gpuarray
