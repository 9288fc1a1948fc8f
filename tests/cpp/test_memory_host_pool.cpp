// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
// Tests the pool of the cpu device, and the source of memory below it.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"
#include "core/error.hpp"
#include "runtime/device/host_info.hpp"
#include "runtime/memory/host_pool.hpp"

using namespace gpuarray;

namespace {

constexpr int64_t kKiB = 1024;
constexpr int64_t kMiB = int64_t{1} << 20;
// False under AddressSanitizer, whose own heap may be locked in a child of fork besides.
constexpr bool kKeepsBlocks = HostResource::kLeastMapped < kMiB;

const Stream& stream() { return *current_stream(Device::cpu()); }

struct Pool {
  explicit Pool(int64_t most_kept, int64_t limit = MemoryUsage::kNoLimit)
      : source(std::make_shared<LimitResource>(std::make_shared<HostResource>(), limit)),
        pool(source, most_kept) {}

  void* allocate(int64_t nbytes) { return pool.allocate(nbytes, stream()); }
  void deallocate(void* data, int64_t nbytes) { pool.deallocate(data, nbytes, stream()); }
  std::vector<void*> allocate(int64_t nbytes, size_t count) {
    std::vector<void*> blocks;
    while (blocks.size() < count) blocks.push_back(allocate(nbytes));
    return blocks;
  }
  void deallocate(const std::vector<void*>& blocks, int64_t nbytes) {
    for (void* data : blocks) deallocate(data, nbytes);
  }
  int64_t held() const { return source->usage().used; }

  std::shared_ptr<LimitResource> source;
  HostPoolResource pool;
};

bool is_aligned(const void* data, uintptr_t alignment) {
  return reinterpret_cast<uintptr_t>(data) % alignment == 0;
}

void test_the_newest_block_is_used_again() {
  Pool pool(64 * kMiB);
  for (int64_t nbytes : {HostResource::kLeastMapped, kMiB - 1, 5 * kMiB + 1}) {
    const std::vector<void*> blocks = pool.allocate(nbytes, 3);
    pool.deallocate(blocks, nbytes);
    CHECK(pool.allocate(nbytes, 3) == std::vector<void*>(blocks.rbegin(), blocks.rend()));
    pool.deallocate(blocks, nbytes);
  }
}

void test_small_blocks_go_upstream() {
  Pool pool(64 * kMiB);
  pool.deallocate(pool.allocate(HostResource::kLeastMapped - 1), HostResource::kLeastMapped - 1);
  CHECK(pool.pool.cached_bytes() == 0 && pool.held() == 0);
}

void test_the_oldest_go_beyond_the_most_bytes() {
  Pool pool(4 * kMiB);
  const std::vector<void*> blocks = pool.allocate(kMiB, 6);
  void* large = pool.allocate(2 * kMiB);
  pool.deallocate(blocks, kMiB);
  CHECK(pool.pool.cached_bytes() == 4 * kMiB);
  pool.deallocate(large, 2 * kMiB);
  CHECK(pool.pool.cached_bytes() == 4 * kMiB && pool.held() == 4 * kMiB);
  CHECK(pool.allocate(2 * kMiB) == large);
  CHECK(pool.allocate(kMiB) == blocks[5] && pool.allocate(kMiB) == blocks[4]);
  CHECK(pool.pool.cached_bytes() == 0);
  pool.deallocate({blocks[4], blocks[5]}, kMiB);
  pool.deallocate(large, 2 * kMiB);
}

void test_blocks_beyond_the_most_bytes_are_not_kept() {
  Pool pool(4 * kMiB);
  pool.deallocate(pool.allocate(kMiB), kMiB);
  pool.deallocate(pool.allocate(5 * kMiB), 5 * kMiB);
  CHECK(pool.pool.cached_bytes() == kMiB);
}

void test_no_more_blocks_than_the_most_are_kept() {
  Pool pool(int64_t{1} << 40);
  pool.deallocate(pool.allocate(64 * kKiB, HostPoolResource::kMostBlocks + 10), 64 * kKiB);
  CHECK(pool.pool.usage().free_blocks == int64_t{HostPoolResource::kMostBlocks});
}

void test_what_is_kept_makes_room() {
  Pool pool(64 * kMiB, 8 * kMiB);
  for (int64_t nbytes : {100 * kKiB, 1 * kKiB}) {
    const int64_t full = 8 * kMiB - pool.held();
    pool.deallocate(pool.allocate(full), full);
    CHECK(pool.pool.cached_bytes() == full);
    void* data = pool.allocate(nbytes);
    CHECK(pool.pool.cached_bytes() == 0);
    pool.deallocate(data, nbytes);
    pool.pool.release_cached();
  }
  CHECK(throws<OutOfMemory>([&] { pool.allocate(9 * kMiB); }));
  CHECK(pool.held() == 0);
}

void test_usage() {
  Pool pool(64 * kMiB);
  void* used = pool.allocate(100 * kKiB);
  pool.deallocate(pool.allocate(3 * kMiB), 3 * kMiB);
  const MemoryUsage usage = pool.pool.usage();
  CHECK(usage.used >= 100 * kKiB && usage.used <= 128 * kKiB);
  CHECK(usage.cached == 3 * kMiB && usage.free_blocks == 1);
  CHECK(usage.largest_free_block == 3 * kMiB);
  pool.pool.release_cached();
  CHECK(pool.held() == usage.used && pool.pool.cached_bytes() == 0);
  pool.deallocate(used, 100 * kKiB);
}

void test_alignment() {
  HostResource host;
  for (int64_t nbytes = 1; nbytes < 20 * kMiB; nbytes += 1 + nbytes / 3) {
    char* data = static_cast<char*>(host.allocate(nbytes, stream()));
    CHECK(is_aligned(data, 64));
    if (kKeepsBlocks && nbytes >= 4 * kMiB) CHECK(is_aligned(data, 2 * kMiB));
    data[0] = data[nbytes - 1] = 'x';
    CHECK(host.usage().used == nbytes);
    host.deallocate(data, nbytes, stream());
  }
}

void test_the_limit_of_the_process() {
  const int64_t limit = process_memory_limit();
  CHECK(limit > 0 && limit <= host_properties().total_memory);
}

// Tests that a child of fork can use the pool that other threads were using.
void test_a_child_of_fork() {
  Pool pool(16 * kMiB);
  std::atomic<bool> ended = false;
  auto work = [&] {
    while (!ended)
      for (int64_t nbytes : {100 * kKiB, 200 * kKiB})
        pool.deallocate(pool.allocate(nbytes, 4), nbytes);
  };
  std::thread threads[] = {std::thread(work), std::thread(work)};
  for (int i = 0; i < 50; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);  // ends a child that waits for ever
      pool.deallocate(pool.allocate(100 * kKiB, 8), 100 * kKiB);
      pool.pool.release_cached();
      _exit(pool.pool.cached_bytes() == 0 ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
  }
  ended = true;
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

int main() {
  if (kKeepsBlocks) {
    test_the_newest_block_is_used_again();
    test_small_blocks_go_upstream();
    test_the_oldest_go_beyond_the_most_bytes();
    test_blocks_beyond_the_most_bytes_are_not_kept();
    test_no_more_blocks_than_the_most_are_kept();
    test_what_is_kept_makes_room();
    test_usage();
    test_a_child_of_fork();
  }
  test_alignment();
  test_the_limit_of_the_process();
  return check_report();
}
