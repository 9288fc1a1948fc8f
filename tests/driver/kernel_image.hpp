// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The interface between the test driver and a kernel image, which is a shared library made by the
// host compiler.
#pragma once

#include <stddef.h>

namespace test_driver {

struct Index3 {
  unsigned int x, y, z;
};

// The state of the fiber that runs.
struct ThreadState {
  Index3 thread, block, block_size, grid_size;
  unsigned int lane;
  unsigned char* shared;  // the block's dynamic shared memory
  // Waits for the block's threads.
  void (*barrier)();
  // Waits for the lanes of the warp, each of which gives at most 8 bytes. Returns those of lane
  // `source`.
  const unsigned char* (*exchange)(const unsigned char* bytes, size_t count, unsigned int source);
};

// Describes a kernel of an image, which exports it as the data symbol <kernel>__host.
struct HostKernel {
  int parameters;                 // number of parameters
  const size_t* sizes;            // bytes of each parameter
  const size_t* offsets;          // bytes, as in a GPU's parameter memory
  void (*run)(void** arguments);  // runs one thread, with the arguments of cuLaunchKernel
};

// Calls `kernel` with the arguments that the pointers in `left` point to.
template <auto kernel, class... Parameters>
struct Call {
  template <class... Taken>
  static void run(void**, Taken&... taken) {
    kernel(taken...);
  }
};
template <auto kernel, class First, class... Rest>
struct Call<kernel, First, Rest...> {
  template <class... Taken>
  static void run(void** left, Taken&... taken) {
    Call<kernel, Rest...>::run(left + 1, taken..., *static_cast<First*>(*left));
  }
};

template <auto kernel, class... Parameters>
struct Described {
  static constexpr size_t sizes[sizeof...(Parameters) + 1] = {sizeof(Parameters)...};
  static constexpr size_t alignments[sizeof...(Parameters) + 1] = {alignof(Parameters)...};
  struct Offsets {
    size_t values[sizeof...(Parameters) + 1] = {};
    constexpr Offsets() {
      size_t end = 0;
      for (size_t i = 0; i < sizeof...(Parameters); ++i) {
        values[i] = (end + alignments[i] - 1) / alignments[i] * alignments[i];
        end = values[i] + sizes[i];
      }
    }
  };
  static constexpr Offsets offsets = {};
  static void run(void** arguments) { Call<kernel, Parameters...>::run(arguments); }
  static constexpr HostKernel value = {sizeof...(Parameters), sizes, offsets.values, run};
};

template <auto kernel, class... Parameters>
constexpr HostKernel describe(void (*)(Parameters...)) {
  return Described<kernel, Parameters...>::value;
}

}  // namespace test_driver

// Exports the description of a kernel; it stands after each kernel's text.
#define GPUARRAY_HOST_KERNEL(name)                                                              \
  extern "C" __attribute__((visibility("default"))) const test_driver::HostKernel name##__host; \
  const test_driver::HostKernel name##__host = test_driver::describe<&name>(&name);
