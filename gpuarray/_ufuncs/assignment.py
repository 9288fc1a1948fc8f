# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""copyto(), which is assignment as a function."""

from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import cast_value, host_value, is_complex, is_inexact, require_array
from gpuarray._common.operands import Target
from gpuarray._core import GPUArray
from gpuarray._runtime.streams import takes_stream
from gpuarray._ufuncs.ufunc_call import as_mask, deliver

__all__ = ["copyto"]


@takes_stream
def copyto(dst: Target, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    """Assign `src`, an array, a scalar or a list that broadcasts to `dst`, where `where` is true.

    TypeError unless the dtype casts by NumPy's rule `casting`, which Python's numbers do to dtypes
    of their kind and above, with 'equiv' to int64, float64 or complex128 alone. Queued on the
    current stream.
    """
    if isinstance(dst, np.ndarray):
        raise TypeError(
            "copyto: expected a GPUArray to write to, got numpy.ndarray; write src.get(out=dst)"
        )
    target = require_array("copyto", dst)
    if where is True and type(src) is GPUArray and src._dtype_name == target._dtype_name:
        target[...] = src
        return
    if np.ndim(where) == 0 and not isinstance(where, GPUArray):
        where = bool(where)
    mask = as_mask("copyto", where, target)
    source = host_value("copyto", src, target)
    if not isinstance(source, GPUArray):
        weak = casting != "equiv" and _takes(target, source)
        source = _core.full((), source, target._dtype_name if weak else None, device=target.device)
    # NumPy's assignments also drop leading axes of extent 1.
    while source.ndim > target.ndim and source.shape[0] == 1:
        source = source[0]
    deliver("copyto", cast_value("copyto", source, target._dtype_name, casting), target, mask)


def _takes(target: GPUArray, scalar: Any) -> bool:
    """Return whether the dtype holds this Python number under all casting rules except 'equiv'."""
    if type(scalar) is int:
        return target._dtype_name != "bool"
    if type(scalar) is float:
        return is_inexact(target)
    return type(scalar) is complex and is_complex(target)
