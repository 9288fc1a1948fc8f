// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Functions of allocations: device, stream-ordered, host and managed memory.
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "call.hpp"
#include "capture.hpp"
#include "memory.hpp"

using namespace model;

namespace {

// How many bytes of an allocation are marked as fresh or freed, which is enough to be noticed.
constexpr size_t kMarked = size_t{1} << 20;

std::map<Handle, int>& made_pools() {
  static auto& all = *new std::map<Handle, int>;
  return all;
}

constexpr Handle kFirstDefaultPool = 0x100;

// Returns the device of a pool, or -1 if there is no such pool.
int device_of_pool(Handle pool) {
  if (pool >= kFirstDefaultPool && pool < kFirstDefaultPool + static_cast<Handle>(device_count()))
    return static_cast<int>(pool - kFirstDefaultPool);
  auto found = made_pools().find(pool);
  return found == made_pools().end() ? -1 : found->second;
}

void mark(Address begin, size_t nbytes, unsigned char value) {
  std::memset(reach(begin), value, std::min(nbytes, kMarked));
}

Status allocate(Call& call, Address* address, size_t nbytes) {
  if (nbytes == 0) return kInvalidValue;
  if (Status status = forbidden_here()) return status;
  *address = allocate_device(call.device, nbytes, 0, 0);
  if (*address == 0) return kOutOfMemory;
  mark(*address, nbytes, kFresh);
  return kSuccess;
}

Status allocate_ordered(Call& call, Address* address, size_t nbytes, Handle pool, Handle handle) {
  const StreamPtr stream = find_stream(handle);
  const int device = device_of_pool(pool);
  if (stream == nullptr) return kInvalidHandle;
  if (nbytes == 0 || device < 0) return kInvalidValue;
  *address = allocate_device(device, nbytes, pool, stream->id);
  if (*address == 0) return kOutOfMemory;
  enqueue(call.held, stream, Kind::allocate, [begin = *address, nbytes] {
    mark(begin, nbytes, kFresh);
    return kSuccess;
  });
  return kSuccess;
}

void forget_freed(const Released& released) {
  mark(released.was.begin, released.was.room, kFreed);
  if (released.was.room > 4 * kMarked)
    madvise(reach((released.was.begin + kMarked + kPage - 1) / kPage * kPage),
            (released.was.room - kMarked) / kPage * kPage - kPage, MADV_REMOVE);
}

Status free_ordered(Call& call, Address address, Handle handle) {
  const StreamPtr stream = find_stream(handle);
  if (stream == nullptr) return kInvalidHandle;
  if (address == 0) return kSuccess;
  const Allocation* found = find(address);
  if (found == nullptr || found->begin != address || found->kind != MemoryKind::device)
    return kInvalidValue;
  if (stream->capture != nullptr) {  // memory of the graph is freed in each of its launches
    enqueue(call.held, stream, Kind::release, [was = *found] {
      mark(was.begin, was.room, kFreed);
      return kSuccess;
    });
    return kSuccess;
  }
  const Released released = release(address, stream->id);
  enqueue(call.held, stream, Kind::release, [released] {
    forget_freed(released);
    Lock held = lock();
    reuse(released);
    return kSuccess;
  });
  return kSuccess;
}

// Frees memory after waiting for the devices, as drivers do.
Status free_now(Call& call, Address address, bool host) {
  if (address == 0) return kSuccess;
  const Allocation* found = find(address);
  if (found == nullptr || found->begin != address) return kInvalidValue;
  if ((found->kind == MemoryKind::page_locked) != host) return kInvalidValue;
  if (found->kind == MemoryKind::registered) return kInvalidValue;
  if (Status status = forbidden_here()) return status;
  for (int device = 0; device < device_count(); ++device) finish_device(call.held, device);
  if (find(address) == nullptr) return kInvalidValue;  // another thread was first
  const Released released = release(address, 0);
  if (released.was.kind == MemoryKind::device) forget_freed(released);
  reuse(released);
  return kSuccess;
}

Status allocate_visible(Call& call, void** data, size_t nbytes, MemoryKind kind) {
  if (nbytes == 0) return kInvalidValue;
  if (Status status = forbidden_here()) return status;
  const Address address = allocate_host(nbytes, kind, call.device);
  *data = reinterpret_cast<void*>(address);
  if (address == 0) return kOutOfMemory;
  mark(address, nbytes, kFresh);
  return kSuccess;
}

Status host_address(Address* device, const void* data) {
  const Allocation* found = find(reinterpret_cast<Address>(data));
  if (found == nullptr || found->kind == MemoryKind::device) return kInvalidValue;
  *device = reinterpret_cast<Address>(data);
  return kSuccess;
}

Status unregister(Call& call, const void* data) {
  const Address address = reinterpret_cast<Address>(data);
  const Allocation* found = find(address);
  if (found == nullptr || found->kind != MemoryKind::registered || found->begin != address)
    return kNotRegistered;
  for (int device = 0; device < device_count(); ++device) finish_device(call.held, device);
  release(address, 0);
  return kSuccess;
}

// The release threshold and the pool's limits are not modelled: freed memory leaves the pool.
Status pool_attribute(Handle pool, int name, void* value) {
  if (device_of_pool(pool) < 0) return kInvalidValue;
  if (name <= 3)
    *static_cast<int*>(value) = 1;
  else
    *static_cast<uint64_t*>(value) = name == 4 ? 0 : pool_in_use(pool);
  return kSuccess;
}

struct PoolProperties {
  int allocation_type, handle_types, location_type, device;
};

Status create_pool(Handle* pool, const PoolProperties* properties) {
  if (properties->device < 0 || properties->device >= device_count()) return kInvalidValue;
  *pool = new_handle();
  made_pools()[*pool] = properties->device;
  return kSuccess;
}

Status memory_info(Call& call, size_t* free, size_t* total) {
  *total = total_memory();
  *free = *total - memory_in_use(call.device);
  return kSuccess;
}

// Succeeds for managed memory, which needs no prefetch or advice, as all devices see it.
Status is_managed(Address address, size_t nbytes) {
  const Allocation* found = find(address, nbytes);
  return found != nullptr && found->kind == MemoryKind::managed ? kSuccess : kInvalidValue;
}

Status prefetch(Call& call, Address address, size_t nbytes, Handle handle) {
  const StreamPtr stream = find_stream(handle);
  if (stream == nullptr) return kInvalidHandle;
  if (Status status = is_managed(address, nbytes)) return status;
  if (Status status = forbidden_on(*stream)) return status;
  enqueue(call.held, stream, Kind::copy, [] { return kSuccess; });
  return kSuccess;
}

}  // namespace

