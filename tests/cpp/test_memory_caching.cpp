// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <vector>

#include "check.hpp"
#include "fake_memory.hpp"

using namespace gpuarray;

namespace {

struct Pool {
  std::shared_ptr<Recorder> upstream = std::make_shared<Recorder>();
  CachingResource cache{upstream, std::make_shared<RecordedOrder>()};
};

void test_reuse_in_stream_order() {
  Pool pool;
  const Stream& first = stream(0);
  const Stream& second = stream(0);
  void* data = pool.cache.allocate(1000, first);
  pool.cache.deallocate(data, 1000, first);
  CHECK(pool.cache.cached_bytes() == 1024);
  CHECK(pool.cache.allocate(600, second) != data);
  CHECK(pool.cache.allocate(600, first) == data);
  CHECK(pool.cache.cached_bytes() == 0);
}

// Tests that every block is as large as its size class, whichever stream it was allocated on.
void test_a_block_of_a_borrowed_stream_is_whole() {
  Pool pool;
  const Stream& own = stream(0);
  for (int64_t nbytes : {int64_t{1}, int64_t{700}, int64_t{5000}, int64_t{1} << 20}) {
    void* data = pool.cache.allocate(nbytes, stream(0, false));
    pool.cache.deallocate(data, nbytes, own);
    CHECK(pool.cache.cached_bytes() == pool.upstream->blocks[data]);
    pool.cache.release_cached();
  }
  CHECK(pool.upstream->blocks.empty() && pool.upstream->wrong_sizes == 0);
}

void test_a_stream_of_another_device_keeps_nothing() {
  Pool pool;
  void* data = pool.cache.allocate(100, stream(0));
  pool.cache.deallocate(data, 100, stream(1));
  CHECK(pool.cache.cached_bytes() == 0 && pool.upstream->blocks.empty());
  CHECK(pool.upstream->wrong_sizes == 0);
}

void test_what_is_cached_makes_room() {
  Pool pool;
  const Stream& one = stream(0);
  pool.upstream->limit = 4096;
  for (int64_t nbytes : {512, 100'000}) {
    pool.cache.deallocate(pool.cache.allocate(4096, one), 4096, one);
    CHECK(pool.cache.cached_bytes() == 4096);
    if (nbytes > 4096)
      CHECK(throws<OutOfMemory>([&] { pool.cache.allocate(nbytes, one); }));
    else
      pool.cache.deallocate(pool.cache.allocate(nbytes, one), nbytes, one);
    pool.cache.release_cached();
  }
  CHECK(pool.upstream->blocks.empty());
}

void test_a_stream_that_ends_leaves_nothing() {
  Pool pool;
  const Stream& one = stream(0);
  pool.cache.deallocate(pool.cache.allocate(100, one), 100, one);
  pool.cache.forget(one);
  CHECK(pool.cache.cached_bytes() == 0 && pool.upstream->blocks.empty());
}

// Tests that the streams of all parts keep so much together, and make room for others when they
// end.
void test_the_bound_is_that_of_all_streams() {
  constexpr int64_t kBlock = int64_t{1} << 20;
  Pool pool;
  const auto keep = [&](const Stream& stream, int count) {
    std::vector<void*> blocks;
    for (int i = 0; i < count; ++i) blocks.push_back(pool.cache.allocate(kBlock, stream));
    for (void* data : blocks) pool.cache.deallocate(data, kBlock, stream);
  };
  const Stream& first = stream_of(10);
  const Stream& second = stream_of(11);
  keep(first, 40);
  keep(second, 40);
  CHECK(pool.cache.cached_bytes() == 64 * kBlock && pool.upstream->bytes() == 64 * kBlock);
  CHECK(pool.cache.usage().free_blocks == 64);
  pool.cache.forget(first);
  CHECK(pool.cache.cached_bytes() == 24 * kBlock);
  keep(second, 80);
  CHECK(pool.cache.cached_bytes() == 64 * kBlock);
  pool.cache.release_cached();
  CHECK(pool.cache.cached_bytes() == 0 && pool.upstream->blocks.empty());
  for (uintptr_t handle = 100; handle < 200; ++handle) keep(stream_of(handle), 1);
  CHECK(pool.cache.cached_bytes() == 64 * kBlock);
  pool.cache.release_cached();
  // Streams that take again what they kept leave room for another one.
  for (uintptr_t handle = 100; handle < 200; ++handle) {
    const Stream& own = stream_of(handle);
    keep(own, 2);
    for (int i = 0; i < 2; ++i) pool.cache.allocate(kBlock, own);
  }
  const int64_t before = pool.cache.cached_bytes();
  keep(stream_of(10), 1);
  CHECK(pool.cache.cached_bytes() == before + kBlock);
}

}  // namespace

int main() {
  test_reuse_in_stream_order();
  test_a_block_of_a_borrowed_stream_is_whole();
  test_a_stream_of_another_device_keeps_nothing();
  test_what_is_cached_makes_room();
  test_a_stream_that_ends_leaves_nothing();
  test_the_bound_is_that_of_all_streams();
  return check_report();
}
