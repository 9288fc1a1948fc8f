# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Functions put together from the rows of the operation tables."""

from typing import Any

from gpuarray import _core
from gpuarray._core import GPUArray
from gpuarray.manipulation import require_array

__all__ = ["angle", "copy", "divmod", "dot", "frexp", "imag", "matmul", "mean", "modf", "real"]


def mean(
    a: GPUArray,
    axis: Any = None,
    dtype: Any = None,
    out: GPUArray | None = None,
    keepdims: bool = False,
) -> GPUArray:
    """Return the arithmetic mean over the axes, all by default.

    Integers and bool give float64; float16 and bfloat16 are summed in float32. NaN where there is
    nothing to sum. Returns a new array or `out`. Queued on the current stream.
    """
    require_array("mean", a)
    kind = a._dtype_name
    computed = result = dtype
    if dtype is None:
        whole = kind == "bool" or "int" in kind
        result = "float64" if whole else kind
        computed = "float32" if kind in ("float16", "bfloat16") else result
    total = _core.sum(a, axis=axis, dtype=computed, keepdims=keepdims)
    count = a.size // total.size if total.size else 0
    quotient = total / float(count) if count else total * float("nan")
    if out is not None:
        if out.shape != quotient.shape:
            raise ValueError(f"mean: out has shape {out.shape}, expected {quotient.shape}")
        return _core.positive(quotient, out)
    return quotient.astype(result, copy=False)


def matmul(x1: GPUArray, x2: GPUArray, /, out: GPUArray | None = None) -> GPUArray:
    """Return x1 @ x2: the matrix product of 1-d, 2-d or batched operands."""
    product = require_array("matmul", x1) @ require_array("matmul", x2)
    return product if out is None else _assigned("matmul", out, product)


def dot(a: Any, b: Any, out: GPUArray | None = None) -> GPUArray:
    """Return the dot product of numpy.dot, over a's last axis and b's last but one."""
    if not isinstance(a, GPUArray) or not isinstance(b, GPUArray) or 0 in (a.ndim, b.ndim):
        product = _core.multiply(a, b)
    elif a.ndim <= 2 and b.ndim <= 2:
        product = a @ b
    else:
        tail = b.shape[:-2] + b.shape[-1:] if b.ndim > 1 else ()
        columns = b.reshape(-1, 1)
        if b.ndim > 1:
            order = (b.ndim - 2, *range(b.ndim - 2), b.ndim - 1)
            columns = b.transpose(order).reshape(b.shape[-2], -1)
        product = (a.reshape(-1, a.shape[-1]) @ columns).reshape(a.shape[:-1] + tail)
    return product if out is None else _assigned("dot", out, product)


def _assigned(what: str, out: GPUArray, value: GPUArray) -> GPUArray:
    if out.shape != value.shape:
        raise ValueError(f"{what}: out has shape {out.shape}, expected {value.shape}")
    return (
        _core.positive(value, out)
        if value._dtype_name != "bool"
        else _core.logical_or(value, False, out)
    )


def divmod(x1: Any, x2: Any, /) -> tuple[GPUArray, GPUArray]:
    """Return (x1 // x2, x1 % x2)."""
    return _core.floor_divide(x1, x2), _core.remainder(x1, x2)


def frexp(x: Any, /) -> tuple[GPUArray, GPUArray]:
    """Return the mantissa m, 0.5 <= abs(m) < 1, and the int32 exponent e of x = m * 2**e."""
    return _core.frexp_mantissa(x), _core.frexp_exponent(x)


def modf(x: Any, /) -> tuple[GPUArray, GPUArray]:
    """Return the fractional and the integral parts, both with the sign of x and floating."""
    floating = _core.multiply(x, 1.0) if not _is_floating(x) else x
    whole = _core.trunc(floating)
    fraction = _core.where(_core.isinf(floating), 0.0, _core.subtract(floating, whole))
    return _core.copysign(fraction, floating), whole


def _is_floating(x: Any) -> bool:
    return isinstance(x, GPUArray) and "float" in x._dtype_name


def angle(z: Any, deg: bool = False) -> GPUArray:
    """Return the angle of each complex number in radians, in (-pi, pi]; in degrees with `deg`."""
    is_complex = isinstance(z, complex) or (isinstance(z, GPUArray) and "complex" in z._dtype_name)
    radians = _core.angle(z) if is_complex else _core.arctan2(0, z)
    return _core.degrees(radians) if deg else radians


def real(a: GPUArray) -> GPUArray:
    """Return the real part: a view of a complex array, else `a` itself."""
    return require_array("real", a).real


def imag(a: GPUArray) -> GPUArray:
    """Return the imaginary part: a view of a complex array, else zeros."""
    return require_array("imag", a).imag


def copy(a: GPUArray, order: str = "K") -> GPUArray:
    """Return a.copy(order): a new array on the same device."""
    return require_array("copy", a).copy(order)
