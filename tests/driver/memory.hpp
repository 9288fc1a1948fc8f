// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "types.hpp"

// The memory of the model. That of devices is mapped twice: at the addresses handed out, without
// access but while kernels run (Window), and where only the driver knows (reach). All but these two
// is called with the driver's lock.
namespace model {

enum class MemoryKind { device, page_locked, managed, registered, variable };  // of a kernel image

struct Allocation {
  Address begin = 0;
  size_t nbytes = 0;
  size_t room = 0;  // reserved
  MemoryKind kind = MemoryKind::device;
  int device = 0;
  Handle pool = 0;  // 0: not in stream order
};

// Fills: of what was never written, and of what was freed.
inline constexpr unsigned char kFresh = 0xcb, kFreed = 0xdd;

size_t total_memory();  // bytes of each device: GPUARRAY_TEST_DRIVER_MEMORY, 4 GiB as is
size_t memory_in_use(int device);
size_t pool_in_use(Handle pool);

// Alignments: of memory in stream order, and of what cuMemAlloc gives, which processes can share.
inline constexpr size_t kAlign = 512, kPage = 4096;

// 0 when there is no room. `stream` != 0: of blocks freed in the order of that stream first.
Address allocate_device(int device, size_t nbytes, Handle pool, uint64_t stream);
Address allocate_host(size_t nbytes, MemoryKind kind, int device);
// Memory of the process as registered, or as a device's variable; 0 if it overlaps what is known.
Address adopt_host(void* data, size_t nbytes, MemoryKind kind = MemoryKind::registered,
                   int device = 0);

// The live allocation that holds [address, address + nbytes); null where there is none.
const Allocation* find(Address address, size_t nbytes = 1);

// No longer live. The address may be reused by the stream that frees it at once, by others once
// `reuse` is called with the result.
struct Released {
  Allocation was;
  uint64_t ticket = 0;
};
Released release(Address begin, uint64_t stream);
void reuse(const Released& released);

// Where the driver itself reads and writes what lies at `address`.
void* reach(Address address);

// Opens the memory of all devices to this process for the scope; one at a time.
class Window {
 public:
  Window();
  ~Window();
};
bool in_reservation(Address address);

// With other processes; not what they share with this one.
bool can_be_shared(const Allocation& what);

// The file that device memory lies in, and where in it `address` does.
int memory_file();
size_t memory_offset(Address address);
// Puts [offset, ...) of a file in the place of [address, address + nbytes), all of whole pages.
// False where it cannot be mapped.
bool map_file(Address address, size_t nbytes, int file, size_t offset);

}  // namespace model
