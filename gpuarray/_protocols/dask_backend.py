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
from gpuarray._protocols.dask_array import to_gpuarray


def _make(name: str, *args: Any, meta: Any = None, **kwargs: Any) -> Any:
    meta = package.module.empty(()) if meta is None else meta
    with config.set({"array.backend": "numpy"}):
        return getattr(da, name)(*args, meta=meta, **kwargs)


class Backend(ArrayBackendEntrypoint):
    """Arrays whose chunks are GPUArrays, on the default device of the process that makes them."""

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
    def arange(*args: Any, like: Any = None, **kwargs: Any) -> Any:
        like = package.module.empty(()) if like is None else like
        with config.set({"array.backend": "numpy"}):
            return da.arange(*args, like=like, **kwargs)
