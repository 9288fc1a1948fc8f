# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""PyCUDA's gpuarray module: the functions and constructors of arrays, under its names.

Arrays are of a class derived from gpuarray.GPUArray, with all its methods. `allocator` matters to
constructors; elsewhere it is taken and has no effect. Work is queued on `stream`, by default the
current one.
"""

from collections.abc import Sequence
from typing import Any

import gpuarray as _gpuarray
from gpuarray.pycuda._constructors import *
from gpuarray.pycuda._constructors import as_class as _as_class
from gpuarray.pycuda._streams import stream_of as _stream_of
from gpuarray.pycuda._vectors import vec as vec

_Array = _gpuarray.GPUArray


def sum(a: _Array, dtype: Any = None, stream: Any = None, allocator: Any = None) -> _Array:
    """Return the sum of all elements, an array of no dimensions."""
    return _gpuarray.sum(a, dtype=dtype, stream=_stream_of(stream))


def max(a: _Array, stream: Any = None) -> _Array:
    """Return the largest element, an array of no dimensions."""
    return _gpuarray.max(a, stream=_stream_of(stream))


def min(a: _Array, stream: Any = None) -> _Array:
    """Return the smallest element, an array of no dimensions."""
    return _gpuarray.min(a, stream=_stream_of(stream))


def any(a: _Array, stream: Any = None, allocator: Any = None) -> _Array:
    """Return whether any element is true, an array of no dimensions."""
    return _gpuarray.any(a, stream=_stream_of(stream))


def all(a: _Array, stream: Any = None, allocator: Any = None) -> _Array:
    """Return whether all elements are true, an array of no dimensions."""
    return _gpuarray.all(a, stream=_stream_of(stream))


def dot(
    a: _Array, b: _Array, dtype: Any = None, stream: Any = None, allocator: Any = None
) -> _Array:
    """Return the sum of the products of all elements, an array of no dimensions."""
    stream = _stream_of(stream)
    a, b = (x.ravel(stream=stream) for x in (a, b))
    if dtype is not None:
        a, b = (x.astype(dtype, stream=stream) for x in (a, b))
    return _gpuarray.dot(a, b, stream=stream)


def _chosen(subset: _Array, a: _Array, stream: Any) -> _Array:
    return a.ravel(stream=stream).take(subset, stream=stream)


def subset_sum(
    subset: _Array, a: _Array, dtype: Any = None, stream: Any = None, allocator: Any = None
) -> _Array:
    """Return the sum of the elements at these indices."""
    stream = _stream_of(stream)
    return sum(_chosen(subset, a, stream), dtype, stream)


def subset_dot(
    subset: _Array,
    a: _Array,
    b: _Array,
    dtype: Any = None,
    stream: Any = None,
    allocator: Any = None,
) -> _Array:
    """Return the sum of the products of the elements at these indices."""
    stream = _stream_of(stream)
    return dot(_chosen(subset, a, stream), _chosen(subset, b, stream), dtype, stream)


def subset_max(subset: _Array, a: _Array, stream: Any = None, allocator: Any = None) -> _Array:
    """Return the largest of the elements at these indices."""
    stream = _stream_of(stream)
    return max(_chosen(subset, a, stream), stream)


def subset_min(subset: _Array, a: _Array, stream: Any = None, allocator: Any = None) -> _Array:
    """Return the smallest of the elements at these indices."""
    stream = _stream_of(stream)
    return min(_chosen(subset, a, stream), stream)


def take(a: _Array, indices: _Array, out: _Array | None = None, stream: Any = None) -> _Array:
    """Return the elements at these indices, counted in C order."""
    return _gpuarray.take(a, indices, out=out, stream=_stream_of(stream))


def multi_take(
    arrays: Sequence[_Array],
    indices: _Array,
    out: Sequence[_Array] | None = None,
    stream: Any = None,
) -> list[_Array]:
    """Return the elements of each array at these indices."""
    outputs = [None] * len(arrays) if out is None else out
    return [take(a, indices, to, stream) for a, to in zip(arrays, outputs, strict=True)]


def if_positive(
    criterion: _Array, then_: Any, else_: Any, out: _Array | None = None, stream: Any = None
) -> _Array:
    """Return the elements of `then_` where the criterion is above 0, else those of `else_`."""
    stream = _stream_of(stream)
    return _gpuarray.where(
        _gpuarray.greater(criterion, 0, stream=stream), then_, else_, out=out, stream=stream
    )


def where(
    criterion: _Array, then_: Any, else_: Any, out: _Array | None = None, stream: Any = None
) -> _Array:
    """Return the elements of `then_` where the criterion is true, else those of `else_`."""
    stream = _stream_of(stream)
    return _gpuarray.where(
        _gpuarray.not_equal(criterion, 0, stream=stream), then_, else_, out=out, stream=stream
    )


def maximum(a: Any, b: Any, out: _Array | None = None, stream: Any = None) -> _Array:
    """Return the larger elements of two arrays or of an array and a number."""
    return _gpuarray.maximum(a, b, out=out, stream=_stream_of(stream))


def minimum(a: Any, b: Any, out: _Array | None = None, stream: Any = None) -> _Array:
    """Return the smaller elements of two arrays or of an array and a number."""
    return _gpuarray.minimum(a, b, out=out, stream=_stream_of(stream))


def logical_and(x1: Any, x2: Any, /, out: Any = None, *, allocator: Any = None) -> _Array:
    """Return whether both elements are true, as bools."""
    return _gpuarray.logical_and(x1, x2, out=out)


def logical_or(x1: Any, x2: Any, /, out: Any = None, *, allocator: Any = None) -> _Array:
    """Return whether one of the elements is true, as bools."""
    return _gpuarray.logical_or(x1, x2, out=out)


def logical_not(x: Any, /, out: Any = None, *, allocator: Any = None) -> _Array:
    """Return whether the element is false, as bools."""
    return _gpuarray.logical_not(x, out=out)


def reshape(a: _Array, *shape: Any, order: str = "C") -> _Array:
    """Return the array with another shape, ints or a tuple; one of them may be -1."""
    return a.reshape(*shape, order=order)


def transpose(a: _Array, axes: Any = None) -> _Array:
    """Return a view with the axes in another order, by default reversed."""
    return a.transpose(axes)


def concatenate(arrays: Sequence[_Array], axis: int = 0, allocator: Any = None) -> _Array:
    """Return the arrays one after the other along an axis."""
    return _as_class(_gpuarray.concatenate(arrays, axis))


def stack(arrays: Sequence[_Array], axis: int = 0, allocator: Any = None) -> _Array:
    """Return the arrays side by side along a new axis."""
    return _as_class(_gpuarray.stack(arrays, axis))


def splay(n: int, dev: Any = None) -> tuple[tuple[int, int], tuple[int, int, int]]:
    """Return a grid and a block for a loop over n elements in strides of the grid."""
    threads = 256 if n > 256 else -(-n // 32) * 32 or 32
    device = _gpuarray.default_device() if dev is None else dev.device
    blocks = -(-n // threads) or 1
    most = 8 * device.multiprocessors
    return (blocks if blocks < most else most, 1), (threads, 1, 1)
