# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Products of vectors, matrices and n-dimensional arrays, by matmul or element by element."""

import contextlib
from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import (
    assigned,
    broadcast_shapes,
    is_complex,
    normalize_axis,
    require_array,
    require_writable,
)
from gpuarray._common.dtype_table import is_half
from gpuarray._common.numpy_calls import numpys_on_cpu
from gpuarray._common.operands import Operand, takes_lists
from gpuarray._core import GPUArray
from gpuarray._dtypes.dtype_functions import result_name
from gpuarray._runtime.streams import takes_stream
from gpuarray._ufuncs.ufunc_call import call_function

__all__ = [
    "dot",
    "inner",
    "kron",
    "matmul_precision",
    "matrix_transpose",
    "matvec",
    "outer",
    "tensordot",
    "vdot",
    "vecdot",
    "vecmat",
]

# For sums of at most so many elements, elementwise products are faster than many small matmuls.
_SHORT_SUM = 64

# The argument `axes` of tensordot: a number of axes, or the axes of each array.
_Axes = int | tuple[Sequence[int] | int, Sequence[int] | int]


@contextlib.contextmanager
def matmul_precision(precision: str) -> Iterator[None]:
    """Set the precision of products, as set_matmul_precision, of this thread within ``with``."""
    before = _core._set_thread_matmul_precision(precision)
    try:
        yield
    finally:
        _core._set_thread_matmul_precision(before)


@takes_stream
def dot(a: Operand, b: Operand, out: GPUArray | None = None) -> GPUArray:
    """Return the dot product of numpy.dot: sums over a's last axis and b's last but one.

    For scalars and 0-d arrays it is the elementwise product. Returns a new array or `out`, which
    has the result's shape and dtype and is C-contiguous. Queued on the current stream. ValueError
    for shapes and for `out` that do not fit.
    """
    if out is not None:
        _require_dot_out(a, b, out)
    if _is_scaling(a, b):
        return _elementwise("dot", a, b, out)
    if a.ndim <= 2 and b.ndim <= 2:
        return _core.matmul(a, b, out)
    axis = max(b.ndim - 2, 0)
    _require_same("dot", a, b, a.shape[-1], b.shape[axis])
    return assigned("dot", out, _contract(a, b, (a.ndim - 1,), (axis,)))


@takes_stream
@numpys_on_cpu(np.vdot)
def vdot(a: GPUArray, b: GPUArray, /) -> GPUArray:
    """Return the sum of conj(a) * b over all elements, in C order: a 0-d array."""
    left, right = _flat("vdot", a), _flat("vdot", b)
    _require_same("vdot", a, b, left.size, right.size)
    return _core._vdot("vdot", left, right)


@takes_stream
@numpys_on_cpu(np.inner)
def inner(a: Operand, b: Operand, /) -> GPUArray:
    """Return the sums of products over the last axes, of shape a.shape[:-1] + b.shape[:-1].

    For scalars and 0-d arrays it is the elementwise product.
    """
    if _is_scaling(a, b):
        return _elementwise("inner", a, b)
    _require_same("inner", a, b, a.shape[-1], b.shape[-1])
    return _contract(a, b, (a.ndim - 1,), (b.ndim - 1,))


@takes_stream
def outer(a: Operand, b: Operand, out: GPUArray | None = None) -> GPUArray:
    """Return all products of an element of `a` and one of `b`, of shape (a.size, b.size)."""
    if issubclass(type(a), GPUArray) and issubclass(type(b), GPUArray):
        return _core.multiply(_flat("outer", a)[:, None], _flat("outer", b)[None], out)
    rows = _flat("outer", a)[:, None] if issubclass(type(a), GPUArray) else a
    columns = _flat("outer", b)[None] if issubclass(type(b), GPUArray) else b
    made = _elementwise("outer", rows, columns, out)
    return made.reshape(1, 1) if made.ndim == 0 else made


@takes_stream
def vecdot(
    x1: GPUArray,
    x2: GPUArray,
    /,
    out: GPUArray | None = None,
    *,
    axis: int | None = None,
    **kwargs: Any,
) -> GPUArray:
    """Return the sums of conj(x1) * x2 along an axis of each; the other axes broadcast.

    `axes`, `keepdims`, `dtype`, `casting` and `order` are those of NumPy's ufuncs. Returns a new
    array or `out`. Queued on the current stream. ValueError for lengths that differ.
    """
    if kwargs:
        return _called("vecdot", x1, x2, out, axis=axis, **kwargs)
    axis = -1 if axis is None else axis
    left, right = _last("vecdot", x1, axis), _last("vecdot", x2, axis)
    _require_same("vecdot", x1, x2, left.shape[-1], right.shape[-1])
    if left.ndim == right.ndim == 1:
        return assigned("vecdot", out, _core._vdot("vecdot", left, right))
    return assigned("vecdot", out, sum_of_products(_conjugate(left), right))


