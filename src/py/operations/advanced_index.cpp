// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/operations/advanced_index.hpp"

#include <algorithm>

#include "array/indexed_ops.hpp"
#include "array/operand.hpp"
#include "array/ops.hpp"
#include "core/error.hpp"
#include "py/binding/gil.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/numpy.hpp"
#include "py/operations/assigned_value.hpp"

namespace gpuarray::py {
namespace {

[[noreturn]] void refuse_index(PyObject* key) {
  throw IndexError(
      "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or "
      "boolean arrays are valid indices; got " +
      type_name(key));
}

bool is_numpy_flag(PyObject* key) {
  return is_numpy_scalar(key) && scalar_from_numpy(key).dtype == DType::bool_;
}

// Returns whether the key is an integer, or an array of integers without dimensions.
bool is_integer_index(PyObject* key) {
  if (PyLong_Check(key)) return !PyBool_Check(key);
  if (is_array(key)) return as_array(key).ndim() == 0 && is_integer(as_array(key).dtype());
  if (is_ndarray(key)) return is_numpy_0d(key) && is_integer(host_array(key).dtype);
  return PyIndex_Check(key) && !is_numpy_flag(key);  // to old NumPy np.True_ is a number, too
}

int64_t to_integer_index(PyObject* key) {
  const Py_ssize_t value = PyNumber_AsSsize_t(key, PyExc_IndexError);
  if (value == -1 && PyErr_Occurred()) throw PythonError();
  return value;
}

Index to_slice(PyObject* key) {
  Py_ssize_t start, stop, step;
  checked_status(PySlice_Unpack(key, &start, &stop, &step));
  return {IndexKind::slice, start, stop, step};
}

// Returns the array for an index True or False, which selects along no axis, as an array of bools
// without dimensions does. It is made on the cpu device, since the host reads it.
Array flag_array(bool value) {
  const Array flag = ops::empty({}, DType::bool_, Device::cpu());
  ops::assign(flag, Scalar::of(value));
  return flag;
}

// Copies an ndarray to the device.
Array copied_in(PyObject* host, Device device) {
  const HostArray given = host_array(host);
  const Array made = ops::empty(given.shape, given.dtype, device);
  ops::copy_from_host(made, given.bytes());
  return made;
}

// Converts the object to an ndarray. An empty list, whose dtype NumPy takes to be float64, becomes
// one of int64.
Ref as_host_indices(PyObject* object) {
  Ref host = as_host_array(object);
  if (!is_ndarray(object) && element_count(host_array(host.get()).shape) == 0)
    return as_host_array(host.get(), DType::int64);
  return host;
}

// Converts an entry of a key that is not a basic index to an array of integers or bools. Throws
// IndexError.
KeyEntry to_array_entry(PyObject* key, const Array& array) {
  KeyEntry entry;
  if (PyBool_Check(key))
    entry.array = flag_array(key == Py_True);
  else if (is_numpy_flag(key))
    entry.array = flag_array(scalar_from_numpy(key).as<bool>());
  else if (is_array(key) || is_ndarray(key) ||
           (PySequence_Check(key) && !PyUnicode_Check(key) && !PyBytes_Check(key)))
    entry.array = to_index_array(key, array, true);
  else
    refuse_index(key);
  return entry;
}

KeyEntry to_entry(PyObject* key, const Array& array) {
  KeyEntry entry;
  return to_basic_index(key, entry.basic) ? entry : to_array_entry(key, array);
}

// Converts a key that is not a basic index by itself. `first` are the entries of a tuple before the
// first one that is not a basic index.
Key to_advanced_key(PyObject* key, std::span<const Index> first, const Array& array) {
  if (!PyTuple_Check(key)) return {to_array_entry(key, array)};
  const Py_ssize_t count = PyTuple_Size(key);
  Key entries;
  entries.reserve(static_cast<size_t>(count));
  for (const Index& index : first) entries.push_back({index, std::nullopt});
  auto at = static_cast<Py_ssize_t>(first.size());
  entries.push_back(to_array_entry(PyTuple_GetItem(key, at), array));
  while (++at < count) entries.push_back(to_entry(PyTuple_GetItem(key, at), array));
  return entries;
}

// Returns whether indexing waits for the device, as masks make it do, or runs long on the host. The
// GIL is released then.
bool takes_long(const Array& array, const Key& key) {
  int64_t elements = 0;
  bool masks = false;
  for (const KeyEntry& entry : key) {
    if (!entry.array) continue;
    elements = std::max(elements, entry.array->size());
    masks = masks || entry.array->dtype() == DType::bool_;
  }
  return array.device().is_cpu() ? runs_long(array.device(), std::max(elements, array.size()))
                                 : masks;
}

}  // namespace

bool to_basic_index(PyObject* key, Index& index) {
  if (PySlice_Check(key)) {
    index = to_slice(key);
  } else if (key == Py_None) {
    index = {IndexKind::newaxis};
  } else if (key == Py_Ellipsis) {
    index = {IndexKind::ellipsis};
  } else if (is_integer_index(key)) {
    index = {IndexKind::integer, to_integer_index(key)};
  } else {
    return false;
  }
  return true;
}

Array to_index_array(PyObject* object, const Array& array, bool bools) {
  Ref host;
  const bool on_device = is_array(object);
  if (!on_device) host = as_host_indices(object);
  const DType dtype = on_device ? as_array(object).dtype() : host_array(host.get()).dtype;
  if (!is_integer(dtype) && !(bools && dtype == DType::bool_))
    throw IndexError("arrays used as indices must be of integer (or boolean) type; got " +
                     std::string(name(dtype)));
  if (!on_device) return copied_in(host.get(), array.device());
  const Operand operand = as_array(object);
  ops::common_device(std::span(&operand, 1), &array, "indexing");
  return as_array(object);
}

Key to_key(PyObject* key, const Array& array) {
  if (!PyTuple_Check(key)) return {to_entry(key, array)};
  Key entries;
  for (Py_ssize_t i = 0; i < PyTuple_Size(key); ++i)
    entries.push_back(to_entry(PyTuple_GetItem(key, i), array));
  return entries;
}

Ref get_advanced(PyObject* self, PyObject* key, std::span<const Index> first) {
  const Array& array = as_array(self);
  const Key entries = to_advanced_key(key, first, array);
  return new_array(
      without_gil_if(takes_long(array, entries), [&] { return ops::get_indexed(array, entries); }));
}

void set_advanced(PyObject* self, PyObject* key, std::span<const Index> first, PyObject* value) {
  const Array& array = as_array(self);
  ops::require_writable(array, "assignment");
  const Key entries = to_advanced_key(key, first, array);
  const AssignedValue source(value, array.dtype(), array.device(), "assignment");
  without_gil_if(takes_long(array, entries), [&] { ops::set_indexed(array, entries, source); });
}

}  // namespace gpuarray::py
