# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Calls of NumPy's ufuncs on GPUArrays, with where=, casting=, dtype=, signature= and order=."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common import package
from gpuarray._common.arguments import (
    broadcast_shapes,
    normalize_order,
    or_default,
    parameter_array,
    require_writable,
)
from gpuarray._common.core_axes import KEYWORDS, along_axes
from gpuarray._common.operands import lists_as_arrays
from gpuarray._core import GPUArray
from gpuarray._dtypes.dtype_functions import dtype_name, dtype_of, promoted
from gpuarray._runtime.streams import takes_stream

__all__ = [
    "as_mask",
    "call",
    "call_function",
    "call_with_options",
    "chosen_exponents",
    "counterpart",
    "deliver",
    "deliver_folded",
    "is_operand",
    "reduction_loop",
]

_OPERANDS = (GPUArray, np.generic, int, float, complex)
_COMPARISONS = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
_TRUTHS = (None, None, np.dtype(bool))

# The outputs of a ufunc, one for each result; None stands for an output that was not given.
Outs = tuple[GPUArray | None, ...]


def counterpart(ufunc: np.ufunc) -> Callable[..., Any]:
    """Return the function of the ufunc's name; TypeError where there is none."""
    function: Callable[..., Any] | None = getattr(package.module, ufunc.__name__, None)
    if function is None or getattr(np, ufunc.__name__, None) is not ufunc:
        raise TypeError(not_implemented(ufunc.__name__))
    return function


def not_implemented(name: str) -> str:
    """Return the message of the error for a function of NumPy's that does not take GPUArrays."""
    from gpuarray._common import directions

    return f"{name}: not implemented for GPUArrays; {directions.of_function(name)}"


def call(ufunc: np.ufunc, inputs: tuple[Any, ...], outs: Outs, kwargs: dict[str, Any]) -> Any:
    """Return ufunc(*inputs, **kwargs) with NumPy's semantics; `outs` is () if none was given."""
    name, function = ufunc.__name__, counterpart(ufunc)
    placed = {key: kwargs.pop(key) for key in KEYWORDS if key in kwargs and ufunc.signature}
    if not kwargs and not placed:
        if not outs:
            return function(*inputs)
        return function(*inputs, out=outs[0] if len(outs) == 1 else outs)
    options: dict[str, Any] = {
        "where": True,
        "dtype": None,
        "casting": "same_kind",
        "order": "K",
        "subok": True,
    }
    options |= {"signature": kwargs.pop("sig", None)}
    if unknown := kwargs.keys() - options.keys():
        raise TypeError(f"{name}: {unknown.pop()!r} is not implemented for GPUArrays")
    options |= kwargs
    for out in outs:
        if out is not None:
            require_writable(name, out, out.shape if isinstance(out, GPUArray) else ())
    options["order"] = normalize_order(name, options["order"])
    like = next((a for a in (*inputs, *outs) if isinstance(a, GPUArray)), None)
    mask = as_mask(name, options["where"], like)
    outs = outs or (None,) * ufunc.nout
    casting = options["casting"]
    signature = _signature(ufunc, options["dtype"], options["signature"])
    if signature is not None or casting != "same_kind":
        inputs = _cast_inputs(ufunc, inputs, outs, signature, casting)
    if mask is not None and ufunc is np.power:
        inputs = (inputs[0], chosen_exponents(inputs[1], mask))
    results = along_axes(ufunc, function, inputs, **placed) if placed else function(*inputs)
    if ufunc.nout == 1:
        results = (results,)
    made = tuple(
        deliver(name, result, out, mask, casting, options["order"])
        for result, out in zip(results, outs, strict=True)
    )
    return made[0] if ufunc.nout == 1 else made


def call_function(name: str, inputs: tuple[Any, ...], out: Any, options: dict[str, Any]) -> Any:
    """Return call() of NumPy's ufunc of this name; options that are None count as not given."""
    kwargs = {key: value for key, value in options.items() if or_default(value) is not None}
    outs = out if isinstance(out, tuple) else () if out is None else (out,)
    return call(getattr(np, name), inputs, outs, kwargs)


