// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <optional>
#include <vector>

#include "array/array.hpp"
#include "backend/fft.hpp"

namespace gpuarray::ops {

// A discrete Fourier transform over some axes of an array.
struct FftRequest {
  const char* what = "fft";  // the function that error messages name
  FftType type = FftType::complex_to_complex;
  bool forward = true;
  // Whether the source of a transform to real numbers, or the result of one of real numbers, is
  // conjugated.
  bool conjugates = false;
  std::vector<int> axes;  // normalized; the last one is the halved one
  Shape lengths;          // points along each of them: at least 1
  double scale = 1;       // by which the result is multiplied
};

// Returns the dtype of the complex numbers that elements of `dtype` are transformed as: complex64
// for floats of up to 32 bits and complex64, else complex128.
DType fft_dtype(DType dtype);
// Returns the shape of the result.
Shape fft_shape(const Shape& source, const FftRequest& request);

// Returns the transform of a CUDA array, which is cut or continued by zeros to the lengths of the
// request: a new array, whose axes nest as those of the source, or `out`, which may overlap it.
// Queues work on the current stream. Throws TypeError for complex numbers that are to be real,
// ShapeError, TypeError and ReadOnlyError for an `out` that does not fit, DeviceError for arrays of
// the cpu device and without cuFFT, OutOfMemory, CudaError.
Array fft(const Array& source, const FftRequest& request, const Array* out = nullptr);

}  // namespace gpuarray::ops
