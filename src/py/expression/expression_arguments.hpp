// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "array/expression.hpp"
#include "py/binding/ref.hpp"

namespace gpuarray::py {

// What a callable takes.
struct CallSpec {
  std::string name;
  std::vector<std::string> names;  // of the arguments
  int outputs = 0;                 // arrays that may follow them
  bool ranks = false;              // whether a signature tells arrays' dimensions
};

// The arguments of one call of an expression.
class ExpressionArguments {
 public:
  // Throws TypeError for arguments that are neither arrays nor scalars, or too many or few.
  ExpressionArguments(const CallSpec& spec, PyObject* args, PyObject* kwargs);

  int count() const { return count_; }
  PyObject* object(int k) const { return objects_[k]; }  // borrowed; a GPUArray if an array
  // What tells calls of different programs apart, as bytes and for Python.
  const std::string& signature() const { return signature_; }
  Ref describe() const;
  // Of the arrays; DeviceError for several. The default device without any.
  Device device() const;
  PyObject* stream() const { return stream_; }
  int64_t longest() const;  // elements of the largest array

  // The call of an expression, with scalars of its dtypes; its first parameters are the arguments
  // at `places`, or null: all of them. Throws TypeError for arguments that it is not made for.
  ops::ExpressionCall fitted(const Expression& expression, const std::vector<int>* places);

 private:
  void add(PyObject* object);
  void add_array(PyObject* object);
  void add_outputs(PyObject* out);
  void take_keywords(PyObject* kwargs, Py_ssize_t given, PyObject** named, PyObject** out);
  bool take_option(PyObject* name, PyObject* value, PyObject** out);
  [[noreturn]] void refuse_count(Py_ssize_t given) const;
  Ref describe(const ops::Argument& argument) const;
  ops::Argument fit(const ops::Argument& given, const ExpressionParameter& parameter) const;
  void set_steps(const Expression& expression, ops::ExpressionCall& call) const;

  const CallSpec& spec_;
  int count_ = 0;
  PyObject* objects_[kMostParameters];
  ops::Argument values_[kMostParameters];
  ops::Argument fitted_[kMostParameters];
  std::vector<Ref> held_;  // arrays that were made of other libraries'
  std::string signature_;
  PyObject* stream_ = nullptr;
  PyObject* steps_ = nullptr;  // PyCUDA's range= or slice=
  std::optional<int64_t> size_;
};

}  // namespace gpuarray::py
