// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// A class template for each row of ops.def: add_functor<T>::apply(a, b) evaluates the row's
// expression in loop type T. `result` is the type that it returns and `first` that of its first
// argument; the others have type T.
#pragma once

#include "kernels/element/math.cuh"

namespace gpuarray {
// The result types and first argument types of the rules of ops.def.
namespace rule {

template <class T>
struct SAME {
  using result = T;
  using first = T;
};
template <class T>
struct NOBOOL : SAME<T> {};
template <class T>
struct DIVIDE : SAME<T> {};
template <class T>
struct BOOL {
  using result = bool;
  using first = T;
};
template <class T>
struct REAL {
  using result = real_t<T>;
  using first = T;
};
template <class T>
struct INT32 {
  using result = int32_t;
  using first = T;
};
template <class T>
struct UINT8 {
  using result = uint8_t;
  using first = T;
};
template <class T>
struct SELECT {
  using result = T;
  using first = bool;
};

}  // namespace rule

#define GPUARRAY_FUNCTOR(name, operands, rule_, parameters, expression) \
  template <class T>                                                    \
  struct name##_functor {                                               \
    static constexpr int arity = operands;                              \
    using result = typename rule::rule_<T>::result;                     \
    using first = typename rule::rule_<T>::first;                       \
    GPUARRAY_HD static result apply parameters { return expression; }   \
  };
#define GPUARRAY_UNARY(name, slot, dtypes, rule_, expression, doc) \
  GPUARRAY_FUNCTOR(name, 1, rule_, (first a), expression)
#define GPUARRAY_BINARY(name, slot, dtypes, rule_, expression, doc) \
  GPUARRAY_FUNCTOR(name, 2, rule_, (first a, T b), expression)
#define GPUARRAY_TERNARY(name, slot, dtypes, rule_, expression, doc) \
  GPUARRAY_FUNCTOR(name, 3, rule_, (first a, T b, T c), expression)
#include "kernels/ops.def"

#undef GPUARRAY_FUNCTOR

}  // namespace gpuarray
