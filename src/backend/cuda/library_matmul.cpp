// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Multiplies matrices by cuBLAS, which takes matrices column by column or the transposes of such.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#include "backend/cuda/operations.hpp"
#include "backend/host/scalar.hpp"
#include "core/layout.hpp"
#include "kernels/tuning.hpp"
#include "runtime/buffer/buffer.hpp"
#include "runtime/device/device.hpp"
#include "runtime/driver/cublas_library.hpp"
#include "runtime/libraries/cublas.hpp"
#include "runtime/libraries/matmul_precision.hpp"

namespace gpuarray {
namespace {

struct BlasDType {
  BlasType type;
  BlasCompute compute;
};

std::optional<BlasDType> blas_dtype(DType dtype) {
  const bool tf32 = matmul_precision() == MatmulPrecision::high;
  const BlasCompute single = tf32 ? BlasCompute::tf32 : BlasCompute::float32;
  switch (dtype) {
    case DType::float16:
      return BlasDType{BlasType::float16, BlasCompute::float32};
    case DType::bfloat16:
      return BlasDType{BlasType::bfloat16, BlasCompute::float32};
    case DType::float32:
      return BlasDType{BlasType::float32, single};
    case DType::complex64:
      return BlasDType{BlasType::complex64, single};
    case DType::float64:
      return BlasDType{BlasType::float64, BlasCompute::float64};
    case DType::complex128:
      return BlasDType{BlasType::complex128, BlasCompute::float64};
    case DType::int8:
      return BlasDType{BlasType::int8, BlasCompute::int32};
    default:
      return std::nullopt;
  }
}

// How memory holds a matrix, or its transpose, column by column: each column begins `leading`
// elements after the one before.
struct Layout {
  bool transposed;
  int64_t leading;
};

std::optional<Layout> layout_of(const int64_t (&strides)[2], int64_t rows, int64_t columns) {
  const auto& [down, across] = strides;
  if (rows == 1 && across == 1) return Layout{true, columns};  // a vector
  if ((rows == 1 || down == 1) && (columns == 1 || across >= rows))
    return Layout{false, columns == 1 ? rows : across};
  if ((columns == 1 || across == 1) && (rows == 1 || down >= columns))
    return Layout{true, rows == 1 ? columns : down};
  return std::nullopt;
}

enum Member { kTarget, kA, kB };

struct Product {
  MatmulPlan plan;
  Shape shape;  // of the batch, its axes collapsed
  std::array<Strides, 3> strides;
};

// Merges the `count` rows (`line` 0) or columns (`line` 1) of a matrix with those of its copies,
// which lie `step` elements apart, to `merged` ones of `length` elements each. Returns whether they
// are equally spaced and make a matrix that cuBLAS takes.
bool merge_lines(int64_t (&strides)[2], int line, int64_t count, int64_t step, int64_t merged,
                 int64_t length) {
  if (count == 1) strides[line] = step;  // a single row or column may have had any stride
  if (step != count * strides[line]) return false;
  return (line == 0 ? layout_of(strides, merged, length) : layout_of(strides, length, merged))
      .has_value();
}

// Folds the innermost axis of the batch into the matrices and returns true, if operand `stays` does
// not move along it and operand `goes` moves on to its next rows (`line` 0) or columns (`line` 1).
bool fold(Product& product, Member stays, Member goes, int line) {
  const int axis = product.shape.size() - 1;
  if (product.strides[stays][axis] != 0) return false;
  MatmulPlan& p = product.plan;
  int64_t& count = line == 0 ? p.m : p.n;
  const int64_t merged = count * product.shape[axis];
  int64_t (&moved)[2] = goes == kA ? p.a_strides : p.b_strides;
  int64_t operand[] = {moved[0], moved[1]};
  int64_t target[] = {p.target_strides[0], p.target_strides[1]};
  if (!merge_lines(operand, line, count, product.strides[goes][axis], merged, p.k) ||
      !merge_lines(target, line, count, product.strides[kTarget][axis], merged,
                   line == 0 ? p.n : p.m))
    return false;
  moved[line] = operand[line];
  p.target_strides[line] = target[line];
  count = merged;
  product.shape.erase(axis);
  for (Strides& each : product.strides) each.erase(axis);
  return true;
}

// Turns c = a @ b into c.T = b.T @ a.T.
void transpose(Product& product) {
  MatmulPlan& p = product.plan;
  std::swap(p.a, p.b);
  std::swap(p.m, p.n);
  std::swap(p.a_strides, p.b_strides);
  for (int64_t (*strides)[2] : {&p.a_strides, &p.b_strides, &p.target_strides})
    std::swap((*strides)[0], (*strides)[1]);
  std::swap(product.strides[kA], product.strides[kB]);
}

// Returns the product with its batch folded and, where possible, with a target that lies column by
// column. The target of a product with a vector becomes one column.
Product simplify(const MatmulPlan& plan) {
  Product product{plan, plan.batch, {plan.target_batch, plan.a_batch, plan.b_batch}};
  collapse(product.shape, product.strides);
  MatmulPlan& p = product.plan;
  while (!product.shape.empty() && (fold(product, kB, kA, 0) || fold(product, kA, kB, 1))) {
  }
  const std::optional<Layout> target = layout_of(p.target_strides, p.m, p.n);
  if (target && target->transposed) transpose(product);
  return product;
}

const Scalar& one(DType dtype) {
  static const auto ones = [] {
    std::array<Scalar, kDTypeCount> made;
    for (int k = 0; k < kDTypeCount; ++k)
      made[static_cast<size_t>(k)] = cast_scalar(Scalar::weak_int(1), static_cast<DType>(k));
    return made;
  }();
  return ones[static_cast<size_t>(dtype)];
}

int64_t workspace_of(const MatmulPlan& plan, Device device) {
  const double products =
      double(element_count(plan.batch)) * double(plan.m) * double(plan.n) * double(plan.k);
  if (products <= kMatmulSmallProducts) return kMatmulSmallWorkspace;
  return properties(device).compute_major >= 9 ? kMatmulWorkspace : kMatmulOldWorkspace;
}

// Returns whether tensor cores can read the matrices: they need words of four bytes.
bool is_aligned(const Gemm& gemm) {
  auto fits = [](const BlasMatrix& matrix) {
    return reinterpret_cast<uintptr_t>(matrix.data) % 4 == 0 && matrix.leading % 4 == 0 &&
           matrix.batch_stride % 4 == 0;
  };
  return fits(gemm.a) && fits(gemm.b);
}

// Returns the cuBLAS call for one product, without the batch; nullopt if a layout does not fit.
std::optional<Gemm> gemm_of(const MatmulPlan& plan, BlasDType dtype, BlasType target_type) {
  const std::optional<Layout> a = layout_of(plan.a_strides, plan.m, plan.k);
  const std::optional<Layout> b = layout_of(plan.b_strides, plan.k, plan.n);
  const std::optional<Layout> c = layout_of(plan.target_strides, plan.m, plan.n);
  if (!a || !b || !c) return std::nullopt;
  auto matrix = [](const void* data, BlasType type, const Layout& layout) {
    return BlasMatrix{data, type, layout.transposed, layout.leading, 0};
  };
  Gemm gemm{};
  gemm.m = plan.m;
  gemm.n = plan.n;
  gemm.k = plan.k;
  gemm.batches = 1;
  gemm.a = matrix(plan.a, dtype.type, *a);
  gemm.b = matrix(plan.b, dtype.type, *b);
  gemm.c = matrix(plan.target, target_type, *c);
  gemm.compute = dtype.compute;
  return gemm;
}

// Returns the cuBLAS calls for the whole batch: each walks the longest axis of the batch, and there
// is one for each index of the other axes.
std::vector<Gemm> along_batch(Gemm gemm, const Product& product, const int64_t (&itemsizes)[3]) {
  Shape shape = product.shape;
  std::array<Strides, 3> strides = product.strides;
  BlasMatrix* const members[] = {&gemm.c, &gemm.a, &gemm.b};
  if (!shape.empty()) {
    const int longest =
        static_cast<int>(std::max_element(shape.begin(), shape.end()) - shape.begin());
    gemm.batches = shape[longest];
    shape.erase(longest);
    for (size_t k = 0; k < 3; ++k) {
      members[k]->batch_stride = strides[k][longest];
      strides[k].erase(longest);
    }
  }
  const Gemm first = gemm;
  std::vector<Gemm> gemms;
  for (int64_t index = 0; index < element_count(shape); ++index) {
    gemm = first;
    int64_t rest = index;
    for (int axis = shape.size() - 1; axis >= 0; rest /= shape[axis--])
      for (size_t k = 0; k < 3; ++k)
        members[k]->data = static_cast<const char*>(members[k]->data) +
                           rest % shape[axis] * strides[k][axis] * itemsizes[k];
    gemms.push_back(gemm);
  }
  return gemms;
}

bool queue(const MatmulPlan& plan, DType dtype, DType target_dtype, BlasDType types,
           BlasType target_type, const StreamPtr& stream) {
  const Product product = simplify(plan);
  std::optional<Gemm> gemm = gemm_of(product.plan, types, target_type);
  if (!gemm) return false;
  const int64_t itemsizes[] = {itemsize(target_dtype), itemsize(dtype), itemsize(dtype)};
  const Scalar none;
  const DType accumulator = compute_dtype(target_dtype);
  gemm->alpha = plan.scaled ? plan.alpha.bytes : one(accumulator).bytes;
  gemm->beta = plan.accumulates ? plan.beta.bytes : none.bytes;
  gemm->workspace = workspace_of(plan, stream->device());
  const std::vector<Gemm> gemms = along_batch(*gemm, product, itemsizes);
  if (types.type == BlasType::int8 && !std::ranges::all_of(gemms, is_aligned)) return false;
  return queue_gemms(gemms, stream, {"matmul", dtype, *plan.target_shape});
}

// Multiplies int8 by sums in int32, whose last 8 bits are those of a sum in int8.
bool int8_matmul(const MatmulPlan& plan, BlasDType types, const StreamPtr& stream) {
  constexpr int64_t kMostExact = (1 << 17) - 1;  // products of two int8 that int32 can sum
  if (plan.scaled || plan.k > kMostExact) return false;
  Shape shape = plan.batch;
  shape.push_back(plan.m);
  shape.push_back(plan.n);
  Strides narrow = plan.target_batch;
  narrow.push_back(plan.target_strides[0]);
  narrow.push_back(plan.target_strides[1]);
  const Strides wide = contiguous_strides(shape);
  const int64_t size = element_count(shape);
  const BufferPtr sums = Buffer::allocate(size * itemsize(DType::int32), stream);
  MatmulPlan summed = plan;
  summed.target = sums->data();
  for (int axis = 0; axis < plan.batch.size(); ++axis) summed.target_batch[axis] = wide[axis];
  summed.target_strides[0] = plan.n;
  summed.target_strides[1] = 1;
  if (!queue(summed, DType::int8, DType::int32, types, BlasType::int32, stream)) return false;
  ElementwisePlan cast;
  cast.shape = shape;
  cast.target_shape = plan.target_shape;
  cast.size = size;
  cast.add(DType::int8, plan.target) = narrow;
  cast.add(DType::int32, sums->data()) = wide;
  collapse(cast.shape, cast.all_strides());
  cuda_elementwise(std::nullopt, DType::int8, cast, stream);
  return true;
}

}  // namespace

bool library_matmul(DType dtype, const MatmulPlan& plan, const StreamPtr& stream) {
  const std::optional<BlasDType> types = blas_dtype(dtype);
  if (!types || plan.k == 0 || !cublas_library.available()) return false;
  if (dtype == DType::int8) return int8_matmul(plan, *types, stream);
  return queue(plan, dtype, dtype, *types, types->type, stream);
}

}  // namespace gpuarray
