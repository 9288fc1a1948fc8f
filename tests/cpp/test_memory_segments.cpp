// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <array>
#include <cmath>
#include <cstdlib>
#include <new>
#include <random>
#include <thread>

#include "check.hpp"
#include "fake_memory.hpp"

using namespace gpuarray;

namespace {
thread_local bool host_memory_is_full = false;
}

void* operator new(size_t nbytes) {
  void* data = host_memory_is_full ? nullptr : std::malloc(nbytes);
  if (data == nullptr) throw std::bad_alloc();
  return data;
}
void operator delete(void* data) noexcept { std::free(data); }
void operator delete(void* data, size_t) noexcept { std::free(data); }

namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

struct Pool {
  std::shared_ptr<Recorder> upstream = std::make_shared<Recorder>();
  std::shared_ptr<RecordedOrder> order = std::make_shared<RecordedOrder>();
  SegmentResource segments{upstream, order};
};

char* at(void* data) { return static_cast<char*>(data); }

void test_blocks_are_split_and_merged() {
  Pool pool;
  const Stream& one = stream(0);
  void* a = pool.segments.allocate(4 * kMiB, one);
  void* b = pool.segments.allocate(5 * kMiB, one);
  void* c = pool.segments.allocate(6 * kMiB, one);
  CHECK(pool.upstream->blocks.size() == 1 && pool.upstream->bytes() == 20 * kMiB);
  CHECK(at(b) == at(a) + 4 * kMiB && at(c) == at(b) + 5 * kMiB);
  pool.segments.deallocate(b, 5 * kMiB, one);
  CHECK(pool.segments.usage().free_blocks == 2);
  CHECK(pool.segments.usage().largest_free_block == 5 * kMiB);
  CHECK(pool.segments.allocate(2 * kMiB, one) == b);  // the smallest block that fits
  pool.segments.deallocate(b, 2 * kMiB, one);
  pool.segments.deallocate(a, 4 * kMiB, one);
  CHECK(pool.segments.usage().largest_free_block == 9 * kMiB);
  pool.segments.deallocate(c, 6 * kMiB, one);
  MemoryUsage usage = pool.segments.usage();
  CHECK(usage.free_blocks == 1 && usage.largest_free_block == 20 * kMiB);
  CHECK(usage.used == 0 && usage.cached == 20 * kMiB);
  pool.segments.release_cached();
  CHECK(pool.upstream->blocks.empty() && pool.segments.usage().cached == 0);
}

void test_small_blocks_share_a_segment() {
  Pool pool;
  const Stream& one = stream(0);
  for (int i = 0; i < 100; ++i) pool.segments.allocate(1000, one);
  CHECK(pool.upstream->bytes() == 2 * kMiB);
  CHECK(pool.segments.usage().used == 100 * 1024);
}

void test_a_large_block_is_kept_for_its_like() {
  Pool pool;
  const Stream& one = stream(0);
  std::vector<std::pair<void*, int64_t>> blocks;
  for (int64_t size : {400, 120, 300, 140})
    blocks.push_back({pool.segments.allocate(size * kMiB, one), size * kMiB});
  for (auto [data, nbytes] : blocks) pool.segments.deallocate(data, nbytes, one);
  CHECK(pool.segments.allocate(135 * kMiB, one) == blocks[3].first);
  CHECK(pool.segments.allocate(120 * kMiB, one) == blocks[1].first);
  pool.segments.allocate(50 * kMiB, one);
  CHECK(pool.upstream->allocations == 5);
}

// Tests that a pool that holds enough does not grow: the second stream waits for the first.
void test_a_stream_takes_another_ones_block_after_its_work() {
  Pool pool;
  const Stream& one = stream(0);
  const Stream& two = stream(0);
  void* data = pool.segments.allocate(1000 * kMiB, one);
  pool.segments.deallocate(data, 1000 * kMiB, one);
  CHECK(pool.segments.allocate(100 * kMiB, two) != data);  // a little growth avoids the wait
  CHECK(pool.order->waits == 0);
  CHECK(pool.segments.allocate(960 * kMiB, two) == data);
  CHECK(pool.order->waits == 1);
}

