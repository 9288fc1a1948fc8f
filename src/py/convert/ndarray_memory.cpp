// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/convert/ndarray_memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <unordered_map>

#include "py/binding/gil_stand_in.hpp"
#include "runtime/memory/memory.hpp"
#include "runtime/stream/main_stream.hpp"

namespace gpuarray::py::ndarray_memory {
namespace {

// The bytes of the pool's blocks by address. NumPy tells the size of an array's memory by its shape
// and dtype, which may have been changed, and that of a block to resize not.
std::unordered_map<void*, int64_t>& blocks = *new std::unordered_map<void*, int64_t>;
constinit GilStandIn blocks_lock;  // guards `blocks`

MemoryResource& pool() { return *default_resource(Device::cpu()); }
const Stream& stream() { return *main_stream(Device::cpu()); }

// Returns null where the pool has no memory or may take no more; malloc may have some then.
void* allocate_from_pool(int64_t nbytes) {
  void* data = nullptr;
  try {
    data = pool().allocate(nbytes, stream());
    const std::lock_guard lock(blocks_lock);
    blocks.emplace(data, nbytes);
    return data;
  } catch (...) {  // NumPy calls this, which knows no exceptions
    if (data != nullptr) pool().deallocate(data, nbytes, stream());
    return nullptr;
  }
}

// Returns the bytes of a block of the pool, 0 for one of malloc's.
size_t pool_bytes(void* data) {
  const std::lock_guard lock(blocks_lock);
  const auto found = blocks.find(data);
  return found == blocks.end() ? 0 : static_cast<size_t>(found->second);
}

// Forgets a block and returns its bytes, 0 for one of malloc's.
int64_t take_pool_bytes(void* data) {
  const std::lock_guard lock(blocks_lock);
  const auto found = blocks.find(data);
  if (found == blocks.end()) return 0;
  const int64_t held = found->second;
  blocks.erase(found);
  return held;
}

}  // namespace

void* allocate(void*, size_t nbytes) noexcept {
  void* data = nullptr;
  if (nbytes >= size_t{kLeastBytes}) data = allocate_from_pool(static_cast<int64_t>(nbytes));
  return data != nullptr ? data : std::malloc(std::max<size_t>(nbytes, 1));
}

void* allocate_zeroed(void*, size_t count, size_t itemsize) noexcept {
  return std::calloc(std::max<size_t>(count, 1), std::max<size_t>(itemsize, 1));
}

void* reallocate(void* context, void* data, size_t nbytes) noexcept {
  const size_t held = pool_bytes(data);
  if (held == 0) return std::realloc(data, std::max<size_t>(nbytes, 1));
  void* moved = allocate(context, nbytes);
  if (moved == nullptr) return nullptr;
  std::memcpy(moved, data, std::min(held, nbytes));
  deallocate(context, data, held);
  return moved;
}

void deallocate(void*, void* data, size_t) noexcept {
  const int64_t held = take_pool_bytes(data);
  if (held == 0) return std::free(data);
  pool().deallocate(data, held, stream());
}

}  // namespace gpuarray::py::ndarray_memory
