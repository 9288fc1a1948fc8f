// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What the driver itself costs on this machine, as JSON: host time of its calls in microseconds,
// and bandwidths of copies in bytes per second. Needs no CUDA header: c++ -std=c++20 -O2 floor.cpp
// -ldl
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using Handle = void*;  // context, stream, event, pool, module, function, graph
using Address = unsigned long long;
using Clock = std::chrono::steady_clock;

struct LaunchAttribute {
  int id;
  char padding[4];
  union {
    char bytes[64];
    int programmatic;
  } value;
};

struct LaunchConfig {
  unsigned int grid[3], block[3], shared_bytes;
  Handle stream;
  LaunchAttribute* attributes;
  unsigned int count;
};

constexpr int kProgrammaticSerialization = 6;
constexpr size_t kAllocation = 64;

// One empty kernel, and one that ends as a programmatic launch must.
constexpr const char* kKernels = R"(
.version 7.8
.target sm_75
.address_size 64
.visible .entry empty(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 n) { ret; }
)";
constexpr const char* kDependentKernel = R"(
.version 7.8
.target sm_90
.address_size 64
.visible .entry dependent(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 n)
{ griddepcontrol.wait; ret; }
)";

[[noreturn]] void fail(const std::string& text) {
  std::fprintf(stderr, "%s\n", text.c_str());
  std::exit(1);
}

void* library() {
  const char* named = std::getenv("GPUARRAY_LIBCUDA");
  const char* file = named != nullptr && *named != 0 ? named : "libcuda.so.1";
  static void* opened = dlopen(file, RTLD_NOW);
  if (opened == nullptr) fail(std::string("no driver: ") + dlerror());
  return opened;
}

// A function of the driver, as of CUDA 12.0.
template <class... Parameters>
class Function {
 public:
  explicit Function(const char* name) : name_(name) {
    using GetAddress = int (*)(const char*, void**, int, uint64_t, int*);
    static auto get = reinterpret_cast<GetAddress>(dlsym(library(), "cuGetProcAddress_v2"));
    void* address = nullptr;
    if (get == nullptr || get(name, &address, 12000, 0, nullptr) != 0 || address == nullptr)
      fail(std::string("the driver has no ") + name);
    call_ = reinterpret_cast<int (*)(Parameters...)>(address);
  }

  void operator()(Parameters... arguments) const {
    int status = call_(arguments...);
    if (status != 0) fail(std::string(name_) + ": error " + std::to_string(status));
  }

 private:
  const char* name_;
  int (*call_)(Parameters...);
};

using U = unsigned int;
const Function<U> init("cuInit");
const Function<int*, int> get_device("cuDeviceGet");
const Function<int*, int, int> device_attribute("cuDeviceGetAttribute");
const Function<Handle*, int> default_pool("cuDeviceGetDefaultMemPool");
const Function<Handle, int, void*> set_pool_attribute("cuMemPoolSetAttribute");
const Function<Handle*, int> retain_context("cuDevicePrimaryCtxRetain");
const Function<Handle> set_context("cuCtxSetCurrent");
const Function<Handle*, const void*> load_module("cuModuleLoadData");
const Function<Handle*, Handle, const char*> get_function("cuModuleGetFunction");
const Function<Handle*, U> create_stream("cuStreamCreate");
const Function<Handle> synchronize("cuStreamSynchronize");
const Function<Handle, U, U, U, U, U, U, U, Handle, void**, void**> launch_kernel("cuLaunchKernel");
const Function<const LaunchConfig*, Handle, void**, void**> launch_kernel_ex("cuLaunchKernelEx");
const Function<Address*, size_t, Handle, Handle> allocate_async("cuMemAllocFromPoolAsync");
const Function<Address, Handle> free_async("cuMemFreeAsync");
const Function<Address*, size_t> allocate("cuMemAlloc");
const Function<Address> deallocate("cuMemFree");
const Function<void**, size_t, U> allocate_pinned("cuMemHostAlloc");
const Function<Handle*, U> create_event("cuEventCreate");
const Function<Handle, Handle> record_event("cuEventRecord");
const Function<Handle, int> begin_capture("cuStreamBeginCapture");
const Function<Handle, Handle*> end_capture("cuStreamEndCapture");
const Function<Handle*, Handle, unsigned long long> instantiate("cuGraphInstantiateWithFlags");
const Function<Handle, Handle> launch_graph("cuGraphLaunch");
const Function<Address, Address, size_t, Handle> copy_on_device("cuMemcpyDtoDAsync");
const Function<Address, const void*, size_t, Handle> copy_in("cuMemcpyHtoDAsync");
const Function<void*, Address, size_t, Handle> copy_out("cuMemcpyDtoHAsync");

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Median host time of a call in microseconds; the stream is emptied between batches, untimed.
template <class Call>
double host_time(Handle stream, Call&& call, int calls = 50, int batches = 400) {
  std::vector<double> times;
  for (int batch = -10; batch < batches; ++batch) {
    synchronize(stream);
    auto start = Clock::now();
    for (int i = 0; i < calls; ++i) call();
    if (batch >= 0) times.push_back(1e6 * seconds_since(start) / calls);
  }
  synchronize(stream);
  return median(times);
}

