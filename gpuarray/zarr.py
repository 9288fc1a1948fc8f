# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Buffers with which zarr (3.1 and later) reads into GPUArrays and writes them.

Bytes, which stores and codecs work on, stay in the host's memory. A chunk goes to the device when
zarr puts what was asked for of it into the result, and comes from there when it is encoded.
"""

from collections.abc import Iterable
from typing import Any, Literal

import numpy as np

from gpuarray import _core
from gpuarray._common.dtype_table import NAMES
from gpuarray._core import Device, GPUArray, default_device
from gpuarray._manipulation.broadcasting import broadcast_to
from gpuarray._math.comparisons import array_equal

try:
    import zarr
    from zarr.buffer import cpu
    from zarr.core.buffer import BufferPrototype
    from zarr.core.buffer import NDBuffer as _CoreNDBuffer
    from zarr.registry import register_buffer, register_ndbuffer
except ImportError as error:
    raise ImportError(
        "gpuarray.zarr needs zarr 3.1 or later, as in gpuarray-cuda[zarr]", name=error.name
    ) from error

__all__ = ["Buffer", "NDBuffer", "buffer_prototype", "enable"]

Host = np.ndarray[Any, Any]
_DEVICE = "gpuarray.device"  # in zarr.config, beside the names of the buffers


def _native(dtype: Any) -> np.dtype[Any]:
    return np.dtype(dtype).newbyteorder("=")


def _is_view(key: Any) -> bool:
    """Return whether the key selects by slices and integers alone, so that a[key] is a view."""
    parts = key if isinstance(key, tuple) else (key,)
    return all(part is Ellipsis or isinstance(part, (slice, int, np.integer)) for part in parts)


class Buffer(cpu.Buffer):
    """Bytes in the host's memory; those of a GPUArray are copied there, when work on it is done."""

    def __init__(self, array_like: Any) -> None:
        super().__init__(_core.asnumpy(array_like))


class NDBuffer(_CoreNDBuffer):
    """A GPUArray, or what zarr decodes or has been given to write: an ndarray, until it is needed.

    `empty`, with which zarr makes results, gives GPUArrays on the device of `enable`, in native
    byte order; ndarrays for dtypes that no device has. Chunks that zarr assembles in order to
    write them (`create`) are ndarrays.
    """

    _data: Any

    @classmethod
    def create(
        cls,
        *,
        shape: Iterable[int],
        dtype: Any,
        order: Literal["C", "F"] = "C",
        fill_value: Any = None,
    ) -> "NDBuffer":
        """Return a chunk in the host's memory, of zeros or `fill_value`."""
        made = cpu.NDBuffer.create(shape=shape, dtype=dtype, order=order, fill_value=fill_value)
        return cls(made.as_ndarray_like())

    @classmethod
    def empty(
        cls, shape: tuple[int, ...], dtype: Any, order: Literal["C", "F"] = "C"
    ) -> "NDBuffer":
        """Return an array on the device, whose elements are not set."""
        native = _native(dtype)
        if native.name not in NAMES:
            return cls(np.empty(shape, dtype, order))  # type: ignore[arg-type]
        return cls(_core.empty(shape, native, order=order, device=zarr.config.get(_DEVICE, None)))

    @classmethod
    def from_numpy_array(cls, array_like: Any) -> "NDBuffer":
        """Return a buffer of the array, which stays in the host's memory."""
        return cls(np.asanyarray(array_like))

    def as_numpy_array(self) -> Host:
        """Return the elements on the host: a copy, when work on them is done, of a device's."""
        return _core.asnumpy(self._data)

    def astype(self, dtype: Any, order: Literal["K", "A", "C", "F"] = "K") -> "NDBuffer":
        """Return a converted copy, on the host where the byte order is not native."""
        on_device = np.dtype(dtype).isnative and isinstance(self._data, GPUArray)
        array = self._data if on_device else self.as_numpy_array()
        return self.__class__(array.astype(dtype=dtype, order=order))

    def __getitem__(self, key: Any) -> "NDBuffer":
        found = self._data[key]
        return self.__class__(found if isinstance(found, GPUArray) else np.asanyarray(found))

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(value, _CoreNDBuffer):
            value = value.as_ndarray_like()
        if not isinstance(self._data, GPUArray):
            self._data[key] = _core.asnumpy(value) if isinstance(value, GPUArray) else value
        elif isinstance(value, np.ndarray) and value.ndim > 0:
            self._copy_in(key, value)
        else:
            self._data[key] = value

    def _copy_in(self, key: Any, host: Host) -> None:
        host = host if host.dtype.isnative else host.astype(_native(host.dtype))
        part = self._data[key] if _is_view(key) else None
        if part is not None and part.shape == host.shape:
            part.set(host)
        else:
            self._data[key] = _core.to_device(host, device=self._data.device)

    def all_equal(self, other: Any, equal_nan: bool = True) -> bool:
        """Return whether all elements are `other`; -0.0 is not 0.0. Waits for the device."""
        a = self._data
        if other is None or not isinstance(a, GPUArray):
            return super().all_equal(other, equal_nan)
        if np.ndim(other) == 0 and a.dtype.kind == "f" and other == 0.0:
            # The sign bit tells the zeros apart.
            zero = np.asarray(other, a.dtype).view(f"u{a.itemsize}")[()]
            return bool((a.view(f"u{a.itemsize}") == zero).all())
        value = _core.to_device(np.asarray(_core.asnumpy(other)), device=a.device)
        return bool(array_equal(a, broadcast_to(value, a.shape), equal_nan=equal_nan))


buffer_prototype = BufferPrototype(buffer=Buffer, nd_buffer=NDBuffer)
register_buffer(Buffer)
register_ndbuffer(NDBuffer)


def enable(device: "Device | str | None" = None) -> Any:
    """Have zarr read into GPUArrays on `device`, in this process and from now on.

    ``with gpuarray.zarr.enable():`` undoes that at the end of its block, as with zarr.config.set.
    None is the default device of now. zarr works in threads of its own, where ``with device:`` of
    other threads does not apply; the current stream of whoever calls zarr does. DeviceError for a
    device that does not exist.
    """
    chosen = default_device() if device is None else Device(device)
    return zarr.config.set(
        {"buffer": "gpuarray.zarr.Buffer", "ndbuffer": "gpuarray.zarr.NDBuffer", _DEVICE: str(chosen)}
    )
