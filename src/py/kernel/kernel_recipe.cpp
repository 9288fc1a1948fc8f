// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/kernel/kernel_recipe.hpp"

#include <mutex>
#include <utility>

#include "py/kernel/kernel_object.hpp"

namespace gpuarray::py {

Ref recipe_of(PyObject* kernel) {
  KernelObject::Content& content = kernel_content(kernel);
  const std::lock_guard lock(content.lock);
  return Ref::borrow(content.recipe.get());
}

void set_recipe(PyObject* kernel, Ref recipe) {
  KernelObject::Content& content = kernel_content(kernel);
  const std::lock_guard lock(content.lock);
  std::swap(content.recipe, recipe);  // the parameter drops the old one, after the lock
}

Ref recipe_with_signature(PyObject* kernel, PyObject* signature) {
  const Ref recipe = recipe_of(kernel);
  if (!recipe) return {};
  const Ref method = checked(
      PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(kernel)), "with_signature"));
  if (PyTuple_GetItem(recipe.get(), 0) == method.get())
    kernel = PyTuple_GetItem(PyTuple_GetItem(recipe.get(), 1), 0);
  if (kernel == nullptr) throw PythonError();
  return checked(Py_BuildValue("O(OO)", method.get(), kernel, signature));
}

}  // namespace gpuarray::py
