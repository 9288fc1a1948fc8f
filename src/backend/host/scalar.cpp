// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/host/scalar.hpp"

#include <string>

#include "backend/host/host.hpp"
#include "core/error.hpp"

namespace gpuarray {
namespace {

std::string text_of(const Scalar& integer) {
  return integer.dtype == DType::uint64 ? std::to_string(integer.as<uint64_t>())
                                        : std::to_string(integer.as<int64_t>());
}

// Returns whether the converted integer still has the same value, including its sign.
bool fits(const Scalar& integer, const Scalar& converted) {
  Scalar back;
  void* there[] = {back.bytes, const_cast<unsigned char*>(converted.bytes)};
  const int64_t steps[] = {1, 1};
  host::cast_loop(converted.dtype, integer.dtype)(reinterpret_cast<char* const*>(there), steps, 1);
  bool is_signed = kind(integer.dtype) == 'i';
  bool negative = is_signed && integer.as<int64_t>() < 0;
  bool unsigned_target = kind(converted.dtype) == 'u';
  bool high = kind(converted.dtype) == 'i' && !is_signed && integer.as<uint64_t>() >> 63 != 0;
  return back.as<uint64_t>() == integer.as<uint64_t>() && !(negative && unsigned_target) && !high;
}

}  // namespace

Scalar cast_scalar(const Scalar& scalar, DType dtype) {
  if (scalar.oversized && (is_integer(dtype) || dtype == DType::bool_))
    throw OverflowError(std::string("Python integer beyond 64 bits is out of bounds for ") +
                        name(dtype));
  Scalar result;
  result.dtype = dtype;
  char* data[] = {reinterpret_cast<char*>(result.bytes),
                  reinterpret_cast<char*>(const_cast<unsigned char*>(scalar.bytes))};
  const int64_t steps[] = {1, 1};
  host::cast_loop(scalar.dtype, dtype)(data, steps, 1);
  if (scalar.weak && is_integer(scalar.dtype) && is_integer(dtype) && !fits(scalar, result))
    throw OverflowError("Python integer " + text_of(scalar) + " out of bounds for " + name(dtype));
  return result;
}

}  // namespace gpuarray
