// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The Arrow C data interface, for arrays of one dimension: https://arrow.apache.org/docs/format
#include <functional>
#include <memory>
#include <string>

#include "core/error.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/slot.hpp"
#include "py/binding/values.hpp"
#include "py/convert/numpy.hpp"
#include "py/exchange/interchange.hpp"
#include "py/exchange/parts.hpp"

namespace gpuarray::py {
namespace {

// The two structures of the interface, whose layout Arrow defines.
struct ArrowSchema {
  static constexpr const char* kCapsule = "arrow_schema";
  const char* format = nullptr;
  const char* name = "";
  const char* metadata = nullptr;
  int64_t flags = 0;  // no element is null
  int64_t n_children = 0;
  ArrowSchema** children = nullptr;
  ArrowSchema* dictionary = nullptr;
  void (*release)(ArrowSchema*) = nullptr;
  void* private_data = nullptr;
};

struct ArrowArray {
  static constexpr const char* kCapsule = "arrow_array";
  int64_t length = 0;
  int64_t null_count = 0;
  int64_t offset = 0;
  int64_t n_buffers = 2;
  int64_t n_children = 0;
  const void** buffers = nullptr;
  ArrowArray** children = nullptr;
  ArrowArray* dictionary = nullptr;
  void (*release)(ArrowArray*) = nullptr;
  void* private_data = nullptr;
};

// What an ArrowArray owns: its list of buffers and the object that owns the elements.
struct OwnedElements {
  const void* buffers[2];  // the validity bitmap, of which there is none, and the elements
  std::function<void()> release;
};

// Deletes the private data and marks the structure as released. A consumer calls it, on any thread.
template <class Owned, class Struct>
void release(Struct* exported) {
  delete static_cast<Owned*>(exported->private_data);
  exported->release = nullptr;
}

template <class Struct>
void destroy_capsule(PyObject* capsule) {
  auto* exported = static_cast<Struct*>(PyCapsule_GetPointer(capsule, Struct::kCapsule));
  // A consumer that has moved the structure out has cleared `release`.
  if (exported->release != nullptr) exported->release(exported);
  delete exported;
}

template <class Owned, class Struct>
Ref make_capsule(std::unique_ptr<Struct> exported, std::unique_ptr<Owned> owned) {
  Ref capsule = checked(PyCapsule_New(exported.get(), Struct::kCapsule, &destroy_capsule<Struct>));
  exported->private_data = owned.release();
  exported->release = &release<Owned, Struct>;
  exported.release();
  return capsule;
}

Ref arrow_array(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  if (nargs != 3 || !is_ndarray(args[0]))
    throw TypeError("_arrow_array: expected an ndarray, a length and a format");
  const HostArray host = host_array(args[0]);
  if (!host.c_contiguous) throw ValueError("_arrow_array: the elements are not contiguous");
  auto format = std::make_unique<std::string>(to_text(args[2], "_arrow_array: format"));
  auto schema = std::make_unique<ArrowSchema>();
  schema->format = format->c_str();
  auto elements =
      std::make_unique<OwnedElements>(OwnedElements{{nullptr, host.data}, keep_alive(args[0])});
  auto array = std::make_unique<ArrowArray>();
  array->length = to_int64(args[1]);
  array->buffers = elements->buffers;
  const Ref schema_capsule = make_capsule(std::move(schema), std::move(format));
  const Ref array_capsule = make_capsule(std::move(array), std::move(elements));
  return checked(PyTuple_Pack(2, schema_capsule.get(), array_capsule.get()));
}

Ref arrow_format(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  if (nargs != 1 || PyCapsule_IsValid(args[0], ArrowSchema::kCapsule) == 0)
    throw TypeError("requested_schema: expected a capsule named arrow_schema");
  // Borrowed: the consumer owns the schema that it asks for.
  const auto* schema =
      static_cast<const ArrowSchema*>(PyCapsule_GetPointer(args[0], ArrowSchema::kCapsule));
  if (schema->release == nullptr) throw ValueError("requested_schema: the schema is released");
  return py_string(schema->format);
}

}  // namespace

MethodRows arrow_rows() {
  static const PyMethodDef rows[] = {
      {"_arrow_array", method<arrow_array>, METH_FASTCALL,
       R"(_arrow_array($module, elements, length, format, /)
--

Return capsules of an ArrowSchema and an ArrowArray over the memory of a contiguous ndarray.)"},
      {"_arrow_format", method<arrow_format>, METH_FASTCALL,
       R"(_arrow_format($module, schema, /)
--

Return the format of the ArrowSchema in a capsule.)"},
  };
  return rows;
}

}  // namespace gpuarray::py
