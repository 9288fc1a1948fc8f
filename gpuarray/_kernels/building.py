# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Compilation and linking of sources and compiled code to one image that a device can load."""

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, SupportsIndex

from gpuarray import _core
from gpuarray._core import Device
from gpuarray._kernels.linkables import LinkableCode
from gpuarray.errors import DeviceError

# The linker's name for each option of the compiler, which is written here without its dashes.
LINK_OPTIONS = {
    "G": ("-g",),
    "device-debug": ("-g",),
    "lineinfo": ("-lineinfo",),
    "generate-line-info": ("-lineinfo",),
    "use_fast_math": ("-ftz=1", "-prec-div=0", "-prec-sqrt=0", "-fma=1"),
}
LINK_SWITCHES = {"fmad": "fma", "ftz": "ftz", "prec-div": "prec-div", "prec-sqrt": "prec-sqrt"}
DEBUG = {"-G", "--device-debug"}
RELOCATABLE = {"-rdc=true", "--relocatable-device-code=true", "-dc", "--device-c", "-dlto"}


class Image(NamedTuple):
    """An image that a device can load (cubin, fatbin or PTX), with the compiler's log."""

    content: bytes
    log: str
    names: dict[str, str]  # The mangled name of the kernel that each name expression stands for.


@dataclass(frozen=True)
class Build:
    """How sources are compiled and linked; the fields are the arguments of Module."""

    architecture: str
    options: tuple[str, ...] = ()
    include_dirs: tuple[str, ...] = ()
    name_expressions: tuple[str, ...] = ()
    lto: bool | None = None
    link_options: tuple[str, ...] = ()

    def image(self, codes: tuple[LinkableCode, ...], link: tuple[LinkableCode, ...] = ()) -> Image:
        """Return one image of all codes; CompileError, LinkError, DeviceError without a library."""
        # Several functions of one file may each link that file, so equal contents are linked once.
        everything = tuple({code.content: code for code in reversed(codes + link)}.values())[::-1]
        first = everything[0]
        if len(everything) > 1 or not self._is_whole(first):
            return self._linked(everything)
        if first.kind == "source":
            return self.compiled(first, "cubin", self.name_expressions)
        return Image(first.content, "", {})

    def compiled(self, code: LinkableCode, output: str, names: tuple[str, ...] = ()) -> Image:
        """Compile a source to "cubin", "ptx" or "ltoir"."""
        content, log, symbols = _core._compile_source(
            code.text,
            self.architecture,
            code.name,
            self.options,
            self.include_dirs,
            names,
            output,
        )
        return Image(content, _warnings(log), dict(zip(names, symbols, strict=True)))

    def _is_whole(self, code: LinkableCode) -> bool:
        if code.kind == "source":
            return RELOCATABLE.isdisjoint(self.options)
        return _core._loadable(code.content)

    def _linked(self, codes: tuple[LinkableCode, ...]) -> Image:
        lto = DEBUG.isdisjoint(self.options) if self.lto is None else self.lto
        parts: list[tuple[bytes, str]] = []
        logs: list[str] = []
        names: dict[str, str] = {}
        # Only the first source is compiled with the name expressions.
        expressions = self.name_expressions
        for code in codes:
            content = code.content
            if code.kind == "source":
                content, log, found = self._relocatable(lto).compiled(
                    code, "ltoir" if lto else "cubin", expressions
                )
                logs.append(log)
                names |= found
                expressions = ()
            parts.append((content, code.name))
        options = list(self.link_options)
        for option in self.options:
            options += _link_options(option)
        content, log = _core._link_images(tuple(parts), self.architecture, self.lto, tuple(options))
        return Image(content, "".join((*logs, _warnings(log))), names)

    def _relocatable(self, lto: bool) -> "Build":
        options = tuple(option for option in self.options if option not in RELOCATABLE)
        extra = () if lto else ("-rdc=true",)
        return Build(self.architecture, options + extra, self.include_dirs)


def _link_options(option: str) -> tuple[str, ...]:
    """Return the linker's options that correspond to an option of the compiler."""
    name, _, value = option.lstrip("-").partition("=")
    if name in LINK_SWITCHES:
        return (f"-{LINK_SWITCHES[name]}={int(value == 'true')}",)
    if name == "maxrregcount":
        return (f"-maxrregcount={value}",)
    return LINK_OPTIONS.get(option.lstrip("-"), ())


def _warnings(log: str) -> str:
    """Return a log without its notes, such as those on the size of LTO-IR; "" if none is left."""
    lines = [line for line in log.splitlines(keepends=True) if not line.startswith("INFO:")]
    return "".join(lines) if any(map(str.strip, lines)) else ""


