// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/expression/expression_arguments.hpp"

#include <algorithm>

#include "array/operand.hpp"
#include "backend/backend.hpp"
#include "backend/host/scalar.hpp"
#include "core/error.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/call_python.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/convert.hpp"
#include "py/exchange/interchange.hpp"
#include "py/operations/elementwise.hpp"

namespace gpuarray::py {
namespace {

// The first byte of an argument in a signature: the dtype of an array; these bits beside the
// dtype or kind of a scalar; or one of those below, for other objects.
constexpr char kScalar = 0x20, kWeak = 0x40;
constexpr char kKeyed = 0x60;   // an object; four bytes follow, the number of its key
constexpr char kOpaque = 0x61;  // an attribute without a key
constexpr char kAbsent = 0x62;  // an attribute that its owner does not have
constexpr char kReads = 0x63;   // the attributes that are read follow

char code_of(const Scalar& scalar) {
  if (scalar.weak) return static_cast<char>(kWeak | (scalar.given_kind() & 0x1f));
  return static_cast<char>(kScalar | static_cast<char>(scalar.dtype));
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

ExpressionArguments::ExpressionArguments(const CallSpec& spec, AttributeReadsPtr reads,
                                         PyObject* dispatcher, PyObject* args, PyObject* kwargs)
    : spec_(spec), dispatcher_(dispatcher), reads_(std::move(reads)) {
  PyObject* named[kMostParameters] = {};
  PyObject* out = nullptr;
  const Py_ssize_t given = PyTuple_Size(args);
  const auto names = static_cast<Py_ssize_t>(spec.names.size());
  // How many are given by position, without those of *arrays.
  const Py_ssize_t placed = spec.is_variadic ? std::min<Py_ssize_t>(given, spec.positional) : given;
  if (placed > spec.positional && spec.positional < names) refuse_count(given);
  if (kwargs != nullptr) take_keywords(kwargs, placed, named, &out);
  for (Py_ssize_t k = 0; k < placed; ++k) add(PyTuple_GetItem(args, k));
  while (total_ < names) add(named[total_] != nullptr ? named[total_] : not_given(given));
  for (Py_ssize_t k = placed; k < given; ++k) add(PyTuple_GetItem(args, k));
  if (out != nullptr) add_outputs(out);
  if (!spec.is_variadic && total_ > names + spec.outputs) refuse_count(total_);
  count_ = total_;
  if (reads_ != nullptr && !is_traced_) add_attributes();
}

// Returns the default value of the next argument; throws TypeError if it has none.
PyObject* ExpressionArguments::not_given(Py_ssize_t given) const {
  const auto k = static_cast<size_t>(total_);
  if (!spec_.defaults.empty() && spec_.defaults[k]) return spec_.defaults[k].get();
  if (total_ >= spec_.positional)
    throw TypeError(spec_.name + ": missing the keyword argument '" + spec_.names[k] + "'");
  refuse_count(given);
}

void ExpressionArguments::refuse_count(Py_ssize_t given) const {
  int least = spec_.positional;
  while (least > 0 && !spec_.defaults.empty() && spec_.defaults[static_cast<size_t>(least) - 1])
    --least;
  const int most = spec_.positional + spec_.outputs;
  std::string expected = spec_.is_variadic ? "at least " : "";
  expected += std::to_string(least);
  if (!spec_.is_variadic && most > least) expected += " to " + std::to_string(most);
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
    else if (index >= 0)
      throw TypeError(spec_.name + "() got multiple values for argument '" +
                      spec_.names[static_cast<size_t>(index)] + "'");
    else if (!take_option(name, value, out))
      throw TypeError(spec_.name + "() got an unexpected keyword argument '" +
                      to_text(name, "name") + "'");
  }
}

// Takes a keyword that is not the name of an argument; false for one that there is not.
bool ExpressionArguments::take_option(PyObject* name, PyObject* value, PyObject** out) {
  const auto is = [name](const char* text) {
    return PyUnicode_CompareWithASCIIString(name, text) == 0;
  };
  if (is("stream")) {
    stream_ = value;
  } else if (spec_.is_function) {
    return false;
  } else if (is("out")) {
    *out = value;
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
  if (total_ == kMostParameters)
    throw TypeError(spec_.name + ": expected at most " + std::to_string(kMostParameters) +
                    " arguments");
  if (is_array(object)) return add_array(object);
  const std::optional<Operand> operand = as_operand(object);
  if (operand) {
    objects_[total_] = object;
    values_[total_++].scalar = operand->scalar();
    signature_ += code_of(operand->scalar());
  } else if (is_foreign_array(object)) {
    held_.push_back(import_foreign(object));
    add_array(held_.back().get());
  } else if (spec_.is_function) {
    add_object(object, nullptr);
  } else {
    refuse_operands(spec_.name.c_str(), {&object, 1});
  }
}

void ExpressionArguments::add_array(PyObject* object) {
  const Array& array = as_array(object);
  objects_[total_] = object;
  values_[total_++].array = &array;
  signature_ += static_cast<char>(array.dtype());
  if (spec_.has_ranks) signature_ += static_cast<char>(array.ndim());
}

// Objects with one key are alike to a fused function, but for the attributes that it reads.
void ExpressionArguments::add_object(PyObject* object, PyObject* owner) {
  others_ |= 1u << total_;
  objects_[total_++] = object;
  if (owner == nullptr && has_attribute(object, "__gpuarray_function__")) {
    is_traced_ = true;
    return;
  }
  Ref number = call_python(PyObject_CallMethod, dispatcher_, "_key", "OO", object, or_none(owner));
  if (number.get() != Py_None) {
    const auto key = static_cast<uint32_t>(to_int64(number.get()));
    signature_ += kKeyed;
    signature_.append(reinterpret_cast<const char*>(&key), sizeof key);
  } else if (owner != nullptr) {
    signature_ += kOpaque;
  } else {
    refuse_operands(spec_.name.c_str(), {&object, 1});
  }
}

void ExpressionArguments::add_attributes() {
  fits_ = static_cast<size_t>(count_) + reads_->size() <= size_t{kMostParameters};
  if (!fits_) return;
  signature_ += kReads;
  for (const AttributeRead& read : *reads_) {
    const int owner = read.owner >= 0 ? read.owner : count_ + ~read.owner;
    Ref value;
    if ((others_ >> owner & 1) != 0 && objects_[owner] != nullptr) {
      value = Ref::steal(PyObject_GetAttr(objects_[owner], read.name.get()));
      if (!value && PyErr_ExceptionMatches(PyExc_AttributeError) == 0) throw PythonError();
      PyErr_Clear();
    }
    if (!value) {
      others_ |= 1u << total_;
      objects_[total_++] = nullptr;
      signature_ += kAbsent;
      continue;
    }
    held_.push_back(std::move(value));
    PyObject* object = held_.back().get();
    const bool is_operand = !read.is_constant && (as_operand(object) || is_foreign_array(object));
    is_operand ? add(object) : add_object(object, objects_[owner]);
  }
}

void ExpressionArguments::add_outputs(PyObject* out) {
  if (out == Py_None) return;
  if (!PyTuple_Check(out)) return add(out);
  for (Py_ssize_t k = 0; k < PyTuple_Size(out); ++k) add(PyTuple_GetItem(out, k));
}

// Returns (role, what), and for an attribute that is read (role, what, (owner, name)).
Ref ExpressionArguments::describe(int k) const {
  const ops::Argument& argument = values_[k];
  const char* role = "array";
  Ref what;
  if ((others_ >> k & 1) != 0) {
    role = objects_[k] == nullptr ? "absent" : "object";
    what = objects_[k] == nullptr ? none() : Ref::borrow(objects_[k]);
  } else if (argument.array != nullptr) {
    what = py_string(name(argument.array->dtype()));
  } else if (!argument.scalar.weak) {
    role = "scalar";
    what = py_string(name(argument.scalar.dtype));
  } else {
    const char given = argument.scalar.given_kind();
    role = "weak";
    what = py_string(given == 'i' ? "int" : given == 'f' ? "float" : "complex");
  }
  if (k >= count_) {
    const AttributeRead& read = (*reads_)[static_cast<size_t>(k - count_)];
    return checked(Py_BuildValue("(sO(iO))", role, what.get(), read.owner, read.name.get()));
  }
  if (spec_.has_ranks && argument.array != nullptr)
    return checked(Py_BuildValue("(sOi)", role, what.get(), argument.array->ndim()));
  return checked(Py_BuildValue("(sO)", role, what.get()));
}

Ref ExpressionArguments::describe() const {
  Ref signature = checked(PyTuple_New(total_));
  for (int k = 0; k < total_; ++k) PyTuple_SetItem(signature.get(), k, describe(k).release());
  return signature;
}

Device ExpressionArguments::device() const {
  ops::CommonDevice common(spec_.name.c_str());
  for (int k = 0; k < total_; ++k)
    if (values_[k].array != nullptr) common.add(*values_[k].array);
  return common.first() == nullptr ? to_device(nullptr) : common.first()->device();
}

int64_t ExpressionArguments::longest() const {
  int64_t size = size_.value_or(0);
  for (int k = 0; k < total_; ++k)
    if (values_[k].array != nullptr) size = std::max(size, values_[k].array->size());
  return size;
}

// Returns an argument as a parameter takes it; throws TypeError if it does not fit.
ops::Argument ExpressionArguments::fit(const ops::Argument& given,
                                       const ExpressionParameter& parameter) const {
  const bool is_scalar = parameter.role == Role::scalar;
  if (is_scalar != (given.array == nullptr) ||
      (!is_scalar && given.array->dtype() != parameter.memory))
    throw TypeError(spec_.name + ": " + parameter.name + " does not fit its program");
  ops::Argument value = given;
  if (is_scalar && (value.scalar.weak || value.scalar.dtype != parameter.memory))
    value.scalar = cast_scalar(value.scalar, parameter.memory);
  return value;
}

ops::ExpressionCall ExpressionArguments::fitted(const Expression& expression,
                                                const std::vector<int>* places) {
  const auto parameters = expression.parameters();
  const size_t given = places != nullptr ? places->size() : static_cast<size_t>(total_);
  if (given > parameters.size())
    throw TypeError(spec_.name + ": got " + std::to_string(total_) + " arguments, expected " +
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

// Sets the indices of the loop to those of PyCUDA's range=, or of its slice= of the first array.
void ExpressionArguments::set_steps(const Expression& expression, ops::ExpressionCall& call) const {
  const auto is_array = [](const ops::Argument& value) { return value.array != nullptr; };
  const auto first = std::find_if(values_, values_ + total_, is_array);
  if (!expression.has_pointers() || first == values_ + total_)
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
