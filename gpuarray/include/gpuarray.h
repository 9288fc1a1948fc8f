/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The gpuarray developers
 *
 * GPUArrays in extensions of Python written in C and C++. `import_gpuarray()` once, when the module
 * is initialised; then any of the functions below, with the GIL. It is for each source file to
 * import that uses them. The folder of this header is `gpuarray.get_include()`.
 */
#ifndef GPUARRAY_H
#define GPUARRAY_H

#include <Python.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A larger major version is another interface; a larger minor version has more functions. */
#define GPUARRAY_API_MAJOR 2
#define GPUARRAY_API_MINOR 0
#define GPUARRAY_API_NAME "gpuarray._core.__c_api__"
#define GPUARRAY_MAX_DIMS 64

typedef enum {
  GPUARRAY_BOOL,
  GPUARRAY_INT8,
  GPUARRAY_INT16,
  GPUARRAY_INT32,
  GPUARRAY_INT64,
  GPUARRAY_UINT8,
  GPUARRAY_UINT16,
  GPUARRAY_UINT32,
  GPUARRAY_UINT64,
  GPUARRAY_FLOAT16,
  GPUARRAY_BFLOAT16,
  GPUARRAY_FLOAT32,
  GPUARRAY_FLOAT64,
  GPUARRAY_COMPLEX64,
  GPUARRAY_COMPLEX128
} GPUArrayDType;

typedef enum { GPUARRAY_CPU, GPUARRAY_CUDA } GPUArrayDeviceKind;

typedef struct {
  int kind;  /* a GPUArrayDeviceKind */
  int index; /* of CUDA's devices; 0 for the cpu */
} GPUArrayDevice;

enum { GPUARRAY_WRITABLE = 1, GPUARRAY_C_CONTIGUOUS = 2, GPUARRAY_F_CONTIGUOUS = 4 };

/* An array as it lies in memory, for as long as the array lives. */
typedef struct {
  void* data; /* the first element, an address of the device */
  GPUArrayDevice device;
  int dtype; /* a GPUArrayDType */
  int itemsize;
  int flags;
  int ndim;
  int64_t size; /* elements */
  int64_t shape[GPUARRAY_MAX_DIMS];
  int64_t strides[GPUARRAY_MAX_DIMS]; /* bytes */
} GPUArrayView;

typedef struct {
  PyObject* array; /* a GPUArray */
  int writes;      /* 0: is only read */
} GPUArrayUse;

typedef struct GPUArrayAccess GPUArrayAccess;

typedef struct {
  int major, minor;
  PyTypeObject* type;
  const char* (*dtype_name)(int dtype);
  int (*view)(PyObject* array, GPUArrayView* result);
  PyObject* (*new_array)(int ndim, const int64_t* shape, int dtype, GPUArrayDevice device);
  PyObject* (*wrap)(const GPUArrayView* memory, PyObject* owner);
  GPUArrayDevice (*default_device)(void);
  PyObject* (*stream)(GPUArrayDevice device, uintptr_t handle);
  GPUArrayAccess* (*open)(const GPUArrayUse* uses, int count, PyObject* stream, uintptr_t* handle);
  void (*close)(GPUArrayAccess* access);
} GPUArrayAPI;

#ifndef GPUARRAY_NO_IMPORT

static const GPUArrayAPI* gpuarray_api = NULL;

/* 0, or -1 with an exception set: gpuarray is absent or too old. */
static inline int import_gpuarray(void) {
  const GPUArrayAPI* api = (const GPUArrayAPI*)PyCapsule_Import(GPUARRAY_API_NAME, 0);
  if (api == NULL) return -1;
  if (api->major != GPUARRAY_API_MAJOR || api->minor < GPUARRAY_API_MINOR) {
    PyErr_Format(PyExc_ImportError,
                 "this module was built for version %d.%d of gpuarray's C interface, and the one "
                 "installed is %d.%d",
                 GPUARRAY_API_MAJOR, GPUARRAY_API_MINOR, api->major, api->minor);
    return -1;
  }
  gpuarray_api = api;
  return 0;
}

static inline int GPUArray_Check(PyObject* object) {
  return PyObject_TypeCheck(object, gpuarray_api->type);
}

/* "float32"; NULL for a number that is none, without an exception. */
static inline const char* GPUArray_DTypeName(int dtype) { return gpuarray_api->dtype_name(dtype); }

/* Fills `result`. 0, or -1 with a TypeError for what is not a GPUArray. */
static inline int GPUArray_View(PyObject* array, GPUArrayView* result) {
  return gpuarray_api->view(array, result);
}

/* A new C-contiguous array, not initialised, ready for work on the device's current stream. */
static inline PyObject* GPUArray_New(int ndim, const int64_t* shape, int dtype,
                                     GPUArrayDevice device) {
  return gpuarray_api->new_array(ndim, shape, dtype, device);
}

/* An array over memory of others that `owner` keeps alive, a capsule with a destructor perhaps: it
 * is released with the last view, which may be before queued work is done, as with any array. Reads
 * data, device, dtype, ndim, shape, strides and GPUARRAY_WRITABLE of `memory`. The memory must be
 * ready for work on the current stream. */
static inline PyObject* GPUArray_Wrap(const GPUArrayView* memory, PyObject* owner) {
  return gpuarray_api->wrap(memory, owner);
}

/* Where arrays are made that name no device. */
static inline GPUArrayDevice GPUArray_DefaultDevice(void) { return gpuarray_api->default_device(); }

/* A gpuarray.Stream of a CUstream or cudaStream_t, which must outlive it; 1 is the legacy default
 * stream, 2 the per-thread one. */
static inline PyObject* GPUArray_Stream(GPUArrayDevice device, uintptr_t handle) {
  return gpuarray_api->stream(device, handle);
}

/* Opens arrays of one device for work on `stream`: a gpuarray.Stream, another library's, or NULL
 * for the current one. Work queued there from then on runs after pending writes of what it reads,
 * and after all pending uses of what it writes, on any stream of any library that gpuarray knows
 * of. Queue the work on *handle (a cudaStream_t; 0 on the cpu, where it is done at once), without
 * waiting for anything, then GPUArray_Close on the same thread: others wait for their turn
 * meanwhile. NULL with an exception set: a ValueError for a read-only array that is written, a
 * DeviceError for arrays of several devices. */
static inline GPUArrayAccess* GPUArray_Open(const GPUArrayUse* uses, int count, PyObject* stream,
                                            uintptr_t* handle) {
  return gpuarray_api->open(uses, count, stream, handle);
}

static inline void GPUArray_Close(GPUArrayAccess* access) { gpuarray_api->close(access); }

#endif /* GPUARRAY_NO_IMPORT */

#ifdef __cplusplus
}
#endif

#endif /* GPUARRAY_H */
