# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Device functions of functions.cu in a kernel of Numba, which links them.

    python examples/linking/numba_kernel.py

Needs numba-cuda and cffi. Each row of a matrix is summed and scaled.
"""

import sys
from pathlib import Path

import gpuarray

if len(gpuarray.devices()) == 1:
    print("numba_kernel.py needs a CUDA device, and there is none.")
    raise SystemExit
try:
    import cffi
    from numba import cuda
except ImportError as error:
    sys.exit(f"numba_kernel.py: {error}")
link = Path(__file__).with_name("functions.cu")
sum_reduce = gpuarray.declare_device("sum_reduce", "float32(const float32*, int64)", link=link)
multiply = gpuarray.declare_device("mul_f32_f32", "float32(float32, float32)", link=link)
ffi, total, scale = cffi.FFI(), sum_reduce.numba(), multiply.numba()


@cuda.jit
def scaled_sums(rows, sums, factor):  # type: ignore[no-untyped-def]
    row = cuda.threadIdx.x
    sums[row] = scale(total(ffi.from_buffer(rows[row]), rows.shape[1]), factor)


rows, sums = gpuarray.arange(12, dtype="float32").reshape(4, 3), gpuarray.zeros(4, "float32")
scaled_sums[1, 4](rows, sums, 10)  # pyright: ignore[reportIndexIssue]
cuda.synchronize()  # Numba's stream is another
print("Numba:", "right" if bool((sums == rows.sum(axis=1) * 10).all()) else "WRONG")
