# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Functions composed from the operations of the tables, such as divmod, clip and angle."""

from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import assigned, or_default, require_array
from gpuarray._common.dtype_table import dtype_kind
from gpuarray._common.one_pass import one_pass
from gpuarray._common.operands import Operand, takes_lists
from gpuarray._core import GPUArray
from gpuarray._runtime.streams import takes_stream
from gpuarray._ufuncs.ufunc_call import call_function

__all__ = [
    "angle",
    "clip",
    "copy",
    "divmod",
    "frexp",
    "imag",
    "ldexp",
    "modf",
    "real",
]


@takes_stream
def clip(
    a: GPUArray,
    min: Any = None,
    max: Any = None,
    out: GPUArray | None = None,
    *,
    a_min: Any = None,
    a_max: Any = None,
    **kwargs: Any,
) -> GPUArray:
    """Return the elements limited to [min, max], or [a_min, a_max]; None leaves a side open.

    `where`, `casting`, `dtype` and `order` are those of NumPy's ufuncs.
    """
    low, high = (
        or_default(old if or_default(new) is None else new)
        for old, new in ((a_min, min), (a_max, max))
    )
    if not kwargs:
        return _core.clip(a, low, high, out)
    given = (("maximum", low), ("minimum", high))
    bounds = [
        (name, x) for name, x in given if not _limits_nothing(name, x, kwargs.get("dtype"), a)
    ]
    for name, bound in bounds[:-1]:
        a = call_function(name, (a, bound), None, {k: kwargs.get(k) for k in ("dtype", "casting")})
    name, operands = (bounds[-1][0], (a, bounds[-1][1])) if bounds else ("positive", (a,))
    return call_function(name, operands, out, kwargs)  # type: ignore[no-any-return]


def _limits_nothing(name: str, bound: Any, dtype: Any, a: Any) -> bool:
    """Return whether all elements are within the bound: None, or a Python int beyond the dtype."""
    if bound is None or type(bound) is not int:
        return bound is None
    computed = _dtype_name("clip", a)
    if or_default(dtype) is not None:
        computed = _core.empty(0, dtype, device="cpu")._dtype_name
    if dtype_kind(computed) not in "iu":
        return False
    limits = np.iinfo(computed)
    return bound <= limits.min if name == "maximum" else bound >= limits.max


# The two outputs of divmod, frexp and modf; None stands for an output that was not given.
Outs = tuple[GPUArray | None, GPUArray | None]


@takes_stream
def divmod(
    x1: Operand, x2: Operand, /, out: Outs = (None, None), **kwargs: Any
) -> tuple[GPUArray, GPUArray]:
    """Return (x1 // x2, x1 % x2).

    `where`, `casting`, `dtype` and `order` are those of NumPy's ufuncs.
    """
    if kwargs:
        return call_function("divmod", (x1, x2), out, kwargs)  # type: ignore[no-any-return]
    quotient, remainder = _divmod(x1, x2)
    return assigned("divmod", out[0], quotient), assigned("divmod", out[1], remainder)


@one_pass
def _divmod(x1: Any, x2: Any) -> tuple[GPUArray, GPUArray]:
    return _core.floor_divide(x1, x2), _core.remainder(x1, x2)


@takes_stream
def frexp(x: Operand, /, out: Outs = (None, None), **kwargs: Any) -> tuple[GPUArray, GPUArray]:
    """Return the mantissa m, 0.5 <= abs(m) < 1, and the int32 e of x = m * 2**e.

    `where`, `casting`, `dtype` and `order` are those of NumPy's ufuncs.
    """
    if kwargs:
        return call_function("frexp", (x,), out, kwargs)  # type: ignore[no-any-return]
    mantissa, exponent = _core.frexp_mantissa(x), _core.frexp_exponent(x)
    return assigned("frexp", out[0], mantissa), assigned("frexp", out[1], exponent)


