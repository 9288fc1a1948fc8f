// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "kernels/element/cast.cuh"
#include "backend/loops/copy.hpp"
#include "backend/loops/rows.hpp"
#include "kernels/dtype_classes.def"

namespace gpuarray::loops {
namespace {

template <class To, class From>
struct CastFunctor {
  using result = To;
  static To apply(From value) { return cast<To>(value); }
};

// A narrowing of integers takes the low bits, whatever their sign.
template <class To, class From>
inline constexpr bool ignores_sign_v =
    is_integer_v<To> && is_integer_v<From> && sizeof(To) <= sizeof(From);

// Bools are read as bytes, of which compilers make vectors.
template <class To>
struct BoolCast {
  using result = To;
  static To apply(uint8_t byte) { return byte != 0 ? cast<To>(true) : cast<To>(false); }
};

template <class T>
void copy_row(char* const* data, const int64_t*, int64_t count) {
  copy_bytes(data[0], data[1], count * static_cast<int64_t>(sizeof(T)));
}

template <class To, class From>
RowLoop cast_row() {
  if constexpr (is_same_v<To, From>)
    return copy_row<To>;
  else if constexpr (is_bool_v<From> && !is_bool_v<To>)
    return unary_row<BoolCast<To>, uint8_t>;
  else if constexpr (ignores_sign_v<To, From>)
    return unary_row<CastFunctor<unsigned_t<To>, unsigned_t<From>>, unsigned_t<From>>;
  else if constexpr (is_integer_v<To> && is_unsigned_v<From>)
    return unary_row<CastFunctor<unsigned_t<To>, From>, From>;
  else
    return unary_row<CastFunctor<To, From>, From>;
}

}  // namespace

void add_casts(Loops& loops) {
#define GPUARRAY_CAST(to, To, from, ...)                                    \
  loops.casts[static_cast<int>(DType::from)][static_cast<int>(DType::to)] = \
      cast_row<To, __VA_ARGS__>();
#define GPUARRAY_DTYPE(from, From, ...) GPUARRAY_FOR_ALL(GPUARRAY_CAST, from, From)
#include "kernels/dtypes.def"
}

}  // namespace gpuarray::loops
