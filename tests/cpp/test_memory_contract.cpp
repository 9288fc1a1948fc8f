// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
// Tests what every memory resource promises, alone and composed.
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"
#include "fake_memory.hpp"
#include "runtime/memory/debug.hpp"
#include "runtime/memory/host_pool.hpp"

using namespace gpuarray;

namespace {

constexpr int64_t kMiB = int64_t{1} << 20;
constexpr int64_t kLimit = 256 * kMiB;

// A resource over a counted source of kLimit bytes: of fake addresses, or of the host's memory.
struct Stack {
  std::shared_ptr<LimitResource> source;
  MemoryResourcePtr resource;
  const Stream* stream;
  int64_t alignment;
  bool is_memory;

  int64_t held() const { return source->usage().used; }
  void end() {
    resource->release_cached();
    resource.reset();
    CHECK(held() == 0);
  }
};

using Wrap = std::function<MemoryResourcePtr(MemoryResourcePtr)>;

struct Case {
  std::string name;
  Wrap wrap;
  bool on_host;

  Stack make() const {
    MemoryResourcePtr base = std::make_shared<Recorder>();
    if (on_host) base = std::make_shared<HostResource>();
    auto source = std::make_shared<LimitResource>(base, kLimit);
    const Stream* queue = on_host ? current_stream(Device::cpu()).get() : &stream(0);
    return {source, wrap(source), queue, on_host ? 64 : 256, on_host};
  }
};

MemoryResourcePtr pool(MemoryResourcePtr upstream) {
  auto order = std::make_shared<RecordedOrder>();
  auto segments = std::make_shared<SegmentResource>(std::move(upstream), order);
  return std::make_shared<CachingResource>(std::move(segments), order);
}
MemoryResourcePtr host_pool(MemoryResourcePtr upstream) {
  return std::make_shared<HostPoolResource>(std::move(upstream), kLimit);
}
MemoryResourcePtr limit(MemoryResourcePtr upstream) {
  return std::make_shared<LimitResource>(std::move(upstream), kLimit);
}
MemoryResourcePtr statistics(MemoryResourcePtr upstream) {
  return std::make_shared<StatisticsResource>(std::move(upstream));
}
MemoryResourcePtr debug(MemoryResourcePtr upstream) {
  return std::make_shared<DebugResource>(std::move(upstream));
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (bool on_host : {false, true}) {
    all.push_back({"statistics", statistics, on_host});
    all.push_back({"limit", limit, on_host});
    all.push_back({"caching",
                   [](auto upstream) {
                     return std::make_shared<CachingResource>(upstream,
                                                              std::make_shared<RecordedOrder>());
                   },
                   on_host});
    all.push_back({"segments",
                   [](auto upstream) {
                     return std::make_shared<SegmentResource>(upstream,
                                                              std::make_shared<RecordedOrder>());
                   },
                   on_host});
    all.push_back({"pool", pool, on_host});
    all.push_back({"statistics of a limited pool",
                   [](auto upstream) { return statistics(limit(pool(upstream))); }, on_host});
    all.push_back({"pool of a pool", [](auto upstream) { return pool(pool(upstream)); }, on_host});
  }
  all.push_back({"host's pool", make_pool, true});
  all.push_back({"cpu's own pool", host_pool, true});
  all.push_back(
      {"debug of cpu's own pool", [](auto upstream) { return debug(host_pool(upstream)); }, true});
  all.push_back({"debug", debug, true});
  all.push_back({"debug of a pool", [](auto upstream) { return debug(pool(upstream)); }, true});
  all.push_back({"pool of debug", [](auto upstream) { return pool(debug(upstream)); }, true});
  return all;
}

struct Given {
  char* data;
  int64_t nbytes;
};

// Tests that blocks of any size are aligned, do not overlap, and keep their content.
void test_blocks(Stack stack) {
  std::mt19937 random(1);
  std::vector<Given> blocks;
  std::map<char*, int64_t> live;
  for (int i = 0; i < 200; ++i) {
    const int64_t nbytes = i < 64 ? i + 1 : 1 + static_cast<int64_t>(random() % (kMiB / 2));
    char* data = static_cast<char*>(stack.resource->allocate(nbytes, *stack.stream));
    CHECK(reinterpret_cast<uintptr_t>(data) % static_cast<uintptr_t>(stack.alignment) == 0);
    auto next = live.lower_bound(data);
    CHECK(next == live.end() || data + nbytes <= next->first);
    CHECK(next == live.begin() || std::prev(next)->first + std::prev(next)->second <= data);
    live[data] = nbytes;
    if (stack.is_memory) std::fill_n(data, nbytes, static_cast<char>(i));
    blocks.push_back({data, nbytes});
    if (i % 3 != 0) continue;
    std::swap(blocks[random() % blocks.size()], blocks.back());
    stack.resource->deallocate(blocks.back().data, blocks.back().nbytes, *stack.stream);
    live.erase(blocks.back().data);
    blocks.pop_back();
  }
  for (const Given& block : blocks)
    stack.resource->deallocate(block.data, block.nbytes, *stack.stream);
  stack.end();
}

// Tests that an allocation that fails changes nothing, and that what fits still fits afterwards.
void test_out_of_memory(Stack stack) {
  MemoryResource& resource = *stack.resource;
  void* kept = resource.allocate(1000, *stack.stream);
  for (int64_t nbytes : {kLimit + 1, int64_t{1} << 50, INT64_MAX - 1000, INT64_MAX})
    CHECK(throws<OutOfMemory>([&] { resource.allocate(nbytes, *stack.stream); }));
  std::vector<void*> all;
  CHECK(throws<OutOfMemory>([&] {
    while (true) all.push_back(resource.allocate(8 * kMiB, *stack.stream));
  }));
  CHECK(all.size() >= 24);  // 32 would fit without any waste
  for (void* data : all) resource.deallocate(data, 8 * kMiB, *stack.stream);
  void* large = resource.allocate(200 * kMiB, *stack.stream);
  resource.deallocate(large, 200 * kMiB, *stack.stream);
  resource.deallocate(kept, 1000, *stack.stream);
  stack.end();
}

void test_release(Stack stack) {
  MemoryResource& resource = *stack.resource;
  for (int64_t nbytes : {int64_t{100}, 5 * kMiB, 50 * kMiB})
    resource.deallocate(resource.allocate(nbytes, *stack.stream), nbytes, *stack.stream);
  resource.release_cached();
  CHECK(stack.held() == 0);
  CHECK(resource.usage().cached == 0 && resource.usage().largest_free_block == 0);
  void* data = resource.allocate(100, *stack.stream);
  resource.release_cached();
  if (stack.is_memory) std::fill_n(static_cast<char*>(data), 100, 'x');
  resource.deallocate(data, 100, *stack.stream);
  stack.end();
}

void test_a_stream_that_ends(Stack stack) {
  if (stack.stream->device().is_cpu()) return;  // the stream of the cpu never ends
  MemoryResource& resource = *stack.resource;
  const Stream& ending = stream(0);
  void* kept = resource.allocate(100, ending);
  for (int64_t nbytes : {int64_t{100}, 5 * kMiB, 50 * kMiB})
    resource.deallocate(resource.allocate(nbytes, ending), nbytes, ending);
  resource.forget(ending);
  resource.deallocate(kept, 100, *stack.stream);
  stack.end();
}

void test_threads(Stack stack) {
  std::vector<std::thread> threads;
  for (unsigned id = 0; id < 4; ++id)
    threads.emplace_back([&stack, id] {
      std::mt19937 random(id);
      for (int round = 0; round < 300; ++round) {
        const int64_t nbytes = 1 + static_cast<int64_t>(random() % (2 * kMiB));
        void* data = stack.resource->allocate(nbytes, *stack.stream);
        if (stack.is_memory) *static_cast<char*>(data) = 'x';
        if (round % 50 == 0) stack.resource->release_cached();
        stack.resource->deallocate(data, nbytes, *stack.stream);
      }
    });
  for (std::thread& thread : threads) thread.join();
  stack.end();
}

void test_usage(Stack stack) {
  const MemoryUsage before = stack.resource->usage();
  CHECK(before.limit == kLimit);
  void* data = stack.resource->allocate(5000, *stack.stream);
  CHECK(stack.resource->usage().used >= before.used + 5000);
  stack.resource->deallocate(data, 5000, *stack.stream);
  CHECK(stack.resource->usage().used <= before.used + stack.held());
  CHECK(stack.resource->device() == stack.stream->device());
  CHECK(!stack.resource->describe().empty());
  stack.end();
}

}  // namespace

int main() {
  set_memory_error_report([](const char* text) {
    std::fprintf(stderr, "%s\n", text);
    CHECK(!"an error in a free");
  });
  for (const Case& one : cases()) {
    const int failed = checks_failed;
    test_blocks(one.make());
    test_out_of_memory(one.make());
    test_release(one.make());
    test_a_stream_that_ends(one.make());
    test_threads(one.make());
    test_usage(one.make());
    if (checks_failed != failed)
      std::fprintf(stderr, "in %s %s\n", one.name.c_str(), one.on_host ? "on the host" : "");
  }
  return check_report();
}
