// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/thread_safety.hpp"
#include "runtime/launch/kernel.hpp"
#include "runtime/launch/user_library.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray {

// The configuration of a launch.
struct LaunchConfig {
  LaunchShape shape;
  bool cooperative = false;
  uint32_t cluster[3] = {0, 0, 0};  // blocks; 0 for no clusters
};

// Where a parameter lies in the kernel's parameter buffer, in bytes.
struct ParameterPlace {
  size_t offset;
  size_t nbytes;
};

// A user's kernel on one device. Thread-safe.
class UserKernel {
 public:
  // Makes a kernel of `library`, which it keeps. Throws ValueError if that was unloaded, CudaError.
  UserKernel(UserLibraryPtr library, CUkernel kernel, std::string name);
  // Makes a kernel of another library of the process, which has to keep it loaded. For the name ""
  // the driver is asked, which needs CUDA 12.3. Throws DeviceError for cpu, CudaError.
  UserKernel(Device device, CUkernel kernel, std::string name = "");

  const std::string& name() const { return name_; }
  Device device() const { return device_; }
  CUkernel handle() const { return kernel_; }
  CUfunction function() const { return function_; }
  // Returns the library; null for a kernel of another library of the process.
  const UserLibraryPtr& library() const { return library_; }

  // Returns the parameters as they were compiled; nullopt for a driver older than CUDA 12.4.
  const std::optional<std::vector<ParameterPlace>>& parameters() const { return parameters_; }

  // Asks the driver for an attribute of the kernel. Throws ValueError if its library was unloaded,
  // CudaError.
  int attribute(CUfunction_attribute attribute) const;
  int max_threads_per_block() const { return max_threads_; }
  int max_dynamic_shared_bytes() const { return max_dynamic_shared_.load(); }
  // Sets the limit of dynamic shared memory, or only raises it if it `may_lower` nothing. Throws
  // ValueError beyond what the device has.
  void set_max_dynamic_shared_bytes(int64_t nbytes, bool may_lower = true);
  // Returns the number of blocks that a multiprocessor can run at a time. Throws ValueError for
  // numbers that no launch may have.
  int occupancy(int64_t threads, int64_t shared_bytes) const;
  // Returns the threads a block with which the device is occupied best. Throws ValueError for more
  // shared memory than it has.
  int suggested_block(int64_t shared_bytes);

  // Checks a configuration, and raises the kernel's limits of dynamic shared memory and cluster
  // size if it needs that. Throws ValueError with the limit that the configuration exceeds,
  // DeviceError for what the device lacks.
  void check(const LaunchConfig& config);
  // Queues a launch whose configuration was checked; asynchronous. `arguments` are the addresses of
  // its parameters. A captured launch keeps the library for the graph. Throws CudaError.
  void launch(const LaunchConfig& config, void** arguments, const Stream& stream) const;

 private:
  // Asks the driver for the kernel's function and limits.
  void set_up();
  // Raises the limit of dynamic shared memory to `nbytes` if it is lower.
  void allow_dynamic_shared(int64_t nbytes) {
    if (nbytes < 0 || nbytes > max_dynamic_shared_) set_max_dynamic_shared_bytes(nbytes, false);
  }
  void check_cluster(const LaunchConfig& config);
  void check_cooperative(const LaunchConfig& config) const;
  [[noreturn]] void refuse_threads(const uint32_t (&block)[3]) const;
  [[noreturn]] void refuse(const std::string& what) const;  // throws ValueError "<name>: <what>"

  const UserLibraryPtr library_;
  const Device device_;
  const CUkernel kernel_;
  CUfunction function_ = nullptr;
  std::string name_;
  const char* label_ = nullptr;  // the name, in memory that lives for the process
  std::optional<std::vector<ParameterPlace>> parameters_;
  int max_threads_ = 0;
  int static_shared_ = 0;
  Mutex setting_;  // held while the driver's limit and the next member are set
  std::atomic<int> max_dynamic_shared_ = 0;
  std::atomic<bool> large_clusters_ = false;
};

}  // namespace gpuarray
