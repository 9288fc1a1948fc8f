// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "array/windows/fusion.hpp"
#include "backend/host/host.hpp"
#include "core/build_config.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/gil.hpp"
#include "py/binding/slot.hpp"
#include "py/binding/values.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/stream_object.hpp"
#include "py/device/parts.hpp"
#include "runtime/device/device.hpp"
#include "runtime/device/peer.hpp"
#include "runtime/memory/memory.hpp"
#include "runtime/stream/synchronize.hpp"

namespace gpuarray::py {

namespace {

Device device_argument(const char* function, PyObject* const* args, Py_ssize_t nargs,
                       PyObject* kwnames) {
  Signature<1> signature{function, {"device"}, 0};
  return to_device(parse(signature, args, nargs, kwnames)[0]);
}

Ref devices(PyObject*, PyObject*) {
  int count = cuda_device_count();
  Ref tuple = checked(PyTuple_New(count + 1));
  for (int index = 0; index < count; ++index)
    PyTuple_SetItem(tuple.get(), index, from_device(Device::cuda(index)).release());
  PyTuple_SetItem(tuple.get(), count, from_device(Device::cpu()).release());
  return tuple;
}

Ref cpu_config(PyObject*, PyObject*) {
  return checked(Py_BuildValue("(si)", loops::level().name, host::thread_count()));
}

Ref get_default_device(PyObject*, PyObject*) { return from_device(to_device(nullptr)); }

Ref set_default(PyObject*, PyObject* device) {
  set_default_device(to_device(device));
  return none();
}

Ref set_fusion_mode(PyObject*, PyObject* mode) {
  const ops::Fusion before = ops::mode;
  ops::set_fusion(to_text(mode, "fusion"), "fusion");
  return py_string(ops::name(before));
}

Ref get_fusion_stats(PyObject*, PyObject*) {
  const ops::FusionStats found = ops::fusion_stats();
  return checked(Py_BuildValue("LLLLL", found.windows, found.operations, found.unneeded,
                               found.temporary, found.reductions));
}

Ref test_windows(PyObject*, PyObject* name) {
  return py_string(ops::test_windows(to_text(name, "_test_windows")));
}

Ref forget_sequences(PyObject*, PyObject*) {
  ops::forget_sequences();
  return none();
}

Ref synchronize_device(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  Device device = device_argument("synchronize", args, nargs, kwnames);
  without_gil([&] { synchronize(device); });
  return none();
}

Ref get_current_stream(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  return new_stream(current_stream(device_argument("current_stream", args, nargs, kwnames)));
}

Ref memory_stats(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  MemoryStatistics statistics =
      memory_statistics(device_argument("memory_stats", args, nargs, kwnames));
  return checked(Py_BuildValue("{sLsLsL}", "bytes_in_use",
                               static_cast<long long>(statistics.bytes_in_use), "peak_bytes",
                               static_cast<long long>(statistics.peak_bytes), "allocations",
                               static_cast<long long>(statistics.allocations)));
}

Ref get_build_config(PyObject*, PyObject*) {
  const BuildConfig& config = build_config();
  return checked(Py_BuildValue("{sssssssssssOsO}", "version", config.version, "compiler",
                               config.compiler, "nvcc", config.nvcc, "gpu_archs", config.gpu_archs,
                               "cuda_absent_reason", config.cuda_absent_reason, "cuda_built",
                               config.cuda_built ? Py_True : Py_False, "limited_api",
                               config.limited_api ? Py_True : Py_False));
}

Ref peer_access(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Signature<2> kSignature{"can_access_peer", {"device", "peer"}, 2};
  auto [device, peer] = parse(kSignature, args, nargs, kwnames);
  return py_bool(can_access_peer(to_device(device), to_device(peer)));
}

Ref absent_reason(PyObject*, PyObject*) { return py_string(cuda_absent_reason()); }

}  // namespace

MethodRows runtime_function_rows() {
  constexpr int kKeywords = METH_FASTCALL | METH_KEYWORDS;
  static const PyMethodDef rows[] = {
      {"devices", method<devices>, METH_NOARGS,
       R"(devices($module, /)
--

The devices there are, a tuple: those of CUDA, then cpu.)"},
      {"default_device", method<get_default_device>, METH_NOARGS,
       R"(default_device($module, /)
--

The Device that new arrays of this thread are made on.)"},
      {"set_default_device", method<set_default>, METH_O,
       R"(set_default_device($module, device, /)
--

Makes new arrays on `device` from now on.)"},
      {"_set_fusion", method<set_fusion_mode, Entry::runs_all>, METH_O,
       R"(_set_fusion(mode, /)
--

Sets the mode, 'auto', 'off' or 'always', and returns the one before.)"},
      {"_fusion_stats", method<get_fusion_stats, Entry::runs_all>, METH_NOARGS,
       R"(_fusion_stats($module, /)
--

The fields of FusionStats.)"},
      {"_test_windows", method<test_windows>, METH_O,
       R"(_test_windows(name, /)
--

Sets how windows end and run in the mode 'always', for tests: 'no', 'replay', 'compiled' or
'adversary:7'. Returns the name of before.)"},
      {"_forget_sequences", method<forget_sequences>, METH_NOARGS,
       R"(_forget_sequences($module, /)
--

Forgets which operations followed each other, for tests.)"},
      {"synchronize", method<synchronize_device, Entry::runs_all>, kKeywords,
       R"(synchronize($module, device=None)
--

Blocks until all work queued on the device is done.)"},
      {"current_stream", method<get_current_stream>, kKeywords,
       R"(current_stream($module, device=None)
--

The Stream that this thread's operations on the device go to.)"},
      {"memory_stats", method<memory_stats, Entry::runs_all>, kKeywords,
       R"(memory_stats($module, device=None)
--

Memory of arrays on the device: bytes_in_use, peak_bytes and allocations, a dict.)"},
      {"can_access_peer", method<peer_access>, kKeywords,
       R"(can_access_peer(device, peer)
--

Whether `device` reaches the memory of `peer` without the host between them: then
`a.to_device(device)` of an array on `peer` copies directly, else through the host. True for a
device and itself; False for cpu and a CUDA device. DeviceError for a device that does not
exist.)"},
      {"_cpu_config", method<cpu_config>, METH_NOARGS,
       R"(_cpu_config()
--

The level of the processor and the number of threads that the cpu device uses.)"},
      {"build_config", method<get_build_config>, METH_NOARGS,
       R"(build_config($module, /)
--

How the compiled part was built, a dict.)"},
      {"cuda_absent_reason", method<absent_reason>, METH_NOARGS,
       R"(cuda_absent_reason($module, /)
--

Why there is no CUDA device, an empty str if there is one.)"},
  };
  return rows;
}

}  // namespace gpuarray::py