// Median bytes per second of `repeats` copies of `nbytes`, with the wait for them.
template <class Copy>
double bandwidth(Handle stream, size_t nbytes, int repeats, Copy&& copy) {
  std::vector<double> rates;
  for (int batch = -1; batch < 5; ++batch) {
    synchronize(stream);
    auto start = Clock::now();
    for (int i = 0; i < repeats; ++i) copy();
    synchronize(stream);
    if (batch >= 0) rates.push_back(static_cast<double>(nbytes) * repeats / seconds_since(start));
  }
  return median(rates);
}

void print(const char* name, double value, const char* end = ",\n") {
  std::printf("  \"%s\": %.6g%s", name, value, end);
}

Handle function_of(const char* ptx, const char* name) {
  Handle module = nullptr, function = nullptr;
  load_module(&module, ptx);
  get_function(&function, module, name);
  return function;
}

struct Machine {
  int device = 0, major = 0;
  Handle context = nullptr, stream = nullptr, pool = nullptr;

  Machine() {
    init(0);
    get_device(&device, 0);
    device_attribute(&major, 75, device);
    retain_context(&context, device);
    set_context(context);
    create_stream(&stream, 1);
    default_pool(&pool, device);
    uint64_t threshold = UINT64_MAX;
    set_pool_attribute(pool, 4, &threshold);
  }
};

void measure_launches(const Machine& machine) {
  Handle stream = machine.stream;
  Handle empty = function_of(kKernels, "empty");
  Address values[4] = {};
  void* arguments[4] = {&values[0], &values[1], &values[2], &values[3]};
  auto launch = [&] { launch_kernel(empty, 1, 1, 1, 32, 1, 1, 0, stream, arguments, nullptr); };
  print("launch", host_time(stream, launch));
  print("launch and synchronise", host_time(stream, [&] { launch(), synchronize(stream); }));

  LaunchConfig config{{1, 1, 1}, {32, 1, 1}, 0, stream, nullptr, 0};
  auto launch_ex = [&](Handle kernel) { launch_kernel_ex(&config, kernel, arguments, nullptr); };
  print("launch ex", host_time(stream, [&] { launch_ex(empty); }));
  if (machine.major >= 9) {
    Handle dependent = function_of(kDependentKernel, "dependent");
    LaunchAttribute attribute{kProgrammaticSerialization, {}, {}};
    attribute.value.programmatic = 1;
    config.attributes = &attribute;
    config.count = 1;
    print("programmatic launch", host_time(stream, [&] { launch_ex(dependent); }));
  }

  Handle graph = nullptr, replay = nullptr;
  begin_capture(stream, 2);
  for (int i = 0; i < 20; ++i) launch();
  end_capture(stream, &graph);
  instantiate(&replay, graph, 0);
  print("replay of a graph of 20", host_time(stream, [&] { launch_graph(replay, stream); }, 20));
}

void measure_calls(const Machine& machine) {
  print("allocate and free", host_time(machine.stream, [&] {
          Address data = 0;
          allocate_async(&data, kAllocation, machine.pool, machine.stream);
          free_async(data, machine.stream);
        }));
  Handle event = nullptr;
  create_event(&event, 2);
  print("record an event", host_time(machine.stream, [&] { record_event(event, machine.stream); }));
}

void measure_copies(const Machine& machine, size_t nbytes) {
  Handle stream = machine.stream;
  Address from = 0, to = 0;
  void* pinned = nullptr;
  allocate(&from, nbytes);
  allocate(&to, nbytes);
  allocate_pinned(&pinned, nbytes, 0);
  auto* words = static_cast<uint32_t*>(pinned);
  for (size_t i = 0; i < nbytes / 4; ++i) words[i] = static_cast<uint32_t>(i * 2654435761u);
  auto in = [&] { copy_in(from, pinned, nbytes, stream); };
  auto copy = [&] { copy_on_device(to, from, nbytes, stream); };
  auto out = [&] { copy_out(pinned, to, nbytes, stream); };
  print("pinned to device", bandwidth(stream, nbytes, 1, in));
  print("on device, read and written", 2 * bandwidth(stream, nbytes, 40, copy));
  print("device to pinned", bandwidth(stream, nbytes, 1, out), "\n");
  deallocate(from);
  deallocate(to);
}

}  // namespace

// The argument: bytes of a copy.
int main(int count, char** arguments) {
  size_t nbytes = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : size_t{1} << 30;
  Machine machine;
  std::printf("{\n");
  measure_launches(machine);
  measure_calls(machine);
  measure_copies(machine, nbytes);
  std::printf("}\n");
}
