// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <string>
#include <vector>

#include "core/error.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/gil.hpp"
#include "py/binding/slot.hpp"
#include "py/convert/convert.hpp"
#include "py/kernel/parts.hpp"
#include "runtime/code/code_cache.hpp"
#include "runtime/code/compile.hpp"
#include "runtime/code/include_folders.hpp"
#include "runtime/code/saved_images.hpp"

namespace gpuarray::py {

namespace {

constexpr Signature<7> kCompile{.function = "_compile_source",
                                .names = {"source", "architecture", "name", "options",
                                          "include_dirs", "name_expressions", "output"},
                                .required = 7};
constexpr Signature<2> kKind{
    .function = "_image_kind", .names = {"content", "name"}, .required = 2};
constexpr Signature<2> kKernelImage{
    .function = "_kernel_image", .names = {"source", "architecture"}, .required = 2};
constexpr Signature<3> kKeepImage{
    .function = "_keep_saved_image", .names = {"digest", "architecture", "image"}, .required = 3};
constexpr Signature<4> kLink{.function = "_link_images",
                             .names = {"inputs", "architecture", "lto", "options"},
                             .required = 4};

// The names of the kinds in Python, in the order of ImageKind.
constexpr const char* kKinds[] = {"source", "cubin", "ptx", "ltoir", "fatbin", "object", "archive"};

Ref py_bytes(const std::string& content) {
  return checked(PyBytes_FromStringAndSize(content.data(), Py_ssize_t(content.size())));
}

std::string to_bytes(PyObject* object) {
  char* data = nullptr;
  Py_ssize_t size = 0;
  checked_status(PyBytes_AsStringAndSize(object, &data, &size));
  return {data, static_cast<size_t>(size)};
}

// Converts a str for NVRTC, whose strings end at the first null character. Throws ValueError if
// there is one.
std::string to_c_text(PyObject* object, const char* what) {
  std::string text = to_text(object, what);
  if (text.find('\0') != std::string::npos)
    throw ValueError(std::string(what) + ": a null character at " +
                     std::to_string(text.find('\0')));
  return text;
}

// Converts a tuple of str.
std::vector<std::string> to_texts(PyObject* tuple, const char* what) {
  std::vector<std::string> texts;
  const Py_ssize_t count = tuple_size(tuple, what);
  for (Py_ssize_t i = 0; i < count; ++i)
    texts.push_back(to_c_text(PyTuple_GetItem(tuple, i), what));
  return texts;
}

CodeForm to_form(PyObject* object) {
  const std::string text = to_text(object, "output");
  if (text == "cubin") return CodeForm::kCubin;
  if (text == "ptx") return CodeForm::kPtx;
  if (text == "ltoir") return CodeForm::kLtoIr;
  throw ValueError("output: expected 'cubin', 'ptx' or 'ltoir', got '" + text + "'");
}

Ref compile(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [source, architecture, name, options, folders, expressions, output] =
      parse(kCompile, args, nargs, kwnames);
  CompileRequest request{.source = to_c_text(source, "source"),
                         .name = to_c_text(name, "name"),
                         .architecture = to_c_text(architecture, "architecture"),
                         .options = to_texts(options, "options"),
                         .name_expressions = to_texts(expressions, "name_expressions"),
                         .form = to_form(output)};
  const std::vector<std::string> include_folders = to_texts(folders, "include_dirs");
  const CompileResult result = without_gil(
      [&] { return compile_cached(with_defaults(std::move(request), include_folders)); });
  const Ref names = checked(PyTuple_New(Py_ssize_t(result.lowered_names.size())));
  for (size_t i = 0; i < result.lowered_names.size(); ++i)
    checked_status(
        PyTuple_SetItem(names.get(), Py_ssize_t(i), py_string(result.lowered_names[i]).release()));
  const Ref code = py_bytes(result.code), log = py_string(result.log);
  return checked(PyTuple_Pack(3, code.get(), log.get(), names.get()));
}

Ref link(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [inputs, architecture, lto, options] = parse(kLink, args, nargs, kwnames);
  LinkRequest request{.inputs = {},
                      .architecture = to_c_text(architecture, "architecture"),
                      .lto = {},
                      .options = to_texts(options, "options")};
  if (lto != Py_None) request.lto = checked_status(PyObject_IsTrue(lto)) != 0;
  const Py_ssize_t count = tuple_size(inputs, "inputs");
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* const input = PyTuple_GetItem(inputs, i);
    tuple_size(input, "inputs", 2);
    request.inputs.push_back(
        {to_bytes(PyTuple_GetItem(input, 0)), to_c_text(PyTuple_GetItem(input, 1), "name")});
  }
  const LinkResult result = without_gil([&] { return link_cached(request); });
  const Ref code = py_bytes(result.code), log = py_string(result.log);
  return checked(PyTuple_Pack(2, code.get(), log.get()));
}

Ref kind(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [content, name] = parse(kKind, args, nargs, kwnames);
  const ImageKind found = image_kind(to_bytes(content), to_text(name, "name"));
  return py_string(kKinds[static_cast<int>(found)]);
}

Ref loadable(PyObject*, PyObject* object) {
  const std::string content = to_bytes(object);
  return py_bool(is_loadable(content, image_kind(content, "_loadable")));
}

Ref architectures(PyObject*, PyObject*) {
  Ref list = checked(PyList_New(0));
  const std::vector<int> known = without_gil([] { return known_architectures(); });
  for (int number : known) checked_status(PyList_Append(list.get(), py_int(number).get()));
  return list;
}

Ref kernel_image(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [source, architecture] = parse(kKernelImage, args, nargs, kwnames);
  CompileRequest request = kernel_request(to_c_text(source, "source"), 0, 0);
  request.architecture = to_c_text(architecture, "architecture");
  if (request.architecture.starts_with("compute_")) request.form = CodeForm::kPtx;
  return py_bytes(without_gil([&] { return kernel_image_cached(request); }));
}

Ref saved_digest_of(PyObject*, PyObject* source) {
  return py_string(saved_digest(to_text(source, "source")));
}

Ref keep_image(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [digest, architecture, image] = parse(kKeepImage, args, nargs, kwnames);
  keep_saved_image(to_text(digest, "digest"), to_text(architecture, "architecture"),
                   to_bytes(image));
  return none();
}

Ref architecture(PyObject*, PyObject* object) {
  return py_int(cubin_architecture(to_bytes(object)));
}

}  // namespace

