// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/kernel_table.hpp"

#include <atomic>
#include <mutex>
#include <string>
#include <unordered_map>

#include "backend/kernel_source.hpp"
#include "core/error.hpp"
#include "runtime/cuda_device.hpp"
#include "runtime/driver.hpp"
#include "runtime/jit.hpp"
#include "runtime/module.hpp"
#include "runtime/nvrtc.hpp"

namespace gpuarray {
namespace {

// A CUfunction; null before the first lookup, and kNotBuilt until it is compiled.
using Entry = std::atomic<void*>;
void* const kNotBuilt = reinterpret_cast<void*>(uintptr_t{1});
void* const kUseAny = reinterpret_cast<void*>(uintptr_t{2});  // compiling it failed

bool is_kernel(void* found) { return reinterpret_cast<uintptr_t>(found) > 2; }

// The identifier in dtypes.def, which names symbols.
const char* identifier(DType dtype) {
  static const char* const names[] = {
#define GPUARRAY_DTYPE(name, ...) #name,
#include "kernels/dtypes.def"
  };
  return names[static_cast<int>(dtype)];
}

// The source that holds a loop of this dtype: GPUARRAY_ONLY_* of kernels/dtype_classes.def.
std::string family(const char* prefix, DType dtype) {
  const char* name = "integer";
  if (kind(dtype) == 'c') name = "complex";
  if (kind(dtype) == 'f') name = itemsize(dtype) == 2 ? "half" : "float";
  return std::string(prefix) + name;
}

// Where a kernel built ahead would be.
struct Place {
  std::string module;
  std::string symbol;
};

Place place_of(Path path, const ElementwiseLoop& what) {
  static const char* const paths[] = {"", "flat", "rows", "tile"};
  const bool casts = what.op == ElementwiseLoop::kCast;
  std::string name =
      casts ? std::string("cast_") + identifier(what.dtypes[1]) + "_" + identifier(what.dtypes[0])
            : std::string(info(static_cast<Op>(what.op)).name) + "_" + identifier(what.loop);
  if (path == Path::any) return {casts ? "cast" : family("elementwise_", what.loop), name};
  const char* prefix = paths[static_cast<int>(path)];
  return {casts ? "copy" : prefix, std::string(prefix) + "_" + name};
}

CUfunction function_on(Device device, KernelHandle kernel) {
  DeviceGuard on(device);
  CUfunction function = nullptr;
  GPUARRAY_CHECK(cuKernelGetFunction(&function, static_cast<CUkernel>(kernel.kernel)));
  return function;
}

// What the entry holds, looked for ahead of time first; `required` kernels are compiled when the
// build lacks them, the others when `compile` says so.
template <class FindPlace, class MakeSource>
KernelHandle find(Entry& entry, Device device, bool required, bool compile, FindPlace&& place,
                  MakeSource&& text) {
  void* found = entry.load(std::memory_order_acquire);
  if (is_kernel(found)) [[likely]]
    return {found};
  if (found == nullptr) {
    const Place where = place();
    const KernelHandle built = find_kernel(where.module, "gpuarray_" + where.symbol);
    found = built.kernel != nullptr ? function_on(device, built) : kNotBuilt;
    entry.store(found, std::memory_order_release);
    if (found != kNotBuilt) return {found};
  }
  if (required) {
    if (!compiler_available()) throw_lacks_device_code(device.index);
    notify_no_device_code(device);
    found = function_on(device, compile_kernel(device, text(), source::kSymbol));
  } else {
    if (!compile || found == kUseAny || !compiler_available()) return {};
    try {
      found = function_on(device, compile_kernel(device, text(), source::kSymbol));
    } catch (
        const Error&) {  // a compiler or driver of another age: the kernel for any strides does it
      found = kUseAny;
    }
  }
  entry.store(found, std::memory_order_release);
  return {found == kUseAny ? nullptr : found};
}

// The kernels of one device.
struct Tables {
  Entry operations[4][128][kDTypeCount] = {};
  Entry casts[4][kDTypeCount][kDTypeCount] = {};
  Entry reductions[16][kDTypeCount][kDTypeCount] = {};
  Entry arange[kDTypeCount] = {};
  Entry matmul[kDTypeCount] = {};
  std::mutex mutex;
  std::unordered_map<uint64_t, Entry> converting;
};

Tables& tables(Device device) {
  static PerDevice<Tables> all;
  return all.get(device.index, [](int) { return Tables(); });
}

Entry& converting_entry(Tables& table, Path path, const ElementwiseLoop& what) {
  uint64_t key = static_cast<uint64_t>(path) << 40 | static_cast<uint64_t>(what.op) << 32 |
                 static_cast<uint64_t>(what.loop) << 24 | static_cast<uint64_t>(what.operands);
  for (int k = 0; k < what.operands; ++k)
    key |= static_cast<uint64_t>(what.dtypes[k]) << (4 + 4 * k);
  std::lock_guard lock(table.mutex);
  Entry& entry = table.converting[key];
  if (entry.load() == nullptr) entry = kNotBuilt;  // none is built ahead
  return entry;
}

Entry& entry_of(Tables& table, Path path, const ElementwiseLoop& what) {
  const auto place = static_cast<size_t>(path);
  if (what.op == ElementwiseLoop::kCast)
    return table
        .casts[place][static_cast<size_t>(what.dtypes[1])][static_cast<size_t>(what.dtypes[0])];
  if (what.converts()) return converting_entry(table, path, what);
  return table.operations[place][what.op][static_cast<size_t>(what.loop)];
}

}  // namespace

DType ElementwiseLoop::natural(int k) const {
  if (op == kCast) return dtypes[k];
  if (k == 0) return loop_of(static_cast<Op>(op), loop)->result;
  return k == 1 && info(static_cast<Op>(op)).rule == OpRule::SELECT ? DType::bool_ : loop;
}

bool ElementwiseLoop::converts() const {
  for (int k = 0; k < operands; ++k)
    if (dtypes[k] != natural(k)) return true;
  return false;
}

KernelHandle elementwise_kernel(Path path, const ElementwiseLoop& what, Device device,
                                bool compile) {
  return find(
      entry_of(tables(device), path, what), device, path == Path::any, compile,
      [&] { return place_of(path, what); }, [&] { return source::elementwise(path, what); });
}

KernelHandle reduce_kernel(Reduction reduction, DType from, DType loop, Device device) {
  Entry& entry = tables(device).reductions[static_cast<size_t>(reduction)]
                                          [static_cast<size_t>(from)][static_cast<size_t>(loop)];
  auto place = [&]() -> Place {
    std::string symbol = std::string("reduce_") + info(reduction).name + "_" + identifier(from);
    if (from != loop) symbol += std::string("_") + identifier(loop);
    return {family("reduce_", loop), symbol};
  };
  return find(entry, device, true, true, place,
              [&] { return source::reduce(reduction, from, loop); });
}

KernelHandle arange_kernel(DType dtype, Device device) {
  return find(
      tables(device).arange[static_cast<size_t>(dtype)], device, true, true,
      [&]() -> Place { return {"arange", std::string("arange_") + identifier(dtype)}; },
      [&] { return source::arange(dtype); });
}

KernelHandle matmul_kernel(DType dtype, Device device) {
  return find(
      tables(device).matmul[static_cast<size_t>(dtype)], device, true, true,
      [&]() -> Place { return {"matmul", std::string("matmul_") + identifier(dtype)}; },
      [&] { return source::matmul(dtype); });
}

}  // namespace gpuarray
