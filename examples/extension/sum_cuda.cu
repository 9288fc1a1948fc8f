// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// sum_cuda.sum_cuda(a, b): the sum of two float32 arrays by a kernel of our own, in a new array.
#include <gpuarray.h>

#include <algorithm>

namespace {

__global__ void add(const float* a, const float* b, float* result, int64_t size) {
  const int64_t threads = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < size;
       i += threads)
    result[i] = a[i] + b[i];
}

bool view_operand(PyObject* object, const char* name, GPUArrayView* view) {
  if (GPUArray_View(object, view) != 0) return false;
  if (view->device.kind != GPUARRAY_CUDA)
    PyErr_Format(PyExc_ValueError, "sum_cuda: %s is on the cpu, expected a CUDA device", name);
  else if (view->dtype != GPUARRAY_FLOAT32)
    PyErr_Format(PyExc_TypeError, "sum_cuda: %s has dtype %s, expected float32", name,
                 GPUArray_DTypeName(view->dtype));
  else if ((view->flags & GPUARRAY_C_CONTIGUOUS) == 0)
    PyErr_Format(PyExc_ValueError, "sum_cuda: %s is not C-contiguous", name);
  return PyErr_Occurred() == nullptr;
}

bool same_shape(const GPUArrayView& a, const GPUArrayView& b) {
  if (a.ndim == b.ndim && std::equal(a.shape, a.shape + a.ndim, b.shape)) return true;
  PyErr_SetString(PyExc_ValueError, "sum_cuda: a and b have different shapes");
  return false;
}

// Makes the device of the arrays CUDA's current one for the scope.
class OnDevice {
 public:
  explicit OnDevice(int index) {
    cudaGetDevice(&before_);
    cudaSetDevice(index);
  }
  ~OnDevice() { cudaSetDevice(before_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_ = 0;
};

bool launch(PyObject* a, PyObject* b, PyObject* result) {
  GPUArrayView in_a, in_b, out;
  if (GPUArray_View(a, &in_a) || GPUArray_View(b, &in_b) || GPUArray_View(result, &out))
    return false;
  const GPUArrayUse uses[] = {{a, 0}, {b, 0}, {result, 1}};
  uintptr_t stream = 0;
  GPUArrayAccess* access = GPUArray_Open(uses, 3, nullptr, &stream);
  if (access == nullptr) return false;
  {
    const OnDevice scope(out.device.index);
    const int64_t blocks = std::min<int64_t>((out.size + 255) / 256, 65535);
    if (out.size > 0)
      add<<<static_cast<unsigned>(blocks), 256, 0, reinterpret_cast<cudaStream_t>(stream)>>>(
          static_cast<const float*>(in_a.data), static_cast<const float*>(in_b.data),
          static_cast<float*>(out.data), out.size);
  }
  GPUArray_Close(access);
  const cudaError_t status = cudaGetLastError();
  if (status == cudaSuccess) return true;
  PyErr_Format(PyExc_RuntimeError, "sum_cuda: %s", cudaGetErrorString(status));
  return false;
}

PyObject* sum_cuda(PyObject*, PyObject* args) {
  PyObject *a, *b;
  GPUArrayView in_a, in_b;
  if (!PyArg_ParseTuple(args, "OO:sum_cuda", &a, &b)) return nullptr;
  if (!view_operand(a, "a", &in_a) || !view_operand(b, "b", &in_b) || !same_shape(in_a, in_b))
    return nullptr;
  PyObject* result = GPUArray_New(in_a.ndim, in_a.shape, GPUARRAY_FLOAT32, in_a.device);
  if (result != nullptr && !launch(a, b, result)) Py_CLEAR(result);
  return result;
}

PyMethodDef functions[] = {
    {"sum_cuda", sum_cuda, METH_VARARGS,
     "sum_cuda(a, b)\n--\n\nThe sum of two float32 GPUArrays of one shape on a CUDA device."},
    {nullptr, nullptr, 0, nullptr}};

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "sum_cuda", nullptr, -1, functions, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit_sum_cuda() {
  return import_gpuarray() == 0 ? PyModule_Create(&definition) : nullptr;
}