void test_no_memory_upstream_makes_streams_share() {
  Pool pool;
  pool.upstream->limit = 20 * kMiB;
  const Stream& one = stream(0);
  const Stream& two = stream(0);
  void* first = pool.segments.allocate(10 * kMiB, one);
  void* second = pool.segments.allocate(10 * kMiB, one);
  pool.segments.deallocate(first, 10 * kMiB, one);
  CHECK(pool.segments.allocate(6 * kMiB, two) == first);
  CHECK(throws<OutOfMemory>([&] { pool.segments.allocate(6 * kMiB, two); }));
  CHECK(pool.segments.allocate(4 * kMiB, one) == at(first) + 6 * kMiB);
  pool.segments.deallocate(first, 6 * kMiB, two);
  pool.segments.deallocate(at(first) + 6 * kMiB, 4 * kMiB, one);
  pool.segments.deallocate(second, 10 * kMiB, two);
  // The segment that was given back has made room.
  CHECK(pool.segments.allocate(20 * kMiB, one) != nullptr);
}

void test_the_exact_size_is_tried_before_giving_up() {
  Pool pool;
  pool.upstream->limit = 6 * kMiB;
  CHECK(pool.segments.allocate(5 * kMiB, stream(0)) != nullptr);
  CHECK(pool.segments.allocate(100, stream(0)) != nullptr);
  CHECK(pool.upstream->bytes() <= 6 * kMiB);
}

void test_an_impossible_size_leaves_everything() {
  Pool pool;
  const Stream& one = stream(0);
  void* data = pool.segments.allocate(2 * kMiB, one);
  for (int64_t nbytes : {INT64_MAX, INT64_MAX / 2, int64_t{1} << 60})
    CHECK(throws<OutOfMemory>([&] { pool.segments.allocate(nbytes, one); }));
  CHECK(pool.segments.usage().used == 2 * kMiB);
  pool.segments.deallocate(data, 2 * kMiB, one);
  CHECK(pool.segments.usage().used == 0);
}

void test_borrowed_streams_go_upstream() {
  Pool pool;
  const Stream& borrowed = stream(0, false);
  const Stream& own = stream(0);
  void* data = pool.segments.allocate(3 * kMiB, borrowed);
  CHECK(pool.upstream->blocks[data] == 3 * kMiB);
  pool.segments.deallocate(data, 3 * kMiB, own);
  CHECK(pool.upstream->blocks.empty());
  data = pool.segments.allocate(3 * kMiB, own);
  // The block goes to the permanent stream, which waits for the borrowed one.
  pool.segments.deallocate(data, 3 * kMiB, borrowed);
  CHECK(pool.order->waits == 1 && pool.segments.usage().used == 0);
  pool.segments.release_cached();
  CHECK(pool.upstream->blocks.empty() && pool.upstream->wrong_sizes == 0);
}

void test_a_stream_that_ends_leaves_its_blocks_to_the_others() {
  Pool pool;
  const Stream& one = stream(0);
  const Stream& two = stream(0);
  void* kept = pool.segments.allocate(2 * kMiB, one);
  void* data = pool.segments.allocate(2 * kMiB, one);
  pool.segments.deallocate(data, 2 * kMiB, one);
  pool.segments.forget(one);
  pool.upstream->limit = 0;
  CHECK(pool.segments.allocate(2 * kMiB, two) == data);
  pool.segments.deallocate(data, 2 * kMiB, two);
  pool.segments.deallocate(kept, 2 * kMiB, two);
  pool.segments.release_cached();
  CHECK(pool.upstream->blocks.empty());
}

