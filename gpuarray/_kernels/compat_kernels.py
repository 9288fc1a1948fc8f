# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Modules and kernels under the names and with the arguments that PyCUDA and CuPy give them."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import require_text
from gpuarray._common.fork_locks import fork_lock
from gpuarray._common.rebuilding import keeps_arguments, reduce_by_arguments
from gpuarray._core import Device, GPUArray, Kernel, Stream
from gpuarray._kernels.building import option_tuple, path_tuple, text_tuple
from gpuarray._kernels.linkables import LinkableCode
from gpuarray._kernels.module import Module

__all__ = ["RawKernel", "RawModule", "SourceModule"]

# These options of nvcc concern host code, so they are dropped.
HOST_OPTIONS = {"-O0", "-O1", "-O2", "-O3"}


class SourceModule(Module):
    """PyCUDA's name of a Module from CUDA C++, in extern "C" unless `no_extern_c`.

    `code` is its name of an architecture of machine code, before `arch`. `nvcc`, `keep`,
    `cache_dir` and the options -O0 to -O3, for host code, are taken and have no effect: NVRTC
    compiles, `source` and `image` are attributes, and GPUARRAY_CACHE_DIR is the cache.
    `get_global` returns a GPUArray. Raises as Module does.
    """

    @keeps_arguments
    def __init__(
        self,
        source: str,
        nvcc: str | None = "nvcc",
        options: Iterable[str] | str | None = None,
        keep: bool = False,
        no_extern_c: bool = False,
        arch: str | None = None,
        code: str | None = None,
        cache_dir: Any = None,
        include_dirs: Iterable[Any] = (),
    ) -> None:
        super().__init__(
            source,
            options=[option for option in option_tuple(options) if option not in HOST_OPTIONS],
            include_dirs=include_dirs,
            arch=code or arch,
            extern_c=not no_extern_c,
        )


class RawModule:
    """CuPy's name of a Module, compiled at its first use, for each device where it is used.

    `code` or `path` is CUDA C++ or compiled code, as Module takes it. `backend`,
    `translate_cucomplex` and `jitify` are taken for "nvrtc" and False only; headers that
    cooperative groups need are always there. Making one needs neither a device nor a compiler.

    Raises TypeError without code and without path, and ValueError for what CuPy would leave to
    nvcc, cuComplex's translation or jitify; what Module raises for the code is raised at the first
    use, which is a launch, `compile` or `get_global`.
    """

    @keeps_arguments
    def __init__(
        self,
        *,
        code: str | bytes | LinkableCode | None = None,
        path: Any = None,
        options: Iterable[str] = (),
        backend: str = "nvrtc",
        translate_cucomplex: bool = False,
        enable_cooperative_groups: bool = False,
        name_expressions: Iterable[str] | None = None,
        jitify: bool = False,
    ) -> None:
        if backend != "nvrtc" or translate_cucomplex or jitify:
            raise ValueError("RawModule: only backend='nvrtc' as it is, without translation")
        if (code is None) == (path is None):
            raise TypeError("RawModule: expected either code or path")
        if not isinstance(code, str | bytes | LinkableCode | None):
            raise TypeError(f"RawModule: expected code as a str, got {type(code).__name__}")
        self.code = code
        self.file_path = None if path is None else path_tuple(path, "path")[0]
        self.options = option_tuple(options)
        self.backend = backend
        self.enable_cooperative_groups = bool(enable_cooperative_groups)
        self.name_expressions = text_tuple(name_expressions, "name_expressions")
        self._modules: dict[Device, Module] = {}
        self._lock = fork_lock(waits=False)

    __reduce__ = reduce_by_arguments

    def _of(self, device: Device) -> Module:
        """Return the module of a device, compiled and loaded once."""
        with self._lock:
            if device not in self._modules:
                self._modules[device] = Module(
                    self.code,
                    path=self.file_path,
                    options=self.options,
                    name_expressions=self.name_expressions,
                    device=device,
                )
            return self._modules[device]

    @property
    def module(self) -> Module:
        """The Module of the default device, which has `source`, `image`, `kernels` and `log`."""
        return self._of(_core.default_device())

    def compile(self, log_stream: Any = None) -> None:
        """Compile and load for the default device; `log_stream.write` gets the compiler's log."""
        log = self.module.log
        if log_stream is not None:
            log_stream.write(log)

    def get_function(self, name: str) -> "RawKernel":
        """Return the RawKernel of this name; a wrong name is a LookupError at its first use."""
        require_text("get_function", name=name)
        return RawKernel._of_module(self, name)

    def get_global(self, name: str) -> GPUArray:
        """Return the memory of a variable on the default device, as Module.get_global does."""
        return self.module.get_global(name)

    def __repr__(self) -> str:
        return f"<gpuarray.RawModule of {self.file_path or 'code'}>"


def _of_kernel(name: str, doc: str) -> Any:
    return property(lambda self: getattr(self.kernel, name), doc=doc)


