# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Classes of device code that is linked into kernels: sources, PTX, cubins, objects and LTO-IR."""

import io
import os
import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, ClassVar

from gpuarray import _core
from gpuarray._common.arguments import require_function, require_text

if TYPE_CHECKING:
    from pathlib import Path  # which takes milliseconds to import

__all__ = [
    "LTOIR",
    "Archive",
    "CUSource",
    "Cubin",
    "Fatbin",
    "LinkableCode",
    "Object",
    "PTXSource",
]

# Names of the kinds that _core._image_kind returns, for messages.
KIND_NAMES = {
    "source": "CUDA C++",
    "ptx": "PTX",
    "cubin": "a cubin",
    "fatbin": "a fatbin",
    "ltoir": "LTO-IR",
    "object": "an object",
    "archive": "an archive",
}
SUFFIXES = {
    "source": ".cu",
    "ptx": ".ptx",
    "cubin": ".cubin",
    "fatbin": ".fatbin",
    "ltoir": ".ltoir",
    "object": ".o",
    "archive": ".a",
}


class LinkableCode:
    """Device code of any kind: CUDA C++, PTX, a cubin, fatbin, host object, archive or LTO-IR.

    `data` is a path, the content as bytes or in a StringIO or BytesIO, or its text; a str is a path
    if it is one line that names a file or ends as such files do (.cu .ptx .cubin .fatbin .o .a
    .ltoir). Files are looked for in the folders of GPUARRAY_INCLUDE_PATH too. The content tells the
    kind: LinkableCode itself takes every kind, a subclass its own. `name` stands in messages, by
    default the file's.

    `setup_callback` is called with each Module that this code is linked into, once it is loaded;
    `teardown_callback` before it is unloaded.

    FileNotFoundError without the file, ValueError for content that is nothing of the kind.
    """

    kind: str
    _expected: ClassVar[str | None] = None

    def __init__(
        self,
        data: "str | bytes | os.PathLike[str]",
        name: str | None = None,
        setup_callback: Callable[[Any], object] | None = None,
        teardown_callback: Callable[[Any], object] | None = None,
    ) -> None:
        what = type(self).__name__
        if name is not None:
            require_text(what, name=name)
        require_function(what, setup_callback=setup_callback, teardown_callback=teardown_callback)
        self.path = _path_of(data)
        self.content = _content_of(data, self.path)
        self.kind = _core._image_kind(self.content, name or str(self.path or type(self).__name__))
        if self._expected not in (None, self.kind):
            wanted, found = KIND_NAMES[str(self._expected)], KIND_NAMES[self.kind]
            raise ValueError(f"{type(self).__name__}: expected {wanted}, got {found}")
        self.name = name or (str(self.path) if self.path else f"code{SUFFIXES[self.kind]}")
        self.setup_callback = setup_callback
        self.teardown_callback = teardown_callback

    def with_text(self, text: str) -> "LinkableCode":
        """Return the same code with another text and the same callbacks."""
        return LinkableCode(text.encode(), self.name, self.setup_callback, self.teardown_callback)

    def __repr__(self) -> str:
        return f"<gpuarray.{type(self).__name__} {self.name!r}: {KIND_NAMES[self.kind]}>"

    @property
    def text(self) -> str:
        """The content of CUDA C++ or PTX."""
        return self.content.rstrip(b"\0").decode()


class CUSource(LinkableCode):
    """CUDA C++, compiled by NVRTC when it is linked."""

    _expected = "source"


class PTXSource(LinkableCode):
    """PTX."""

    _expected = "ptx"


class Cubin(LinkableCode):
    """Machine code of one architecture."""

    _expected = "cubin"


class Fatbin(LinkableCode):
    """Code of several kinds and architectures, as `nvcc -fatbin` makes it."""

    _expected = "fatbin"


class Object(LinkableCode):
    """A host object with relocatable device code, as `nvcc -dc` makes it."""

    _expected = "object"


class Archive(LinkableCode):
    """A library of such objects."""

    _expected = "archive"


class LTOIR(LinkableCode):
    """The input of link-time optimization, which inlines it; `nvcc -dlto -ltoir` makes it."""

    _expected = "ltoir"


def _path_of(data: Any) -> "Path | None":
    """Return the file that `data` names, also in GPUARRAY_INCLUDE_PATH; None if it is no path."""
    if isinstance(data, str) and ("\n" in data or "\0" in data or not 0 < len(data) < 4096):
        return None
    if not isinstance(data, str | os.PathLike):
        return None
    from pathlib import Path

    path = Path(data)
    folders = filter(None, os.environ.get("GPUARRAY_INCLUDE_PATH", "").split(":"))
    for file in (Path(folder, path) for folder in ("", *folders)):
        if file.is_file():
            return file
    return path if isinstance(data, os.PathLike) or path.suffix in SUFFIXES.values() else None


def _content_of(data: Any, path: "Path | None") -> bytes:
    if path is not None:
        return path.read_bytes()
    if isinstance(data, str):
        return data.encode()
    if isinstance(data, bytes | bytearray | memoryview):
        return bytes(data)
    if isinstance(data, io.StringIO | io.BytesIO):
        return _content_of(data.getvalue(), None)
    raise TypeError(f"device code: expected a path, bytes or a str, got {type(data).__name__}")


def several(items: Any, name: str = "link") -> tuple[Any, ...]:
    """Return one item or those of an iterable as a tuple; errors name the argument `name`."""
    single = (str, bytes, bytearray, memoryview, os.PathLike, LinkableCode)
    if isinstance(items, single) or hasattr(items, "link") or callable(items):
        return (items,)
    if not isinstance(items, Iterable) or getattr(items, "ndim", 1) == 0:
        kind = type(items).__name__
        raise TypeError(f"{name}: expected device code, its path or several of these, got {kind}")
    return tuple(items)


def _as_linkable(item: Any, name: str) -> LinkableCode:
    if isinstance(item, LinkableCode):
        return item
    # The item is one of Numba's classes of linkable code.
    if hasattr(item, "setup_callback"):
        return LinkableCode(item.data, item.name, item.setup_callback, item.teardown_callback)
    # Code to link defines something, for which it needs spaces or brackets.
    if name == "link" and isinstance(item, str) and not re.search(r"[\s(){};]", item):
        from pathlib import Path

        item = Path(item)
    return LinkableCode(item)


def as_linkables(items: Any, name: str = "link") -> "tuple[LinkableCode, ...]":
    """Return one or several paths, contents, LinkableCode or DeviceFunction as LinkableCode."""
    found: list[LinkableCode] = []
    for item in several(items, name):
        for part in item.link if hasattr(item, "link") else (item,):
            code = _as_linkable(part, name)
            if code not in found:
                found.append(code)
    return tuple(found)
