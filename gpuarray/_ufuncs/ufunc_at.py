# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The method `at` of NumPy's ufuncs on GPUArrays."""

from typing import Any

import numpy as np

from gpuarray._common.arguments import require_array, require_castable
from gpuarray._common.dtype_table import dtype_kind
from gpuarray._core import GPUArray
from gpuarray._creation.ranges import arange
from gpuarray._dtypes.dtype_functions import result_type
from gpuarray._manipulation.broadcasting import broadcast_to
from gpuarray._ufuncs.ufunc_call import call, counterpart
from gpuarray._ufuncs.ufunc_folds import IN_ANY_ORDER, can_combine, combine, goes_in_order

__all__ = ["at"]

_RING = ("add", "subtract", "multiply")


def at(ufunc: np.ufunc, a: Any, indices: Any, *values: Any) -> None:
    """Do ufunc.at(a, indices, *values); values for the same element are applied in their order."""
    name = f"{ufunc.__name__}.at"
    require_array(name, a)
    if len(values) != ufunc.nin - 1:
        raise ValueError(f"{name}: expected {ufunc.nin - 1} operands, got {len(values)}")
    function = counterpart(ufunc)
    if not a.flags.writeable:
        raise ValueError(f"{name}: the array is read-only")
    parts = indices if isinstance(indices, tuple) else (indices,)
    if all(_is_basic(part) for part in parts):
        # With an ellipsis an element is a view, not a value.
        target = a[parts if any(part is Ellipsis for part in parts) else (*parts, ...)]
        call(ufunc, (target, *values), (target,), {})
        return
    empty = [v.reshape(-1)[:0] if isinstance(v, GPUArray) else v for v in values]
    require_castable(name, function(a.reshape(-1)[:0], *empty)._dtype_name, a._dtype_name)
    if values and _is_one_kernel(ufunc, a, empty[0]):
        combine(ufunc, a, indices, values[0])
    else:
        _by_rank(ufunc, a, indices, values)


def _is_basic(part: Any) -> bool:
    return (
        part is None
        or part is Ellipsis
        or (isinstance(part, (int, np.integer, slice)) and not isinstance(part, bool))
    )


def _is_one_kernel(ufunc: np.ufunc, a: GPUArray, value: Any) -> bool:
    """Return whether the kernel that combines values into elements gives NumPy's results here."""
    name, dtype = ufunc.__name__, a._dtype_name
    # The operands of ldexp are of two kinds, a float and an integer.
    if name == "ldexp":
        return False
    if counterpart(ufunc)(a.reshape(-1)[:0], a.reshape(-1)[:0])._dtype_name != dtype:
        return False
    is_ring = name in _RING and dtype_kind(dtype) in ("i", "u")
    if not is_ring and result_type(a, value) != a.dtype:
        return False
    if a.device.kind == "cpu":
        return goes_in_order(ufunc, a)
    return name in (*IN_ANY_ORDER, "subtract") and can_combine(ufunc, a)


def _by_rank(ufunc: np.ufunc, a: GPUArray, indices: Any, values: tuple[Any, ...]) -> None:
    """Apply the values in rounds in which no element occurs twice; waits for the device."""
    function, flat = counterpart(ufunc), a.reshape(-1)
    meant = arange(a.size, device=a.device).reshape(a.shape)[indices]
    operands = [
        broadcast_to(v, meant.shape).reshape(-1) if isinstance(v, GPUArray) else v for v in values
    ]
    places = meant.get().reshape(-1)
    for chosen in _rounds(places):
        elements = flat[places[chosen]]
        taken = [v[chosen] if isinstance(v, GPUArray) else v for v in operands]
        flat[places[chosen]] = function(elements, *taken)
    if not a.flags.c_contiguous:
        a[...] = flat.reshape(a.shape)


def _rounds(places: np.ndarray[Any, Any]) -> list[np.ndarray[Any, Any]]:
    """Return for each k the positions in `places` that name a place for the k-th time."""
    order = np.argsort(places, kind="stable")
    named = places[order]
    numbers = np.arange(len(places))
    is_first = np.append(True, named[1:] != named[:-1])[: len(places)]
    rank = numbers - np.maximum.accumulate(np.where(is_first, numbers, 0))
    by_rank = order[np.argsort(rank, kind="stable")]
    return np.split(by_rank, np.cumsum(np.bincount(rank))[:-1]) if len(places) else []
