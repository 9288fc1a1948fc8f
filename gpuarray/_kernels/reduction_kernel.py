# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""ReductionKernel, which makes a reduction of users' C++ texts."""

from typing import Any

from gpuarray import _core
from gpuarray._common.arguments import require_text
from gpuarray._common.rebuilding import keeps_arguments
from gpuarray._core import GPUArray
from gpuarray._kernels.fold import FoldKernel
from gpuarray._kernels.parameters import parse_parameters

__all__ = ["ReductionKernel"]

_NAME = "reduce_kernel"


class ReductionKernel(FoldKernel):
    """A reduction over any axes: elements mapped, combined and finished by C++ of your own.

    ``ReductionKernel(in_params, out_params, map_expr, reduce_expr, post_map_expr, identity,
    name="reduce_kernel", reduce_type=None, reduce_dims=True, preamble="", options=(), *,
    functions=())``, as CuPy's:

    Parameters
    ----------
    in_params, out_params
        As those of ElementwiseKernel; one output.
    map_expr
        An expression of the inputs, of the index ``i`` in C order and of the number ``n`` of
        elements: what is reduced.
    reduce_expr
        An expression of ``a`` and ``b``, associative and commutative.
    post_map_expr
        A statement that makes the output of ``a``, as ``"y = sqrt(a)"``; "" where it is ``a``.
    identity
        What combines with any element to that element; None if there is none, and then an empty
        axis is a ValueError.
    reduce_type
        The dtype of map_expr, ``a`` and ``b``: the output's by default. Texts compute with
        float16 and bfloat16 as float.
    preamble, options, functions
        As those of ElementwiseKernel.

    ``ReductionKernel(dtype_out, neutral, reduce_expr, map_expr=None, arguments=None,
    name="reduce_kernel", keep=False, options=None, preamble="")``, PyCUDA's, is meant where the
    first argument is a dtype. ``arguments`` are as ``"const float *x, const float *y"`` and
    ``map_expr`` indexes them, ``"x[i] * y[i]"``; its arrays are contiguous and taken flat.

    Calls ``kernel(*inputs, out=None, axis=None, keepdims=False, stream=None)``: inputs are arrays
    of one device and scalars, broadcast with each other; axis an int, a tuple of ints or None for
    all. Returns a new array or `out`, the same bits in every run. Queued on ``stream``, by default
    the device's current one. A kernel is compiled once for each signature of dtypes and kind of
    layout, on cuda by NVRTC and on cpu by the host's C++ compiler.

    Raises ValueError for malformed parameters, shapes, and nothing to reduce without an identity,
    AxisError, TypeError for arguments of another number or type, CompileError for texts that do
    not compile, DeviceError without a compiler.
    """

    @keeps_arguments
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "dtype_out" in kwargs or (args and _is_dtype(args[0])):
            self._set_up_as_pycuda(*args, **kwargs)
        else:
            self._set_up(*args, **kwargs)

    def _set_up(
        self,
        in_params: str,
        out_params: str,
        map_expr: str,
        reduce_expr: str,
        post_map_expr: str,
        identity: Any,
        name: str = _NAME,
        reduce_type: Any = None,
        reduce_dims: bool = True,
        preamble: str = "",
        options: Any = (),
        *,
        functions: Any = (),
    ) -> None:
        require_text("ReductionKernel", map_expr=map_expr, reduce_expr=reduce_expr)
        require_text("ReductionKernel", post_map_expr=post_map_expr)
        texts = map_expr, reduce_expr, post_map_expr
        identity = None if isinstance(identity, str) and not identity else identity
        super().__init__(
            "reduction",
            in_params,
            out_params,
            texts,
            identity,
            name,
            reduce_type,
            preamble,
            options,
            functions,
        )

    # Python's messages about arguments use this name.
    _set_up.__qualname__ = "ReductionKernel"

    def _set_up_as_pycuda(
        self,
        dtype_out: Any,
        neutral: Any,
        reduce_expr: str,
        map_expr: str | None = None,
        arguments: str | None = None,
        name: str = _NAME,
        keep: bool = False,
        options: Any = None,
        preamble: str = "",
    ) -> None:
        dtype = _core._dtype(dtype_out).name
        if arguments is None:
            arguments = f"const {dtype} *in"
        if map_expr is None:
            pointers = [p.name for p in parse_parameters(arguments) if p.pointer]
            if not pointers:
                raise ValueError(f"{name}: map_expr is to be given, or a pointer in arguments")
            map_expr = f"{pointers[0]}[i]"
        require_text("ReductionKernel", reduce_expr=reduce_expr, map_expr=map_expr)
        texts = map_expr, reduce_expr, ""
        output = f"{dtype} gpuarray_out"
        super().__init__(
            "reduction", arguments, output, texts, neutral, name, None, preamble, options
        )

    _set_up_as_pycuda.__qualname__ = "ReductionKernel"

    def __call__(
        self,
        *args: Any,
        out: GPUArray | None = None,
        axis: Any = None,
        keepdims: bool = False,
        stream: Any = None,
        allocator: Any = None,
    ) -> GPUArray:
        """Return the reduction over the axes; `allocator` is accepted because PyCUDA has it."""
        return self._run(args, axis, keepdims, out, stream)


def _is_dtype(first: Any) -> bool:
    """Return whether the first argument is a dtype, as in PyCUDA, and no list of parameters."""
    if first is None or isinstance(first, GPUArray):
        return False
    try:
        _core._dtype(first)
    except (TypeError, ValueError):
        return False
    return True
