// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "py/binding/ref.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray::py {

// Queues a call of function(*arguments) on `stream`, which waits for it: it runs with the GIL after
// the work queued before and ahead of later work. On cpu it runs at once. Exceptions that it raises
// go to sys.unraisablehook. Throws CudaError if it cannot be queued.
void launch_host_function(const Stream& stream, PyObject* function, Ref arguments);

}  // namespace gpuarray::py
