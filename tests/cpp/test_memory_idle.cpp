// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <map>

#include "check.hpp"
#include "core/error.hpp"
#include "runtime/memory/idle_blocks.hpp"

using namespace gpuarray;

namespace {

// Counts the bytes handed out, and refuses beyond `limit` bytes.
class Recorder final : public MemoryResource {
 public:
  Device device() const override { return Device::cpu(); }
  void* allocate(int64_t nbytes, const Stream&) override {
    if (bytes() + nbytes > limit) throw OutOfMemory("full");
    void* data = reinterpret_cast<void*>(next_ += 4096);
    blocks[data] = nbytes;
    return data;
  }
  void deallocate(void* data, int64_t nbytes, const Stream&) noexcept override {
    wrong_sizes += blocks[data] != nbytes;
    blocks.erase(data);
  }
  int64_t bytes() const {
    int64_t sum = 0;
    for (auto& [data, nbytes] : blocks) sum += nbytes;
    return sum;
  }

  int64_t limit = int64_t{1} << 50;
  int wrong_sizes = 0;
  std::map<void*, int64_t> blocks;

 private:
  uintptr_t next_ = 0;
};

// The stream of the cpu device, on which nothing is ever pending.
const Stream& stream() { return *current_stream(Device::cpu()); }

struct Pool {
  explicit Pool(int64_t most_kept = int64_t{1} << 40) : idle(upstream, most_kept) {}

  void* allocate(int64_t nbytes) { return idle.allocate(nbytes, stream()); }
  void deallocate(void* data, int64_t nbytes) { idle.deallocate(data, nbytes, stream()); }

  std::shared_ptr<Recorder> upstream = std::make_shared<Recorder>();
  IdleBlocksResource idle;
};

void test_blocks_are_used_again() {
  Pool pool;
  void* first = pool.allocate(1000);
  void* second = pool.allocate(1000);
  pool.deallocate(first, 1000);
  CHECK(pool.idle.cached_bytes() == 1024);
  CHECK(pool.allocate(5000) != first);
  CHECK(pool.allocate(1024) == first);
  CHECK(pool.idle.cached_bytes() == 0);
  CHECK(second != first);
}

// Tests that a block is at most a quarter larger than asked for, and that one size has one class.
void test_sizes() {
  Pool pool;
  for (int64_t nbytes = 1; nbytes < int64_t{1} << 39; nbytes = nbytes * 9 / 8 + 1) {
    void* data = pool.allocate(nbytes);
    const int64_t got = pool.upstream->blocks[data];
    CHECK(got >= nbytes && got % 512 == 0);
    CHECK(got <= nbytes + nbytes / 4 + 512);
    if (nbytes > int64_t{64} << 20) CHECK(got < nbytes + (int64_t{2} << 20));
    pool.deallocate(data, nbytes);
    CHECK(pool.allocate(got) == data);
    pool.deallocate(data, got);
    pool.idle.release_cached();
  }
  CHECK(pool.upstream->blocks.empty() && pool.upstream->wrong_sizes == 0);
}

void test_no_more_than_wanted_is_kept() {
  Pool pool(10 * 1024);
  void* blocks[20];
  for (void*& block : blocks) block = pool.allocate(1024);
  void* large = pool.allocate(9 * 1024);
  for (void* block : blocks) pool.deallocate(block, 1024);
  CHECK(pool.idle.cached_bytes() == 10 * 1024);
  pool.deallocate(large, 9 * 1024);  // the largest block is freed first
  CHECK(pool.upstream->blocks.count(large) == 0);
  CHECK(pool.idle.cached_bytes() == 10 * 1024);
  CHECK(pool.upstream->bytes() == 10 * 1024);
}

void test_what_is_kept_makes_room() {
  Pool pool;
  pool.upstream->limit = 4096;
  pool.deallocate(pool.allocate(4096), 4096);
  void* data = pool.allocate(1024);
  CHECK(pool.idle.cached_bytes() == 0);
  CHECK(throws<OutOfMemory>([&] { pool.allocate(8192); }));
  pool.deallocate(data, 1024);
  CHECK(throws<OutOfMemory>([&] { pool.allocate(8192); }));
  CHECK(pool.upstream->blocks.empty());
}

}  // namespace

int main() {
  test_blocks_are_used_again();
  test_sizes();
  test_no_more_than_wanted_is_kept();
  test_what_is_kept_makes_room();
  return check_report();
}
