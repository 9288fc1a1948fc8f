// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Launches the kernels of kernels/linalg/factors.cuh.
#include <algorithm>
#include <string>

#include "backend/cuda/kernel_table.hpp"
#include "backend/kernel_source.hpp"
#include "backend/linalg/solvers.hpp"
#include "core/divide.hpp"
#include "kernels/tuning.hpp"

namespace gpuarray {
namespace {

// A kernel of kernels/aot/linalg.cu; those from det on exist for each of four dtypes.
struct FactorsKernel {
  enum Action { pointers, info, permutation, det, triangle, form_q };
  static constexpr size_t kCount = 6 * 4;

  Action action;
  DType dtype = DType::float32;

  bool is_typed() const { return action >= det; }
  int index() const {
    const int type = !is_typed() ? 0 : library_type(dtype) % 4 + (is_complex(dtype) ? 2 : 0);
    return action * 4 + type;
  }
  std::string name() const {
    static const char* const names[] = {"pointers", "info",     "permutation",
                                        "det",      "triangle", "form_q"};
    return names[action];
  }
  BuiltKernel built() const {
    const std::string type = is_typed() ? std::string("_") + source::identifier(dtype) : "";
    return {"linalg", "factors_" + name() + type};
  }
  std::string text() const {
    static const char* const params[] = {"PointersParams", "InfoParams",     "PermutationParams",
                                         "DetParams",      "TriangleParams", "FormQParams"};
    const std::string type = is_typed() ? "<" + source::cpp_type(dtype) + ">" : "";
    return source::kernel(source::include("linalg/factors.cuh"), source::by_value(params[action]),
                          name() + "_kernel" + type + "(params)",
                          "__launch_bounds__(kFactorsBlock)");
  }
};

constinit KernelFamily<FactorsKernel> kernels;

constexpr int64_t kMostFactorsBlocks = 1 << 14;

template <class Params>
void run(const FactorsKernel& key, const Params& params, int64_t blocks, int threads,
         const StreamPtr& stream, const LaunchLabel& label) {
  void* arguments[] = {const_cast<Params*>(&params)};
  launch(kernels.find(key, stream->device()),
         LaunchShape::linear(std::min(blocks, kMostFactorsBlocks), threads), arguments, *stream,
         label);
}

}  // namespace

int library_type(DType dtype) {
  switch (dtype) {
    case DType::float32:
      return static_cast<int>(BlasType::float32);
    case DType::float64:
      return static_cast<int>(BlasType::float64);
    case DType::complex64:
      return static_cast<int>(BlasType::complex64);
    default:
      return static_cast<int>(BlasType::complex128);
  }
}

int library_real_type(DType dtype) { return library_type(real_dtype(dtype)); }

MatrixPointers pointers_to(const Matrices& first, const Matrices* second, const StreamPtr& stream) {
  const int64_t nbytes = first.count * int64_t{sizeof(void*)};
  MatrixPointers made{Buffer::allocate(nbytes, stream), nullptr};
  if (second != nullptr) made.second = Buffer::allocate(nbytes, stream);
  PointersParams params{};
  params.count = first.count;
  params.sets = second != nullptr ? 2 : 1;
  params.pointers[0] = static_cast<void**>(made.first->data());
  params.base[0] = static_cast<char*>(first.data);
  params.step[0] = first.step();
  if (second != nullptr) {
    params.pointers[1] = static_cast<void**>(made.second->data());
    params.base[1] = static_cast<char*>(second->data);
    params.step[1] = second->step();
  }
  const Shape shape{first.count};
  run({FactorsKernel::pointers}, params, divide_up(first.count, kFactorsBlock), kFactorsBlock,
      stream, {"pointers", first.dtype, shape});
  return made;
}

void note_failures(const InfoParams& params, const StreamPtr& stream, const LaunchLabel& label) {
  run({FactorsKernel::info}, params, params.count, kFactorsBlock, stream, label);
}

void determinants(const DetParams& params, const StreamPtr& stream, const LaunchLabel& label) {
  run({FactorsKernel::det, label.dtype}, params, params.count, 32, stream, label);
}

void row_orders(const PermutationParams& params, const StreamPtr& stream,
                const LaunchLabel& label) {
  run({FactorsKernel::permutation}, params, divide_up(params.count, int64_t{32}), 32, stream,
      label);
}

void keep_triangle(const TriangleParams& params, const StreamPtr& stream,
                   const LaunchLabel& label) {
  run({FactorsKernel::triangle, label.dtype}, params, params.count * params.n, kFactorsBlock,
      stream, label);
}

void reflected(const FormQParams& params, const StreamPtr& stream, const LaunchLabel& label) {
  run({FactorsKernel::form_q, label.dtype}, params, params.count, kFactorsBlock, stream, label);
}

}  // namespace gpuarray
