// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "kernels/element/cast.cuh"
#include "backend/host/loops.hpp"
#include "core/op.hpp"
#include "kernels/dtype_classes.def"

namespace gpuarray::host {
namespace {

template <class To, class From>
struct CastFunctor {
  using result = To;
  static To apply(From value) { return cast<To>(value); }
};

struct CastTable {
  RowLoop loops[kDTypeCount][kDTypeCount];

  CastTable() {
#define GPUARRAY_CAST(to, To, from, ...)                              \
  loops[static_cast<int>(DType::from)][static_cast<int>(DType::to)] = \
      unary_row<CastFunctor<To, __VA_ARGS__>, __VA_ARGS__>;
#define GPUARRAY_DTYPE(from, From, ...) GPUARRAY_FOR_ALL(GPUARRAY_CAST, from, From)
#include "kernels/dtypes.def"
    // A copy keeps the bytes of bools, as it does on a CUDA device.
    constexpr int kBool = static_cast<int>(DType::bool_);
    loops[kBool][kBool] = unary_row<CastFunctor<uint8_t, uint8_t>, uint8_t>;
  }
};

}  // namespace

RowLoop cast_loop(DType from, DType to) {
  static const CastTable table;
  return table.loops[static_cast<int>(from)][static_cast<int>(to)];
}

}  // namespace gpuarray::host
