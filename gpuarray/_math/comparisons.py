# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Tests whether arrays are equal or nearly equal, and tests of the kind of elements."""

from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import broadcast_shapes, is_complex, is_inexact, require_array
from gpuarray._common.numpy_calls import numpys_on_cpu
from gpuarray._core import GPUArray
from gpuarray._runtime.streams import takes_stream

__all__ = [
    "allclose",
    "array_equal",
    "array_equiv",
    "isclose",
    "iscomplex",
    "isneginf",
    "isposinf",
    "isreal",
]


@takes_stream
def isclose(
    a: Any, b: Any, rtol: Any = 1.0e-5, atol: Any = 1.0e-8, equal_nan: bool = False
) -> GPUArray:
    """Return whether abs(a - b) <= atol + rtol * abs(b), element by element.

    Infinities are close to themselves, NaN only with `equal_nan`. The operands are GPUArrays or
    scalars, and broadcast. Queued on the current stream.
    """
    _require_operands("isclose", a, b)
    # Integers are converted to float64, in which abs() of the least integer does not overflow.
    if isinstance(b, GPUArray):
        b = b if is_inexact(b) else b.astype("float64")
        finite: Any = _core.isfinite(b)
    else:
        b = b if isinstance(b, (float, complex, np.inexact)) else float(b)
        finite = bool(np.isfinite(b))
    near = _core.less_equal(_core.absolute(a - b), atol + rtol * abs(b))
    close = _core.logical_or(_core.logical_and(near, finite), _core.equal(a, b))
    return _core.logical_or(close, _both_nan(a, b)) if equal_nan else close


def _both_nan(a: Any, b: Any) -> GPUArray:
    return _core.logical_and(a != a, b != b)


@takes_stream
def allclose(
    a: Any, b: Any, rtol: Any = 1.0e-5, atol: Any = 1.0e-8, equal_nan: bool = False
) -> bool:
    """Return whether all elements are close, as isclose() has it. Waits for the answer."""
    return bool(isclose(a, b, rtol, atol, equal_nan).all())


@takes_stream
def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> bool:
    """Return whether the arrays have one shape and equal elements. Waits for the answer.

    NaN is equal to NaN only with `equal_nan`. Arrays of different shapes are compared at once.
    """
    _require_operands("array_equal", a1, a2)
    return _equal_arrays(a1, a2, equal_nan)


@numpys_on_cpu(np.array_equal, bools=False)
def _equal_arrays(a1: Any, a2: Any, equal_nan: bool) -> bool:
    if np.shape(a1) != np.shape(a2):
        return False
    same = _core.equal(a1, a2)
    if equal_nan:
        same = _core.logical_or(same, _both_nan(a1, a2))
    return bool(same.all())


@takes_stream
def array_equiv(a1: Any, a2: Any) -> bool:
    """Return whether the arrays broadcast, with equal elements. Waits for the answer."""
    _require_operands("array_equiv", a1, a2)
    return _equivalent_arrays(a1, a2)


@numpys_on_cpu(np.array_equiv, bools=False)
def _equivalent_arrays(a1: Any, a2: Any) -> bool:
    try:
        broadcast_shapes(np.shape(a1), np.shape(a2))
    except ValueError:
        return False
    return bool(_core.equal(a1, a2).all())


def _require_operands(what: str, *operands: Any) -> None:
    for operand in operands:
        if not isinstance(operand, (int, float, complex, np.generic)):
            require_array(what, operand)


@takes_stream
def isposinf(x: Any, out: GPUArray | None = None) -> GPUArray:
    """Return whether each real element is positive infinity."""
    return _core.equal(_real("isposinf", x), np.inf, out)


@takes_stream
def isneginf(x: Any, out: GPUArray | None = None) -> GPUArray:
    """Return whether each real element is negative infinity."""
    return _core.equal(_real("isneginf", x), -np.inf, out)


def _real(what: str, x: Any) -> Any:
    if isinstance(x, (complex, np.complexfloating)) or (isinstance(x, GPUArray) and is_complex(x)):
        kind = getattr(x, "dtype", "complex")
        raise TypeError(f"{what}: expected real numbers, got {kind}: complex ones are ambiguous")
    return x


@takes_stream
def isreal(x: GPUArray) -> GPUArray:
    """Return whether each element has no imaginary part; NaN counts as one."""
    if not is_complex(require_array("isreal", x)):
        return _core.ones(x.shape, bool, device=x.device)
    return _core.equal(x.imag, 0)


@takes_stream
def iscomplex(x: GPUArray) -> GPUArray:
    """Return whether each element has an imaginary part that is not 0."""
    if not is_complex(require_array("iscomplex", x)):
        return _core.zeros(x.shape, bool, device=x.device)
    return _core.not_equal(x.imag, 0)
