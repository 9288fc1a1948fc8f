// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/device/peer.hpp"

#include <atomic>

#include "core/thread_safety.hpp"
#include "runtime/device/cuda_device.hpp"
#include "runtime/driver/driver.hpp"

namespace gpuarray {
namespace {

enum class Peer : char { unknown, open, closed };

std::atomic<Peer> known[kMaxCudaDevices][kMaxCudaDevices];
Mutex opening;

CUdevice ordinal(Device device) {
  CUdevice found = 0;
  GPUARRAY_CHECK(cuDeviceGet(&found, device.index));
  return found;
}

// Lets `device` use memory of the pool. Peer access of a context covers only blocking allocations,
// such as other libraries lend us.
void open_pool(CUmemoryPool pool, Device device) {
  const CUmemAccessDesc access{{CU_MEM_LOCATION_TYPE_DEVICE, ordinal(device)},
                               CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  GPUARRAY_CHECK(cuMemPoolSetAccess(pool, &access, 1));
}

void open_context(Device device, Device peer) {
  const CUcontext context = primary_context(peer.index).handle;
  DeviceGuard on(device);
  const CUresult status = GPUARRAY_CALL(cuCtxEnablePeerAccess(context, 0));
  // Both errors are harmless: another library has enabled the access before, or the device has as
  // many peers as it can, which leaves memory of the pool accessible and only makes copies of other
  // memory slower.
  if (status == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED || status == CUDA_ERROR_TOO_MANY_PEERS)
    return;
  check_driver(status, "cuCtxEnablePeerAccess", __FILE__, __LINE__);
}

}  // namespace

bool can_access_peer(Device device, Device peer) {
  require_device(device);
  require_device(peer);
  if (device == peer) return true;
  if (device.is_cpu() || peer.is_cpu()) return false;
  int can = 0;
  GPUARRAY_CHECK(cuDeviceCanAccessPeer(&can, ordinal(device), ordinal(peer)));
  return can != 0;
}

bool open_peer(Device device, Device peer) {
  if (device == peer || device.is_cpu() || peer.is_cpu()) return device == peer;
  std::atomic<Peer>& state = known[device.index][peer.index];
  if (Peer found = state.load(); found != Peer::unknown) return found == Peer::open;
  const BlockingLock lock(opening);
  if (Peer found = state.load(); found != Peer::unknown) return found == Peer::open;
  const bool can = can_access_peer(device, peer);
  if (can) {
    open_context(device, peer);
    if (CUmemoryPool pool = primary_context(peer.index).pool) open_pool(pool, device);
  }
  state = can ? Peer::open : Peer::closed;
  return can;
}

}  // namespace gpuarray
