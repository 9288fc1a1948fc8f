# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Calls a CUDA library through ctypes, on GPUArrays and on host arrays.

    python examples/ctypes_add/add.py

Compiles add.cu with nvcc, which must be on the path or named by CUDACXX.
"""

import ctypes
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import gpuarray

SOURCE = Path(__file__).with_name("add.cu")


def build(folder: str) -> Path:
    library = Path(folder) / "libadd.so"
    nvcc = os.environ.get("CUDACXX", "nvcc")
    command = [nvcc, "-O2", "-shared", "-Xcompiler", "-fPIC", SOURCE, "-o", library]
    subprocess.run(command, check=True)
    return library


class Add:
    def __init__(self, library: Path) -> None:
        self._library = ctypes.CDLL(str(library))
        pointers = [ctypes.c_void_p] * 3
        self._library.add_on_device.argtypes = [*pointers, ctypes.c_size_t, ctypes.c_void_p]
        self._library.add_on_host.argtypes = [*pointers, ctypes.c_size_t]
        self._library.error_text.restype = ctypes.c_char_p

    def _check(self, status: int) -> None:
        if status:
            raise RuntimeError(f"add: {self._library.error_text(status).decode()}")

    def on_device(self, a: gpuarray.GPUArray, b: gpuarray.GPUArray) -> gpuarray.GPUArray:
        for operand in (a, b):
            if operand.dtype != np.float32 or not operand.flags.c_contiguous:
                raise TypeError(f"expected contiguous float32, got {operand.dtype}")
            if operand.device.kind != "cuda":
                raise ValueError(f"expected an array on a CUDA device, got {operand.device}")
        if a.shape != b.shape:
            raise ValueError(f"expected one shape, got {a.shape} and {b.shape}")
        result = gpuarray.empty_like(a)
        with gpuarray.access(reads=[a, b], writes=[result]) as stream:
            self._check(self._library.add_on_device(a.ptr, b.ptr, result.ptr, a.size, stream.ptr))
        return result

    def on_host(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        a, b = np.ascontiguousarray(a, np.float32), np.ascontiguousarray(b, np.float32)
        if a.shape != b.shape:
            raise ValueError(f"expected one shape, got {a.shape} and {b.shape}")
        result = np.empty_like(a)
        self._check(
            self._library.add_on_host(a.ctypes.data, b.ctypes.data, result.ctypes.data, a.size)
        )
        return result


def main() -> int:
    rng = np.random.default_rng(1)
    x, y = rng.random((2, 1000, 1000), dtype=np.float32)
    with tempfile.TemporaryDirectory() as folder:
        add = Add(build(folder))
        on_host = add.on_host(x, y)
        on_device = add.on_device(gpuarray.to_device(x), gpuarray.to_device(y)).get()
    same = np.array_equal(on_host, x + y) and np.array_equal(on_device, x + y)
    print(f"{x.size} sums from the host and on the device: {'equal' if same else 'WRONG'}")
    return 0 if same else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, subprocess.CalledProcessError, RuntimeError) as error:
        sys.exit(f"add.py: {error}")
