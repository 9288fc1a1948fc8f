# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""ScanKernel and PyCUDA's scan kernels, which make scans of users' C++ texts."""

from typing import Any

from gpuarray._common.arguments import require_array, require_text
from gpuarray._common.rebuilding import keeps_arguments
from gpuarray._core import GPUArray
from gpuarray._kernels.fold import FoldKernel, dtype_name

__all__ = ["ExclusiveScanKernel", "InclusiveScanKernel", "ScanKernel"]


class ScanKernel(FoldKernel):
    """A scan along an axis: elements mapped, accumulated and finished by C++ of your own.

    Parameters
    ----------
    in_params, out_params, map_expr, post_map_expr, preamble, options, functions
        As those of ReductionKernel.
    scan_expr
        An expression of ``a``, what comes before, and ``b``, what comes after; associative.
    identity
        What an exclusive scan begins with; not needed otherwise.
    exclusive
        Whether result k is made of the elements before element k, else of those up to it.
    scan_type
        The dtype of map_expr, ``a`` and ``b``: the output's by default.

    Calls ``kernel(*inputs, out=None, axis=0, stream=None)``, with inputs as a ReductionKernel's.
    Returns a new array of the broadcast shape or `out`, the same bits in every run. Queued on
    ``stream``, by default the device's current one. Raises as a ReductionKernel.
    """

    @keeps_arguments
    def __init__(
        self,
        in_params: str,
        out_params: str,
        map_expr: str,
        scan_expr: str,
        post_map_expr: str = "",
        identity: Any = None,
        name: str = "scan_kernel",
        *,
        exclusive: bool = False,
        scan_type: Any = None,
        preamble: str = "",
        options: Any = (),
        functions: Any = (),
    ) -> None:
        if exclusive and identity is None:
            raise ValueError(f"{name}: an exclusive scan needs an identity")
        require_text("ScanKernel", map_expr=map_expr, scan_expr=scan_expr)
        require_text("ScanKernel", post_map_expr=post_map_expr)
        kind = "exclusive_scan" if exclusive else "inclusive_scan"
        texts = map_expr, scan_expr, post_map_expr
        super().__init__(
            kind,
            in_params,
            out_params,
            texts,
            identity,
            name,
            scan_type,
            preamble,
            options,
            functions,
        )

    def __call__(
        self, *args: Any, out: GPUArray | None = None, axis: int = 0, stream: Any = None
    ) -> GPUArray:
        """Return the scan of the inputs along the axis."""
        return self._run(args, axis, False, out, stream)


class FlatScanKernel:
    """The base class of InclusiveScanKernel and ExclusiveScanKernel."""

    exclusive = False

    def __init__(
        self,
        dtype: Any,
        scan_expr: str,
        neutral: Any = None,
        name_prefix: str = "scan",
        options: Any = None,
        preamble: str = "",
        devices: Any = None,
    ) -> None:
        name = dtype_name("dtype", dtype)
        self._kernel = ScanKernel(
            f"{name} x",
            f"{name} y",
            "x",
            scan_expr,
            identity=neutral,
            name=name_prefix,
            exclusive=self.exclusive,
            preamble=preamble,
            options=options,
        )

    def __call__(
        self,
        input_ary: GPUArray,
        output_ary: GPUArray | None = None,
        allocator: Any = None,
        n: int | None = None,
        stream: Any = None,
    ) -> GPUArray:
        """Scan the first n elements, all by default, into `output_ary`, by default in place."""
        target = input_ary if output_ary is None else output_ary
        for array in (input_ary, target):
            if not require_array(self._kernel.name, array).flags.c_contiguous:
                raise ValueError(f"{self._kernel.name}: expected a C-contiguous array")
        self._kernel(input_ary.reshape(-1)[:n], out=target.reshape(-1)[:n], stream=stream)
        return target


class InclusiveScanKernel(FlatScanKernel):
    """PyCUDA's scan of a contiguous array, taken flat, in place unless an output is given.

    ``InclusiveScanKernel(dtype, scan_expr, neutral=None, name_prefix="scan", options=None,
    preamble="", devices=None)`` is a ScanKernel whose element is what it reads. Calls
    ``kernel(input_ary, output_ary=None, allocator=None, n=None, stream=None)`` return the output;
    `allocator` and `devices` are accepted because PyCUDA has them.
    """


class ExclusiveScanKernel(FlatScanKernel):
    """PyCUDA's exclusive scan, which begins with `neutral`; see InclusiveScanKernel."""

    exclusive = True
