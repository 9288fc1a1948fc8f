// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "check.hpp"
#include "core/error.hpp"
#include "runtime/buffer/buffer.hpp"
#include "runtime/code/compile.hpp"
#include "runtime/code/embedded.hpp"
#include "runtime/code/jit.hpp"
#include "runtime/code/standard_headers.hpp"
#include "runtime/device/device.hpp"
#include "runtime/driver/nvrtc.hpp"
#include "runtime/driver/user_warning.hpp"
#include "runtime/launch/kernel.hpp"
#include "runtime/transfer/transfer.hpp"

using namespace gpuarray;

namespace {

void test_headers() {
  bool found = false;
  for (const EmbeddedText& header : embedded_headers()) {
    CHECK(*header.end == 0);
    CHECK(std::strlen(header.begin) == static_cast<size_t>(header.end - header.begin));
    CHECK(std::string_view(header.begin).starts_with("// SPDX-License-Identifier"));
    found = found || std::string_view(header.name) == "kernels/elementwise/flat.cuh";
  }
  CHECK(found);
  for (const EmbeddedText& header : standard_headers())
    CHECK(std::strlen(header.begin) == static_cast<size_t>(header.end - header.begin));
  CHECK(standard_headers_but({"cmath", "no_such"}).size() == standard_headers().size() - 1);
}

std::vector<std::string> notices;

void test_notice(Device device) {
  set_user_warning([](const std::string& text) { notices.push_back(text); });
  warn_compiling(device);
  warn_compiling(device);
  CHECK(notices.size() == 1);
  CHECK(notices[0].starts_with("this build lacks a kernel for " + to_string(device)));
  CHECK(notices[0].find("compiled at first use") != std::string::npos);
}

std::string source_writing(int value) {
  return "extern \"C\" __global__ void write(int* target) { *target = " + std::to_string(value) +
         "; }\n";
}

int written(KernelHandle kernel, Device device) {
  StreamPtr stream = current_stream(device);
  BufferPtr buffer = Buffer::allocate(sizeof(int), stream);
  void* target = buffer->data();
  void* arguments[] = {&target};
  launch(kernel, {}, arguments, *stream, {"test", DType::int32, Shape{1}});
  int value = 0;
  copy_device_to_host({&value, sizeof(value)}, target, *stream);
  stream->synchronize();
  return value;
}

void test_kernels(Device device) {
  KernelHandle three = compile_kernel(device, source_writing(3), "write");
  KernelHandle four = compile_kernel(device, source_writing(4), "write");
  CHECK(compile_kernel(device, source_writing(3), "write").kernel == three.kernel);
  CHECK(written(three, device) == 3);
  CHECK(written(four, device) == 4);
  CHECK(throws<CompileError>([&] { compile_kernel(device, "wrong", "write"); }));
  CHECK(throws<CompileError>([&] { compile_kernel(device, "wrong", "write"); }));
}

void test_threads(Device device) {
  std::vector<KernelHandle> kernels(16);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kernels.size(); ++i)
    threads.emplace_back([&kernels, device, i] {
      kernels[i] = compile_kernel(device, source_writing(100 + static_cast<int>(i % 4)), "write");
    });
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 0; i < kernels.size(); ++i) {
    CHECK(kernels[i].kernel == kernels[i % 4].kernel);
    CHECK(written(kernels[i], device) == 100 + static_cast<int>(i % 4));
  }
}

}  // namespace

int main() {
  test_headers();
  if (cuda_device_count() > 0) {
    test_notice(Device::cuda(0));
    if (nvrtc_library.available()) {
      test_kernels(Device::cuda(0));
      test_threads(Device::cuda(0));
    }
  }
  return check_report();
}
