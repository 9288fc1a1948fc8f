# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""What dask.array calls for chunks that are GPUArrays, beyond NumPy's protocols.

This module is imported, and so registers it, when both gpuarray and dask.array are. Of dask.array
it imports modules that need no other of its own, as dask.array may be imported in part only.
"""

import functools
import math
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from dask.array import dispatch
from dask.array.chunk_types import register_chunk_type
from dask.utils import Dispatch

from gpuarray._common import package
from gpuarray._core import GPUArray

to_gpuarray = Dispatch("to_gpuarray")


def concatenate(arrays: Sequence[Any], axis: int = 0, **kwargs: Any) -> GPUArray:
    """Join chunks, among them those that dask makes of values on the host, as for insert()."""
    device = next(a.device for a in arrays if isinstance(a, GPUArray))
    chunks = [to_gpuarray(a, device) for a in arrays]
    joined: GPUArray = package.module.concatenate(chunks, axis, **kwargs)
    return joined


def called_later(name: str) -> Callable[..., Any]:
    """Return a function that calls gpuarray's, which the package may get after this module."""
    return lambda *args, **kwargs: getattr(package.module, name)(*args, **kwargs)


def numel(
    x: GPUArray, axis: Any = None, keepdims: bool = False, dtype: Any = np.float64, **_: Any
) -> Any:
    """Return the number of elements along `axis`, where `x` is and without a copy for each."""
    axes = range(x.ndim) if axis is None else np.atleast_1d(axis).tolist()
    count = math.prod(x.shape[i] for i in axes)
    left = (1 if i in axes else n for i, n in enumerate(x.shape) if keepdims or i not in axes)
    one = package.module.full((), count, dtype, device=x.device)
    return package.module.broadcast_to(one, tuple(left))


def percentile(a: GPUArray, q: Any, method: str = "linear") -> tuple[GPUArray | None, int]:
    """Return the percentiles of one chunk and its length; those of an empty one are None."""
    if len(a) == 0:
        return None, 0
    return package.module.percentile(a, q, method="nearest" if a.dtype == bool else method), len(a)


def to_numpy(a: GPUArray, **kwargs: Any) -> np.ndarray[Any, Any]:
    """Copy to the host."""
    copied: np.ndarray[Any, Any] = a.get(**kwargs)
    return copied


@to_gpuarray.register(object)  # type: ignore[untyped-decorator]
def _convert(x: Any, device: Any = None, **_: Any) -> Any:
    if isinstance(x, np.ndarray) and not x.dtype.isnative:
        x = x.astype(x.dtype.newbyteorder("="))
    return package.module.asarray(x, device=device)


@to_gpuarray.register(GPUArray)  # type: ignore[untyped-decorator]
def _keep(x: GPUArray, device: Any = None, **_: Any) -> GPUArray:
    return x


def argtopk_preprocess(function: Callable[..., Any], a: Any, idx: Any) -> Any:
    """Put the indices of a chunk, which dask makes on the host, where the chunk is."""
    return function(a, to_gpuarray(idx, a.device) if isinstance(a, GPUArray) else idx)


def custom_nanquantile(
    function: Callable[..., Any], a: Any, q: Any, axis: Any = None, **kwargs: Any
) -> Any:
    """Compute nanquantile of a chunk at once; dask's own steps index it by tuples of the host."""
    if not isinstance(a, GPUArray):
        return function(a, q, axis=axis, **kwargs)
    given = {key: value for key, value in kwargs.items() if value is not None}
    return package.module.nanquantile(a, q, axis=axis, **given)


def load_store_chunk(
    function: Callable[..., Any], x: Any, out: Any, *args: Any, **kwargs: Any
) -> Any:
    """Store a copy on the host in what holds memory of the host: files, zarr, h5py, ndarrays."""
    is_device = isinstance(out, GPUArray) or hasattr(out, "__cuda_array_interface__")
    if isinstance(x, GPUArray) and not is_device:
        x = to_numpy(x)
    return function(x, out, *args, **kwargs)


def _wrap(module: str, name: str, wrapper: Callable[..., Any]) -> None:
    """Wrap a function of dask that has no dispatch. Its name in pickles stays dask's."""
    home = sys.modules.get(module)
    original = getattr(home, name, None)
    if original is None:
        return

    @functools.wraps(original)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return wrapper(original, *args, **kwargs)

    setattr(home, name, wrapped)


register_chunk_type(GPUArray)
for module, name, wrapper in (
    ("dask.array.chunk", "argtopk_preprocess", argtopk_preprocess),
    ("dask.array.reductions", "_custom_nanquantile", custom_nanquantile),
    ("dask.array.core", "load_store_chunk", load_store_chunk),
):
    _wrap(module, name, wrapper)
for lookup, function in (
    (dispatch.concatenate_lookup, concatenate),
    (dispatch.divide_lookup, called_later("divide")),
    (dispatch.einsum_lookup, called_later("einsum")),
    (dispatch.empty_lookup, package.module.empty),
    (dispatch.numel_lookup, numel),
    (dispatch.percentile_lookup, percentile),
    (dispatch.take_lookup, package.module.take),
    (dispatch.tensordot_lookup, package.module.tensordot),
    (dispatch.to_numpy_dispatch, to_numpy),
):
    lookup.register(GPUArray, function)
