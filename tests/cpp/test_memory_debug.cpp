// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <string>
#include <vector>

#include "check.hpp"
#include "fake_memory.hpp"
#include "runtime/driver/call_site.hpp"
#include "runtime/memory/debug.hpp"

using namespace gpuarray;

namespace {

std::vector<std::string> reports;

struct Debugged {
  std::shared_ptr<StatisticsResource> upstream =
      std::make_shared<StatisticsResource>(std::make_shared<HostResource>());
  DebugResource debug{upstream};
  const Stream& stream = *current_stream(Device::cpu());

  Debugged() { reports.clear(); }
  char* allocate(int64_t nbytes) { return static_cast<char*>(debug.allocate(nbytes, stream)); }
  void deallocate(void* data, int64_t nbytes) { debug.deallocate(data, nbytes, stream); }
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

void test_correct_use_is_not_reported() {
  Debugged it;
  for (int64_t nbytes : {1, 63, 64, 255, 256, 257, 100'000}) {
    char* data = it.allocate(nbytes);
    std::fill_n(data, nbytes, 'x');
    it.deallocate(data, nbytes);
  }
  it.debug.release_cached();
  CHECK(reports.empty() && it.upstream->statistics().allocations == 0);
}

void test_writes_outside_are_found() {
  for (int64_t offset : {-256, -1, 100, 103, 511}) {
    Debugged it;
    char* data = it.allocate(100);
    data[offset] = 'x';
    it.deallocate(data, 100);
    CHECK(reports.size() == 1);
    CHECK(contains(reports[0], offset < 0 ? "before a block of 100" : "after a block of 100"));
    CHECK(contains(reports[0], "offset " + std::to_string(offset)));
    CHECK(contains(reports[0], "test.py:7"));
  }
}

void test_what_is_freed_is_overwritten() {
  auto memory = std::make_shared<StatisticsResource>(std::make_shared<HostResource>());
  auto order = std::make_shared<RecordedOrder>();
  auto pool = std::make_shared<SegmentResource>(memory, order);  // keeps memory that is freed
  DebugResource debug{pool};
  const Stream& stream = *current_stream(Device::cpu());
  char* data = static_cast<char*>(debug.allocate(100, stream));
  std::fill_n(data, 100, 'x');
  debug.deallocate(data, 100, stream);
  CHECK(std::count(data, data + 100, static_cast<char>(0xCB)) == 100);
}

void test_what_is_freed_is_kept_for_a_while() {
  constexpr int64_t kBlock = (int64_t{1} << 20) - 512;  // 1 MiB with its guards
  Debugged it;
  std::vector<char*> blocks;
  for (int i = 0; i < 17; ++i) blocks.push_back(it.allocate(kBlock));
  for (int i = 0; i < 16; ++i) it.deallocate(blocks[i], kBlock);
  CHECK(it.upstream->statistics().allocations == 17);
  CHECK(it.debug.usage().used == kBlock + 512 && it.debug.usage().free_blocks == 16);
  blocks[0][5] = 'x';
  CHECK(reports.empty());
  it.deallocate(blocks[16], kBlock);
  CHECK(it.upstream->statistics().allocations == 16);
  CHECK(reports.size() == 1 && contains(reports[0], "1 bytes of a block of 1048064 bytes"));
  CHECK(contains(reports[0], "were written after it was freed at test.py:7"));
  CHECK(contains(reports[0], "offset 5"));
  char* large = it.allocate(17 * kBlock);
  it.deallocate(large, 17 * kBlock);
  CHECK(it.upstream->statistics().allocations == 16);
  it.debug.release_cached();
  CHECK(it.upstream->statistics().allocations == 0 && it.debug.usage().cached == 0);
  CHECK(reports.size() == 1);
}

void test_all_is_given_back_at_the_end() {
  auto upstream = std::make_shared<StatisticsResource>(std::make_shared<HostResource>());
  const Stream& stream = *current_stream(Device::cpu());
  {
    DebugResource debug{upstream};
    debug.deallocate(debug.allocate(100, stream), 100, stream);
    CHECK(upstream->statistics().allocations == 1);
  }
  CHECK(upstream->statistics().allocations == 0);
}

void test_double_frees_go_no_further() {
  Debugged it;
  char* data = it.allocate(100);
  it.deallocate(data, 100);
  it.deallocate(data, 100);
  CHECK(reports.size() == 1 && contains(reports[0], "freed twice: first at test.py:7"));
  it.debug.release_cached();
  CHECK(reports.size() == 1);
  CHECK(it.upstream->statistics().allocations == 0);
}

void test_foreign_pointers_go_no_further() {
  Debugged it;
  char own = 0;
  char* data = it.allocate(100);
  it.deallocate(&own, 1);
  it.deallocate(data + 1, 99);
  CHECK(reports.size() == 2 && contains(reports[0], "not allocated here"));
  CHECK(it.upstream->statistics().allocations == 1);
  it.deallocate(data, 100);
  CHECK(reports.size() == 2);
}

void test_a_wrong_size_is_found() {
  Debugged it;
  it.deallocate(it.allocate(100), 50);
  CHECK(reports.size() == 1 && contains(reports[0], "was freed as one of 50"));
  it.debug.release_cached();
  CHECK(it.upstream->statistics().bytes_in_use == 0);
}

void test_live_blocks() {
  Debugged it;
  char* data = it.allocate(100);
  std::vector<GuardedBlock> blocks = it.debug.live_blocks();
  CHECK(blocks.size() == 1 && blocks[0].data == data && blocks[0].nbytes == 100);
  CHECK(blocks[0].site == "test.py:7");
  it.deallocate(data, 100);
  CHECK(it.debug.live_blocks().empty());
}

}  // namespace

int main() {
  set_memory_error_report([](const char* text) { reports.push_back(text); });
  set_call_site_finder([](CallSite& site) { site = {.line = 7, .file = "test.py"}; });
  test_correct_use_is_not_reported();
  test_writes_outside_are_found();
  test_what_is_freed_is_overwritten();
  test_what_is_freed_is_kept_for_a_while();
  test_all_is_given_back_at_the_end();
  test_double_frees_go_no_further();
  test_foreign_pointers_go_no_further();
  test_a_wrong_size_is_found();
  test_live_blocks();
  return check_report();
}
