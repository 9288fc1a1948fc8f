# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Files of fused functions, which run without the function and without a compiler.

What traces functions and compiles them is not imported: a first call takes some milliseconds.
"""

import ast
import os
import zlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from gpuarray import _core
from gpuarray.errors import FusionError

if TYPE_CHECKING:
    from gpuarray._fusion.trace import Signature

__all__ = ["LoadedFunction", "load_fused"]

# A file is this line; a line with the bytes of the head and the CRC-32 of all that follows, as
# decimal digits; the head, a dict as Python writes it; and the images, each of which the head tells
# the bytes of. NumPy has imported ast, and json would take a millisecond of the first call.
MAGIC = b"gpuarray fused function 1\n"
# Of this package, whose kernels have parameters of their own.
VERSION = f"{_core.build_config()['version']} {_core._saved_digest('')}"
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
            signature: made(kind, arguments) for signature, kind, arguments in head["programs"]
        }
        super().__init__(
            head["name"],
            head["names"],
            positional=head["positional"],
            defaults=head["defaults"],
            variadic=head["variadic"],
            function=True,
            fallback=False,
        )
        self._head = head

    def __repr__(self) -> str:
        return f"<{self.__name__}, a fused function of {self._path}>"

    def __reduce__(self) -> Any:
        return load_fused, (self._path,)

    @property
    def __signature__(self) -> Any:
        from inspect import Parameter, Signature

        defaults = {index: {"default": value} for index, value in self._head["defaults"]}
        placed = self._head["positional"]
        parameters = [
            Parameter(
                name,
                Parameter.POSITIONAL_OR_KEYWORD if index < placed else Parameter.KEYWORD_ONLY,
                **defaults.get(index, {}),
            )
            for index, name in enumerate(self._head["names"])
        ]
        if self._head["variadic"]:
            parameters.insert(placed, Parameter("arrays", Parameter.VAR_POSITIONAL))
        return Signature(parameters)

    def _key(self, value: Any, owner: Any = None) -> None:
        return None

    def _specialize(self, signature: "Signature") -> Any:
        return self._programs.get(signature)

    def _inlined(self, args: tuple[Any, ...], kwargs: dict[str, Any] | None) -> Any:
        raise FusionError(
            f"{self!r} cannot be called in a function that is traced; call it outside, or fuse the "
            "function that was saved"
        )

    def _unfused(self, arguments: tuple[Any, ...]) -> Any:
        got = ", ".join(
            f"an array of {one.dtype}" if isinstance(one, _core.GPUArray) else repr(one)
            for one in arguments
        )
        saved = "; ".join(
            ", ".join(f"{role} {dtype}" for role, dtype in signature)
            for signature in self._programs
        )
        raise TypeError(
            f"{self!r} takes other dtypes: got ({got}), expected one of: {saved}; save() writes "
            "those of the calls before"
        )


def load_fused(path: "str | os.PathLike[str]") -> LoadedFunction:
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
    TypeError, DeviceError
        At a call: the file has not these dtypes, or no kernel for these layouts or the device, and
        there is no compiler. What the fused function does one operation at a time is an error, too,
        as in-place operations on arrays that overlap.

    Notes
    -----
    Reads the file and does nothing on devices; the first call loads the kernel. Calls are queued on
    `stream=`, by default the current stream.
    """
    path = os.fspath(path)
    with open(path, "rb") as file:
        content = file.read()
    start = content.find(b"\n", len(MAGIC)) + 1
    numbers = content[len(MAGIC) : start].split()
    if (
        not content.startswith(MAGIC)
        or len(numbers) != 2
        or numbers[1] != b"%d" % zlib.crc32(memoryview(content)[start:])
    ):
        raise ValueError(
            f"load_fused: {path!r} is damaged, or is no file that the method save() of a fused "
            "function wrote"
        )
    place = start + int(numbers[0])
    head = ast.literal_eval(content[start:place].decode())
    head["defaults"] = [
        (index, float(value) if isinstance(value, str) else value)
        for index, value in head["defaults"]
    ]
    if head["version"] != VERSION:
        raise ValueError(
            f"load_fused: {path!r} was written by another version of gpuarray; write it again"
        )
    function = LoadedFunction(path, head)
    for digest, architecture, nbytes in head["images"]:
        _core._keep_saved_image(digest, architecture, content[place : place + nbytes])
        place += nbytes
    return function
