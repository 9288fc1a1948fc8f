// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/kernel_table.hpp"

#include <atomic>
#include <string>

namespace gpuarray {
namespace {

using Entry = std::atomic<void*>;

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

KernelHandle lookup(Entry& entry, const std::string& module, const std::string& symbol) {
  KernelHandle found = find_kernel(module.c_str(), "gpuarray_" + symbol);
  entry.store(found.kernel, std::memory_order_release);
  return found;
}

}  // namespace

KernelHandle elementwise_kernel(Op op, DType loop) {
  static Entry table[128][kDTypeCount];
  Entry& entry = table[static_cast<int>(op)][static_cast<int>(loop)];
  if (void* kernel = entry.load(std::memory_order_acquire)) return {kernel};
  return lookup(entry, family("elementwise_", loop),
                std::string(info(op).name) + "_" + identifier(loop));
}

KernelHandle cast_kernel(DType from, DType to) {
  static Entry table[kDTypeCount][kDTypeCount];
  Entry& entry = table[static_cast<int>(from)][static_cast<int>(to)];
  if (void* kernel = entry.load(std::memory_order_acquire)) return {kernel};
  return lookup(entry, "cast", std::string("cast_") + identifier(from) + "_" + identifier(to));
}

KernelHandle reduce_kernel(Reduction reduction, DType source, DType loop) {
  static Entry table[16][kDTypeCount][kDTypeCount];
  Entry& entry =
      table[static_cast<int>(reduction)][static_cast<int>(source)][static_cast<int>(loop)];
  if (void* kernel = entry.load(std::memory_order_acquire)) return {kernel};
  std::string symbol = std::string("reduce_") + info(reduction).name + "_" + identifier(source);
  if (source != loop) symbol += std::string("_") + identifier(loop);
  return lookup(entry, family("reduce_", loop), symbol);
}

KernelHandle arange_kernel(DType dtype) {
  static Entry table[kDTypeCount];
  Entry& entry = table[static_cast<int>(dtype)];
  if (void* kernel = entry.load(std::memory_order_acquire)) return {kernel};
  return lookup(entry, "arange", std::string("arange_") + identifier(dtype));
}

KernelHandle matmul_kernel(DType dtype) {
  static Entry table[kDTypeCount];
  Entry& entry = table[static_cast<int>(dtype)];
  if (void* kernel = entry.load(std::memory_order_acquire)) return {kernel};
  return lookup(entry, "matmul", std::string("matmul_") + identifier(dtype));
}

}  // namespace gpuarray
