# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""PyCUDA's Function and Module over Kernel and Module."""

import atexit
import contextlib
import os
from collections.abc import Callable, Iterator
from enum import IntEnum
from typing import Any

import numpy as np

import gpuarray
from gpuarray.pycuda._allocations import DeviceAllocation, mem_alloc, memcpy_dtoh, queued, to_device
from gpuarray.pycuda._host_memory import owner_of
from gpuarray.pycuda._streams import Event, stream_of

__all__ = ["Function", "Module", "func_cache", "module_from_buffer", "module_from_file"]

In, Out, InOut = gpuarray.driver.In, gpuarray.driver.Out, gpuarray.driver.InOut


class func_cache(IntEnum):  # noqa: N801
    """A hint of Function.set_cache_config."""

    PREFER_NONE = 0
    PREFER_SHARED = 1
    PREFER_L1 = 2
    PREFER_EQUAL = 3


class _Arguments:
    """The arguments of a launch as Kernel takes them, and the memory that it has to open."""

    def __init__(self, args: tuple[Any, ...], are_copied: bool = False) -> None:
        self.opened: list[gpuarray.GPUArray] = []
        self._copies: list[tuple[Any, DeviceAllocation]] = []
        self.tracked = not any(isinstance(arg, int) and type(arg) is not bool for arg in args)
        by_bytes = are_copied or any(_needs_bytes(arg) for arg in args)
        self.values = [self._value(arg, by_bytes) for arg in args]

    def _value(self, arg: Any, by_bytes: bool) -> Any:
        if by_bytes and isinstance(arg, In | Out | InOut):
            # Kernel waits for such an argument, which it must not do while memory is open.
            copy = mem_alloc(arg.array.nbytes) if isinstance(arg, Out) else to_device(arg.array)
            if not isinstance(arg, In):
                self._copies.append((arg.array, copy))
            arg = copy
        if isinstance(arg, DeviceAllocation):
            self._open(arg.array)
            return arg.ptr
        owner = owner_of(arg) if isinstance(arg, np.ndarray) else None
        if owner is None:
            return arg
        self._open(owner)
        return arg.ctypes.data

    def _open(self, array: gpuarray.GPUArray) -> None:
        if all(array is not other for other in self.opened):
            self.opened.append(array)

    @contextlib.contextmanager
    def on_stream(self, stream: Any) -> Iterator[Any]:
        """Give the stream to launch on, and copy results back afterwards."""
        with queued(self.tracked, stream):
            if not self.opened:
                yield stream
                return
            with gpuarray.access(writes=self.opened, stream=stream) as opened:
                yield opened
        for target, copy in self._copies:
            memcpy_dtoh(target, copy)


def _needs_bytes(arg: Any) -> bool:
    """Return whether host arrays beside this argument are copied here instead of by Kernel."""
    if isinstance(arg, In | Out | InOut):
        return arg.array.dtype.names is not None
    return isinstance(arg, DeviceAllocation | np.ndarray)


def _of_kernel(name: str, doc: str) -> Any:
    return property(lambda self: getattr(self.kernel, name), doc=doc)


