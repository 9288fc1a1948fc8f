# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""y = a * x + y by templates whose headers lie in two folders, for float and double.

    python examples/headers/saxpy.py

One folder is an argument, the other is in GPUARRAY_INCLUDE_PATH.
"""

import os
from pathlib import Path

import gpuarray

if len(gpuarray.devices()) == 1:
    print("saxpy.py needs a CUDA device, and there is none.")
    raise SystemExit
SOURCE = """
#include <axpy.cuh>
#include <for_each.cuh>
template <class T> __global__ void saxpy(T a, const T* x, T* y, int count) {
  for_each(count, [&](int i) { y[i] = axpy(a, x[i], y[i]); });
}
"""
here = Path(__file__).parent
os.environ["GPUARRAY_INCLUDE_PATH"] = str(here / "threads")
names = ["saxpy<float>", "saxpy<double>"]
module = gpuarray.Module(SOURCE, include_dirs=here / "axpy", name_expressions=names)
for name, dtype in zip(names, ["float32", "float64"], strict=True):
    x, y = gpuarray.arange(1000, dtype=dtype), gpuarray.ones(1000, dtype)
    module.get_function(name).for_size(x.size)(x.dtype.type(2), x, y, x.size)
    print(name, "is right" if bool((y == 2 * x + 1).all()) else "is WRONG")
