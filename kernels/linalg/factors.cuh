// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What lies around the factorizations of libraries: addresses of matrices, status, determinants.
#pragma once

#include "kernels/element/cast.cuh"
#include "kernels/element/grid.cuh"
#include "kernels/element/math.cuh"
#include "kernels/errors/note_error.cuh"
#include "kernels/linalg/factors_params.hpp"
#include "kernels/tuning.hpp"

namespace gpuarray {

__device__ inline int64_t grid_thread() { return int64_t(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ inline int64_t grid_threads() { return int64_t(gridDim.x) * blockDim.x; }

__device__ inline void pointers_kernel(const PointersParams& p) {
  wait_for_previous_grid();
  for (int64_t k = grid_thread(); k < p.count; k += grid_threads())
    for (int set = 0; set < p.sets; ++set) p.pointers[set][k] = p.base[set] + k * p.step[set];
}

template <class Real>
__device__ inline void fill_with_nan(void* result, int64_t matrix, int64_t parts) {
  Real* target = static_cast<Real*>(result) + matrix * parts;
  for (int64_t k = threadIdx.x; k < parts; k += blockDim.x) target[k] = nan<Real>();
}

// A block takes a matrix at a time.
__device__ inline void info_kernel(const InfoParams& p) {
  wait_for_previous_grid();
  for (int64_t matrix = blockIdx.x; matrix < p.count; matrix += gridDim.x) {
    if (p.info[matrix] == 0) continue;
    if (p.info[matrix] > 0 && threadIdx.x == 0) note_error(p.errors, p.kind, matrix);
    for (int k = 0; k < InfoParams::kResults && p.results[k] != nullptr; ++k) {
      if (p.doubles)
        fill_with_nan<double>(p.results[k], matrix, p.parts[k]);
      else
        fill_with_nan<float>(p.results[k], matrix, p.parts[k]);
    }
  }
}

__device__ inline int64_t pivot(const void* pivots, bool wide, int64_t k) {
  return (wide ? static_cast<const int64_t*>(pivots)[k] : static_cast<const int32_t*>(pivots)[k]) -
         1;
}

// A product whose exponent lies beside it, so that it neither overflows nor vanishes.
struct ScaledProduct {
  double re, im;
  int64_t exponent;

  __device__ void multiply(double by_re, double by_im) {
    const double real = re * by_re - im * by_im;
    im = re * by_im + im * by_re;
    re = real;
    const double magnitude = ::fmax(::fabs(re), ::fabs(im));
    if (magnitude == 0 || !(magnitude < infinity<double>())) return;
    int shift = 0;
    ::frexp(magnitude, &shift);
    re = ::ldexp(re, -shift);
    im = ::ldexp(im, -shift);
    exponent += shift;
  }
  __device__ double magnitude() const { return im == 0 ? ::fabs(re) : ::hypot(re, im); }
};

template <class T>
__device__ inline T scaled(double re, double im, int exponent) {
  using Real = real_t<T>;
  if constexpr (is_complex_v<T>)
    return T(Real(::ldexp(re, exponent)), Real(::ldexp(im, exponent)));
  else
    return Real(::ldexp(re, exponent));
}

// Multiplies every 32nd element of the diagonal, with a change of sign for each exchange of rows.
template <class T>
__device__ inline ScaledProduct part_of_det(const DetParams& p, int64_t matrix) {
  const T* factors = static_cast<const T*>(p.factors) + matrix * p.n * p.n;
  ScaledProduct product{1, 0, 0};
  for (int64_t k = threadIdx.x; k < p.n; k += blockDim.x) {
    const double sign = pivot(p.pivots, p.wide, matrix * p.n + k) == k ? 1 : -1;
    const T element = factors[k * (p.n + 1)];
    if constexpr (is_complex_v<T>)
      product.multiply(sign * element.re, sign * element.im);
    else
      product.multiply(sign * element, 0);
  }
  return product;
}

template <class T>
__device__ inline void store_det(const DetParams& p, int64_t matrix, ScaledProduct product) {
  using Real = real_t<T>;
  if (p.info[matrix] > 0) product = {0, 0, 0};
  if (p.info[matrix] < 0) product = {nan<double>(), nan<double>(), 0};
  if (p.det != nullptr) {
    const int64_t exponent = product.exponent;
    const int shift = int(exponent > 100000 ? 100000 : exponent < -100000 ? -100000 : exponent);
    static_cast<T*>(p.det)[matrix] = scaled<T>(product.re, product.im, shift);
    return;
  }
  const double magnitude = product.magnitude();
  const double unit = magnitude == 0 ? 1 : magnitude;
  static_cast<T*>(p.sign)[matrix] = scaled<T>(product.re / unit, product.im / unit, 0);
  const double kLog2 = 0.6931471805599453;
  static_cast<Real*>(p.logarithm)[matrix] = Real(
      magnitude == 0 ? -infinity<double>() : ::log(magnitude) + double(product.exponent) * kLog2);
}

// A block of 32 threads takes a matrix at a time.
template <class T>
__device__ void det_kernel(const DetParams& p) {
  __shared__ ScaledProduct parts[32];
  wait_for_previous_grid();
  for (int64_t matrix = blockIdx.x; matrix < p.count; matrix += gridDim.x) {
    parts[threadIdx.x] = part_of_det<T>(p, matrix);
    __syncthreads();
    if (threadIdx.x == 0) {
      ScaledProduct product = parts[0];
      for (int k = 1; k < 32; ++k) {
        product.multiply(parts[k].re, parts[k].im);
        product.exponent += parts[k].exponent;
      }
      store_det<T>(p, matrix, product);
    }
    __syncthreads();
  }
}

// A thread follows the exchanges of a matrix, which come one after the other. Users' pivots may be
// out of range, and exchange nothing then.
__device__ inline void permutation_kernel(const PermutationParams& p) {
  wait_for_previous_grid();
  for (int64_t matrix = grid_thread(); matrix < p.count; matrix += grid_threads()) {
    int64_t* order = p.order + matrix * p.n;
    for (int64_t k = 0; k < p.n; ++k) order[k] = k;
    for (int64_t k = 0; k < p.n; ++k) {
      const int64_t other = pivot(p.pivots, p.wide, matrix * p.n + k);
      if (other < 0 || other >= p.n) continue;
      const int64_t kept = order[k];
      order[k] = order[other];
      order[other] = kept;
    }
  }
}

// Rows are dealt to blocks.
template <class T>
__device__ void triangle_kernel(const TriangleParams& p) {
  wait_for_previous_grid();
  for (int64_t row = blockIdx.x; row < p.count * p.n; row += gridDim.x) {
    T* data = static_cast<T*>(p.data) + row * p.n;
    const int64_t diagonal = row % p.n;
    const int64_t begin = p.upper ? 0 : diagonal + 1, end = p.upper ? diagonal : p.n;
    for (int64_t k = begin + threadIdx.x; k < end; k += blockDim.x) data[k] = T(0);
  }
}

template <class T>
__device__ inline T conjugate_of(T value) {
  if constexpr (is_complex_v<T>)
    return T(value.re, -value.im);
  else
    return value;
}

template <class T>
__device__ inline T sum_of_lanes(T value) {
  for (int distance = 16; distance > 0; distance /= 2) {
    if constexpr (is_complex_v<T>) {
      value.re += __shfl_xor_sync(0xffffffffu, value.re, distance);
      value.im += __shfl_xor_sync(0xffffffffu, value.im, distance);
    } else {
      value += __shfl_xor_sync(0xffffffffu, value, distance);
    }
  }
  return value;
}

// Applies I - tau v v^H to a column from row j on; the first element of v is 1. A warp calls it.
template <class T>
__device__ inline void reflect(T* column, const T* v, T tau, int64_t j, int64_t rows) {
  const int64_t lane = threadIdx.x % 32;
  T sum = T(0);
  for (int64_t i = j + lane; i < rows; i += 32) {
    const T factor = i == j ? T(1) : conjugate_of(v[i]);
    sum = math::add(sum, math::multiply(factor, column[i]));
  }
  sum = math::multiply(tau, sum_of_lanes(sum));
  for (int64_t i = j + lane; i < rows; i += 32) {
    const T factor = i == j ? T(1) : v[i];
    column[i] = math::subtract(column[i], math::multiply(factor, sum));
  }
}

// A block takes a matrix at a time, and each of its warps a column.
template <class T>
__device__ void form_q_kernel(const FormQParams& p) {
  wait_for_previous_grid();
  const int64_t warp = threadIdx.x / 32, warps = blockDim.x / 32;
  for (int64_t matrix = blockIdx.x; matrix < p.count; matrix += gridDim.x) {
    T* q = static_cast<T*>(p.data) + matrix * p.rows * p.columns;
    const T* tau = static_cast<const T*>(p.tau) + matrix * p.reflectors;
    for (int64_t k = p.reflectors * p.rows + threadIdx.x; k < p.columns * p.rows; k += blockDim.x)
      q[k] = T(k % p.rows == k / p.rows ? 1 : 0);
    __syncthreads();
    for (int64_t j = p.reflectors - 1; j >= 0; --j) {
      T* v = q + j * p.rows;
      for (int64_t column = j + 1 + warp; column < p.columns; column += warps)
        reflect(q + column * p.rows, v, tau[j], j, p.rows);
      __syncthreads();
      for (int64_t i = threadIdx.x; i < p.rows; i += blockDim.x)
        v[i] = i < j    ? T(0)
               : i == j ? math::subtract(T(1), tau[j])
                        : math::subtract(T(0), math::multiply(tau[j], v[i]));
      __syncthreads();
    }
  }
}

}  // namespace gpuarray
