# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The operation table of the project, and NumPy's result for each row of it."""

import operator

import numpy as np

from gpuarray import _core

from . import words
from .compare import wider
from .dtypes import BFLOAT16, kind, promote


def _nextafter(x, y):
    """Return NumPy 2.5's result; earlier ones give equal float16 zeros the first operand's sign."""
    got = np.nextafter(x, y)
    return np.where(np.equal(x, y), y, got).astype(got.dtype)


def _ldexp(x, exponents):
    """Return NumPy's ldexp for exponents that are cast to the loop's dtype and then to integers."""
    dtype = np.result_type(x, exponents, np.float16)
    if dtype.kind == "c":
        raise TypeError("ldexp has no loop for complex numbers")
    whole = np.clip(np.nan_to_num(exponents.astype(dtype)), -9999, 9999).astype(np.int32)
    return np.ldexp(x.astype(dtype), whole)


# These rows have another name in NumPy, or differ between its versions.
_NUMPY = {
    "nextafter": _nextafter,
    "frexp_mantissa": lambda x: np.frexp(x)[0],
    "frexp_exponent": lambda x: np.frexp(x)[1],
    "ldexp_floating": _ldexp,
    "where": np.where,
    "clip": np._core.umath.clip,
}

# The rows that Python has an operator for.
SYMBOLS = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "floor_divide": operator.floordiv,
    "remainder": operator.mod,
    "power": operator.pow,
    "bitwise_and": operator.and_,
    "bitwise_or": operator.or_,
    "bitwise_xor": operator.xor,
    "left_shift": operator.lshift,
    "right_shift": operator.rshift,
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "negative": operator.neg,
    "positive": operator.pos,
    "absolute": operator.abs,
    "invert": operator.invert,
}

IN_PLACE = {
    name: getattr(operator, "i" + SYMBOLS[name].__name__.strip("_"))
    for name in words(
        "add subtract multiply divide floor_divide remainder power "
        "bitwise_and bitwise_or bitwise_xor left_shift right_shift"
    )
}

COMPARISONS = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")

# The results of these rows are NumPy's to the last bit; others are within some units of it.
EXACT = {
    *SYMBOLS,
    *words("fmod maximum minimum fmax fmin copysign nextafter heaviside gcd lcm"),
    *words("logical_and logical_or logical_xor logical_not"),
    *words("fabs sign conjugate floor ceil trunc rint square reciprocal"),
    *words("isnan isinf isfinite signbit spacing frexp_mantissa frexp_exponent ldexp_floating"),
    *words("bitwise_count where clip"),
} - {"power"}

_ROUNDED_COMPLEX = {"multiply", "divide", "square", "reciprocal", "absolute", "sign"}


class Operation:
    """A row of the table: the function of the module and its counterpart in NumPy."""

    def __init__(self, name: str, arity: int) -> None:
        self.name = name
        self.arity = arity
        self.gpu = getattr(_core, name)

    def __repr__(self) -> str:
        return self.name

    def numpy(self, *operands):
        """Return NumPy's result, rounded from float32 for bfloat16; raises TypeError as NumPy."""
        function = _NUMPY.get(self.name) or getattr(np, self.name)
        selected = 1 if self.name == "where" else 0
        dtypes = [operand.dtype for operand in operands[selected:]]
        with np.errstate(all="ignore"):
            if BFLOAT16 not in dtypes:
                return function(*operands)
            loop = dtypes[0]
            for dtype in dtypes[1:]:
                loop = promote(loop, dtype)
            values = [operand.astype(loop) for operand in operands[selected:]]
            values = [*operands[:selected], *values]
            if loop != BFLOAT16:
                return function(*values)
            self._require_float16_loop(function, values, selected)
            # ml_dtypes gives -0 a negative spacing.
            if self.name == "spacing":
                return np.where(values[0] == 0, function(np.abs(values[0])), function(values[0]))
            if self.name in ("nextafter", "frexp_mantissa", "frexp_exponent"):
                return function(*values)
            wide = [*values[:selected], *(v.astype(np.float32) for v in values[selected:])]
            result = function(*wide)
            return result.astype(BFLOAT16) if result.dtype == np.float32 else result

    def is_exact(self, *dtypes) -> bool:
        """Return whether the result for operands of these dtypes is NumPy's to the last bit."""
        if self.name == "power":
            return kind(promote(*dtypes)) in "biu"
        if any(kind(dtype) == "c" for dtype in dtypes):
            return self.name in EXACT and self.name not in _ROUNDED_COMPLEX
        return self.name in EXACT

    def precise(self, result_dtype, *operands):
        """Return the result in higher precision, from operands rounded to the dtype of the loop."""
        function = _NUMPY.get(self.name) or getattr(np, self.name)
        loop = np.dtype(result_dtype)
        for operand in operands:
            if kind(operand.dtype) == "c" and kind(loop) != "c":
                loop = np.promote_types(loop, operand.dtype)
        values = [operand.astype(loop) for operand in operands]
        with np.errstate(all="ignore"):
            result = function(*(wider(value) for value in values))
            if kind(loop) == "c":
                return result
            # The C library's long double functions are less careful at infinities, so these are not
            # used.
            finite = np.logical_and.reduce(np.broadcast_arrays(*map(np.isfinite, values)))
            return np.where(finite, result, self.numpy(*values).astype(result.dtype))

    @staticmethod
    def _require_float16_loop(function, values, selected) -> None:
        empty = [np.empty(0, v.dtype) for v in values[:selected]]
        function(*empty, *(np.empty(0, np.float16) for _ in values[selected:]))


def _operations() -> list[Operation]:
    return [Operation(name, arity) for name, arity, *_ in _core.op_table()]


OPERATIONS = _operations()
UNARY = [op for op in OPERATIONS if op.arity == 1]
BINARY = [op for op in OPERATIONS if op.arity == 2]
BY_NAME = {op.name: op for op in OPERATIONS}


def expected_or_error(function, *operands):
    """Return the result, or TypeError if the operation has no loop for the operands."""
    try:
        return function(*operands)
    except TypeError:
        return TypeError
