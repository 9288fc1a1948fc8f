# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""PyCUDA's mathematical functions of arrays."""

from collections.abc import Callable
from typing import Any

import numpy as np

import gpuarray
from gpuarray.pycuda._streams import stream_of

__all__ = [
    "acos",
    "asin",
    "atan",
    "ceil",
    "cos",
    "cosh",
    "exp",
    "fabs",
    "floor",
    "fmod",
    "frexp",
    "ldexp",
    "log",
    "log10",
    "modf",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
]


def _unary(name: str) -> Callable[..., gpuarray.GPUArray]:
    function = getattr(gpuarray, name)

    def unary(
        array: gpuarray.GPUArray, *, out: gpuarray.GPUArray | None = None, stream: Any = None
    ) -> gpuarray.GPUArray:
        result: gpuarray.GPUArray = function(array, out=out, stream=stream_of(stream))
        return result

    unary.__name__ = unary.__qualname__ = name
    unary.__doc__ = f"Return gpuarray.{name} of each element, in a new array or `out`, on `stream`."
    return unary


fabs = _unary("fabs")
ceil = _unary("ceil")
floor = _unary("floor")
exp = _unary("exp")
log = _unary("log")
log10 = _unary("log10")
sqrt = _unary("sqrt")
sin = _unary("sin")
cos = _unary("cos")
tan = _unary("tan")
asin = _unary("asin")
acos = _unary("acos")
atan = _unary("atan")
sinh = _unary("sinh")
cosh = _unary("cosh")
tanh = _unary("tanh")


def fmod(arg: gpuarray.GPUArray, mod: Any, stream: Any = None) -> gpuarray.GPUArray:
    """Return the remainder of each division, with the sign of `arg`."""
    return gpuarray.fmod(arg, mod, stream=stream_of(stream))


def frexp(
    arg: gpuarray.GPUArray, stream: Any = None
) -> tuple[gpuarray.GPUArray, gpuarray.GPUArray]:
    """Return significands of [0.5, 1) and exponents of 2, both of the dtype of `arg`."""
    stream = stream_of(stream)
    significand, exponent = gpuarray.frexp(arg, stream=stream)
    return significand, exponent.astype(arg.dtype, stream=stream)


def ldexp(significand: gpuarray.GPUArray, exponent: Any, stream: Any = None) -> gpuarray.GPUArray:
    """Return significand * 2**exponent; exponents may be whole numbers of a floating dtype."""
    stream = stream_of(stream)
    if isinstance(exponent, gpuarray.GPUArray):
        exponent = exponent.astype(np.int32, stream=stream)
    return gpuarray.ldexp(significand, exponent, stream=stream)


def modf(arg: gpuarray.GPUArray, stream: Any = None) -> tuple[gpuarray.GPUArray, gpuarray.GPUArray]:
    """Return the fractions and the whole parts of the elements."""
    fraction, whole = gpuarray.modf(arg, stream=stream_of(stream))
    return fraction, whole
