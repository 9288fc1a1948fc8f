// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <vector>

#include "backend/indexing.hpp"
#include "backend/sorting.hpp"
#include "core/dims.hpp"
#include "core/dtype.hpp"
#include "core/op.hpp"
#include "core/scalar.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray {

inline constexpr int kMaxOperands = 4;  // one result and up to three operands

// An element-wise launch: operand 0 is written, the others are read. An operand whose data is null
// is the scalar of the same index, of the loop's dtype, read everywhere. Dtypes other than the
// loop's are converted on the way.
struct ElementwisePlan {
  Shape shape;  // collapsed
  int64_t size = 0;
  int operand_count = 0;
  DType dtypes[kMaxOperands];
  void* data[kMaxOperands];
  Strides strides[kMaxOperands];  // elements
  // The target's shape before it was collapsed, for reports; null: `shape`. Outlives the plan.
  const Shape* target_shape = nullptr;

  // Each adds an operand and returns its strides, to be filled.
  Strides& add(DType dtype, const void* address) {
    dtypes[operand_count] = dtype;
    data[operand_count] = const_cast<void*>(address);
    return strides[operand_count++];
  }
  Strides& add(const Scalar& scalar) {
    scalars_[operand_count] = scalar;
    return add(scalar.dtype, nullptr);
  }
  const unsigned char* scalar(int k) const { return scalars_[k].bytes; }

 private:
  Scalar scalars_[kMaxOperands];
};

// For each index of `kept`, reduces over all of `reduced`.
struct ReducePlan {
  DType source_dtype;  // that of the loop, unless has_direct_reduction
  Shape kept;
  Shape reduced;
  const void* source = nullptr;  // null: the kernel makes the elements
  Strides kept_strides;          // of the source, elements
  Strides reduced_strides;       // of the source, elements
  void* target = nullptr;
  Strides target_strides;               // along kept, elements
  double divisor = 1;                   // of averages
  const Shape* source_shape = nullptr;  // for reports, outlives the plan
};

// Accumulates along one axis, for each index of `kept`.
struct ScanPlan {
  DType source_dtype;            // that of the loop, unless has_direct_scan
  Shape kept;                    // collapsed, the innermost last
  int64_t length = 0;            // of the scanned axis
  const void* source = nullptr;  // null: the kernel makes the elements
  int64_t source_step = 0;       // along the scanned axis, elements
  Strides source_strides;        // along kept, elements
  void* target = nullptr;        // the source itself, or apart from it
  int64_t target_step = 0;
  Strides target_strides;
  const Shape* source_shape = nullptr;  // for reports, outlives the plan
};

// The dtype that products of `dtype` are summed in: float32 for float16 and bfloat16.
DType matmul_accumulator(DType dtype);

// Whether a library would spend longer on the call than our kernel, which takes any strides, on the
// product.
bool is_small_matmul(int64_t batches, int64_t m, int64_t n, int64_t k);

// target[b, m, n] = sum over k of a[b, m, k] * b[b, k, n]; strides in elements.
struct MatmulPlan {
  Shape batch;
  int64_t m = 0, n = 0, k = 0;
  const void* a = nullptr;
  const void* b = nullptr;
  void* target = nullptr;
  Strides a_batch, b_batch, target_batch;
  int64_t a_strides[2] = {}, b_strides[2] = {}, target_strides[2] = {};
  const Shape* target_shape = nullptr;  // for reports, outlives the plan
  // Where it is `scaled`: target = alpha * sum, plus beta * target where it `accumulates`; the
  // factors are of matmul_accumulator(dtype).
  bool scaled = false;
  bool accumulates = false;
  Scalar alpha, beta;
};

// Copies contiguous parts into rows of a contiguous target.
struct JoinPlan {
  struct Part {
    const void* source;
    int64_t offset;  // in a row, bytes
    int64_t bytes;   // of a row
  };
  void* target = nullptr;
  DType dtype = DType::uint8;           // for reports, as is the shape
  const Shape* target_shape = nullptr;  // outlives the plan
  int64_t pitch = 0;                    // bytes of a row of the target
  int64_t rows = 0;
  std::vector<Part> parts;
};

class Expression;
struct ExpressionPlan;

// How plans run on one kind of device. All calls queue on `stream`.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual void elementwise(Op op, DType loop, const ElementwisePlan& plan,
                           const StreamPtr& stream) = 0;
  // target = source converted; operands 0 and 1. A scalar is of the target's dtype.
  virtual void cast(const ElementwisePlan& plan, const StreamPtr& stream) = 0;
  virtual void reduce(Reduction reduction, DType loop, const ReducePlan& plan,
                      const StreamPtr& stream) = 0;
  virtual void scan(Scan scan, DType loop, const ScanPlan& plan, const StreamPtr& stream) = 0;
  // data[i] = start + i * step, contiguous; the scalars are of `dtype`.
  virtual void arange(DType dtype, void* data, int64_t length, const Scalar& start,
                      const Scalar& step, const StreamPtr& stream) = 0;
  // Compiles first where that is due, before it opens the plan's memory.
  virtual void expression(Expression& expression, ExpressionPlan& plan,
                          const StreamPtr& stream) = 0;
  virtual void join(const JoinPlan& plan, const StreamPtr& stream) = 0;
  virtual void matmul(DType dtype, const MatmulPlan& plan, const StreamPtr& stream) = 0;
  // Indices out of bounds: IndexError from the host; a CUDA device leaves their elements out, and
  // tells of the first at the next wait.
  virtual void gather(const IndexedPlan& plan, const StreamPtr& stream) = 0;
  // Of several values for one element the last one stays.
  virtual void scatter(const IndexedPlan& plan, const StreamPtr& stream) = 0;
  // element = element op value, for each value.
  virtual void combine(Op op, const IndexedPlan& plan, const StreamPtr& stream) = 0;
  // Writes all of `found` for a contiguous mask.
  virtual void count_true(const bool* mask, int64_t size, const MaskFlags& found,
                          const StreamPtr& stream) = 0;
  virtual void select(const SelectPlan& plan, const StreamPtr& stream) = 0;
  // The other way round.
  virtual void spread(const SelectPlan& plan, const StreamPtr& stream) = 0;
  virtual void nonzero(const NonzeroPlan& plan, const StreamPtr& stream) = 0;
  // The elements of each row in order.
  virtual void sort(const SortPlan& plan, const StreamPtr& stream) = 0;
  // Where in its row each element of the order lies.
  virtual void argsort(const SortPlan& plan, const StreamPtr& stream) = 0;
  virtual void count_runs(const RunsPlan& plan, const StreamPtr& stream) = 0;
  // A position of `sorter` that is out of bounds: ValueError from the host; a CUDA device takes the
  // first element.
  virtual void search(const SearchPlan& plan, const StreamPtr& stream) = 0;
  // CUDA devices add weights in no fixed order.
  virtual void histogram(const HistogramPlan& plan, const StreamPtr& stream) = 0;
};

// Throws ShapeError for more axes than the parameters of kernels hold
// (kernels/elementwise/params.hpp).
void require_param_dims(const Shape& shape);

// Whether every backend reduces `source` as `loop` in one pass, converting each element as it is
// read; otherwise the source must be converted first.
bool has_direct_reduction(Reduction reduction, DType source, DType loop);
// The same for scans.
bool has_direct_scan(Scan scan, DType source, DType loop);

}  // namespace gpuarray
