// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <memory>

#include "runtime/stream/stream.hpp"

namespace gpuarray {

// How pools order streams whose memory changes hands; tests put their own in its place.
class StreamOrder {
 public:
  virtual ~StreamOrder() = default;
  // Work queued on `later` from now on runs after what is queued on `earlier` now.
  virtual void wait(const Stream& later, const Stream& earlier) { later.wait_for_uses(earlier); }
  // A stream of the device that is never destroyed.
  virtual const Stream& heir(Device device);
};

using StreamOrderPtr = std::shared_ptr<StreamOrder>;

// Whether a pool of `device` may remember `stream`: handles that are not ours may be another's
// tomorrow.
inline bool is_pooled(const Stream& stream, Device device) {
  return stream.device() == device && (stream.owned() || device.is_cpu());
}

}  // namespace gpuarray
