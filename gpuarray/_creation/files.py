# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Arrays from and to files, text and buffers: NumPy reads and writes, to_device and get copy."""

import os
from collections.abc import Iterator, Mapping
from tokenize import TokenError
from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._core import GPUArray
from gpuarray._runtime.streams import takes_stream

__all__ = [
    "NpzFile",
    "frombuffer",
    "fromfile",
    "fromstring",
    "load",
    "save",
    "savez",
    "savez_compressed",
]

Host = np.ndarray[Any, Any]


def require_file(what: str, file: Any) -> Any:
    """Return a path or an open file; TypeError for anything else."""
    if isinstance(file, (str, bytes, os.PathLike)) or hasattr(file, "write"):
        return file
    raise TypeError(f"{what}: expected a path or an open file, got {type(file).__name__}")


def host_dtype(dtype: Any) -> np.dtype[Any]:
    """Return NumPy's dtype, to which ml_dtypes adds bfloat16 when that is first named."""
    try:
        kind: np.dtype[Any] = np.dtype(dtype)
    except (TypeError, SyntaxError):
        kind = _core.empty(0, dtype, device="cpu").dtype
    return kind


def copied(what: str, host: Any, device: Any, dtype: Any = None) -> GPUArray:
    """Return an ndarray of any byte order as an array of the device; TypeError for its dtype."""
    if isinstance(host, np.ma.MaskedArray):
        raise TypeError(f"{what}: a GPUArray has no mask; got a masked array")
    if not host.dtype.isnative:
        host = host.astype(host.dtype.newbyteorder("="))
    try:
        return _core.to_device(host, dtype=dtype, device=device)
    except TypeError as error:
        raise TypeError(f"{what}: {error}") from None


