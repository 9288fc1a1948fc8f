# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""One block of device memory seen by every array library that is installed.

    python examples/zero_copy.py

Each library gets a GPUArray, adds 1 in place (JAX, whose arrays never change, only looks), and
gives an array back. Prints the addresses, which are all the same.
"""

import importlib.util
import sys
from collections.abc import Callable
from typing import Any

import gpuarray


def with_cupy(a: gpuarray.GPUArray) -> tuple[int, Any]:
    import cupy

    with cupy.cuda.Device(a.device.index):
        theirs = cupy.from_dlpack(a)
        theirs += 1
    return theirs.data.ptr, theirs


def with_torch(a: gpuarray.GPUArray) -> tuple[int, Any]:
    import torch

    theirs = torch.from_dlpack(a)
    theirs += 1
    weights = theirs.requires_grad_()  # a leaf of autograd in our memory
    (weights * 2).sum().backward()
    assert bool((weights.grad == 2).all())
    return theirs.data_ptr(), theirs.detach()


def with_numba(a: gpuarray.GPUArray) -> tuple[int, Any]:
    from numba import cuda

    @cuda.jit("void(float32[::1])")
    def increment(x):  # type: ignore[no-untyped-def]
        i = cuda.grid(1)
        if i < x.size:
            x[i] += 1

    theirs = cuda.as_cuda_array(a)
    increment[-(-a.size // 256), 256](theirs)  # pyright: ignore[reportIndexIssue]
    return theirs.device_ctypes_pointer.value, theirs


def with_jax(a: gpuarray.GPUArray) -> tuple[int, Any]:
    import jax

    theirs = jax.dlpack.from_dlpack(a)
    return theirs.unsafe_buffer_pointer(), theirs


LIBRARIES: dict[str, Callable[[gpuarray.GPUArray], tuple[int, Any]]] = {
    "cupy": with_cupy,
    "torch": with_torch,
    "numba": with_numba,
    "jax": with_jax,
}


def main(names: list[str]) -> int:
    a = gpuarray.zeros(1000, "float32", device="cuda:0")
    rows = [("gpuarray", a.ptr, a.ptr)]
    for name in names:
        address, theirs = LIBRARIES[name](a)
        back = gpuarray.asarray(theirs)
        rows.append((name, address, back.ptr))
    added = sum(name != "jax" for name in names)
    print(f"{'library':<10}{'their address':>16}{'back with us':>16}")
    for name, there, here in rows:
        print(f"{name:<10}{there:>#16x}{here:>#16x}")
    same = all(address == a.ptr for row in rows for address in row[1:])
    summed = a.get().tolist() == [added] * 1000
    print("nothing was copied" if same and summed else "WRONG")
    return 0 if same and summed else 1


if __name__ == "__main__":
    installed = [name for name in LIBRARIES if importlib.util.find_spec(name)]
    if unknown := set(sys.argv[1:]) - set(LIBRARIES):
        sys.exit(f"zero_copy.py: expected some of {', '.join(LIBRARIES)}, got {', '.join(unknown)}")
    if len(gpuarray.devices()) == 1:
        print("zero_copy.py needs a CUDA device, and there is none.")
        sys.exit()
    try:
        sys.exit(main(sys.argv[1:] or installed))
    except (ImportError, gpuarray.DeviceError) as error:
        sys.exit(f"zero_copy.py: {error}")
