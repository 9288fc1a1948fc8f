// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What kernels/aot/{flat,rows,copy}.cu hold, read from the rows that they are made from.
#define GPUARRAY_ONLY_HOT
#include "backend/cuda/kernel_table.hpp"
#include "kernels/dtype_classes.def"

namespace gpuarray {
namespace {

constexpr uint32_t bit(DType dtype) { return 1u << static_cast<int>(dtype); }

constexpr bool with_rows_FLAT = false;
constexpr bool with_rows_BOTH = true;

struct BuiltTable {
  uint32_t flat[128] = {};  // bit d: a kernel for DType d
  uint32_t rows[128] = {};
  uint32_t copies = 0;
  uint32_t casts[kDTypeCount] = {};  // by source

  constexpr BuiltTable() {
#define GPUARRAY_BIT(name, ...) | bit(DType::name)
#define GPUARRAY_HOT(name, arity, dtypes, paths)                               \
  flat[static_cast<int>(Op::name)] = 0u GPUARRAY_FOR_##dtypes(GPUARRAY_BIT, ); \
  if (with_rows_##paths) rows[static_cast<int>(Op::name)] = flat[static_cast<int>(Op::name)];
#define GPUARRAY_HOT_COPY(dtype, ...) copies |= bit(DType::dtype);
#define GPUARRAY_HOT_CAST(from, From, to, ...) \
  casts[static_cast<int>(DType::from)] |= bit(DType::to);
#include "kernels/hot.def"
  }
};

constexpr BuiltTable kBuilt;

}  // namespace

bool is_built_ahead(Path path, const ElementwiseLoop& what) {
  if (path == Path::any) return true;
  if (what.op == ElementwiseLoop::kCast) {
    const DType from = what.dtypes[1], to = what.dtypes[0];
    if (from == to) return (kBuilt.copies & bit(to)) != 0;
    return path == Path::flat && (kBuilt.casts[static_cast<int>(from)] & bit(to)) != 0;
  }
  if (path == Path::tile || what.converts()) return false;
  return ((path == Path::flat ? kBuilt.flat : kBuilt.rows)[what.op] & bit(what.loop)) != 0;
}

}  // namespace gpuarray
