# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""dask.array's backend "gpuarray": what makes arrays under dask.config.set({"array.backend": ...}).

dask finds it by the entry point of the package, and imports it when it is first asked for.
"""

from typing import Any

import dask.array as da
from dask import config
from dask.array.backends import ArrayBackendEntrypoint

from gpuarray._common import package
from gpuarray._core import GPUArray
from gpuarray._pickling import distinct
from gpuarray._protocols.dask_array import to_gpuarray


def _make(function: str, /, *args: Any, meta: Any = None, **kwargs: Any) -> Any:
    """Make dask's array of one repeated element, whose chunks go to the device of their task."""
    with config.set({"array.backend": "numpy"}):
        given = None if isinstance(meta, GPUArray) else meta  # its device is that of the client
        made = getattr(da, function)(*args, meta=given, **kwargs)
    if given is not None:
        return made
    return made.map_blocks(_moved, meta=_empty(made.ndim, made.dtype))


def _empty(ndim: int, dtype: Any) -> GPUArray:
    made: GPUArray = package.module.empty((0,) * ndim, dtype)
    return made


def _moved(chunk: Any) -> GPUArray:
    moved: GPUArray = package.module.asarray(distinct(chunk))
    return package.module.broadcast_to(moved, chunk.shape) if 0 in chunk.strides else moved


def _range(start: Any, step: Any, block_info: Any = None) -> GPUArray:
    chunk = block_info[None]
    begin, end = chunk["array-location"][0]
    first, length = start + begin * step, end - begin
    made: GPUArray = package.module.arange(first, first + length * step, step, chunk["dtype"])
    return made[:length]


class Backend(ArrayBackendEntrypoint):
    """Arrays whose chunks are GPUArrays, on the default device of who computes them."""

    @classmethod
    def to_backend_dispatch(cls) -> Any:
        return to_gpuarray

    @classmethod
    def to_backend(  # pyright: ignore[reportIncompatibleMethodOverride] - dask's own do so
        cls, data: Any, **kwargs: Any
    ) -> Any:
        """Copy chunks of other types to the device, each where it is computed."""
        if isinstance(data._meta, GPUArray):
            return data
        return data.map_blocks(to_gpuarray, **kwargs)

    @property
    def RandomState(self) -> Any:  # noqa: N802
        return package.module.random.RandomState

    @property
    def default_bit_generator(self) -> Any:
        return package.module.random.PCG64

    @staticmethod
    def ones(*args: Any, **kwargs: Any) -> Any:
        return _make("ones", *args, **kwargs)

    @staticmethod
    def zeros(*args: Any, **kwargs: Any) -> Any:
        return _make("zeros", *args, **kwargs)

    @staticmethod
    def empty(*args: Any, **kwargs: Any) -> Any:
        return _make("empty", *args, **kwargs)

    @staticmethod
    def full(*args: Any, **kwargs: Any) -> Any:
        return _make("full", *args, **kwargs)

    @staticmethod
    def arange(
        start: Any = 0, /, stop: Any = None, step: Any = 1, *, like: Any = None, **kwargs: Any
    ) -> Any:
        with config.set({"array.backend": "numpy"}):
            planned = da.arange(start, stop, step, like=like, **kwargs)
        if like is not None:
            return planned
        first = 0 if stop is None else start
        meta = _empty(1, planned.dtype)
        return da.map_blocks(
            _range, first, step, chunks=planned.chunks, dtype=planned.dtype, meta=meta
        )