MODEL(cuMemAlloc, (Address * address, size_t nbytes), ENTER; return allocate(call, address, nbytes))
MODEL(cuMemFree, (Address address), ENTER; return free_now(call, address, false))
MODEL(cuMemAllocAsync, (Address * address, size_t nbytes, Handle stream), ENTER;
      return allocate_ordered(call, address, nbytes,
                              kFirstDefaultPool + static_cast<Handle>(call.device), stream))
MODEL(cuMemAllocFromPoolAsync, (Address * address, size_t nbytes, Handle pool, Handle stream),
      ENTER;
      return allocate_ordered(call, address, nbytes, pool, stream))
MODEL(cuMemFreeAsync, (Address address, Handle stream), ENTER;
      return free_ordered(call, address, stream))
MODEL(cuMemGetInfo, (size_t* free, size_t* total), ENTER; return memory_info(call, free, total))

MODEL(cuDeviceGetDefaultMemPool, (Handle * pool, int device),
      *pool = kFirstDefaultPool + static_cast<Handle>(device);
      return device_of_pool(*pool) < 0 ? kInvalidDevice : kSuccess)
MODEL(cuMemPoolCreate, (Handle * pool, const PoolProperties* properties), Lock held = lock();
      return create_pool(pool, properties))
MODEL(cuMemPoolDestroy, (Handle pool), Lock held = lock();
      return made_pools().erase(pool) > 0 ? kSuccess : kInvalidValue)
MODEL(cuMemPoolGetAttribute, (Handle pool, int name, void* value), Lock held = lock();
      return pool_attribute(pool, name, value))
MODEL(cuMemPoolSetAttribute, (Handle pool, int, void*), Lock held = lock();
      return device_of_pool(pool) < 0 ? kInvalidValue : kSuccess)
MODEL(cuMemPoolSetAccess, (Handle pool, const void*, size_t), Lock held = lock();
      return device_of_pool(pool) < 0 ? kInvalidValue : kSuccess)
MODEL(cuMemPoolTrimTo, (Handle pool, size_t), Lock held = lock();
      return device_of_pool(pool) < 0 ? kInvalidValue : kSuccess)

MODEL(cuMemHostAlloc, (void** data, size_t nbytes, unsigned), ENTER;
      return allocate_visible(call, data, nbytes, MemoryKind::page_locked))
MODEL(cuMemAllocHost, (void** data, size_t nbytes), ENTER;
      return allocate_visible(call, data, nbytes, MemoryKind::page_locked))
MODEL(cuMemFreeHost, (void* data), ENTER;
      return free_now(call, reinterpret_cast<Address>(data), true))
MODEL(cuMemHostRegister, (void* data, size_t nbytes, unsigned), ENTER;
      if (data == nullptr || nbytes == 0) return kInvalidValue;
      return adopt_host(data, nbytes) == 0 ? kAlreadyRegistered : kSuccess)
MODEL(cuMemHostUnregister, (void* data), ENTER; return unregister(call, data))
MODEL(cuMemHostGetDevicePointer, (Address * device, void* data, unsigned), ENTER;
      return host_address(device, data))
MODEL(cuMemAllocManaged, (Address * address, size_t nbytes, unsigned), ENTER;
      return allocate_visible(call, reinterpret_cast<void**>(address), nbytes, MemoryKind::managed))
MODEL(cuMemPrefetchAsync, (Address address, size_t nbytes, int, Handle stream), ENTER;
      return prefetch(call, address, nbytes, stream))
MODEL(cuMemAdvise, (Address address, size_t nbytes, int, int), ENTER;
      return is_managed(address, nbytes))
