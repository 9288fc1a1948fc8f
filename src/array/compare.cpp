// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "array/compare.hpp"

#include <limits>

#include "array/ops.hpp"
#include "backend/backend.hpp"
#include "backend/host/scalar.hpp"

namespace gpuarray::ops {
namespace {

bool is_comparison(Op op) { return op >= Op::equal && op <= Op::greater_equal; }

// Returns the comparison that gives the same with exchanged operands.
Op mirrored(Op op) {
  switch (op) {
    case Op::less:
      return Op::greater;
    case Op::less_equal:
      return Op::greater_equal;
    case Op::greater:
      return Op::less;
    case Op::greater_equal:
      return Op::less_equal;
    default:
      return op;
  }
}

// Returns -1 if the Python integer is below every value of `dtype`, 1 if above, 0 if it fits.
int beyond(const Scalar& scalar, DType dtype) {
  if (scalar.oversized) return scalar.as<double>() < 0 ? -1 : 1;
  bool is_signed = kind(dtype) == 'i';
  int bits = 8 * itemsize(dtype) - (is_signed ? 1 : 0);
  uint64_t highest = std::numeric_limits<uint64_t>::max() >> (64 - bits);
  if (scalar.dtype == DType::uint64) return scalar.as<uint64_t>() > highest ? 1 : 0;
  int64_t value = scalar.as<int64_t>();
  if (value >= 0) return static_cast<uint64_t>(value) > highest ? 1 : 0;
  return !is_signed || value < -static_cast<int64_t>(highest) - 1 ? -1 : 0;
}

// Returns the result of the comparison if the left operand is below the right one.
bool holds_below(Op op) { return op == Op::less || op == Op::less_equal || op == Op::not_equal; }

bool holds_above(Op op) {
  return op == Op::greater || op == Op::greater_equal || op == Op::not_equal;
}

Array filled(bool value, const Shape& shape, Device device) {
  Array out = empty(shape, DType::bool_, device);
  assign(out, Scalar::of(value));
  return out;
}

std::optional<Array> compare_with_python(Op op, const Operand& left, const Scalar& right,
                                         const Shape& shape, Device device) {
  DType dtype = promote_weak(left.dtype(), 'i');
  if (!right.weak || right.given_kind() != 'i' || !is_integer(dtype)) return std::nullopt;
  int side = beyond(right, dtype);
  if (side == 0) return std::nullopt;
  return filled(side > 0 ? holds_below(op) : holds_above(op), shape, device);
}

// Compares a signed number `left` with an array `right` of uint64.
Array compare_sign(Op op, const Scalar& left, const Operand& right, const Shape& shape,
                   Device device) {
  if (cast_scalar(left, DType::int64).as<int64_t>() < 0)
    return filled(holds_below(op), shape, device);
  const Operand values[] = {cast_scalar(left, DType::uint64), right};
  return elementwise(op, values);
}

// Compares signed `left` with `right` of uint64: a negative number is below, any other is compared
// as uint64.
Array compare_signs(Op op, const Operand& left, const Operand& right, const Shape& shape,
                    Device device) {
  if (left.array() == nullptr) return compare_sign(op, left.scalar(), right, shape, device);
  const Operand sign[] = {left, Scalar::weak_int(0)};
  const Array negative = elementwise(Op::less, sign);
  const Array magnitude = astype(*left.array(), DType::uint64);
  const Operand values[] = {magnitude, right};
  const Array compared = elementwise(op, values);
  if (holds_below(op)) {
    const Operand either[] = {negative, compared};
    return elementwise(Op::bitwise_or, either);
  }
  const Operand not_negative[] = {negative};
  const Array at_least_zero = elementwise(Op::logical_not, not_negative);
  const Operand both[] = {at_least_zero, compared};
  return elementwise(Op::bitwise_and, both);
}

}  // namespace

std::optional<Array> compare_exactly(Op op, std::span<const Operand> operands, const Shape& shape,
                                     Device device) {
  if (!is_comparison(op)) return std::nullopt;
  const Operand& left = operands[0];
  const Operand& right = operands[1];
  if (right.array() == nullptr)
    if (auto result = compare_with_python(op, left, right.scalar(), shape, device)) return result;
  if (left.array() == nullptr)
    if (auto result = compare_with_python(mirrored(op), right, left.scalar(), shape, device))
      return result;
  if (left.is_weak() || right.is_weak()) return std::nullopt;
  DType a = left.dtype(), b = right.dtype();
  if (a == DType::uint64 && kind(b) == 'i')
    return compare_signs(mirrored(op), right, left, shape, device);
  if (kind(a) == 'i' && b == DType::uint64) return compare_signs(op, left, right, shape, device);
  return std::nullopt;
}

}  // namespace gpuarray::ops
