// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/array/swapped_views.hpp"

#include <atomic>
#include <utility>

#include "array/operand.hpp"
#include "array/ops.hpp"
#include "py/convert/compute.hpp"

namespace gpuarray::py {

// The last views of a thread that are alive; under the lock of the interpreter. It lives as long as
// the thread and these views.
struct NotedViews {
  struct Noted {
    PyObject* view = nullptr;      // borrowed
    PyObject* elements = nullptr;  // owned: what the view showed before it was overwritten
  };
  static constexpr int kCount = 8;
  Noted views[kCount];
  int next = 0;
  std::atomic<int> users = 1;  // the thread, which ends without the lock, and the views

  Noted* find(const PyObject* view) {
    for (Noted& noted : views)
      if (noted.view == view) return &noted;
    return nullptr;
  }
  void drop_user() {
    if (--users == 0) delete this;
  }
};

namespace {

using Noted = NotedViews::Noted;

struct ThreadViews {
  NotedViews* views = nullptr;
  ~ThreadViews() {
    if (views != nullptr) views->drop_user();
  }
};
thread_local ThreadViews this_thread;

void drop_elements(Noted& noted) noexcept { Py_XDECREF(std::exchange(noted.elements, nullptr)); }

void forget(NotedViews& all, Noted& noted) noexcept {
  if (noted.view == nullptr) return;
  array_object(noted.view)->noted_in = nullptr;
  noted.view = nullptr;
  drop_elements(noted);
  all.drop_user();
}

bool shows(const Array& array, const Array& same) {
  return array.address() == same.address() && array.dtype() == same.dtype() &&
         array.shape() == same.shape() && array.strides() == same.strides();
}

}  // namespace

void note_view(PyObject* view) {
  if (as_array(view).size() == 0) return;
  if (this_thread.views == nullptr) this_thread.views = new NotedViews;
  NotedViews& all = *this_thread.views;
  Noted& noted = all.views[all.next];
  all.next = (all.next + 1) % NotedViews::kCount;
  forget(all, noted);
  noted.view = view;
  ++all.users;
  array_object(view)->noted_in = &all;
}

void forget_view(PyObject* view) noexcept {
  NotedViews& all = *array_object(view)->noted_in;
  forget(all, *all.find(view));
}

Ref value_to_assign(const Array& target, PyObject* value) {
  NotedViews* const all = this_thread.views;
  if (all == nullptr) return Ref::borrow(value);
  const bool swaps = is_array(value) && array_object(value)->noted_in == all &&
                     Py_REFCNT(value) == 1 && as_array(value).address() != target.address();
  const Noted* const own = swaps ? all->find(value) : nullptr;
  Ref assigned = Ref::borrow(own != nullptr && own->elements != nullptr ? own->elements : value);
  for (Noted& other : all->views) {
    if (other.view == nullptr || other.view == value) continue;
    const Array& array = as_array(other.view);
    if (!ops::shares_memory(target, array)) continue;
    drop_elements(other);
    if (swaps && shows(array, target))
      other.elements = new_array(compute(target, [&] { return ops::copy(target); })).release();
  }
  return assigned;
}

}  // namespace gpuarray::py
