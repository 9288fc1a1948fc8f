# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Rounding, and replacement of numbers that are not finite."""

import operator
from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import assigned, is_complex, is_inexact, require_array, require_out
from gpuarray._common.dtype_table import dtype_kind
from gpuarray._common.one_pass import one_pass
from gpuarray._core import GPUArray
from gpuarray._runtime.streams import takes_stream

__all__ = ["around", "nan_to_num", "real_if_close", "round"]


@takes_stream
def round(a: GPUArray, decimals: int = 0, out: GPUArray | None = None) -> GPUArray:
    """Return the elements rounded to this many decimals, halves to the even digit.

    Negative `decimals` round to tens, hundreds and so on. Parts of complex numbers are rounded one
    by one; bools give float16. Beyond 308 `decimals` either way everything is NaN, as NumPy has
    it, and integers are 0. Returns a new array or `out`. Queued on the current stream.
    """
    require_array("round", a)
    decimals = operator.index(decimals)
    if not -(2**31) <= decimals < 2**31:
        raise OverflowError(f"round: decimals must fit 32 bits, got {decimals}")
    if is_complex(a):
        made = _core.empty_like(a)
        made.real[...] = _rounded(a.real, decimals)
        made.imag[...] = _rounded(a.imag, decimals)
        return assigned("round", out, made)
    if decimals == 0 and out is not None and is_inexact(a):
        return _core.rint(a, require_out("round", out, a.shape, a._dtype_name))
    return assigned("round", out, _rounded(a, decimals))


around = round


def _power_of_ten(exponent: int) -> float:
    """Return 10.0 ** exponent by repeated products, which round as NumPy does; inf beyond 308."""
    power = 1.0
    for _ in range(min(exponent, 309)):
        power *= 10.0
    return power


def _rounded(a: GPUArray, decimals: int) -> GPUArray:
    whole = dtype_kind(a._dtype_name) in ("i", "u")
    if whole and decimals >= 0:
        return a.copy("K")
    if decimals == 0:
        return _core.rint(a)
    if a._dtype_name == "bool":
        raise TypeError("round: bools have no decimals; got an array of dtype bool")
    power = _power_of_ten(abs(decimals))
    if decimals > 0:
        return _round_parts(a, power)
    return _round_multiples(a, power)


@one_pass
def _round_parts(a: GPUArray, power: float) -> GPUArray:
    return _core.divide(_core.rint(_core.multiply(a, power)), power)


@one_pass
def _round_multiples(a: GPUArray, power: float) -> GPUArray:
    made = _core.multiply(_core.rint(_core.divide(a, power)), power)
    if dtype_kind(a._dtype_name) in ("i", "u") and a.dtype.itemsize < 8:
        made = made.astype("int64")  # so that results beyond a narrower dtype wrap, as NumPy's do
    return made.astype(a._dtype_name, copy=False)


@takes_stream
def nan_to_num(
    x: GPUArray, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> GPUArray:
    """Return `x` with numbers in the place of NaN and of the infinities.

    Without `posinf` and `neginf` the infinities give the largest and the least finite number of
    the dtype. With `copy` False `x` itself is changed. Queued on the current stream.
    """
    require_array("nan_to_num", x)
    if not is_inexact(x):
        return x.copy("K") if copy else x
    numbers = all(isinstance(v, _REAL_NUMBERS) or v is None for v in (nan, posinf, neginf))
    if copy and numbers and not is_complex(x):
        return _finite(x, nan, posinf, neginf).astype(x._dtype_name, copy=False)
    made = x.copy("K") if copy else x
    for part in (made.real, made.imag) if is_complex(x) else (made,):
        part[...] = _finite(part, nan, posinf, neginf)
    return made


_REAL_NUMBERS = (int, float, np.integer, np.floating)


def _finite(x: GPUArray, nan: Any, posinf: Any, neginf: Any) -> GPUArray:
    largest = _largest(x._dtype_name)
    if posinf is None and neginf is None:
        return _limited(x, nan, largest)
    posinf = largest if posinf is None else posinf
    return _replaced(x, nan, posinf, -largest if neginf is None else neginf)


@one_pass
def _limited(x: GPUArray, nan: Any, largest: float) -> GPUArray:
    return _core.where(_core.isnan(x), nan, _core.clip(x, -largest, largest))


@one_pass
def _replaced(x: GPUArray, nan: Any, posinf: Any, neginf: Any) -> GPUArray:
    made = _core.where(_core.equal(x, np.inf), posinf, x)
    made = _core.where(_core.equal(x, -np.inf), neginf, made)
    return _core.where(_core.isnan(x), nan, made)


def _largest(dtype: str) -> float:
    if dtype != "bfloat16":
        return float(np.finfo(dtype).max)
    import ml_dtypes

    return float(ml_dtypes.finfo(dtype).max)  # type: ignore[no-untyped-call]


@takes_stream
def real_if_close(a: GPUArray, tol: float = 100) -> GPUArray:
    """Return the real part of complex `a` if all imaginary parts are close to 0, else `a`.

    A part is close to 0 if it is less than `tol`, or for a `tol` above 1, less than that many times
    the dtype's epsilon. Waits for the answer.
    """
    if not is_complex(require_array("real_if_close", a)):
        return a
    if tol > 1:
        tol = float(np.finfo(a._dtype_name).eps) * tol
    return a.real if bool((_core.absolute(a.imag) < tol).all()) else a
