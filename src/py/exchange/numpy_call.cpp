// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>
#include <utility>
#include <vector>

#include "array/ops.hpp"
#include "core/error.hpp"
#include "py/binding/call_python.hpp"
#include "py/binding/gil_stand_in.hpp"
#include "py/binding/slot.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/lent_ndarray.hpp"
#include "py/convert/numpy.hpp"
#include "py/exchange/interchange.hpp"
#include "py/exchange/parts.hpp"

namespace gpuarray::py {
namespace {

// Results up to so many bytes are copied, which takes less time than sharing their memory.
constexpr int64_t kCopiedBytes = 16 * 1024;
constexpr int kMaxNesting = 5;  // of sequences, of which the arguments are the first

// What may be among the arguments.
struct Takes {
  bool sequences;  // of arrays
  bool strings;
  // Arrays of bools, of which NumPy compares the bytes, though any but 0 are true, and of float16,
  // which NumPy 2.4 sorts wrongly by AVX-512.
  bool bools;
};

// The arguments of a call of NumPy: arrays of the cpu device become ndarrays over their memory.
// None, strings unless they are taken and bools that are no flags are left to gpuarray, because
// NumPy takes them for numbers.
class NumpyArguments {
 public:
  explicit NumpyArguments(const Takes& takes) : takes_(takes) {}

  // Returns what stands for the argument; empty for one that NumPy shall not see.
  Ref convert(PyObject* object, int nesting = 1);
  // Returns a tuple or list of what stands for the items, empty as above.
  Ref convert_items(PyObject* sequence, int nesting);
  bool has_arrays() const { return !views_.empty(); }
  // Returns whether the ndarray may be over the memory of an argument.
  bool share(PyObject* ndarray) const;

