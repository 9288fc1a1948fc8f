# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Assignment as functions."""

from typing import Any

from gpuarray import _core
from gpuarray._arguments import require_array
from gpuarray._core import GPUArray
from gpuarray._ufunc_call import as_mask, deliver
from gpuarray.streams import takes_stream

__all__ = ["copyto"]


@takes_stream
def copyto(dst: GPUArray, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    """Assign `src`, an array or a scalar that broadcasts to `dst`, where `where` is True.

    TypeError unless the dtype casts by NumPy's rule `casting`. Queued on the current stream.
    """
    target = require_array("copyto", dst)
    mask = as_mask("copyto", where)
    if not isinstance(src, GPUArray):
        # A scalar is to be of the target's dtype or weak, as in an assignment.
        made = _core.empty((), target._dtype_name, device=target.device)
        made[...] = src
        src = made
    deliver("copyto", src, target, mask, casting)
