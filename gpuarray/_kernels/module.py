# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Module: compiled and linked device code, whose kernels and variables are found by name."""

import atexit
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from gpuarray import _core
from gpuarray._common.arguments import require_function
from gpuarray._common.fork_locks import fork_lock
from gpuarray._common.rebuilding import rebuild, reduce_by_arguments
from gpuarray._core import Device, GPUArray, Kernel
from gpuarray._kernels.building import (
    Build,
    architecture_text,
    define_options,
    device_architecture,
    option_tuple,
    path_tuple,
    require_known_architecture,
    runs_on,
    split_architecture,
    text_tuple,
)
from gpuarray._kernels.device_functions import DeviceFunction, declared
from gpuarray._kernels.linkables import LinkableCode, as_linkables
from gpuarray._kernels.symbols import find_symbol, kernel_names
from gpuarray.errors import CompileWarning, DeviceError

__all__ = ["Module"]


class Module:
    """Device code for one device: its kernels and variables, by name.

    `code` is CUDA C++ as a str, a path, bytes, or LinkableCode, or several of them; their content
    tells what they are: CUDA C++, PTX, a cubin, fatbin, host object, archive or LTO-IR. `path` is
    one or several paths, instead or besides. `link` is more of the same, and functions of
    `declare_device`, which the sources of `code` may then call. Several inputs are linked into one.

    `options` are NVRTC's (-std=c++20 as is), `defines` a dict of macros, `include_dirs` folders of
    headers, before those of GPUARRAY_INCLUDE_PATH (separated by colons) and of the CUDA toolkit;
    "kernels/..." are this package's own. `name_expressions`, as "f<float>", name the instances of
    templates that the first source is to have. `extern_c` puts the sources into extern "C" { }.
    `lto` is whether sources are linked with link-time optimization: as is, with it unless they are
    compiled for the debugger. `link_options` are nvJitLink's.

    `device` is a CUDA device, by default the default one. With `arch`, as "sm_90a", the code is for
    that architecture, which NVRTC has to know; if the default device does not run it, the module is
    compiled and linked, and has an `image` and `kernels`, but it is not loaded.

    `setup_callback` is called with the module when it is loaded, after those of the linked code;
    `teardown_callback` before it is unloaded, at the latest at the end of the process.

    Compiles and loads at once, from the disk cache where nothing has changed. CompileError with the
    lines around each error and the log, LinkError with the log and the inputs, DeviceError without
    a device, NVRTC or nvJitLink, ValueError for options that are none. Warnings of the compiler are
    a CompileWarning.
    """

    def __init__(
        self,
        code: Any = None,
        *,
        path: Any = None,
        options: Iterable[str] | str = (),
        include_dirs: Any = (),
        defines: Mapping[str, Any] | None = None,
        name_expressions: Iterable[str] | str = (),
        link: Any = (),
        lto: bool | None = None,
        extern_c: bool = False,
        arch: Any = None,
        device: Any = None,
        link_options: Iterable[str] | str = (),
        setup_callback: "Callable[[Module], object] | None" = None,
        teardown_callback: "Callable[[Module], object] | None" = None,
    ) -> None:
        require_function(
            "Module", setup_callback=setup_callback, teardown_callback=teardown_callback
        )
        self._library: _core._Library | None = None
        self._process = os.getpid()
        self._unloading = fork_lock(waits=False)
        given, named = split_architecture(option_tuple(options))
        asked = architecture_text(arch) if arch is not None else named
        self.device = _cuda_device(device, asked)
        self.architecture = asked or device_architecture(self.device)
        items = declared(link)
        self._link = as_linkables(items)
        functions = [item for item in items if isinstance(item, DeviceFunction)]
        inputs = _inputs(code, path)
        self._codes = tuple(_completed(item, functions, extern_c) for item in inputs)
        if asked is not None and any(item.kind == "source" for item in self._codes):
            require_known_architecture(asked)
        # Files are pickled as what they contain.
        arguments = {
            "options": options,
            "include_dirs": include_dirs,
            "defines": defines,
            "name_expressions": name_expressions,
            "link": (*functions, *self._link),
            "lto": lto,
            "extern_c": extern_c,
            "arch": arch,
            "device": device,
            "link_options": link_options,
            "setup_callback": setup_callback,
            "teardown_callback": teardown_callback,
        }
        vars(self).setdefault("_arguments", (Module.__init__, (inputs,), arguments))
        self._build = Build(
            self.architecture,
            (*given, *define_options(defines)),
            path_tuple(include_dirs),
            text_tuple(name_expressions, "name_expressions"),
            lto,
            option_tuple(link_options, "link_options"),
        )
        self._image = self._build.image(self._codes, self._link)
        self._callbacks = [(item.setup_callback, item.teardown_callback) for item in self._link]
        self._callbacks += [(item.setup_callback, item.teardown_callback) for item in self._codes]
        self._callbacks.append((setup_callback, teardown_callback))
        self._teardowns: list[Callable[[Module], object]] = []
        if self.log:
            _core._warn_user(self.log, CompileWarning)
        if self.device is not None:
            self._load()

    __reduce__ = reduce_by_arguments

    def __repr__(self) -> str:
        names = ", ".join(code.name for code in self._codes)
        where = self.device or "no device"
        return f"<gpuarray.Module {names} for {self.architecture} on {where}>"

    @property
    def source(self) -> str | None:
        """The CUDA C++ that is compiled, None where there is none."""
        sources = [code.text for code in self._codes if code.kind == "source"]
        return "\n".join(sources) if sources else None

    @property
    def image(self) -> bytes:
        """What the device loads: a cubin, or the fatbin or PTX that was given."""
        return self._image.content

    @property
    def ptx(self) -> str:
        """The PTX of the source or sources. ValueError without any."""
        sources = [code for code in self._codes if code.kind == "source"]
        if not sources:
            raise ValueError("the module has no source to make PTX of")
        return "\n".join(self._build.compiled(code, "ptx").content.decode() for code in sources)

    @property
    def log(self) -> str:
        """What the compiler and the linker warned of."""
        return self._image.log

    @property
    def handle(self) -> int:
        """The CUlibrary as an int."""
        return self._loaded().handle

    @property
    def kernels(self) -> list[str]:
        """The names of the kernels, mangled where C++ mangles them.

        Without a device they are those of the image, a cubin or PTX. DeviceError for a fatbin
        without a device, and for a driver before CUDA 12.4.
        """
        if self._library is None and self.device is None:
            return kernel_names(self.image)
        return self._loaded().kernel_names()

    def get_function(self, name: str, signature: Any = None) -> Kernel:
        """Return the Kernel of this name.

        `name` is that of an extern "C" kernel, a name expression of the module, the name in the
        source where only one kernel has it, or a mangled name. `signature` are the types of its
        parameters, as "const float* x, float a" or a sequence of dtypes; by default those that the
        source or the mangled name tells, if any. LookupError, naming those that are close, if there
        is no such kernel.
        """
        library = self._loaded()
        symbol = self._image.names.get(name, name)
        try:
            kernel = library.kernel(symbol, signature, self.source)
        except LookupError:
            symbol = find_symbol(name, self._image.names, library.kernel_names())
            kernel = library.kernel(symbol, signature, self.source)
        kernel._set_recipe((_kernel_of, (reduce_by_arguments(self)[1], name, signature)))
        return kernel

    def get_global(self, name: str, dtype: Any = None, shape: Any = None) -> GPUArray:
        """Return the memory of a ``__device__`` or ``__constant__`` variable as an array.

        `dtype` is its bytes' (uint8 as is), `shape` that of the whole variable by default: one
        dimension. Launches do not know that they use it: what is written on a stream is there for
        kernels launched later on that stream; on others, wait first. The array keeps the code
        loaded, and must not be used after `unload`.

        LookupError without such a variable, ValueError if the shape needs more bytes than it has.
        """
        library = self._loaded()
        symbol = self._image.names.get(name) or self._image.names.get(f"&{name}") or name
        return _view(_Variable(library, *library.global_(symbol)), name, dtype, shape)

    def unload(self) -> None:
        """Call the teardown callbacks and give the module's memory back.

        Waits for the work queued on the device. Kernels and variables of the module cannot be used
        any more. The second call does nothing.

        CaptureError while a graph is captured on the device, ValueError while a captured graph uses
        the module; the callbacks are not called then.
        """
        with self._unloading:
            if self._library is not None:
                self._library.require_unloadable()
                self._unload(self._library)

    def _unload(self, library: _core._Library) -> None:
        atexit.unregister(self._tear_down_at_exit)
        try:
            self._tear_down()
        finally:
            library.unload()
            self._library = None

    def _tear_down(self) -> None:
        """Call all teardown callbacks; if some raise, raise the first error after the last call."""
        failed = None
        while self._teardowns:
            try:
                self._teardowns.pop()(self)
            except Exception as error:
                failed = failed or error
        if failed is not None:
            raise failed

    def _load(self) -> None:
        device = self.device
        built_for = f"sm_{_core._cubin_architecture(self.image)}"
        if device and built_for != "sm_0" and not runs_on(built_for, device.compute_capability):
            raise DeviceError(f"the cubin is for {built_for}, {device} is {self.architecture}")
        self._library = _core._Library(self.image, self.device)
        try:
            for setup, teardown in self._callbacks:
                if setup is not None:
                    setup(self)
                if teardown is not None:
                    self._teardowns.append(teardown)
        except BaseException:
            self._unload(self._library)
            raise
        if self._teardowns:
            # The registration keeps the module alive until the process ends.
            atexit.register(self._tear_down_at_exit)

    def _tear_down_at_exit(self) -> None:
        # A forked child cannot use the device, so its callbacks are not called.
        if os.getpid() == self._process:
            self._tear_down()

    def _loaded(self) -> _core._Library:
        if self._library is None and self.device is None:
            raise DeviceError(f"the module is compiled for {self.architecture}, without a device")
        if self._library is None:
            raise ValueError("the module is unloaded")
        return self._library


