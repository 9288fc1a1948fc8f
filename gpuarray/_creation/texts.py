# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Arrays from and to tables in files of text, which NumPy parses and prints."""

import inspect
import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gpuarray._creation.files import copied, read_as, require_file, writable_text
from gpuarray._runtime.streams import takes_stream

__all__ = ["genfromtxt", "loadtxt", "savetxt"]


def _reads_as(numpys: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a function the parameters of NumPy's, with `device` in place of `like`."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        given = inspect.signature(numpys).parameters.values()
        device = inspect.Parameter("device", inspect.Parameter.KEYWORD_ONLY, default=None)
        parameters = [*(p for p in given if p.name != "like"), device]
        function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return takes_stream(function)

    return decorate


@_reads_as(np.loadtxt)
def loadtxt(fname: Any, dtype: Any = float, *args: Any, device: Any = None, **kwargs: Any) -> Any:
    """Return the numbers in lines of text, as numpy.loadtxt, as an array on `device`.

    `fname` is a path, an open file, or lines: a list or an iterator of str. The other parameters
    are NumPy's. A dtype with fields is taken with `unpack` only, which gives an array for each.
    """
    return _read(np.loadtxt, "loadtxt", fname, dtype, args, device, kwargs)


@_reads_as(np.genfromtxt)
def genfromtxt(
    fname: Any, dtype: Any = float, *args: Any, device: Any = None, **kwargs: Any
) -> Any:
    """Return the numbers in lines of text with missing ones filled in, as numpy.genfromtxt.

    As `loadtxt` otherwise. TypeError for columns of different dtypes, unless with `unpack`, for
    text, and for `usemask`.
    """
    return _read(np.genfromtxt, "genfromtxt", fname, dtype, args, device, kwargs)


def _read(
    numpys: Any, what: str, fname: Any, dtype: Any, args: Any, device: Any, kwargs: Any
) -> Any:
    kind, cast = (None, None) if dtype is None else read_as(dtype, True)
    found = numpys(_require_lines(what, fname), kind, *args, **kwargs)
    if isinstance(found, list | tuple):
        return [copied(what, column, device, cast) for column in found]
    return copied(what, found, device, cast)


def _require_lines(what: str, fname: Any) -> Any:
    is_file = isinstance(fname, (str, os.PathLike, Iterator)) or hasattr(fname, "read")
    is_list = isinstance(fname, (list, tuple)) and all(isinstance(x, (str, bytes)) for x in fname)
    if is_file or is_list:
        return fname
    raise TypeError(
        f"{what}: expected a path, an open file or lines of text, got {type(fname).__name__}"
    )


@takes_stream
def savetxt(
    fname: Any,
    X: Any,  # noqa: N803
    fmt: Any = "%.18e",
    delimiter: str = " ",
    newline: str = "\n",
    header: str = "",
    footer: str = "",
    comments: str = "# ",
    encoding: str | None = None,
) -> None:
    """Write an array of one or two dimensions as lines of text, as numpy.savetxt.

    Waits for the array, or for `stream`. A file whose name ends with .gz is compressed.
    """
    host = writable_text(X)
    file = require_file("savetxt", fname)
    np.savetxt(file, host, fmt, delimiter, newline, header, footer, comments, encoding)
