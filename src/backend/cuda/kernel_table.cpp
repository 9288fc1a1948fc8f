// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/cuda/kernel_table.hpp"

#include <atomic>
#include <bit>
#include <mutex>
#include <string>
#include <unordered_map>

#include "backend/kernel_source.hpp"
#include "core/error.hpp"
#include "runtime/code/jit.hpp"
#include "runtime/code/module.hpp"
#include "runtime/device/cuda_device.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/driver/nvrtc.hpp"

namespace gpuarray {
namespace {

// A CUfunction, or null before the first lookup, or one of:
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

// Null where the kernel has no code for the device.
CUfunction function_on(Device device, KernelHandle kernel) {
  if (kernel.kernel == nullptr) return nullptr;
  DeviceGuard on(device);
  CUfunction function = nullptr;
  CUresult status =
      GPUARRAY_CALL(cuKernelGetFunction(&function, static_cast<CUkernel>(kernel.kernel)));
  if (lacks_device_code(status)) return nullptr;
  check_driver(status, "cuKernelGetFunction", __FILE__, __LINE__);
  return function;
}

// What was built ahead, looked for at the first call; null if nothing was.
template <class FindPlace>
KernelHandle find_built(Entry& entry, Device device, FindPlace&& place) {
  void* found = entry.load(std::memory_order_acquire);
  if (found == nullptr) {
    const Place where = place();
    DeviceGuard on(device);  // the first use of a device on this thread may be this
    found = function_on(device, find_kernel(where.module, "gpuarray_" + where.symbol));
    if (found == nullptr) found = kNotBuilt;
    entry.store(found, std::memory_order_release);
  }
  return {is_kernel(found) ? found : nullptr};
}

void* compile_for(Device device, const std::string& text) {
  return compiled_kernel(device, text, source::kSymbol);
}

// A kernel that must be: compiled when the build lacks it.
template <class FindPlace, class MakeSource>
KernelHandle find_required(Entry& entry, Device device, FindPlace&& place, MakeSource&& text) {
  void* found = entry.load(std::memory_order_acquire);
  if (is_kernel(found)) [[likely]]
    return {found};
  if (KernelHandle built = find_built(entry, device, place); built.kernel != nullptr) return built;
  if (!nvrtc_library.available()) throw_lacks_device_code(device.index);
  notify_compiling(device);
  found = compile_for(device, text());
  entry.store(found, std::memory_order_release);
  return {found};
}

std::string symbol(const IndexingKernel& what) {
  static const char* const names[] = {"gather",   "scatter",     "resolve", "claim",  "drop",
                                      "drop_few", "count_tiles", "select",  "spread", "nonzero"};
  std::string name = names[what.action];
  if (what.action <= IndexingKernel::scatter) name += what.any ? "_any" : "_rows";
  if (what.bytes != 0) name += "_" + std::to_string(what.bytes);
  if (what.action == IndexingKernel::gather) name += std::string("_") + identifier(what.index);
  return name;
}

// The kernels of one device.
struct Tables {
  Entry operations[4][128][kDTypeCount] = {};
  Entry casts[4][kDTypeCount][kDTypeCount] = {};
  Entry reductions[16][kDTypeCount][kDTypeCount] = {};
  Entry scans[3][16][kDTypeCount][2] = {};
  Entry arange[kDTypeCount] = {};
  Entry matmul[2][kDTypeCount] = {};
  Entry join = {};
  Entry sorts[48] = {};
  Entry indexing[10][2][5][2] = {};
  Entry combine[2][128][kDTypeCount] = {};
  Entry searches[kDTypeCount] = {};
  Entry histograms[kDTypeCount] = {};
  std::mutex mutex;
  std::unordered_map<uint64_t, Entry> compiled;
};

Tables& tables(Device device) {
  static PerDevice<Tables> all;
  return all.get(device.index, [](int) { return Tables(); });
}

Entry& compiled_entry(Tables& table, Path path, const ElementwiseLoop& what, Variant variant) {
  uint64_t key = static_cast<uint64_t>(path) << 40 | static_cast<uint64_t>(what.op) << 32 |
                 static_cast<uint64_t>(what.loop) << 24 | static_cast<uint64_t>(variant) << 48;
  for (int k = 0; k < what.operands; ++k) key |= static_cast<uint64_t>(what.dtypes[k]) << (4 * k);
  std::lock_guard lock(table.mutex);
  return table.compiled[key];
}

Entry& built_entry(Tables& table, Path path, const ElementwiseLoop& what) {
  const auto place = static_cast<size_t>(path);
  if (what.op == ElementwiseLoop::kCast)
    return table
        .casts[place][static_cast<size_t>(what.dtypes[1])][static_cast<size_t>(what.dtypes[0])];
  return table.operations[place][what.op][static_cast<size_t>(what.loop)];
}

// A kernel of a fast path: compiled if `compile` says so, else null.
KernelHandle find_compiled(Path path, const ElementwiseLoop& what, Device device, bool compile,
                           Variant variant) {
  Entry& entry = compiled_entry(tables(device), path, what, variant);
  void* found = entry.load(std::memory_order_acquire);
  if (is_kernel(found)) return {found};
  if (!compile || found == kUseAny || !nvrtc_library.available()) return {};
  found = kUseAny;
  // A compiler or driver of another age: the kernel for any strides does it, slower.
  try {
    found = compile_for(device, source::elementwise(path, what, variant));
  } catch (const CompileError& error) {
    notify_not_compiled(error.what());
  } catch (const DeviceError& error) {
    notify_not_compiled(error.what());
  }
  entry.store(found, std::memory_order_release);
  return {is_kernel(found) ? found : nullptr};
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

void* compiled_kernel(Device device, const std::string& text, const std::string& symbol) {
  CUfunction function = function_on(device, compile_kernel(device, text, symbol));
  if (function == nullptr) throw_lacks_device_code(device.index);
  return function;
}

KernelHandle elementwise_kernel(Path path, const ElementwiseLoop& what, Device device, bool compile,
                                Variant variant) {
  Entry& entry = built_entry(tables(device), path, what);
  auto place = [&] { return place_of(path, what); };
  if (path == Path::any)
    return find_required(entry, device, place,
                         [&] { return source::elementwise(path, what, variant); });
  if (is_built_ahead(path, what))
    if (KernelHandle built = find_built(entry, device, place); built.kernel != nullptr)
      return built;
  return find_compiled(path, what, device, compile, variant);
}

KernelHandle reduce_kernel(Reduction reduction, DType from, DType loop, Device device) {
  Entry& entry = tables(device).reductions[static_cast<size_t>(reduction)]
                                          [static_cast<size_t>(from)][static_cast<size_t>(loop)];
  auto place = [&]() -> Place {
    std::string symbol = std::string("reduce_") + info(reduction).name + "_" + identifier(from);
    if (from != loop) symbol += std::string("_") + identifier(loop);
    return {family("reduce_", loop), symbol};
  };
  return find_required(entry, device, place, [&] { return source::reduce(reduction, from, loop); });
}

KernelHandle scan_kernel(ScanPath path, Scan scan, DType from, DType loop, Device device) {
  Entry& entry = tables(device).scans[static_cast<size_t>(path)][static_cast<size_t>(scan)]
                                     [static_cast<size_t>(from)][static_cast<size_t>(from != loop)];
  auto place = [&]() -> Place {
    static const char* const paths[] = {"rows_", "columns_", "single_columns_"};
    return {"scan", std::string("scan_") + paths[static_cast<size_t>(path)] + info(scan).name +
                        "_" + identifier(from) + "_" + identifier(loop)};
  };
  return find_required(entry, device, place, [&] { return source::scan(path, scan, from, loop); });
}

KernelHandle arange_kernel(DType dtype, Device device) {
  return find_required(
      tables(device).arange[static_cast<size_t>(dtype)], device,
      [&]() -> Place { return {"arange", std::string("arange_") + identifier(dtype)}; },
      [&] { return source::arange(dtype); });
}

KernelHandle matmul_kernel(DType dtype, bool small, Device device) {
  return find_required(
      tables(device).matmul[small][static_cast<size_t>(dtype)], device,
      [&]() -> Place {
        return {"matmul", std::string(small ? "matmul_small_" : "matmul_") + identifier(dtype)};
      },
      [&] { return source::matmul(dtype, small); });
}

KernelHandle join_kernel(Device device) {
  return find_required(
      tables(device).join, device, []() -> Place { return {"join", "join"}; },
      [] { return source::join(); });
}

KernelHandle sort_kernel(SortKernel which, Device device) {
  static const char* const names[] = {
#define GPUARRAY_SORT_KERNEL(name, ...) #name,
#include "kernels/sort.def"
  };
  const auto index = static_cast<size_t>(which);
  return find_required(
      tables(device).sorts[index], device,
      [&]() -> Place { return {"sort", std::string("sort_") + names[index]}; },
      [&] { return source::sort(which); });
}

KernelHandle indexing_kernel(const IndexingKernel& what, Device device) {
  const auto log_bytes =
      static_cast<size_t>(std::countr_zero(static_cast<uint32_t>(what.bytes | 16)));
  Entry& entry =
      tables(device).indexing[what.action][what.any][log_bytes][what.index == DType::int32];
  return find_required(
      entry, device,
      [&]() -> Place {
        return {what.action < IndexingKernel::count_tiles ? "indexed" : "select", symbol(what)};
      },
      [&] { return source::indexing(what); });
}

KernelHandle combine_kernel(bool any, Op op, DType dtype, Device device) {
  return find_required(
      tables(device).combine[any][static_cast<size_t>(op)][static_cast<size_t>(dtype)], device,
      [&]() -> Place {
        return {"combine_at", std::string(any ? "at_any_" : "at_rows_") + info(op).name + "_" +
                                  identifier(dtype)};
      },
      [&] { return source::combine(any, op, dtype); });
}

KernelHandle search_kernel(DType dtype, Device device) {
  return find_required(
      tables(device).searches[static_cast<size_t>(dtype)], device,
      [&]() -> Place { return {"search", std::string("search_") + identifier(dtype)}; },
      [&] { return source::search(dtype); });
}

KernelHandle histogram_kernel(DType dtype, Device device) {
  return find_required(
      tables(device).histograms[static_cast<size_t>(dtype)], device,
      [&]() -> Place { return {"histogram", std::string("histogram_") + identifier(dtype)}; },
      [&] { return source::histogram(dtype); });
}

}  // namespace gpuarray
