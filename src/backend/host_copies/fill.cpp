// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>
#include <cstring>

#include "backend/host/copy.hpp"
#include "backend/host/host.hpp"

namespace gpuarray::host {

bool fill(const ElementwisePlan& plan) {
  const bool is_dense =
      plan.shape.size() == 0 || (plan.shape.size() == 1 && plan.strides[0][0] == 1);
  const int bytes = itemsize(plan.dtypes[0]);
  if (plan.data[1] != nullptr || !is_dense) return false;
  alignas(16) char element[kMaxItemsize];
  char* const data[] = {element,
                        reinterpret_cast<char*>(const_cast<unsigned char*>(plan.scalar(1)))};
  const int64_t steps[] = {1, 0};
  cast_loop(plan.dtypes[1], plan.dtypes[0])(data, steps, 1);
  char* const to = static_cast<char*>(plan.data[0]);
  const bool is_zero = std::all_of(element, element + bytes, [](char byte) { return byte == 0; });
  if (is_zero)
    std::memset(to, 0, plan.size * bytes);
  else
    copy_elements(to, 1, element, 0, plan.size, bytes);
  return true;
}

}  // namespace gpuarray::host
