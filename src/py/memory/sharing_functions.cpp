// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <string>

#include "core/error.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/gil.hpp"
#include "py/binding/slot.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/current_stream.hpp"
#include "py/memory/memory_type.hpp"
#include "py/memory/parts.hpp"
#include "runtime/buffer/ipc.hpp"
#include "runtime/memory/ipc.hpp"

// The functions of _core that gpuarray/_runtime/sharing.py calls.
namespace gpuarray::py {
namespace {

constexpr Signature<2> kShare{
    .function = "_share", .names = {"array", "stream"}, .required = 2, .positional_only = 2};
constexpr Signature<12> kOpen{.function = "_open_shared",
                              .names = {"device", "memory", "event", "nbytes", "own", "dtype",
                                        "shape", "strides", "offset", "writable", "stream", "base"},
                              .required = 12};

Ref py_bytes(const std::string& bytes) {
  return checked(PyBytes_FromStringAndSize(bytes.data(), static_cast<Py_ssize_t>(bytes.size())));
}

// Reads a handle of CUDA. Throws TypeError, and ValueError unless it has 64 bytes.
std::string handle_bytes(PyObject* object, const char* what) {
  char* data = nullptr;
  Py_ssize_t size = 0;
  if (!PyBytes_Check(object))
    throw TypeError(std::string("open_shared: ") + what + ": expected bytes, got " +
                    type_name(object));
  checked_status(PyBytes_AsStringAndSize(object, &data, &size));
  if (size != 64)
    throw ValueError(std::string("open_shared: ") + what + ": expected 64 bytes, got " +
                     std::to_string(size));
  return {data, static_cast<size_t>(size)};
}

Ref share(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [object, stream] = parse(kShare, args, nargs, kwnames);
  const Array& array = require_array(object, "share");
  if (array.device().is_cpu())
    throw DeviceError(
        "share: expected an array on a CUDA device, got one on cpu; see "
        "multiprocessing.shared_memory");
  if (array.size() == 0) throw ValueError("share: an array without elements has no memory");
  const StreamPtr queue = to_stream(stream, array.device());
  int64_t offset = 0;
  const SharedBlock block =
      without_gil([&] { return share_block(array.buffer(), queue, &offset); });
  return checked(Py_BuildValue(
      "(NNLL)", py_bytes(block.memory).release(), py_bytes(block.event).release(),
      static_cast<long long>(block.nbytes), static_cast<long long>(offset + array.offset())));
}

Ref open_shared(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [where, memory, event, nbytes, own, type, extents, steps, start, may_write, stream, base] =
      parse(kOpen, args, nargs, kwnames);
  const Device device = to_device(where);
  const SharedBlock block{handle_bytes(memory, "memory"), handle_bytes(event, "event"),
                          to_int64(nbytes)};
  const DType dtype = to_dtype(type);
  const Shape shape = to_shape(extents);
  const Strides strides = to_strides("open_shared", steps, shape.size(), itemsize(dtype));
  const int64_t offset = to_int64(start);
  require_inside("open_shared", shape, strides, itemsize(dtype), offset, block.nbytes);
  const bool is_own = checked_status(PyObject_IsTrue(own)) == 1;
  const bool writable = checked_status(PyObject_IsTrue(may_write)) == 1;
  const StreamPtr queue = to_stream(stream, device);
  const SharedPlace place = without_gil([&] { return open_block(block, queue, is_own); });
  // A damaged handle may tell of a larger block.
  require_inside("open_shared", shape, strides, itemsize(dtype), offset - place.offset,
                 place.buffer->nbytes());
  return new_array(Array(place.buffer, dtype, shape, strides, offset - place.offset, writable),
                   base);
}

Ref can_share(PyObject*, PyObject* object) {
  const Array& array = require_array(object, "_can_share");
  if (array.device().is_cpu() || array.size() == 0) return Ref::borrow(Py_False);
  return Ref::borrow(can_be_shared(*array.buffer()) ? Py_True : Py_False);
}

Ref uuid(PyObject*, PyObject* device) { return py_bytes(device_uuid(to_device(device))); }

Ref ipc_resource(PyObject*, PyObject* device) {
  return new_memory_resource(std::make_shared<IpcResource>(to_device(device)));
}

}  // namespace

MethodRows sharing_function_rows() {
  constexpr int kKeywords = METH_FASTCALL | METH_KEYWORDS;
  static const PyMethodDef rows[] = {
      {"_share", method<share>, kKeywords,
       R"(_share(array, stream, /)
--

(memory, event, nbytes, offset): handles as bytes, and bytes in the block of memory.)"},
      {"_open_shared", method<open_shared>, kKeywords,
       R"(_open_shared(device, memory, event, nbytes, own, dtype, shape, strides, offset, writable, stream, base)
--

An array over memory of another process, or of this one if it is `own`.)"},
      {"_can_share", method<can_share>, METH_O,
       R"(_can_share(array, /)
--

Whether another process can open the memory.)"},
      {"_device_uuid", method<uuid>, METH_O,
       R"(_device_uuid(device, /)
--

16 bytes that name the device in every process.)"},
      {"_ipc_resource", method<ipc_resource>, METH_O,
       R"(_ipc_resource(device, /)
--

Memory that other processes can open.)"},
  };
  return rows;
}

}  // namespace gpuarray::py
