// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace gpuarray::loops {

// A vector of words of 64 bits. Compilers make no vectors of products that are twice as wide as
// their factors, for which processors have an instruction. A single word, where there are no
// vectors of these.
#ifdef __AVX512F__
typedef uint64_t Words __attribute__((vector_size(64), aligned(1), may_alias));
inline Words lower_product(Words a, Words b) {
  // The form without a mask reads a value that nobody sets, of which GCC 12 warns.
  return Words(_mm512_maskz_mul_epu32(__mmask8(~0), __m512i(a), __m512i(b)));
}
#elif defined(__AVX2__)
typedef uint64_t Words __attribute__((vector_size(32), aligned(1), may_alias));
inline Words lower_product(Words a, Words b) {
  return Words(_mm256_mul_epu32(__m256i(a), __m256i(b)));
}
#else
typedef uint64_t Words;
inline Words lower_product(Words a, Words b) { return (a & 0xffffffff) * (b & 0xffffffff); }
#endif

}  // namespace gpuarray::loops
