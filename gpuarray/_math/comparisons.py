# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Tests whether arrays are equal or nearly equal, and tests of the kind of elements."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import broadcast_shapes, is_complex, is_inexact, require_array
from gpuarray._common.numpy_calls import numpys_on_cpu
from gpuarray._common.one_pass import one_pass
from gpuarray._common.operands import Operand
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
    a: Operand, b: Operand, rtol: Any = 1.0e-5, atol: Any = 1.0e-8, equal_nan: bool = False
) -> GPUArray:
    """Return whether abs(a - b) <= atol + rtol * abs(b), element by element.

    Infinities are close to themselves, NaN only with `equal_nan`. The operands are GPUArrays or
    scalars, and broadcast. Queued on the current stream.
    """
    close, operands = _comparison(a, b, rtol, atol, equal_nan)
    return close(*operands)


def _comparison(
    a: Any, b: Any, rtol: Any, atol: Any, equal_nan: bool
) -> tuple[Callable[..., GPUArray], tuple[Any, ...]]:
    """Return the function that compares such operands, and its arguments."""
    _require_operands("isclose", a, b)
    if isinstance(b, GPUArray):
        return (_close_or_nan if equal_nan else _close), (a, b, rtol, atol)
    b = b if isinstance(b, (float, complex, np.inexact)) else float(b)
    bound = atol + rtol * abs(b), bool(np.isfinite(b))
    return (_close_to_nan if equal_nan and b != b else _close_to_number), (a, b, *bound)


@one_pass
def _close(a: Any, b: Any, rtol: Any, atol: Any) -> GPUArray:
    # Integers are converted to float64, in which abs() of the least integer does not overflow.
    b = b if is_inexact(b) else b.astype("float64")
    return _close_to_number(a, b, atol + rtol * abs(b), _core.isfinite(b))


@one_pass
def _close_or_nan(a: Any, b: Any, rtol: Any, atol: Any) -> GPUArray:
    return _core.logical_or(_close(a, b, rtol, atol), _both_nan(a, b))


@one_pass
def _close_to_number(a: Any, b: Any, bound: Any, finite: Any) -> GPUArray:
    near = _core.less_equal(_core.absolute(a - b), bound)
    return _core.logical_or(_core.logical_and(near, finite), _core.equal(a, b))


def _close_to_nan(a: Any, b: Any, bound: Any, finite: Any) -> GPUArray:
    return _core.logical_or(_close_to_number(a, b, bound, finite), _both_nan(a, b))


@functools.cache
def _all_of(close: Callable[..., GPUArray]) -> Callable[..., GPUArray]:
    @one_pass
    def allclose(a: Any, b: Any, first: Any, second: Any) -> GPUArray:
        return close(a, b, first, second).all()

    return allclose


def _both_nan(a: Any, b: Any) -> GPUArray:
    return _core.logical_and(a != a, b != b)


@takes_stream
def allclose(
    a: Operand, b: Operand, rtol: Any = 1.0e-5, atol: Any = 1.0e-8, equal_nan: bool = False
) -> bool:
    """Return whether all elements are close, as isclose() has it. Waits for the answer."""
    close, operands = _comparison(a, b, rtol, atol, equal_nan)
    return bool(_all_of(close)(*operands))


@takes_stream
def array_equal(a1: Operand, a2: Operand, equal_nan: bool = False) -> bool:
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
def array_equiv(a1: Operand, a2: Operand) -> bool:
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
def isposinf(x: Operand, out: GPUArray | None = None) -> GPUArray:
    """Return whether each real element is positive infinity."""
    return _core.equal(_real("isposinf", x), np.inf, out)


@takes_stream
def isneginf(x: Operand, out: GPUArray | None = None) -> GPUArray:
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
