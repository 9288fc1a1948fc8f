// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>

#include "runtime/buffer/buffer.hpp"

// The buffers of CUDA devices whose addresses were given out, so that memory that comes back by its
// address alone is recognized. Thread-safe.
namespace gpuarray {

// Adds a buffer, unless an added one overlaps its memory. The buffer must be removed before its
// memory is freed. Throws std::bad_alloc.
void add_lent_buffer(Buffer& buffer);
// Removes the buffer, if it is there.
void remove_lent_buffer(const Buffer& buffer) noexcept;
// Returns the buffer in which all the bytes lie, null if there is none. `nbytes` is positive.
BufferPtr find_lent_buffer(const void* data, int64_t nbytes);

}  // namespace gpuarray
