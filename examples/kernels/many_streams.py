# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The driver loads a cubin, and its handle is a kernel that runs on many streams at a time.

    python examples/kernels/many_streams.py

cuda-python's handles are taken in the same way.
"""

import ctypes
import os

import gpuarray

if len(gpuarray.devices()) == 1:
    print("many_streams.py needs a CUDA device, and there is none.")
    raise SystemExit
SOURCE = 'extern "C" __global__ void count(int* x, int n) { for (int i = 0; i < n; ++i) ++*x; }'
image = gpuarray.Module(SOURCE).image
cuda = ctypes.CDLL(os.environ.get("GPUARRAY_LIBCUDA", "libcuda.so.1"))
library, handle = ctypes.c_void_p(), ctypes.c_void_p()
assert cuda.cuLibraryLoadData(ctypes.byref(library), image, None, None, 0, None, None, 0) == 0
assert cuda.cuLibraryGetKernel(ctypes.byref(handle), library, b"count") == 0
count = gpuarray.driver.Kernel.from_handle(handle.value or 0, "cuda:0", "int* x, int n")
streams = [gpuarray.Stream() for _ in range(16)]
counters = [gpuarray.zeros(1, "int32") for _ in streams]
for number, (stream, counter) in enumerate(zip(streams, counters, strict=True)):
    count[1, 1, stream](counter, 100 * number)
found = [counter.item() for counter in counters]  # waits for the stream of each
print("16 streams:", "right" if found == list(range(0, 1600, 100)) else "WRONG")
