// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

#include "core/divide.hpp"
#include "runtime/device/host_info.hpp"
#include "runtime/memory/resources.hpp"

namespace gpuarray {
namespace {

constexpr uintptr_t kAlignment = 64;
constexpr int64_t kHugePage = int64_t{2} << 20;
constexpr int64_t kLeastHuge = 2 * kHugePage;

int64_t mapped_bytes(int64_t nbytes) { return round_up(nbytes, int64_t{sysconf(_SC_PAGESIZE)}); }

void unmap(char* begin, char* end) noexcept {
  if (begin != end) munmap(begin, static_cast<size_t>(end - begin));
}

// Returns new pages, null if the system gives none. Large blocks begin at a huge page's boundary.
void* map(int64_t nbytes) {
  const int64_t wanted = mapped_bytes(nbytes);
  const int64_t spare = nbytes >= kLeastHuge ? kHugePage : 0;
  void* mapped = mmap(nullptr, static_cast<size_t>(wanted + spare), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  char* const begin = static_cast<char*>(mapped);
  if (spare == 0) return begin;
  const int64_t address = reinterpret_cast<intptr_t>(begin);
  char* const data = begin + (round_up(address, kHugePage) - address);
  unmap(begin, data);
  unmap(data + wanted, begin + wanted + spare);
  advise_huge_pages(data, nbytes);
  return data;
}

// Returns an aligned part of a block of malloc's, whose address is noted before it. That takes a
// tenth of the time of std::aligned_alloc, which does not use the blocks that malloc keeps.
void* allocate_from_heap(int64_t nbytes) {
#ifdef GPUARRAY_ADDRESS_SANITIZER
  return std::aligned_alloc(kAlignment, static_cast<size_t>(round_up(nbytes, kAlignment)));
#else
  static_assert(alignof(std::max_align_t) >= sizeof(void*));
  char* start = static_cast<char*>(std::malloc(static_cast<size_t>(nbytes) + kAlignment));
  if (start == nullptr) return nullptr;
  char* data = start + (kAlignment - reinterpret_cast<uintptr_t>(start) % kAlignment);
  reinterpret_cast<void**>(data)[-1] = start;
  return data;
#endif
}

void free_to_heap(void* data) noexcept {
#ifdef GPUARRAY_ADDRESS_SANITIZER
  std::free(data);
#else
  std::free(static_cast<void**>(data)[-1]);
#endif
}

}  // namespace

void* HostResource::allocate(int64_t nbytes, const Stream&) {
  // The system would promise more memory than there is, and kill the process when it is touched.
  if (nbytes > host_properties().total_memory) throw_out_of_memory(Device::cpu(), nbytes);
  void* data = nbytes >= kLeastMapped ? map(nbytes) : allocate_from_heap(nbytes);
  if (data == nullptr) throw_out_of_memory(Device::cpu(), nbytes);
  used_ += nbytes;
  return data;
}

void HostResource::deallocate(void* data, int64_t nbytes, const Stream&) noexcept {
  used_ -= nbytes;
  if (nbytes < kLeastMapped) return free_to_heap(data);
  unmap(static_cast<char*>(data), static_cast<char*>(data) + mapped_bytes(nbytes));
}

}  // namespace gpuarray
