// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "backend/host/host.hpp"
#include "backend/visit.hpp"

namespace gpuarray::host {
namespace {

template <size_t kSize>
using word_of = std::conditional_t<
    kSize == 1, uint8_t,
    std::conditional_t<kSize == 2, uint16_t, std::conditional_t<kSize == 4, uint32_t, uint64_t>>>;

}  // namespace

bool fill(const ElementwisePlan& plan) {
  const bool is_dense =
      plan.shape.size() == 0 || (plan.shape.size() == 1 && plan.strides[0][0] == 1);
  const int bytes = itemsize(plan.dtypes[0]);
  if (plan.data[1] != nullptr || !is_dense || bytes > 8) return false;
  alignas(16) char element[kMaxItemsize];
  char* const data[] = {element,
                        reinterpret_cast<char*>(const_cast<unsigned char*>(plan.scalar(1)))};
  const int64_t steps[] = {1, 0};
  cast_loop(plan.dtypes[1], plan.dtypes[0])(data, steps, 1);
  return visit_dtype(plan.dtypes[0], [&]<class T>() {
    using Word = word_of<sizeof(T)>;
    Word word;
    std::copy_n(element, sizeof word, reinterpret_cast<char*>(&word));
    std::fill_n(static_cast<Word*>(plan.data[0]), plan.size, word);
    return true;
  });
}

}  // namespace gpuarray::host
