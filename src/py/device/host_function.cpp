// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/device/host_function.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "py/binding/call_python.hpp"
#include "py/binding/gil.hpp"
#include "py/binding/slot.hpp"
#include "py/device/parts.hpp"
#include "runtime/code/compile_queue.hpp"
#include "runtime/driver/driver.hpp"

namespace gpuarray::py {

namespace {

struct Call {
  Ref function;
  Ref arguments;
};

// PyGILState_Ensure() reads what the end of the interpreter frees, so a thread of the driver must
// not be in it then: `entering` are there, and none enters once `ended`.
std::atomic<int> entering = 0;
std::atomic<bool> ended = false;

// Takes the GIL for the scope, unless the interpreter is ending.
class EnteredPython {
 public:
  EnteredPython() {
    ++entering;
    if (!ended || PyGILState_GetThisThreadState() != nullptr) gil_.emplace();
    --entering;
  }
  bool entered() const { return gil_.has_value(); }

 private:
  std::optional<GilHold> gil_;
};

// Waits for the threads that are entering, each of which takes the GIL in its turn. A forked child
// may have inherited the number of its parent's, hence the limit.
Ref end_threads(PyObject*, PyObject*) {
  ended = true;
  without_gil([] {
    end_compilations();
    for (int waited = 0; entering != 0 && waited < 1000; ++waited)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  return none();
}

// Runs on a thread of the driver, whose stream waits for it. If the process ends meanwhile, the
// thread stops at the GIL, which the function may ask for anew, and drops no reference. Once the
// interpreter is ending, nothing is called. The call is leaked then.
void run(void* what) {
  const bool before = std::exchange(in_host_function, true);  // on cpu this is the caller's thread
  {
    const EnteredPython python;
    if (!python.entered()) return;
    or_pause_forever([&] {
      auto* call = static_cast<Call*>(what);
      PyObject* made = PyObject_CallObject(call->function.get(), call->arguments.get());
      if (made == nullptr) PyErr_WriteUnraisable(call->function.get());
      PyObject* held[] = {made, call->arguments.release(), call->function.release()};
      delete call;
      for (PyObject* object : held) Py_XDECREF(object);
    });
  }
  in_host_function = before;
  --pending_host_functions;  // last, since destroying an argument may run Python too
}

}  // namespace

void launch_host_function(const Stream& stream, PyObject* function, Ref arguments) {
  // Python 3.12 and older take the thread that first imports threading for the main one.
  call_python(PyImport_ImportModule, "threading");
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

MethodRows host_function_rows() {
  static const PyMethodDef rows[] = {
      {"_end_threads", method<end_threads>, METH_NOARGS,
       R"(_end_threads()
--

From here on host functions that threads of the driver call are left out, and no compilation begins
in the background. Waits for what is under way.)"},
  };
  return rows;
}

}  // namespace gpuarray::py
