// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <memory>

#include "runtime/stream/stream.hpp"

namespace gpuarray {

// How memory pools order two streams when memory passes from one to the other. Tests replace it.
class StreamOrder {
 public:
  virtual ~StreamOrder() = default;
  // Makes work queued on `later` from now on run after what is queued on `earlier` now.
  virtual void wait(const Stream& later, const Stream& earlier) { later.wait_for_uses(earlier); }
  // Returns a stream of the device that is never destroyed, which takes over the memory of streams
  // that are.
  virtual const Stream& permanent_stream(Device device);
};

using StreamOrderPtr = std::shared_ptr<StreamOrder>;

// Returns whether a pool of `device` may keep memory for `stream` after the call. A borrowed handle
// may be destroyed, and given to another stream, at any time.
inline bool is_pooled(const Stream& stream, Device device) {
  return stream.device() == device && (stream.owned() || device.is_cpu());
}

}  // namespace gpuarray
