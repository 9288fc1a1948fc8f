// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/launch/user_kernel.hpp"

#include <utility>

#include "core/error.hpp"
#include "runtime/buffer/capture.hpp"
#include "runtime/device/device.hpp"
#include "runtime/device/device_limits.hpp"
#include "runtime/driver/blocking.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/launch/queue_launch.hpp"
#include "runtime/stream/launch_log.hpp"

namespace gpuarray {
namespace {

constexpr int64_t kPortableCluster = 8, kLargestCluster = 16;  // blocks a cluster

std::optional<std::vector<ParameterPlace>> read_parameters(CUfunction function) {
  if (driver().cuFuncGetParamInfo == nullptr) return std::nullopt;
  std::vector<ParameterPlace> found;
  while (true) {
    ParameterPlace place;
    const CUresult status =
        GPUARRAY_CALL(cuFuncGetParamInfo(function, found.size(), &place.offset, &place.nbytes));
    if (status == CUDA_ERROR_INVALID_VALUE) return found;  // there are no more parameters
    check_driver(status, "cuFuncGetParamInfo", __FILE__, __LINE__);
    found.push_back(place);
  }
}

std::string text(const uint32_t (&dims)[3]) { return to_string(Dims{dims[0], dims[1], dims[2]}); }
int64_t product(const uint32_t (&dims)[3]) { return int64_t{dims[0]} * dims[1] * dims[2]; }

}  // namespace

UserKernel::UserKernel(UserLibraryPtr library, CUkernel kernel, std::string name)
    : library_(std::move(library)),
      device_(library_->device()),
      kernel_(kernel),
      name_(std::move(name)) {
  set_up();
}

UserKernel::UserKernel(Device device, CUkernel kernel, std::string name)
    : device_(device), kernel_(kernel), name_(std::move(name)) {
  require_device(device);
  if (device.is_cpu())
    throw DeviceError(
        "a kernel runs on a CUDA device, got cpu; gpuarray.fuse and ElementwiseKernel run on both");
  set_up();
}

void UserKernel::set_up() {
  const UserLibrary::Use use(library_.get());
  DeviceGuard on(device_);
  GPUARRAY_CHECK(cuKernelGetFunction(&function_, kernel_));
  if (name_.empty() && driver().cuKernelGetName != nullptr) {
    const char* found = nullptr;
    GPUARRAY_CHECK(cuKernelGetName(&found, kernel_));
    name_ = found;
  }
  label_ = kept_for_process(name_);
  parameters_ = read_parameters(function_);
  max_threads_ = attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  static_shared_ = attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  max_dynamic_shared_ = attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
}

int UserKernel::attribute(CUfunction_attribute attribute) const {
  const UserLibrary::Use use(library_.get());
  DeviceGuard on(device_);
  int value = 0;
  GPUARRAY_CHECK(cuFuncGetAttribute(&value, attribute, function_));
  return value;
}

void UserKernel::refuse(const std::string& what) const { throw ValueError(name_ + ": " + what); }

void UserKernel::set_max_dynamic_shared_bytes(int64_t nbytes, bool may_lower) {
  const BlockingLock lock(setting_);
  if (!may_lower && nbytes >= 0 && nbytes <= max_dynamic_shared_) return;  // another thread did it
  const UserLibrary::Use use(library_.get());
  const int most = device_limits(device_).shared_bytes - static_shared_;
  if (nbytes < 0 || nbytes > most)
    refuse("expected at most " + std::to_string(most) + " bytes of dynamic shared memory, which " +
           to_string(device_) + " has for a block of this kernel, got " + std::to_string(nbytes));
  DeviceGuard on(device_);
  const int value = static_cast<int>(nbytes);
  GPUARRAY_CHECK(
      cuFuncSetAttribute(function_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, value));
  max_dynamic_shared_ = value;
}

int UserKernel::occupancy(int64_t threads, int64_t shared_bytes) const {
  const UserLibrary::Use use(library_.get());
  if (threads < 1 || threads > max_threads_)
    refuse("expected a block of 1 to " + std::to_string(max_threads_) + " threads, got " +
           std::to_string(threads));
  if (shared_bytes < 0)
    refuse("shared_bytes: expected at least 0, got " + std::to_string(shared_bytes));
  DeviceGuard on(device_);
  int blocks = 0;
  GPUARRAY_CHECK(cuOccupancyMaxActiveBlocksPerMultiprocessor(
      &blocks, function_, static_cast<int>(threads), static_cast<size_t>(shared_bytes)));
  return blocks;
}

int UserKernel::suggested_block(int64_t shared_bytes) {
  allow_dynamic_shared(shared_bytes);
  const UserLibrary::Use use(library_.get());
  DeviceGuard on(device_);
  int grid = 0, block = 0;
  GPUARRAY_CHECK(cuOccupancyMaxPotentialBlockSize(&grid, &block, function_, nullptr,
                                                  static_cast<size_t>(shared_bytes), 0));
  return block;
}

void UserKernel::check(const LaunchConfig& config) {
  const auto& [grid, block, shared_bytes] = config.shape;
  const DeviceLimits& limits = device_limits(device_);
  for (int axis = 0; axis < 3; ++axis) {
    if (grid[axis] > static_cast<uint32_t>(limits.grid[axis])) [[unlikely]]
      refuse("grid " + text(grid) + ": " + to_string(device_) + " takes at most " +
             std::to_string(limits.grid[axis]) + " blocks along " + "xyz"[axis]);
    if (block[axis] > static_cast<uint32_t>(limits.block[axis])) [[unlikely]]
      refuse("block " + text(block) + ": " + to_string(device_) + " takes at most " +
             std::to_string(limits.block[axis]) + " threads along " + "xyz"[axis]);
  }
  if (product(block) > max_threads_) [[unlikely]]
    refuse_threads(block);
  allow_dynamic_shared(shared_bytes);
  if (config.cluster[0] != 0) check_cluster(config);
  if (config.cooperative) check_cooperative(config);
}

void UserKernel::refuse_threads(const uint32_t (&block)[3]) const {
  const std::string start =
      "block " + text(block) + " has " + std::to_string(product(block)) + " threads: ";
  const int most = device_limits(device_).threads_per_block;
  if (product(block) > most)
    refuse(start + to_string(device_) + " takes at most " + std::to_string(most) + " a block");
  refuse(start + "this kernel, of " + std::to_string(attribute(CU_FUNC_ATTRIBUTE_NUM_REGS)) +
         " registers a thread, takes at most " + std::to_string(max_threads_) + " a block");
}

void UserKernel::check_cluster(const LaunchConfig& config) {
  const std::string cluster = "cluster " + text(config.cluster);
  if (!device_limits(device_).clusters)
    throw DeviceError(name_ + ": " + to_string(device_) +
                      " has no clusters; they came with compute capability 9.0");
  for (int axis = 0; axis < 3; ++axis)
    if (config.shape.grid[axis] % config.cluster[axis] != 0)
      refuse(cluster + " does not divide grid " + text(config.shape.grid));
  const int64_t blocks = product(config.cluster);
  if (blocks > kLargestCluster)
    refuse(cluster + " has " + std::to_string(blocks) + " blocks, the limit is " +
           std::to_string(kLargestCluster));
  if (blocks <= kPortableCluster || large_clusters_) return;
  const UserLibrary::Use use(library_.get());
  DeviceGuard on(device_);
  GPUARRAY_CHECK(
      cuFuncSetAttribute(function_, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
  large_clusters_ = true;
}

void UserKernel::check_cooperative(const LaunchConfig& config) const {
  const DeviceLimits& limits = device_limits(device_);
  if (!limits.cooperative)
    throw DeviceError(name_ + ": " + to_string(device_) + " has no cooperative launches");
  const int64_t most = int64_t{limits.multiprocessors} *
                       occupancy(product(config.shape.block), config.shape.shared_bytes);
  if (product(config.shape.grid) > most)
    refuse("grid " + text(config.shape.grid) + " has " +
           std::to_string(product(config.shape.grid)) +
           " blocks, a cooperative launch may have those that " + to_string(device_) +
           " runs at a time, " + std::to_string(most));
}

void UserKernel::launch(const LaunchConfig& config, void** arguments, const Stream& stream) const {
  const UserLibrary::Use use(library_.get());
  DeviceGuard on(device_);
  CUlaunchAttribute attributes[2];
  unsigned int count = 0;
  if (config.cooperative) {
    attributes[count].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    attributes[count++].value.cooperative = 1;
  }
  if (const auto& cluster = config.cluster; cluster[0] != 0) {
    attributes[count].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attributes[count++].value.clusterDim = {cluster[0], cluster[1], cluster[2]};
  }
  const auto& [grid, block, shared_bytes] = config.shape;
  const CUlaunchConfig launch{grid[0],    grid[1],  grid[2],      block[0],
                              block[1],   block[2], shared_bytes, stream_handle(stream.handle()),
                              attributes, count};
  if (stream.is_capturing() && library_ != nullptr) [[unlikely]]
    capture_of(stream)->keep(library_->graph_use());
  const CUresult status = queue_launch(launch, function_, arguments, stream,
                                       [&] { return note_launch(label_, config.shape, stream); });
  check_driver(status, "cuLaunchKernelEx", __FILE__, __LINE__);
}

}  // namespace gpuarray