void test_the_pool_gives_all_back_at_its_end() {
  auto upstream = std::make_shared<Recorder>();
  {
    SegmentResource segments{upstream, std::make_shared<RecordedOrder>()};
    const Stream& one = stream(0);
    segments.deallocate(segments.allocate(3 * kMiB, one), 3 * kMiB, one);
    CHECK(!upstream->blocks.empty());
  }
  CHECK(upstream->blocks.empty());
}

// Tests random sizes and lifetimes on several streams: live blocks never overlap, memory goes to
// another stream only after a wait, nothing is lost, and little is wasted.
class Storm {
 public:
  Storm(unsigned seed, int streams, int64_t largest) : random_(seed), largest_(largest) {
    for (int i = 0; i < streams; ++i) streams_.push_back(&stream(0));
  }

  // Returns the most that was held divided by the most that was in use.
  double run(int steps, int64_t most_in_use) {
    for (int step = 0; step < steps; ++step) {
      const int64_t nbytes = random_size();
      while (!live_.empty() && in_use_ + nbytes > most_in_use) free_one();
      allocate(nbytes);
      if (random_() % 3 == 0) free_one();
    }
    const double ratio = static_cast<double>(pool_.upstream->most) / static_cast<double>(most_);
    while (!live_.empty()) free_one();
    CHECK(top_.usage().used == 0);
    top_.release_cached();
    CHECK(pool_.upstream->blocks.empty() && pool_.upstream->wrong_sizes == 0);
    CHECK(overlaps_ == 0 && early_ == 0);
    return ratio;
  }
  int waits() const { return pool_.order->waits; }

 private:
  struct Live {
    void* data;
    int64_t nbytes;
    const Stream* stream;
  };
  struct Freed {
    char* end;
    const Stream* stream;
    int64_t time;
  };

  // Returns a size whose logarithm is uniformly distributed.
  int64_t random_size() {
    std::uniform_real_distribution<double> exponent(0, std::log2(static_cast<double>(largest_)));
    return std::max<int64_t>(1, static_cast<int64_t>(std::exp2(exponent(random_))));
  }
  const Stream* random_stream() { return streams_[random_() % streams_.size()]; }

  void allocate(int64_t nbytes) {
    const Stream* on = random_stream();
    char* data = at(top_.allocate(nbytes, *on));
    auto next = addresses_.lower_bound(data);
    overlaps_ += next != addresses_.end() && next->first < data + nbytes;
    overlaps_ += next != addresses_.begin() && std::prev(next)->second > data;
    addresses_[data] = data + nbytes;
    check_freed(data, data + nbytes, on);
    live_.push_back({data, nbytes, on});
    in_use_ += nbytes;
    most_ = std::max(most_, in_use_);
  }

  void check_freed(char* data, char* end, const Stream* on) {
    auto freed = freed_.lower_bound(data);
    if (freed != freed_.begin() && std::prev(freed)->second.end > data) --freed;
    while (freed != freed_.end() && freed->first < end) {
      auto [start, last] = *freed;
      early_ += !pool_.order->is_after(on, last.stream, last.time);
      freed = freed_.erase(freed);
      if (start < data) freed_[start] = {data, last.stream, last.time};
      if (last.end > end) freed_[end] = last;
    }
  }

  void free_one() {
    std::swap(live_[random_() % live_.size()], live_.back());
    Live block = live_.back();
    live_.pop_back();
    if (random_() % 4 == 0) {  // last used on another stream
      const Stream* last = random_stream();
      pool_.order->tick(block.stream);
      pool_.order->wait(*last, *block.stream);
      block.stream = last;
    }
    addresses_.erase(at(block.data));
    freed_[at(block.data)] = {at(block.data) + block.nbytes, block.stream,
                              pool_.order->tick(block.stream)};
    top_.deallocate(block.data, block.nbytes, *block.stream);
    in_use_ -= block.nbytes;
  }

