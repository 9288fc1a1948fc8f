# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Calls a CUDA library through ctypes, on GPUArrays and on host arrays.

    python examples/ctypes_add/add.py

Compiles add.cu with nvcc, which must be on the path or named by CUDACXX.
"""

import ctypes
import os
import shutil
import subprocess
import tempfile

import numpy as np

import gpuarray

nvcc = shutil.which(os.environ.get("CUDACXX", "nvcc"))
if nvcc is None or len(gpuarray.devices()) == 1:
    print("add.py needs a CUDA device and nvcc, which are not both here.")
    raise SystemExit
source = os.path.join(os.path.dirname(__file__), "add.cu")
with tempfile.NamedTemporaryFile(suffix=".so") as file:
    subprocess.check_call([nvcc, "-shared", "-Xcompiler", "-fPIC", source, "-o", file.name])
    library = ctypes.CDLL(file.name)
addresses = [ctypes.c_void_p] * 3
library.add_on_device.argtypes = [*addresses, ctypes.c_size_t, ctypes.c_void_p]
library.add_on_host.argtypes = [*addresses, ctypes.c_size_t]
x, y, z = np.random.default_rng(1).random((3, 1000, 1000), dtype=np.float32)
failed = library.add_on_host(x.ctypes.data, y.ctypes.data, z.ctypes.data, z.size)
a, b, c = (gpuarray.to_device(array) for array in (x, y, -z))
with gpuarray.access(reads=[a, b], writes=[c]) as stream:
    failed |= library.add_on_device(a.ptr, b.ptr, c.ptr, c.size, stream.ptr)
right = not failed and np.array_equal(z, x + y) and np.array_equal(c.get(), z)
print(f"{z.size} sums from the host and on the device: {'equal' if right else 'WRONG'}")
