// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/buffer/live_blocks.hpp"

#include <pthread.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <unordered_map>

#include "core/thread_safety.hpp"
#include "runtime/buffer/buffer.hpp"

namespace gpuarray {

ListedBuffer::Ring ListedBuffer::rings[Stream::kParts];

// The locks are held during fork, so that the child does not find one locked by a thread that it
// does not have.
const int ListedBuffer::at_fork = pthread_atfork(
    []() NO_THREAD_SAFETY_ANALYSIS {
      for (Ring& ring : rings) ring.lock.lock();
    },
    []() NO_THREAD_SAFETY_ANALYSIS {
      for (Ring& ring : rings) ring.lock.unlock();
    },
    []() NO_THREAD_SAFETY_ANALYSIS {
      for (Ring& ring : rings) ring.lock.unlock();
    });

std::vector<LiveBlock> live_blocks(Device device) {
  std::vector<LiveBlock> found;
  std::unordered_map<const void*, size_t> places;
  for (ListedBuffer::Ring& ring : ListedBuffer::rings) {
    const LockGuard lock(ring.lock);
    for (const auto* link = ring.ends.next; link != &ring.ends; link = link->next) {
      const Buffer& buffer = *link->buffer;
      // Memory may have gone from one ring to another meanwhile.
      if (buffer.device() == device && places.emplace(buffer.address(), found.size()).second)
        found.push_back({buffer.address(), buffer.nbytes(), device, buffer.kind(), link->stream, "",
                         std::numeric_limits<double>::infinity()});
    }
  }
  for (LiveBlock& block : recorded_blocks(device)) {
    const auto [place, is_new] = places.emplace(block.data, found.size());
    if (is_new) found.emplace_back();
    found[place->second] = std::move(block);
  }
  std::ranges::stable_sort(found, std::greater(), &LiveBlock::age);
  return found;
}

}  // namespace gpuarray
