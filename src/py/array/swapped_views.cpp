// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/array/swapped_views.hpp"

#include <dlfcn.h>

#include <atomic>
#include <mutex>
#include <utility>

#include "array/operand.hpp"
#include "array/ops.hpp"
#include "py/binding/gil_stand_in.hpp"
#include "py/convert/compute.hpp"

namespace gpuarray::py {

// The last views of a thread that are alive, under `views_lock`. Only the thread itself adds to
// them. It lives as long as the thread and these views.
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

// Guards the noted views of all threads and ArrayObject::noted_in: what is noted is not destroyed
// under it.
constinit GilStandIn views_lock;

// Returns the elements that were kept for the view, to be dropped without the lock.
Ref take_elements(Noted& noted) { return Ref::steal(std::exchange(noted.elements, nullptr)); }

// Does the same for a view that is noted no longer.
Ref forget(NotedViews& all, Noted& noted) {
  if (noted.view == nullptr) return {};
  array_object(noted.view)->noted_in.store(nullptr, std::memory_order_relaxed);
  noted.view = nullptr;
  Ref elements = take_elements(noted);
  all.drop_user();  // which may free them all
  return elements;
}

bool shows(const Array& array, const Array& same) {
  return array.address() == same.address() && array.dtype() == same.dtype() &&
         array.shape() == same.shape() && array.strides() == same.strides();
}

// Returns whether a name of the running function has the object. Needs Python 3.13.
bool is_named_here(PyObject* object) {
  using GetLocals = PyObject* (*)();  // which the stable ABI of 3.11 lacks
  static const auto get = reinterpret_cast<GetLocals>(dlsym(RTLD_DEFAULT, "PyEval_GetFrameLocals"));
  const Ref locals = Ref::steal(get == nullptr ? nullptr : get());
  if (!locals || !PyDict_Check(locals.get())) {
    PyErr_Clear();
    return true;
  }
  PyObject *name = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(locals.get(), &at, &name, &value) != 0;)
    if (value == object) return true;
  return false;
}

// Returns whether only the expression that is being evaluated has the object.
bool is_unnamed(PyObject* object) {
  if (Py_REFCNT(object) != 1) return false;
  if (Py_Version < 0x030E0000) return true;
  // Since 3.14 names may lend their one reference to the expression; the stable ABI lacks what
  // tells. Of an object of compiled code, as that of np.random.shuffle, it says no.
  using Asked = int (*)(PyObject*);
  static const auto ask =
      reinterpret_cast<Asked>(dlsym(RTLD_DEFAULT, "PyUnstable_Object_IsUniqueReferencedTemporary"));
  return (ask != nullptr && ask(object) != 0) || !is_named_here(object);
}

// Drops what was kept for the view if an assignment of `value` to `target` overwrites it. Returns
// the view, borrowed, if it `swaps` and the view shows just the target; else null.
const PyObject* overwritten(Noted& noted, const Array& target, const PyObject* value, bool swaps) {
  Ref dropped;  // after the lock is given back
  const std::lock_guard lock(views_lock);
  if (noted.view == nullptr || noted.view == value) return nullptr;
  const Array& array = as_array(noted.view);
  if (!ops::shares_memory(target, array)) return nullptr;
  dropped = take_elements(noted);
  return swaps && shows(array, target) ? noted.view : nullptr;
}

}  // namespace

void note_view(PyObject* view) {
  if (as_array(view).size() == 0) return;
  if (this_thread.views == nullptr) this_thread.views = new NotedViews;
  NotedViews& all = *this_thread.views;
  Ref dropped;  // after the lock is given back
  const std::lock_guard lock(views_lock);
  Noted& noted = all.views[all.next];
  all.next = (all.next + 1) % NotedViews::kCount;
  dropped = forget(all, noted);
  noted.view = view;
  ++all.users;
  array_object(view)->noted_in.store(&all, std::memory_order_relaxed);
}

void forget_view(PyObject* view) noexcept {
  Ref dropped;  // after the lock is given back
  const std::lock_guard lock(views_lock);
  NotedViews* const all = array_object(view)->noted_in.load(std::memory_order_relaxed);
  if (all != nullptr) dropped = forget(*all, *all->find(view));
}

Ref value_to_assign(const Array& target, PyObject* value) {
  NotedViews* const all = this_thread.views;
  if (all == nullptr) return Ref::borrow(value);
  // This thread alone notes views in these, so that of a value it holds the answer stays.
  const bool swaps = is_array(value) &&
                     array_object(value)->noted_in.load(std::memory_order_relaxed) == all &&
                     as_array(value).address() != target.address() &&
                     is_unnamed(value);  // before a reference is added
  Ref assigned = Ref::borrow(value);
  if (swaps) {
    const std::lock_guard lock(views_lock);
    if (PyObject* const elements = all->find(value)->elements) assigned = Ref::borrow(elements);
  }
  for (Noted& other : all->views) {
    const PyObject* const view = overwritten(other, target, value, swaps);
    if (view == nullptr) continue;
    Ref kept = new_array(compute(target, [&] { return ops::copy(target); }));
    const std::lock_guard lock(views_lock);
    if (other.view == view) other.elements = kept.release();
  }
  return assigned;
}

}  // namespace gpuarray::py
