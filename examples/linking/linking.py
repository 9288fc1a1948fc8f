# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Device functions of functions.cu in kernels, linked from every kind of file that nvcc makes.

    python examples/linking/linking.py

Each row of the matrix is summed by `sum_reduce` and scaled by `mul_f32_f32`, in a kernel of C++, in
an element-wise kernel and, with numba-cuda and cffi, in one of Numba. With LTO-IR and with CUDA C++
the functions are inlined. Without a CUDA device the first is compiled and linked only.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
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
Scale = Callable[[gpuarray.GPUArray, gpuarray.GPUArray, float], object]
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


def declared(item: Path) -> list[gpuarray.DeviceFunction]:
    return [
        gpuarray.declare_device("mul_f32_f32", "float32(float32, float32)", link=item),
        gpuarray.declare_device("sum_reduce", "float32(const float32*, int64)", link=item),
    ]


def in_a_module(kernels: gpuarray.Module) -> Scale:
    return lambda rows, sums, factor: kernels.get_function("scaled_sums")[1, len(sums)](
        rows, sums, np.float32(factor), np.int32(rows.shape[1])
    )


def in_an_elementwise_kernel(functions: list[gpuarray.DeviceFunction]) -> Scale:
    kernel = gpuarray.ElementwiseKernel(
        "float32 *sums, const float32 *rows, float32 factor, int64 columns",
        "sums[i] = mul_f32_f32(sum_reduce(rows + i * columns, columns), factor)",
        "scaled_sums",
        functions=functions,
    )
    return lambda rows, sums, factor: kernel(sums, rows, factor, rows.shape[1])


def in_a_numba_kernel(functions: list[gpuarray.DeviceFunction]) -> Scale:
    import cffi
    from numba import cuda

    mul_f32_f32, sum_reduce = (function.numba() for function in functions)
    ffi = cffi.FFI()

    @cuda.jit
    def scaled_sums(rows, sums, factor):
        row = cuda.threadIdx.x
        pointer = ffi.from_buffer(rows[row])
        sums[row] = mul_f32_f32(sum_reduce(pointer, rows.shape[1]), factor)

    def run(rows: gpuarray.GPUArray, sums: gpuarray.GPUArray, factor: float) -> None:
        scaled_sums[1, len(sums)](rows, sums, np.float32(factor))  # pyright: ignore[reportIndexIssue]
        cuda.synchronize()  # Numba's stream is another

    return run


def why_no_numba() -> str:
    try:
        import cffi  # noqa: F401
        import numba.cuda  # noqa: F401
    except Exception as error:  # also where Numba does not fit this NumPy
        return f"{type(error).__name__}: {error}"
    return ""


def is_right(scale: Scale, device: gpuarray.Device) -> bool:
    """Whether the device computes what NumPy does."""
    matrix = np.arange(12, dtype="float32").reshape(4, 3)
    rows = gpuarray.to_device(matrix, device=device)
    sums = gpuarray.zeros(4, "float32", device=device)
    scale(rows, sums, 10)
    return np.array_equal(sums.get(), matrix.sum(axis=1) * 10)


def main() -> int:
    device = gpuarray.default_device()
    arch = "sm_{}{}".format(*(device.compute_capability or (9, 0)))
    reason = why_no_numba()
    with tempfile.TemporaryDirectory() as folder:
        for kind, item in linkable_items(Path(folder), arch).items():
            functions = declared(item)
            kernels = gpuarray.Module(KERNEL, link=functions, arch=arch)
            text = f".{kind:6} {len(kernels.image)} bytes for {arch}"
            if kernels.device is None:
                print(f"{text}, not run without a device")
                continue
            callers = {
                "Module": in_a_module(kernels),
                "ElementwiseKernel": in_an_elementwise_kernel(functions),
            }
            if not reason:
                callers["Numba"] = in_a_numba_kernel(functions)
            wrong = [name for name, scale in callers.items() if not is_right(scale, device)]
            if wrong:
                print(f".{kind}: the sums of {', '.join(wrong)} are wrong", file=sys.stderr)
                return 1
            print(f"{text}, right on {device}: {', '.join(callers)}")
    if reason:
        print(f"without Numba: {reason.splitlines()[0]}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, subprocess.CalledProcessError, gpuarray.DeviceError) as error:
        sys.exit(f"linking.py: {error}")
