// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/device/host_function.hpp"

#include <memory>
#include <utility>

#include "py/binding/gil.hpp"
#include "runtime/driver/driver.hpp"

namespace gpuarray::py {

namespace {

struct Call {
  Ref function;
  Ref arguments;
};

// Runs on a thread of the driver, whose stream waits for it. If the process ends meanwhile, the
// thread stops at the GIL. Once the interpreter has ended, nothing is called and the call is
// leaked.
void run(void* what) {
  if (!Py_IsInitialized()) return;
  const bool before = std::exchange(in_host_function, true);  // on cpu this is the caller's thread
  {
    GilHold gil;
    or_pause_forever([&] {
      const std::unique_ptr<Call> call(static_cast<Call*>(what));
      if (!Ref::steal(PyObject_CallObject(call->function.get(), call->arguments.get())))
        PyErr_WriteUnraisable(call->function.get());
    });
  }
  in_host_function = before;
  --pending_host_functions;  // last, since destroying an argument may run Python too
}

}  // namespace

void launch_host_function(const Stream& stream, PyObject* function, Ref arguments) {
  auto call = std::make_unique<Call>(Ref::borrow(function), std::move(arguments));
  ++pending_host_functions;
  try {
    stream.launch_host_function(run, call.get());
  } catch (...) {
    --pending_host_functions;
    throw;
  }
  call.release();
}

}  // namespace gpuarray::py
