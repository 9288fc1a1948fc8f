# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Methods of GPUArray that are written in Python; _core calls them with the array first."""

import html
import pickle
from typing import Any

import numpy as np

from gpuarray import _core, _pickling
from gpuarray._common import package
from gpuarray._common.arguments import is_complex, normalize_axis
from gpuarray._common.dtype_table import dtype_kind
from gpuarray._core import GPUArray
from gpuarray._dtypes.dtype_functions import dtype_of
from gpuarray._indexing import indexing
from gpuarray._indexing.flat_iterator import FlatIterator
from gpuarray._math import math, products, rounding
from gpuarray._protocols import namespace
from gpuarray._protocols.ctypes_view import CTypes, DevicePointer
from gpuarray._protocols.format import is_summarised, shown_elements
from gpuarray._protocols.numpy_protocol import __array_function__, __array_ufunc__
from gpuarray._runtime import sharing
from gpuarray._runtime.streams import takes_stream
from gpuarray._runtime.transfer import get_page_locked, set_later
from gpuarray._sorting import sorting
from gpuarray._ufuncs.assignment import copyto
from gpuarray._ufuncs.chunked_scans import accumulate
from gpuarray._ufuncs.composed_reductions import composed

__all__ = [
    "__array__",
    "__array_function__",
    "__array_interface__",
    "__array_namespace__",
    "__array_ufunc__",
    "__arrow_c_array__",
    "__deepcopy__",
    "__format__",
    "__reduce_ex__",
    "__round__",
    "_as_parameter_",
    "_repr_html_",
    "accumulate",
    "byteswap",
    "clip",
    "compress",
    "conj",
    "ctypes",
    "data",
    "dot",
    "dump",
    "dumps",
    "flat",
    "get_async",
    "gpudata",
    "mul_add",
    "partition",
    "reduce",
    "reverse",
    "set_async",
    "setflags",
    "share",
    "sort",
    "to_numpy",
    "tofile",
    "tolist",
]

__dask_tokenize__ = _pickling.token
__deepcopy__ = _pickling.deepcopy
__reduce_ex__ = _pickling.reduce_ex
ctypes = CTypes
flat = FlatIterator
reduce = composed
dot = products.dot
share = sharing.share


@takes_stream
def conj(self: GPUArray, out: GPUArray | None = None) -> GPUArray:
    if is_complex(self):
        return _core.conjugate(self, out=out)
    if out is None:
        return self
    copyto(out, self)
    return out


def byteswap(self: GPUArray, inplace: bool = False, *, stream: Any = None) -> GPUArray:
    made = self.copy("K", stream=stream)
    width = made.itemsize // 2 if is_complex(made) else made.itemsize
    if width > 1 and made.size:
        parts = made.ravel("K", stream=stream).view("uint8").reshape(-1, width)
        copyto(parts, parts[:, ::-1], stream=stream)
    if not inplace:
        return made
    _assign(self, made, stream)
    return self


def setflags(self: GPUArray, write: Any = None, align: Any = None, uic: Any = None) -> None:
    if align is not None and not align:
        raise ValueError("setflags: the elements of a GPUArray are always aligned; got align=False")
    if uic:
        raise ValueError("setflags: cannot set WRITEBACKIFCOPY flag to True")
    if write is not None:
        self.flags.writeable = bool(write)


def get_async(self: GPUArray, stream: Any = None, ary: Any = None) -> Any:
    return get_page_locked(self, ary, None, stream, True)


def set_async(self: GPUArray, ary: Any, stream: Any = None) -> None:
    set_later(self, ary, stream)


def mul_add(
    self: GPUArray,
    selffac: Any,
    other: GPUArray,
    otherfac: Any,
    add_timer: Any = None,
    stream: Any = None,
    out: GPUArray | None = None,
) -> GPUArray:
    if add_timer is not None:
        raise ValueError("mul_add: add_timer is not supported; events tell times")
    own = _core.multiply(self, _plain(selffac), stream=stream)
    return _core.add(
        own, _core.multiply(other, _plain(otherfac), stream=stream), out, stream=stream
    )


def _plain(factor: Any) -> Any:
    """Return a scalar of NumPy's as Python's, which does not change the dtype of an array."""
    return factor.item() if isinstance(factor, np.generic) else factor


