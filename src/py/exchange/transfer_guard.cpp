// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/exchange/transfer_guard.hpp"
#include "py/exchange/parts.hpp"

#include <cstdlib>
#include <optional>
#include <string>

#include "core/environment.hpp"
#include "core/error.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/call_python.hpp"
#include "py/binding/slot.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/convert.hpp"
#include "py/exchange/interchange.hpp"

namespace gpuarray::py {
namespace {

constexpr Signature<2> kGuardTransfer{
    .function = "_guard_transfer", .names = {"a", "what"}, .required = 2, .positional_only = 2};

thread_local std::optional<TransferGuard> guard_of_thread;

constexpr const char* kGuardNames[] = {"allow", "log", "disallow"};

TransferGuard to_guard(const std::string& text, const char* what) {
  for (int index = 0; index < 3; ++index)
    if (text == kGuardNames[index]) return static_cast<TransferGuard>(index);
  throw ValueError(std::string(what) + ": expected 'allow', 'log' or 'disallow', got '" + text +
                   "'");
}

TransferGuard guard_of_environment() {
  const std::string text = text_variable("GPUARRAY_TRANSFER_GUARD");
  if (text.empty()) return TransferGuard::allow;
  return to_guard(text, "GPUARRAY_TRANSFER_GUARD");
}

TransferGuard current_guard() {
  static const TransferGuard from_start = guard_of_environment();
  return guard_of_thread.value_or(from_start);
}

std::string describe(const Array& array, const char* what) {
  return std::string(what) + ": implicit copy of shape " + to_string(array.shape()) + ", dtype " +
         name(array.dtype()) + " from " + to_string(array.device());
}

void log_transfer(const std::string& text) {
  Ref log = import_attribute("gpuarray._runtime.transfer", "log_transfer");
  call_python(PyObject_CallFunctionObjArgs, log.get(), py_string(text).get(), nullptr);
}

Ref set_guard(PyObject*, PyObject* mode) {
  const TransferGuard wanted = to_guard(to_text(mode, "transfer_guard"), "transfer_guard");
  Ref before = py_string(kGuardNames[static_cast<int>(current_guard())]);
  guard_of_thread = wanted;
  return before;
}

Ref check_transfer(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [array, what] = parse(kGuardTransfer, args, nargs, kwnames);
  const std::string name = to_text(what, "_guard_transfer: what");
  guard_transfer(require_array(array, "_guard_transfer"), name.c_str());
  return none();
}

}  // namespace

void guard_transfer(const Array& array, const char* what) {
  if (host_visible(array.buffer()->kind()) || current_guard() == TransferGuard::allow) return;
  const std::string text = describe(array, what);
  if (current_guard() == TransferGuard::log) return log_transfer(text);
  throw BufferError(text +
                    " is disallowed by transfer_guard or GPUARRAY_TRANSFER_GUARD; use .get()");
}

MethodRows guard_function_rows() {
  static const PyMethodDef rows[] = {
      {"_set_transfer_guard", method<set_guard>, METH_O,
       R"(_set_transfer_guard(mode, /)
--

Sets this thread's guard and returns the one before.)"},
      {"_guard_transfer", method<check_transfer>, METH_FASTCALL | METH_KEYWORDS,
       R"(_guard_transfer(a, what, /)
--

Applies the guard to an implicit copy of a GPUArray to the host, which `what` names:
BufferError when it is disallowed.)"},
  };
  return rows;
}

}  // namespace gpuarray::py