@takes_stream
def matvec(x1: GPUArray, x2: GPUArray, /, out: GPUArray | None = None, **kwargs: Any) -> GPUArray:
    """Return the products of matrices (..., m, n) and vectors (..., n), of shape (..., m).

    `axes`, `dtype`, `casting` and `order` are those of NumPy's ufuncs.
    """
    if kwargs:
        return _called("matvec", x1, x2, out, **kwargs)
    require_array("matvec", x1), _last("matvec", x2, -1)
    _require_dimensions("matvec", x1, 2)
    product = x1 @ x2[..., None]
    return assigned("matvec", out, product.reshape(product.shape[:-1]))


@takes_stream
def vecmat(x1: GPUArray, x2: GPUArray, /, out: GPUArray | None = None, **kwargs: Any) -> GPUArray:
    """Return the products of conj(vectors) (..., m) and matrices (..., m, n), of shape (..., n).

    `axes`, `dtype`, `casting` and `order` are those of NumPy's ufuncs.
    """
    if kwargs:
        return _called("vecmat", x1, x2, out, **kwargs)
    _last("vecmat", x1, -1), require_array("vecmat", x2)
    _require_dimensions("vecmat", x2, 2)
    product = _conjugate(x1)[..., None, :] @ x2
    return assigned("vecmat", out, product.reshape((*product.shape[:-2], product.shape[-1])))


@takes_lists
def matrix_transpose(x: GPUArray, /) -> GPUArray:
    """Return x.mT: a view with the last two axes swapped. ValueError for fewer than two."""
    _require_dimensions("matrix_transpose", require_array("matrix_transpose", x), 2)
    return x.mT


@takes_stream
def tensordot(a: GPUArray, b: GPUArray, axes: _Axes = 2) -> GPUArray:
    """Return the sums of products over pairs of axes; a's other axes come first, then b's.

    `axes` is a pair of sequences, of a's axes and of b's, or a number n: the last n of `a` with the
    first n of `b`. Transposed and merged axes are read without a copy where the layout allows it.
    Queued on the current stream. ValueError for lengths that differ.
    """
    require_array("tensordot", a), require_array("tensordot", b)
    left, right = _pairs(axes, a.ndim)
    left = tuple(normalize_axis(axis, a.ndim) for axis in left)
    right = tuple(normalize_axis(axis, b.ndim) for axis in right)
    if len(left) != len(right) or len({*left}) < len(left) or len({*right}) < len(right):
        raise ValueError(f"tensordot: expected pairs of different axes, got {axes}")
    lengths = [tuple(x.shape[axis] for axis in of) for x, of in ((a, left), (b, right))]
    _require_same("tensordot", a, b, *lengths)
    return _contract(a, b, left, right)


@takes_stream
def kron(a: Operand, b: Operand) -> GPUArray:
    """Return the Kronecker product: blocks of `b` times each element of `a`."""
    if not (issubclass(type(a), GPUArray) and issubclass(type(b), GPUArray)):
        return _elementwise("kron", a, b)
    ndim = max(a.ndim, b.ndim)
    shapes = [(1,) * (ndim - x.ndim) + x.shape for x in (a, b)]
    blocks = a.reshape([n for extent in shapes[0] for n in (extent, 1)])
    within = b.reshape([n for extent in shapes[1] for n in (1, extent)])
    merged = tuple(i * j for i, j in zip(*shapes, strict=True))
    return _core.multiply(blocks, within).reshape(merged)


def sum_of_products(left: GPUArray, right: GPUArray) -> GPUArray:
    """Return the sums of left * right over the last axis, of one length; the others broadcast."""
    if left.ndim + right.ndim == 2 or not _is_short(left) or _rounds(left) or _rounds(right):
        product = left[..., None, :] @ right[..., :, None]
        return product.reshape(product.shape[:-2])
    products = _core.multiply(left, right)
    if products._dtype_name == "bool":
        return _core.any(products, axis=-1)
    return _core.sum(products, axis=-1, dtype=products._dtype_name)


