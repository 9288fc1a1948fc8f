// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "array/windows/fusion.hpp"
#include "py/array/parts.hpp"
#include "py/binding/call_python.hpp"
#include "py/binding/gil.hpp"
#include "py/binding/gil_stand_in.hpp"
#include "py/binding/parts.hpp"
#include "py/binding/type_helpers.hpp"
#include "py/convert/current_stream.hpp"
#include "py/convert/lent_ndarray.hpp"
#include "py/convert/numpy.hpp"
#include "py/device/parts.hpp"
#include "py/exchange/parts.hpp"
#include "py/expression/parts.hpp"
#include "py/kernel/parts.hpp"
#include "py/memory/parts.hpp"
#include "py/operations/parts.hpp"
#include "runtime/driver/blocking.hpp"

namespace gpuarray::py {

namespace {

// Throws an exception once. The unwinder that is linked into the module initialises itself at its
// first use, and or_pause_forever() may have to catch an exception of another unwinder.
void set_up_unwinder() {
  try {
    throw PythonError();
  } catch (const PythonError&) {
  }
}

// Types and exceptions are kept for the process and so belong to one interpreter. Python 3.11 does
// not know the slot that says so. Throws ImportError in another interpreter.
void require_main_interpreter() {
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) == 0) return;
  PyErr_SetString(PyExc_ImportError, "gpuarray does not support sub-interpreters");
  throw PythonError();
}

// Makes immortal what threads find for each `gpuarray.sum`: the package's dict and the functions in
// it.
void make_names_immortal(PyObject* module) {
  const Ref package = call_python(PyImport_ImportModule, "gpuarray");
  make_immortal(PyModule_GetDict(package.get()));
  PyObject* value = nullptr;
  for (Py_ssize_t place = 0; PyDict_Next(PyModule_GetDict(module), &place, nullptr, &value);)
    if (PyCFunction_Check(value)) make_immortal(value);
}

void module_exec(PyObject* module) {
  require_main_interpreter();
  set_up_unwinder();
  import_numpy();
  import_errors();
  set_up_compilation();
  set_up_call_sites();
  set_up_memory();
  set_blocking_hook(block_without_gil);
  set_up_lent_ndarrays(module);
  set_up_matmul();
  set_up_sorts();
  ops::set_up_fusion();
  set_up_current_streams();
  add_device_type(module);
  add_stream_type(module);
  add_event_type(module);
  add_graph_type(module);
  add_memory_type(module);
  add_library_type(module);
  add_kernel_type(module);
  add_launcher_type(module);
  add_flags_type(module);
  add_array_type(module, {dlpack_method_rows(), interchange_rows(), buffer_slots()});
  add_exchange_table();
  add_program_type(module);
  add_fold_type(module);
  add_dispatcher_type(module);
  add_ufunc_type(module);
  add_c_api(module);
  if (kFreeThreaded) make_names_immortal(module);
}

// Returns the functions of the module.
PyMethodDef* functions() {
  static std::vector<PyMethodDef> rows;
  if (!rows.empty()) return rows.data();
  append(rows, elementwise_function_rows());
  append(rows, reduction_function_rows());
  append(rows, scan_function_rows());
  append(rows, matmul_function_rows());
  append(rows, solver_function_rows());
  append(rows, sort_function_rows());
  append(rows, random_function_rows());
  append(rows, distribution_function_rows());
  append(rows, fft_function_rows());
  append(rows, small_matrix_function_rows());
  append(rows, indexing_function_rows());
  append(rows, creation_rows());
  append(rows, class_function_rows());
  append(rows, dlpack_function_rows());
  append(rows, cuda_array_function_rows());
  append(rows, runtime_function_rows());
  append(rows, memory_function_rows());
  append(rows, cache_function_rows());
  append(rows, launch_function_rows());
  append(rows, memory_kind_function_rows());
  append(rows, sharing_function_rows());
  append(rows, memory_watch_function_rows());
  append(rows, transfer_function_rows());
  append(rows, guard_function_rows());
  append(rows, arrow_rows());
  append(rows, numpy_call_rows());
  append(rows, queued_transfer_function_rows());
  append(rows, access_function_rows());
  append(rows, strided_function_rows());
  append(rows, library_function_rows());
  append(rows, driver_function_rows());
  append(rows, host_function_rows());
  append(rows, table_function_rows());
  append(rows, compilation_function_rows());
  append(rows, compile_function_rows());
  rows.push_back({nullptr, nullptr, 0, nullptr});
  return rows.data();
}

// Returns the slots, which depend on the Python at run time, since 3.11 refuses those that came
// later.
PyModuleDef_Slot* slots() {
  constexpr int kMultipleInterpreters = 3;  // Py_mod_multiple_interpreters, since 3.12
  constexpr int kGil = 4;                   // Py_mod_gil, since 3.13
  void* const kNo = nullptr;                // the value that declines either
  void* const kGilNotUsed = reinterpret_cast<void*>(uintptr_t{1});
  static PyModuleDef_Slot rows[4] = {{Py_mod_exec, slot<module_exec>}};
  if (Py_Version >= 0x030C0000) rows[1] = {kMultipleInterpreters, kNo};
  if (Py_Version >= 0x030D0000) rows[2] = {kGil, kFreeThreaded ? kGilNotUsed : kNo};
  return rows;
}

}  // namespace

PyModuleDef* module_definition() {
  static PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                   "gpuarray._core",
                                   "The compiled part of gpuarray.",
                                   0,
                                   functions(),
                                   slots(),
                                   nullptr,
                                   nullptr,
                                   nullptr};
  return &definition;
}

}  // namespace gpuarray::py

PyMODINIT_FUNC PyInit__core() { return PyModuleDef_Init(gpuarray::py::module_definition()); }