@takes_stream
def ldexp(x1: Operand, x2: Operand, /, out: GPUArray | None = None, **kwargs: Any) -> GPUArray:
    """Return x1 * 2**x2, rounded once, of the floating dtype that `x1` computes in.

    `x2` are integers that cast to int64 safely; both broadcast. `where`, `casting`, `dtype` and
    `order` are those of NumPy's ufuncs. Returns a new array or `out`. Queued on the current stream.
    """
    if kwargs:
        return call_function("ldexp", (x1, x2), out, kwargs)  # type: ignore[no-any-return]
    # As in NumPy, a Python integer beside an array takes the lowest loop.
    given = "bool" if type(x1) is int and not isinstance(x2, int) else _dtype_name("ldexp", x1)
    exponents = _dtype_name("ldexp", x2)
    if exponents == "bfloat16" or not np.can_cast(exponents, "int64"):
        raise TypeError(f"ldexp: x2 must be integers that cast to int64, got {exponents}")
    if dtype_kind(given) == "c":
        raise TypeError(f"ldexp: x1 must be real, got {given}")
    # bfloat16 cannot hold all exponents that its elements may be scaled by.
    loop = "float32" if given == "bfloat16" else np.result_type(given, "float16").name
    made = _core.ldexp_floating(_scalar_of(x1, loop), _scalar_of(x2, loop), dtype=loop)
    return assigned("ldexp", out, made.astype(given) if given == "bfloat16" else made)


def _dtype_name(what: str, x: Any) -> str:
    if isinstance(x, GPUArray):
        return x._dtype_name
    if isinstance(x, (bool, int, float, complex, np.generic)):
        return np.asarray(x).dtype.name
    return require_array(what, x)._dtype_name


def _scalar_of(x: Any, dtype: str) -> Any:
    """Return a scalar as one of the dtype, and an array as it is."""
    if isinstance(x, GPUArray):
        return x
    with np.errstate(over="ignore"):
        return np.dtype(dtype).type(x)


@takes_stream
def modf(x: Operand, /, out: Outs = (None, None), **kwargs: Any) -> tuple[GPUArray, GPUArray]:
    """Return the fractional and the integral parts, both with the sign of x and floating.

    `where`, `casting`, `dtype` and `order` are those of NumPy's ufuncs.
    """
    if kwargs:
        return call_function("modf", (x,), out, kwargs)  # type: ignore[no-any-return]
    fraction, whole = _parts(x)
    return assigned("modf", out[0], fraction), assigned("modf", out[1], whole)


@one_pass
def _parts(x: Any) -> tuple[GPUArray, GPUArray]:
    # This converts to the floating dtype that operations on `x` compute in.
    floating = _core.fabs(x)
    whole = _core.trunc(floating)
    fraction = _core.where(_core.isinf(floating), 0.0, _core.subtract(floating, whole))
    return _core.copysign(fraction, x), _core.copysign(whole, x)


@takes_stream
def angle(z: Operand, deg: bool = False) -> GPUArray:
    """Return the angle of each complex number in radians, in (-pi, pi]; in degrees with `deg`."""
    is_complex = isinstance(z, complex) or (
        isinstance(z, GPUArray) and dtype_kind(z._dtype_name) == "c"
    )
    if deg:
        return _degrees(z) if is_complex else _degrees_of_real(z)
    return _core.angle(z) if is_complex else _core.arctan2(0, z)


@one_pass
def _degrees(z: Any) -> GPUArray:
    return _core.degrees(_core.angle(z))


@one_pass
def _degrees_of_real(z: Any) -> GPUArray:
    return _core.degrees(_core.arctan2(0, z))


@takes_lists
def real(val: GPUArray) -> GPUArray:
    """Return the real part: a view of a complex array, else `val` itself."""
    return require_array("real", val).real


@takes_stream
def imag(val: GPUArray) -> GPUArray:
    """Return the imaginary part: a view of a complex array, else zeros."""
    return require_array("imag", val).imag


@takes_stream
def copy(a: GPUArray, order: str | None = "K", subok: bool = False) -> GPUArray:
    """Return a.copy(order), a new array on the same device; `subok` changes nothing."""
    return require_array("copy", a).copy("K" if order is None else order)
