// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The dot products of rows and a vector as sums whose elements are pairs of factors: the kernel of
// reductions reads packs of both and multiplies in registers.
#pragma once

#include "kernels/matmul/plus_product.cuh"
#include "kernels/reduce/reduce_computed.cuh"

namespace gpuarray {

template <class T>
struct DotFactors {
  T a, b;
};

// Computes the sum of a * b, or if `conjugates` of conj(a) * b. Both factors are converted to what
// sums of T accumulate in.
template <class T, bool conjugates>
struct dot_reducer : sum_reducer<T> {
  using value = DotFactors<T>;
  using local = typename sum_reducer<T>::local;
  static constexpr bool packed = false;
  GPUARRAY_HD static void step(local& sum, value factors, uint32_t) {
    auto a = cast<local>(factors.a);
    if constexpr (conjugates) a.im = -a.im;
    sum = plus_product(sum, a, cast<local>(factors.b));
  }
};

// A row and the vector from an element on. `has_vectors` says that where a load of `a` is aligned,
// one of `b` is too.
template <class T, bool has_vectors>
struct DotRow {
  const stored_t<T>* a;
  const stored_t<T>* b;

  __device__ DotRow operator+(int64_t n) const { return {a + n, b + n}; }
  __device__ DotFactors<T> operator[](int64_t at) const { return {a[at], b[at]}; }
};

template <class T, bool has_vectors>
struct DotSource {
  static constexpr bool are_columns = false;
  DotRow<T, has_vectors> first;
  int64_t step;  // from a row to the next

  __device__ DotRow<T, has_vectors> row(int64_t number) const {
    return {first.a + number * step, first.b};
  }
};

// Reads as many pairs at once as 16 bytes hold elements.
template <class T, bool has_vectors>
struct RowReader<DotFactors<T>, DotRow<T, has_vectors>> {
  using Row = DotRow<T, has_vectors>;
  using Elements = RowPack<stored_t<T>>;
  using Factors = Pack<DotFactors<T>, Elements::size>;
  struct Loaded {
    uint4 a, b;
  };
  static constexpr int size = Elements::size;
  static constexpr uint32_t in_flight = computed_in_flight<sizeof(Loaded)>;
  __device__ static uint32_t head(const Row& row) {
    return RowReader<stored_t<T>, const stored_t<T>*>::head(row.a);
  }
  __device__ static Loaded load(const Row& row, uint32_t at) {
    return {load_raw<Elements>(row.a + at), load_other(row.b + at)};
  }
  __device__ static Factors words(const Row&, const Loaded& loaded) {
    const auto a = __builtin_bit_cast(Elements, loaded.a);
    const auto b = __builtin_bit_cast(Elements, loaded.b);
    Factors factors;
#pragma unroll
    for (int k = 0; k < size; ++k) factors.items[k] = {a.items[k], b.items[k]};
    return factors;
  }

 private:
  __device__ static uint4 load_other(const stored_t<T>* source) {
    if constexpr (has_vectors) {
      return load_raw<Elements>(source);
    } else {
      Elements elements;
#pragma unroll
      for (int k = 0; k < size; ++k) elements.items[k] = source[k];
      return __builtin_bit_cast(uint4, elements);
    }
  }
};

// Computes the dot product of each row of p.source and `other`, as a reduction of p.count elements.
template <class T, bool conjugates, bool has_vectors>
__device__ void dot_kernel(const ReduceParams& p, const void* other) {
  using Element = const stored_t<T>*;
  reduce_kernel<dot_reducer<T, conjugates>>(
      p, DotSource<T, has_vectors>{{static_cast<Element>(p.source), static_cast<Element>(other)},
                                   p.kept_ndim > 0 ? p.kept_strides[0] : 0});
}

}  // namespace gpuarray
