// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/linalg/small_matrices.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "backend/backend.hpp"
#include "backend/cuda/kernel_table.hpp"
#include "backend/error_record.hpp"
#include "backend/grid.hpp"
#include "backend/kernel_source.hpp"
#include "core/divide.hpp"
#include "core/layout.hpp"

namespace gpuarray {
namespace {

constexpr const char* kOpNames[] = {"solve",    "solve_vector", "inv",    "det",  "slogdet",
                                    "cholesky", "qr",           "raw_qr", "eigh", "svd"};
static_assert(std::size(kOpNames) == kSmallMatrixOps);

constexpr DType kDTypesOfMatrices[] = {DType::float32, DType::float64, DType::complex64,
                                       DType::complex128};

// The kernel of an operation. `bound` is the number of rows and columns for matrices that one
// thread holds, and for others the number of lanes that compute one, or kMostShared for those that
// a block solves.
struct SmallMatrixKernel {
  static constexpr int kBounds = kMostTiny + 4;  // 1 2 3 4 8 16 32 64
  static constexpr size_t kCount = size_t{4} * kBounds * kSmallMatrixOps;

  SmallMatrixOp op;
  DType dtype;
  int bound;

  bool is_tiny() const { return bound <= kMostTiny; }
  bool is_block() const { return bound == kMostShared; }
  int index() const {
    const auto* found =
        std::find(std::begin(kDTypesOfMatrices), std::end(kDTypesOfMatrices), dtype);
    const int place = is_tiny()     ? bound - 1
                      : bound == 8  ? 4
                      : bound == 16 ? 5
                      : bound == 32 ? 6
                                    : 7;
    return (static_cast<int>(found - kDTypesOfMatrices) * kBounds + place) * kSmallMatrixOps +
           static_cast<int>(op);
  }
  std::string op_name() const { return kOpNames[static_cast<int>(op)]; }
  BuiltKernel built() const {
    return {"linalg", "small_" + op_name() + "_" + source::identifier(dtype) +
                          (is_tiny() ? "_" : "_lanes_") + std::to_string(bound)};
  }
  std::string text() const {
    if (is_block())
      return source::kernel(source::include("linalg/block_solve.cuh"),
                            source::by_value("SmallMatrixParams"),
                            "linalg::block_solve_kernel<" + source::cpp_type(dtype) + ">(params)",
                            "__launch_bounds__(kSolveBlock)");
    const std::string kind = is_tiny() ? "tiny" : "lanes";
    return source::kernel(source::include("linalg/" + kind + "_matrices.cuh"),
                          source::by_value("SmallMatrixParams"),
                          "linalg::" + kind + "_matrices_kernel<" + source::cpp_type(dtype) + ", " +
                              std::to_string(bound) + ", SmallMatrixOp::" + op_name() + ">(params)",
                          "__launch_bounds__(" + std::to_string(block()) + ", 1)");
  }
  // Returns the threads of a block, and the matrices that it takes at a time.
  int block() const {
    if (is_block()) return kSolveBlock;
    return is_tiny() ? kTinyBlock : lanes_block(op, bound, itemsize(dtype));
  }
  int matrices_of_block() const {
    return is_block() ? 1 : is_tiny() ? kTinyBlock : block() / bound;
  }
};

constinit KernelFamily<SmallMatrixKernel> kernels;

int bound_of(int64_t m, int64_t n) {
  const int64_t most = std::max(m, n);
  if (m == n && n <= kMostTiny) return static_cast<int>(n);
  return most <= 8 ? 8 : most <= 16 ? 16 : most <= kMostSmall ? kMostSmall : kMostShared;
}

// An operand of the plan, and the rows and columns of its matrices.
struct Shaped {
  MatrixOperand operand;
  int64_t rows, columns;
};

// Makes the operands of kernels out of those of a plan, whose batch it merges.
class Operands {
 public:
  Operands(SmallMatrixParams& params, const Shape& batch) : params_(params), batch_(batch) {}

  void add(SmallMatrixOperand& target, const MatrixOperand& operand, int64_t rows,
           int64_t columns) {
    if (operand.data == nullptr) return;
    targets_[count_] = &target;
    operands_[count_] = {operand, rows, columns};
    strides_[count_++] = operand.batch;
  }

  // Fills all operands and the batch of the parameters.
  void finish() {
    merge_axes(batch_, std::span(strides_, static_cast<size_t>(count_)));
    require_param_dims(batch_);
    params_.batch_ndim = batch_.size();
    std::copy(batch_.begin(), batch_.end(), params_.batch_shape);
    for (int k = 0; k < count_; ++k) fill(*targets_[k], operands_[k], strides_[k]);
  }

 private:
  void fill(SmallMatrixOperand& target, const Shaped& from, const Strides& batch) const {
    const auto& [down, across] = from.operand.strides;
    const int64_t inner = batch.empty() ? 0 : std::abs(batch.back());
    const int64_t least = std::min(std::abs(down), std::abs(across));
    target.data = from.operand.data;
    target.order = batch_.size() > 0 && inner != 0 && inner < least ? SmallMatrixOrder::matrices
                   : from.rows > 1 && (from.columns == 1 || std::abs(down) < std::abs(across))
                       ? SmallMatrixOrder::columns
                       : SmallMatrixOrder::rows;
    target.strides[0] = down;
    target.strides[1] = across;
    std::copy(batch.begin(), batch.end(), target.batch_strides);
    const bool by_rows = fits(across, from.columns, 1) && fits(down, from.rows, from.columns);
    const bool by_columns = fits(down, from.rows, 1) && fits(across, from.columns, from.rows);
    target.dense = (by_rows || by_columns) &&
                   (batch.empty() || (batch.size() == 1 && batch[0] == from.rows * from.columns));
    if (target.dense) target.order = by_rows ? SmallMatrixOrder::rows : SmallMatrixOrder::columns;
  }
  static bool fits(int64_t stride, int64_t count, int64_t wanted) {
    return count == 1 || stride == wanted;
  }

