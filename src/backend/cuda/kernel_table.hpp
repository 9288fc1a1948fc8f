// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <string>

#include "runtime/device/cuda_device.hpp"
#include "runtime/launch/kernel.hpp"

namespace gpuarray {

// Where a kernel is if it was built ahead: in the fat binary of kernels/aot/<module>.cu, as
// gpuarray_<symbol>.
struct BuiltKernel {
  std::string module;
  std::string symbol;
};

// A family of kernels is described by a key, which tells its variants apart:
// - kCount and index() give each variant its place in the family's table;
// - built() says where the variant is if it was built ahead, which need not be;
// - text() is its CUDA C++, with a kernel named source::kSymbol, for the run-time compiler.
template <class Key>
concept KernelKey = requires(const Key& key) {
  { Key::kCount } -> std::convertible_to<size_t>;
  { key.index() } -> std::convertible_to<size_t>;
  { key.built() } -> std::same_as<BuiltKernel>;
  { key.text() } -> std::same_as<std::string>;
};

// What is known of one variant of a kernel on one device. Any thread may ask.
class KernelEntry {
 public:
  // The kernel that was built ahead, looked for at the first call; null if there is none.
  template <KernelKey Key>
  KernelHandle find_built(const Key& key, Device device) {
    void* found = value_.load(std::memory_order_acquire);
    if (found == nullptr) [[unlikely]]
      found = look_up(key.built(), device);
    return {is_kernel(found) ? found : nullptr};
  }

  // The kernel, which is compiled at the first call where the build lacks it. Throws CompileError,
  // and DeviceError where there is no compiler.
  template <KernelKey Key>
  KernelHandle find(const Key& key, Device device) {
    void* found = value_.load(std::memory_order_acquire);
    if (is_kernel(found)) [[likely]]
      return {found};
    if (KernelHandle built = find_built(key, device); built.kernel != nullptr) return built;
    notify_missing(device);
    return compile(key.text(), device);
  }

  // The kernel that was compiled before, or is now if `compile` says so; null where it is not, and
  // where it cannot be compiled, which a warning says once.
  template <KernelKey Key>
  KernelHandle find_compiled(const Key& key, Device device, bool compile) {
    void* found = value_.load(std::memory_order_acquire);
    if (is_kernel(found)) return {found};
    if (!compile || found == kFailed || !can_compile()) return {};
    return try_to_compile(key.text(), device);
  }

 private:
  // What stands in place of a kernel that was looked for in vain.
  static inline void* const kNotBuilt = reinterpret_cast<void*>(uintptr_t{1});
  static inline void* const kFailed = reinterpret_cast<void*>(uintptr_t{2});

  static bool is_kernel(void* found) { return reinterpret_cast<uintptr_t>(found) > 2; }
  static bool can_compile();
  // Warns once that the build lacks kernels. Throws DeviceError where there is no compiler.
  static void notify_missing(Device device);

  void* look_up(const BuiltKernel& built, Device device);
  KernelHandle compile(const std::string& text, Device device);
  KernelHandle try_to_compile(const std::string& text, Device device);

  std::atomic<void*> value_ = nullptr;  // a CUfunction, null before the first look, or as above
};

// The kernels of a family: a flat table a device, of an entry a variant. One object a family, in
// the source that launches it.
template <KernelKey Key>
class KernelFamily {
 public:
  KernelEntry& entry(const Key& key, Device device) {
    assert(static_cast<size_t>(key.index()) < Key::kCount);
    return tables_.get(device.index, [](int) { return Table(); })
        .entries[static_cast<size_t>(key.index())];
  }

  // The kernel on the device. Throws CompileError, and DeviceError where there is neither a kernel
  // built ahead nor a compiler.
  KernelHandle find(const Key& key, Device device) { return entry(key, device).find(key, device); }

 private:
  struct Table {
    KernelEntry entries[Key::kCount];
  };

  PerDevice<Table> tables_;
};

// The kernel `symbol` of a text, on the device: compiled at the first call. Throws CompileError,
// and DeviceError where there is no compiler.
void* compiled_kernel(Device device, const std::string& text, const std::string& symbol);

}  // namespace gpuarray
