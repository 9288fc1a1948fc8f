// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "array/linalg/norms.hpp"

#include <string>

#include "array/operand.hpp"
#include "array/ops.hpp"
#include "backend/linalg/norms.hpp"
#include "core/error.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray::ops {

Array row_norms(const Array& a) {
  const DType dtype = real_dtype(a.dtype());
  if (a.device().is_cpu() || (dtype != DType::float32 && dtype != DType::float64))
    throw TypeError(std::string("norm: expected an array of float32, float64, complex64 or "
                                "complex128 on a CUDA device, got ") +
                    name(a.dtype()) + " on " + to_string(a.device()));
  if (a.ndim() == 0 || a.size() == 0 || !a.is_c_contiguous())
    throw ValueError("norm: expected C-contiguous rows, got shape " + to_string(a.shape()));
  Shape shape = a.shape();
  const int64_t columns = shape.back() * (is_complex(a.dtype()) ? 2 : 1);
  shape.erase(shape.size() - 1);
  const Array made = empty(shape, dtype, a.device());
  Access access(current_stream(a.device()));
  const void* source = access.read(a);
  gpuarray::row_norms(source, access.write(made), dtype, made.size(), columns, access.stream(),
                      {"norm", a.dtype(), a.shape()});
  return made;
}

}  // namespace gpuarray::ops
