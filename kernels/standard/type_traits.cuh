// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Without CCCL, the traits that kernels use most.
#pragma once

#if __has_include(<cuda/std/type_traits>)
#include <cuda/std/type_traits>

namespace std {
using namespace cuda::std;
}
#else
namespace std {

template <class T, T constant>
struct integral_constant {
  using value_type = T;
  using type = integral_constant;
  static constexpr T value = constant;
  __host__ __device__ constexpr operator T() const { return constant; }
};
template <bool constant>
using bool_constant = integral_constant<bool, constant>;
using true_type = bool_constant<true>;
using false_type = bool_constant<false>;

template <class T>
struct type_identity {
  using type = T;
};
template <class...>
using void_t = void;
template <bool condition, class T, class F>
struct conditional : type_identity<T> {};
template <class T, class F>
struct conditional<false, T, F> : type_identity<F> {};
template <bool condition, class T, class F>
using conditional_t = typename conditional<condition, T, F>::type;
template <bool condition, class T = void>
struct enable_if {};
template <class T>
struct enable_if<true, T> : type_identity<T> {};
template <bool condition, class T = void>
using enable_if_t = typename enable_if<condition, T>::type;

// Defines the trait that makes `result` of the types of a pattern, and leaves all others.
#define GPUARRAY_MAPS(name, pattern, result)       \
  template <class T>                               \
  struct name : type_identity<T> {};               \
  template <class T>                               \
  struct name<pattern> : type_identity<result> {}; \
  template <class T>                               \
  using name##_t = typename name<T>::type;
GPUARRAY_MAPS(remove_const, const T, T)
GPUARRAY_MAPS(remove_volatile, volatile T, T)
GPUARRAY_MAPS(remove_pointer, T*, T)
GPUARRAY_MAPS(remove_extent, T[], T)
GPUARRAY_MAPS(remove_reference, T&, T)
#undef GPUARRAY_MAPS
template <class T>
struct remove_reference<T&&> : type_identity<T> {};
template <class T, decltype(sizeof(0)) size>
struct remove_extent<T[size]> : type_identity<T> {};
template <class T>
using remove_cv = remove_const<remove_volatile_t<T>>;
template <class T>
using remove_cv_t = typename remove_cv<T>::type;
template <class T>
using remove_cvref = remove_cv<remove_reference_t<T>>;
template <class T>
using remove_cvref_t = typename remove_cvref<T>::type;
template <class T>
using underlying_type_t = __underlying_type(T);

// Defines a trait by the variable template of the same name.
#define GPUARRAY_TRAIT(name) \
  template <class... T>      \
  struct name : bool_constant<name##_v<T...>> {};

template <class T, class U>
inline constexpr bool is_same_v = false;
template <class T>
inline constexpr bool is_same_v<T, T> = true;
template <class T, class... Types>
inline constexpr bool gpuarray_is_one_of = (is_same_v<remove_cv_t<T>, Types> || ...);
template <class T>
inline constexpr bool is_const_v = !is_same_v<T, remove_const_t<T>>;
template <class T>
inline constexpr bool is_pointer_v = !is_same_v<remove_cv_t<T>, remove_pointer_t<remove_cv_t<T>>>;
template <class T>
inline constexpr bool is_reference_v = !is_same_v<T, remove_reference_t<T>>;
template <class T>
inline constexpr bool is_array_v = !is_same_v<T, remove_extent_t<T>>;
template <class T>
inline constexpr bool is_void_v = gpuarray_is_one_of<T, void>;
template <class T>
inline constexpr bool is_floating_point_v = gpuarray_is_one_of<T, float, double, long double>;
template <class T>
inline constexpr bool is_integral_v =
    gpuarray_is_one_of<T, bool, char, signed char, unsigned char, wchar_t, char16_t, char32_t,
                       short, unsigned short, int, unsigned, long, unsigned long, long long,
                       unsigned long long>;
template <class T>
inline constexpr bool is_arithmetic_v = is_integral_v<T> || is_floating_point_v<T>;
template <class T, bool = is_arithmetic_v<T>>
inline constexpr bool is_signed_v = false;
template <class T>
inline constexpr bool is_signed_v<T, true> = T(-1) < T(0);
template <class T>
inline constexpr bool is_unsigned_v = is_arithmetic_v<T> && !is_signed_v<T>;
template <class T>
inline constexpr bool is_enum_v = __is_enum(T);
template <class T>
inline constexpr bool is_class_v = __is_class(T);
template <class T>
inline constexpr bool is_trivially_copyable_v = __is_trivially_copyable(T);
template <class T>
inline constexpr bool is_empty_v = __is_empty(T);
template <class Base, class T>
inline constexpr bool is_base_of_v = __is_base_of(Base, T);
template <class T, class U>
inline constexpr bool is_convertible_v = __is_convertible_to(T, U);
template <class T, class... Arguments>
inline constexpr bool is_constructible_v = __is_constructible(T, Arguments...);

GPUARRAY_TRAIT(is_array)
GPUARRAY_TRAIT(is_arithmetic)
GPUARRAY_TRAIT(is_base_of)
GPUARRAY_TRAIT(is_class)
GPUARRAY_TRAIT(is_const)
GPUARRAY_TRAIT(is_constructible)
GPUARRAY_TRAIT(is_convertible)
GPUARRAY_TRAIT(is_empty)
GPUARRAY_TRAIT(is_enum)
GPUARRAY_TRAIT(is_floating_point)
GPUARRAY_TRAIT(is_integral)
GPUARRAY_TRAIT(is_pointer)
GPUARRAY_TRAIT(is_reference)
GPUARRAY_TRAIT(is_same)
GPUARRAY_TRAIT(is_signed)
GPUARRAY_TRAIT(is_trivially_copyable)
GPUARRAY_TRAIT(is_unsigned)
GPUARRAY_TRAIT(is_void)
#undef GPUARRAY_TRAIT

}  // namespace std
#endif
