// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <string>

#include "runtime/buffer/buffer.hpp"

// Memory that processes of one machine share.
namespace gpuarray {

// What another process needs to open a block; plain bytes that can be sent to it.
struct SharedBlock {
  std::string memory;  // the driver's handle of the memory, 64 bytes
  // The handle of an event, 64 bytes: the work that was pending when it was last shared.
  std::string event;
  int64_t nbytes = 0;  // bytes of the block
};

// A buffer and where it lies in a shared block.
struct SharedPlace {
  BufferPtr buffer;
  int64_t offset = 0;  // bytes from the block's first byte to the buffer's
};

// Returns whether another process can open the block of a CUDA device that the buffer lies in:
// false for the driver's pools. Throws CudaError.
bool can_be_shared(Buffer& buffer);

// Lets other processes open the block that the buffer lies in, for work after all pending uses. The
// buffer must be kept until they have closed the block. Sets `offset` to the buffer's bytes from
// the block's begin. Throws ValueError for memory that cannot be opened (that of IpcResource can),
// CudaError.
SharedBlock share_block(const BufferPtr& buffer, const StreamPtr& stream, int64_t* offset);

// Opens a block for work on `stream`, which waits for what was pending on the block. In this
// process a block is one buffer, however often it is opened, and is closed with its last use. `own`
// means that this process has shared the block, and returns its buffer. Throws ValueError for an
// own block that is gone, CudaError.
SharedPlace open_block(const SharedBlock& block, const StreamPtr& stream, bool own);

// Returns 16 bytes that identify the device in every process. Throws DeviceError for cpu and for a
// device that does not exist.
std::string device_uuid(Device device);

}  // namespace gpuarray
