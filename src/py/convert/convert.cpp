// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/convert/convert.hpp"

#include "backend/backend.hpp"
#include "backend/host/scalar.hpp"
#include "core/error.hpp"
#include "py/binding/arguments.hpp"

namespace gpuarray::py {

Ref from_scalar(const Scalar& scalar) {
  switch (kind(scalar.dtype)) {
    case 'b':
      return py_bool(scalar.as<bool>());
    case 'i':
      return py_int(cast_scalar(scalar, DType::int64).as<int64_t>());
    case 'u':
      return py_uint(cast_scalar(scalar, DType::uint64).as<uint64_t>());
    case 'f':
      return checked(PyFloat_FromDouble(cast_scalar(scalar, DType::float64).as<double>()));
    default: {
      auto value = cast_scalar(scalar, DType::complex128).as<std::complex<double>>();
      return checked(PyComplex_FromDoubles(value.real(), value.imag()));
    }
  }
}

std::optional<bool> to_copy(PyObject* object, const char* what) {
  if (!is_given(object)) return std::nullopt;
  if (!PyBool_Check(object) && type_name(object) != "bool")  // NumPy's too
    throw TypeError(std::string(what) + ": copy must be True, False or None, got " +
                    type_name(object));
  return checked_status(PyObject_IsTrue(object)) == 1;
}

char to_order(PyObject* object, const char* allowed, char fallback) {
  if (!is_given(object)) return fallback;
  std::string text = to_text(object, "order");
  char order = text.size() == 1 ? static_cast<char>(text[0] & ~0x20) : '\0';
  if (order != '\0' && std::string(allowed).find(order) != std::string::npos) return order;
  std::string names;
  for (const char* letter = allowed; *letter != '\0'; ++letter)
    names += std::string(names.empty() ? "'" : ", '") + *letter + "'";
  throw ValueError("order must be one of " + names + ", got '" + text + "'");
}

}  // namespace gpuarray::py
