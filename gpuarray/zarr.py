# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Buffers with which zarr (3.1.2 and later) reads into GPUArrays and writes them.

Stores and codecs work in the host's memory. What is asked for of a chunk goes to the device when
zarr puts it into the result; an array that is written comes from there whole, before it is encoded.
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
    from packaging.version import Version  # which zarr needs too
    from zarr.buffer import cpu
    from zarr.core.buffer import BufferPrototype
    from zarr.core.buffer import NDBuffer as _CoreNDBuffer
    from zarr.registry import register_buffer, register_ndbuffer

    if Version(zarr.__version__).release < (3, 1, 2):
        raise ImportError(f"this is zarr {zarr.__version__}", name="zarr")
except ImportError as error:
    raise ImportError(
        "gpuarray.zarr needs zarr 3.1.2 or later, as in gpuarray-cuda[zarr]", name=error.name
    ) from error

__all__ = ["Buffer", "NDBuffer", "buffer_prototype", "enable"]

Host = np.ndarray[Any, Any]
_DEVICE = "gpuarray.device"  # in zarr.config, beside the names of the buffers


def _native(dtype: Any) -> np.dtype[Any] | None:
    """Return NumPy's dtype in native byte order; None where no device has it."""
    kind = np.dtype(dtype)
    return kind.newbyteorder("=") if kind.name in NAMES else None


def _is_view(key: Any) -> bool:
    """Return whether the key selects by slices and integers alone, so that a[key] is a view."""
    parts = key if isinstance(key, tuple) else (key,)
    return all(part is Ellipsis or isinstance(part, (slice, int, np.integer)) for part in parts)


def _host(value: Any) -> Any:
    return value.get() if isinstance(value, GPUArray) else value


class Buffer(cpu.Buffer):
    """Bytes in the host's memory; those of a GPUArray are copied there, when work on it is done."""

    def __init__(self, array_like: Any) -> None:
        super().__init__(_host(array_like))


class NDBuffer(_CoreNDBuffer):
    """An array of either memory: what zarr reads into is a GPUArray, all else an ndarray.

    `empty`, with which zarr makes results, gives GPUArrays on the device of `enable`, in native
    byte order, and ndarrays for dtypes that no device has. `create` and `from_ndarray_like`, with
    which it makes chunks and takes what is written, give ndarrays.
    """

    _data: Any

    def __init__(self, array: Any) -> None:
        super().__init__(array)

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
        if native is None:
            return cls(np.empty(shape, dtype, order))
        return cls(_core.empty(shape, native, order=order, device=zarr.config.get(_DEVICE, None)))

    @classmethod
    def from_ndarray_like(cls, ndarray_like: Any) -> "NDBuffer":
        """Return a buffer in the host's memory, a copy of a GPUArray when work on it is done."""
        return cls(_host(ndarray_like))

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
        target: Any = self._data[key] if _is_view(key) else None
        fits = getattr(target, "shape", None) == getattr(value, "shape", None) != ()
        on_device = isinstance(self._data, GPUArray)
        if on_device and isinstance(value, np.ndarray):
            host = value if value.dtype.isnative else value.astype(_native(value.dtype))
            if fits:
                target.set(host)
            else:
                self._data[key] = _core.to_device(host, device=self._data.device)
        else:
            self._data[key] = value if on_device else _host(value)

    def all_equal(self, other: Any, equal_nan: bool = True) -> bool:
        """Return whether all elements are `other`; -0.0 is not 0.0. Waits for the device."""
        a = self._data
        if other is None or not isinstance(a, GPUArray):
            return bool(super().all_equal(other, equal_nan))
        if np.ndim(other) == 0 and a.dtype.kind == "f" and other == 0.0:
            # The sign bit tells the zeros apart.
            zero = np.asarray(other, a.dtype).view(f"u{a.itemsize}")[()]
            return bool((a.view(f"u{a.itemsize}") == zero).all())
        value = _core.to_device(np.asarray(_host(other)), device=a.device)
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
        {
            "buffer": "gpuarray.zarr.Buffer",
            "ndbuffer": "gpuarray.zarr.NDBuffer",
            _DEVICE: str(chosen),
        }
    )
