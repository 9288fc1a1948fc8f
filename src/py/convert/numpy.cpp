// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/convert/numpy.hpp"

#include <algorithm>
#include <atomic>

#include "py/binding/python.hpp"

// No other source includes numpy/*.
#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#include <numpy/arrayobject.h>

#include "core/error.hpp"
#include "core/layout.hpp"
#include "core/made_first.hpp"
#include "py/binding/call_python.hpp"
#include "py/binding/values.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/ndarray_memory.hpp"

namespace gpuarray::py {

namespace {

PyArrayObject* ndarray(PyObject* object) { return reinterpret_cast<PyArrayObject*>(object); }
PyObject* no_value;  // set by import_numpy()
// NumPy's types of scalars by DType, null for those that NumPy lacks; set by import_numpy().
PyTypeObject* scalar_types[kDTypeCount];

PyDataMem_Handler result_handler = {
    "gpuarray",
    1,
    {nullptr, ndarray_memory::allocate, ndarray_memory::allocate_zeroed, ndarray_memory::reallocate,
     ndarray_memory::deallocate}};

// Gives arrays that NumPy makes in a scope the pool's memory, unless the user has chosen other.
class ResultMemory {
 public:
  ResultMemory() {
    static constinit MadeFirst<Ref> made;
    PyObject* const handler =
        made.get([] { return checked(PyCapsule_New(&result_handler, "mem_handler", nullptr)); })
            .get();
    const Ref current = checked(PyDataMem_GetHandler());
    if (current.get() == PyDataMem_DefaultHandler)
      replaced_ = checked(PyDataMem_SetHandler(handler));
  }
  ~ResultMemory() {
    const SavedError saved;
    if (replaced_) Ref::steal(PyDataMem_SetHandler(replaced_.get()));
  }

