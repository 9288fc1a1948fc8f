# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""What answers to NumPy's functions that are no ufuncs, where it is more than the same name."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._arguments import require_array
from gpuarray._core import GPUArray
from gpuarray._ufunc_call import as_mask, deliver
from gpuarray._ufunc_methods import reduce

__all__ = ["ANSWERS", "CREATION", "SAME"]

# Functions that have a counterpart of the same name and signature.
SAME = [
    "angle",
    "argmax",
    "argmin",
    "argwhere",
    "choose",
    "clip",
    "compress",
    "concatenate",
    "copy",
    "count_nonzero",
    "cumprod",
    "cumsum",
    "cumulative_prod",
    "cumulative_sum",
    "dot",
    "empty_like",
    "expand_dims",
    "extract",
    "flatnonzero",
    "full_like",
    "imag",
    "mean",
    "moveaxis",
    "nonzero",
    "ones_like",
    "place",
    "put",
    "put_along_axis",
    "putmask",
    "ravel",
    "real",
    "squeeze",
    "stack",
    "swapaxes",
    "take",
    "take_along_axis",
    "transpose",
    "where",
    "zeros_like",
]

# With like=a they make GPUArrays, on the device of `a`.
CREATION = [
    "arange",
    "array",
    "asanyarray",
    "asarray",
    "ascontiguousarray",
    "asfortranarray",
    "empty",
    "eye",
    "full",
    "identity",
    "ones",
    "zeros",
]


def _sum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, **kwargs: Any) -> GPUArray:
    return reduce(np.add, a, axis, dtype, out, **kwargs)


def _prod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, **kwargs: Any) -> GPUArray:
    return reduce(np.multiply, a, axis, dtype, out, **kwargs)


def _without_dtype(ufunc: np.ufunc) -> Callable[..., GPUArray]:
    def answer(
        a: Any, axis: Any = None, out: Any = None, keepdims: bool = False, **kwargs: Any
    ) -> GPUArray:
        return reduce(ufunc, a, axis, None, out, keepdims, **kwargs)

    return answer


def _reshape(
    a: Any, /, shape: Any = None, order: str = "C", *, copy: bool | None = None
) -> GPUArray:
    made: GPUArray = require_array("reshape", a).reshape(shape, order=order)
    if copy is False and made.ptr != a.ptr:
        raise ValueError("reshape: a copy is needed for this shape and order; got copy=False")
    return made.copy("K") if copy and made.ptr == a.ptr else made


def _copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    target = require_array("copyto", dst)
    mask = as_mask("copyto", where)
    if not isinstance(src, GPUArray):
        # A scalar is to be of the target's dtype or weak, as in an assignment.
        made = _core.empty((), target._dtype_name, device=target.device)
        made[...] = src
        src = made
    deliver("copyto", src, target, mask, casting)


def _dtype_or_value(value: Any) -> Any:
    return value.dtype if isinstance(value, GPUArray) else value


def _result_type(*arrays_and_dtypes: Any) -> Any:
    return np.result_type(*map(_dtype_or_value, arrays_and_dtypes))


def _can_cast(from_: Any, to: Any, casting: Any = "safe") -> bool:
    return np.can_cast(_dtype_or_value(from_), to, casting)


def _array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> bool:
    if np.shape(a1) != np.shape(a2):
        return False
    same = _core.equal(a1, a2)
    if equal_nan:
        nans = _core.logical_and(_core.not_equal(a1, a1), _core.not_equal(a2, a2))
        same = _core.logical_or(same, nans)
    return bool(same.all())


def _asfortranarray(obj: Any, dtype: Any = None, *, device: Any = None) -> GPUArray:
    import gpuarray

    return gpuarray.asarray(obj, dtype, "F", device=device)


ANSWERS: dict[str, Callable[..., Any]] = {
    "all": _without_dtype(np.logical_and),
    "amax": _without_dtype(np.maximum),
    "amin": _without_dtype(np.minimum),
    "any": _without_dtype(np.logical_or),
    "array_equal": _array_equal,
    "array_repr": repr,
    "array_str": str,
    "asfortranarray": _asfortranarray,
    "astype": lambda x, dtype, /, *, copy=True, device=None: x.astype(dtype, copy=copy),
    "can_cast": _can_cast,
    "copyto": _copyto,
    "iscomplexobj": lambda x: "complex" in x._dtype_name,
    "isrealobj": lambda x: "complex" not in x._dtype_name,
    "matrix_transpose": lambda x, /: x.mT,
    "max": _without_dtype(np.maximum),
    "min": _without_dtype(np.minimum),
    "ndim": lambda a: a.ndim,
    "prod": _prod,
    "reshape": _reshape,
    "result_type": _result_type,
    "shape": lambda a: a.shape,
    "size": lambda a, axis=None: np.size(np.broadcast_to(False, a.shape), axis),
    "sum": _sum,
}
