// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/launch/kernel.hpp"
#include "runtime/launch/library.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray {

// What a launch asks for.
struct LaunchConfig {
  LaunchShape shape;
  bool cooperative = false;
  uint32_t cluster[3] = {0, 0, 0};  // blocks; 0 for no clusters
};

// Where a parameter lies among those of its kernel, in bytes.
struct ParameterPlace {
  size_t offset;
  size_t nbytes;
};

// A kernel of a user on one device. Thread-safe.
class UserKernel {
 public:
  // Keeps the library. Throws CudaError.
  UserKernel(LibraryPtr library, CUkernel kernel, std::string name);
  // Of somebody else, who keeps it. "" asks the driver for the name, which needs CUDA 12.3.
  UserKernel(Device device, CUkernel kernel, std::string name = "");

  const std::string& name() const { return name_; }
  Device device() const { return device_; }
  CUkernel handle() const { return kernel_; }
  CUfunction function() const { return function_; }
  const LibraryPtr& library() const { return library_; }  // null if somebody else's

  // As compiled; nullopt for a driver before CUDA 12.4.
  const std::optional<std::vector<ParameterPlace>>& parameters() const { return parameters_; }

  int attribute(CUfunction_attribute attribute) const;
  int max_threads_per_block() const { return max_threads_; }
  int max_dynamic_shared_bytes() const { return max_dynamic_shared_.load(); }
  // Throws ValueError beyond what the device has.
  void set_max_dynamic_shared_bytes(int64_t nbytes);
  // Blocks that a multiprocessor holds at a time. Throws ValueError.
  int occupancy(int64_t threads, int64_t shared_bytes) const;
  // Threads of a block with which the device is occupied best. Throws ValueError for more shared
  // memory than it has.
  int suggested_block(int64_t shared_bytes);

  // Throws ValueError naming the limit that the launch is beyond, DeviceError for what the device
  // lacks. Lets the kernel have the dynamic shared memory and the cluster that are asked for.
  void check(const LaunchConfig& config);
  // Queues a launch that was checked; `arguments` are the addresses of its parameters.
  void launch(const LaunchConfig& config, void** arguments, const Stream& stream) const;

 private:
  void set_up();
  void allow_dynamic_shared(int64_t nbytes) {
    if (nbytes < 0 || nbytes > max_dynamic_shared_) set_max_dynamic_shared_bytes(nbytes);
  }
  void check_cluster(const LaunchConfig& config);
  void check_cooperative(const LaunchConfig& config) const;
  [[noreturn]] void refuse_threads(const uint32_t (&block)[3]) const;
  [[noreturn]] void refuse(const std::string& what) const;  // ValueError

  const LibraryPtr library_;
  const Device device_;
  const CUkernel kernel_;
  CUfunction function_ = nullptr;
  std::string name_;
  const char* label_ = nullptr;  // the name, for the process
  std::optional<std::vector<ParameterPlace>> parameters_;
  int max_threads_ = 0;
  int static_shared_ = 0;
  std::atomic<int> max_dynamic_shared_ = 0;
  std::atomic<bool> large_clusters_ = false;
};

}  // namespace gpuarray