class RawKernel:
    """CuPy's name of one Kernel, compiled at its first use, for each device where it is launched.

    ``RawKernel(code, name, options=(), backend="nvrtc", *, translate_cucomplex=False,
    enable_cooperative_groups=False, jitify=False)`` takes the arguments of RawModule, and raises as
    it does; with `enable_cooperative_groups` launches are cooperative. Its attributes are those of
    the Kernel on the default device.
    """

    @keeps_arguments
    def __init__(
        self,
        code: str,
        name: str,
        options: Iterable[str] = (),
        backend: str = "nvrtc",
        *,
        translate_cucomplex: bool = False,
        enable_cooperative_groups: bool = False,
        jitify: bool = False,
    ) -> None:
        require_text("RawKernel", name=name)
        module = RawModule(
            code=code,
            options=options,
            backend=backend,
            translate_cucomplex=translate_cucomplex,
            enable_cooperative_groups=enable_cooperative_groups,
            jitify=jitify,
        )
        self._set_up(module, name)

    @classmethod
    def _of_module(cls, module: RawModule, name: str) -> "RawKernel":
        made = cls.__new__(cls)
        made._set_up(module, name)
        return made

    def _set_up(self, module: RawModule, name: str) -> None:
        self._module = module
        self._kernels: dict[Device, Kernel] = {}
        self.name = name

    def __reduce__(self) -> tuple[Any, ...]:
        if hasattr(self, "_arguments"):
            return reduce_by_arguments(self)
        return RawModule.get_function, (self._module, self.name)

    def _of(self, device: Device) -> Kernel:
        kernel = self._kernels.get(device)
        if kernel is None:
            kernel = self._module._of(device).get_function(self.name)
            # Of threads that come at once, all use the kernel of the first.
            kernel = self._kernels.setdefault(device, kernel)
        return kernel

    def __call__(
        self, grid: Any, block: Any, args: Any, *, shared_mem: int = 0, stream: Any = None
    ) -> None:
        """Launch the kernel with a tuple of arguments, as those of a Kernel.

        Arrays may have any strides: the kernel gets the address. NumPy arrays of one element are
        passed by value.
        `grid` and `block` are ints or tuples of 1 to 3, `shared_mem` the bytes of dynamic shared
        memory. Asynchronous on `stream`, by default the current one of the device. That is the
        device of a Stream that is given, else of the first array, else the default device.
        """
        if not isinstance(args, tuple | list):
            raise TypeError(
                f"{self.name}: expected a tuple of arguments, got {type(args).__name__}"
            )
        self._of(_launch_device(args, stream))(
            *[_by_value(arg) if isinstance(arg, np.ndarray) else arg for arg in args],
            grid=grid,
            block=block,
            shared_bytes=shared_mem,
            stream=stream,
            cooperative=self._module.enable_cooperative_groups,
            strided=True,
        )

    @property
    def kernel(self) -> Kernel:
        """The Kernel of the default device, which has more ways to launch: see there."""
        return self._of(_core.default_device())

    def compile(self, log_stream: Any = None) -> None:
        """Compile and load for the default device; LookupError if there is no such kernel."""
        self._module.compile(log_stream)
        self._of(_core.default_device())

    @property
    def code(self) -> str | bytes | LinkableCode | None:
        """The code, None if it is that of a file."""
        return self._module.code

    @property
    def file_path(self) -> str | None:
        """The file of the code, None if it is none."""
        return self._module.file_path

    @property
    def options(self) -> tuple[str, ...]:
        """The options of the compiler."""
        return self._module.options

    @property
    def backend(self) -> str:
        """What compiles: "nvrtc"."""
        return self._module.backend

    @property
    def enable_cooperative_groups(self) -> bool:
        """Whether launches are cooperative."""
        return self._module.enable_cooperative_groups

    @property
    def max_dynamic_shared_size_bytes(self) -> int:
        """Most bytes of dynamic shared memory that a launch can ask for; can be set."""
        return self.kernel.max_dynamic_shared_size_bytes

    @max_dynamic_shared_size_bytes.setter
    def max_dynamic_shared_size_bytes(self, value: int) -> None:
        self.kernel.max_dynamic_shared_size_bytes = value

    attributes = _of_kernel("attributes", "All that the driver tells of it, a dict of ints.")
    num_regs = _of_kernel("num_regs", "Registers of a thread.")
    shared_size_bytes = _of_kernel("shared_size_bytes", "Bytes of static shared memory.")
    local_size_bytes = _of_kernel("local_size_bytes", "Bytes of local memory of a thread.")
    const_size_bytes = _of_kernel("const_size_bytes", "Bytes of constant memory.")
    max_threads_per_block = _of_kernel(
        "max_threads_per_block", "Most threads that a block can have."
    )
    ptx_version = _of_kernel("ptx_version", "The PTX it was compiled from: 80 is 8.0.")
    binary_version = _of_kernel("binary_version", "The compute capability of its code: 90 is 9.0.")

    def __repr__(self) -> str:
        return f"<gpuarray.RawKernel {self.name}>"


def _by_value(array: np.ndarray[Any, Any]) -> Any:
    return array.reshape(()) if array.size == 1 else array


def _launch_device(args: Iterable[Any], stream: Any) -> Device:
    stream = getattr(stream, "stream", stream)  # of gpuarray.cuda's
    if isinstance(stream, Stream):
        return stream.device
    return next((a.device for a in args if isinstance(a, GPUArray)), _core.default_device())
