// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/convert/lent_ndarray.hpp"

#include <new>

#include "py/binding/type_helpers.hpp"
#include "py/convert/numpy.hpp"

namespace gpuarray::py {
namespace {

PyTypeObject* loan_type = nullptr;

// The base of ndarrays over a buffer.
struct LoanObject {
  PyObject_HEAD BufferPtr buffer;  // null unless it is lent
};

void loan_dealloc(PyObject* object) noexcept {
  BufferPtr& buffer = reinterpret_cast<LoanObject*>(object)->buffer;
  if (buffer != nullptr) buffer->end_loan();
  buffer.~BufferPtr();
  free_object(object);
}

Ref lend(Buffer& buffer) {
  auto* loan = allocate_object<LoanObject>(loan_type);
  new (&loan->buffer) BufferPtr();
  Ref made = Ref::steal(reinterpret_cast<PyObject*>(loan));
  buffer.lend();
  loan->buffer = buffer.shared_from_this();
  return made;
}

}  // namespace

void set_up_lent_ndarrays(PyObject* module) {
  static PyType_Slot slots[] = {
      {Py_tp_doc, const_cast<char*>("What keeps memory of the cpu device that NumPy sees.")},
      {Py_tp_dealloc, reinterpret_cast<void*>(&loan_dealloc)},
      {0, nullptr},
  };
  if (loan_type == nullptr)
    loan_type = make_type(module, "gpuarray._core.MemoryLoan", sizeof(LoanObject), slots);
}

Ref lent_ndarray(Buffer& buffer, void* data, const Shape& shape, const Strides& strides,
                 DType dtype, bool writable) {
  return ndarray_over(data, shape, strides, dtype, writable, lend(buffer));
}

Ref lent_ndarray(const Array& array) {
  Ref loan = lend(*array.buffer());
  return ndarray_over(array.data(), array.shape(), array.strides(), array.dtype(), array.writable(),
                      std::move(loan));
}

}  // namespace gpuarray::py