 private:
  Ref replaced_;
};

Ref own(PyArray_Descr* descr) { return checked(reinterpret_cast<PyObject*>(descr)); }

// Returns the type of ml_dtypes that stands for a dtype which NumPy lacks; null while ml_dtypes, or
// the type in it, cannot be imported.
Ref type_of_ml_dtypes(const DTypeInfo& row) {
  Ref module = try_python(PyImport_ImportModule, "ml_dtypes");
  if (!module) {
    if (!PyErr_ExceptionMatches(PyExc_ImportError)) throw PythonError();
    PyErr_Clear();
    return {};
  }
  return checked(PyObject_GetAttrString(module.get(), row.typestr));
}

// Returns NumPy's dtype, borrowed, which is kept once it is found; null while it needs what cannot
// be imported.
PyArray_Descr* descr_of(DType dtype) {
  static constinit std::atomic<PyArray_Descr*> found[kDTypeCount] = {};
  std::atomic<PyArray_Descr*>& kept = found[static_cast<int>(dtype)];
  PyArray_Descr* known = kept.load(std::memory_order_acquire);
  if (known != nullptr) [[likely]]
    return known;
  const DTypeInfo& row = info(dtype);
  const Ref what = row.is_numpys() ? py_string(row.typestr) : type_of_ml_dtypes(row);
  PyArray_Descr* made = nullptr;
  if (what && PyArray_DescrConverter(what.get(), &made) == NPY_FAIL) throw PythonError();
  // Another thread may have been the first.
  Ref owned = Ref::steal(reinterpret_cast<PyObject*>(made));
  if (!kept.compare_exchange_strong(known, made)) return known;
  owned.release();
  return made;
}

void set_base(const Ref& made, Ref owner) {
  checked_status(PyArray_SetBaseObject(ndarray(made.get()), owner.release()));
}

// Throws the TypeError for a dtype that is not supported.
[[noreturn]] void refuse(PyArray_Descr* descr) {
  Ref text = checked(PyObject_Str(reinterpret_cast<PyObject*>(descr)));
  std::string message = "dtype '" + to_text(text.get(), "dtype") + "' is not supported";
  if (descr->byteorder == '>' && PyTypeNum_ISNUMBER(descr->type_num))
    throw TypeError(message +
                    ": only native little-endian; x.astype(x.dtype.newbyteorder('=')) is");
  message += "; supported are ";
  for (int index = 0; index < kDTypeCount; ++index)
    message += std::string(index == 0 ? "" : ", ") + name(static_cast<DType>(index));
  throw TypeError(message);
}

DType from_descr(PyArray_Descr* descr) {
  const bool is_users = descr->type_num >= NPY_USERDEF;
  if (is_users || PyArray_ISNBO(descr->byteorder))
    for (int index = 0; index < kDTypeCount; ++index) {
      const DType dtype = static_cast<DType>(index);
      if (info(dtype).is_numpys() == is_users) continue;
      if (is_users) {
        const PyArray_Descr* known = descr_of(dtype);
        if (known != nullptr && known->type_num == descr->type_num) return dtype;
      } else if (kind(dtype) == descr->kind && itemsize(dtype) == PyDataType_ELSIZE(descr)) {
        return dtype;
      }
    }
  refuse(descr);
}

}  // namespace

void import_numpy() {
  checked_status(PyArray_ImportNumPyAPI());
  Ref module = call_python(PyImport_ImportModule, "numpy");
  no_value = checked(PyObject_GetAttrString(module.get(), "_NoValue")).release();
  for (int index = 0; index < kDTypeCount; ++index)
    if (kDTypes[index].is_numpys())
      scalar_types[index] = descr_of(static_cast<DType>(index))->typeobj;
}

bool is_no_value(PyObject* object) { return object == no_value; }

bool is_ndarray(PyObject* object) { return PyArray_Check(object); }
bool is_numpy_scalar(PyObject* object) { return PyArray_IsScalar(object, Generic); }
bool is_numpy_number(PyObject* object) {
  return std::ranges::find(scalar_types, Py_TYPE(object)) != std::end(scalar_types);
}
bool is_numpy_0d(PyObject* object) {
  return PyArray_Check(object) && PyArray_NDIM(ndarray(object)) == 0;
}

bool is_numpy_struct(PyObject* object) {
  if (PyArray_IsScalar(object, Void)) return true;
  return is_numpy_0d(object) && PyArray_DESCR(ndarray(object))->type_num == NPY_VOID;
}

DType dtype_from_numpy(PyObject* object) {
  PyArray_Descr* made = nullptr;
  if (PyArray_DescrConverter(object, &made) == NPY_FAIL) {
    // NumPy reads numbers in a str, as "01f4", as Python's literals.
    if (!PyErr_ExceptionMatches(PyExc_SyntaxError)) throw PythonError();
    PyErr_Clear();
    const Ref text = checked(PyObject_Repr(object));
    throw TypeError("expected a dtype, got " + to_text(text.get(), "dtype"));
  }
  Ref owned = own(made);
  return from_descr(made);
}

Ref numpy_dtype(DType dtype) {
  if (PyArray_Descr* known = descr_of(dtype))
    return Ref::borrow(reinterpret_cast<PyObject*>(known));
  throw TypeError(std::string("dtype ") + name(dtype) +
                  " needs ml_dtypes on the host: pip install ml_dtypes");
}

namespace {

// Reads a scalar object without NumPy's help: its value follows the head of the object. Returns
// false for types other than the supported ones.
bool read_scalar(PyObject* object, Scalar& scalar) {
  for (int index = 0; index < kDTypeCount; ++index) {
    if (Py_TYPE(object) != scalar_types[index]) continue;
    scalar.dtype = static_cast<DType>(index);
    std::memcpy(scalar.bytes, reinterpret_cast<const char*>(object) + sizeof(PyObject),
                itemsize(scalar.dtype));
    return true;
  }
  return false;
}

}  // namespace

Scalar scalar_from_numpy(PyObject* object) {
  if (Scalar scalar; read_scalar(object, scalar)) return scalar;
  Ref array = call_python(PyArray_FromAny, object, nullptr, 0, 0, NPY_ARRAY_ALIGNED, nullptr);
  Scalar scalar;
  scalar.dtype = from_descr(PyArray_DESCR(ndarray(array.get())));
  std::memcpy(scalar.bytes, PyArray_DATA(ndarray(array.get())), itemsize(scalar.dtype));
  return scalar;
}

HostArray host_array(PyObject* object) {
  PyArrayObject* array = ndarray(object);
  if (PyArray_NDIM(array) > kMaxDims)
    throw ValueError("up to " + std::to_string(kMaxDims) + " dimensions are supported, got " +
                     std::to_string(PyArray_NDIM(array)));
  HostArray host;
  host.data = PyArray_DATA(array);
  host.dtype = from_descr(PyArray_DESCR(array));
  for (int axis = 0; axis < PyArray_NDIM(array); ++axis) {
    host.shape.push_back(PyArray_DIM(array, axis));
    host.strides.push_back(PyArray_STRIDE(array, axis));
  }
  host.writable = PyArray_ISWRITEABLE(array);
  host.aligned = PyArray_ISALIGNED(array);
  host.c_contiguous = PyArray_IS_C_CONTIGUOUS(array);
  host.f_contiguous = PyArray_IS_F_CONTIGUOUS(array);
  return host;
}

bool is_fortran(PyObject* object) {
  PyArrayObject* array = ndarray(object);
  return PyArray_IS_F_CONTIGUOUS(array) && !PyArray_IS_C_CONTIGUOUS(array);
}

PyObject* base_of(PyObject* object) { return PyArray_BASE(ndarray(object)); }

Ref new_ndarray(const Shape& shape, DType dtype, char order) {
  npy_intp extents[kMaxDims];
  std::copy(shape.begin(), shape.end(), extents);
  Ref owned = numpy_dtype(dtype);
  std::optional<ResultMemory> memory;
  if (element_count(shape) * itemsize(dtype) >= ndarray_memory::kLeastBytes) memory.emplace();
  auto* stolen = reinterpret_cast<PyArray_Descr*>(owned.release());
  return checked(PyArray_Empty(shape.size(), extents, stolen, order == 'F'));
}

Ref new_ndarray_over(void* data, const Shape& shape, DType dtype, char order, PyObject* owner) {
  npy_intp extents[kMaxDims];
  std::copy(shape.begin(), shape.end(), extents);
  auto* stolen = reinterpret_cast<PyArray_Descr*>(numpy_dtype(dtype).release());
  const int flags = NPY_ARRAY_WRITEABLE | (order == 'F' ? NPY_ARRAY_F_CONTIGUOUS : 0);
  Ref made = checked(PyArray_NewFromDescr(&PyArray_Type, stolen, shape.size(), extents, nullptr,
                                          data, flags, nullptr));
  set_base(made, Ref::borrow(owner));
  return made;
}

Ref ndarray_over(void* data, const Shape& shape, const Strides& strides, DType dtype, bool writable,
                 Ref owner) {
  npy_intp extents[kMaxDims], steps[kMaxDims];
  std::copy(shape.begin(), shape.end(), extents);
  for (int axis = 0; axis < shape.size(); ++axis) steps[axis] = strides[axis] * itemsize(dtype);
  auto* stolen = reinterpret_cast<PyArray_Descr*>(numpy_dtype(dtype).release());
  Ref made = checked(PyArray_NewFromDescr(&PyArray_Type, stolen, shape.size(), extents, steps, data,
                                          writable ? NPY_ARRAY_WRITEABLE : 0, nullptr));
  set_base(made, std::move(owner));
  return made;
}

Ref as_host_array(PyObject* object, std::optional<DType> dtype) {
  if (!dtype && is_ndarray(object)) return Ref::borrow(object);
  Ref owned = dtype ? numpy_dtype(*dtype) : Ref();
  auto* stolen = reinterpret_cast<PyArray_Descr*>(owned.release());
  const int flags = dtype ? NPY_ARRAY_FORCECAST : 0;
  Ref array = call_python(PyArray_FromAny, object, stolen, 0, 0, flags, nullptr);
  if (!dtype && PyArray_TYPE(ndarray(array.get())) == NPY_OBJECT) {
    const Ref refuse = import_attribute("gpuarray._common.refusals", "refuse_elements");
    call_python(PyObject_CallFunctionObjArgs, refuse.get(), object, nullptr);
  }
  return array;
}

}  // namespace gpuarray::py
