// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "array/compare.hpp"
#include "array/operand.hpp"
#include "array/ops.hpp"
#include "core/error.hpp"

namespace gpuarray::ops {
namespace {

// The condition of `where` takes no part in promotion.
std::span<const Operand> promoted_operands(Op op, std::span<const Operand> operands) {
  return info(op).rule == OpRule::SELECT ? operands.subspan(1) : operands;
}

// The dtypes that choose the loop: a weak scalar counts only where its kind is above the others'.
size_t effective_dtypes(std::span<const Operand> operands, DType promoted, DType* dtypes) {
  size_t count = 0;
  for (const Operand& operand : operands) {
    const Scalar* scalar = std::get_if<Scalar>(&operand);
    if (scalar == nullptr) dtypes[count++] = std::get<Array>(operand).dtype();
    if (scalar != nullptr && !scalar->weak) dtypes[count++] = scalar->dtype;
  }
  DType strong = dtypes[0];
  for (size_t i = 1; i < count; ++i) strong = promote(strong, dtypes[i]);
  if (count == 0 || strong != promoted) dtypes[count++] = promoted;
  return count;
}

LoopTypes loop_types(Op op, std::span<const Operand> operands, std::optional<DType> dtype) {
  std::span<const Operand> counted = promoted_operands(op, operands);
  DType promoted = result_dtype(counted);
  if (dtype && !can_cast(promoted, *dtype, Casting::same_kind))
    throw TypeError(std::string(info(op).name) + ": cannot compute operands of dtype " +
                    name(promoted) + " in dtype " + name(*dtype) + " with casting 'same_kind'");
  if (dtype) return resolve(op, *dtype);
  DType dtypes[kMaxOperands + 1];
  return resolve(op, std::span(dtypes, effective_dtypes(counted, promoted, dtypes)));
}

Shape broadcast_operands(Op op, std::span<const Operand> operands, const Array* out) {
  Shape shapes[kMaxOperands];
  size_t count = 0;
  for (const Operand& operand : operands)
    if (const Array* array = std::get_if<Array>(&operand)) shapes[count++] = array->shape();
  Shape shape = broadcast_shapes(std::span(shapes, count), info(op).name);
  if (out == nullptr || out->shape() == shape) return shape;
  shapes[count++] = out->shape();
  if (broadcast_shapes(std::span(shapes, count), info(op).name) != out->shape())
    throw ShapeError(std::string(info(op).name) + ": a result of shape " + to_string(shape) +
                     " does not broadcast into out of shape " + to_string(out->shape()));
  return out->shape();
}

// Laid out as NumPy's order='K'.
Array new_result(std::span<const Operand> operands, const Shape& shape, DType dtype,
                 Device device) {
  Array made = empty(shape, dtype, device);
  Strides strides[kMaxOperands];
  size_t count = 0;
  bool is_plain = true;
  for (const Operand& operand : operands) {
    const Array* array = std::get_if<Array>(&operand);
    if (array == nullptr) continue;
    is_plain = is_plain && array->is_c_contiguous();
    strides[count++] = broadcast_strides(array->shape(), array->strides(), shape);
  }
  return is_plain ? made : made.view(shape, common_order_strides(shape, std::span(strides, count)));
}

Operand convert(const Operand& operand, DType dtype) {
  if (const Scalar* scalar = std::get_if<Scalar>(&operand)) return cast_scalar(*scalar, dtype);
  const Array& array = std::get<Array>(operand);
  return array.dtype() == dtype ? array : astype(array, dtype, 'K');
}

void require_castable(Op op, DType result, const Array& out) {
  if (!can_cast(result, out.dtype(), Casting::same_kind))
    throw TypeError(std::string(info(op).name) + ": cannot write a result of dtype " +
                    name(result) + " into an array of dtype " + name(out.dtype()) +
                    " with casting 'same_kind'");
}

// NumPy refuses negative exponents of integers; an array of exponents has to be looked at, which
// waits for it.
void require_exponents(DType loop, const Operand& exponent) {
  if (kind(loop) != 'i') return;
  bool negative = false;
  if (const Scalar* scalar = std::get_if<Scalar>(&exponent)) {
    negative = cast_scalar(*scalar, DType::int64).as<int64_t>() < 0 && kind(scalar->dtype) == 'i';
  } else {
    const Array& array = std::get<Array>(exponent);
    if (kind(array.dtype()) != 'i') return;
    const Operand operands[] = {array, Scalar::weak_int(0)};
    copy_to_host(reduce_all(Reduction::any, elementwise(Op::less, operands)),
                 {&negative, sizeof negative}, 'C', true);
  }
  if (negative) throw ValueError("Integers to negative integer powers are not allowed.");
}

void run(Op op, DType loop, const Array& target, std::span<const Operand> operands) {
  if (target.size() == 0) return;
  Access access(current_stream(target.device()));
  ElementwisePlan plan = plan_for(target, access);
  for (const Operand& operand : operands) {
    if (const Scalar* scalar = std::get_if<Scalar>(&operand))
      add_operand(plan, *scalar);
    else
      add_operand(plan, std::get<Array>(operand), access);
  }
  finish(plan);
  backend_of(target.device()).elementwise(op, loop, plan, access.stream());
}

// Whether the operation can write `out` as it goes.
bool can_write_directly(const Array& out, DType result, std::span<const Operand> operands) {
  if (out.dtype() != result) return false;
  for (const Operand& operand : operands) {
    const Array* array = std::get_if<Array>(&operand);
    if (array != nullptr && overlaps(out, *array)) return false;
  }
  return true;
}

}  // namespace

DType result_dtype(std::span<const Operand> operands) {
  std::optional<DType> strong;
  char weak = 0;  // of i f c, the highest
  for (const Operand& operand : operands) {
    const Scalar* scalar = std::get_if<Scalar>(&operand);
    if (scalar != nullptr && scalar->weak) {
      char rank = scalar->given_kind();
      if (weak == 0 || rank == 'c' || (rank == 'f' && weak == 'i')) weak = rank;
      continue;
    }
    DType dtype = scalar != nullptr ? scalar->dtype : std::get<Array>(operand).dtype();
    strong = strong ? promote(*strong, dtype) : dtype;
  }
  if (!strong) {
    if (weak == 'i') return DType::int64;
    return weak == 'f' ? DType::float64 : DType::complex128;
  }
  return weak == 0 ? *strong : promote_weak(*strong, weak);
}

Array elementwise(Op op, std::span<const Operand> operands, const Array* out,
                  std::optional<DType> dtype) {
  const char* what = info(op).name;
  Device device = common_device(operands, out, what);
  LoopTypes types = loop_types(op, operands, dtype);
  Shape shape = broadcast_operands(op, operands, out);
  if (out != nullptr) {
    require_writable(*out, what);
    require_castable(op, types.result, *out);
  }
  if (std::optional<Array> special = compare_exactly(op, operands, shape, device)) {
    if (out == nullptr) return *special;
    assign(*out, *special);
    return *out;
  }
  if (op == Op::power) require_exponents(types.loop, operands[1]);
  Operand converted[kMaxOperands];
  for (size_t i = 0; i < operands.size(); ++i) {
    bool condition = info(op).rule == OpRule::SELECT && i == 0;
    converted[i] = convert(operands[i], condition ? DType::bool_ : types.loop);
  }
  std::span<const Operand> inputs(converted, operands.size());
  bool direct = out != nullptr && can_write_directly(*out, types.result, inputs);
  Array target = direct ? *out : new_result(inputs, shape, types.result, device);
  run(op, types.loop, target, inputs);
  if (out == nullptr || direct) return target;
  assign(*out, target);
  return *out;
}

}  // namespace gpuarray::ops
