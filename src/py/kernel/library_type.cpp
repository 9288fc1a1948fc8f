// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/kernel/library_type.hpp"
#include "py/kernel/parts.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <new>

#include "core/error.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/call_python.hpp"
#include "py/binding/type_helpers.hpp"
#include "py/convert/convert.hpp"
#include "py/kernel/kernel_type.hpp"
#include "runtime/device/device.hpp"
#include "runtime/driver/driver.hpp"

namespace gpuarray::py {
namespace {

PyTypeObject* library_type = nullptr;

struct LibraryObject {
  PyObject_HEAD UserLibraryPtr library;
};

constexpr const char* kLibraryDoc =
    R"(_Library(image, device=None)
--

A cubin, a fatbin or PTX, bytes-like, loaded for one CUDA device, by default the default one.)";

// Copies an image from a bytes-like object. Throws TypeError, and ValueError if it is empty.
std::string image_bytes(PyObject* object) {
  Py_buffer view;
  if (PyObject_CheckBuffer(object) == 0)
    throw TypeError("_Library: expected an image as bytes, got " + type_name(object));
  checked_status(PyObject_GetBuffer(object, &view, PyBUF_SIMPLE));
  std::string bytes(static_cast<const char*>(view.buf), static_cast<size_t>(view.len));
  PyBuffer_Release(&view);
  if (bytes.empty()) throw ValueError("_Library: the image is empty");
  return bytes;
}

Ref library_new(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  static constexpr Signature<2> kSignature{"_Library", {"image", "device"}, 1};
  auto [image, given] = parse(kSignature, args, kwargs);
  const Device device = is_given(given) ? to_device(given) : default_cuda_device();
  UserLibraryPtr library = load_user_library(device, image_bytes(image));
  auto* self = allocate_object<LibraryObject>(library_type);
  new (&self->library) UserLibraryPtr(std::move(library));
  return Ref::steal(reinterpret_cast<PyObject*>(self));
}

void library_dealloc(PyObject* object) noexcept {
  reinterpret_cast<LibraryObject*>(object)->library.~UserLibraryPtr();
  free_object(object);
}

Ref library_repr(PyObject* self) {
  const UserLibrary& library = *library_of(self);
  return checked(PyUnicode_FromFormat(
      "<gpuarray._Library %s %p%s>", to_string(library.device()).c_str(),
      static_cast<void*>(library.handle()), library.is_loaded() ? "" : ", unloaded"));
}

// Throws LookupError "the module has no <what> 'name'", which lists similar names among `known`.
[[noreturn]] void throw_unknown(const char* what, PyObject* name, const Ref& known) {
  Ref describe = import_attribute("gpuarray._kernels.suggestions", "unknown_name");
  Ref text =
      call_python(PyObject_CallFunction, describe.get(), "sOO", what, name, or_none(known.get()));
  PyErr_SetObject(PyExc_LookupError, text.get());
  throw PythonError();
}

Ref names_of(const UserLibrary& library) {
  Ref list = checked(PyList_New(0));
  for (const std::string& name : library.kernel_names())
    checked_status(PyList_Append(list.get(), py_string(name).get()));
  return list;
}

// Returns the names of the kernels; null if the driver cannot list them.
Ref known_names(const UserLibrary& library) {
  return driver().cuLibraryEnumerateKernels == nullptr ? Ref() : names_of(library);
}

Ref library_kernel(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Signature<3> kSignature{"kernel", {"name", "signature", "source"}, 1};
  auto [object, signature, source] = parse(kSignature, args, nargs, kwnames);
  const UserLibraryPtr& library = library_of(self);
  std::string name = to_text(object, "_Library.kernel");
  const CUkernel found = library->find_kernel(name);
  if (found == nullptr) throw_unknown("kernel", object, known_names(*library));
  return new_kernel(make_kernel_state(std::make_shared<UserKernel>(library, found, std::move(name)),
                                      signature, source));
}

Ref library_global(PyObject* self, PyObject* object) {
  const std::string name = to_text(object, "_Library.global_");
  const UserLibrary::Global found = library_of(self)->find_global(name);
  if (found.address == 0) throw_unknown("variable", object, Ref());
  return checked(Py_BuildValue("(Kn)", static_cast<unsigned long long>(found.address),
                               static_cast<Py_ssize_t>(found.nbytes)));
}

Ref library_kernel_names(PyObject* self, PyObject*) { return names_of(*library_of(self)); }

Ref library_unload(PyObject* self, PyObject*) {
  library_of(self)->unload();
  return none();
}

Ref library_require_unloadable(PyObject* self, PyObject*) {
  library_of(self)->require_unloadable();
  return none();
}

// Returns the C++ declaration of a mangled symbol; other symbols are returned as they are.
Ref demangle(PyObject*, PyObject* object) {
  const std::string symbol = to_text(object, "_demangle");
  int status = 0;
  char* text = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
  Ref result = py_string(text == nullptr ? symbol : text);
  std::free(text);
  return result;
}

Ref get_handle(PyObject* self, void*) {
  return py_uint(reinterpret_cast<uintptr_t>(library_of(self)->handle()));
}
Ref get_device(PyObject* self, void*) { return from_device(library_of(self)->device()); }
Ref get_loaded(PyObject* self, void*) { return py_bool(library_of(self)->is_loaded()); }

template <Ref (*get)(PyObject*, void*)>
constexpr PyGetSetDef attribute(const char* name, const char* doc) {
  return {name, &Slot<get>::call, nullptr, doc, nullptr};
}

PyGetSetDef attributes[] = {
    attribute<get_handle>("handle", "The CUlibrary as an int; 0 once it is unloaded."),
    attribute<get_device>("device", "The Device that it is loaded for."),
    attribute<get_loaded>("loaded", "Whether it has not been unloaded."),
    {},
};

PyMethodDef methods[] = {
    {"kernel", method<library_kernel>, METH_FASTCALL | METH_KEYWORDS,
     R"(kernel($self, /, name, signature=None, source=None)
--

A Kernel by its name, as the image spells it; with a signature as Kernel.with_signature, or
that of the CUDA C++ source. LookupError, with similar names, for an unknown one.)"},
    {"global_", method<library_global>, METH_O,
     R"(global_($self, name, /)
--

(address, nbytes) of a __device__ or __constant__ variable. LookupError for an unknown name.)"},
    {"kernel_names", method<library_kernel_names>, METH_NOARGS,
     R"(kernel_names($self, /)
--

The names of its kernels, mangled where C++ mangles them. DeviceError for a driver before CUDA
12.4.)"},
    {"unload", method<library_unload>, METH_NOARGS,
     R"(unload($self, /)
--

Waits for the work queued on the device and gives its memory back. Its kernels and variables
can be used no more; nothing the second time. CaptureError while a graph is captured on the
device, ValueError while a captured graph uses it.)"},
    {"require_unloadable", method<library_require_unloadable>, METH_NOARGS,
     R"(require_unloadable($self, /)
--

CaptureError while a graph is captured on the device, ValueError while one uses it.)"},
    {},
};

PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char*>(kLibraryDoc)},
    {Py_tp_new, slot<library_new>},
    {Py_tp_dealloc, reinterpret_cast<void*>(&library_dealloc)},
    {Py_tp_repr, slot<library_repr>},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {0, nullptr},
};

}  // namespace

const UserLibraryPtr& library_of(PyObject* library) {
  return reinterpret_cast<LibraryObject*>(library)->library;
}

MethodRows library_function_rows() {
  static const PyMethodDef rows[] = {
      {"_demangle", method<demangle>, METH_O,
       R"(_demangle(symbol, /)
--

The C++ declaration that a symbol stands for, a str.)"},
  };
  return rows;
}

void add_library_type(PyObject* module) {
  if (library_type == nullptr)
    library_type = make_type(module, "gpuarray._Library", sizeof(LibraryObject), slots);
  add_type(module, "_Library", library_type);
}

}  // namespace gpuarray::py
