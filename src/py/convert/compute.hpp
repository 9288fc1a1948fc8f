// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <utility>

#include "py/binding/gil.hpp"
#include "py/convert/array_object.hpp"

namespace gpuarray::py {

// Calls a function that works on all elements of `array`; releases the GIL if that runs long on the
// host.
template <class Function>
decltype(auto) compute(const Array& array, Function&& function) {
  return without_gil_if(runs_long(array.device(), array.size()), std::forward<Function>(function));
}

}  // namespace gpuarray::py
