// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/cuda/search.hpp"
#include "array/operand.hpp"
#include "array/ops.hpp"

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
  SearchParams params{};
  params.sorted = access.read(table);
  if (sorter != nullptr) params.sorter = static_cast<const int64_t*>(access.read(order));
  params.queries = access.read(input);
  params.target = static_cast<int64_t*>(access.write(target));
  params.length = table.size();
  params.count = target.size();
  params.right = right;
  cuda_search(dtype, params, queries.shape(), access.stream());
  return target;
}

}  // namespace gpuarray::ops
