// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "types.hpp"

// The memory of the model. Device memory is mapped twice: at the addresses that are handed out,
// which are accessible only while kernels run (Window), and at addresses that only the driver knows
// (reach). The caller of all functions but these two holds the driver's lock.
namespace model {

enum class MemoryKind {
  device,
  page_locked,
  managed,
  registered,
  variable
};  // a variable of an image

struct Allocation {
  Address begin = 0;
  size_t nbytes = 0;
  size_t room = 0;  // bytes reserved, at least nbytes
  MemoryKind kind = MemoryKind::device;
  int device = 0;
  Handle pool = 0;  // 0 if it was not allocated in stream order
};

// The bytes that fill memory which was never written, and memory which was freed.
inline constexpr unsigned char kFresh = 0xcb, kFreed = 0xdd;

size_t total_memory();  // bytes of each device: GPUARRAY_TEST_DRIVER_MEMORY, by default 4 GiB
size_t memory_in_use(int device);
size_t pool_in_use(Handle pool);

// The alignments of memory in stream order, and of that of cuMemAlloc, which processes can share.
inline constexpr size_t kAlign = 512, kPage = 4096;

// Returns the address of new memory, or 0 if there is no room. If `stream` is not 0, blocks that
// were freed in the order of that stream are preferred.
Address allocate_device(int device, size_t nbytes, Handle pool, uint64_t stream);
// Returns the address of new host or managed memory, or 0 if there is no room.
Address allocate_host(size_t nbytes, MemoryKind kind, int device);
// Makes memory of the process known as registered, or as a device's variable. Returns 0 if it
// overlaps memory that is known already.
Address adopt_host(void* data, size_t nbytes, MemoryKind kind = MemoryKind::registered,
                   int device = 0);

// Returns the live allocation that holds [address, address + nbytes), or null.
const Allocation* find(Address address, size_t nbytes = 1);

// An allocation that is no longer live. The stream that frees it may use the address again at once,
// others once reuse() was called.
struct Released {
  Allocation was;
  uint64_t ticket = 0;
};
Released release(Address begin, uint64_t stream);
void reuse(const Released& released);

// Returns where the driver itself reads and writes what lies at `address`.
void* reach(Address address);

// Makes the memory of all devices accessible while it lives. There is at most one.
class Window {
 public:
  Window();
  ~Window();
};
// Returns whether the address belongs to the range that device memory is handed out from.
bool in_reservation(Address address);

// Returns whether other processes may open the memory. They may not if this process has opened it
// itself.
bool can_be_shared(const Allocation& what);

// The descriptor of the file that device memory lies in, and the offset of `address` in that file.
int memory_file();
size_t memory_offset(Address address);
// Maps the file from `offset` on to [address, address + nbytes); all must be whole pages. Returns
// false if it cannot be mapped.
bool map_file(Address address, size_t nbytes, int file, size_t offset);

}  // namespace model
