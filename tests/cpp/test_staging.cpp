// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "check.hpp"
#include "core/error.hpp"
#include "core/host_bytes.hpp"
#include "core/layout.hpp"
#include "runtime/transfer/staging.hpp"
#include "runtime/transfer/staging_lane.hpp"
#include "runtime/transfer/worker.hpp"

using namespace gpuarray;

namespace {

// A block of distinct bytes and a layout within it.
struct Sample {
  Shape shape;
  Strides strides;  // bytes
  int itemsize;
  int64_t offset;  // bytes from the block's begin to the first element
};

const Sample kSamples[] = {
    {{}, {}, 4, 3},
    {{0, 3}, {24, 8}, 8, 0},
    {{5}, {0}, 2, 7},
    {{7}, {-16}, 8, 200},
    {{3, 4}, {32, 8}, 8, 0},
    {{3, 4}, {8, 24}, 8, 0},
    {{3, 4}, {-40, 8}, 8, 121},
    {{3, 1, 4}, {64, 999, 16}, 16, 1},
    {{2, 3, 5}, {5, 10, 1}, 1, 0},
    {{4, 3, 2}, {-31, 0, 9}, 4, 100},
    {{2, 2, 2, 2}, {2, 4, 8, 16}, 2, 0},
};

std::vector<char> block() {
  std::vector<char> bytes(256);
  std::iota(bytes.begin(), bytes.end(), static_cast<char>(0));
  return bytes;
}

// Returns the address of each element in C order, one after the other.
std::vector<int64_t> places(const Sample& sample) {
  std::vector<int64_t> found;
  const int64_t size = element_count(sample.shape);
  for (int64_t flat = 0; flat < size; ++flat) {
    int64_t rest = flat;
    int64_t place = sample.offset;
    for (int axis = sample.shape.size() - 1; axis >= 0; --axis) {
      place += rest % sample.shape[axis] * sample.strides[axis];
      rest /= sample.shape[axis];
    }
    found.push_back(place);
  }
  return found;
}

HostBytes view(const Sample& sample, std::vector<char>& memory) {
  return {memory.data() + sample.offset, sample.shape, sample.strides, sample.itemsize};
}

std::vector<char> expected_bytes(const Sample& sample, const std::vector<char>& memory) {
  std::vector<char> packed;
  for (int64_t place : places(sample))
    packed.insert(packed.end(), memory.begin() + place, memory.begin() + place + sample.itemsize);
  return packed;
}

// Tests reading pieces of every size from every start.
void test_read(const Sample& sample) {
  std::vector<char> memory = block();
  const HostBytes bytes = view(sample, memory);
  const std::vector<char> expected = expected_bytes(sample, memory);
  CHECK(bytes.nbytes() == static_cast<int64_t>(expected.size()));
  for (int64_t step = sample.itemsize; step <= bytes.nbytes(); step += sample.itemsize)
    for (int64_t begin = 0; begin + step <= bytes.nbytes(); begin += sample.itemsize) {
      std::vector<char> piece(static_cast<size_t>(step));
      bytes.read(piece.data(), begin, step);
      CHECK(std::memcmp(piece.data(), expected.data() + begin, piece.size()) == 0);
    }
  bytes.read(nullptr, 0, 0);
}

void test_write(const Sample& sample) {
  for (int pieces = 1; pieces <= 3; ++pieces) {
    std::vector<char> memory = block();
    std::vector<char> expected = memory;
    std::vector<char> packed(expected_bytes(sample, memory).size());
    for (size_t i = 0; i < packed.size(); ++i) packed[i] = static_cast<char>(200 - i);
    const auto all = places(sample);
    for (size_t k = 0; k < all.size(); ++k)
      std::memcpy(expected.data() + all[k], packed.data() + k * sample.itemsize, sample.itemsize);
    const HostBytes bytes = view(sample, memory);
    const int64_t elements = static_cast<int64_t>(all.size());
    const int64_t step = std::max<int64_t>((elements + pieces - 1) / pieces, 1) * sample.itemsize;
    for (int64_t begin = 0; begin < bytes.nbytes(); begin += step)
      bytes.write(packed.data() + begin, begin, std::min(step, bytes.nbytes() - begin));
    CHECK(memory == expected);
  }
}

void test_layouts() {
  char memory[64] = {};
  CHECK(HostBytes(memory, 64).contiguous());
  CHECK(HostBytes(memory, 64).data() == memory);
  CHECK(HostBytes(memory, {2, 4}, {32, 8}, 8).contiguous());
  CHECK(HostBytes(memory, {1, 4}, {-7, 8}, 8).contiguous());
  CHECK(HostBytes(memory, {}, {}, 8).contiguous());
  CHECK(!HostBytes(memory, {2, 4}, {8, 16}, 8).contiguous());
  CHECK(!HostBytes(memory, {4}, {0}, 8).contiguous());
}

void test_overlaps() {
  char memory[64] = {};
  const HostBytes backwards(memory + 24, {4}, {-8}, 4);  // bytes 0 to 27 of `memory`
  CHECK(backwards.overlaps(memory, 1));
  CHECK(backwards.overlaps(memory + 27, 5));
  CHECK(!backwards.overlaps(memory + 28, 5));
  CHECK(!HostBytes(memory + 8, {4}, {8}, 4).overlaps(memory, 8));
}

// Tests that lanes that share a copy take every byte once.
void test_chunks() {
  std::vector<char> memory(1000);
  const HostBytes host(memory.data(), 1000);
  StagedCopy copy(nullptr, host, 64);
  std::atomic<int64_t> taken = 0;
  std::atomic<int> misplaced = 0;
  Worker workers[3];
  auto work = [&] {
    for (auto chunk = copy.take(); chunk.nbytes > 0; chunk = copy.take()) {
      if (chunk.begin % 64 != 0) ++misplaced;
      for (int64_t i = 0; i < chunk.nbytes; ++i) ++memory[chunk.begin + i];
      taken += chunk.nbytes;
    }
  };
  for (Worker& worker : workers) worker.start(work);
  for (Worker& worker : workers) worker.wait();
  CHECK(taken == 1000);
  CHECK(misplaced == 0);
  CHECK(memory == std::vector<char>(1000, 1));
  StagedCopy stopped(nullptr, host, 64);
  stopped.stop();
  CHECK(stopped.take().nbytes == 0);
}

void test_worker() {
  int runs = 0;
  Worker worker;
  for (int round = 0; round < 100; ++round) {
    worker.start([&] { ++runs; });
    worker.wait();
  }
  worker.wait();
  CHECK(runs == 100);
  bool blocked = false;
  worker.start([&] {
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    blocked = sigismember(&mask, SIGINT) == 1;
  });
  worker.wait();
  CHECK(blocked);
  CHECK(usable_processors() >= 1);
}

void test_settings() {
  const StagingSettings before = staging_settings();
  CHECK(before.threads >= 1 && before.threads <= 8);
  set_staging_settings({3, 65});
  CHECK(staging_settings().threads == 3);
  CHECK(staging_settings().chunk_bytes == 128);
  for (StagingSettings wrong : {StagingSettings{0, 64}, {257, 64}, {1, 0}, {1, int64_t{2} << 30}})
    CHECK(throws<ValueError>([&] { set_staging_settings(wrong); }));
  CHECK(staging_settings().threads == 3);
  CHECK(worth_staging(129));
  CHECK(!worth_staging(128));
  set_staging_settings(before);
}

}  // namespace

int main() {
  for (const Sample& sample : kSamples) {
    test_read(sample);
    test_write(sample);
  }
  test_layouts();
  test_overlaps();
  test_chunks();
  test_worker();
  test_settings();
  return check_report();
}