def option_tuple(options: Any, name: str = "options") -> tuple[str, ...]:
    """Return options as a tuple, () for None; a single str is split as a shell splits it."""
    if isinstance(options, str):
        import shlex

        try:
            return tuple(shlex.split(options))
        except ValueError as error:
            raise ValueError(f"{name}: {error}: {options!r}") from None
    return text_tuple(options, name)


def text_tuple(texts: Any, name: str) -> tuple[str, ...]:
    """Return one or several strings as a tuple, () for None; errors name the argument `name`."""
    return _several(texts, name, str, "str")


def path_tuple(paths: Any, name: str = "include_dirs") -> tuple[str, ...]:
    """Return one or several paths as a tuple of str; `name` is the argument's, for errors."""
    return tuple(map(os.fspath, _several(paths, name, str | os.PathLike, "path")))


def _several(items: Any, name: str, kind: Any, what: str) -> tuple[Any, ...]:
    if items is None:
        return ()
    if isinstance(items, kind):
        return (items,)
    found = tuple(items) if isinstance(items, Iterable) else (items,)
    for item in found:
        if not isinstance(item, kind):
            got = type(item).__name__
            raise TypeError(f"{name}: expected a {what} or several of them, got {got}")
    return found


def define_options(defines: Mapping[str, Any] | None) -> tuple[str, ...]:
    """Return `-D` options: None or True defines the name alone, False leaves the name out."""
    if defines is not None and not isinstance(defines, Mapping):
        raise TypeError(f"defines: expected a dict, got {type(defines).__name__}")
    options = []
    for name, value in (defines or {}).items():
        if value is None or value is True:
            options.append(f"-D{name}")
        elif value is not False:
            options.append(f"-D{name}={value}")
    return tuple(options)


def split_architecture(options: tuple[str, ...]) -> tuple[tuple[str, ...], str | None]:
    """Return the options but those of the architecture, and the architecture that they name."""
    left: list[str] = []
    found = None
    rest = iter(options)
    for option in rest:
        name, equals, value = option.partition("=")
        if name in ("-arch", "--gpu-architecture"):
            found = value if equals else next(rest, None)
        else:
            left.append(option)
    return tuple(left), found


def runs_on(architecture: str, capability: tuple[int, int] | None) -> bool:
    """Return whether a device of this compute capability runs code for "sm_90" or "compute_80"."""
    match = re.fullmatch(r"(sm|compute)_(\d+)(\d)([af]?)", architecture)
    if match is None or capability is None:
        return False
    wanted = (int(match[2]), int(match[3]))
    if match[4]:
        return wanted == capability
    return wanted <= capability and (match[1] == "compute" or wanted[0] == capability[0])


def architecture_text(arch: Any) -> str:
    """Return `arch` as NVRTC names it: 90, "90", (9, 0) and "sm_90" are all "sm_90"."""
    is_pair = isinstance(arch, tuple) and len(arch) == 2
    if not is_pair and not isinstance(arch, str | SupportsIndex):
        got = type(arch).__name__
        raise TypeError(f"arch: expected a str as 'sm_90', an int or a pair of them, got {got}")
    if isinstance(arch, tuple):
        return f"sm_{arch[0]}{arch[1]}"
    text = str(arch)
    return f"sm_{text}" if text[:1].isdigit() else text


def require_known_architecture(arch: str) -> None:
    """Raise ValueError for an architecture that NVRTC has not, and no device here is of.

    For a device that is newer than NVRTC, code is compiled to PTX, which its driver compiles.
    """
    match = re.fullmatch(r"(?:sm|compute)_(\d+)[a-z]?", arch)
    known = _core._known_architectures()
    own = [architecture_text(d.compute_capability) for d in _core.devices() if d.compute_capability]
    if arch in own or (match is not None and int(match[1]) in known):
        return
    names = ", ".join(f"sm_{number}" for number in known)
    raise ValueError(f"arch: NVRTC here compiles for {names}; got {arch!r}")


def device_architecture(device: Device | None) -> str:
    """Return the architecture of a CUDA device, such as "sm_90"; DeviceError for the cpu device."""
    if device is None or device.compute_capability is None:
        has_cuda = any(found.compute_capability for found in _core.devices())
        way = (
            'make one the default with gpuarray.set_default_device("cuda")'
            if has_cuda
            else f"there is none here ({_core.cuda_absent_reason()})"
        )
        raise DeviceError(
            f"device code runs on CUDA devices, got {device}; {way}; gpuarray.Module compiles "
            "without a device for the architecture arch= (as arch='sm_90'), and ElementwiseKernel "
            "and ReductionKernel run on the cpu device"
        )
    return architecture_text(device.compute_capability)
