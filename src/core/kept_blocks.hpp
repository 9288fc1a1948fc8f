// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstddef>
#include <vector>

namespace gpuarray {

// Returns memory of so many bytes. Up to a few kilobytes each thread keeps the blocks that it gives
// back: malloc() keeps seven of a size for a thread, and none that is as large as an Array.
void* take_block(std::size_t nbytes);
void give_block(void* block, std::size_t nbytes) noexcept;

template <class T>
struct KeptAllocator {
  using value_type = T;
  KeptAllocator() = default;
  template <class Other>
  KeptAllocator(const KeptAllocator<Other>&) {}
  T* allocate(std::size_t count) { return static_cast<T*>(take_block(count * sizeof(T))); }
  void deallocate(T* block, std::size_t count) noexcept { give_block(block, count * sizeof(T)); }
  bool operator==(const KeptAllocator&) const = default;
};

// A vector of few large elements that lives for a call.
template <class T>
using KeptVector = std::vector<T, KeptAllocator<T>>;

}  // namespace gpuarray
