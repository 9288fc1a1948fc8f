// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <string>

#include "runtime/buffer/buffer.hpp"

// Memory that other processes of this machine open.
namespace gpuarray {

// What they need, as bytes of any process.
struct SharedBlock {
  std::string memory;  // 64 bytes, of the driver
  std::string event;   // 64 bytes: the work that was pending when it was shared last
  int64_t nbytes = 0;  // of the block
};

// Where a buffer lies in a block.
struct SharedPlace {
  BufferPtr buffer;
  int64_t offset = 0;  // of the buffer's first byte in the block
};

// Lets other processes open the block that the buffer lies in, which has to be kept until they have
// closed it, for work after all pending uses. `offset` becomes that of the buffer in it. Throws
// ValueError for memory that cannot be opened (IpcResource gives such that can).
SharedBlock share_block(const BufferPtr& buffer, const StreamPtr& stream, int64_t* offset);

// Opens a block on the device that it is on, for work after what was pending on it. Here, too, it
// is one buffer however often it is opened; closed with the last use. `own` blocks are this
// process's, which finds them as long as they live. Throws ValueError for those that are gone,
// CudaError.
SharedPlace open_block(const SharedBlock& block, const StreamPtr& stream, bool own);

// 16 bytes that name the device in every process. Throws DeviceError for cpu.
std::string device_uuid(Device device);

}  // namespace gpuarray
