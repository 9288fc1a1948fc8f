# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Files of fused functions, which run without the function and without a compiler.

What traces functions and compiles them is not imported: a first call takes some milliseconds.
"""

import json
from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any

from gpuarray import _core
from gpuarray.errors import DeviceError, FusionError

if TYPE_CHECKING:
    from gpuarray._fusion.trace import Signature

__all__ = ["LoadedFunction", "load_fused"]

# A file is this line, the bytes of the head in decimal digits and a line's end, the head as JSON,
# and the images, each of which the head tells the bytes of (saving.py).
MAGIC = b"gpuarray fused function 1\n"
_KINDS = {"program": _core._Program, "fold": _core._Fold}


def made(kind: str, arguments: dict[str, Any]) -> Any:
    """Return the _Program or _Fold of these arguments."""
    return _KINDS[kind](**arguments)


class LoadedFunction(_core._Dispatcher):
    """A function that load_fused() read; called as the fused function was, and with `stream=`."""

    def __init__(self, path: str, head: Mapping[str, Any]) -> None:
        self.__name__ = self.__qualname__ = head["name"]
        self._path = path
        self._programs = {
            signature: made(kind, arguments)
            for signature, kind, arguments in _tuples(head["programs"])
        }
        super().__init__(
            head["name"],
            head["names"],
            positional=head["positional"],
            defaults=_tuples(head["defaults"]),
            variadic=head["variadic"],
            function=True,
        )

    def __repr__(self) -> str:
        return f"<{self.__name__}, a fused function of {self._path}>"

    def _key(self, value: Any, owner: Any = None) -> None:
        return None

    def _specialize(self, signature: "Signature") -> Any:
        return self._programs.get(signature)

    def _inlined(self, args: tuple[Any, ...], kwargs: dict[str, Any] | None) -> Any:
        raise FusionError(f"{self!r} cannot be called in a function that is traced")

    def _unfused(self, arguments: tuple[Any, ...]) -> Any:
        got = ", ".join(
            f"{one.dtype} of shape {one.shape}" if isinstance(one, _core.GPUArray) else repr(one)
            for one in arguments
        )
        raise DeviceError(
            f"{self!r} has no kernel for ({got}), or they do not broadcast; before it is written "
            "the function has to be called with arguments of these dtypes and layouts"
        )


def load_fused(path: str | PathLike[str]) -> LoadedFunction:
    """Return the function of a file that `FusedFunction.save` wrote.

    Calls run the kernels of the file, without the function and without a compiler, where the file
    has one for the architecture. Other layouts of the arrays, and the cpu device, need the
    compiler that fused functions need. The file holds code that runs: load none that you do not
    trust.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    LoadedFunction
        It takes what the function took, in the dtypes with which it was called before.

    Raises
    ------
    ValueError
        The file is no such file, is damaged, or is of another version of the package.
    DeviceError
        At a call: the file has no kernel for its arguments.

    Notes
    -----
    Reads the file and does nothing on devices; the first call loads the kernel. Calls are queued on
    `stream=`, by default the current stream.
    """
    with open(path, "rb") as file:
        content = file.read()
    try:
        head, images = _parts(content)
        function = LoadedFunction(str(path), head)
        version = head["version"]
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise ValueError(f"load_fused: {path} holds no fused function: {error!r}") from None
    if version != _core._saved_digest(""):
        raise ValueError(
            f"load_fused: {path} was written by another version of gpuarray; write it again"
        )
    for digest, architecture, image in images:
        _core._keep_saved_image(digest, architecture, image)
    return function


def _parts(content: bytes) -> tuple[Any, list[tuple[str, str, bytes]]]:
    """Return the head of a file and its images, each with its digest and architecture."""
    if not content.startswith(MAGIC):
        raise ValueError("it begins otherwise")
    end = content.index(b"\n", len(MAGIC))
    begin, size = end + 1, int(content[len(MAGIC) : end])
    head = json.loads(content[begin : begin + size])
    place = begin + size
    images = []
    for digest, architecture, nbytes in head["images"]:
        image = content[place : place + nbytes]
        if len(image) != nbytes or nbytes <= 0:
            raise ValueError("it ends too soon")
        images.append((digest, architecture, image))
        place += nbytes
    return head, images


def _tuples(value: Any) -> Any:
    """Return what JSON made of tuples as tuples."""
    if isinstance(value, list):
        return tuple(map(_tuples, value))
    if isinstance(value, dict):
        return {key: _tuples(one) for key, one in value.items()}
    return value
