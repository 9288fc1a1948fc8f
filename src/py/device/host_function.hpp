// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "py/binding/ref.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray::py {

// Calls function(*arguments) with the GIL once the work queued on `stream` is done; later work
// waits for it. What it raises goes to sys.unraisablehook.
void launch_host_function(const Stream& stream, PyObject* function, Ref arguments);

}  // namespace gpuarray::py
