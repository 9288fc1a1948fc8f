// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/operations/elementwise.hpp"

#include <algorithm>

#include "array/ops.hpp"
#include "core/error.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/call_python.hpp"
#include "py/binding/gil.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/numpy.hpp"

namespace gpuarray::py {

namespace {

const Array* first_array(std::span<const Operand> operands) {
  for (const Operand& operand : operands)
    if (operand.array() != nullptr) return operand.array();
  return nullptr;
}

// Returns an upper bound of the number of elements of the result. Shapes that do not broadcast are
// not an error here; the operation refuses them.
int64_t broadcast_size(std::span<const Operand> operands) {
  int64_t size = 1;
  int ndim = 0;
  for (const Operand& operand : operands)
    if (operand.array() != nullptr) ndim = std::max(ndim, operand.array()->ndim());
  for (int back = 1; back <= ndim; ++back) {
    int64_t extent = 1;
    for (const Operand& operand : operands) {
      const Array* array = operand.array();
      if (array && back <= array->ndim())
        extent = std::max(extent, array->shape()[array->ndim() - back]);
    }
    if (__builtin_mul_overflow(size, extent, &size)) return INT64_MAX;
  }
  return size;
}

// Computes an operation of which all operands are scalars, on the default device. The first operand
// becomes an array without dimensions.
Array compute_scalars(Op op, std::span<const Operand> operands, std::optional<DType> dtype) {
  bool selects = info(op).rule == OpRule::SELECT;
  const Array first =
      ops::empty({}, selects ? DType::bool_ : ops::result_dtype(operands), to_device(nullptr));
  ops::assign(first, operands.front());
  Operands lifted;
  std::copy(operands.begin(), operands.end(), lifted.items);
  lifted.items[0] = first;
  lifted.count = operands.size();
  return ops::elementwise(op, lifted, nullptr, dtype);
}

// Returns the name of the object's type: "numpy.ndarray", "list", "GPUArray".
std::string qualified_name(PyObject* object) {
  return (is_ndarray(object) ? "numpy." : "") + type_name(object);
}

}  // namespace

Array run_elementwise(Op op, std::span<const Operand> operands, const Array* out,
                      std::optional<DType> dtype) {
  const Array* array = first_array(operands);
  if (array == nullptr && out == nullptr) return compute_scalars(op, operands, dtype);
  const Device device = (array == nullptr ? out : array)->device();
  const bool is_long = runs_long(device, device.is_cpu() ? broadcast_size(operands) : 0);
  return without_gil_if(is_long, [&] { return ops::elementwise(op, operands, out, dtype); });
}

std::optional<Operands> as_operands(const char* what, std::span<PyObject* const> objects) {
  std::optional<Operands> operands(std::in_place);
  for (PyObject* object : objects) {
    std::optional<Operand> operand = as_operand(object);
    if (!operand && is_ndarray(object)) refuse_operands(what, objects);
    if (!operand) {
      operands.reset();
      break;
    }
    operands->items[operands->count++] = *operand;
  }
  return operands;
}

Ref array_of_operand(const char* what, PyObject* object, Device device) {
  if (!is_list(object) && !as_operand(object)) return {};
  const Ref convert = import_attribute("gpuarray._common.operands", "as_array");
  return call_python(PyObject_CallFunction, convert.get(), "sOO", what, object,
                     from_device(device).get());
}

std::vector<Ref> arrays_of_lists(const char* what, std::span<PyObject* const> objects,
                                 PyObject* out) {
  if (std::ranges::none_of(objects, is_list)) return {};
  PyObject* like = is_given(out) && is_array(out) ? out : nullptr;
  if (const auto found = std::ranges::find_if(objects, is_array); found != objects.end())
    like = *found;
  const Device device = like != nullptr ? as_array(like).device() : to_device(nullptr);
  std::vector<Ref> arrays;
  for (PyObject* object : objects)
    arrays.push_back(is_list(object) ? array_of_operand(what, object, device)
                                     : Ref::borrow(object));
  return arrays;
}

Ref call_override(const char* name, std::span<PyObject* const> objects,
                  std::initializer_list<NamedArgument> keywords, PyObject* overrider) {
  Ref method = checked(PyObject_GetAttrString(overrider, "__gpuarray_function__"));
  Ref operands = checked(PyTuple_New(static_cast<Py_ssize_t>(objects.size())));
  for (std::size_t k = 0; k < objects.size(); ++k)
    PyTuple_SetItem(operands.get(), static_cast<Py_ssize_t>(k), Ref::borrow(objects[k]).release());
  Ref kwargs = checked(PyDict_New());
  for (const auto& [keyword, value] : keywords)
    if (is_given(value)) checked_status(PyDict_SetItemString(kwargs.get(), keyword, value));
  return call_python(PyObject_CallFunction, method.get(), "sOO", name, operands.get(),
                     kwargs.get());
}

Ref call_override(const char* name, std::span<PyObject* const> objects,
                  std::initializer_list<NamedArgument> keywords) {
  for (PyObject* object : objects)
    if (has_attribute(object, "__gpuarray_function__"))
      return call_override(name, objects, keywords, object);
  return {};
}

void refuse_operands(const char* what, std::span<PyObject* const> objects) {
  std::string names;
  for (std::size_t index = 0; index < objects.size(); ++index) {
    if (index > 0) names += index + 1 == objects.size() ? " and " : ", ";
    names += qualified_name(objects[index]);
  }
  const auto is_convertible = [](PyObject* object) {
    const bool is_text = PyUnicode_Check(object) || PyBytes_Check(object);
    return !is_text && object != Py_None && !as_operand(object);
  };
  if (std::ranges::none_of(objects, is_convertible))
    throw TypeError(std::string(what) + ": expected GPUArrays and scalars, got " + names);
  throw TypeError(std::string(what) + ": got " + names + "; convert with gpuarray.to_device(x)");
}

}  // namespace gpuarray::py
