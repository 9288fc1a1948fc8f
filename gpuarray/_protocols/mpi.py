# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Arrays as the buffers of MPI, which reads and writes memory without regard to streams."""

from typing import Any

from gpuarray._core import GPUArray

__all__ = ["mpi_buffer"]


class MpiBuffer:
    """The memory of an array as DLPack and, of a CUDA device, the CUDA array interface.

    It has no buffer protocol, which mpi4py would take first, and which gives a copy of a device's
    memory. Each time that it is asked for the memory it waits for the work pending on it.
    """

    def __init__(self, array: GPUArray) -> None:
        self._array = array

    def __repr__(self) -> str:
        a = self._array
        return f"<mpi_buffer of shape {a.shape}, dtype {a._dtype_name}, on {a.device}>"

    def __dlpack__(self, **arguments: Any) -> Any:
        return self._array.synchronize().__dlpack__(**arguments)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._array.__dlpack_device__()

    @property
    def __cuda_array_interface__(self) -> Any:
        return self._array.synchronize().__cuda_array_interface__


def mpi_buffer(a: GPUArray) -> MpiBuffer:
    """Return what mpi4py sends from, or receives into, the memory of `a` itself: no copy.

    For device memory MPI must be CUDA-aware; memory of the host and pinned arrays go through any.
    Blocks until all work pending on the array, on any stream, is done, and again whenever MPI is
    given the object. What is queued while MPI uses the memory is not ordered with it: finish
    requests (``Isend``, ``Irecv``) first. MPI takes bfloat16 as bytes, and refuses to write to a
    read-only array with BufferError.

    TypeError for what is no GPUArray, ValueError unless it is contiguous, in C or Fortran order.
    CudaError for pending work that failed.
    """
    if not isinstance(a, GPUArray):
        raise TypeError(f"mpi_buffer: expected a GPUArray, got {type(a).__name__}")
    if not (a.flags.c_contiguous or a.flags.f_contiguous):
        raise ValueError(
            f"mpi_buffer: expected a contiguous array, got shape {a.shape} with strides"
            f" {a.strides}; gpuarray.ascontiguousarray(x) copies it"
        )
    return MpiBuffer(a.synchronize())
