# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Reductions of rows, along the last axis, with whose results a traced function goes on."""

from numbers import Real
from typing import Any, NamedTuple

from gpuarray._common.dtype_table import CTYPES, dtype_kind
from gpuarray._fusion.reduced import plain_axis, sum_dtype

__all__ = ["RowReduction", "row_reduction"]

_REAL = {"complex64": "float32", "complex128": "float64"}


class RowReduction(NamedTuple):
    """How rows are reduced: by a C++ type of kernels/reduce/reduce_ops.cuh, to a `dtype`.

    `correction` and `root` are what averages need; `axis` is -1 or a number that is the last axis
    only of some arrays, which each call finds out.
    """

    reducer: str
    dtype: str
    correction: float
    root: bool
    axis: int


def row_reduction(
    name: str, element: str, dtype: Any, options: dict[str, Any]
) -> RowReduction | None:
    """Return how a reduction of elements of a dtype goes over rows, or None if it does not."""
    options = dict(options)
    axis, keepdims = plain_axis(options.pop("axis", None)), options.pop("keepdims", False)
    if isinstance(axis, tuple) and len(axis) == 1:
        axis = axis[0]
    if keepdims is not True or not isinstance(axis, int) or axis < -1:
        return None
    correction, root = 0.0, False
    if name in ("sum", "prod"):
        result = sum_dtype(element, dtype)
        types = [element, result]
    elif name in ("max", "min", "any", "all"):
        result = element if name in ("max", "min") else "bool"
        types = [element]
    elif name in ("mean", "var", "std") and dtype is None:
        loop = element if dtype_kind(element) in ("f", "c") else "float64"
        result = loop if name == "mean" else _REAL.get(loop, loop)
        types = [element, loop]
        root = name == "std"
        given = [options.pop(one, None) for one in ("ddof", "correction")]
        known = [one for one in given if one is not None]
        if len(known) > 1 or not all(isinstance(one, Real) for one in known):
            return None
        correction = float(known[0]) if known else 0.0
    else:
        return None
    if any(given is not True for given in options.values()):
        return None
    reducer = f"gpuarray::{name}_reducer<{', '.join(CTYPES[one] for one in types)}>"
    return RowReduction(reducer, result, correction, root, axis)