def _kernel_of(module: tuple[Any, ...], name: str, signature: Any) -> Kernel:
    """Make a pickled kernel again, in a module of its own."""
    kernel: Kernel = rebuild(*module).get_function(name, signature)
    return kernel


class _Variable:
    """Holds the memory of a device variable, and keeps the variable's library loaded."""

    def __init__(self, library: Any, address: int, nbytes: int) -> None:
        self.library = library
        self.nbytes = nbytes
        self.__cuda_array_interface__ = {
            "version": 3,
            "shape": (nbytes,),
            "typestr": "|u1",
            "data": (address, False),
            "strides": None,
            "stream": None,
        }


def _view(variable: _Variable, name: str, dtype: Any, shape: Any) -> GPUArray:
    memory = _core.from_cuda_array_interface(variable)
    if dtype is None and shape is None:
        return memory
    itemsize = _core.empty(0, dtype or "uint8", device="cpu").itemsize
    if shape is None:
        shape = variable.nbytes // itemsize
    wanted = _core.empty(shape, dtype or "uint8", device="cpu")
    if wanted.nbytes > variable.nbytes:
        raise ValueError(
            f"get_global: {name!r} has {variable.nbytes} bytes, shape {wanted.shape} of "
            f"{wanted.dtype} needs {wanted.nbytes}"
        )
    return memory[: wanted.nbytes].view(wanted.dtype).reshape(wanted.shape)


