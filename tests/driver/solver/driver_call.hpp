// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// How the stand-ins for libraries call the test driver.
#pragma once

#include <dlfcn.h>
#include <stdint.h>

#include <cstdlib>

using Handle = void*;

inline constexpr int kDriverFailed = 13;

// Calls a function of the test driver, by the name that the package asks for.
template <class... Arguments>
int call(const char* name, Arguments... arguments) {
  static void* const driver = dlopen(std::getenv("GPUARRAY_LIBCUDA"), RTLD_NOW);
  using Find = int (*)(const char*, void**, int, uint64_t, int*);
  const auto find = reinterpret_cast<Find>(dlsym(driver, "cuGetProcAddress_v2"));
  void* address = nullptr;
  int found = 0;
  if (find(name, &address, 12000, 0, &found) != 0 || address == nullptr) return kDriverFailed;
  return reinterpret_cast<int (*)(Arguments...)>(address)(arguments...);
}

// Returns the kernel `name` of the image that was compiled beside the stand-in.
inline Handle load_kernel(const char* image, const char* name) {
  Handle library = nullptr, kernel = nullptr;
  call("cuLibraryLoadData", &library, static_cast<const void*>(image), static_cast<void*>(nullptr),
       static_cast<void**>(nullptr), 0u, static_cast<void*>(nullptr), static_cast<void**>(nullptr),
       0u);
  call("cuLibraryGetKernel", &kernel, library, name);
  return kernel;
}

// Queues `blocks` blocks of a kernel that takes one parameter.
inline int launch_kernel(Handle kernel, int64_t blocks, unsigned threads, Handle stream,
                         void* parameter) {
  void* arguments[] = {parameter};
  return call("cuLaunchKernel", kernel, static_cast<unsigned>(blocks), 1u, 1u, threads, 1u, 1u, 0u,
              stream, static_cast<void**>(arguments), static_cast<void**>(nullptr));
}
