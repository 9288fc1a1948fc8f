// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/expression/expression_arguments.hpp"

#include <algorithm>

#include "backend/backend.hpp"
#include "backend/host/scalar.hpp"
#include "core/error.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/numpy.hpp"
#include "py/operations/elementwise.hpp"

namespace gpuarray::py {
namespace {

// In a signature an array is its dtype, a byte; scalars are beyond them.
constexpr char kScalar = 0x20, kWeak = 0x40;

char code_of(const Scalar& scalar) {
  if (scalar.weak) return static_cast<char>(kWeak | (scalar.given_kind() & 0x1f));
  return static_cast<char>(kScalar | static_cast<char>(scalar.dtype));
}

// A view of another library's array.
Ref foreign_array(PyObject* object) {
  return checked(
      PyObject_CallFunctionObjArgs(import_attribute("gpuarray", "asarray").get(), object, nullptr));
}

bool is_foreign(PyObject* object) {
  if (is_ndarray(object)) return false;
  for (const char* name : {"__cuda_array_interface__", "__dlpack__"}) {
    Ref found = Ref::steal(PyObject_GetAttrString(object, name));
    if (found) return true;
    PyErr_Clear();
  }
  return false;
}

int index_of_name(const CallSpec& spec, PyObject* name) {
  for (size_t k = 0; k < spec.names.size(); ++k)
    if (PyUnicode_CompareWithASCIIString(name, spec.names[k].c_str()) == 0)
      return static_cast<int>(k);
  return -1;
}

int64_t integer_attribute(PyObject* object, const char* name) {
  return to_int64(checked(PyObject_GetAttrString(object, name)).get());
}

}  // namespace

ExpressionArguments::ExpressionArguments(const CallSpec& spec, PyObject* args, PyObject* kwargs)
    : spec_(spec) {
  PyObject* named[kMostParameters] = {};
  PyObject* out = nullptr;
  const Py_ssize_t given = PyTuple_Size(args);
  if (kwargs != nullptr) take_keywords(kwargs, given, named, &out);
  for (Py_ssize_t k = 0; k < given; ++k) add(PyTuple_GetItem(args, k));
  while (count_ < static_cast<int>(spec.names.size())) {
    if (named[count_] == nullptr) refuse_count(given);
    add(named[count_]);
  }
  if (out != nullptr) add_outputs(out);
  if (count_ > static_cast<int>(spec.names.size()) + spec.outputs) refuse_count(count_);
}

void ExpressionArguments::refuse_count(Py_ssize_t given) const {
  const size_t least = spec_.names.size();
  std::string expected = std::to_string(least);
  if (spec_.outputs > 0)
    expected += " to " + std::to_string(least + static_cast<size_t>(spec_.outputs));
  throw TypeError(spec_.name + ": expected " + expected + " arguments, got " +
                  std::to_string(given));
}

void ExpressionArguments::take_keywords(PyObject* kwargs, Py_ssize_t given, PyObject** named,
                                        PyObject** out) {
  PyObject *name, *value;
  for (Py_ssize_t at = 0; PyDict_Next(kwargs, &at, &name, &value);) {
    const int index = index_of_name(spec_, name);
    if (index >= given)
      named[index] = value;
    else if (!take_option(name, value, out))
      throw TypeError(spec_.name + "() got an unexpected keyword argument '" +
                      to_text(name, "name") + "'");
  }
}

// Keywords other than the arguments' names.
bool ExpressionArguments::take_option(PyObject* name, PyObject* value, PyObject** out) {
  const auto is = [name](const char* text) {
    return PyUnicode_CompareWithASCIIString(name, text) == 0;
  };
  if (is("out")) {
    *out = value;
  } else if (is("stream")) {
    stream_ = value;
  } else if (is("size")) {
    if (value != Py_None) size_ = to_int64(value);
  } else if (is("range") || is("slice")) {
    steps_ = value == Py_None ? nullptr : value;
  } else if (!is("block_size")) {  // CuPy's; ours follows from the arrays
    return false;
  }
  return true;
}

void ExpressionArguments::add(PyObject* object) {
  if (count_ == kMostParameters) refuse_count(count_ + 1);
  if (is_array(object)) return add_array(object);
  const std::optional<Operand> operand = as_operand(object);
  if (!operand) {
    if (!is_foreign(object)) refuse_operands(spec_.name.c_str(), {&object, 1});
    held_.push_back(foreign_array(object));
    return add_array(held_.back().get());
  }
  objects_[count_] = object;
  values_[count_++].scalar = operand->scalar();
  signature_ += code_of(operand->scalar());
}

void ExpressionArguments::add_array(PyObject* object) {
  const Array& array = as_array(object);
  objects_[count_] = object;
  values_[count_++].array = &array;
  signature_ += static_cast<char>(array.dtype());
  if (spec_.ranks) signature_ += static_cast<char>(array.ndim());
}

void ExpressionArguments::add_outputs(PyObject* out) {
  if (out == Py_None) return;
  if (!PyTuple_Check(out)) return add(out);
  for (Py_ssize_t k = 0; k < PyTuple_Size(out); ++k) add(PyTuple_GetItem(out, k));
}

Ref ExpressionArguments::describe(const ops::Argument& argument) const {
  if (argument.array == nullptr) {
    const Scalar& scalar = argument.scalar;
    if (!scalar.weak) return checked(Py_BuildValue("(ss)", "scalar", name(scalar.dtype)));
    const char given = scalar.given_kind();
    const char* type = given == 'i' ? "int" : given == 'f' ? "float" : "complex";
    return checked(Py_BuildValue("(ss)", "weak", type));
  }
  const Array& array = *argument.array;
  if (!spec_.ranks) return checked(Py_BuildValue("(ss)", "array", name(array.dtype())));
  return checked(Py_BuildValue("(ssi)", "array", name(array.dtype()), array.ndim()));
}

Ref ExpressionArguments::describe() const {
  Ref signature = checked(PyTuple_New(count_));
  for (int k = 0; k < count_; ++k)
    PyTuple_SetItem(signature.get(), k, describe(values_[k]).release());
  return signature;
}

Device ExpressionArguments::device() const {
  const Array* first = nullptr;
  for (int k = 0; k < count_; ++k) {
    const Array* array = values_[k].array;
    if (array == nullptr) continue;
    if (first == nullptr) first = array;
    if (array->device() != first->device())
      throw DeviceError(spec_.name + ": operands are on different devices, " +
                        to_string(first->device()) + " and " + to_string(array->device()) +
                        "; copy one with to_device()");
  }
  return first == nullptr ? to_device(nullptr) : first->device();
}

int64_t ExpressionArguments::longest() const {
  int64_t size = size_.value_or(0);
  for (int k = 0; k < count_; ++k)
    if (values_[k].array != nullptr) size = std::max(size, values_[k].array->size());
  return size;
}

// An argument as a parameter takes it.
ops::Argument ExpressionArguments::fit(const ops::Argument& given,
                                       const ExpressionParameter& parameter) const {
  const bool is_scalar = parameter.role == Role::scalar;
  if (is_scalar != (given.array == nullptr) ||
      (!is_scalar && given.array->dtype() != parameter.memory))
    throw TypeError(spec_.name + ": " + parameter.name + " does not fit its program");
  ops::Argument value = given;
  if (is_scalar && (value.scalar.weak || value.scalar.dtype != parameter.dtype))
    value.scalar = cast_scalar(value.scalar, parameter.dtype);
  return value;
}

ops::ExpressionCall ExpressionArguments::fitted(const Expression& expression,
                                                const std::vector<int>* places) {
  const auto parameters = expression.parameters();
  const size_t given = places != nullptr ? places->size() : static_cast<size_t>(count_);
  if (given > parameters.size())
    throw TypeError(spec_.name + ": got " + std::to_string(count_) + " arguments, expected " +
                    std::to_string(parameters.size()));
  for (size_t k = 0; k < given; ++k)
    fitted_[k] =
        fit(values_[places != nullptr ? (*places)[k] : static_cast<int>(k)], parameters[k]);
  for (size_t k = given; k < parameters.size(); ++k)
    if (!parameters[k].is_written || parameters[k].role == Role::scalar)
      throw TypeError(spec_.name + ": " + parameters[k].name + " does not fit its program");
  ops::ExpressionCall call{{fitted_, parameters.size()}, device(), size_};
  if (steps_ != nullptr) set_steps(expression, call);
  return call;
}

// The indices that a range or a slice of the first array leaves.
void ExpressionArguments::set_steps(const Expression& expression, ops::ExpressionCall& call) const {
  const auto is_array = [](const ops::Argument& value) { return value.array != nullptr; };
  const auto first = std::find_if(values_, values_ + count_, is_array);
  if (!expression.has_pointers() || first == values_ + count_)
    throw TypeError(spec_.name + ": range and slice are for kernels of pointers");
  if (PySlice_Check(steps_)) {
    Py_ssize_t start = 0, stop = 0, step = 0;
    checked_status(PySlice_Unpack(steps_, &start, &stop, &step));
    call.size = PySlice_AdjustIndices(first->array->size(), &start, &stop, step);
    call.start = start;
    call.step = step;
  } else if (PyRange_Check(steps_)) {
    call.size = checked_status(PyObject_Size(steps_));
    call.start = integer_attribute(steps_, "start");
    call.step = integer_attribute(steps_, "step");
  } else {
    throw TypeError(spec_.name + ": expected a range or a slice, got " + type_name(steps_));
  }
}

}  // namespace gpuarray::py