def call_with_options(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return call_function() for a call of gpuarray's ufunc of this name; _core calls this."""
    nin, nargs = getattr(np, name).nin, getattr(np, name).nargs
    if not nin <= len(args) <= nargs:
        raise TypeError(f"{name}: expected {nin} to {nargs} positional arguments, got {len(args)}")
    if args[nin:] and "out" in kwargs:
        raise TypeError(f"{name}: got multiple values for argument 'out'")
    out = args[nin] if args[nin:] else kwargs.pop("out", None)
    return _called(name, args[:nin], out, kwargs, stream=kwargs.pop("stream", None))


@takes_stream
def _called(name: str, inputs: tuple[Any, ...], out: Any, options: dict[str, Any]) -> Any:
    outs = out if isinstance(out, tuple) else (out,)
    operands = lists_as_arrays(name, inputs, *outs)
    if not all(map(is_operand, operands)):
        # The function raises the error, unless an operand has a function of its own.
        getattr(package.module, name)(*operands)
        raise TypeError(f"{name}: {', '.join(options)}: needs GPUArrays")
    return call_function(name, operands, out, options)


def is_operand(value: Any) -> bool:
    """Return whether NumPy's protocols take the value for a GPUArray or a scalar."""
    return isinstance(value, _OPERANDS) or (isinstance(value, np.ndarray) and value.ndim == 0)


def as_mask(name: str, where: Any, like: GPUArray | None) -> Any:
    """Return None for True, else a bool scalar or a GPUArray of bool; TypeError for others.

    A list, tuple or ndarray of bools is copied to the device of `like`.
    """
    if where is True or where is np._NoValue:
        return None
    if isinstance(where, (list, tuple)):
        where = parameter_array(f"{name}: where", where, like)
    kind = where._dtype_name if isinstance(where, GPUArray) else np.asarray(where).dtype.name
    if kind != "bool":
        raise TypeError(f"{name}: where must be an array or a scalar of dtype bool, got {kind}")
    if isinstance(where, GPUArray):
        return where
    return parameter_array(name, where, like) if np.ndim(where) else bool(where)


def chosen_exponents(exponents: Any, mask: Any) -> Any:
    """Return the exponents with 0 where the mask is False, as power() rejects negative integers."""
    if not isinstance(exponents, GPUArray) or exponents.dtype.kind != "i":
        return exponents
    return _core.where(mask, exponents, False)


def deliver(
    name: str,
    result: GPUArray,
    out: GPUArray | None,
    mask: Any = None,
    casting: str = "same_kind",
    order: str = "K",
) -> GPUArray:
    """Return the result, or `out` with its elements where `mask` is True.

    Without `out`, elements where it is False are 0.
    """
    if out is None:
        if mask is not None:
            result = _core.where(mask, result, False)
        fortran = order == "F" or (
            order == "A" and result.flags.f_contiguous and not result.flags.c_contiguous
        )
        laid_out = result.flags.f_contiguous if fortran else result.flags.c_contiguous
        return result if order == "K" or laid_out else result.copy(order)
    shapes = [result.shape, out.shape, mask.shape if isinstance(mask, GPUArray) else ()]
    if broadcast_shapes(*shapes) != out.shape:
        needed = broadcast_shapes(shapes[0], shapes[2])
        raise ValueError(f"{name}: out has shape {out.shape}, expected {needed}")
    try:
        cast = result.astype(out._dtype_name, casting=casting, copy=False)
    except TypeError as error:
        raise TypeError(f"{name}: out: {error}") from None
    if mask is None:
        out[...] = cast
        return out
    return _core.where(mask, cast, out, out)


def _signature(ufunc: np.ufunc, dtype: Any, signature: Any) -> Any:
    """Return NumPy's signature for the arguments dtype and signature; None if neither is given."""
    if signature is not None and dtype is not None:
        raise TypeError(f"{ufunc.__name__}: takes dtype or signature, got both")
    if dtype is not None:
        signature = (None,) * ufunc.nin + (dtype,) * ufunc.nout
    if not isinstance(signature, tuple):
        return signature
    return tuple(None if kind is None else _dtype(kind) for kind in signature)


def _dtype(kind: Any) -> Any:
    return dtype_of(dtype_name(kind))


def _cast_inputs(
    ufunc: np.ufunc,
    inputs: tuple[Any, ...],
    outs: Outs,
    signature: Any,
    casting: Any,
) -> tuple[Any, ...]:
    """Return the inputs cast to the dtypes of NumPy's loop; TypeError if `casting` forbids it."""
    named = [*inputs, *outs, *(signature or ())]
    if any(_is_bfloat16(value) for value in named):
        loop = _bfloat16_loop(ufunc, signature, casting)
    else:
        kinds = [_kind(value) for value in inputs]
        if ufunc.__name__ in _COMPARISONS and signature in (None, _TRUTHS):
            others = [kind for kind in kinds if kind is not int]
            if len(others) == 1 and np.dtype(others[0]).kind in "iu":
                # An integer array and Python integers are compared by value, whatever the casting.
                return inputs
        targets = [None if out is None else out.dtype for out in outs]
        asked = {} if signature is None else {"signature": signature}
        if any(isinstance(kind, type) for kind in kinds):
            # NumPy 2.4 crashes if it refuses a cast in a call with Python scalars, so none is
            # refused here.
            found = ufunc.resolve_dtypes((*kinds, *targets), casting="unsafe", **asked)
            kinds = [
                _scalar_kind(kind, dtype, casting) if isinstance(kind, type) else kind
                for kind, dtype in zip(kinds, found, strict=False)
            ]
        loop = ufunc.resolve_dtypes((*kinds, *targets), casting=casting, **asked)
    return tuple(
        value if dtype is None else _cast(value, dtype)
        for value, dtype in zip(inputs, loop, strict=False)
    )


def deliver_folded(name: str, made: GPUArray, out: GPUArray | None) -> GPUArray:
    """Return the result of a method, or `out`, of the same shape, with its elements."""
    if out is not None and out.shape != made.shape:
        raise ValueError(f"{name}: out has shape {out.shape}, expected {made.shape}")
    return deliver(name, made, out)


def reduction_loop(
    ufunc: np.ufunc, name: str, a: GPUArray, dtype: Any, out: GPUArray | None
) -> tuple[str, str]:
    """Return the dtypes of the accumulator and of the elements in NumPy's reduction of `a`."""
    dtype = None if dtype is None else _dtype(dtype)
    if any(_is_bfloat16(value) for value in (a, dtype, out)):
        loop = _bfloat16_reduction(ufunc, name, a, dtype, out)
        return loop, loop
    signature = {} if dtype is None else {"signature": (dtype, None, None)}
    accumulator = None if out is None else out.dtype
    try:
        found = ufunc.resolve_dtypes(
            (accumulator, a.dtype, None), casting="unsafe", reduction=True, **signature
        )
    except TypeError:
        asked = dtype or a.dtype
        if name.startswith("logical_"):
            raise TypeError(f"{name}: dtype must be bool, got {asked}") from None
        raise TypeError(f"{name}: dtype {asked} is not supported") from None
    if found[0] != found[2]:
        raise TypeError(f"{name}: results of dtype {found[2]} cannot be taken on as {found[0]}")
    return found[0].name, found[1].name


def _bfloat16_reduction(
    ufunc: np.ufunc, name: str, a: GPUArray, dtype: Any, out: GPUArray | None
) -> str:
    loop = promoted(a._dtype_name, *([] if out is None else [out._dtype_name]))
    if dtype is not None or ufunc.__name__.startswith("logical_"):
        loop = "bool" if dtype is None else dtype.name
    empty = _core.empty(0, loop, device=a.device)
    made = counterpart(ufunc)(empty, empty)._dtype_name
    if made != loop:
        raise TypeError(f"{name}: results of dtype {made} cannot be taken on as {loop}")
    return loop


def _is_bfloat16(value: Any) -> bool:
    if isinstance(value, GPUArray):
        return value._dtype_name == "bfloat16"
    dtype = value if isinstance(value, np.dtype) else getattr(value, "dtype", None)
    return dtype is not None and dtype.name == "bfloat16"


def _bfloat16_loop(ufunc: np.ufunc, signature: Any, casting: str) -> tuple[Any, ...]:
    # NumPy's rules do not know bfloat16, and those of ml_dtypes differ from ours.
    if casting not in ("same_kind", "unsafe"):
        raise TypeError(f"{ufunc.__name__}: casting={casting!r} is not implemented for bfloat16")
    computed = None if signature is None else signature[-1]
    if computed is None or computed.name == "bool":
        return (None,) * ufunc.nin
    return (computed,) * ufunc.nin


def _kind(value: Any) -> Any:
    if isinstance(value, bool):
        return np.dtype(bool)
    return type(value) if type(value) in (int, float, complex) else value.dtype


def _scalar_kind(scalar: type, dtype: Any, casting: Any) -> Any:
    """Return the loop's dtype if it takes this Python scalar, else the scalar's default dtype."""
    if casting == "equiv":
        return np.dtype(scalar)
    taken = {int: "iufc", float: "fc", complex: "c"}[scalar]
    return dtype if dtype.kind in taken else np.dtype(scalar)


def _cast(value: Any, dtype: Any) -> Any:
    if isinstance(value, GPUArray):
        return value.astype(dtype, copy=False)
    if type(value) is int and dtype.kind in "iu":
        # NumPy raises OverflowError for a number that does not fit.
        return dtype.type(value)
    return np.asarray(value).astype(dtype)[()]
