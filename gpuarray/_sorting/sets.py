# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Set operations on numbers, whose results are sorted one-dimensional arrays."""

from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import host_values, is_inexact, require_array
from gpuarray._common.dtype_table import dtype_kind
from gpuarray._common.numpy_calls import numpys_on_cpu
from gpuarray._core import GPUArray
from gpuarray._creation.creation import asarray
from gpuarray._dtypes.dtype_functions import promoted
from gpuarray._indexing.indexing import take
from gpuarray._manipulation.manipulation import concatenate
from gpuarray._runtime.streams import takes_stream
from gpuarray._sorting.distinct import unique
from gpuarray._sorting.searching import searchsorted
from gpuarray._sorting.sorting import argsort, sort

__all__ = ["intersect1d", "isin", "setdiff1d", "setxor1d", "union1d"]


@takes_stream
def isin(
    element: Any,
    test_elements: Any,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    kind: str | None = None,
) -> GPUArray:
    """Return whether each element is one of `test_elements`, or with `invert` is none of them.

    Both are GPUArrays, scalars or lists of them, `test_elements` a numpy.ndarray too; NaN equals
    none, and integers are compared by value, of uint64 and signed dtypes too. Unless both are
    bools, the second ones are sorted and searched, whatever `kind`, None, "sort" or "table". Queued
    on the current stream.
    """
    if kind not in (None, "sort", "table"):
        raise ValueError(f"isin: invalid kind: {kind!r}, expected None, 'sort' or 'table'")
    like = next((a for a in (element, test_elements) if isinstance(a, GPUArray)), None)
    if isinstance(test_elements, np.ndarray) and like is not None:
        test_elements = asarray(test_elements, device=like.device)
    a, tests = (host_values("isin", x, like) for x in (element, test_elements))
    if kind == "table" and (is_inexact(a) or is_inexact(tests)):
        raise ValueError("isin: kind='table' is for arrays of bools and integers")
    kinds = dtype_kind(a._dtype_name), dtype_kind(tests._dtype_name)
    if "i" in kinds and "uint64" in (a._dtype_name, tests._dtype_name):
        return _isin_of_signs(a, tests, bool(invert))
    # NumPy serves flags that are named, and no None.
    kinds_of_search = {} if kind is None else {"kind": kind}
    return _isin(
        a, tests, assume_unique=bool(assume_unique), invert=bool(invert), **kinds_of_search
    )


def _isin_of_signs(a: GPUArray, tests: GPUArray, invert: bool) -> GPUArray:
    """Return isin() of uint64 and signed integers, whose common dtype float64 is not exact.

    As uint64 no two numbers from 0 to 2**63 - 1 get mixed up, and no other is in both.
    """
    found = _isin(a.astype("uint64", copy=False), tests.astype("uint64", copy=False))
    is_common = a >= 0 if dtype_kind(a._dtype_name) == "i" else a < 2**63
    found = _core.logical_and(found, is_common)
    return _core.logical_not(found) if invert else found


@numpys_on_cpu(np.isin, bools=False)
def _isin(
    a: GPUArray,
    tests: GPUArray,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    kind: str | None = None,
) -> GPUArray:
    """Return isin() of arrays of dtypes whose common one holds all their numbers."""
    if tests.size == 0:
        return _core.full(a.shape, invert, bool, device=a.device)
    dtype = promoted(a._dtype_name, tests._dtype_name)
    if dtype == "bool":
        found = _core.where(a, _core.any(tests), _core.any(_core.logical_not(tests)))
        return _core.logical_not(found) if invert else found
    a, tests = a.astype(dtype, copy=False), sort(tests.astype(dtype, copy=False), None)
    places = _core.minimum(searchsorted(tests, a), tests.size - 1)
    compare = _core.not_equal if invert else _core.equal
    return compare(take(tests, places), a)


@takes_stream
@numpys_on_cpu(np.union1d, bools=False)
def union1d(ar1: GPUArray, ar2: GPUArray) -> GPUArray:
    """Return the distinct elements of either array, in order. Waits for their number."""
    distinct: GPUArray = unique(concatenate(_flat("union1d", ar1, ar2)))
    return distinct


@takes_stream
@numpys_on_cpu(np.setdiff1d, bools=False)
def setdiff1d(ar1: GPUArray, ar2: GPUArray, assume_unique: bool = False) -> GPUArray:
    """Return the distinct elements of the first array that are not in the second, in order.

    In the order of `ar1` with `assume_unique`. Waits for their number.
    """
    first, second = _flat("setdiff1d", ar1, ar2)
    first = first if assume_unique else unique(first)
    return first[isin(first, second, invert=True)]


@takes_stream
@numpys_on_cpu(np.setxor1d, bools=False)
def setxor1d(ar1: GPUArray, ar2: GPUArray, assume_unique: bool = False) -> GPUArray:
    """Return the distinct elements that are in one array alone, sorted. Waits for their number."""
    parts = _flat("setxor1d", ar1, ar2)
    joined = sort(concatenate(parts if assume_unique else [unique(part) for part in parts]))
    if joined.size == 0:
        return joined
    single = _core.ones(joined.shape, bool, device=joined.device)
    differ = _core.not_equal(joined[1:], joined[:-1])
    single[1:] = differ
    single[:-1] &= differ
    return joined[single]


@takes_stream
@numpys_on_cpu(np.intersect1d, bools=False)
def intersect1d(
    ar1: GPUArray, ar2: GPUArray, assume_unique: bool = False, return_indices: bool = False
) -> Any:
    """Return the distinct elements that are in both arrays, in order.

    With `return_indices` also where each is first in `ar1` and in `ar2`. Waits for their number.
    """
    first, second = _flat("intersect1d", ar1, ar2)
    if not return_indices:
        parts = [part if assume_unique else unique(part) for part in (first, second)]
        joined = sort(concatenate(parts))
        return joined[:-1][_core.equal(joined[1:], joined[:-1])]
    places = None
    if not assume_unique:
        (first, *at), (second, *also) = (unique(p, return_index=True) for p in (first, second))
        places = at[0], also[0]
    joined = concatenate([first, second])
    order = argsort(joined)
    joined = take(joined, order)
    both = _core.equal(joined[1:], joined[:-1])
    found = order[:-1][both], order[1:][both] - first.size
    if places is not None:
        found = take(places[0], found[0]), take(places[1], found[1])
    return joined[:-1][both], *found


def _flat(what: str, *arrays: Any) -> list[GPUArray]:
    return [require_array(what, a).ravel() for a in arrays]