  Pool pool_;
  CachingResource top_{std::shared_ptr<MemoryResource>(&pool_.segments, [](auto*) {}), pool_.order};
  std::mt19937 random_;
  int64_t largest_;
  std::vector<const Stream*> streams_;
  std::vector<Live> live_;
  std::map<char*, char*> addresses_;
  std::map<char*, Freed> freed_;
  int64_t in_use_ = 0;
  int64_t most_ = 0;
  int overlaps_ = 0;
  int early_ = 0;
};

void test_storms() {
  for (unsigned seed = 1; seed <= 6; ++seed)
    for (int streams : {1, 2, 4, 8})
      for (int64_t largest : {kMiB, 64 * kMiB, 4096 * kMiB}) {
        Storm storm(seed, streams, largest);
        const double ratio = storm.run(4000, std::max(4096 * kMiB, 8 * largest));
        if (ratio >= 1.3)
          std::printf("seed %u, %d streams, up to %lld MiB: %.3f, %d waits\n", seed, streams,
                      static_cast<long long>(largest / kMiB), ratio, storm.waits());
        CHECK(ratio < 1.3);
      }
}

// Tests that a stream's own blocks come back to it: a program in its steady state neither waits nor
// grows.
void test_a_steady_state_neither_waits_nor_grows() {
  Pool pool;
  const Stream* both[] = {&stream(0), &stream(0)};
  int waits = 0;
  int allocations = 0;
  for (int round = 0; round < 20; ++round) {
    if (round == 10) waits = pool.order->waits, allocations = pool.upstream->allocations;
    std::vector<std::pair<void*, const Stream*>> blocks;
    for (const Stream* on : both)
      for (int64_t size : {50, 7, 90, 3})
        blocks.push_back({pool.segments.allocate(size * kMiB, *on), on});
    int index = 0;
    for (auto [data, on] : blocks)
      pool.segments.deallocate(data, std::array{50, 7, 90, 3}[index++ % 4] * kMiB, *on);
  }
  CHECK(pool.order->waits == waits && pool.upstream->allocations == allocations);
}

void test_threads() {
  Pool pool;
  std::vector<std::thread> threads;
  for (unsigned id = 0; id < 4; ++id)
    threads.emplace_back([&pool, id] {
      std::mt19937 random(id);
      const Stream& own = stream(0);
      for (int round = 0; round < 2000; ++round) {
        const int64_t nbytes = 1 + random() % (8 * kMiB);
        void* data = pool.segments.allocate(nbytes, own);
        if (round % 100 == 0) pool.segments.release_cached();
        pool.segments.deallocate(data, nbytes, own);
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(pool.segments.usage().used == 0);
  pool.segments.release_cached();
  CHECK(pool.upstream->blocks.empty() && pool.upstream->wrong_sizes == 0);
}

void test_freeing_without_host_memory() {
  Pool pool;
  const Stream &one = stream(0), &two = stream(0), &three = stream(0);
  void* a = pool.segments.allocate(kMiB, one);
  void* b = pool.segments.allocate(kMiB, one);
  pool.segments.deallocate(b, kMiB, one);
  host_memory_is_full = true;
  pool.segments.deallocate(a, kMiB, two);  // `two` has no pool yet
  pool.segments.forget(one);               // nor has the permanent stream one
  pool.segments.forget(three);
  host_memory_is_full = false;
  CHECK(pool.segments.usage().used == 0);
  CHECK(pool.segments.allocate(kMiB, two) != nullptr);
}

}  // namespace

int main() {
  test_blocks_are_split_and_merged();
  test_small_blocks_share_a_segment();
  test_a_large_block_is_kept_for_its_like();
  test_a_stream_takes_another_ones_block_after_its_work();
  test_no_memory_upstream_makes_streams_share();
  test_the_exact_size_is_tried_before_giving_up();
  test_an_impossible_size_leaves_everything();
  test_borrowed_streams_go_upstream();
  test_a_stream_that_ends_leaves_its_blocks_to_the_others();
  test_the_pool_gives_all_back_at_its_end();
  test_storms();
  test_a_steady_state_neither_waits_nor_grows();
  test_threads();
  test_freeing_without_host_memory();
  return check_report();
}
