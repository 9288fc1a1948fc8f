// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/buffer.hpp"

#include <utility>

namespace gpuarray {

std::shared_ptr<Buffer> Buffer::allocate(int64_t nbytes, StreamPtr stream) {
  std::shared_ptr<Buffer> buffer(new Buffer);
  buffer->device_ = stream->device();
  buffer->nbytes_ = nbytes;
  buffer->resource_ = current_resource(stream->device());
  if (nbytes > 0) buffer->data_ = buffer->resource_->allocate(nbytes, *stream);
  buffer->last_stream_ = std::move(stream);
  return buffer;
}

std::shared_ptr<Buffer> Buffer::borrow(void* data, int64_t nbytes, Device device, bool readonly,
                                       StreamPtr stream, std::function<void()> release) {
  std::shared_ptr<Buffer> buffer(new Buffer);
  buffer->data_ = data;
  buffer->nbytes_ = nbytes;
  buffer->device_ = device;
  buffer->readonly_ = readonly;
  buffer->last_stream_ = std::move(stream);
  buffer->release_ = std::move(release);
  return buffer;
}

Buffer::~Buffer() {
  if (release_) release_();
  if (resource_ != nullptr && data_ != nullptr)
    resource_->deallocate(data_, nbytes_, *last_stream_);
}

void Buffer::use_on(const StreamPtr& stream) {
  if (device_.is_cpu()) return;
  std::lock_guard lock(mutex_);
  if (last_stream_ == stream) return;
  stream->wait_for(*last_stream_);
  last_stream_ = stream;
}

StreamPtr Buffer::last_stream() const {
  std::lock_guard lock(mutex_);
  return last_stream_;
}

}  // namespace gpuarray
