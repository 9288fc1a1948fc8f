# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""PyCUDA's ElementwiseKernel."""

from typing import Any

import gpuarray
from gpuarray.pycuda._headers import options_for
from gpuarray.pycuda._parameters import as_text, without_namespace
from gpuarray.pycuda._streams import stream_of

__all__ = ["ElementwiseKernel"]


class ElementwiseKernel(gpuarray.ElementwiseKernel):
    """A loop over the elements of contiguous arrays, `operation` of each index `i` below `n`.

    `arguments` are as "float *x, float a, float *y", or a list of VectorArg and ScalarArg. `keep`
    is taken and has no effect. Calls ``kernel(*args, range=None, slice=None, stream=None)`` return
    nothing; the loop is as long as the first array, or as `range` or `slice` says. Raises as
    gpuarray.ElementwiseKernel; ValueError for arguments without a pointer.
    """

    def __init__(
        self,
        arguments: Any,
        operation: str,
        name: str = "kernel",
        keep: bool = False,
        options: Any = None,
        *,
        preamble: str = "",
        loop_prep: str = "",
        after_loop: str = "",
    ) -> None:
        arguments = as_text(arguments)
        if isinstance(arguments, str) and "*" not in arguments:
            raise ValueError(f"{name}: expected a pointer among the arguments, got {arguments!r}")
        super().__init__(
            arguments,
            without_namespace(operation),
            name,
            preamble=without_namespace(preamble),
            options=options_for(preamble, options),
            loop_prep=without_namespace(loop_prep),
            after_loop=without_namespace(after_loop),
        )

    def __call__(self, *args: Any, stream: Any = None, **kwargs: Any) -> None:
        """Run the loop on `stream`, by default the current one."""
        super().__call__(*args, stream=stream_of(stream), **kwargs)
