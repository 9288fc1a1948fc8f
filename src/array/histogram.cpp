// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "array/operand.hpp"
#include "array/ops.hpp"
#include "backend/devices/backend_of.hpp"
#include "core/error.hpp"
#include "runtime/buffer/deferred.hpp"

namespace gpuarray::ops {
namespace {

DType bin_dtype(DType dtype, bool has_edges) {
  if (dtype == DType::bool_) return DType::uint8;
  if (kind(dtype) == 'c' || (!has_edges && !is_integer(dtype)))
    throw TypeError(std::string("histogram: dtype ") + name(dtype) + " is not supported");
  return dtype;
}

}  // namespace

Array histogram(const Array& source, int64_t bins, const Array* edges, const Array* weights,
                bool even) {
  const Operand operands[] = {source, weights != nullptr ? *weights : source};
  common_device(operands, edges, "histogram");
  const DType dtype = bin_dtype(source.dtype(), edges != nullptr);
  const Array input = contiguous(source, dtype);
  const Array limits = edges != nullptr ? contiguous(*edges, DType::float64) : Array();
  const Array weighed = weights != nullptr ? contiguous(*weights, DType::float64) : Array();
  const Array target =
      empty(Shape{bins}, weights != nullptr ? DType::float64 : DType::int64, source.device());
  assign(target, Scalar::weak_int(0));
  if (input.size() == 0 || bins == 0) return target;
  run_deferred_first();
  Access access(current_stream(source.device()));
  HistogramPlan plan{.dtype = dtype, .count = input.size(), .bins = bins};
  plan.source = access.read(input);
  if (weights != nullptr) plan.weights = static_cast<const double*>(access.read(weighed));
  plan.target = access.write(target);
  if (edges != nullptr) plan.edges = static_cast<const double*>(access.read(limits));
  plan.even = even;
  plan.shape = &source.shape();
  backend_of(source.device()).histogram(plan, access.stream());
  return target;
}

}  // namespace gpuarray::ops