def reverse(self: GPUArray, stream: Any = None) -> GPUArray:
    return self.ravel(stream=stream)[::-1].copy(stream=stream)


def clip(
    self: GPUArray,
    min: Any = None,
    max: Any = None,
    out: Any = None,
    *,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    dtype: Any = None,
    stream: Any = None,
) -> GPUArray:
    if where is True and dtype is None and (casting, order) == ("same_kind", "K"):
        return _core.clip(self, min, max, out, stream=stream)
    options = {"where": where, "casting": casting, "order": order, "dtype": dtype}
    return math.clip(self, min, max, out, stream=stream, **options)


def compress(
    self: GPUArray, condition: Any, axis: Any = None, out: Any = None, *, stream: Any = None
) -> Any:
    return indexing.compress(condition, self, axis, out, stream=stream)


def sort(self: GPUArray, axis: int = -1, *args: Any, stream: Any = None, **kwargs: Any) -> None:
    normalize_axis(axis, self.ndim)
    if stream is None and not args and not kwargs and _sorts_by_numpy(self, axis) is None:
        return
    _assign(self, sorting.sort(self, axis, *args, stream=stream, **kwargs), stream)


def _sorts_by_numpy(self: GPUArray, axis: int) -> Any:
    return _core._call_numpy(np.ndarray.sort, (self, axis), {}, False, False, False)


def partition(
    self: GPUArray, kth: Any, axis: int = -1, *args: Any, stream: Any = None, **kwargs: Any
) -> None:
    normalize_axis(axis, self.ndim)
    _assign(self, sorting.partition(self, kth, axis, *args, stream=stream, **kwargs), stream)


def _assign(self: GPUArray, value: GPUArray, stream: Any) -> None:
    copyto(self, value, stream=stream)


def data(self: GPUArray) -> Any:
    return package.module.cuda.MemoryPointer.of(self)


def gpudata(self: GPUArray) -> DevicePointer:
    return DevicePointer(self.ptr)


def _as_parameter_(self: GPUArray) -> Any:
    return CTypes(self)._as_parameter_


def dumps(self: GPUArray) -> bytes:
    return pickle.dumps(self)


def dump(self: GPUArray, file: Any) -> None:
    if hasattr(file, "write"):
        pickle.dump(self, file)
        return
    with open(file, "wb") as opened:
        pickle.dump(self, opened)


def tolist(self: GPUArray, *, stream: Any = None) -> Any:
    # NumPy's tolist() gives no Python floats for bfloat16.
    exact = self.astype("float32", stream=stream) if self._dtype_name == "bfloat16" else self
    return exact.get(stream=stream).tolist()


def to_numpy(
    self: GPUArray, dtype: Any = None, copy: bool = False, *, stream: Any = None
) -> np.ndarray[Any, Any]:
    host: np.ndarray[Any, Any] = self.get(stream=stream)
    return host if dtype is None else host.astype(dtype_of(dtype), copy=False)


def __round__(self: GPUArray, ndigits: Any = None, /) -> Any:
    if self.ndim or dtype_kind(self._dtype_name) not in ("i", "u", "f"):
        raise TypeError(
            "round: expected an array of one real number and no dimensions, got "
            f"{self._dtype_name} of shape {self.shape}; a.round(decimals) rounds any array"
        )
    return round(self.item()) if ndigits is None else rounding.round(self, ndigits)


@takes_stream
def tofile(self: GPUArray, fid: Any, sep: str = "", format: str = "%s") -> None:
    # Files are read and written by few programs.
    from gpuarray._creation.files import require_file, writable_text

    host = writable_text(self) if sep else _core.asnumpy(self)
    host.tofile(require_file("tofile", fid), sep, format)


