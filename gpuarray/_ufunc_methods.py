# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Methods of NumPy's ufuncs on GPUArrays: reduce, accumulate, outer and at."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._arguments import normalize_axis, or_default, require_array, require_castable
from gpuarray._core import GPUArray
from gpuarray._ufunc_call import Outs, as_mask, call, counterpart, deliver

__all__ = ["accumulate", "at", "outer", "reduce"]

_REDUCTIONS: dict[str, Callable[..., GPUArray]] = {
    "add": _core.sum,
    "multiply": _core.prod,
    "maximum": _core.max,
    "minimum": _core.min,
    "logical_and": _core.all,
    "logical_or": _core.any,
}
# What changes no result, as the weakest scalar that there is.
_IDENTITIES = {"add": False, "multiply": True, "logical_and": True, "logical_or": False}
_HAVE_DTYPE = ("add", "multiply")


def reduce(
    ufunc: np.ufunc,
    a: Any,
    axis: Any = 0,
    dtype: Any = None,
    out: GPUArray | None = None,
    keepdims: bool = False,
    initial: Any = np._NoValue,
    where: Any = True,
) -> GPUArray:
    """Return ufunc.reduce(a, ...), of NumPy's meaning."""
    name = f"{ufunc.__name__}.reduce"
    if ufunc.__name__ not in _REDUCTIONS or getattr(np, ufunc.__name__) is not ufunc:
        raise TypeError(f"{name}: not implemented for GPUArrays")
    function = _REDUCTIONS[ufunc.__name__]
    require_array(name, a)
    axes = _reduced_axes(axis, a.ndim)
    mask = as_mask(name, where)
    if dtype is not None and ufunc.__name__ in ("maximum", "minimum"):
        a = a.astype(dtype, copy=False)
    elif dtype is not None and ufunc.__name__ not in _HAVE_DTYPE and np.dtype(dtype) != bool:
        raise TypeError(f"{name}: dtype must be bool, got {dtype}")
    given = initial is not np._NoValue and initial is not None
    if mask is not None:
        if not given and (ufunc.__name__ not in _IDENTITIES or initial is None):
            raise ValueError(f"{name}: there is no identity, so that where= needs initial=")
        a = _masked(name, a, mask, _IDENTITIES.get(ufunc.__name__, initial))
    nothing = math.prod(a.shape[axis] for axis in axes) == 0
    if initial is None and nothing:
        raise ValueError(f"{name}: zero elements to reduce, and initial=None")
    kwargs: dict[str, Any] = {"axis": axes, "keepdims": keepdims}
    if ufunc.__name__ in _HAVE_DTYPE:
        kwargs["dtype"] = dtype
    if not given:
        return function(a, **kwargs, out=out)
    if nothing and ufunc.__name__ not in _IDENTITIES:
        shape = np.empty(a.shape, bool).any(axis=axes, keepdims=bool(or_default(keepdims))).shape
        made = _core.full(shape, initial, a._dtype_name, device=a.device)
    else:
        made = function(a, **kwargs)
        made = counterpart(ufunc)(made, _scalar_of(initial, made._dtype_name))
    if out is not None and out.shape != made.shape:
        raise ValueError(f"{name}: out has shape {out.shape}, expected {made.shape}")
    return deliver(name, made, out)


def accumulate(
    ufunc: np.ufunc, a: Any, axis: Any = 0, dtype: Any = None, out: GPUArray | None = None
) -> GPUArray:
    """Return ufunc.accumulate(a, ...), of NumPy's meaning."""
    name = f"{ufunc.__name__}.accumulate"
    if getattr(np, ufunc.__name__) is not ufunc:
        raise TypeError(f"{name}: not implemented for GPUArrays")
    require_array(name, a)
    if a.ndim == 0:
        raise TypeError(f"{name}: cannot accumulate on an array of no dimensions")
    axes = _reduced_axes(axis, a.ndim)
    if len(axes) != 1:
        raise ValueError(f"{name}: does not allow multiple axes, got {axis}")
    if dtype is not None and ufunc.__name__.startswith("logical_") and np.dtype(dtype) != bool:
        raise TypeError(f"{name}: dtype must be bool, got {dtype}")
    return _core.accumulate(ufunc.__name__, a, axes[0], dtype, out)


