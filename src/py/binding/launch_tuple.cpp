// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/binding/launch_tuple.hpp"

#include <string>

#include "py/binding/values.hpp"

namespace gpuarray::py {

Ref launch_tuple(const Launch& launch) {
  const bool cut = launch.ndim > launch.shape.size();
  Ref shape = checked(PyTuple_New(launch.shape.size() + (cut ? 1 : 0)));
  for (int axis = 0; axis < launch.shape.size(); ++axis)
    PyTuple_SetItem(shape.get(), axis, py_int(launch.shape[axis]).release());
  if (cut) PyTuple_SetItem(shape.get(), launch.shape.size(), Ref::borrow(Py_Ellipsis).release());
  const std::string device = to_string(launch.device);
  const std::string place = launch.file + ":" + std::to_string(launch.line);
  const bool is_kernel = launch.is_user_kernel();
  const auto& [x, y, z] = launch.block;
  Ref block = is_kernel ? checked(Py_BuildValue("(III)", x, y, z)) : none();
  return checked(Py_BuildValue("(sOzsKzO)", launch.operation.c_str(), shape.get(),
                               is_kernel ? nullptr : name(launch.dtype), device.c_str(),
                               static_cast<unsigned long long>(launch.stream),
                               launch.file.empty() ? nullptr : place.c_str(), block.get()));
}

}  // namespace gpuarray::py
