// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Launches the kernels of kernels/linalg/norms.cuh.
#include "backend/linalg/norms.hpp"

#include <algorithm>
#include <string>

#include "backend/cuda/kernel_table.hpp"
#include "backend/grid.hpp"
#include "backend/kernel_source.hpp"
#include "core/divide.hpp"
#include "kernels/linalg/norms_params.hpp"
#include "kernels/tuning.hpp"
#include "runtime/buffer/buffer.hpp"

namespace gpuarray {
namespace {

constexpr const char* kKindNames[] = {"thread", "warp", "block", "parts", "totals"};

struct NormsKernel {
  static constexpr size_t kCount = 5 * 2;

  NormsKind kind;
  DType dtype;

  int index() const { return static_cast<int>(kind) * 2 + (dtype == DType::float64); }
  std::string kind_name() const { return kKindNames[static_cast<int>(kind)]; }
  BuiltKernel built() const {
    return {"linalg", "norms_" + kind_name() + "_" + source::identifier(dtype)};
  }
  std::string text() const {
    const std::string type = source::cpp_type(dtype);
    const std::string from = kind == NormsKind::totals ? "double" : type;
    return source::kernel(
        source::include("linalg/norms.cuh"), source::by_value("NormsParams"),
        "linalg::norms_kernel<" + from + ", " + type + ", NormsKind::" + kind_name() + ">(params)",
        "__launch_bounds__(kNormsBlock)");
  }
};

constinit KernelFamily<NormsKernel> kernels;

void run(NormsKind kind, DType dtype, const NormsParams& params, int64_t blocks,
         const StreamPtr& stream, const LaunchLabel& label) {
  void* arguments[] = {const_cast<NormsParams*>(&params)};
  launch(kernels.find({kind, dtype}, stream->device()),
         LaunchShape::linear(std::min(blocks, kMostBlocks), kNormsBlock), arguments, *stream,
         label);
}

bool begins_at_vectors(const NormsParams& p, int64_t itemsize) {
  return reinterpret_cast<uintptr_t>(p.source) % 16 == 0 &&
         (p.rows == 1 || p.columns * itemsize % 16 == 0);
}

}  // namespace

void row_norms(const void* source, void* target, DType dtype, int64_t rows, int64_t columns,
               const StreamPtr& stream, const LaunchLabel& label) {
  NormsParams params{source, target, rows, columns, columns, 1, 0};
  params.vectors = begins_at_vectors(params, itemsize(dtype));
  if (columns <= kNormsShortRow) {
    const int64_t together = kNormsTile / columns;
    return run(NormsKind::thread, dtype, params, divide_up(rows, together), stream, label);
  }
  if (columns <= kNormsWarpRow && rows > 1)
    return run(NormsKind::warp, dtype, params, divide_up(rows, int64_t{kNormsBlock / 32}), stream,
               label);
  const int64_t parts = std::min(divide_up(columns, int64_t{kNormsLeastPart}),
                                 divide_up(int64_t{kNormsBlocks}, rows));
  if (parts == 1) return run(NormsKind::block, dtype, params, rows, stream, label);
  params.part = divide_up(divide_up(columns, parts), int64_t{kNormsBlock}) * kNormsBlock;
  params.parts = divide_up(columns, params.part);
  const BufferPtr sums = Buffer::allocate(rows * params.parts * int64_t{sizeof(double)}, stream);
  params.target = sums->data();
  run(NormsKind::parts, dtype, params, rows * params.parts, stream, label);
  const NormsParams totals{sums->data(),
                           target,
                           rows,
                           params.parts,
                           params.parts,
                           1,
                           rows == 1 || params.parts % 2 == 0};
  run(NormsKind::totals, dtype, totals, rows, stream, label);
}

}  // namespace gpuarray
