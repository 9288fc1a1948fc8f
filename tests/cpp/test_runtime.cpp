// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"
#include "core/device_name.hpp"
#include "core/error.hpp"
#include "runtime/buffer/access.hpp"
#include "runtime/buffer/buffer.hpp"
#include "runtime/device/device.hpp"
#include "runtime/launch/kernel.hpp"
#include "runtime/memory/resources.hpp"
#include "runtime/stream/device_memory.hpp"
#include "runtime/stream/synchronize.hpp"
#include "runtime/transfer/transfer.hpp"

using namespace gpuarray;

namespace {

// Returns the text of the Exception that `function` throws, or "" if it throws none.
template <class Exception, class Function>
std::string message(Function&& function) {
  try {
    function();
  } catch (const Exception& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

// Returns whether all checks pass in a process of its own, which has neither read the environment
// nor loaded the driver.
template <class Function>
bool in_child(Function&& function) {
  std::fflush(nullptr);
  pid_t child = fork();
  if (child == 0) {
    checks_failed = 0;
    function();
    std::fflush(nullptr);
    _exit(checks_failed == 0 ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  return status == 0;
}

void without_driver() { setenv("GPUARRAY_LIBCUDA", "/nowhere/libcuda.so.1", 1); }

void test_names() {
  CHECK(parse_device("cpu") == Device::cpu());
  CHECK(parse_device("cuda") == Device::cuda(0));
  CHECK(parse_device("cuda:12") == Device::cuda(12));
  CHECK(to_string(Device::cpu()) == "cpu");
  CHECK(to_string(Device::cuda(3)) == "cuda:3");
  for (const char* text : {"", "gpu", "CPU", "cpu:0", "cuda:", "cuda:-1", "cuda:1x", "cuda:x",
                           "cuda0", "cuda:99999999999", "cuda: 1"})
    CHECK(contains(message<DeviceError>([&] { parse_device(text); }), "expected \"cpu\""));
}

void test_fallback() {
  without_driver();
  unsetenv("GPUARRAY_DEVICE");
  bool fell_back = false;
  CHECK(default_device(&fell_back) == Device::cpu());
  CHECK(fell_back);
  CHECK(cuda_device_count() == 0);
  CHECK(cuda_absent_reason() == "/nowhere/libcuda.so.1 was not found");
  std::string text = message<DeviceError>([] { require_device(Device::cuda(0)); });
  CHECK(text ==
        "cuda:0 is not available (/nowhere/libcuda.so.1 was not found); the only device is cpu");
  CHECK(throws<DeviceError>([] { current_stream(Device::cuda(0)); }));
  CHECK(throws<DeviceError>([] { set_default_device(Device::cuda(0)); }));
  CHECK(throws<DeviceError>([] { set_thread_device({true, Device::cuda(0)}); }));
}

void test_variable() {
  without_driver();
  setenv("GPUARRAY_DEVICE", "cpu", 1);
  bool fell_back = true;
  CHECK(default_device(&fell_back) == Device::cpu());
  CHECK(!fell_back);
}

void test_bad_variable(const char* value) {
  without_driver();
  setenv("GPUARRAY_DEVICE", value, 1);
  std::string expected = std::string("GPUARRAY_DEVICE=") + value + ": ";
  for (int use = 0; use < 2; ++use)
    CHECK(message<DeviceError>([] { default_device(); }).starts_with(expected));
  set_default_device(Device::cpu());
  CHECK(default_device() == Device::cpu());
}

void test_thread_device(Device device) {
  set_default_device(Device::cpu());
  ThreadDevice before = set_thread_device({true, device});
  CHECK(!before.set);
  CHECK(default_device() == device);
  std::thread([] { CHECK(default_device() == Device::cpu()); }).join();
  CHECK(set_thread_device(before).device == device);
  CHECK(default_device() == Device::cpu());
}

void test_device(Device device) {
  require_device(device);
  const DeviceProperties& found = properties(device);
  CHECK(!found.name.empty());
  CHECK(found.multiprocessors > 0);
  MemoryInfo memory = memory_info(device);
  CHECK(0 < memory.free && memory.free <= memory.total);
  synchronize(device);
  DeviceGuard on(device);
  CHECK(contains(message<DeviceError>([] { require_device(Device::cuda(1000)); }), "cuda:1000"));
}

void test_memory(Device device) {
  MemoryResource& resource = *current_resource(device);
  const Stream& stream = *current_stream(device);
  MemoryStatistics before = memory_statistics(device);
  std::vector<void*> blocks;
  for (int64_t nbytes = 1; nbytes <= 100'000; nbytes *= 10) {
    blocks.push_back(resource.allocate(nbytes, stream));
    CHECK(reinterpret_cast<uintptr_t>(blocks.back()) % (device.is_cpu() ? 64 : 256) == 0);
  }
  MemoryStatistics during = memory_statistics(device);
  CHECK(during.allocations == before.allocations + 6);
  CHECK(during.bytes_in_use == before.bytes_in_use + 111'111);
  CHECK(during.peak_bytes >= during.bytes_in_use);
  int64_t nbytes = 1;
  for (void* block : blocks) {
    resource.deallocate(block, nbytes, stream);
    nbytes *= 10;
  }
  MemoryStatistics after = memory_statistics(device);
  CHECK(after.allocations == before.allocations);
  CHECK(after.bytes_in_use == before.bytes_in_use);
  CHECK(after.peak_bytes == during.peak_bytes);
}

void test_out_of_memory(Device device) {
  MemoryStatistics before = memory_statistics(device);
  int64_t total = memory_info(device).total;
  for (int64_t nbytes : {INT64_MAX, total + (int64_t{1} << 40)}) {
    std::string text =
        message<OutOfMemory>([&] { Buffer::allocate(nbytes, current_stream(device)); });
    CHECK(text.starts_with(to_string(device) + ": out of memory: asked for " +
                           std::to_string(nbytes) + " bytes ("));
    CHECK(contains(text, " in use by arrays, "));
    CHECK(contains(text, " free of "));
  }
  CHECK(memory_statistics(device).bytes_in_use == before.bytes_in_use);
  CHECK(memory_info(device).free > 0);
  CHECK(Buffer::allocate(16, current_stream(device))->data() != nullptr);
}

void test_bytes_text() {
  CHECK(bytes_text(0) == "0 bytes");
  CHECK(bytes_text(1023) == "1023 bytes");
  CHECK(bytes_text(1536) == "1.5 KiB");
  CHECK(bytes_text(int64_t{1} << 30) == "1.0 GiB");
  CHECK(bytes_text(INT64_MAX) == "8.0 EiB");
}

void test_parse_bytes() {
  CHECK(parse_bytes("1048576", 0, "limit") == 1048576);
  CHECK(parse_bytes("4GiB", 0, "limit") == int64_t{4} << 30);
  CHECK(parse_bytes("1.5 KiB", 0, "limit") == 1536);
  CHECK(parse_bytes("512MB", 0, "limit") == 512'000'000);
  CHECK(parse_bytes("80%", 1000, "limit") == 800);
  for (const char* text : {"", "GiB", "-1", "0", "4 gigs", "1e3", "80%%", "nan", "1GiB of it",
                           "9e99", "99999999999999999999", "inf"})
    CHECK(contains(message<ValueError>([&] { parse_bytes(text, 1000, "limit"); }), "limit: "));
}

void test_streams(Device device) {
  StreamPtr main = current_stream(device);
  CHECK(main->device() == device);
  CHECK(current_stream(device) == main);
  StreamPtr other = create_stream(device);
  CHECK((other == main) == device.is_cpu());
  CHECK(set_current_stream(other, device) == main);
  CHECK(current_stream(device) == other);
  std::thread([&] { CHECK(current_stream(device) == main); }).join();
  CHECK(set_current_stream(nullptr, device) == other);
  CHECK(current_stream(device) == main);
  other->wait_for(*main);
  main->wait_for(*other);
  other->synchronize();
  CHECK(other->done());
  StreamPtr legacy = external_stream(device, 1);
  legacy->wait_for(*other);
  legacy->synchronize();
}

void test_owned_buffer(Device device) {
  MemoryStatistics before = memory_statistics(device);
  StreamPtr stream = current_stream(device);
  {
    BufferPtr empty = Buffer::allocate(0, stream);
    CHECK(empty->owned() && empty->nbytes() == 0);
    BufferPtr buffer = Buffer::allocate(100, stream);
    CHECK(buffer->owned() && !buffer->readonly() && buffer->device() == device);
    CHECK(buffer->writer() == stream && pending_stream(*buffer) == stream);
    StreamPtr other = create_stream(device);
    BufferAccess(other).read(*buffer);
    CHECK(buffer->writer() == stream && pending_stream(*buffer) == stream);
    BufferAccess(other).write(*buffer);
    CHECK(device.is_cpu() || pending_stream(*buffer) == other);
    BufferPtr view = buffer;
    buffer.reset();
    CHECK(memory_statistics(device).allocations == before.allocations + 1);
  }
  CHECK(memory_statistics(device).allocations == before.allocations);
  CHECK(memory_statistics(device).bytes_in_use == before.bytes_in_use);
}

void test_borrowed_buffer(Device device) {
  StreamPtr stream = current_stream(device);
  BufferPtr memory = Buffer::allocate(64, stream);
  int released = 0;
  {
    BufferPtr buffer =
        Buffer::borrow(memory->data(), 64, device, true, stream, [&released] { ++released; });
    CHECK(!buffer->owned() && buffer->readonly() && buffer->data() == memory->data());
    BufferPtr view = buffer;
    BufferAccess(create_stream(device)).read(*view);
    buffer.reset();
    CHECK(released == 0);
  }
  CHECK(released == 1);
  Buffer::borrow(memory->data(), 64, device, false, stream, nullptr);
  Buffer::borrow(memory->data(), 64, device, false, stream, [] { throw ValueError("ignored"); });
}

void test_transfer(Device device) {
  StreamPtr stream = create_stream(device);
  std::vector<unsigned char> source(1 << 20);
  for (size_t i = 0; i < source.size(); ++i)
    source[i] = static_cast<unsigned char>(i * 7 + i / 256);
  std::vector<unsigned char> expected = source;
  std::vector<unsigned char> target(source.size());
  int64_t nbytes = static_cast<int64_t>(source.size());
  BufferPtr first = Buffer::allocate(nbytes, stream);
  BufferPtr second = Buffer::allocate(nbytes, stream);
  copy_host_to_device(first->data(), {source.data(), nbytes}, *stream);
  std::memset(source.data(), 0, source.size());
  copy_device_to_device(second->data(), first->data(), nbytes, *stream);
  copy_device_to_host({target.data(), nbytes}, second->data(), *stream);
  stream->synchronize();
  CHECK(target == expected);
  copy_host_to_device(nullptr, {nullptr, 0}, *stream);
  copy_device_to_host({nullptr, 0}, nullptr, *stream);
  copy_device_to_device(nullptr, nullptr, 0, *stream);
}

void test_missing_kernel() {
  CHECK(find_kernel("no_such_family", "gpuarray_add").kernel == nullptr);
  CHECK(throws<DeviceError>(
      [] { launch({}, {}, nullptr, *current_stream(Device::cpu()), {"none", DType::int8, {}}); }));
}

// Tests that blocks and counts come back to where they were when many threads allocate at once.
void test_threads(Device device) {
  MemoryStatistics before = memory_statistics(device);
  std::vector<std::thread> threads;
  for (int id = 0; id < 8; ++id)
    threads.emplace_back([device] {
      StreamPtr stream = create_stream(device);
      for (int round = 0; round < 200; ++round) {
        BufferPtr buffer = Buffer::allocate(1 + round * 10, current_stream(device));
        BufferAccess access(stream);
        access.write(*buffer);
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(memory_statistics(device).bytes_in_use == before.bytes_in_use);
  CHECK(memory_statistics(device).allocations == before.allocations);
}

// Held until static destruction, which comes after the driver's own.
BufferPtr held_at_exit;

void test_on(Device device) {
  test_device(device);
  test_thread_device(device);
  test_memory(device);
  test_out_of_memory(device);
  test_streams(device);
  test_owned_buffer(device);
  test_borrowed_buffer(device);
  test_transfer(device);
  test_threads(device);
  held_at_exit = Buffer::allocate(8, current_stream(device));
}

void test_fork() {
  StreamPtr stream = current_stream(Device::cuda(0));
  BufferPtr inherited = Buffer::allocate(8, stream);
  CHECK(in_child([&] {
    std::string text = message<DeviceError>([&] { Buffer::allocate(8, stream); });
    CHECK(contains(text, "before fork"));
    inherited.reset();
  }));
}

}  // namespace

int main() {
  CHECK(in_child(test_fallback));
  CHECK(in_child(test_variable));
  CHECK(in_child([] { test_bad_variable("gpu"); }));
  CHECK(in_child([] { test_bad_variable("cuda:0"); }));
  test_names();
  test_bytes_text();
  test_parse_bytes();
  test_missing_kernel();
  test_on(Device::cpu());
  if (cuda_device_count() > 0) {
    test_on(Device::cuda(0));
    test_fork();
  }
  return check_report();
}
