# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The exceptions of gpuarray, beyond those that Python and NumPy have."""

from collections.abc import Iterable
from typing import Any, NamedTuple

__all__ = [
    "CaptureError",
    "CompileError",
    "CompileWarning",
    "CudaError",
    "DeviceError",
    "FusionError",
    "Launch",
    "LinkError",
    "OutOfMemoryError",
]


class DeviceError(RuntimeError):
    """A device that does not exist or cannot be used, or operands on different devices."""


class OutOfMemoryError(MemoryError):
    """The device does not have the memory asked for.

    In bytes, or None where it is not known: `asked`; `used` by arrays; `cached`, kept for reuse;
    `free`, what arrays could have; `limit`, None for none; `largest_free_block`, of what is cached.
    """

    def __init__(
        self,
        message: str = "",
        asked: int | None = None,
        used: int | None = None,
        cached: int | None = None,
        free: int | None = None,
        limit: int | None = None,
        largest_free_block: int | None = None,
    ) -> None:
        super().__init__(message)
        self.asked = asked
        self.used = used
        self.cached = cached
        self.free = free
        self.limit = limit
        self.largest_free_block = largest_free_block

    def __reduce__(self) -> tuple[type, tuple[str | int | None, ...]]:
        numbers = (self.asked, self.used, self.cached, self.free, self.limit)
        return type(self), (str(self), *numbers, self.largest_free_block)


class CaptureError(RuntimeError):
    """What cannot be captured in a graph: above all, waiting for the device."""


class CompileError(RuntimeError):
    """A kernel that the run-time compiler refuses; holds the compiler's log and the source."""


class LinkError(CompileError):
    """Compiled parts that do not make one module; holds the linker's log and what was linked."""


class CompileWarning(UserWarning):
    """What the run-time compiler or the linker warns of; holds its log."""


class FusionError(TypeError):
    """A function that fuse() or vectorize() cannot make a kernel of; says where and why."""


class Launch(NamedTuple):
    """A kernel that was queued, as far as it is remembered.

    `shape` and `dtype` are those of the result, of the source for a reduction; a shape of more than
    four dimensions ends with `...`. Of a Kernel `shape` is the grid, `block` the block, and there
    is no dtype. `stream` is the CUstream as an int. `place` is the Python line, "file:line", or
    None unless set_launch_lines or set_launch_blocking is on.
    """

    operation: str
    shape: tuple[Any, ...]
    dtype: str | None
    device: str
    stream: int
    place: str | None
    block: tuple[int, int, int] | None = None


class CudaError(RuntimeError):
    """A call of the CUDA driver that failed.

    `status` is the driver's error code and `name` its name. `launches` are the launches that may
    have caused a failure after which the CUDA context is lost, newest first; else it is empty.
    """

    def __init__(
        self,
        message: str = "",
        status: int = 0,
        name: str = "",
        launches: Iterable[tuple[Any, ...]] = (),
    ) -> None:
        super().__init__(message)
        self.status = status
        self.name = name
        self.launches = [Launch(*launch) for launch in launches]

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        return type(self), (str(self), self.status, self.name, self.launches)


for _error in (
    *(DeviceError, OutOfMemoryError, CaptureError, CudaError, Launch),
    *(CompileError, CompileWarning, LinkError),
):
    _error.__module__ = "gpuarray"
del _error  # pyright: ignore[reportPossiblyUnboundVariable]
