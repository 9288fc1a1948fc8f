// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gpuarray {

// A library of the CUDA toolkit that is loaded at first use.
struct CudaLibrary {
  const char* title;         // "NVRTC"
  const char* stem;          // "libnvrtc": the files are libnvrtc.so.13 and libnvrtc.so.12
  const char* variable;      // the environment variable that names the file, before all others
  const char* folder_of_12;  // of CUDA 12's wheel: nvidia/<folder>/lib
  const char* wheel;         // what to install
};

// Loads the first of these that there is and `fill` takes, and never unloads it: the file that the
// environment names, or else NVIDIA's wheels, the folders of CUDA_HOME and CUDA_PATH, the loader's,
// and /usr/local/cuda. `fill` looks up its functions and says why it cannot use the library, "" if
// it can. Returns why there is none, "" if there is one.
std::string load_cuda_library(const CudaLibrary& wanted,
                              const std::function<std::string(void* library)>& fill);

// The file that the function at `address` comes from, "" where it is not known.
std::string library_file(const void* address);

// A file's size, 0 where there is none.
int64_t file_bytes(const std::string& file);

// A folder that wheels are installed in; to be called before all others.
void add_wheel_folder(std::string folder);
std::vector<std::string> wheel_folders();

// The value of an environment variable, "" without one.
std::string setting(const char* name);

// The function `name` of a library, null without one.
void* library_symbol(void* library, const char* name);
template <class Function>
void find_function(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(library_symbol(library, name));
}

}  // namespace gpuarray
