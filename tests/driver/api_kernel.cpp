// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Functions of kernels and their launches.
#include <algorithm>
#include <cstring>
#include <map>

#include "call.hpp"
#include "capture.hpp"
#include "fibers.hpp"
#include "memory.hpp"

using namespace model;
using test_driver::HostKernel;

namespace {

constexpr int kDynamicShared = 48 << 10, kMostShared = 227 << 10, kMultiprocessors = 4;
constexpr Status kCooperativeTooLarge = 720;

// The values that cuFuncSetAttribute has set, by function and attribute.
std::map<std::pair<Handle, int>, int>& attributes() {
  static auto& all = *new std::map<std::pair<Handle, int>, int>;
  return all;
}

int attribute(Handle function, int name) {
  if (const auto found = attributes().find({function, name}); found != attributes().end())
    return found->second;
  switch (name) {
    case 0:  // threads of a block
      return 1024;
    case 4:  // registers
      return 32;
    case 5:  // versions of PTX and of the code
    case 6:
      return 90;
    case 8:  // bytes of dynamic shared memory
      return kDynamicShared;
    default:
      return 0;
  }
}

Status set_attribute(Handle function, int name, int value) {
  if (name == 8 && (value < 0 || value > kMostShared)) return kInvalidValue;
  attributes()[{function, name}] = value;
  return kSuccess;
}

// Returns how many blocks a multiprocessor runs at a time.
int active_blocks(int threads, size_t shared_bytes) {
  const int by_threads = std::min(32, 2048 / threads);
  return shared_bytes == 0 ? by_threads
                           : std::min(by_threads, static_cast<int>(kMostShared / shared_bytes));
}

Status parameter_info(Handle function, size_t index, size_t* offset, size_t* nbytes) {
  const auto& kernel = *reinterpret_cast<const HostKernel*>(function);
  if (index >= static_cast<size_t>(kernel.parameters)) return kInvalidValue;
  *offset = kernel.offsets[index];
  if (nbytes != nullptr) *nbytes = kernel.sizes[index];
  return kSuccess;
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

struct LaunchAttribute {
  int id, padding;
  int value[16];
};

struct LaunchConfig {
  test_driver::Index3 grid, block;
  unsigned shared_bytes;
  Handle stream;
  const LaunchAttribute* attributes;
  unsigned attribute_count;
};

// Checks the attributes of a launch: all blocks of a cooperative one must run at a time, and there
// are no clusters.
Status check_attributes(const LaunchConfig& config, uint64_t blocks, int threads) {
  for (unsigned i = 0; i < config.attribute_count; ++i) {
    const auto& [id, padding, value] = config.attributes[i];
    if (id == 4) return kNotSupported;
    const uint64_t most = kMultiprocessors * active_blocks(threads, config.shared_bytes);
    if (id == 2 && value[0] != 0 && blocks > most) return kCooperativeTooLarge;
  }
  return kSuccess;
}

Status launch(Call& call, const LaunchConfig& config, Handle function, void** given) {
  const StreamPtr stream = find_stream(config.stream);
  if (function == 0 || stream == nullptr || stream->device != call.device) return kInvalidHandle;
  const auto& [grid, block] = std::pair(config.grid, config.block);
  const uint64_t threads = uint64_t{block.x} * block.y * block.z;
  if (threads == 0 || threads > 1024 || block.z > 64) return kInvalidValue;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) return kInvalidValue;
  if (grid.x > 0x7fffffff || grid.y > 0xffff || grid.z > 0xffff) return kInvalidValue;
  if (config.shared_bytes > static_cast<unsigned>(attribute(function, 8))) return kInvalidValue;
  const uint64_t blocks = uint64_t{grid.x} * grid.y * grid.z;
  if (Status status = check_attributes(config, blocks, static_cast<int>(threads))) return status;
  if (stream->legacy)
    if (Status status = forbidden_on(*stream)) return status;
  const auto& kernel = *reinterpret_cast<const HostKernel*>(function);
  auto arguments = std::make_shared<Arguments>(kernel, given);
  enqueue(call.held, stream, Kind::kernel,
          [&kernel, arguments, grid, block, shared_bytes = config.shared_bytes] {
            Window open;
            return run_grid(kernel, arguments->pointers.data(), grid, block, shared_bytes);
          });
  return kSuccess;
}

}  // namespace

MODEL(cuKernelGetFunction, (Handle * function, Handle kernel), ENTER; *function = kernel;
      return kSuccess)
MODEL(cuKernelGetAttribute, (int* value, int name, Handle, int), *value = name == 0 ? 1024 : 0;
      return kSuccess)
MODEL(cuKernelSetAttribute, (int, int, Handle, int), return kSuccess)
MODEL(cuFuncLoad, (Handle), return kSuccess)
MODEL(cuFuncGetParamInfo, (Handle function, size_t index, size_t* offset, size_t* nbytes), ENTER;
      return parameter_info(function, index, offset, nbytes))
MODEL(cuFuncGetAttribute, (int* value, int name, Handle function), ENTER;
      *value = attribute(function, name); return kSuccess)
MODEL(cuFuncSetAttribute, (Handle function, int name, int value), ENTER;
      return set_attribute(function, name, value))
MODEL(cuOccupancyMaxActiveBlocksPerMultiprocessor,
      (int* blocks, Handle, int threads, size_t shared_bytes), ENTER;
      *blocks = active_blocks(threads, shared_bytes); return kSuccess)
MODEL(cuOccupancyMaxPotentialBlockSize,
      (int* grid, int* block, Handle, void*, size_t shared_bytes, int most), ENTER;
      *block = most > 0 ? std::min(most, 256) : 256;
      *grid = kMultiprocessors * active_blocks(*block, shared_bytes); return kSuccess)
MODEL(cuLaunchKernelEx, (const LaunchConfig* config, Handle function, void** arguments, void**),
      ENTER;
      return launch(call, *config, function, arguments))
MODEL(cuLaunchKernel,
      (Handle function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
       unsigned bz, unsigned shared_bytes, Handle stream, void** arguments, void**),
      ENTER;
      return launch(call, {{gx, gy, gz}, {bx, by, bz}, shared_bytes, stream, nullptr, 0}, function,
                    arguments))
