// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/buffer/ipc.hpp"

#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "core/error.hpp"
#include "core/fork.hpp"
#include "core/thread_safety.hpp"
#include "runtime/buffer/access.hpp"
#include "runtime/device/device.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/memory/resources.hpp"
#include "runtime/stream/event.hpp"
#include "runtime/stream/main_stream.hpp"
#include "runtime/stream/synchronize.hpp"

namespace gpuarray {
namespace {

// The blocks that this process has opened or shares, by device and handle. Never destroyed.
struct Blocks {
  struct Known {
    std::weak_ptr<Buffer> buffer;
    int64_t offset = 0;
  };
  using Key = std::pair<int, std::string>;

  Mutex opening;  // held while a block is looked up and added, so that it is opened once
  HeldAtFork mutex;
  std::map<Key, Known> known GUARDED_BY(mutex);

  SharedPlace find(const Key& key) {
    const LockGuard lock(mutex);
    const auto found = known.find(key);
    if (found == known.end()) return {};
    return {found->second.buffer.lock(), found->second.offset};
  }
  void add(const Key& key, const SharedPlace& place) {
    const LockGuard lock(mutex);
    std::erase_if(known, [](const auto& entry) { return entry.second.buffer.expired(); });
    known[key] = {place.buffer, place.offset};
  }
};

Blocks& blocks = *new Blocks;

// Records the event that stands for the pending work. There is one event a buffer, because others
// may open it as long as they may open the memory.
const Event& mark_pending(const BufferPtr& buffer, const StreamPtr& stream) {
  BufferAccess access(stream);
  access.write(*buffer);
  if (buffer->shared_event() == nullptr)
    buffer->set_shared_event(std::make_shared<Event>(
        buffer->device(), Event::Options{.timing = false, .interprocess = true}));
  buffer->shared_event()->record(*stream);
  return *buffer->shared_event();
}

// Memory of another process, closed at the end of the scope unless it was released.
class OpenedMemory {
 public:
  explicit OpenedMemory(const std::string& handle) {
    CUipcMemHandle given;
    std::memcpy(given.reserved, handle.data(), sizeof given.reserved);
    GPUARRAY_CHECK(cuIpcOpenMemHandle(&data_, given, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
  }
  ~OpenedMemory() {
    if (data_ != 0) quietly([&] { GPUARRAY_CALL(cuIpcCloseMemHandle(data_)); });
  }
  OpenedMemory(const OpenedMemory&) = delete;
  OpenedMemory& operator=(const OpenedMemory&) = delete;

  CUdeviceptr data() const { return data_; }
  // Returns the bytes of the opened block, as the driver has them.
  int64_t nbytes() const {
    CUdeviceptr base = 0;
    size_t nbytes = 0;
    GPUARRAY_CHECK(cuMemGetAddressRange(&base, &nbytes, data_));
    return static_cast<int64_t>(nbytes);
  }
  CUdeviceptr release() { return std::exchange(data_, 0); }

 private:
  CUdeviceptr data_ = 0;
};

// Unmaps the block when our work on it is done, for which the main stream waits by now (~Buffer).
// The block stays mapped if the driver does not wait.
void close(Device device, CUdeviceptr data) {
  bool done = false;
  quietly([&] {
    blocking([&] { main_stream(device)->finish(); });
    done = true;
  });
  if (!done && !try_finish(device)) return report_kept(device, "memory of another process");
  std::optional<DeviceGuard> on;
  quietly([&] { on.emplace(device); });
  GPUARRAY_CALL(cuIpcCloseMemHandle(data));
}

// Returns the one buffer of the block, though several threads may ask for it at once. It must not
// take the submission lock while it holds the mutex.
SharedPlace find_or_open(const Blocks::Key& key, const StreamPtr& stream, bool* is_new) {
  const BlockingLock lock(blocks.opening);
  SharedPlace place = blocks.find(key);
  if (place.buffer != nullptr) return place;
  const Device device = stream->device();
  OpenedMemory opened(key.second);
  place.buffer =
      Buffer::borrow(reinterpret_cast<void*>(opened.data()), opened.nbytes(), device, false, stream,
                     [device, data = opened.data()] { close(device, data); });
  opened.release();
  blocks.add(key, place);
  *is_new = true;
  return place;
}

}  // namespace

bool can_be_shared(Buffer& buffer) {
  DeviceGuard on(buffer.device());
  bool capable = false;
  const CUresult status = GPUARRAY_CALL(cuPointerGetAttribute(
      &capable, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, device_address(buffer.settle())));
  if (status == CUDA_ERROR_INVALID_VALUE) return false;  // memory that the driver does not know
  check_driver(status, "cuPointerGetAttribute", __FILE__, __LINE__);
  return capable;
}

SharedBlock share_block(const BufferPtr& buffer, const StreamPtr& stream, int64_t* offset) {
  DeviceGuard on(buffer->device());
  if (!can_be_shared(*buffer))
    throw ValueError(
        "share: this memory cannot be opened by another process; copy the array into one of "
        "gpuarray.empty_shared()");
  const CUdeviceptr data = device_address(buffer->data());
  CUdeviceptr base = 0;
  size_t nbytes = 0;
  GPUARRAY_CHECK(cuMemGetAddressRange(&base, &nbytes, data));
  CUipcMemHandle handle;
  GPUARRAY_CHECK(cuIpcGetMemHandle(&handle, base));
  *offset = static_cast<int64_t>(data - base);
  buffer->lend();  // for good: other processes ask nobody
  SharedBlock block{{handle.reserved, sizeof handle.reserved},
                    mark_pending(buffer, stream).ipc_handle(),
                    static_cast<int64_t>(nbytes)};
  blocks.add({buffer->device().index, block.memory}, {buffer, *offset});
  return block;
}

SharedPlace open_block(const SharedBlock& block, const StreamPtr& stream, bool own) {
  const Device device = stream->device();
  const Blocks::Key key{device.index, block.memory};
  DeviceGuard on(device);
  if (own) {
    SharedPlace place = blocks.find(key);
    if (place.buffer != nullptr) return place;
    throw ValueError("open_shared: the memory was freed; keep the array that was shared");
  }
  const Event pending(device, block.event);
  bool is_new = false;
  const SharedPlace place = find_or_open(key, stream, &is_new);
  std::optional<BufferAccess> access;
  if (!is_new) access.emplace(stream).write(*place.buffer);
  pending.make_wait(stream);
  return place;
}

std::string device_uuid(Device device) {
  require_device(device);
  if (device.is_cpu()) throw DeviceError("expected a CUDA device, got cpu");
  CUdevice found = 0;
  CUuuid uuid;
  GPUARRAY_CHECK(cuDeviceGet(&found, device.index));
  GPUARRAY_CHECK(cuDeviceGetUuid(&uuid, found));
  return {uuid.bytes, sizeof uuid.bytes};
}

}  // namespace gpuarray
