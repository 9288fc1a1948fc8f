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

// Names a kernel that is built ahead: it is in the fat binary of kernels/aot/<module>.cu, by the
// name gpuarray_<symbol>.
struct BuiltKernel {
  std::string module;
  std::string symbol;
};

// A family of kernels is described by a key, which tells its variants apart:
// - kCount and index() give each variant its place in the family's table;
// - built() names the variant as it would be if it were built ahead, which it need not be;
// - text() is the CUDA C++ source of a kernel named source::kSymbol, for the run-time compiler.
template <class Key>
concept KernelKey = requires(const Key& key) {
  { Key::kCount } -> std::convertible_to<size_t>;
  { key.index() } -> std::convertible_to<size_t>;
  { key.built() } -> std::same_as<BuiltKernel>;
  { key.text() } -> std::same_as<std::string>;
};

// Remembers one variant of a kernel on one device, once it was found or compiled. Thread-safe.
class KernelEntry {
 public:
  // Returns the kernel that was built ahead, or null. It is looked up at the first call only.
  template <KernelKey Key>
  KernelHandle find_built(const Key& key, Device device) {
    void* found = value_.load(std::memory_order_acquire);
    if (found == nullptr) [[unlikely]]
      found = look_up(key.built(), device);
    return {is_kernel(found) ? found : nullptr};
  }

  // Returns the kernel, which is compiled at the first call if the build lacks it. Throws
  // CompileError, and DeviceError if there is no compiler.
  template <KernelKey Key>
  KernelHandle find(const Key& key, Device device) {
    void* found = value_.load(std::memory_order_acquire);
    if (is_kernel(found)) [[likely]]
      return {found};
    if (KernelHandle built = find_built(key, device); built.kernel != nullptr) return built;
    notify_missing(device);
    return compile(key.text(), device);
  }

  // Returns the same, without the warning that find() gives at a compilation: for families of which
  // builds hold some kernels only. Throws the same.
  template <KernelKey Key>
  KernelHandle find_or_compile(const Key& key, Device device) {
    if (KernelHandle found = find_built(key, device); found.kernel != nullptr) return found;
    return compile(key.text(), device);
  }

  // Returns the kernel if it was compiled before, and else compiles it if `compile` is true.
  // Returns null if it is not compiled, or cannot be, of which one warning tells.
  template <KernelKey Key>
  KernelHandle find_compiled(const Key& key, Device device, bool compile) {
    void* found = value_.load(std::memory_order_acquire);
    if (is_kernel(found)) return {found};
    if (!compile || found == kFailed || !can_compile()) return {};
    return try_to_compile(key.text(), device);
  }

 private:
  // Values that stand in place of a kernel that could not be found or compiled.
  static inline void* const kNotBuilt = reinterpret_cast<void*>(uintptr_t{1});
  static inline void* const kFailed = reinterpret_cast<void*>(uintptr_t{2});

  static bool is_kernel(void* found) { return reinterpret_cast<uintptr_t>(found) > 2; }
  static bool can_compile();
  // Warns once that the build lacks a kernel. Throws DeviceError if there is no compiler.
  static void notify_missing(Device device);

  void* look_up(const BuiltKernel& built, Device device);
  KernelHandle compile(const std::string& text, Device device);
  KernelHandle try_to_compile(const std::string& text, Device device);

  std::atomic<void*> value_ =
      nullptr;  // a CUfunction, null before the first lookup, kNotBuilt or kFailed
};

// The kernels of a family: for each device a table with an entry for each variant. The source file
// that launches a family holds its one object. Thread-safe.
template <KernelKey Key>
class KernelFamily {
 public:
  // Returns the entry of the variant, which lives for the process.
  KernelEntry& entry(const Key& key, Device device) {
    assert(static_cast<size_t>(key.index()) < Key::kCount);
    return tables_.get(device.index, [](int) { return Table(); })
        .entries[static_cast<size_t>(key.index())];
  }

  // Returns the kernel on the device. Throws CompileError, and DeviceError if there is neither a
  // kernel built ahead nor a compiler.
  KernelHandle find(const Key& key, Device device) { return entry(key, device).find(key, device); }

 private:
  struct Table {
    KernelEntry entries[Key::kCount];
  };

  PerDevice<Table> tables_;
};

// Compiles a text and returns its kernel `symbol` as a CUfunction of the device, which lives for
// the process. Throws CompileError, and DeviceError if there is no compiler.
void* compiled_kernel(Device device, const std::string& text, const std::string& symbol);
// Returns the same kernel of an image of compile_image().
void* loaded_kernel(Device device, const std::string& image, const std::string& symbol);

}  // namespace gpuarray
