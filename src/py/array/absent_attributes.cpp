// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Attributes that arrays of other libraries have and GPUArray has not: their errors say what to
// write. Descriptors, because a tp_getattro of its own would make every attribute slower.
#include <sstream>
#include <string>

#include "core/error.hpp"
#include "py/array/parts.hpp"
#include "py/binding/call_python.hpp"
#include "py/binding/type_helpers.hpp"
#include "py/binding/values.hpp"

namespace gpuarray::py {

namespace {

// What to write is in gpuarray/_common/directions.py, which errors alone import.
constexpr const char* kNames =
    "abs acos add add_ asin asnumpy assign at atan atan2 backward bfloat16 bitwise_and "
    "block_until_ready bmm bool cast ceil clamp_ clone complex64 contiguous copy_ "
    "copy_to_device copy_to_host cos cosh cpu cross cuda cumulative_sum data_ptr deg2rad "
    "detach device_ctypes_pointer devices diff dim div div_ divide double element_size eq erf "
    "exp exp2 expand expand_as expm1 fill_ flip float float16 float32 float64 floor "
    "floor_divide fmod gather ge get_device get_ipc_handle getfield grad greater gt half "
    "hypot int int32 int64 ipc_handle is_contiguous is_cuda is_pinned isclose isfinite isinf "
    "isnan kthvalue le lerp less log log10 log1p log2 logaddexp logsumexp long lt masked_fill "
    "masked_select matmul maximum median minimum mm movedim msort mul mul_ multiply mv "
    "ndimension ne neg negative numel numpy outer permute pow power quantile reciprocal "
    "reduced_view relu remainder repeat_interleave requires_grad requires_grad_ reshape_as "
    "resize resize_ roll round_ rsqrt scatter setfield sigmoid sign sin sinh softmax split "
    "sqrt square stack stride sub sub_ subtract t tan tanh tile to toDlpack to_gpu to_numpy "
    "topk tril triu trunc type unique unsafe_buffer_pointer unsqueeze values view_as "
    "wait_to_read where zero_";

struct AbsentObject {
  PyObject_HEAD PyObject* name;
};

PyObject* name_of(PyObject* self) { return reinterpret_cast<AbsentObject*>(self)->name; }

Ref direction(PyObject* self) {
  const Ref of_array = import_attribute("gpuarray._common.directions", "of_array");
  return call_python(PyObject_CallFunctionObjArgs, of_array.get(), name_of(self), nullptr);
}

Ref absent_get(PyObject* self, PyObject*, PyObject*) {
  PyErr_SetObject(PyExc_AttributeError, direction(self).get());
  throw PythonError();
}

Ref absent_repr(PyObject* self) {
  return checked(PyUnicode_FromFormat("<%U>", direction(self).get()));
}

void absent_dealloc(PyObject* self) noexcept {
  Py_DECREF(name_of(self));
  free_object(self);
}

PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char*>("An attribute that there is not; its error says what to write.")},
    {Py_tp_dealloc, reinterpret_cast<void*>(&absent_dealloc)},
    {Py_tp_descr_get, slot<absent_get, Entry::joins>},
    {Py_tp_repr, slot<absent_repr, Entry::joins>},
    {0, nullptr},
};

}  // namespace

void add_absent_attributes(PyObject* module, PyTypeObject* type) {
  PyTypeObject* const absent =
      make_type(module, "gpuarray._core._AbsentAttribute", sizeof(AbsentObject), slots);
  add_type(module, "_AbsentAttribute", absent);
  std::istringstream names(kNames);
  for (std::string name; names >> name;) {
    auto* self = allocate_object<AbsentObject>(absent);
    self->name = py_string(name).release();
    set_type_attribute(type, name.c_str(), Ref::steal(reinterpret_cast<PyObject*>(self)));
  }
}

}  // namespace gpuarray::py
