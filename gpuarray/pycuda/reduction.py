# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""PyCUDA's ReductionKernel."""

from typing import Any

import gpuarray
from gpuarray.pycuda._headers import options_for
from gpuarray.pycuda._parameters import as_text, without_namespace
from gpuarray.pycuda._streams import stream_of

__all__ = ["ReductionKernel"]


class ReductionKernel(gpuarray.ReductionKernel):
    """A reduction of contiguous arrays, taken flat, to an array of no dimensions.

    `arguments` are as "const float *x, const float *y", or a list of VectorArg and ScalarArg;
    `map_expr` indexes them, "x[i] * y[i]", and `reduce_expr` combines `a` and `b`. `keep` is taken
    and has no effect. Raises as gpuarray.ReductionKernel.
    """

    def __init__(
        self,
        dtype_out: Any,
        neutral: Any,
        reduce_expr: str,
        map_expr: str | None = None,
        arguments: Any = None,
        name: str = "reduce_kernel",
        keep: bool = False,
        options: Any = None,
        preamble: str = "",
    ) -> None:
        super().__init__(
            dtype_out,
            without_namespace(neutral),
            without_namespace(reduce_expr),
            map_expr=without_namespace(map_expr),
            arguments=as_text(arguments),
            name=name,
            options=options_for(preamble, options),
            preamble=without_namespace(preamble),
        )

    def __call__(
        self,
        *args: Any,
        stream: Any = None,
        out: gpuarray.GPUArray | None = None,
        allocator: Any = None,
        **kwargs: Any,
    ) -> gpuarray.GPUArray:
        """Return the reduction, on `stream`; `allocator` is taken and has no effect."""
        return super().__call__(*args, stream=stream_of(stream), out=out, **kwargs)
