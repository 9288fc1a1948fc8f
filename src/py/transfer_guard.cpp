// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/transfer_guard.hpp"

#include <string>

#include "core/error.hpp"
#include "py/array_object.hpp"
#include "py/convert.hpp"
#include "py/interchange.hpp"
#include "py/slot.hpp"

namespace gpuarray::py {
namespace {

thread_local TransferGuard current_guard = TransferGuard::allow;

constexpr const char* kGuardNames[] = {"allow", "log", "disallow"};

Ref guard_name() { return py_string(kGuardNames[static_cast<int>(current_guard)]); }

std::string describe(const Array& array, const char* what) {
  return std::string(what) + ": implicit copy of shape " + to_string(array.shape()) + ", dtype " +
         name(array.dtype()) + " from " + to_string(array.device());
}

void log_transfer(const std::string& text) {
  Ref log = import_attribute("gpuarray.transfer", "log_transfer");
  checked(PyObject_CallFunctionObjArgs(log.get(), py_string(text).get(), nullptr));
}

Ref get_guard(PyObject*, PyObject*) { return guard_name(); }

// Returns the one before.
Ref set_guard(PyObject*, PyObject* mode) {
  const std::string text = to_text(mode, "transfer_guard");
  for (int index = 0; index < 3; ++index) {
    if (text != kGuardNames[index]) continue;
    Ref before = guard_name();
    current_guard = static_cast<TransferGuard>(index);
    return before;
  }
  throw ValueError("transfer_guard: expected 'allow', 'log' or 'disallow', got '" + text + "'");
}

Ref check_transfer(PyObject*, PyObject* array) {
  guard_transfer(require_array(array, "_check_transfer"), "numpy.asarray");
  return none();
}

}  // namespace

void guard_transfer(const Array& array, const char* what) {
  if (array.device().is_cpu() || current_guard == TransferGuard::allow) return;
  const std::string text = describe(array, what);
  if (current_guard == TransferGuard::log) return log_transfer(text);
  throw BufferError(text + " is disallowed by transfer_guard; use .get()");
}

MethodRows guard_function_rows() {
  static const PyMethodDef rows[] = {
      {"_get_transfer_guard", method<get_guard>, METH_NOARGS,
       "_get_transfer_guard()\n--\n\nThis thread's guard: 'allow', 'log' or 'disallow'."},
      {"_set_transfer_guard", method<set_guard>, METH_O,
       "_set_transfer_guard(mode, /)\n--\n\nSets this thread's guard and returns the one before."},
      {"_check_transfer", method<check_transfer>, METH_O,
       "_check_transfer(a, /)\n--\n\n"
       "Applies the guard to an implicit copy of a GPUArray to the host: BufferError when it is\n"
       "disallowed."},
  };
  return rows;
}

}  // namespace gpuarray::py
