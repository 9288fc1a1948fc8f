// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/fork.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/call_python.hpp"
#include "py/binding/gil.hpp"
#include "py/binding/slot.hpp"
#include "py/binding/user_line.hpp"
#include "py/convert/convert.hpp"
#include "py/kernel/parts.hpp"
#include "runtime/code/compile.hpp"
#include "runtime/code/compile_queue.hpp"
#include "runtime/code/include_folders.hpp"
#include "runtime/driver/cuda_library.hpp"
#include "runtime/driver/user_log.hpp"
#include "runtime/driver/user_warning.hpp"

namespace gpuarray::py {

namespace {

constexpr Signature<3> kCompile{
    .function = "_compile_cubin", .names = {"source", "major", "minor"}, .required = 3};

// Converts the major or minor number of a compute capability. Throws ValueError.
int version_number(PyObject* object, const char* what) {
  const long value = PyLong_AsLong(object);
  if (value == -1 && PyErr_Occurred()) throw PythonError();
  if (value < 0 || value > 1000)
    throw ValueError(std::string(what) + ": expected a compute capability, got " +
                     std::to_string(value));
  return static_cast<int>(value);
}

Ref compile(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [text, major, minor] = parse(kCompile, args, nargs, kwnames);
  const std::string source = to_text(text, "_compile_cubin: source");
  const int compute_major = version_number(major, "_compile_cubin: major");
  const int compute_minor = version_number(minor, "_compile_cubin: minor");
  const std::string image =
      without_gil([&] { return compile_cubin(source, compute_major, compute_minor); });
  return checked(PyBytes_FromStringAndSize(image.data(), static_cast<Py_ssize_t>(image.size())));
}

// Looks for each library, which is not loaded otherwise.
Ref cuda_libraries(PyObject*, PyObject*) {
  Ref found = checked(PyDict_New());
  for (CudaLibrary* library : gpuarray::cuda_libraries()) {
    const LibraryVersion& version = library->version();
    const Ref row = checked(Py_BuildValue("{sss(iii)ssss}", "path", library->path().c_str(),
                                          "version", version.major, version.minor, version.patch,
                                          "variable", library->variable().c_str(), "absent_reason",
                                          library->absent_reason().c_str()));
    checked_status(PyDict_SetItemString(found.get(), library->names().title, row.get()));
  }
  return found;
}

Ref headers(PyObject*, PyObject*) {
  const std::vector<std::string> folders = include_path({}).toolkit;
  Ref tuple = checked(PyTuple_New(Py_ssize_t(folders.size())));
  for (size_t i = 0; i < folders.size(); ++i)
    checked_status(PyTuple_SetItem(tuple.get(), Py_ssize_t(i), py_string(folders[i]).release()));
  return tuple;
}

// Tells the search for NVIDIA's wheels where Python finds packages. Nothing is searched yet.
void add_wheel_folders() {
  const Ref path = Ref::borrow(PySys_GetObject("path"));
  if (!path || !PyList_Check(path.get())) return;
  const Ref folders = checked(PyList_AsTuple(path.get()));
  for (Py_ssize_t index = 0; index < PyTuple_Size(folders.get()); ++index) {
    PyObject* folder = PyTuple_GetItem(folders.get(), index);
    if (!PyUnicode_Check(folder)) continue;
    const char* text = PyUnicode_AsUTF8AndSize(folder, nullptr);
    if (text == nullptr) PyErr_Clear();
    if (text != nullptr && *text == '/') add_wheel_folder(text);
  }
}

// Issues a RuntimeWarning. May be called on any thread, with or without the GIL.
void warn(const std::string& text) {
  GilHold hold;
  if (!warn_user_line(PyExc_RuntimeWarning, text)) throw PythonError();
}

// Issues a warning of the user's line.
Ref warn_user_of(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Signature<2> kWarn{"_warn_user", {"text", "category"}, 2};
  auto [text, category] = parse(kWarn, args, nargs, kwnames);
  if (!warn_user_line(category, to_text(text, "_warn_user: text"))) throw PythonError();
  return none();
}

// Waits for compilations in the background.
Ref finish(PyObject*, PyObject*) {
  without_gil([] { finish_compilations(); });
  return none();
}

struct LogLine {
  LogLevel level;
  std::string text;
};
HeldAtFork log_mutex;  // nothing is called under it
std::vector<LogLine> waiting GUARDED_BY(log_mutex);

// Returns whether a program without GPUARRAY_LOG may have asked for lines, by Python's logging.
bool has_logging() { return bool{Ref::steal(PyImport_GetModule(py_string("logging").get()))}; }

// Logs the waiting lines through Python, on the main thread between two of its instructions.
int write_waiting(void*) noexcept {
  std::vector<LogLine> lines;
  {
    const LockGuard lock(log_mutex);
    lines.swap(waiting);
  }
  try {
    if (!is_logged(LogLevel::info) && !has_logging()) return 0;
    const Ref write = import_attribute("gpuarray._runtime.log", "write");
    for (const auto& [level, text] : lines)
      if (call_python(PyObject_CallFunction, write.get(), "is", static_cast<int>(level),
                      text.c_str())
              .get() == Py_True)
        set_logged(level);
  } catch (const PythonError&) {
    PyErr_WriteUnraisable(nullptr);  // of a handler: no caller of ours is there to get it
  }
  return 0;
}

// Has a line logged once the locks are given back that the caller may hold, of which a handler may
// need one. May be called on any thread, with or without the GIL.
void write_log(LogLevel level, const std::string& line) {
  {
    const LockGuard lock(log_mutex);
    waiting.push_back({level, line});
  }
  Py_AddPendingCall(write_waiting, nullptr);
}

}  // namespace

MethodRows compilation_function_rows() {
  static const PyMethodDef rows[] = {
      {"_compile_cubin", method<compile>, METH_FASTCALL | METH_KEYWORDS,
       R"(_compile_cubin(source, major, minor)
--

The machine code, bytes, of CUDA C++ for a compute capability. CompileError with the compiler's
log; DeviceError without a compiler.)"},
      {"_warn_user", method<warn_user_of>, METH_FASTCALL | METH_KEYWORDS,
       R"(_warn_user(text, category)
--

Issues a warning of the innermost line of Python outside gpuarray.)"},
      {"_finish_compilations", method<finish>, METH_NOARGS,
       R"(_finish_compilations()
--

Waits until no compilation is pending or runs in the background, for tests and benchmarks.)"},
      {"_headers", method<headers>, METH_NOARGS,
       R"(_headers()
--

The folders of the CUDA toolkit's headers that kernels include, a tuple of str.)"},
      {"_cuda_libraries", method<cuda_libraries>, METH_NOARGS,
       R"(_cuda_libraries()
--

The libraries of CUDA that are loaded at run time: by title the path, the version (major, minor,
patch), the environment variable that names the file, and absent_reason, "" where the library is
found.)"},
  };
  return rows;
}

void set_up_compilation() {
  add_wheel_folders();
  set_user_warning(warn);
  read_log_variable();
  set_user_log(write_log);
}

}  // namespace gpuarray::py
