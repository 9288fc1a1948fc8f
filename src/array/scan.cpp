// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <string>

#include "array/indexing.hpp"
#include "array/operand.hpp"
#include "array/ops.hpp"
#include "backend/devices/backend_of.hpp"
#include "core/error.hpp"

namespace gpuarray::ops {
namespace {

std::string name_of(Scan scan) { return std::string(info(scan).name) + ".accumulate"; }

DType loop_dtype(Scan scan, DType source, std::optional<DType> dtype, const Array* out) {
  const uint32_t loops = info(scan).dtypes;
  if (loops == 1u << static_cast<int>(DType::bool_)) return DType::bool_;
  DType loop = source;
  if (dtype)
    loop = *dtype;
  else if (out != nullptr)
    loop = promote(source, out->dtype());
  else if (info(scan).widens)
    loop = default_sum_dtype(source);
  if ((loops >> static_cast<int>(loop) & 1) == 0)
    throw TypeError(name_of(scan) + ": dtype " + name(loop) + " is not supported");
  return loop;
}

void run(Scan scan, DType loop, const Array& source, const Array& target, int axis) {
  if (target.size() == 0) return;
  Access access(current_stream(source.device()));
  ScanPlan plan;
  plan.source_dtype = source.dtype();
  plan.source_shape = &source.shape();
  plan.source = access.read(source);
  plan.target = access.write(target);
  plan.length = source.shape()[axis];
  plan.source_step = source.strides()[axis];
  plan.target_step = target.strides()[axis];
  plan.kept = source.shape();
  Strides strides[] = {target.strides(), source.strides()};
  plan.kept.erase(axis);
  for (Strides& each : strides) each.erase(axis);
  collapse(plan.kept, strides);
  plan.target_strides = strides[0];
  plan.source_strides = strides[1];
  backend_of(source.device()).scan(scan, loop, plan, access.stream());
}

// Scans the elements of a source that is not contiguous in C order, which are copied to the target.
Array accumulate_copied(Scan scan, DType loop, const Array& source, const Array* out) {
  const Shape flat{source.size()};
  const bool direct = out != nullptr && out->dtype() == loop && !overlaps(*out, source);
  const Array target = direct ? *out : empty_like(source, flat, loop, 'C');
  assign(reshape(target, source.shape()), source);
  run(scan, loop, target, target, 0);
  if (out == nullptr || direct) return target;
  assign(*out, target);
  return *out;
}

}  // namespace

DType scan_dtype(Scan scan, const Array& source, std::optional<int> axis,
                 std::optional<DType> dtype, const Array* out) {
  const Operand operand = source;
  common_device(std::span(&operand, 1), out, info(scan).name);
  const DType loop = loop_dtype(scan, source.dtype(), dtype, out);
  if (out != nullptr)
    require_out(*out, axis ? source.shape() : Shape{source.size()}, loop, name_of(scan).c_str());
  return loop;
}

Array accumulate(Scan scan, const Array& source, std::optional<int> axis,
                 std::optional<DType> dtype, const Array* out) {
  const DType loop = scan_dtype(scan, source, axis, dtype, out);
  if (!axis) {
    if (!source.is_c_contiguous()) return accumulate_copied(scan, loop, source, out);
    return accumulate(scan, reshape(source, Shape{source.size()}), 0, dtype, out);
  }
  const bool direct = out != nullptr && out->dtype() == loop && !overlaps(*out, source);
  const Array target = direct ? *out : empty_like(source, source.shape(), loop, 'K');
  const bool one_pass = has_direct_scan(scan, source.dtype(), loop);
  if (!one_pass) assign(target, source);  // and scans it in place
  run(scan, loop, one_pass ? source : target, target, *axis);
  if (out == nullptr || direct) return target;
  assign(*out, target);
  return *out;
}

}  // namespace gpuarray::ops
