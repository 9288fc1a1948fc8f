// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "array/expression.hpp"
#include "py/binding/ref.hpp"

namespace gpuarray::py {

// An attribute of an argument, which a fused function reads as one more argument.
struct AttributeRead {
  int owner;         // the index of an argument, or ~k for the k-th attribute that is read
  Ref name;          // a str
  bool is_constant;  // its value, if a number, belongs to the signature
};
using AttributeReads = std::vector<AttributeRead>;
using AttributeReadsPtr = std::shared_ptr<const AttributeReads>;  // null for none

// What a callable takes. The arguments of a call are those with names, then those of *arrays or
// out=, then the attributes that are read.
struct CallSpec {
  std::string name;
  std::vector<std::string> names;  // positional arguments first, then keyword-only ones
  int positional = 0;              // how many of them may be given by position
  std::vector<Ref> defaults;       // for each name, null where there is none; or empty
  bool is_variadic = false;        // takes *arrays
  int outputs = 0;                 // how many arrays may follow the arguments, or stand in out=
  bool has_ranks = false;          // whether signatures tell arrays of several ndim apart
  // A function that was fused: takes other objects than arrays and scalars, stream= alone, and
  // within a function that is being traced the values that stand for arrays.
  bool is_function = false;
  bool has_fallback = true;  // whether calls that a program refuses go to the function itself
};

// The arguments of one call of a dispatcher. Objects are borrowed from the call.
class ExpressionArguments {
 public:
  // Reads the arguments of a call, and these attributes of theirs. `dispatcher` is the callable,
  // whose method _key tells objects apart in signatures. Throws TypeError for too many or too few
  // arguments, and for those that are neither arrays nor scalars unless the callable is a function.
  ExpressionArguments(const CallSpec& spec, AttributeReadsPtr reads, PyObject* dispatcher,
                      PyObject* args, PyObject* kwargs);

  int count() const { return count_; }                   // without the attributes that are read
  PyObject* object(int k) const { return objects_[k]; }  // borrowed; a GPUArray if an array
  // Returns whether an argument stands for an array in a function that is being traced. Nothing but
  // `object` and `count` may be used then.
  bool is_traced() const { return is_traced_; }
  // Returns whether the arguments and the attributes that are read are few enough for a program.
  bool fits() const { return fits_; }
  // Return what tells calls of different programs apart: as bytes, and as a tuple for Python.
  const std::string& signature() const { return signature_; }
  Ref describe() const;
  // Returns the device of the arrays, or the default device if there are none. Throws DeviceError
  // if they are on several.
  Device device() const;
  PyObject* stream() const { return stream_; }  // borrowed, may be null
  int64_t longest() const;                      // the number of elements of the largest array

  // Returns the call of an expression whose first parameters are the arguments at `places`, or all
  // arguments if that is null. Scalars are converted to its dtypes. Throws TypeError for arguments
  // that the expression was not made for. The result refers to memory of this object.
  ops::ExpressionCall fitted(const Expression& expression, const std::vector<int>* places);

 private:
  void add(PyObject* object);
  void add_array(PyObject* object);
  // Adds an object that is neither an array nor a scalar. `owner` is the object whose attribute
  // this is, null for an argument.
  void add_object(PyObject* object, PyObject* owner);
  void add_outputs(PyObject* out);
  void add_attributes();
  PyObject* not_given(Py_ssize_t given) const;
  void take_keywords(PyObject* kwargs, Py_ssize_t given, PyObject** named, PyObject** out);
  bool take_option(PyObject* name, PyObject* value, PyObject** out);
  [[noreturn]] void refuse_count(Py_ssize_t given) const;
  Ref describe(int k) const;
  ops::Argument fit(const ops::Argument& given, const ExpressionParameter& parameter) const;
  void set_steps(const Expression& expression, ops::ExpressionCall& call) const;

  const CallSpec& spec_;
  PyObject* dispatcher_;
  AttributeReadsPtr reads_;
  int count_ = 0;
  int total_ = 0;  // with the attributes that are read
  bool is_traced_ = false;
  bool fits_ = true;
  uint32_t others_ = 0;  // bit k: argument k is neither array nor scalar
  PyObject* objects_[kMostParameters];
  ops::Argument values_[kMostParameters];
  ops::Argument fitted_[kMostParameters];
  std::vector<Ref> held_;  // arrays that were made of other libraries', and attributes
  std::string signature_;
  PyObject* stream_ = nullptr;
  PyObject* steps_ = nullptr;  // PyCUDA's range= or slice=
  std::optional<int64_t> size_;
};

}  // namespace gpuarray::py
