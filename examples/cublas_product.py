# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""A function of cuBLAS, called by ctypes with GPUArrays and on gpuarray's stream.

    python examples/cublas_product.py

`a @ b` calls cuBLAS too. Its matrices are columns first: c.T = b.T @ a.T is c = a @ b in rows.
"""

import ctypes

import gpuarray

if len(gpuarray.devices()) == 1:
    print("cublas_product.py needs a CUDA device, and there is none.")
    raise SystemExit
path = (gpuarray.show_config("dicts") or {})["libraries"]["cuBLAS"]["path"]
cublas, handle = ctypes.CDLL(path), ctypes.c_void_p()
assert cublas.cublasCreate_v2(ctypes.byref(handle)) == 0
m, n, k = 300, 200, 100
rng = gpuarray.random.default_rng(1)
a, b = rng.random((m, k), dtype="float32"), rng.random((k, n), dtype="float32")
c = gpuarray.empty((m, n), "float32")
one, zero = ctypes.byref(ctypes.c_float(1)), ctypes.byref(ctypes.c_float(0))
with gpuarray.access(reads=[a, b], writes=[c]) as stream:
    cublas.cublasSetStream_v2(handle, ctypes.c_void_p(stream.ptr))
    at = [ctypes.c_void_p(array.ptr) for array in (b, a, c)]
    status = cublas.cublasSgemm_v2(handle, 0, 0, n, m, k, one, at[0], n, at[1], k, zero, at[2], n)
right = status == 0 and bool(gpuarray.allclose(c, a @ b, rtol=1e-4))
print("cuBLAS:", "equal" if right else f"WRONG, status {status}")
