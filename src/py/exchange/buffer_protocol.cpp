// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <bit>
#include <memory>
#include <string>

#include "array/ops.hpp"
#include "core/error.hpp"
#include "py/binding/gil.hpp"
#include "py/binding/slot.hpp"
#include "py/convert/array_object.hpp"
#include "py/exchange/parts.hpp"
#include "py/exchange/transfer_guard.hpp"
#include "runtime/device/host_info.hpp"

namespace gpuarray::py {
namespace {

// What a Py_buffer points to; freed when the buffer is released.
struct Export {
  ~Export() {
    if (lent != nullptr) lent->end_loan();
  }
  BufferPtr lent;
  Py_ssize_t shape[kMaxDims];
  Py_ssize_t strides[kMaxDims];      // bytes
  std::unique_ptr<char[]> snapshot;  // copied elements of an array in device memory
};

// Returns the dtype's code of the struct module; the rows are indexed by the binary logarithm of
// the itemsize. Throws BufferError for a dtype without one.
const char* buffer_format(DType dtype) {
  static constexpr const char* kSigned[] = {"b", "h", "i", sizeof(long) == 8 ? "l" : "q"};
  static constexpr const char* kUnsigned[] = {"B", "H", "I", sizeof(long) == 8 ? "L" : "Q"};
  static constexpr const char* kFloats[] = {nullptr, "e", "f", "d"};
  static constexpr const char* kComplex[] = {nullptr, nullptr, nullptr, "Zf", "Zd"};
  if (!info(dtype).is_numpys())
    throw BufferError(std::string("the buffer protocol has no format for ") + name(dtype) +
                      "; use .get() or DLPack");
  const int size = std::countr_zero(static_cast<unsigned int>(itemsize(dtype)));
  switch (kind(dtype)) {
    case 'b':
      return "?";
    case 'i':
      return kSigned[size];
    case 'u':
      return kUnsigned[size];
    case 'f':
      return kFloats[size];
    default:
      return kComplex[size];
  }
}

// Returns whether the request includes all bits of a flag of CPython.
bool asks(int flags, int request) { return (flags & request) == request; }

// Throws BufferError unless the array has the layout that the request demands.
void require_layout(const Array& array, int flags) {
  const bool c_contiguous = array.is_c_contiguous();
  const bool f_contiguous = array.is_f_contiguous();
  if (asks(flags, PyBUF_C_CONTIGUOUS) && !c_contiguous)
    throw BufferError("the array is not C-contiguous; a.copy() is");
  if (asks(flags, PyBUF_F_CONTIGUOUS) && !f_contiguous)
    throw BufferError("the array is not Fortran-contiguous; a.copy('F') is");
  if (asks(flags, PyBUF_ANY_CONTIGUOUS) && !c_contiguous && !f_contiguous)
    throw BufferError("the array is not contiguous; a.copy() is");
  if (!asks(flags, PyBUF_STRIDES) && !c_contiguous)
    throw BufferError(
        "the array is not C-contiguous, and the request takes no strides; a.copy() is");
}

// Returns the order of the copy: the one that is requested, else that of the array.
char snapshot_order(const Array& array, int flags) {
  if (!asks(flags, PyBUF_STRIDES) || asks(flags, PyBUF_C_CONTIGUOUS)) return 'C';
  const bool fortran = array.is_f_contiguous() && !array.is_c_contiguous();
  return fortran || asks(flags, PyBUF_F_CONTIGUOUS) ? 'F' : 'C';
}

// Copies the elements to the host so that readers of buffers can take an array in device memory.
// Blocks until the copy is done. Throws BufferError for a request to write, or as the transfer
// guard says.
Array take_snapshot(const Array& array, int flags, Export& exported) {
  if (asks(flags, PyBUF_WRITABLE))
    throw BufferError("the array is on " + to_string(array.device()) +
                      " and cannot be written through a buffer; use .get() and .set()");
  guard_transfer(array, "buffer protocol");
  exported.snapshot = std::make_unique_for_overwrite<char[]>(array.nbytes());
  char* target = exported.snapshot.get();
  advise_huge_pages(target, array.nbytes());
  const char order = snapshot_order(array, flags);
  without_gil([&] { ops::copy_to_host(array, {target, array.nbytes()}, order, true); });
  return array.view(array.shape(), contiguous_strides(array.shape(), order));
}

// Fills in shape and strides. Consumers check the strides even of axes of extent 0 and 1, so these
// follow the requested order.
void fill_dims(const Array& array, int flags, Export& exported) {
  Strides strides = array.strides();
  if (asks(flags, PyBUF_F_CONTIGUOUS))
    strides = contiguous_strides(array.shape(), 'F');
  else if (array.is_c_contiguous())
    strides = contiguous_strides(array.shape());
  for (int axis = 0; axis < array.ndim(); ++axis) {
    exported.shape[axis] = array.shape()[axis];
    exported.strides[axis] = strides[axis] * array.itemsize();
  }
}

void get_buffer(PyObject* self, Py_buffer* view, int flags) {
  view->obj = nullptr;
  const Array& array = as_array(self);
  const char* format = buffer_format(array.dtype());
  const bool on_host = host_visible(array.buffer()->kind());
  if (asks(flags, PyBUF_WRITABLE) && on_host && !array.writable())
    throw BufferError("the array is read-only");
  auto exported = std::make_unique<Export>();
  const Array seen = on_host ? array : take_snapshot(array, flags, *exported);
  require_layout(seen, flags);
  if (on_host && !array.device().is_cpu()) without_gil([&] { ops::wait_on_host(array); });
  fill_dims(seen, flags, *exported);
  if (on_host) {
    exported->lent = array.buffer();
    exported->lent->lend();
  }
  view->buf = on_host ? array.data() : exported->snapshot.get();
  view->len = array.nbytes();
  view->itemsize = array.itemsize();
  view->readonly = !on_host || !array.writable();
  // A request without PyBUF_ND treats the memory as bytes in one dimension.
  view->ndim = asks(flags, PyBUF_ND) ? array.ndim() : 1;
  view->format = asks(flags, PyBUF_FORMAT) ? const_cast<char*>(format) : nullptr;
  const bool has_axes = array.ndim() > 0;
  view->shape = has_axes && asks(flags, PyBUF_ND) ? exported->shape : nullptr;
  view->strides = has_axes && asks(flags, PyBUF_STRIDES) ? exported->strides : nullptr;
  view->suboffsets = nullptr;
  view->internal = exported.release();
  view->obj = Ref::borrow(self).release();
}

void release_buffer(PyObject*, Py_buffer* view) noexcept {
  delete static_cast<Export*>(view->internal);
}

}  // namespace

SlotRows buffer_slots() {
  static const PyType_Slot rows[] = {
      {Py_bf_getbuffer, slot<get_buffer>},
      {Py_bf_releasebuffer, reinterpret_cast<void*>(&release_buffer)},
  };
  return rows;
}

}  // namespace gpuarray::py
