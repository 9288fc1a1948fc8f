// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Stands in for libcuda.so.1 (GPUARRAY_LIBCUDA), see README.md. This file holds the mode `fast`:
// one device, whose memory is the host's; copies and fills are made at once, and kernels are not
// run. In the other modes the functions are those of the model. Every call is counted for
// stub_calls().
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "calls.hpp"
#include "stub_memory.hpp"

namespace {

using Status = int;
using Address = unsigned long long;
using Handle = uintptr_t;  // contexts, streams, events, pools, libraries, kernels: small integers

constexpr Status kInvalidValue = 1, kOutOfMemory = 2, kNotFound = 500, kNotSupported = 801;
constexpr int kVersion = 13000;
constexpr Handle kContext = 1, kPool = 2, kLibrary = 3, kKernel = 4;

struct IpcHandle {
  uint64_t words[8];
};

thread_local Handle current_context = 0;
std::atomic<Handle> next_handle = 100;

void* pointer(Address address) { return reinterpret_cast<void*>(address); }

Status copy(void* target, const void* source, size_t nbytes) {
  std::memmove(target, source, nbytes);
  return 0;
}

template <class Element>
Status fill(Address target, Element value, size_t count) {
  std::fill_n(static_cast<Element*>(pointer(target)), count, value);
  return 0;
}

Status create(Handle* handle) {
  *handle = next_handle.fetch_add(1);
  return 0;
}

Status allocate(Address* address, size_t nbytes) {
  void* data = stub::allocate(nbytes);
  *address = reinterpret_cast<Address>(data);
  return data == nullptr ? kOutOfMemory : 0;
}

Status deallocate(Address address) {
  return stub::deallocate(pointer(address)) ? 0 : kInvalidValue;
}

// Every kernel has four parameters of 8 bytes.
Status parameter_info(size_t index, size_t* offset, size_t* nbytes) {
  *offset = 8 * index;
  *nbytes = 8;
  return index < 4 ? 0 : kInvalidValue;
}

Status function_attribute(int* value, int name) {
  *value = name == 0   ? 1024
           : name == 8 ? 48 << 10
                       : 0;  // threads of a block; bytes of dynamic shared memory
  return 0;
}

Status text(const char** target, const char* value) {
  *target = value;
  return 0;
}

Status device_attribute(int* value, int name) {
  switch (name) {
    case 75:  // compute capability, major
      *value = 9;
      return 0;
    case 76:  // minor
      *value = 0;
      return 0;
    case 16:  // multiprocessors
      *value = 132;
      return 0;
    case 1:  // threads of a block
    case 2:  // threads of a block along x
    case 3:  // along y
    case 4:  // along z
      *value = name == 4 ? 64 : 1024;
      return 0;
    case 5:  // blocks along x
    case 6:  // along y
    case 7:  // along z
      *value = name == 5 ? 0x7fffffff : 0xffff;
      return 0;
    case 115:  // memory pools
      *value = 1;
      return 0;
    case 81:  // shared memory per multiprocessor
    case 97:  // shared memory per block, opt-in
      *value = 227 << 10;
      return 0;
    case 38:  // bytes of L2
      *value = 50 << 20;
      return 0;
    case 39:  // threads per multiprocessor
      *value = 2048;
      return 0;
    default:
      *value = 0;
      return 0;
  }
}

Status pool_attribute(int name, uint64_t* value) {
  *value = name >= 5 ? static_cast<uint64_t>(stub::bytes_in_use()) : 0;
  return 0;
}

Status pointer_attribute(void* value, int name, Address address) {
  bool known = stub::contains(pointer(address));
  switch (name) {
    case 2:  // memory type: device
      *static_cast<unsigned int*>(value) = known ? 2 : 0;
      break;
    case 8:  // managed
      *static_cast<unsigned int*>(value) = 0;
      break;
    case 9:  // ordinal
      *static_cast<int*>(value) = known ? 0 : -2;
      break;
    case 10:  // whether other processes can open it, as if no memory were from a pool
      *static_cast<bool*>(value) = known;
      break;
    case 1:  // context
    case 3:  // device pointer
      *static_cast<uintptr_t*>(value) = !known ? 0 : name == 1 ? kContext : address;
      break;
    default:
      return kNotSupported;
  }
  return known ? 0 : kInvalidValue;
}

// Answers several questions at once, for which an unknown address is no error.
Status pointer_attributes(unsigned int count, const int* names, void** values, Address address) {
  for (unsigned int i = 0; i < count; ++i)
    if (pointer_attribute(values[i], names[i], address) == kNotSupported) return kNotSupported;
  return 0;
}

// The call to fail, set by stub_fail.
struct Failure {
  std::string name;    // of the function, "" for any
  uint64_t after = 0;  // the call from now that fails, 1 for the next; 0: none
  Status status = 0;
  std::string failed;  // the name of the function that failed
};
std::mutex failure_mutex;
Failure failure;
std::atomic<bool> will_fail = false;

Status planned_failure(std::string_view name) {
  std::lock_guard lock(failure_mutex);
  const bool meant = failure.name.empty() ? !name.starts_with("cuGetError") : failure.name == name;
  if (!will_fail || !meant || failure.after-- > 1) return 0;
  will_fail = false;
  failure.failed = name;
  return failure.status;
}

// A number that threads count up in parts of their own, so that they do not wait for each other's
// cache lines, as they would not in a driver.
class Count {
 public:
  void add() { parts_[part].number.fetch_add(1, std::memory_order_relaxed); }
  uint64_t read() const {
    uint64_t sum = 0;
    for (const Part& each : parts_) sum += each.number.load();
    return sum;
  }

