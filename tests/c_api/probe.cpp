// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Every function of gpuarray.h, called from Python.
#include <gpuarray.h>

#include <cstdlib>
#include <vector>

namespace {

PyObject* tuple_of(const int64_t* values, int count) {
  PyObject* result = PyTuple_New(count);
  for (int k = 0; k < count; ++k) PyTuple_SetItem(result, k, PyLong_FromLongLong(values[k]));
  return result;
}

PyObject* check(PyObject*, PyObject* object) { return PyBool_FromLong(GPUArray_Check(object)); }

PyObject* view(PyObject*, PyObject* object) {
  GPUArrayView seen;
  if (GPUArray_View(object, &seen) != 0) return nullptr;
  return Py_BuildValue("(KiisiiLNN)", reinterpret_cast<unsigned long long>(seen.data),
                       seen.device.kind, seen.device.index, GPUArray_DTypeName(seen.dtype),
                       seen.itemsize, seen.flags, static_cast<long long>(seen.size),
                       tuple_of(seen.shape, seen.ndim), tuple_of(seen.strides, seen.ndim));
}

bool to_dims(PyObject* tuple, std::vector<int64_t>& dims) {
  for (Py_ssize_t k = 0; k < PyTuple_Size(tuple); ++k)
    dims.push_back(PyLong_AsLongLong(PyTuple_GetItem(tuple, k)));
  return PyErr_Occurred() == nullptr;
}

PyObject* new_array(PyObject*, PyObject* args) {
  PyObject* shape;
  GPUArrayDevice device = GPUArray_DefaultDevice();
  int dtype, kind = device.kind;
  std::vector<int64_t> dims;
  if (!PyArg_ParseTuple(args, "Oi|i", &shape, &dtype, &kind) || !to_dims(shape, dims))
    return nullptr;
  device.kind = kind;
  return GPUArray_New(static_cast<int>(dims.size()), dims.data(), dtype, device);
}

PyObject* dtype_name(PyObject*, PyObject* number) {
  const char* name = GPUArray_DTypeName(static_cast<int>(PyLong_AsLong(number)));
  return name != nullptr ? PyUnicode_FromString(name) : PyUnicode_FromString("");
}

// wrap(address, kind, index, dtype, flags, shape, strides, owner)
PyObject* wrap(PyObject*, PyObject* args) {
  GPUArrayView memory = {};
  unsigned long long address;
  PyObject *shape, *strides, *owner;
  std::vector<int64_t> dims, steps;
  if (!PyArg_ParseTuple(args, "KiiiiOOO", &address, &memory.device.kind, &memory.device.index,
                        &memory.dtype, &memory.flags, &shape, &strides, &owner) ||
      !to_dims(shape, dims) || !to_dims(strides, steps))
    return nullptr;
  memory.data = reinterpret_cast<void*>(address);
  memory.ndim = static_cast<int>(dims.size());
  for (int k = 0; k < memory.ndim && k < GPUARRAY_MAX_DIMS; ++k) {
    memory.shape[k] = dims[k];
    memory.strides[k] = steps[k];
  }
  return GPUArray_Wrap(&memory, owner);
}

PyObject* stream(PyObject*, PyObject* args) {
  GPUArrayDevice device;
  unsigned long long handle;
  if (!PyArg_ParseTuple(args, "iiK", &device.kind, &device.index, &handle)) return nullptr;
  return GPUArray_Stream(device, handle);
}

// access(arrays, writes, stream, function): what function(handle) returns while they are open.
PyObject* access(PyObject*, PyObject* args) {
  PyObject *arrays, *writes, *stream, *function;
  if (!PyArg_ParseTuple(args, "OOOO", &arrays, &writes, &stream, &function)) return nullptr;
  std::vector<GPUArrayUse> uses;
  for (Py_ssize_t k = 0; k < PyTuple_Size(arrays); ++k)
    uses.push_back({PyTuple_GetItem(arrays, k), PyObject_IsTrue(PyTuple_GetItem(writes, k))});
  uintptr_t handle;
  GPUArrayAccess* opened = GPUArray_Open(uses.data(), static_cast<int>(uses.size()),
                                         stream == Py_None ? nullptr : stream, &handle);
  if (opened == nullptr) return nullptr;
  PyObject* result = PyObject_CallFunction(function, "K", static_cast<unsigned long long>(handle));
  GPUArray_Close(opened);
  return result;
}

PyMethodDef functions[] = {{"check", check, METH_O, nullptr},
                           {"view", view, METH_O, nullptr},
                           {"new_array", new_array, METH_VARARGS, nullptr},
                           {"dtype_name", dtype_name, METH_O, nullptr},
                           {"wrap", wrap, METH_VARARGS, nullptr},
                           {"stream", stream, METH_VARARGS, nullptr},
                           {"access", access, METH_VARARGS, nullptr},
                           {nullptr, nullptr, 0, nullptr}};

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "probe", nullptr, -1, functions, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit_probe() {
  return import_gpuarray() == 0 ? PyModule_Create(&definition) : nullptr;
}