class NpzFile(Mapping[str, GPUArray]):
    """The arrays of an .npz file by name, each read when it is asked for, on the current stream.

    ``with`` closes the file at the end of its block, close() at once.
    """

    def __init__(self, npz: Any, device: Any) -> None:
        self._npz = npz
        self._device = device

    @property
    def files(self) -> list[str]:
        """The names of the arrays."""
        return list(self._npz.files)

    def __getitem__(self, name: str) -> GPUArray:
        return copied(f"load: {name}", _as_bfloat16(self._npz[name]), self._device)

    def __iter__(self) -> Iterator[str]:
        return iter(self._npz)

    def __len__(self) -> int:
        return len(self._npz)

    def __contains__(self, name: object) -> bool:
        return name in self._npz

    def __enter__(self) -> "NpzFile":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; what was read from it stays."""
        self._npz.close()

    def __repr__(self) -> str:
        return f"<gpuarray.NpzFile of {', '.join(self.files) or 'no arrays'}>"


def _as_bfloat16(host: Host) -> Host:
    # NumPy's files have no name for bfloat16, and write it as two bytes without a meaning.
    return host.view(host_dtype("bfloat16")) if host.dtype == np.dtype("V2") else host


@takes_stream
def load(
    file: Any,
    mmap_mode: str | None = None,
    allow_pickle: bool = False,
    fix_imports: bool = True,
    encoding: str = "ASCII",
    *,
    max_header_size: int = 10000,
    device: Any = None,
) -> Any:
    """Return the array of an .npy file on `device`, or an NpzFile with those of an .npz file.

    `file` is a path or an open binary file. With `mmap_mode` an .npy file is copied from the
    system's cache, without a copy of it in the host's memory first; the array is a copy whatever
    the mode. `allow_pickle`, `fix_imports`, `encoding` and `max_header_size` are NumPy's; a pickle
    is returned as it is. OSError for a file that cannot be read, TypeError for a dtype that no
    device has, ValueError for a pickle that is not allowed.
    """
    try:
        found = np.load(
            require_file("load", file),
            mmap_mode,  # type: ignore[arg-type]
            allow_pickle,
            fix_imports,
            encoding,  # type: ignore[arg-type]
            max_header_size=max_header_size,
        )
    except TokenError as error:  # which NumPy lets through for some headers that are damaged
        raise ValueError(f"load: the header cannot be read: {error}") from None
    if isinstance(found, np.lib.npyio.NpzFile):
        return NpzFile(found, device)
    return copied("load", _as_bfloat16(found), device) if isinstance(found, np.ndarray) else found


@takes_stream
def save(file: Any, arr: Any, allow_pickle: bool = False) -> None:
    """Write the array to an .npy file: a path, which is given the ending, or an open binary file.

    Waits for the array, or for `stream`. Arrays and scalars of the host are written as they are;
    `allow_pickle`, for dtypes of objects, is NumPy's. bfloat16 is written as load() reads it.
    """
    np.save(require_file("save", file), _core.asnumpy(arr), allow_pickle)


@takes_stream
def savez(file: Any, *args: Any, allow_pickle: bool = False, **kwds: Any) -> None:
    """Write arrays to an .npz file, named by their keywords, or arr_0, arr_1 and so on.

    As `save` otherwise. No array can be named `file`, `allow_pickle` or `stream`.
    """
    _write_npz(np.savez, "savez", file, args, allow_pickle, kwds)


@takes_stream
def savez_compressed(file: Any, *args: Any, allow_pickle: bool = False, **kwds: Any) -> None:
    """Write arrays to a compressed .npz file, as `savez`."""
    _write_npz(np.savez_compressed, "savez_compressed", file, args, allow_pickle, kwds)


def _write_npz(write: Any, what: str, file: Any, args: Any, allow_pickle: bool, kwds: Any) -> None:
    hosts = [_core.asnumpy(a) for a in args]
    named = {name: _core.asnumpy(a) for name, a in kwds.items()}
    # NumPy's parameter is newer than 2.0, which would write it as an array.
    if not allow_pickle and any(host.dtype.hasobject for host in (*hosts, *named.values())):
        raise ValueError(f"{what}: objects are written as pickles; got allow_pickle=False")
    write(require_file(what, file), *hosts, **named)


@takes_stream
def fromfile(
    file: Any,
    dtype: Any = None,
    count: int = -1,
    sep: str = "",
    offset: int = 0,
    *,
    device: Any = None,
) -> GPUArray:
    """Return the elements of a file as an array of one dimension, as numpy.fromfile.

    `file` is a path or an open file of the system, from whose place it reads `count` elements, or
    all. Bytes of `dtype`, float64 by default and of either byte order, or text where `sep` is
    given. `offset` counts bytes to pass over.
    """
    kind, cast = read_as(dtype, bool(sep))
    host = np.fromfile(require_file("fromfile", file), kind, count, sep, offset)
    return copied("fromfile", host, device, cast)


@takes_stream
def frombuffer(
    buffer: Any, dtype: Any = None, count: int = -1, offset: int = 0, *, device: Any = None
) -> GPUArray:
    """Return the bytes of a buffer as an array of one dimension, a copy on every device.

    `dtype` is float64 by default, of either byte order; `offset` counts bytes to pass over.
    """
    host = np.frombuffer(buffer, host_dtype(dtype), count, offset)
    return copied("frombuffer", host, device)


@takes_stream
def fromstring(
    string: str, dtype: Any = float, count: int = -1, *, sep: str, device: Any = None
) -> GPUArray:
    """Return the numbers in a text, which `sep` separates, as an array of one dimension."""
    if not isinstance(string, (str, bytes)):
        raise TypeError(f"fromstring: expected a str, got {type(string).__name__}")
    kind, cast = read_as(dtype, True)
    return copied("fromstring", np.fromstring(string, kind, count, sep=sep), device, cast)


def read_as(dtype: Any, text: bool) -> tuple[np.dtype[Any], str | None]:
    """Return the dtype in which NumPy reads, and the one to cast to: it parses no bfloat16."""
    kind = host_dtype(dtype)
    return (np.dtype("float64"), "bfloat16") if text and kind.name == "bfloat16" else (kind, None)


def writable_text(a: Any) -> Host:
    """Return an array in the host's memory, bfloat16 as float32, which NumPy can print."""
    host = _core.asnumpy(a)
    return host.astype("float32") if host.dtype.name == "bfloat16" else host