 private:
  static constexpr int kParts = 16;
  static inline std::atomic<int> threads = 0;
  static inline thread_local const int part = threads++ % kParts;
  struct alignas(64) Part {
    std::atomic<uint64_t> number = 0;
  };
  Part parts_[kParts];
};

struct Function {
  std::string_view name;
  void* address;
  Count calls = {};
};

// Calls a host function: at once, or on a thread of its own after the milliseconds that
// GPUARRAY_TEST_DRIVER_HOST_DELAY gives.
Status call_host_function(void (*function)(void*), void* argument) {
  const char* delay = std::getenv("GPUARRAY_TEST_DRIVER_HOST_DELAY");
  if (delay == nullptr) {
    function(argument);
    return 0;
  }
  std::thread([=, time = std::chrono::milliseconds(std::atoi(delay))] {
    std::this_thread::sleep_for(time);
    function(argument);
  }).detach();
  return 0;
}

// Defines a function of the driver, which counts its call and then does `...`. The parameters have
// the widths of those in cuda.h.
#define DEFINE(name, parameters, ...)                            \
  extern Function counted_##name;                                \
  Status name parameters {                                       \
    counted_##name.calls.add();                                  \
    if (will_fail.load(std::memory_order_relaxed)) [[unlikely]]  \
      if (Status status = planned_failure(#name)) return status; \
    __VA_ARGS__;                                                 \
  }                                                              \
  Function counted_##name{#name, reinterpret_cast<void*>(&name)};
#include "stub_functions.inc"
#undef DEFINE

Function unknown{"unknown", nullptr};

Status not_supported() {
  unknown.calls.add();
  return kNotSupported;
}

Function* const functions[] = {
#define DEFINE(name, ...) &counted_##name,
#include "stub_functions.inc"
#undef DEFINE
    &unknown,
};

void* find_fast(const char* name) {
  for (const Function* function : functions)
    if (function->name == name) return function->address;
  return nullptr;
}

void* find_model(const char* name) {
  const model::Function* function = model::find_function(name);
  return function == nullptr ? nullptr : function->address;
}

// Returns whether the driver lacks a function, as an older one does. GPUARRAY_TEST_DRIVER_LACKS
// lists such functions, with a comma after each.
bool is_lacking(const char* name) {
  const char* all = std::getenv("GPUARRAY_TEST_DRIVER_LACKS");
  return all != nullptr && std::strstr(all, (std::string(name) + ",").c_str()) != nullptr;
}

}  // namespace

Status model::fast_failure(const char* name) { return will_fail ? planned_failure(name) : 0; }

extern "C" {

// A negative GPUARRAY_TEST_DRIVER_VERSION is a status that the call fails with.
int cuDriverGetVersion(int* version) {
  const char* other = std::getenv("GPUARRAY_TEST_DRIVER_VERSION");
  *version = other == nullptr ? kVersion : std::atoi(other);
  return std::max(-*version, 0);
}

int cuGetProcAddress_v2(const char* name, void** address, int, uint64_t, int* found) {
  *address = nullptr;
  if (is_lacking(name)) return kNotFound;
  *address = model::mode() == model::Mode::fast ? find_fast(name) : find_model(name);
  if (*address == nullptr) *address = reinterpret_cast<void*>(&not_supported);
  if (found != nullptr) *found = 0;
  return 0;
}

// Returns the number of calls of the driver function `name` so far; "unknown" stands for those that
// this driver lacks, "" for all.
uint64_t stub_calls(const char* name) {
  uint64_t calls = model::calls_of(name);
  for (const Function* function : functions)
    if (*name == 0 || function->name == name) calls += function->calls.read();
  return calls;
}

// Makes the nth call from now (1: the next) of the driver function `name`, or of any for "", do
// nothing but return `status`. Only one call can be set to fail at a time; nth = 0 calls it off.
void stub_fail(const char* name, uint64_t nth, int status) {
  std::lock_guard lock(failure_mutex);
  failure = {name, nth, status, ""};
  will_fail = nth > 0;
}

// Returns the function that stub_fail made fail, "" while there is none.
const char* stub_failed() {
  std::lock_guard lock(failure_mutex);
  return failure.failed.c_str();
}

int64_t stub_bytes_in_use() { return stub::bytes_in_use(); }
// Makes the nth call of `name` from now return `status` and do nothing, once; n = 0 calls it off.
// Returns 1 for a function that the model lacks. It has no effect in the mode `fast`.
int test_driver_fail(const char* name, int64_t n, int status) {
  return model::fail(name, n, status) ? 0 : 1;
}

// Returns how many calls are still to come until `name` fails; 0 if it has failed or will not.
int64_t test_driver_fails_in(const char* name) {
  const model::Function* function = model::find_function(name);
  return function == nullptr ? 0 : std::max<int64_t>(function->fails_in, 0);
}

// Writes the names of the model's functions, one a line, to `text` of `size` bytes. Returns the
// bytes that all names take.
uint64_t test_driver_functions(char* text, uint64_t size) { return model::list(text, size); }
}
