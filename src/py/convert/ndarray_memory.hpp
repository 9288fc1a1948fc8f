// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstddef>
#include <cstdint>

// The memory of large NumPy arrays that results are copied to: blocks of the cpu device's pool,
// whose pages the system need not clear again for the next result. The functions are those of
// NumPy's PyDataMemAllocator; the caller holds the GIL.
namespace gpuarray::py::ndarray_memory {

// malloc takes fresh pages for every block of this size and more, and gives them back when freed.
constexpr int64_t kLeastBytes = int64_t{32} << 20;

// Return null where there is no memory, as malloc does.
void* allocate(void*, size_t nbytes) noexcept;
void* allocate_zeroed(void*, size_t count, size_t itemsize) noexcept;
// Moves the block to memory of another size, as realloc does.
void* reallocate(void*, void* data, size_t nbytes) noexcept;
void deallocate(void*, void* data, size_t nbytes) noexcept;

}  // namespace gpuarray::py::ndarray_memory