 private:
  const Takes takes_;
  std::vector<Ref> views_;
};

Ref NumpyArguments::convert(PyObject* object, int nesting) {
  if (is_array(object)) {
    const Array& array = as_array(object);
    if (!array.device().is_cpu() || !info(array.dtype()).is_numpys()) return {};
    if (nesting > 1 && !takes_.sequences) return {};
    if ((array.dtype() == DType::bool_ || array.dtype() == DType::float16) && !takes_.bools)
      return {};
    Ref made = lent_ndarray(array);
    views_.push_back(Ref::borrow(made.get()));
    return made;
  }
  if (PyTuple_CheckExact(object) || PyList_CheckExact(object))
    return nesting < kMaxNesting ? convert_items(object, nesting + 1) : Ref();
  const bool is_plain = PyLong_CheckExact(object) || PyFloat_CheckExact(object) ||
                        PyComplex_CheckExact(object) || PySlice_Check(object) ||
                        PyType_Check(object) || (takes_.strings && PyUnicode_CheckExact(object));
  return is_plain || is_numpy_number(object) ? Ref::borrow(object) : Ref();
}

Ref NumpyArguments::convert_items(PyObject* sequence, int nesting) {
  const bool is_tuple = PyTuple_CheckExact(sequence);
  const Ref items = is_tuple ? Ref::borrow(sequence) : checked(PyList_AsTuple(sequence));
  const Py_ssize_t count = PyTuple_Size(items.get());
  Ref made = checked(is_tuple ? PyTuple_New(count) : PyList_New(count));
  for (Py_ssize_t k = 0; k < count; ++k) {
    Ref converted = convert(PyTuple_GetItem(items.get(), k), nesting);
    if (!converted) return {};
    if (is_tuple)
      PyTuple_SetItem(made.get(), k, converted.release());
    else
      PyList_SetItem(made.get(), k, converted.release());
  }
  return made;
}

bool NumpyArguments::share(PyObject* ndarray) const {
  PyObject* const owner = base_of(ndarray);
  if (owner != nullptr && !is_ndarray(owner)) return true;
  return std::ranges::any_of(
      views_, [&](const Ref& view) { return view.get() == owner || view.get() == ndarray; });
}

// Returns an array of the cpu device with the elements of an ndarray that nothing else will use.
Array adopt(PyObject* ndarray) {
  const HostArray host = host_array(ndarray);
  if (!host.writable || element_count(host.shape) * itemsize(host.dtype) <= kCopiedBytes) {
    const char order = host.f_contiguous && !host.c_contiguous ? 'F' : 'C';
    const Array made = ops::empty(host.shape, host.dtype, Device::cpu(), order);
    ops::copy_from_host(made, host.bytes());
    return made;
  }
  ForeignMemory memory;
  memory.data = host.data;
  memory.dtype = host.dtype;
  memory.shape = host.shape;
  for (const int64_t step : host.strides) memory.strides.push_back(step / itemsize(host.dtype));
  return borrow_array(memory, "numpy", keep_alive(ndarray));
}

// Returns whether a keyword's value is a flag: a bool that does not stand for an axis or a count.
bool is_flag(PyObject* name, PyObject* value) {
  return PyBool_Check(value) && PyUnicode_CompareWithASCIIString(name, "axis") != 0 &&
         PyUnicode_CompareWithASCIIString(name, "n") != 0;
}

// Returns what NumPy's result is for a caller of gpuarray: arrays for ndarrays and NumPy's scalars,
// also as items of a tuple. Empty for a view of an argument and for other objects.
Ref to_result(const NumpyArguments& arguments, PyObject* object) {
  if (is_ndarray(object)) return arguments.share(object) ? Ref() : new_array(adopt(object));
  if (is_numpy_scalar(object)) return new_array(adopt(as_host_array(object).get()));
  if (object == Py_None || PyBool_Check(object)) return Ref::borrow(object);
  if (!PyTuple_CheckExact(object)) return {};
  const Py_ssize_t count = PyTuple_Size(object);
  Ref made = checked(PyTuple_New(count));
  for (Py_ssize_t k = 0; k < count; ++k) {
    Ref converted = to_result(arguments, PyTuple_GetItem(object, k));
    if (!converted) return {};
    PyTuple_SetItem(made.get(), k, converted.release());
  }
  return made;
}

Ref result_or_not_implemented(const NumpyArguments& arguments, PyObject* result) {
  try {
    if (Ref made = to_result(arguments, result)) return made;
  } catch (const TypeError&) {
    // The result has a dtype that is not supported.
  }
  return not_implemented();
}

// Implements _call_numpy(function, args, kwargs, sequences, strings, bools).
Ref call_numpy(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  if (nargs != 6) throw TypeError("_call_numpy: expected 6 arguments");
  if (!PyTuple_Check(args[1]) || !PyDict_Check(args[2]))
    throw TypeError("_call_numpy: expected a tuple and a dict of arguments");
  const Takes takes{args[3] == Py_True, args[4] == Py_True, args[5] == Py_True};
  NumpyArguments arguments(takes);
  const Ref positional = arguments.convert_items(args[1], 1);
  if (!positional) return not_implemented();
  Ref keywords;
  PyObject *name, *value;
  const Ref given = unshared_dict(Ref::borrow(args[2]));
  for (Py_ssize_t place = 0; PyDict_Next(given.get(), &place, &name, &value);) {
    if (!PyUnicode_Check(name)) throw TypeError("_call_numpy: expected keywords that are str");
    // Not every function of NumPy's sees that `out` shares memory with what it reads.
    const bool is_out = PyUnicode_CompareWithASCIIString(name, "out") == 0;
    const Ref converted = is_out && value != Py_None ? Ref()
                          : is_flag(name, value)     ? Ref::borrow(value)
                                                     : arguments.convert(value);
    if (!converted) return not_implemented();
    if (!keywords) keywords = checked(PyDict_New());
    checked_status(PyDict_SetItem(keywords.get(), name, converted.get()));
  }
  if (!arguments.has_arrays() || PyTuple_Size(args[1]) == 0) return not_implemented();
  PyObject* const first = PyTuple_GetItem(args[1], 0);
  if (!is_array(first) && !takes.sequences) return not_implemented();
  const Ref result = try_python(PyObject_Call, args[0], positional.get(), keywords.get());
  if (result) return result_or_not_implemented(arguments, result.get());
  if (!PyErr_ExceptionMatches(PyExc_Exception)) throw PythonError();
  PyErr_Clear();
  return not_implemented();
}

}  // namespace

MethodRows numpy_call_rows() {
  static const PyMethodDef rows[] = {
      {"_call_numpy", method<call_numpy>, METH_FASTCALL,
       R"(_call_numpy($module, function, args, kwargs, sequences, strings, bools, /)
--

Return what NumPy's function gives for arrays of the cpu device, which it reads and writes in place.

Its results become arrays of the cpu device. NotImplemented unless the first argument is one, or
with `sequences` any item of one; where another argument is neither such an array nor a number, a
type, a slice, a sequence of these, with `strings` a str or as a keyword a flag; for arrays of bools
or float16 without `bools`; where NumPy raises; and where it gives a list or a view of an
argument.)"},
  };
  return rows;
}

}  // namespace gpuarray::py
