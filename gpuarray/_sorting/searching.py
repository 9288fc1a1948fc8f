# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Binary search in sorted arrays."""

from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import host_values, is_complex, parameter_array, require_array
from gpuarray._common.numpy_calls import numpys_on_cpu
from gpuarray._core import GPUArray
from gpuarray._creation.creation import asarray
from gpuarray._runtime.streams import takes_stream

__all__ = ["digitize", "searchsorted"]


def _is_right(what: str, side: str) -> bool:
    if side not in ("left", "right"):
        raise ValueError(f"{what}: side must be 'left' or 'right', got {side!r}")
    return side == "right"


def _require_row(what: str, a: Any) -> GPUArray:
    if require_array(what, a).ndim != 1:
        raise ValueError(f"{what}: expected an array of one dimension, got {a.ndim}")
    return a  # type: ignore[no-any-return]


@takes_stream
def searchsorted(a: GPUArray, v: Any, side: str = "left", sorter: Any = None) -> GPUArray:
    """Return where each element of `v` belongs in the sorted array `a` of one dimension, int64.

    At the place k, ``a[k-1] < v <= a[k]``; with side="right" ``a[k-1] <= v < a[k]``. NaN belongs
    after all numbers. `sorter` holds the positions that sort `a`; a CUDA device does not check
    them, and takes the first element for one out of bounds. `v` may be a number or a list,
    `sorter` a list or an ndarray. Queued on the current stream.
    """
    right = _is_right("searchsorted", side)
    _require_row("searchsorted", a)
    v = host_values("searchsorted", v, a)
    if sorter is not None:
        sorter = parameter_array("searchsorted: sorter", sorter, a)
        _require_row("searchsorted: sorter", sorter)
        if np.dtype(sorter.dtype).kind not in "iu":
            raise TypeError(f"searchsorted: sorter must be integers, got {sorter._dtype_name}")
        if sorter.size != a.size:
            raise ValueError(f"searchsorted: sorter has {sorter.size} elements, a has {a.size}")
    return _core._search_sorted(a, v, right, sorter)


@takes_stream
@numpys_on_cpu(np.digitize, bools=False)
def digitize(x: Any, bins: Any, right: bool = False) -> GPUArray:
    """Return the number of the bin, int64, that each element lies in; 0 and ``len(bins)`` outside.

    `bins` are edges, increasing or decreasing, each the lower end of its bin; with `right` the
    upper. ValueError if they are neither, for which the call waits. `x` may be a number or a list,
    `bins` a list or an ndarray. Queued on the current stream.
    """
    like = next((a for a in (x, bins) if isinstance(a, GPUArray)), None)
    x = host_values("digitize", x, like)
    bins = asarray(bins, device=x.device) if isinstance(bins, list | tuple | np.ndarray) else bins
    _require_row("digitize: bins", bins)
    if is_complex(x) or is_complex(bins):
        raise TypeError("digitize: x and bins may not be complex")
    side = "left" if right else "right"
    direction = _direction(bins.get())
    if direction == 0:
        raise ValueError("digitize: bins must be monotonically increasing or decreasing")
    if direction > 0:
        return searchsorted(bins, x, side)
    return len(bins) - searchsorted(bins[::-1], x, side)


def _direction(edges: Any) -> int:
    """Return 1 for edges that never decrease, -1 for edges that never increase, 0 for others.

    As in NumPy, NaN among the first two edges that differ makes the edges count as not increasing.
    """
    differs = edges[1:] != edges[:1]
    if not differs.any():
        return 1
    if edges[0] < edges[differs.argmax() + 1]:
        return 0 if (edges[1:] < edges[:-1]).any() else 1
    return 0 if (edges[1:] > edges[:-1]).any() else -1