def _reduced_axes(axis: Any, ndim: int) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(ndim))
    axes = axis if isinstance(axis, tuple) else (axis,)
    if ndim == 0 and all(one in (0, -1) for one in axes):  # as NumPy does for scalars
        return ()
    normal = tuple(normalize_axis(one, ndim) for one in axes)
    if len(set(normal)) != len(normal):
        raise ValueError("duplicate value in 'axis'")
    return normal


def _masked(name: str, a: GPUArray, mask: Any, identity: Any) -> GPUArray:
    shape = mask.shape if isinstance(mask, GPUArray) else ()
    if np.broadcast_shapes(shape, a.shape) != a.shape:
        raise ValueError(f"{name}: where has shape {shape}, which does not broadcast to {a.shape}")
    return _core.where(mask, a, _scalar_of(identity, a._dtype_name))


def _scalar_of(value: Any, dtype: str) -> Any:
    """Return a scalar, or array of no dimensions, that takes part without changing the dtype."""
    if isinstance(value, GPUArray):
        return value.astype(dtype, copy=False)
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    return _core.full((), value, dtype, device="cpu").get()[()]


def outer(ufunc: np.ufunc, inputs: tuple[Any, ...], outs: Outs, kwargs: dict[str, Any]) -> Any:
    """Return ufunc.outer(*inputs, **kwargs): all pairs, by broadcasting."""
    if ufunc.nin != 2 or ufunc.signature is not None:
        raise TypeError(f"{ufunc.__name__}.outer: not implemented for GPUArrays")
    a, b = inputs
    if isinstance(a, GPUArray):
        a = a.reshape(a.shape + (1,) * np.ndim(b))
    return call(ufunc, (a, b), outs, kwargs)


# Binary functions whose result does not hang on the order in which the values come.
_IN_ANY_ORDER = (
    *("add", "subtract", "multiply", "divide", "maximum", "minimum", "fmax", "fmin", "hypot"),
    *("bitwise_and", "bitwise_or", "bitwise_xor", "logical_and", "logical_or", "logical_xor"),
    *("gcd", "lcm", "logaddexp", "logaddexp2"),
)


def at(ufunc: np.ufunc, a: Any, indices: Any, *values: Any) -> None:
    """Do ufunc.at(a, indices, *values).

    With arrays among the indices an element may be meant several times: TypeError unless the
    order of the values, which is not fixed, does not matter.
    """
    name = f"{ufunc.__name__}.at"
    require_array(name, a)
    if ufunc.nout != 1 or len(values) != ufunc.nin - 1:
        raise TypeError(f"{name}: takes {ufunc.nin - 1} values, got {len(values)}")
    parts = indices if isinstance(indices, tuple) else (indices,)
    if all(_is_basic(part) for part in parts):
        target = a[indices]
        call(ufunc, (target, *values), (target,), {})
        return
    function = counterpart(ufunc)
    if ufunc.__name__ not in _IN_ANY_ORDER:
        raise TypeError(f"{name}: not implemented for GPUArrays with arrays of indices")
    (value,) = values
    empty = value.reshape(-1)[:0] if isinstance(value, GPUArray) else value
    require_castable(name, function(a.reshape(-1)[:0], empty)._dtype_name, a._dtype_name)
    _core.combine_at_(name, ufunc.__name__, a, indices, value)


def _is_basic(part: Any) -> bool:
    return (
        part is None
        or part is Ellipsis
        or (isinstance(part, (int, np.integer, slice)) and not isinstance(part, bool))
    )
