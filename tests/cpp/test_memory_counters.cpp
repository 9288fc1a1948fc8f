// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <barrier>
#include <thread>
#include <vector>

#include "check.hpp"
#include "fake_memory.hpp"

using namespace gpuarray;

namespace {

bool reads(MemoryCounters& counters, int64_t in_use, int64_t peak, int64_t allocations) {
  const MemoryStatistics found = counters.read();
  return found.bytes_in_use == in_use && found.peak_bytes == peak &&
         found.allocations == allocations;
}

void test_the_peak_is_that_of_all_streams() {
  MemoryCounters counters;
  const Stream& first = stream_of(10);
  const Stream& second = stream_of(11);
  CHECK(first.part() != second.part());
  counters.add(100, first);
  CHECK(reads(counters, 100, 100, 1));
  counters.add(50, second);
  counters.subtract(100, first);
  CHECK(reads(counters, 50, 150, 1));
  counters.add(90, second);
  CHECK(reads(counters, 140, 150, 2));
  counters.add(10, first);
  CHECK(reads(counters, 150, 150, 3));
  counters.add(1, first);
  CHECK(reads(counters, 151, 151, 4));
}

void test_blocks_that_another_stream_frees() {
  MemoryCounters counters;
  const Stream& first = stream_of(10);
  for (int64_t i = 0; i < 100; ++i) {
    counters.add(100, first);
    counters.subtract(100, stream_of(20 + static_cast<uintptr_t>(i)));
    CHECK(reads(counters, 0, 100, 0));
  }
  counters.add(101, stream_of(30));
  CHECK(reads(counters, 101, 101, 1));
}

// Tests that threads lose no block, and miss no peak but for some KiB: all have a block at one
// time, and then one after the other has a large one.
void test_threads() {
  constexpr int kThreads = 4;
  constexpr int64_t kBlock = 64, kLarge = 1 << 20;
  MemoryCounters counters;
  std::barrier all(kThreads);
  const auto work = [&](int number) {
    const Stream& own = stream_of(10 + static_cast<uintptr_t>(number));
    for (int i = 0; i < 20000; ++i) {
      counters.add(kBlock, own);
      if (i == 1000) all.arrive_and_wait();
      counters.subtract(kBlock, own);
    }
    for (int turn = 0; turn < kThreads; ++turn) {
      all.arrive_and_wait();
      if (turn != number) continue;
      counters.add(kLarge, own);
      counters.subtract(kLarge, own);
    }
  };
  std::vector<std::thread> threads;
  for (int number = 0; number < kThreads; ++number) threads.emplace_back(work, number);
  for (std::thread& thread : threads) thread.join();
  CHECK(reads(counters, 0, kLarge, 0));
}

}  // namespace

int main() {
  test_the_peak_is_that_of_all_streams();
  test_blocks_that_another_stream_frees();
  test_threads();
  return check_report();
}