  SmallMatrixParams& params_;
  Shape batch_;
  SmallMatrixOperand* targets_[5];
  Shaped operands_[5];
  Strides strides_[5];
  int count_ = 0;
};

MatrixOperand transposed(MatrixOperand operand) {
  std::swap(operand.strides[0], operand.strides[1]);
  return operand;
}

// Fills the operands as the kernel of the plan's operation takes them.
void add_operands(SmallMatrixParams& p, const SmallMatrixPlan& plan, Operands& operands) {
  const int64_t m = plan.m, n = plan.n, k = plan.k;
  using enum SmallMatrixOp;
  if (plan.op == svd) {  // of a wide matrix it is that of its conjugate transpose
    const bool wide = m < n;
    const int64_t rows = std::max(m, n), columns = std::min(m, n);
    operands.add(p.a, wide ? transposed(plan.a) : plan.a, rows, columns);
    operands.add(p.x, wide ? transposed(plan.z) : plan.x, rows, k);
    operands.add(p.y, plan.y, columns, 1);
    operands.add(p.z, wide ? plan.x : transposed(plan.z), columns, columns);
    p.m = static_cast<int32_t>(rows);
    p.n = static_cast<int32_t>(columns);
    p.conjugated = wide;
    return;
  }
  const bool upper = plan.upper && (plan.op == cholesky || plan.op == eigh);
  p.conjugated = upper;
  operands.add(p.a, upper ? transposed(plan.a) : plan.a, m, n);
  operands.add(p.b, plan.b, n, k);
  switch (plan.op) {
    case solve:
    case solve_vector:
      operands.add(p.x, plan.x, n, k);
      break;
    case det:
    case slogdet:
      operands.add(p.x, plan.x, 1, 1);
      operands.add(p.y, plan.y, 1, 1);
      break;
    case qr:
      operands.add(p.x, plan.x, m, k);
      operands.add(p.y, plan.y, k, n);
      break;
    case raw_qr:
      operands.add(p.x, plan.x, m, n);
      operands.add(p.y, plan.y, std::min(m, n), 1);
      break;
    default:
      operands.add(p.x, upper && plan.op == cholesky ? transposed(plan.x) : plan.x, n, n);
      operands.add(p.y, plan.y, n, 1);
  }
}

// Returns the kernel, of which few are built ahead, so that no warning tells of the others.
KernelHandle kernel_of(const SmallMatrixKernel& key, Device device) {
  KernelEntry& entry = kernels.entry(key, device);
  if (const KernelHandle built = entry.find_built(key, device); built.kernel != nullptr)
    return built;
  if (const KernelHandle made = entry.find_compiled(key, device, true); made.kernel != nullptr)
    return made;
  return entry.find(key, device);  // throws
}

// Queues the plan, whose batch may repeat that which errors tell of.
void queue(const SmallMatrixPlan& plan, const Shape& noted, const StreamPtr& stream) {
  const bool is_vector = plan.op == SmallMatrixOp::solve && plan.k == 1 && plan.n <= kMostSmall;
  const SmallMatrixKernel kernel{is_vector ? SmallMatrixOp::solve_vector : plan.op, plan.dtype,
                                 bound_of(plan.m, plan.n)};
  SmallMatrixParams params{};
  params.m = static_cast<int32_t>(plan.m);
  params.n = static_cast<int32_t>(plan.n);
  params.k = static_cast<int32_t>(plan.op == SmallMatrixOp::inv ? plan.n : plan.k);
  params.matrices = element_count(plan.batch);
  params.noted = element_count(noted);
  params.errors = matrix_errors(plan.function, noted, stream->device());
  Operands operands(params, plan.batch);
  add_operands(params, plan, operands);
  operands.finish();
  // Of a few columns at a time, those of a matrix do not follow each other.
  if (plan.op == SmallMatrixOp::solve && plan.k != 1 && plan.k != plan.n)
    params.b.dense = params.x.dense = false;
  const int64_t blocks = divide_up(params.matrices, int64_t{kernel.matrices_of_block()});
  void* arguments[] = {&params};
  launch(kernel_of(kernel, stream->device()),
         LaunchShape::linear(std::min(blocks, kMostBlocks), kernel.block()), arguments, *stream,
         {plan.function, plan.dtype, noted});
}

// Queues the solution for `count` times `width` columns from `begin` on, with an axis of the batch
// for the count.
void queue_columns(const SmallMatrixPlan& plan, int64_t begin, int64_t width, int64_t count,
                   const StreamPtr& stream) {
  if (count * width == 0) return;
  SmallMatrixPlan part = plan;
  part.k = width;
  part.batch.insert(0, count);
  part.a.batch.insert(0, 0);
  for (MatrixOperand* operand : {&part.b, &part.x}) {
    const int64_t step = operand->strides[1];
    operand->batch.insert(0, width * step);
    operand->data = static_cast<char*>(operand->data) + begin * step * itemsize(plan.dtype);
  }
  queue(part, plan.batch, stream);
}

}  // namespace

void small_matrices(const SmallMatrixPlan& plan, const StreamPtr& stream) {
  if (plan.op != SmallMatrixOp::solve || plan.k <= kMostSmall)
    return queue(plan, plan.batch, stream);
  // Many columns are shared by threads, each of which factors the matrix anew.
  const int64_t width = plan.n <= kMostTiny ? 1 : kMostSmall, count = plan.k / width;
  queue_columns(plan, 0, width, count, stream);
  queue_columns(plan, count * width, plan.k % width, 1, stream);
}

}  // namespace gpuarray
