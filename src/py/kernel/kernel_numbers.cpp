// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <cmath>

#include "backend/backend.hpp"
#include "backend/host/scalar.hpp"
#include "core/error.hpp"
#include "py/kernel/kernel_arguments.hpp"

namespace gpuarray::py {
namespace {

bool is_integer_given(const Scalar& scalar) {
  return scalar.oversized || is_integer(scalar.dtype) || scalar.dtype == DType::bool_;
}

// Returns the type of a number for error messages: "a float", "a numpy.float32".
std::string given_text(const Scalar& scalar) {
  if (scalar.dtype == DType::bool_) return "a bool";
  if (!scalar.weak) return std::string("a numpy.") + name(scalar.dtype);
  const char kind = scalar.given_kind();
  return kind == 'c' ? "a complex" : kind == 'f' ? "a float" : "an int";
}

[[noreturn]] void refuse(const KernelState& state, size_t index, const std::string& what) {
  throw TypeError(state.argument_text(index) + ": " + what);
}

void copy(const Scalar& scalar, unsigned char* to) {
  std::memcpy(to, scalar.bytes, itemsize(scalar.dtype));
}

std::string number_text(const Scalar& integer) {
  return integer.dtype == DType::uint64 ? std::to_string(integer.as<uint64_t>())
                                        : std::to_string(integer.as<int64_t>());
}

bool is_finite(const Scalar& scalar) {
  const Scalar wide = cast_scalar(scalar, DType::complex128);
  const auto value = wide.as<std::complex<double>>();
  return std::isfinite(value.real()) && std::isfinite(value.imag());
}

// Writes an integer of `nbytes` bytes. `sign` is 'i' for a signed type, 'u' for an unsigned one, or
// 'a' if either will do. Throws OverflowError for an integer out of range.
void store_integer(const Scalar& scalar, size_t nbytes, char sign, const std::string& what,
                   const KernelState& state, size_t index, unsigned char* to) {
  const bool is_large = scalar.dtype == DType::uint64;
  const Scalar wide = is_large ? scalar : cast_scalar(scalar, DType::int64);
  const auto value = wide.as<int64_t>();
  const int bits = static_cast<int>(8 * nbytes);
  const int low_bits = sign == 'u' ? 0 : bits - 1, high_bits = sign == 'i' ? bits - 1 : bits;
  const bool above = is_large ? high_bits < 64 && (wide.as<uint64_t>() >> high_bits) != 0
                              : high_bits < 63 && value >= int64_t{1} << high_bits;
  const bool below = !is_large && value < 0 &&
                     (low_bits == 0 || (low_bits < 63 && value < -(int64_t{1} << low_bits)));
  if (above || below)
    throw OverflowError(state.argument_text(index) + ": " + number_text(wide) +
                        " is out of bounds for " + what);
  std::memcpy(to, wide.bytes, nbytes);  // little-endian
}

// Converts a number to the type of the parameter, as C does but never out of range. NumPy's
// integers are treated like Python's. Throws TypeError and OverflowError.
void store_converted(const Scalar& scalar, DType dtype, const KernelState& state, size_t index,
                     unsigned char* to) {
  const bool is_int = is_integer_given(scalar) && dtype != DType::bool_;
  if (is_int && is_integer(dtype))
    return store_integer(scalar, itemsize(dtype), kind(dtype), name(dtype), state, index, to);
  const bool is_python = scalar.weak && (kind(dtype) == 'c' || kind(dtype) == 'f') &&
                         promote_weak(dtype, scalar.given_kind()) == dtype;
  if (!is_int && !is_python && !can_cast(scalar.dtype, dtype, Casting::safe))
    refuse(state, index, std::string("expected ") + name(dtype) + ", got " + given_text(scalar));
  const Scalar result = cast_scalar(scalar, dtype);
  if (is_finite(scalar) && !is_finite(result))
    throw OverflowError(state.argument_text(index) + ": the number is out of bounds for " +
                        name(dtype));
  copy(result, to);
}

// Writes an integer for a parameter of which only the size is known. Throws TypeError and
// OverflowError.
void store_bits(const Scalar& scalar, const KernelState& state, size_t index, unsigned char* to) {
  const size_t nbytes = state.parameters[index].nbytes;
  const std::string what = std::to_string(nbytes) + (nbytes == 1 ? " byte" : " bytes");
  if (nbytes > 8 || (nbytes & (nbytes - 1)) != 0)
    refuse(state, index, "expected a value of " + what + ", got an int");
  store_integer(scalar, nbytes, 'a', what, state, index, to);
}

// Writes a number for a parameter of which only the size is known. Throws TypeError if the number
// has another size, and OverflowError.
void store_untyped(const Scalar& scalar, const KernelState& state, size_t index,
                   unsigned char* to) {
  const size_t nbytes = state.parameters[index].nbytes;
  const auto own = static_cast<size_t>(itemsize(scalar.dtype));
  if (is_integer_given(scalar) && (scalar.weak || scalar.dtype == DType::bool_))
    return store_bits(scalar, state, index, to);
  if (own == nbytes) return copy(scalar, to);
  const bool is_complex_given = is_complex(scalar.dtype);
  const bool has_narrow = nbytes * 2 == own || (!is_complex_given && nbytes == 2);
  if (scalar.weak && has_narrow)
    refuse(state, index,
           "the parameter has " + std::to_string(nbytes) + " bytes, " + given_text(scalar) +
               " of Python has " + std::to_string(own) + "; pass numpy." +
               (is_complex_given ? "complex64"
                : nbytes == 2    ? "float16"
                                 : "float32") +
               "(x), or give the kernel's signature");
  refuse(state, index,
         "expected a value of " + std::to_string(nbytes) + " bytes, got " + given_text(scalar) +
             " of " + std::to_string(own));
}

}  // namespace

void store_number(const Scalar& scalar, const KernelState& state, size_t index, unsigned char* to) {
  const Parameter& parameter = state.parameters[index];
  if (scalar.oversized)
    throw OverflowError(state.argument_text(index) + ": the int has more than 64 bits");
  if (parameter.kind == Parameter::Kind::pointer) {
    if (!is_integer(scalar.dtype))
      refuse(state, index, "expected an array or an address, got " + given_text(scalar));
    return store_integer(scalar, parameter.nbytes, 'u', "a pointer", state, index, to);
  }
  if (parameter.kind == Parameter::Kind::unknown || parameter.dtypes == 0)
    return store_untyped(scalar, state, index, to);
  if (scalar.dtype == parameter.dtype) return copy(scalar, to);
  store_converted(scalar, parameter.dtype, state, index, to);
}

}  // namespace gpuarray::py
