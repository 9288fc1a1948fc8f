# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""What answers to NumPy's functions that are no ufuncs."""

from collections.abc import Callable
from typing import Any

from gpuarray._arguments import require_array
from gpuarray._core import GPUArray

<<<<<<< HEAD
__all__ = ["CREATION", "counterpart"]
=======
__all__ = ["ANSWERS", "CREATION", "SAME"]

# Functions that have a counterpart of the same name and signature.
SAME = [
    "angle",
    "append",
    "argmax",
    "argmin",
    "array_split",
    "astype",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "block",
    "broadcast_arrays",
    "broadcast_to",
    "can_cast",
    "clip",
    "column_stack",
    "concatenate",
    "copy",
    "cumprod",
    "cumsum",
    "cumulative_prod",
    "cumulative_sum",
    "delete",
    "diag",
    "diagflat",
    "diagonal",
    "dot",
    "dsplit",
    "dstack",
    "empty_like",
    "expand_dims",
    "fill_diagonal",
    "flip",
    "fliplr",
    "flipud",
    "full_like",
    "geomspace",
    "hsplit",
    "hstack",
    "imag",
    "insert",
    "ix_",
    "linspace",
    "logspace",
    "mean",
    "meshgrid",
    "moveaxis",
    "ones_like",
    "pad",
    "ravel",
    "ravel_multi_index",
    "real",
    "repeat",
    "reshape",
    "resize",
    "result_type",
    "roll",
    "rot90",
    "split",
    "squeeze",
    "stack",
    "swapaxes",
    "tile",
    "trace",
    "transpose",
    "tril",
    "triu",
    "unravel_index",
    "unstack",
    "vsplit",
    "vstack",
    "where",
    "zeros_like",
]
>>>>>>> h-space

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


<<<<<<< HEAD
def _reshape(
    a: Any, /, shape: Any = None, order: str = "C", *, copy: bool | None = None
) -> GPUArray:
    made: GPUArray = require_array("reshape", a).reshape(shape, order=order)
    if copy is False and made.ptr != a.ptr:
        raise ValueError("reshape: a copy is needed for this shape and order; got copy=False")
    return made.copy("K") if copy and made.ptr == a.ptr else made


_ANSWERS: dict[str, Callable[..., Any]] = {
    "array_repr": repr,
    "array_str": str,
    "reshape": _reshape,
=======
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


def _copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    target = require_array("copyto", dst)
    mask = as_mask("copyto", where)
    if not isinstance(src, GPUArray):
        # A scalar is to be of the target's dtype or weak, as in an assignment.
        made = _core.empty((), target._dtype_name, device=target.device)
        made[...] = src
        src = made
    deliver("copyto", src, target, mask, casting)


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
    "copyto": _copyto,
    "iscomplexobj": lambda x: "complex" in x._dtype_name,
    "isrealobj": lambda x: "complex" not in x._dtype_name,
    "matrix_transpose": lambda x, /: x.mT,
    "max": _without_dtype(np.maximum),
    "min": _without_dtype(np.minimum),
    "ndim": lambda a: a.ndim,
    "prod": _prod,
    "shape": lambda a: a.shape,
    "size": lambda a, axis=None: np.size(np.broadcast_to(False, a.shape), axis),
    "sum": _sum,
>>>>>>> h-space
}


def counterpart(name: str) -> Callable[..., Any] | None:
    """Return what answers to NumPy's function of this name: the one of gpuarray, but for a few."""
    import gpuarray

    public = name in gpuarray.__all__ and callable(getattr(gpuarray, name))
    return _ANSWERS.get(name) or (getattr(gpuarray, name) if public else None)