def __array__(self: GPUArray, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
    if self.memory_kind == "device":
        if copy is False:
            raise ValueError(
                "__array__: an array on a CUDA device has to be copied; got copy=False"
            )
        _core._guard_transfer(self, "__array__")
        host, shared = _core.asnumpy(self), False
    elif self._dtype_name == "bfloat16":
        host, shared = np.asarray(self.view("uint16")).view(self.dtype), True
    else:
        host, shared = np.asarray(memoryview(self)), True
    if dtype is not None and np.dtype(dtype) != host.dtype:
        if copy is False:
            raise ValueError(f"__array__: {host.dtype} to {dtype} needs a copy; got copy=False")
        return host.astype(dtype)
    return host.copy("K") if copy and shared else host


def __array_interface__(self: GPUArray) -> dict[str, Any]:
    if self.memory_kind == "device" or self._dtype_name == "bfloat16":
        raise AttributeError(
            f"__array_interface__ cannot describe {self._dtype_name} elements in memory of kind "
            f"{self.memory_kind!r}; write a.get()"
        )
    interface: dict[str, Any] = __array__(self).__array_interface__
    # The address is known from now on, so that the memory is lent for good, as by `ptr`.
    return interface | {"data": (self.ptr, interface["data"][1])}


# The formats of Arrow for NumPy's dtypes.
_ARROW_FORMATS = {
    "bool": "b",
    "int8": "c",
    "uint8": "C",
    "int16": "s",
    "uint16": "S",
    "int32": "i",
    "uint32": "I",
    "int64": "l",
    "uint64": "L",
    "float16": "e",
    "float32": "f",
    "float64": "g",
}


def __arrow_c_array__(self: GPUArray, requested_schema: Any = None) -> tuple[Any, Any]:
    if self.ndim != 1:
        raise ValueError(
            f"__arrow_c_array__: expected one dimension, got shape {self.shape}; "
            "write a.reshape(-1)"
        )
    arrow_format = _ARROW_FORMATS.get(self._dtype_name)
    if arrow_format is None:
        raise TypeError(
            f"__arrow_c_array__: Arrow has no dtype {self._dtype_name}; "
            f"it has {', '.join(_ARROW_FORMATS)}"
        )
    host = np.ascontiguousarray(__array__(self))
    if requested_schema is not None:
        asked = _core._arrow_format(requested_schema)
        if asked != arrow_format:
            host, arrow_format = _converted_for_arrow(host, asked), asked
    if host.dtype == np.bool_:
        host = np.packbits(host, bitorder="little")
    return _core._arrow_array(host, self.size, arrow_format)


def _converted_for_arrow(host: Any, arrow_format: str) -> Any:
    """Return the elements in the dtype of a format of Arrow, which keeps integers as they are."""
    name = {known: name for name, known in _ARROW_FORMATS.items()}.get(arrow_format)
    if name is None:
        raise TypeError(
            f"__arrow_c_array__: cannot give {host.dtype} in Arrow's format {arrow_format!r}; "
            "leave the type out, and convert what Arrow makes of the array"
        )
    dtype = np.dtype(name)
    is_float = dtype.kind == "f"
    kinds = "iu" if is_float else "iuf"  # of elements whose values may not fit
    if host.size and host.dtype.kind in kinds and name != "bool":
        high = 2 ** (np.finfo(dtype).nmant + 1) if is_float else np.iinfo(dtype).max
        low = -high if is_float else np.iinfo(dtype).min
        least, most = host.min().item(), host.max().item()
        if not (low <= least and most <= high and (np.trunc(host) == host).all()):
            raise ValueError(
                f"__arrow_c_array__: {host.dtype} elements from {least} to {most} are no {name}, "
                f"which requested_schema asks for; write a.astype({name!r})"
            )
    with np.errstate(over="ignore"):
        return host.astype(name)


def __array_namespace__(self: GPUArray, /, *, api_version: str | None = None) -> Any:
    return namespace.array_namespace(api_version)


def __format__(self: GPUArray, format_spec: str) -> str:
    if not format_spec:
        return str(self)
    if self.ndim == 0:
        return format(self.item(), format_spec)
    raise TypeError(f"format {format_spec!r} needs an array of no dimensions, got {self.ndim}")


def _repr_html_(self: GPUArray) -> str:
    title = f"GPUArray, shape {self.shape}, {self._dtype_name}, {self.device}"
    if self.ndim != 2 or is_summarised(self):
        return f"<p>{html.escape(title)}</p><pre>{html.escape(str(self))}</pre>"
    rows = "".join(
        "<tr>" + "".join(f"<td>{html.escape(str(value))}</td>" for value in row) + "</tr>"
        for row in shown_elements(self)
    )
    return f"<p>{html.escape(title)}</p><table>{rows}</table>"


def __getattr__(name: str) -> Any:
    """Return the public function of the same name, which serves as the method."""
    return getattr(package.module, name)
