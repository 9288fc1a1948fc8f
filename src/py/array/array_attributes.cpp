// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>

#include "array/ops.hpp"
#include "core/error.hpp"
#include "py/array/flags_type.hpp"
#include "py/array/parts.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/slot.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/delegate.hpp"
#include "py/operations/elementwise.hpp"

namespace gpuarray::py {

namespace {

Ref get_shape(PyObject* self, void*) { return from_dims(as_array(self).shape()); }

Ref get_strides(PyObject* self, void*) {
  const Array& array = as_array(self);
  Strides bytes = array.strides();
  for (int64_t& stride : bytes) stride *= array.itemsize();
  return from_dims(bytes);
}

Ref get_dtype(PyObject* self, void*) { return from_dtype(as_array(self).dtype()); }
Ref get_dtype_name(PyObject* self, void*) { return py_string(name(as_array(self).dtype())); }
Ref get_ndim(PyObject* self, void*) { return py_int(as_array(self).ndim()); }
Ref get_size(PyObject* self, void*) { return py_int(as_array(self).size()); }
Ref get_itemsize(PyObject* self, void*) { return py_int(as_array(self).itemsize()); }
Ref get_nbytes(PyObject* self, void*) { return py_int(as_array(self).nbytes()); }
Ref get_device(PyObject* self, void*) { return from_device(as_array(self).device()); }
Ref get_memory_kind(PyObject* self, void*) {
  return py_string(name(as_array(self).buffer()->kind()));
}
Ref get_flags(PyObject* self, void*) { return new_flags(self); }

Ref get_base(PyObject* self, void*) { return Ref::borrow(or_none(array_object(self)->base)); }

Ref get_array_interface(PyObject* self, void*) {
  return call_python_method("__array_interface__", self, nullptr, nullptr);
}
Ref get_ctypes(PyObject* self, void*) {
  return call_python_method("ctypes", self, nullptr, nullptr);
}
Ref get_gpudata(PyObject* self, void*) {
  return call_python_method("gpudata", self, nullptr, nullptr);
}
Ref get_data(PyObject* self, void*) { return call_python_method("data", self, nullptr, nullptr); }
Ref get_parameter(PyObject* self, void*) {
  return call_python_method("_as_parameter_", self, nullptr, nullptr);
}
Ref get_flat(PyObject* self, void*) { return call_python_method("flat", self, nullptr, nullptr); }

// Returns a priority above NumPy's 0, whose operators then leave the operation to GPUArray.
Ref get_priority(PyObject*, void*) { return checked(PyFloat_FromDouble(100)); }

Ref get_ptr(PyObject* self, void*) {
  const Array& array = as_array(self);
  array.buffer()->lend();
  return py_uint(reinterpret_cast<uintptr_t>(array.data()));
}

Ref get_transposed(PyObject* self, void*) {
  const Array& array = as_array(self);
  Shape shape = array.shape();
  Strides strides = array.strides();
  std::reverse(shape.begin(), shape.end());
  std::reverse(strides.begin(), strides.end());
  return new_array(array.view(shape, strides), self);
}

Ref get_matrix_transposed(PyObject* self, void*) {
  const Array& array = as_array(self);
  if (array.ndim() < 2) throw ValueError("matrix transpose with ndim < 2 is undefined");
  Shape shape = array.shape();
  Strides strides = array.strides();
  std::swap(shape[array.ndim() - 1], shape[array.ndim() - 2]);
  std::swap(strides[array.ndim() - 1], strides[array.ndim() - 2]);
  return new_array(array.view(shape, strides), self);
}

// Returns the real or imaginary part of a complex array as a view; `offset` is in bytes.
Array part(const Array& array, int64_t offset) {
  Strides strides = array.strides();
  for (int64_t& stride : strides) stride *= 2;
  return array.view_as(real_dtype(array.dtype()), array.shape(), strides, offset);
}

Array real_part(const Array& array) { return is_complex(array.dtype()) ? part(array, 0) : array; }

Ref get_real(PyObject* self, void*) {
  const Array& array = as_array(self);
  return is_complex(array.dtype()) ? new_array(part(array, 0), self) : Ref::borrow(self);
}

// The imaginary part of a real array is read-only zeros, as in NumPy.
Ref get_imag(PyObject* self, void*) {
  const Array& array = as_array(self);
  if (is_complex(array.dtype())) return new_array(part(array, array.itemsize() / 2), self);
  Array zeros = ops::empty(array.shape(), array.dtype(), array.device());
  ops::assign(zeros, Scalar::of(false));
  zeros.set_writable(false);
  return new_array(std::move(zeros));
}

void assign(const Array& target, const char* name, PyObject* value) {
  if (value == nullptr) throw TypeError(std::string("cannot delete the attribute ") + name);
  PyObject* objects[] = {value};
  auto operands = as_operands(name, objects);
  if (!operands) refuse_operands(name, objects);
  ops::assign(target, operands->items[0]);
}

int set_real(PyObject* self, PyObject* value, void*) {
  assign(real_part(as_array(self)), "real", value);
  return 0;
}

int set_imag(PyObject* self, PyObject* value, void*) {
  const Array& array = as_array(self);
  if (!is_complex(array.dtype()))
    throw TypeError(std::string("imag: a ") + name(array.dtype()) +
                    " array has no imaginary part to set");
  assign(part(array, array.itemsize() / 2), "imag", value);
  return 0;
}

int set_flat(PyObject* self, PyObject* value, void*) {
  if (value == nullptr) throw TypeError("cannot delete the attribute flat");
  return checked_status(PyObject_SetItem(get_flat(self, nullptr).get(), Py_Ellipsis, value));
}

template <Ref (*get)(PyObject*, void*), Entry entry = Entry::runs_deferred>
constexpr PyGetSetDef attribute(const char* name, const char* doc, setter set = nullptr) {
  return {name, &Slot<get, entry>::call, set, doc, nullptr};
}

}  // namespace

GetSetRows attribute_rows() {
  static const PyGetSetDef rows[] = {
      attribute<get_shape, Entry::joins>("shape", "Elements along each axis, a tuple of ints."),
      attribute<get_strides, Entry::joins>(
          "strides", "Bytes between neighbours along each axis, a tuple of ints."),
      attribute<get_dtype, Entry::joins>("dtype", "The NumPy dtype of the elements."),
      attribute<get_dtype_name, Entry::joins>("_dtype_name",
                                              "The dtype's name; known without ml_dtypes too."),
      attribute<get_ndim, Entry::joins>("ndim", "Number of axes."),
      attribute<get_size, Entry::joins>("size", "Number of elements."),
      attribute<get_size, Entry::joins>("mem_size", "The same as size, for PyCUDA's users."),
      attribute<get_itemsize, Entry::joins>("itemsize", "Bytes of one element."),
      attribute<get_nbytes, Entry::joins>("nbytes", "Bytes of all elements: size * itemsize."),
      attribute<get_transposed, Entry::joins>("T", "A view with the axes reversed."),
      attribute<get_matrix_transposed, Entry::joins>("mT",
                                                     "A view with the last two axes swapped."),
      attribute<get_device, Entry::joins>("device", "The Device whose memory the elements are in."),
      attribute<get_memory_kind, Entry::joins>(
          "memory_kind", "'device', 'pinned', 'managed', or 'host' for the cpu device."),
      attribute<get_flags, Entry::joins>(
          "flags", "The layout: c_contiguous, f_contiguous, writeable, owndata ..."),
      attribute<get_base, Entry::joins>(
          "base", "The object whose memory this array views, or None if it owns it."),
      attribute<get_ptr>("ptr",
                         "Address of the first element in the memory of the device, an int."),
      attribute<get_priority, Entry::joins>(
          "__array_priority__", "Asks NumPy to leave operators with its arrays to GPUArray."),
      attribute<get_array_interface>("__array_interface__",
                                     "NumPy's description of memory that the host reads; "
                                     "missing for arrays of CUDA devices."),
      attribute<get_gpudata>("gpudata", "The same as ptr, with PyCUDA's method free()."),
      attribute<get_ctypes>("ctypes",
                            "Address, shape and strides for ctypes, as numpy.ndarray.ctypes."),
      attribute<get_data>("data", "The place of the first element, a gpuarray.cuda.MemoryPointer."),
      attribute<get_parameter>("_as_parameter_", "The address as a pointer, for ctypes."),
      attribute<get_flat>("flat",
                          "The elements in C order, to be read, assigned and iterated over.",
                          &Slot<set_flat>::call),
      attribute<get_real, Entry::joins>("real", "The real part, a view.",
                                        &Slot<set_real, Entry::joins>::call),
      attribute<get_imag, Entry::joins>(
          "imag", "The imaginary part, a view; read-only zeros for a real array.",
          &Slot<set_imag, Entry::joins>::call),
  };
  return rows;
}

}  // namespace gpuarray::py
