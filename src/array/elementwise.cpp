// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <complex>

#include "array/compare.hpp"
#include "array/operand.hpp"
#include "array/ops.hpp"
#include "array/windows/joining.hpp"
#include "backend/devices/backend_of.hpp"
#include "backend/host/scalar.hpp"
#include "core/error.hpp"
#include "core/promote.hpp"
#include "runtime/stream/recording.hpp"

namespace gpuarray::ops {
namespace {

// Returns the operands that are promoted, which are all but the condition of `where`.
std::span<const Operand> promoted_operands(Op op, std::span<const Operand> operands) {
  return info(op).rule == OpRule::SELECT ? operands.subspan(1) : operands;
}

// Collects the dtypes that choose the loop. A weak scalar counts only if its kind is above that of
// the other operands.
size_t effective_dtypes(std::span<const Operand> operands, DType promoted, DType* dtypes) {
  size_t count = 0;
  for (const Operand& operand : operands)
    if (!operand.is_weak()) dtypes[count++] = operand.dtype();
  if (count == 0 || promote(std::span<const DType>(dtypes, count)) != promoted)
    dtypes[count++] = promoted;
  return count;
}

Shape broadcast_operands(Op op, std::span<const Operand> operands, const Array* out) {
  Shape shapes[kMaxOperands];
  size_t count = 0;
  for (const Operand& operand : operands)
    if (operand.array() != nullptr) shapes[count++] = operand.array()->shape();
  Shape shape = broadcast_shapes(std::span(shapes, count), info(op).name);
  if (out == nullptr || out->shape() == shape) return shape;
  shapes[count++] = out->shape();
  if (broadcast_shapes(std::span(shapes, count), info(op).name) != out->shape())
    throw ShapeError(std::string(info(op).name) + ": a result of shape " + to_string(shape) +
                     " does not broadcast into out of shape " + to_string(out->shape()));
  return out->shape();
}

// Returns a new array that is laid out like the operands, as with NumPy's order='K'.
Array new_result(std::span<const Operand> operands, const Shape& shape, DType dtype,
                 Device device) {
  Strides strides[kMaxOperands];
  size_t count = 0;
  bool is_plain = true;
  for (const Operand& operand : operands) {
    const Array* array = operand.array();
    if (array == nullptr) continue;
    is_plain = is_plain && array->is_c_contiguous();
    strides[count++] = broadcast_strides(array->shape(), array->strides(), shape);
  }
  const int64_t nbytes = element_count(shape, itemsize(dtype)) * itemsize(dtype);
  return Array(memory_for_result(nbytes, device), dtype, shape,
               is_plain ? contiguous_strides(shape)
                        : common_order_strides(shape, std::span(strides, count)));
}

// Throws ValueError for negative exponents of integers, as NumPy does. Checking an array of
// exponents waits for it; throws CaptureError if its stream captures.
void require_exponents(DType loop, const Operand& exponent) {
  if (kind(loop) != 'i') return;
  bool negative = false;
  if (exponent.array() == nullptr) {
    negative = cast_scalar(exponent.scalar(), DType::int64).as<int64_t>() < 0 &&
               kind(exponent.dtype()) == 'i';
  } else {
    if (kind(exponent.dtype()) != 'i') return;
    refuse_wait(*current_stream(exponent.array()->device()), "power: looking at integer exponents");
    const Operand operands[] = {exponent, Scalar::weak_int(0)};
    copy_to_host(reduce_all(Reduction::any, elementwise(Op::less, operands)),
                 {&negative, sizeof negative}, 'C', true);
  }
  if (negative) throw ValueError("Integers to negative integer powers are not allowed.");
}

// Returns the operation that computes the powers of this exponent in the loop, which rounds it, by
// kPowers.
Op power_by(const Scalar& exponent, DType loop) {
  const Scalar rounded = cast_scalar(cast_scalar(exponent, loop), DType::complex128);
  for (const Power& power : kPowers)
    if (rounded.as<std::complex<double>>() == power.exponent) return power.op;
  return Op::power;
}

// Returns whether the result is the same for all elements of `dtype`: integers are finite.
bool has_one_result(Op op, DType dtype) {
  const bool is_test = op == Op::isnan || op == Op::isinf || op == Op::isfinite;
  return is_test && (is_integer(dtype) || dtype == DType::bool_);
}

// Throws what a loop would throw of its scalars, for a loop over no elements.
void check_scalars(Op op, DType loop, std::span<const Operand> operands) {
  for (size_t i = info(op).rule == OpRule::SELECT ? 1 : 0; i < operands.size(); ++i)
    if (operands[i].array() == nullptr && !has_one_result(op, operands[i].dtype()))
      cast_scalar(operands[i].scalar(), loop);
}

// Returns whether the operation can write to `out` directly, which then overlaps no operand.
bool can_write_directly(const Array& out, std::span<const Operand> operands) {
  for (const Operand& operand : operands)
    if (operand.array() != nullptr && overlaps(out, *operand.array())) return false;
  return true;
}

// Returns whether a weak scalar takes part in `op` as an element of `dtype`.
bool joins(Op op, const Scalar& scalar, DType dtype) {
  if (!scalar.weak || promote_weak(dtype, scalar.given_kind()) != dtype) return false;
  return info(op).rule != OpRule::BOOL || !is_integer(dtype);  // comparisons of integers are exact
}

// Returns the loop if no operand needs promotion, a choice of order or broadcasting of axes: all
// arrays are C-contiguous and have one dtype and device, which scalars take, and one shape or no
// axes. Otherwise returns null. Sets `like` to the array of most axes.
const LoopTypes* plain_loop(Op op, std::span<const Operand> operands, const Array* out,
                            const Array*& like) {
  like = operands[0].array();
  const Array* last = operands.back().array();
  if (like == nullptr || (like->ndim() == 0 && last != nullptr)) like = last;
  if (like == nullptr || !like->is_c_contiguous() || info(op).rule == OpRule::SELECT)
    return nullptr;
  DType dtype = like->dtype();
  if ((op == Op::power && is_integer(dtype)) || has_one_result(op, dtype)) return nullptr;
  for (const Operand& operand : operands) {
    const Array* array = operand.array();
    if (array == like) continue;
    if (array == nullptr ? !joins(op, operand.scalar(), dtype)
                         : array->dtype() != dtype || !array->is_c_contiguous() ||
                               array->device() != like->device() ||
                               (array->ndim() != 0 && array->shape() != like->shape()))
      return nullptr;
  }
  const LoopTypes* types = loop_of(op, dtype);
  if (types == nullptr || out == nullptr) return types;
  bool fits = out->dtype() == types->result && out->is_c_contiguous() && out->writable() &&
              out->device() == like->device() && out->shape() == like->shape() &&
              can_write_directly(*out, operands);
  return fits ? types : nullptr;
}

// Returns the loop that computes in `dtype`. Throws TypeError if there is none, or if operands of
// `promoted` do not cast to it by 'same_kind'.
LoopTypes loop_in(Op op, DType promoted, DType dtype) {
  const std::string what = info(op).name;
  if (!can_cast(promoted, dtype, Casting::same_kind))
    throw TypeError(what + ": cannot compute operands of dtype " + name(promoted) + " in dtype " +
                    name(dtype) + " with casting 'same_kind'");
  const LoopTypes types = resolve(op, dtype);
  if (types.loop != dtype)
    throw TypeError(what + ": no loop computes in dtype " + name(dtype) +
                    ", the next one does in " + name(types.loop) +
                    "; convert the result with astype(\"" + name(dtype) + "\")");
  return types;
}

// Returns whether `dtype` is real and names the result of complex operands, as for a magnitude.
bool names_part(const OpInfo& row, DType promoted, DType dtype) {
  const DType loop = complex_dtype(dtype);
  const bool holds = loop != dtype && can_cast(promoted, loop, Casting::safe);
  return row.rule == OpRule::REAL && is_complex(promoted) && holds;
}

// Returns whether `dtype` names the results alone, as bool does those of a comparison.
bool names_result(const OpInfo& row, DType dtype) {
  if (row.rule == OpRule::BOOL) return dtype == DType::bool_;
  return row.rule == OpRule::UINT8 && dtype == DType::uint8;
}

// Inlined, because it serves most calls.
[[gnu::always_inline]] inline void run_plain(Op op, DType loop, const Array& target,
                                             std::span<const Operand> operands) {
  if (target.size() == 0) return check_scalars(op, loop, operands);
  if (join_window({op, loop, target, operands})) return;
  Access access(current_stream(target.device()));
  ElementwisePlan plan;
  plan.size = target.size();
  plan.shape.push_back(target.size());
  plan.target_shape = &target.shape();
  plan.add(target.dtype(), access.write(target)).push_back(1);
  for (const Operand& operand : operands) {
    if (const Array* array = operand.array(); array != nullptr)
      plan.add(array->dtype(), access.read(*array))
          .push_back(array->ndim() == target.ndim() ? 1 : 0);
    else
      plan.add(cast_scalar(operand.scalar(), loop)).push_back(0);
  }
  backend_of(target.device()).elementwise(op, loop, plan, access.stream());
}

// Runs a power in a loop of inexact numbers by `run`. Another operation computes it if one exponent
// serves all elements. Reads an array of one exponent that lies on the cpu device. The value of an
// array on another device is unknown here.
template <auto run>
[[gnu::noinline]] void run_power(DType loop, const Array& target,
                                 std::span<const Operand> operands) {
  Operand both[] = {operands[0], operands[1]};
  const Array* exponents = both[1].array();
  if (exponents != nullptr && exponents->size() == 1 && exponents->device().is_cpu()) {
    Scalar exponent;
    exponent.dtype = exponents->dtype();
    copy_to_host(*exponents, {exponent.bytes, exponents->nbytes()}, 'C', true);
    both[1] = exponent;
  }
  const Op op = both[1].array() == nullptr ? power_by(both[1].scalar(), loop) : Op::power;
  run(op, loop, target, {both, op == Op::power ? 2U : 1U});
}

// Computes an operation for which plain_loop() gave these dtypes and this array.
[[gnu::always_inline]] inline Array compute_plain(Op op, const LoopTypes& types, const Array& like,
                                                  std::span<const Operand> operands,
                                                  const Array* out) {
  Array target =
      out != nullptr
          ? *out
          : like.in_memory(memory_for_result(like.size() * itemsize(types.result), like.device()),
                           types.result);
  if (op == Op::power && is_inexact(types.loop)) [[unlikely]]
    run_power<run_plain>(types.loop, target, operands);
  else
    run_plain(op, types.loop, target, operands);
  return target;
}

}  // namespace

void compute(std::optional<Op> op, DType loop, const Array& target,
             std::span<const Operand> operands) {
  if (target.size() == 0) {
    if (op) check_scalars(*op, loop, operands);
    return;
  }
  if (join_window({op, loop, target, operands})) return;
  Access access(current_stream(target.device()));
  ElementwisePlan plan = plan_for(target, access);
  for (size_t i = 0; i < operands.size(); ++i) {
    const bool is_condition = op && info(*op).rule == OpRule::SELECT && i == 0;
    if (op && has_one_result(*op, operands[i].dtype()))
      add_operand(plan, cast_scalar(Scalar::weak_int(0), loop));
    else if (operands[i].array() != nullptr)
      add_operand(plan, *operands[i].array(), access);
    else
      add_operand(plan, cast_scalar(operands[i].scalar(), is_condition ? DType::bool_ : loop));
  }
  finish(plan);
  backend_of(target.device()).elementwise(op, loop, plan, access.stream());
}

LoopTypes loop_types(Op op, std::span<const Operand> operands, std::optional<DType> dtype) {
  std::span<const Operand> counted = promoted_operands(op, operands);
  DType promoted = result_dtype(counted);
  if (dtype && names_part(info(op), promoted, *dtype)) return resolve(op, complex_dtype(*dtype));
  if (dtype && !names_result(info(op), *dtype)) return loop_in(op, promoted, *dtype);
  DType dtypes[kMaxOperands + 1];
  return resolve(op, std::span(dtypes, effective_dtypes(counted, promoted, dtypes)));
}

DType result_dtype(std::span<const Operand> operands) {
  DType strong[kMaxOperands];
  size_t count = 0;
  char weak = 0;  // the highest kind among weak scalars: i, f or c
  for (const Operand& operand : operands) {
    if (operand.is_weak()) {
      char rank = operand.scalar().given_kind();
      if (weak == 0 || rank == 'c' || (rank == 'f' && weak == 'i')) weak = rank;
      continue;
    }
    strong[count++] = operand.dtype();
  }
  if (count == 0) {
    if (weak == 'i') return DType::int64;
    return weak == 'f' ? DType::float64 : DType::complex128;
  }
  const DType promoted = promote(std::span<const DType>(strong, count));
  return weak == 0 ? promoted : promote_weak(promoted, weak);
}

Array elementwise(Op op, std::span<const Operand> operands, const Array* out,
                  std::optional<DType> dtype) {
  const Array* like = nullptr;
  if (const LoopTypes* types = dtype ? nullptr : plain_loop(op, operands, out, like))
    return compute_plain(op, *types, *like, operands, out);
  const char* what = info(op).name;
  Device device = common_device(operands, out, what);
  const LoopTypes types = loop_types(op, operands, dtype);
  Shape shape = broadcast_operands(op, operands, out);
  if (out != nullptr) {
    require_writable(*out, what);
    require_same_kind(*out, types.result, what);
  }
  if (std::optional<Array> special = compare_exactly(op, operands, shape, device)) {
    if (out == nullptr) return *special;
    assign(*out, *special);
    return *out;
  }
  if (op == Op::power && element_count(shape) != 0) require_exponents(types.loop, operands[1]);
  bool direct = out != nullptr && can_write_directly(*out, operands);
  Array target = direct ? *out : new_result(operands, shape, types.result, device);
  if (op == Op::power && is_inexact(types.loop))
    run_power<compute>(types.loop, target, operands);
  else
    compute(op, types.loop, target, operands);
  if (out == nullptr || direct) return target;
  assign(*out, target);
  return *out;
}

}  // namespace gpuarray::ops
