// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/kernel/kernel_attributes.hpp"

#include "core/error.hpp"
#include "py/binding/call_python.hpp"
#include "py/binding/slot.hpp"
#include "py/convert/convert.hpp"
#include "py/kernel/kernel_object.hpp"

namespace gpuarray::py {
namespace {

// The kernel itself lives as long as the object.
UserKernel& kernel_of(PyObject* self) { return *kernel_state(self)->kernel; }

template <CUfunction_attribute which>
Ref get_number(PyObject* self, void*) {
  return py_int(kernel_of(self).attribute(which));
}

Ref get_name(PyObject* self, void*) { return py_string(kernel_of(self).name()); }
Ref get_device(PyObject* self, void*) { return from_device(kernel_of(self).device()); }
Ref get_handle(PyObject* self, void*) {
  return py_uint(reinterpret_cast<uintptr_t>(kernel_of(self).handle()));
}
Ref get_function_handle(PyObject* self, void*) {
  return py_uint(reinterpret_cast<uintptr_t>(kernel_of(self).function()));
}

void set_max_dynamic_shared(PyObject* self, PyObject* value, void*) {
  if (value == nullptr) throw TypeError("max_dynamic_shared_size_bytes cannot be deleted");
  kernel_of(self).set_max_dynamic_shared_bytes(to_int64(value));
}

Ref get_parameters(PyObject* self, void*) {
  const KernelStatePtr state = kernel_state(self);  // prepare() may replace it meanwhile
  const std::vector<Parameter>& parameters = state->parameters;
  Ref type = import_attribute("gpuarray.driver", "Parameter");
  Ref all = checked(PyTuple_New(static_cast<Py_ssize_t>(parameters.size())));
  for (size_t k = 0; k < parameters.size(); ++k)
    PyTuple_SetItem(
        all.get(), static_cast<Py_ssize_t>(k),
        call_python(PyObject_CallFunction, type.get(), "nns",
                    static_cast<Py_ssize_t>(parameters[k].offset),
                    static_cast<Py_ssize_t>(parameters[k].nbytes), parameters[k].text.c_str())
            .release());
  return all;
}

constexpr CUfunction_attribute kRegisters = CU_FUNC_ATTRIBUTE_NUM_REGS,
                               kShared = CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
                               kLocal = CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
                               kConst = CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES,
                               kThreads = CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                               kDynamic = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                               kPtx = CU_FUNC_ATTRIBUTE_PTX_VERSION,
                               kBinary = CU_FUNC_ATTRIBUTE_BINARY_VERSION;

Ref get_attributes(PyObject* self, void*) {
  const UserKernel& kernel = kernel_of(self);
  return checked(Py_BuildValue(
      "{sisisisisisisisi}", "num_regs", kernel.attribute(kRegisters), "shared_size_bytes",
      kernel.attribute(kShared), "local_size_bytes", kernel.attribute(kLocal), "const_size_bytes",
      kernel.attribute(kConst), "max_threads_per_block", kernel.attribute(kThreads),
      "max_dynamic_shared_size_bytes", kernel.attribute(kDynamic), "ptx_version",
      kernel.attribute(kPtx), "binary_version", kernel.attribute(kBinary)));
}

template <Ref (*get)(PyObject*, void*)>
constexpr PyGetSetDef attribute(const char* name, const char* doc) {
  return {name, &Slot<get>::call, nullptr, doc, nullptr};
}

constexpr const char* kRegistersDoc = "Registers of a thread.";

PyGetSetDef rows[] = {
    attribute<get_name>("name", "Its name in the module, mangled where C++ mangles it."),
    attribute<get_device>("device", "The Device that it runs on."),
    attribute<get_handle>("handle", "The CUkernel as an int."),
    attribute<get_function_handle>("function_handle", "The CUfunction on its device as an int."),
    attribute<get_parameters>(
        "parameters",
        R"(A gpuarray.driver.Parameter for each parameter: its offset and size in bytes as compiled,
and its declaration, "" where it is not known.)"),
    attribute<get_attributes>("attributes", "All that the driver tells of it, a dict of ints."),
    attribute<get_number<kRegisters>>("num_regs", kRegistersDoc),
    attribute<get_number<kRegisters>>("registers", kRegistersDoc),
    attribute<get_number<kShared>>("shared_size_bytes", "Bytes of static shared memory."),
    attribute<get_number<kLocal>>(
        "local_size_bytes", "Bytes of local memory of a thread: arrays and spilled registers."),
    attribute<get_number<kConst>>("const_size_bytes", "Bytes of constant memory."),
    attribute<get_number<kThreads>>("max_threads_per_block",
                                    "Most threads that a block of it can have."),
    {"max_dynamic_shared_size_bytes", &Slot<get_number<kDynamic>>::call,
     &Slot<set_max_dynamic_shared>::call,
     R"(Most bytes of dynamic shared memory that a launch can ask for; a launch that asks for more
raises it, up to what the device has.)",
     nullptr},
    attribute<get_number<kPtx>>("ptx_version", "The PTX it was compiled from: 80 is 8.0."),
    attribute<get_number<kBinary>>("binary_version",
                                   "The compute capability of its code: 90 is 9.0."),
    {},
};

}  // namespace

PyGetSetDef* kernel_attributes() { return rows; }

}  // namespace gpuarray::py
