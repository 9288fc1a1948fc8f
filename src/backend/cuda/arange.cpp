// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/cuda/kernel_table.hpp"
#include "backend/cuda/operations.hpp"
#include "backend/kernel_source.hpp"

namespace gpuarray {
namespace {

struct ArangeKernel {
  static constexpr size_t kCount = kDTypeCount;

  DType dtype;

  int index() const { return static_cast<int>(dtype); }
  BuiltKernel built() const {
    return {"arange", std::string("arange_") + source::identifier(dtype)};
  }
  std::string text() const {
    const std::string type = source::cpp_type(dtype);
    return source::kernel(source::include("elementwise/arange.cuh"),
                          "void* out, int64_t length, " + type + " start, " + type +
                              " step, int64_t steps, " + type + " last",
                          "arange_kernel<" + type + ">(static_cast<" + type +
                              "*>(out), length, start, step, steps, last)");
  }
};

constinit KernelFamily<ArangeKernel> kernels;

}  // namespace

void cuda_arange(DType dtype, void* data, int64_t length, Scalar start, Scalar step,
                 const Scalar* last, const Stream& stream) {
  int64_t steps = last == nullptr ? length : length - 1;
  Scalar end = last == nullptr ? start : *last;
  void* arguments[] = {&data, &length, start.bytes, step.bytes, &steps, end.bytes};
  launch(kernels.find({dtype}, stream.device()), linear_launch(length, stream), arguments, stream,
         {"arange", dtype, Shape{length}});
}

}  // namespace gpuarray