class Function:
    """A kernel with PyCUDA's ways to launch it; `kernel` is the Kernel.

    Arguments are those of a Kernel, and DeviceAllocation objects, NumPy arrays in managed or
    page-locked memory, and addresses as ints. Arrays may have any strides: the kernel gets the
    address. Work on arrays and allocations is ordered on all streams; on addresses, with the
    current stream.
    """

    def __init__(self, kernel: gpuarray.Kernel) -> None:
        self.kernel = kernel
        self._prepared = kernel

    def __call__(
        self,
        *args: Any,
        block: Any,
        grid: Any = (1, 1),
        stream: Any = None,
        shared: int = 0,
        texrefs: Any = (),
        time_kernel: bool = False,
    ) -> float | None:
        """Launch on `stream`, by default the current one; with In, Out and InOut, wait for it.

        With `time_kernel` wait for the kernel, and return the seconds that it took. Raises as a
        Kernel; ValueError for texture references.
        """
        if texrefs:
            raise ValueError("texture references are not supported")
        if not time_kernel:
            _launch(self.kernel, grid, block, args, shared, stream)
            return None
        return self._timed(self.kernel, grid, block, args, shared, stream)()

    def prepare(self, arg_types: Any, texrefs: Any = ()) -> "Function":
        """Note the types of prepared calls' arguments: "PPi", or dtypes and "P"; returns self."""
        if texrefs:
            raise ValueError("texture references are not supported")
        types = list(arg_types)
        for k, parameter in enumerate(self.kernel.parameters[: len(types)]):
            # PyCUDA's users write np.intp for pointers.
            if "*" in parameter.declaration and types[k] in (np.intp, np.uintp):
                types[k] = "P"
        self._prepared = self.kernel.with_signature(types)
        return self

    def prepared_call(self, grid: Any, block: Any, *args: Any, shared_size: int = 0) -> None:
        """Launch on the current stream."""
        _launch(self._prepared, grid, block, args, shared_size, None)

    def prepared_async_call(
        self, grid: Any, block: Any, stream: Any, *args: Any, shared_size: int = 0
    ) -> None:
        """Launch on a stream, for None the current one."""
        _launch(self._prepared, grid, block, args, shared_size, stream)

    def prepared_timed_call(
        self, grid: Any, block: Any, *args: Any, shared_size: int = 0
    ) -> Callable[[], float]:
        """Launch on the current stream; the result waits, and returns the seconds that it took."""
        return self._timed(self._prepared, grid, block, args, shared_size, None)

    @staticmethod
    def _timed(
        kernel: gpuarray.Kernel, grid: Any, block: Any, args: Any, shared: int, stream: Any
    ) -> Callable[[], float]:
        start, end = Event(), Event()
        _launch(kernel, grid, block, args, shared, stream, (start, end))
        return lambda: end.synchronize().time_since(start) * 1e-3

    def set_cache_config(self, fc: int) -> None:
        """Take PyCUDA's hint on caches, which has no effect."""
        func_cache(fc)

    num_regs = _of_kernel("num_regs", "Registers of a thread.")
    shared_size_bytes = _of_kernel("shared_size_bytes", "Bytes of static shared memory.")
    local_size_bytes = _of_kernel("local_size_bytes", "Bytes of local memory of a thread.")
    const_size_bytes = _of_kernel("const_size_bytes", "Bytes of constant memory.")
    max_threads_per_block = _of_kernel("max_threads_per_block", "Most threads of a block.")
    ptx_version = _of_kernel("ptx_version", "The PTX it was compiled from: 80 is 8.0.")
    binary_version = _of_kernel("binary_version", "The compute capability of its code.")


def _launch(
    kernel: gpuarray.Kernel,
    grid: Any,
    block: Any,
    args: tuple[Any, ...],
    shared: int,
    stream: Any,
    around: tuple[Any, ...] = (),
) -> None:
    """Launch, and record the two events `around` the kernel alone."""
    arguments = _Arguments(args, bool(around))
    with arguments.on_stream(stream_of(stream)) as opened:
        for event in around[:1]:
            event.record(opened)
        kernel(
            *arguments.values,
            grid=grid,
            block=block,
            shared_bytes=shared,
            stream=opened,
            strided=True,
        )
        for event in around[1:]:
            event.record(opened)


_launch_devices: set[gpuarray.Device] = set()


@atexit.register
def _wait_at_exit() -> None:
    """Wait for the devices of all modules, because what kernels print appears then."""
    for device in _launch_devices:
        with contextlib.suppress(gpuarray.CudaError, gpuarray.DeviceError):
            gpuarray.synchronize(device)


class Module:
    """PyCUDA's view of a Module, which is `module`.

    The process waits for its device when it ends, so that what kernels print is seen.
    """

    def __init__(self, module: gpuarray.Module) -> None:
        self.module = module
        if module.device is not None:
            _launch_devices.add(module.device)
        self._variables: dict[str, gpuarray.GPUArray] = {}

    def get_function(self, name: str) -> Function:
        """Return the kernel of this name. LookupError, with close names, if there is none."""
        return Function(self.module.get_function(name))

    def get_global(self, name: str) -> tuple[int, int]:
        """Return the address of a variable and its bytes. LookupError if there is none.

        `module.get_global(name, dtype)` is the variable as an array.
        """
        array = self._variables.setdefault(name, self.module.get_global(name))
        return array.ptr, array.nbytes


def module_from_file(filename: str | os.PathLike[str]) -> Module:
    """Return the module of a file: a cubin, fatbin, PTX, or what else gpuarray.Module takes."""
    return Module(gpuarray.Module(path=filename))


def module_from_buffer(buffer: Any, options: Any = (), message_handler: Any = None) -> Module:
    """Return the module of the bytes of a cubin, fatbin or PTX.

    `options` and `message_handler` are for the driver's compiler, and ValueError unless empty.
    """
    if options or message_handler is not None:
        raise ValueError("module_from_buffer: options for the driver's compiler are not supported")
    return Module(gpuarray.Module(bytes(buffer)))
