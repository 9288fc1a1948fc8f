// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "array/operand.hpp"
#include "array/ops.hpp"
#include "backend/host/scalar.hpp"
#include "core/error.hpp"

namespace gpuarray::ops {
namespace {

// Copies, too, go through a kernel on a CUDA device, because it is faster than the driver's copy
// (H200, 2026-11, 1 GiB: 0.506 ms against 0.513 ms).
void cast_into(const Array& target, const Array& source) {
  const Operand operand = source;
  compute(std::nullopt, target.dtype(), target, std::span(&operand, 1));
}

// Drops leading axes of extent 1 that the target lacks, as NumPy's assignment does. Throws
// ShapeError if the source does not broadcast to the target.
Array fit_to(const Array& target, const Array& source) {
  Shape shape = source.shape();
  Strides strides = source.strides();
  while (shape.size() > target.ndim() && shape[0] == 1) {
    shape.erase(0);
    strides.erase(0);
  }
  Shape shapes[] = {shape, target.shape()};
  bool fits =
      shape.size() <= target.ndim() && broadcast_shapes(shapes, "assignment") == target.shape();
  if (!fits)
    throw ShapeError("could not broadcast input array from shape " + to_string(source.shape()) +
                     " into shape " + to_string(target.shape()));
  return source.view(shape, strides);
}

// Returns whether both are the same elements: `x[:] += 1` assigns what it has written to itself.
bool is_same_view(const Array& a, const Array& b) {
  return a.device() == b.device() && distance(a, b) == 0 && a.dtype() == b.dtype() &&
         a.shape() == b.shape() && a.strides() == b.strides();
}

// Writes a source that broadcasts to the target.
void assign_fitted(const Array& target, const Array& source) {
  if (is_same_view(source, target)) return;
  if (overlaps(target, source)) return cast_into(target, copy(source, 'K'));
  cast_into(target, source);
}

}  // namespace

void assign(const Array& target, const Operand& source) {
  require_writable(target, "assignment");
  if (source.array() == nullptr) {
    const Operand value = cast_scalar(source.scalar(), target.dtype());
    return compute(std::nullopt, target.dtype(), target, std::span(&value, 1));
  }
  const Array& array = *source.array();
  common_device(std::span(&source, 1), &target, "assignment");
  if (array.shape() == target.shape()) return assign_fitted(target, array);
  assign_fitted(target, fit_to(target, array));
}

Array astype(const Array& source, DType dtype, char order) {
  Array out = result_like(source, dtype, order);
  cast_into(out, source);
  return out;
}

Array copy(const Array& source, char order) { return astype(source, source.dtype(), order); }

Array value_of(const Array& element) {
  const BufferPtr& buffer = element.buffer();
  const StreamPtr& stream = current_stream(element.device());
  const int nbytes = element.itemsize();
  BufferPtr bytes;
  if (element.device().is_cpu()) {
    bytes = Buffer::value_on_host(element.settle(), nbytes, stream);
  } else if (buffer->is_private() && !buffer->is_value() && buffer->kind() == MemoryKind::device &&
             !stream->is_capturing()) {
    // What a window will write does not look for values.
    buffer->settle();
    bytes = Buffer::value_of(buffer, element.offset(), nbytes);
  }
  if (bytes == nullptr) {
    bytes = Buffer::allocate(nbytes, stream, buffer->kind());
    cast_into(element.in_memory(bytes, element.dtype()), element);
  }
  Array value = element.in_memory(std::move(bytes), element.dtype());
  value.set_value();
  return value;
}

}  // namespace gpuarray::ops