def _cuda_device(device: Any, architecture: str | None) -> Device | None:
    """Return the device to load for, or None if code is only compiled for the architecture."""
    if device is None and architecture is not None:
        if not any(found.compute_capability for found in _core.devices()):
            return None
        default = _core.default_device()
        return default if runs_on(architecture, default.compute_capability) else None
    found = _core.default_device() if device is None else Device(device)
    own = device_architecture(found)
    if architecture is not None and not runs_on(architecture, found.compute_capability):
        raise DeviceError(f"{found} is {own}, which does not run code for {architecture}")
    return found


def _inputs(code: Any, path: Any) -> tuple[LinkableCode, ...]:
    inputs = () if code is None else as_linkables(code, "code")
    if path is not None:
        from pathlib import Path

        inputs += tuple(LinkableCode(Path(file)) for file in path_tuple(path, "path"))
    if not inputs:
        raise TypeError("Module: expected code or a path, got neither")
    return inputs


def _completed(
    code: LinkableCode, functions: Sequence[DeviceFunction], extern_c: bool
) -> LinkableCode:
    """Return a source with declarations and extern "C" around it; line numbers stay the same."""
    if code.kind != "source" or not (functions or extern_c):
        return code
    head = "".join(function.declaration for function in functions)
    opening, closing = ('extern "C" {\n', "\n}\n") if extern_c else ("", "")
    return code.with_text(f"{head}{opening}#line 1\n{code.text}{closing}")
