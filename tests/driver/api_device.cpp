// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Functions of devices, contexts and pointers.
#include <set>
#include <string>

#include "call.hpp"
#include "capture.hpp"
#include "memory.hpp"

using namespace model;

namespace {

bool known_device(int device) { return device >= 0 && device < device_count(); }

// The pairs (from, to) of devices of which the first has access to the second.
std::set<std::pair<int, int>>& peers() {
  static auto& enabled = *new std::set<std::pair<int, int>>;
  return enabled;
}

struct ErrorName {
  Status status;
  const char* name;
  const char* text;
};
constexpr ErrorName kErrors[] = {
    {0, "CUDA_SUCCESS", "no error"},
    {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {200, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {217, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED",
     "peer access is not supported between these two devices"},
    {400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {401, "CUDA_ERROR_ILLEGAL_STATE", "the operation cannot be performed in the present state"},
    {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {600, "CUDA_ERROR_NOT_READY", "device not ready"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {704, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "peer access is already enabled"},
    {705, "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", "peer access has not been enabled"},
    {712, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",
     "part or all of the requested memory range is already mapped"},
    {713, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED",
     "pointer does not correspond to a registered memory region"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {801, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
     "operation not permitted when stream is capturing"},
    {901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
     "operation failed due to a previous error during capture"},
    {902, "CUDA_ERROR_STREAM_CAPTURE_MERGE",
     "operation would result in a merge of separate capture sequences"},
    {903, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED",
     "capture was not ended in the same stream as it began"},
    {904, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED", "capturing stream has unjoined work"},
    {905, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION",
     "dependency created on uncaptured work in another stream"},
    {906, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT",
     "operation would make the legacy stream depend on a capturing blocking stream"},
    {907, "CUDA_ERROR_CAPTURED_EVENT",
     "operation not permitted on an event last recorded in a capturing stream"},
    {908, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD",
     "attempt to terminate a thread-local capture sequence from another thread"},
    {910, "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE",
     "the graph update was not performed because it included changes which violated constraints "
     "specific to instantiated graph update"},
};

Status error_field(Status status, const char** field, const char* ErrorName::* which) {
  for (const ErrorName& error : kErrors)
    if (error.status == status) {
      *field = error.*which;
      return kSuccess;
    }
  *field = nullptr;
  return kInvalidValue;
}

int attribute(int name) {
  switch (name) {
    case 1:  // threads of a block
    case 2:  // threads of a block along x
    case 3:  // along y
      return 1024;
    case 4:  // along z
      return 64;
    case 5:  // blocks along x
      return 0x7fffffff;
    case 6:  // along y
    case 7:  // along z
      return 0xffff;
    case 10:  // lanes of a warp
      return 32;
    case 16:  // multiprocessors: few, so that grids stay small
      return 4;
    case 38:  // bytes of L2
      return 4 << 20;
    case 39:  // threads of a multiprocessor
      return 2048;
    case 41:   // unified addresses
    case 83:   // managed memory
    case 89:   // whether the host may use managed memory while kernels run
    case 95:   // cooperative launches
    case 115:  // memory pools
      return 1;
    case 75:  // compute capability, major
      return 9;
    case 81:  // shared memory of a multiprocessor
    case 97:  // shared memory of a block that asks for it
      return 227 << 10;
    default:
      return 0;
  }
}

bool is_of_device(const Allocation& what) {
  return what.kind == MemoryKind::device || what.kind == MemoryKind::variable;
}

Status pointer_attribute(void* value, int name, Address address) {
  const Allocation* found = find(address);
  switch (name) {
    case 1:  // context
      *static_cast<Handle*>(value) = found ? static_cast<Handle>(found->device) + 1 : 0;
      break;
    case 2:  // memory: 1 host, 2 device
      *static_cast<unsigned*>(value) = found == nullptr ? 0
                                       : is_of_device(*found) || found->kind == MemoryKind::managed
                                           ? 2
                                           : 1;
      break;
    case 3:  // device pointer
      *static_cast<Address*>(value) = found ? address : 0;
      break;
    case 4:  // host pointer
      *static_cast<Address*>(value) = found && !is_of_device(*found) ? address : 0;
      if (found && is_of_device(*found)) return kInvalidValue;
      break;
    case 8:  // managed
      *static_cast<unsigned*>(value) = found && found->kind == MemoryKind::managed;
      break;
    case 9:  // device
      *static_cast<int*>(value) = found ? found->device : -2;
      break;
    case 10:  // whether processes can share it
      *static_cast<bool*>(value) = found && can_be_shared(*found);
      break;
    case 11:  // begin
      *static_cast<Address*>(value) = found ? found->begin : 0;
      break;
    case 12:  // bytes
      *static_cast<size_t*>(value) = found ? found->nbytes : 0;
      break;
    default:
      return kNotSupported;
  }
  return found != nullptr ? kSuccess : kInvalidValue;
}

// Answers several questions at once, for which an address of unknown memory is no error.
Status pointer_attributes(unsigned count, const int* names, void** values, Address address) {
  for (unsigned i = 0; i < count; ++i)
    if (pointer_attribute(values[i], names[i], address) == kNotSupported) return kNotSupported;
  return kSuccess;
}

Status synchronize_device(Call& call) {
  if (Status status = forbidden_here()) return status;
  finish_device(call.held, call.device);
  return sticky(call.device);
}

Status enable_peer(Call& call, Handle context) {
  const int other = static_cast<int>(context) - 1;
  if (!known_device(other)) return kInvalidContext;
  if (other == call.device) return kInvalidDevice;
  return peers().insert({call.device, other}).second ? kSuccess : kPeerEnabled;
}

}  // namespace

MODEL(cuInit, (unsigned), return kSuccess)
MODEL(cuGetErrorName, (Status status, const char** name),
      return error_field(status, name, &ErrorName::name))
MODEL(cuGetErrorString, (Status status, const char** text),
      return error_field(status, text, &ErrorName::text))

MODEL(cuDeviceGetCount, (int* count), *count = device_count(); return kSuccess)
MODEL(cuDeviceGet, (int* device, int index), *device = index;
      return known_device(index) ? kSuccess : kInvalidDevice)
MODEL(cuDeviceGetName, (char* name, int size, int device),
      std::snprintf(name, static_cast<size_t>(size), "test device %d", device);
      return kSuccess)
MODEL(cuDeviceGetAttribute, (int* value, int name, int device), *value = attribute(name);
      return known_device(device) ? kSuccess : kInvalidDevice)
MODEL(cuDeviceGetUuid, (char* uuid, int device), std::snprintf(uuid, 16, "test device %d", device);
      return known_device(device) ? kSuccess : kInvalidDevice)
MODEL(cuDeviceTotalMem, (size_t* nbytes, int), *nbytes = total_memory(); return kSuccess)
MODEL(cuDevicePrimaryCtxRetain, (Handle * context, int device),
      *context = static_cast<Handle>(device) + 1;
      return known_device(device) ? kSuccess : kInvalidDevice)
MODEL(cuDevicePrimaryCtxRelease, (int), return kSuccess)

MODEL(cuProfilerStart, (), return kSuccess)
MODEL(cuProfilerStop, (), return kSuccess)

MODEL(cuCtxGetCurrent, (Handle * context), *context = static_cast<Handle>(current_device() + 1);
      return kSuccess)
MODEL(cuCtxSetCurrent, (Handle context),
      if (!known_device(static_cast<int>(context) - 1) && context != 0) return kInvalidContext;
      set_current_device(static_cast<int>(context) - 1); return kSuccess)
MODEL(cuCtxGetDevice, (int* device), *device = current_device();
      return *device < 0 ? kInvalidContext : kSuccess)
MODEL(cuCtxSynchronize, (), ENTER; return synchronize_device(call))
MODEL(cuCtxGetStreamPriorityRange, (int* least, int* greatest), *least = 0; *greatest = -5;
      return kSuccess)

MODEL(cuDeviceCanAccessPeer, (int* can, int device, int peer), *can = device != peer;
      return known_device(device) && known_device(peer) ? kSuccess : kInvalidDevice)
MODEL(cuCtxEnablePeerAccess, (Handle context, unsigned), ENTER; return enable_peer(call, context))
MODEL(cuCtxDisablePeerAccess, (Handle context), ENTER;
      return peers().erase({call.device, static_cast<int>(context) - 1}) > 0 ? kSuccess
                                                                             : kPeerNotEnabled)

MODEL(cuPointerGetAttribute, (void* value, int name, Address address), Lock held = lock();
      return pointer_attribute(value, name, address))
MODEL(cuPointerGetAttributes, (unsigned count, int* names, void** values, Address address),
      Lock held = lock();
      return pointer_attributes(count, names, values, address))