MethodRows compile_function_rows() {
  static const PyMethodDef rows[] = {
      {"_compile_source", method<compile>, METH_FASTCALL | METH_KEYWORDS,
       R"(_compile_source(source, architecture, name, options, include_dirs, name_expressions, output)
--

CUDA C++ as 'cubin', 'ptx' or 'ltoir', through the disk cache: bytes, the compiler's log and
the symbols of the name expressions. CompileError, ValueError for an option that is none,
DeviceError without a compiler.)"},
      {"_link_images", method<link>, METH_FASTCALL | METH_KEYWORDS,
       R"(_link_images(inputs, architecture, lto, options)
--

The cubin of (content, name) pairs of any kind but source, and the linker's log, through the
disk cache. LinkError, DeviceError without a linker.)"},
      {"_image_kind", method<kind>, METH_FASTCALL | METH_KEYWORDS,
       R"(_image_kind(content, name)
--

'source', 'ptx', 'cubin', 'fatbin', 'ltoir', 'object' or 'archive', by the bytes. ValueError
for others.)"},
      {"_loadable", method<loadable>, METH_O,
       R"(_loadable($module, content, /)
--

Whether a driver loads it as it is: PTX, cubins, and fatbins that hold more than LTO-IR.)"},
      {"_kernel_image", method<kernel_image>, METH_FASTCALL | METH_KEYWORDS,
       R"(_kernel_image(source, architecture)
--

The text of a _Program or _Fold compiled for 'sm_90', or to PTX for 'compute_90', through the disk
cache. DeviceError without a compiler.)"},
      {"_saved_digest", method<saved_digest_of>, METH_O,
       R"(_saved_digest($module, source, /)
--

What stands for such a text in a file; another version of the package has another one.)"},
      {"_keep_saved_image", method<keep_image>, METH_FASTCALL | METH_KEYWORDS,
       R"(_keep_saved_image(digest, architecture, image)
--

Have the text of the digest run by the image on devices that it is for, without a compiler.)"},
      {"_known_architectures", method<architectures>, METH_NOARGS,
       R"(_known_architectures()
--

The compute capabilities that NVRTC compiles for, 90 for 9.0. DeviceError without a compiler.)"},
      {"_cubin_architecture", method<architecture>, METH_O,
       R"(_cubin_architecture($module, content, /)
--

The compute capability that a cubin is for, 90 for 9.0; 0 for other kinds.)"},
  };
  return rows;
}

}  // namespace gpuarray::py
