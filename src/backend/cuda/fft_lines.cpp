// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Launches the kernel of kernels/fft/lines.cuh.
#include "backend/fft_lines.hpp"

#include <algorithm>
#include <string>

#include "backend/cuda/kernel_table.hpp"
#include "backend/cuda/operations.hpp"
#include "backend/grid.hpp"
#include "backend/kernel_source.hpp"
#include "core/divide.hpp"
#include "kernels/tuning.hpp"

namespace gpuarray {
namespace {

struct FftLinesKernel {
  static constexpr int kParts = 33;
  static constexpr size_t kCount = size_t{kParts} * kParts * 2 * 2 * 4;

  int first, second;
  DType dtype;
  bool inverse, from_rows, to_rows;

  int index() const {
    const int kind = (((dtype == DType::complex128) * 2 + inverse) * 2 + from_rows) * 2 + to_rows;
    return (kind * kParts + first) * kParts + second;
  }
  std::string arguments() const {
    auto flag = [](bool value) { return value ? ", true" : ", false"; };
    return std::string(dtype == DType::complex128 ? "double, " : "float, ") +
           std::to_string(first) + ", " + std::to_string(second) + flag(inverse) + flag(from_rows) +
           flag(to_rows);
  }
  BuiltKernel built() const { return {"fft", "fft_lines"}; }  // none is
  std::string text() const {
    const std::string lines = "fft::Lines<" + arguments() + ">";
    return source::kernel(
        source::include("fft/lines.cuh"), source::by_value("FftLinesParams"),
        "fft::lines_kernel<" + lines + ">(params)",
        "__launch_bounds__(" + std::to_string(block()) + ", " + std::to_string(resident()) + ")");
  }
  int threads() const { return std::max(first, second); }  // of a line
  int lines() const { return fft_lines_of_block(threads(), itemsize(dtype)); }
  int block() const { return threads() * lines(); }
  // Returns how many blocks are to reside on a multiprocessor. H200, 2026-11, 2^26 points in single
  // precision: lines of 32 x 32 take 0.35 ms with one block and 0.42 with two, 32 x 16 0.50 and
  // 0.33; 384^3 points in lines of 24 x 16 0.27 with two and 0.25 with three.
  int resident() const {
    if (dtype == DType::complex128) return first > 24 ? 1 : first > 16 ? 3 : 2;
    return second > 24 ? 1 : first > 24 ? 2 : first > 16 ? 3 : first > 8 ? 2 : 4;
  }
};

constinit KernelFamily<FftLinesKernel> kernels;

}  // namespace

bool cuda_fft_lines(const FftPlan& plan, const StreamPtr& stream, const LaunchLabel& label) {
  std::optional<FftLines> lines = fft_lines(plan);
  if (!lines) return false;
  const FftLinesKernel key{lines->first,  lines->second,    plan.dtype,
                           !plan.forward, lines->from_rows, lines->to_rows};
  KernelEntry& entry = kernels.entry(key, stream->device());
  const KernelHandle kernel = entry.find_compiled(key, stream->device(), true);
  if (kernel.kernel == nullptr) return false;
  FftLinesParams& params = lines->params;
  const int64_t blocks = params.outer * divide_up(params.inner, int64_t{key.lines()});
  void* arguments[] = {&params};
  BufferAccess access(stream);
  access.open(plan.uses);
  launch(kernel, LaunchShape::linear(std::min(blocks, kMostBlocks), key.block()), arguments,
         *stream, label);
  return true;
}

}  // namespace gpuarray