def as_matrices(
    a: GPUArray, batch: Sequence[int], rows: Sequence[int], columns: Sequence[int]
) -> GPUArray:
    """Return `a` with axes (*batch, rows, columns): `rows` and `columns` are merged into one each.

    The result is a view where the layout allows it, also as transposed matrices.
    """
    if len(rows) == len(columns) == 1:
        return a.transpose((*batch, *rows, *columns))
    extents = [tuple(a.shape[axis] for axis in axes) for axes in (batch, rows, columns)]
    turned = a.transpose((*batch, *columns, *rows))
    if turned.flags.c_contiguous:
        return turned.reshape((*extents[0], prod(extents[2]), prod(extents[1]))).mT
    straight = a.transpose((*batch, *rows, *columns))
    return straight.reshape((*extents[0], prod(extents[1]), prod(extents[2])))


def _contract(a: GPUArray, b: GPUArray, left: Sequence[int], right: Sequence[int]) -> GPUArray:
    """Return the sums of products over pairs of axes of equal length."""
    if not left:
        return _core.multiply(a.reshape(a.shape + (1,) * b.ndim), b)
    # The pairs are sorted by a's axes, which can then be merged without a copy where they are
    # adjacent.
    left, right = zip(*sorted(zip(left, right, strict=True)), strict=True)
    kept = [axis for axis in range(a.ndim) if axis not in left]
    others = [axis for axis in range(b.ndim) if axis not in right]
    product = as_matrices(a, (), kept, left) @ as_matrices(b, (), right, others)
    shape = (*(a.shape[axis] for axis in kept), *(b.shape[axis] for axis in others))
    return product.reshape(shape)


def _pairs(axes: _Axes, ndim: int) -> tuple[Sequence[int], Sequence[int]]:
    if isinstance(axes, Sequence):
        left, right = (tuple(of) if np.iterable(of) else (of,) for of in axes)
        return left, right
    if axes < 0 or axes > ndim:
        raise ValueError(f"tensordot: axes: expected a number from 0 to {ndim}, got {axes}")
    return range(ndim - axes, ndim), range(axes)


def _require_dot_out(a: Any, b: Any, out: Any) -> None:
    dtype = result_name(a, b)
    if require_array("dot: out", out)._dtype_name != dtype or not out.flags.c_contiguous:
        raise ValueError(
            f"dot: expected out to be C-contiguous and of dtype {dtype}, got "
            f"strides {out.strides} and dtype {out._dtype_name}"
        )
    if _is_scaling(a, b):
        require_writable("dot", out, broadcast_shapes(np.shape(a), np.shape(b)))


def _is_scaling(a: Any, b: Any) -> bool:
    """Return whether one operand is a scalar or no GPUArray, so that the product is elementwise."""
    # Of type(), since isinstance() takes the stand-ins of a trace for arrays.
    arrays = issubclass(type(a), GPUArray) and issubclass(type(b), GPUArray)
    return not arrays or 0 in (a.ndim, b.ndim)


def _elementwise(what: str, a: Any, b: Any, out: GPUArray | None = None) -> GPUArray:
    for operand in (a, b):
        if hasattr(operand, "__gpuarray_function__"):
            made: GPUArray = operand.__gpuarray_function__(what, (a, b), {})
            return made
        if isinstance(operand, list | tuple):
            require_array(what, operand)  # or else it is no scaling
    return _core.multiply(a, b, out)


def _called(name: str, x1: Any, x2: Any, out: GPUArray | None, **options: Any) -> GPUArray:
    made: GPUArray = call_function(name, (x1, x2), out, options)
    return made


def _conjugate(a: GPUArray) -> GPUArray:
    return _core.conjugate(a) if is_complex(a) else a


def _flat(what: str, a: Any) -> GPUArray:
    return require_array(what, a).ravel()


def _last(what: str, a: Any, axis: int) -> GPUArray:
    """Return a view with an axis moved to the end."""
    array = require_array(what, a)
    _require_dimensions(what, array, 1)
    if axis == -1:
        return array
    index = normalize_axis(axis, array.ndim)
    return array.transpose([*(i for i in range(array.ndim) if i != index), index])


def _is_short(a: GPUArray) -> bool:
    return 0 < a.shape[-1] <= _SHORT_SUM


def _rounds(a: GPUArray) -> bool:
    """Return whether elementwise products are rounded to 16 bits before they are summed."""
    return is_half(a._dtype_name)


def _require_dimensions(what: str, a: GPUArray, least: int) -> None:
    if a.ndim < least:
        raise ValueError(f"{what}: expected {least} dimensions or more, got shape {a.shape}")


def _require_same(what: str, a: GPUArray, b: GPUArray, left: Any, right: Any) -> None:
    if left != right:
        raise ValueError(f"{what}: shapes {a.shape} and {b.shape} do not fit: {left} and {right}")
