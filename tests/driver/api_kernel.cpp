// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Images of kernels made by the host compiler, and launches.
#include <dlfcn.h>
#include <elf.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include "call.hpp"
#include "capture.hpp"
#include "fibers.hpp"
#include "memory.hpp"

using namespace model;
using test_driver::HostKernel;

namespace {

constexpr unsigned kFatBinary = 0xba55ed50;
// An image of the stand-in for the run-time compiler that names a kernel built before.
constexpr const char kBuiltBefore[] = "gpuarray test driver: ";

struct Library {
  std::vector<void*> images;
  std::string only;  // the symbol that stands for every name; "" for the name itself
};

std::vector<std::unique_ptr<Library>>& libraries() {
  static auto& all = *new std::vector<std::unique_ptr<Library>>;
  return all;
}

void* open_image(const std::string& file) {
  void* image = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (image == nullptr) return nullptr;
  auto** state = static_cast<test_driver::ThreadState**>(dlsym(image, "gpuarray_test_driver"));
  if (state == nullptr) return nullptr;
  *state = thread_state();
  return image;
}

// kernels/aot compiled for the host, in the folder GPUARRAY_TEST_DRIVER_KERNELS.
const std::vector<void*>& built_before() {
  static const auto& all = *[] {
    auto* images = new std::vector<void*>;
    const char* folder = std::getenv("GPUARRAY_TEST_DRIVER_KERNELS");
    if (folder == nullptr) return images;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.path().extension() == ".so")
        if (void* image = open_image(entry.path())) images->push_back(image);
    return images;
  }();
  return all;
}

size_t elf_bytes(const void* data) {
  const auto* header = static_cast<const Elf64_Ehdr*>(data);
  return header->e_shoff + size_t{header->e_shentsize} * header->e_shnum;
}

// Through a file of its own: the loader takes a name that it knows for what it has loaded.
void* open_bytes(const void* data) {
  std::string name = (std::filesystem::temp_directory_path() / "gpuarray-image-XXXXXX").string();
  const int file = mkstemp(name.data());
  if (file < 0) return nullptr;
  const size_t nbytes = elf_bytes(data);
  const bool written = write(file, data, nbytes) == static_cast<ssize_t>(nbytes);
  void* image = written ? open_image(name) : nullptr;
  close(file);
  unlink(name.c_str());
  return image;
}

Status load(Handle* library, const void* data) {
  auto made = std::make_unique<Library>();
  const auto* text = static_cast<const char*>(data);
  unsigned magic;
  std::memcpy(&magic, data, sizeof magic);
  if (magic == kFatBinary) {
    made->images = built_before();
  } else if (std::strncmp(text, kBuiltBefore, std::strlen(kBuiltBefore)) == 0) {
    made->images = built_before();
    made->only = text + std::strlen(kBuiltBefore);
  } else if (std::memcmp(text, ELFMAG, SELFMAG) == 0) {
    void* image = open_bytes(data);
    if (image == nullptr) return kInvalidImage;
    made->images = {image};
  } else {
    return kInvalidImage;
  }
  *library = reinterpret_cast<Handle>(made.get());
  libraries().push_back(std::move(made));
  return kSuccess;
}

Status find_kernel(Handle* kernel, Handle handle, const char* name) {
  const auto* library = reinterpret_cast<const Library*>(handle);
  const std::string symbol = (library->only.empty() ? name : library->only) + "__host";
  for (void* image : library->images)
    if (void* found = dlsym(image, symbol.c_str())) {
      *kernel = reinterpret_cast<Handle>(found);
      return kSuccess;
    }
  return kNotFound;
}

// A launch's own copy of its arguments.
struct Arguments {
  std::vector<std::unique_ptr<std::max_align_t[]>> values;
  std::vector<void*> pointers;

  Arguments(const HostKernel& kernel, void** given) {
    for (int i = 0; i < kernel.parameters; ++i) {
      const size_t units = kernel.sizes[i] / sizeof(std::max_align_t) + 1;
      values.push_back(std::make_unique<std::max_align_t[]>(units));
      std::memcpy(values.back().get(), given[i], kernel.sizes[i]);
      pointers.push_back(values.back().get());
    }
  }
};

struct LaunchConfig {
  test_driver::Index3 grid, block;
  unsigned shared_bytes;
  Handle stream;
  void* attributes;
  unsigned attribute_count;
};

Status launch(Call& call, const LaunchConfig& config, Handle function, void** given) {
  const StreamPtr stream = find_stream(config.stream);
  if (function == 0 || stream == nullptr || stream->device != call.device) return kInvalidHandle;
  const auto& [grid, block] = std::pair(config.grid, config.block);
  const uint64_t threads = uint64_t{block.x} * block.y * block.z;
  if (threads == 0 || threads > 1024 || block.z > 64) return kInvalidValue;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) return kInvalidValue;
  if (grid.x > 0x7fffffff || grid.y > 0xffff || grid.z > 0xffff) return kInvalidValue;
  if (config.shared_bytes != 0) return kNotSupported;
  if (stream->legacy)
    if (Status status = forbidden_on(*stream)) return status;
  const auto& kernel = *reinterpret_cast<const HostKernel*>(function);
  auto arguments = std::make_shared<Arguments>(kernel, given);
  enqueue(call.held, stream, Kind::kernel, [&kernel, arguments, grid, block] {
    Window open;
    return run_grid(kernel, arguments->pointers.data(), grid, block);
  });
  return kSuccess;
}

}  // namespace

MODEL(cuLibraryLoadData,
      (Handle * library, const void* data, void*, void**, unsigned, void*, void**, unsigned), ENTER;
      return load(library, data))
MODEL(cuLibraryUnload, (Handle), return kSuccess)
MODEL(cuLibraryGetKernel, (Handle * kernel, Handle library, const char* name), ENTER;
      return find_kernel(kernel, library, name))
MODEL(cuKernelGetFunction, (Handle * function, Handle kernel), ENTER; *function = kernel;
      return kSuccess)
MODEL(cuKernelGetAttribute, (int* value, int name, Handle, int), *value = name == 0 ? 1024 : 0;
      return kSuccess)
MODEL(cuKernelSetAttribute, (int, int, Handle, int), return kSuccess)
MODEL(cuFuncLoad, (Handle), return kSuccess)
MODEL(cuFuncGetAttribute, (int* value, int name, Handle), *value = name == 0 ? 1024 : 0;
      return kSuccess)
MODEL(cuFuncSetAttribute, (Handle, int, int), return kSuccess)
MODEL(cuOccupancyMaxActiveBlocksPerMultiprocessor, (int* blocks, Handle, int, size_t), *blocks = 2;
      return kSuccess)
MODEL(cuLaunchKernelEx, (const LaunchConfig* config, Handle function, void** arguments, void**),
      ENTER;
      return launch(call, *config, function, arguments))
MODEL(cuLaunchKernel,
      (Handle function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
       unsigned bz, unsigned shared_bytes, Handle stream, void** arguments, void**),
      ENTER;
      return launch(call, {{gx, gy, gz}, {bx, by, bz}, shared_bytes, stream, nullptr, 0}, function,
                    arguments))
