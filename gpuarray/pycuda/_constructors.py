# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""PyCUDA's class of arrays, and its ways to make them."""

from typing import Any

import numpy as np

import gpuarray
from gpuarray import _core
from gpuarray.pycuda._allocations import DeviceAllocation
from gpuarray.pycuda._streams import stream_of

__all__ = [
    "GPUArray",
    "arange",
    "empty",
    "empty_like",
    "ones",
    "ones_like",
    "to_gpu",
    "to_gpu_async",
    "zeros",
    "zeros_like",
]


def _array_class(body: type) -> Any:
    """Return a class derived from gpuarray.GPUArray with what stands in the body of this one."""
    of_body = ("__dict__", "__weakref__")
    own = {name: value for name, value in vars(body).items() if name not in of_body}
    own["__module__"] = "gpuarray.pycuda.gpuarray"
    return _core._make_class(f"{own['__module__']}.{body.__name__}", own)


@_array_class
class GPUArray:
    """PyCUDA's arrays: each is a gpuarray.GPUArray in which `a[i]` of one element is a view.

    The constructor does not set the elements. `allocator` is a function of a number of bytes, as
    mem_alloc or the `allocate` of a DeviceMemoryPool. `gpudata` is memory to use instead: a
    DeviceAllocation, or an address of a CUDA device's memory, for which `base` is kept. `strides`,
    in bytes, are those of a contiguous array with its axes in any order, else a ValueError.
    """

    _elements_are_views = True

    def __new__(  # type: ignore[misc]
        cls,
        shape: Any,
        dtype: Any,
        allocator: Any = None,
        base: Any = None,
        gpudata: Any = None,
        strides: Any = None,
        order: str = "C",
    ) -> gpuarray.GPUArray:
        shape = (int(shape),) if isinstance(shape, int | np.integer) else tuple(map(int, shape))
        axes = _axes(shape, strides, np.dtype(dtype).itemsize, order)
        packed = [shape[axis] for axis in axes]
        if gpudata is None and allocator is not None:
            nbytes = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
            gpudata = allocator(max(nbytes, 1))
        if gpudata is None:
            array = gpuarray.empty(packed, dtype)
        else:
            array = _on_memory(gpudata, base, packed, dtype)
        return as_class(array.transpose([axes.index(axis) for axis in range(len(shape))]))


def as_class(array: gpuarray.GPUArray) -> gpuarray.GPUArray:
    """Make an array that nobody else has one of PyCUDA's class, and return it."""
    return _core._as_class(array, GPUArray)  # type: ignore[arg-type]  # derived at run time


def _axes(shape: tuple[int, ...], strides: Any, itemsize: int, order: str) -> list[int]:
    """Return the axes, that of the largest stride first."""
    axes = list(range(len(shape)))
    if strides is None:
        if order not in ("C", "F"):
            raise ValueError(f"GPUArray: order must be 'C' or 'F', got {order!r}")
        return axes if order == "C" else axes[::-1]
    axes.sort(key=lambda axis: (-strides[axis], axis))
    step = itemsize
    for axis in reversed(axes):
        if shape[axis] > 1 and strides[axis] != step:
            raise ValueError(f"GPUArray: strides {tuple(strides)} of {shape} are not contiguous")
        step *= shape[axis]
    return axes


class _Memory:
    """Memory at an address, with the object that owns it."""

    def __init__(self, address: int, owner: Any, shape: list[int], dtype: Any) -> None:
        self.owner = owner
        self.__cuda_array_interface__ = {
            "version": 3,
            "shape": tuple(shape),
            "typestr": np.dtype(dtype).str,
            "data": (address, False),
            "strides": None,
            "stream": None,
        }


def _on_memory(gpudata: Any, base: Any, shape: list[int], dtype: Any) -> gpuarray.GPUArray:
    if not isinstance(gpudata, DeviceAllocation):
        owner = (gpudata, base)
        return gpuarray.from_cuda_array_interface(_Memory(int(gpudata), owner, shape, dtype))
    nbytes = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
    if nbytes > gpudata.nbytes:
        raise ValueError(f"GPUArray: {nbytes} bytes do not fit into {gpudata.nbytes}")
    return gpudata.array[:nbytes].view(dtype).reshape(shape)


def empty(
    shape: Any, dtype: Any = np.float64, allocator: Any = None, order: str = "C"
) -> gpuarray.GPUArray:
    """Return a new array; its elements are not set."""
    return GPUArray(shape, dtype, allocator, order=order)


def _filled(array: gpuarray.GPUArray, value: int) -> gpuarray.GPUArray:
    array.fill(value)
    return array


def zeros(
    shape: Any, dtype: Any = np.float64, allocator: Any = None, order: str = "C"
) -> gpuarray.GPUArray:
    """Return a new array of zeros."""
    return _filled(empty(shape, dtype, allocator, order), 0)


def ones(
    shape: Any, dtype: Any = np.float64, allocator: Any = None, order: str = "C"
) -> gpuarray.GPUArray:
    """Return a new array of ones."""
    return _filled(empty(shape, dtype, allocator, order), 1)


def empty_like(other_ary: Any, dtype: Any = None, order: Any = "K") -> gpuarray.GPUArray:
    """Return a new array of the shape, dtype and layout of an array, on the current device."""
    if isinstance(other_ary, gpuarray.GPUArray):
        return as_class(gpuarray.empty_like(other_ary, dtype, order))
    return as_class(gpuarray.to_device(np.empty_like(other_ary, dtype, order)))


def zeros_like(other_ary: Any, dtype: Any = None, order: str = "K") -> gpuarray.GPUArray:
    """Return an array of zeros, as empty_like."""
    return _filled(empty_like(other_ary, dtype, order), 0)


def ones_like(other_ary: Any, dtype: Any = None, order: str = "K") -> gpuarray.GPUArray:
    """Return an array of ones, as empty_like."""
    return _filled(empty_like(other_ary, dtype, order), 1)


def to_gpu(ary: Any, allocator: Any = None) -> gpuarray.GPUArray:
    """Return a copy of a host array on the current device."""
    if allocator is None:
        return as_class(gpuarray.to_device(np.asarray(ary)))
    return _sent(np.asarray(ary), allocator, None, True)


def to_gpu_async(ary: Any, allocator: Any = None, stream: Any = None) -> gpuarray.GPUArray:
    """Return a copy of a host array, made on a stream.

    A page-locked contiguous `ary` must not change before it is done.
    """
    return _sent(np.asarray(ary), allocator, stream_of(stream), False)


def _sent(ary: Any, allocator: Any, stream: Any, blocking: bool) -> gpuarray.GPUArray:
    order = "F" if ary.flags.f_contiguous and not ary.flags.c_contiguous else "C"
    made = empty(ary.shape, ary.dtype, allocator, order)
    made.set(ary, stream=stream, blocking=blocking)
    return made


def arange(
    *args: Any, dtype: Any = None, allocator: Any = None, stream: Any = None
) -> gpuarray.GPUArray:
    """Return the numbers of [start, stop) by steps; `allocator` has no effect."""
    return as_class(gpuarray.arange(*args, dtype=dtype, stream=stream_of(stream)))
