// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/array/swapped_views.hpp"

#include <algorithm>
#include <utility>

#include "array/ops.hpp"
#include "py/convert/compute.hpp"

namespace gpuarray::py {
namespace {

// A view that is alive, borrowed. Objects that end on another thread stay, so only the address of
// an object that is at hand is compared with them.
struct NotedView {
  PyObject* object = nullptr;
  const void* address = nullptr;
  int64_t nbytes = 0;
};

// The last views of this thread, and the elements that one of them had before they were written.
struct Noted {
  NotedView views[4];
  int next = 0;
  const PyObject* overwritten = nullptr;
  PyObject* elements = nullptr;  // owned
};
constinit thread_local Noted noted{};

bool is_noted(PyObject* object) { return is_array(object) && array_object(object)->is_noted; }

void drop_elements() noexcept {
  noted.overwritten = nullptr;
  Py_XDECREF(std::exchange(noted.elements, nullptr));
}

}  // namespace

void note_view(PyObject* view) {
  const Array& array = as_array(view);
  array_object(view)->is_noted = true;
  noted.views[noted.next] = {view, array.address(), array.nbytes()};
  noted.next = (noted.next + 1) % 4;
}

void forget_view(PyObject* view) noexcept {
  for (NotedView& other : noted.views)
    if (other.object == view) other.object = nullptr;
  if (noted.overwritten == view) drop_elements();
}

Ref value_to_assign(const Array& target, PyObject* value) {
  if (!is_noted(value) || Py_REFCNT(value) != 1) return Ref::borrow(value);
  Ref assigned = Ref::borrow(value == noted.overwritten ? noted.elements : value);
  const void* const source = as_array(value).address();
  for (const NotedView& other : noted.views) {
    if (other.object == nullptr || other.object == value || other.address == source ||
        other.address != target.address() || other.nbytes != target.nbytes())
      continue;
    Ref kept = new_array(compute(target, [&] { return ops::copy(target); }));
    drop_elements();
    noted.overwritten = other.object;
    noted.elements = kept.release();
    break;
  }
  return assigned;
}

}  // namespace gpuarray::py
