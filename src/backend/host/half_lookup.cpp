// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/host/half_lookup.hpp"

#include <atomic>
#include <cstring>
#include <memory>
#include <numeric>

#include "backend/host/row_runner.hpp"

namespace gpuarray::host {
namespace {

constexpr int kPatterns = 1 << 16;

// Returns the results for all elements of the dtype, in the order of their bits.
std::unique_ptr<uint16_t[]> all_results(Op op, DType dtype) {
  auto patterns = std::make_unique<uint16_t[]>(kPatterns);
  auto results = std::make_unique<uint16_t[]>(kPatterns);
  std::iota(patterns.get(), patterns.get() + kPatterns, uint16_t(0));
  ElementwisePlan plan;
  plan.size = kPatterns;
  plan.shape.push_back(kPatterns);
  plan.add(dtype, results.get()).push_back(1);
  plan.add(dtype, patterns.get()).push_back(1);
  RowRunner(ElementwiseRow(op, dtype, 0), plan).run(0, kPatterns);
  return results;
}

// Of threads that make a table at the same time, one keeps its own. No thread waits for another.
template <Op op, DType dtype>
class Lookup {
 public:
  static void prepare() {
    if (table_.load(std::memory_order_acquire) != nullptr) return;
    const uint16_t* none = nullptr;
    auto made = all_results(op, dtype);
    if (table_.compare_exchange_strong(none, made.get())) made.release();
  }

  // Reads and writes four elements at a time.
  static void row(char* const* data, const int64_t*, int64_t count) {
    const uint16_t* table = table_.load(std::memory_order_acquire);
    auto* out = reinterpret_cast<uint16_t*>(data[0]);
    const auto* a = reinterpret_cast<const uint16_t*>(data[1]);
    int64_t i = 0;
    for (; i + 4 <= count; i += 4) {
      uint64_t four;
      std::memcpy(&four, a + i, sizeof four);
      four = table[four & 0xffff] | uint64_t(table[four >> 16 & 0xffff]) << 16 |
             uint64_t(table[four >> 32 & 0xffff]) << 32 | uint64_t(table[four >> 48]) << 48;
      std::memcpy(out + i, &four, sizeof four);
    }
    for (; i < count; ++i) out[i] = table[a[i]];
  }

 private:
  static inline std::atomic<const uint16_t*> table_ = nullptr;
};

template <Op op>
loops::RowLoop prepared(DType dtype) {
  if (dtype == DType::float16) {
    Lookup<op, DType::float16>::prepare();
    return Lookup<op, DType::float16>::row;
  }
  Lookup<op, DType::bfloat16>::prepare();
  return Lookup<op, DType::bfloat16>::row;
}

}  // namespace

loops::RowLoop half_lookup(Op op, DType dtype) {
  switch (op) {
#define GPUARRAY_LOOKUP(name) \
  case Op::name:              \
    return prepared<Op::name>(dtype);
    GPUARRAY_LOOKUP(cbrt)
    GPUARRAY_LOOKUP(exp)
    GPUARRAY_LOOKUP(exp2)
    GPUARRAY_LOOKUP(expm1)
    GPUARRAY_LOOKUP(log)
    GPUARRAY_LOOKUP(log2)
    GPUARRAY_LOOKUP(log10)
    GPUARRAY_LOOKUP(log1p)
    GPUARRAY_LOOKUP(i0)
    GPUARRAY_LOOKUP(sin)
    GPUARRAY_LOOKUP(cos)
    GPUARRAY_LOOKUP(tan)
    GPUARRAY_LOOKUP(arcsin)
    GPUARRAY_LOOKUP(arccos)
    GPUARRAY_LOOKUP(arctan)
    GPUARRAY_LOOKUP(sinh)
    GPUARRAY_LOOKUP(cosh)
    GPUARRAY_LOOKUP(tanh)
    GPUARRAY_LOOKUP(arcsinh)
    GPUARRAY_LOOKUP(arccosh)
    GPUARRAY_LOOKUP(arctanh)
#undef GPUARRAY_LOOKUP
    default:
      return nullptr;
  }
}

}  // namespace gpuarray::host
