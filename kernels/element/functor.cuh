// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// How the class template of a row of ops.def is defined: add_functor<T>::apply(a, b) evaluates the
// row's expression in loop type T. `result` is the type that it returns and `first` that of its
// first argument; the others have type T.
#pragma once

#include "kernels/element/element.cuh"

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

}  // namespace gpuarray
