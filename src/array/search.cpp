// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "array/operand.hpp"
#include "array/ops.hpp"
#include "backend/devices/backend_of.hpp"

namespace gpuarray::ops {

Array search_sorted(const Array& sorted, const Array& queries, const Array* sorter, bool right) {
  const Operand operands[] = {sorted, queries};
  common_device(operands, sorter, "searchsorted");
  const DType dtype = result_dtype(operands);
  const Array table = contiguous(sorted, dtype), input = contiguous(queries, dtype);
  const Array target = empty(queries.shape(), DType::int64, queries.device());
  if (target.size() == 0) return target;
  if (sorted.size() == 0) {
    assign(target, Scalar::weak_int(0));
    return target;
  }
  const Array order = sorter != nullptr ? contiguous(*sorter, DType::int64) : Array();
  Access access(current_stream(target.device()));
  SearchPlan plan{.dtype = dtype, .length = table.size(), .count = target.size()};
  plan.sorted = access.read(table);
  if (sorter != nullptr) plan.sorter = static_cast<const int64_t*>(access.read(order));
  plan.queries = access.read(input);
  plan.target = static_cast<int64_t*>(access.write(target));
  plan.right = right;
  plan.shape = &queries.shape();
  backend_of(target.device()).search(plan, access.stream());
  return target;
}

}  // namespace gpuarray::ops
