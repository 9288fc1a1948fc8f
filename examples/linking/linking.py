# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Device functions of functions.cu in a kernel, linked from every kind of file that nvcc makes.

    python examples/linking/linking.py

Each row of the matrix is summed by `sum_reduce` and scaled by `mul_f32_f32`; with LTO-IR and with
CUDA C++ the functions are inlined. Without a CUDA device the kernels are compiled and linked only.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import gpuarray

FUNCTIONS = Path(__file__).with_name("functions.cu")
COMMANDS = {
    "ptx": ["-ptx", "-rdc=true"],
    "cubin": ["-cubin", "-rdc=true"],
    "fatbin": ["-fatbin", "-rdc=true"],
    "o": ["-dc"],
    "ltoir": ["-ltoir", "-dlto", "-rdc=true"],
}
KERNEL = """
extern "C" __global__ void scaled_sums(const float* rows, float* sums, float factor, int columns) {
  int row = threadIdx.x;
  sums[row] = mul_f32_f32(sum_reduce(rows + row * columns, columns), factor);
}
"""


def nvcc() -> str | None:
    installed = Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin", "nvcc")
    return str(installed) if installed.exists() else shutil.which("nvcc")


def linkable_items(folder: Path, arch: str) -> dict[str, Path]:
    """One file of each kind; without nvcc the source alone."""
    items = {"cu": FUNCTIONS}
    compiler = nvcc()
    if compiler is None:
        return items
    for kind, options in COMMANDS.items():
        items[kind] = folder / f"functions.{kind}"
        command = [compiler, *options, f"-arch={arch}", FUNCTIONS, "-o", items[kind]]
        subprocess.run(command, check=True)
    items["a"] = folder / "functions.a"
    subprocess.run(["ar", "rc", items["a"], items["o"]], check=True)
    return items


def module(item: Path, arch: str) -> gpuarray.Module:
    functions = [
        gpuarray.declare_device("mul_f32_f32", "float32(float32, float32)", link=item),
        gpuarray.declare_device("sum_reduce", "float32(const float32*, int64)", link=item),
    ]
    return gpuarray.Module(KERNEL, link=functions, arch=arch)


def run(kernels: gpuarray.Module) -> bool:
    """Whether the device computes what NumPy does."""
    matrix = np.arange(12, dtype="float32").reshape(4, 3)
    sums = gpuarray.zeros(4, "float32", device=kernels.device)
    x = gpuarray.to_device(matrix, device=kernels.device)
    kernels.get_function("scaled_sums")[1, 4](x, sums, np.float32(10), np.int32(3))
    return np.array_equal(sums.get(), matrix.sum(axis=1) * 10)


def main() -> int:
    capability = gpuarray.default_device().compute_capability
    arch = "sm_{}{}".format(*(capability or (9, 0)))
    with tempfile.TemporaryDirectory() as folder:
        for kind, item in linkable_items(Path(folder), arch).items():
            kernels = module(item, arch)
            if capability is None:
                print(f".{kind:6} {len(kernels.image)} bytes for {arch}, not run without a device")
            elif run(kernels):
                print(f".{kind:6} {len(kernels.image)} bytes for {arch}, right on {kernels.device}")
            else:
                print(f".{kind}: the sums are wrong", file=sys.stderr)
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
