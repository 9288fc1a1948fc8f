# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The exceptions of gpuarray that Python and NumPy do not already have."""

__all__ = ["CompileError", "CudaError", "DeviceError", "OutOfMemoryError"]


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


class CompileError(RuntimeError):
    """A kernel that the run-time compiler refuses; holds the compiler's log and the source."""


class CudaError(RuntimeError):
    """A call of the CUDA driver that failed; `status` is the driver's error code."""

    def __init__(self, message: str = "", status: int = 0) -> None:
        super().__init__(message)
        self.status = status

    def __reduce__(self) -> tuple[type, tuple[str, int]]:
        return type(self), (str(self), self.status)


for _error in (DeviceError, OutOfMemoryError, CompileError, CudaError):
    _error.__module__ = "gpuarray"
del _error
