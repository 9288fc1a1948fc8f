# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The C++ statements that the operations of a traced function become.

They call the functors of kernels/ops.def in the loop dtypes that the operations choose, so that
the compiled kernel gives the same bits as the operations one by one.
"""

import sys
from types import FrameType
from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.dtype_table import CTYPES, dtype_kind, names_of
from gpuarray._fusion.reduced import COMBINED, Reduced
from gpuarray._fusion.row_reduction import row_reduction
from gpuarray._fusion.traced import TracedArray
from gpuarray._kernels.literals import converted, kind_of, literal
from gpuarray._kernels.parameters import dtype_of_type
from gpuarray.errors import FusionError

__all__ = ["Statements", "UnfusedError", "is_array"]

INTEGERS = {*names_of("biu")}
# The compiler may evaluate these functions for constant operands, as it gets the same bits.
EXACT = {
    *("add", "subtract", "multiply", "divide", "negative", "positive", "absolute"),
    *("maximum", "minimum", "fmax", "fmin", "where", "clip", "copysign"),
    *("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"),
    *("logical_and", "logical_or", "logical_xor", "logical_not"),
}
# These operations on a Python integer that is an attribute make it a constant of the kernel.
_OF_COUNTS = {"add", "subtract", "multiply", "negative", "floor_divide", "remainder"}
_OF_COUNTS |= {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"}
_BELOW = {"less", "less_equal", "not_equal"}
_MIRRORED = {
    "less": "greater",
    "greater": "less",
    "less_equal": "greater_equal",
    "greater_equal": "less_equal",
    "equal": "equal",
    "not_equal": "not_equal",
}


class UnfusedError(FusionError):
    """Raised where a call must run the operations one by one; it never reaches the user."""


class Statements:
    """The statements that the operations of one trace become, and what they need.

    Arguments are known by their index in the signature. `used` and `written` are those that the
    kernel needs and changes. `scalars` are (argument, dtype), each a parameter of the kernel of its
    own. `whole` are sets of array arguments whose shapes must broadcast to that of the loop, and
    `exponents` those whose shapes must broadcast to more than one element.
    `reductions` are those of rows, as _Program takes them.
    `functions` are the device functions that are called. `of_numbers` is whether the function is
    one of numbers, which it can neither change nor reduce.
    """

    # Functions of these modules are on the stack between the traced function and `refuse`.
    _modules = frozenset({__name__, TracedArray.__module__, Reduced.__module__})

    def __init__(self, name: str, *, of_numbers: bool) -> None:
        self._name = name
        self.of_numbers = of_numbers
        self.statements: list[str] = []
        self.functions: list[Any] = []
        self.scalars: dict[tuple[int, str], str] = {}
        self.used: set[int] = set()
        self.written: set[int] = set()
        self.whole: set[frozenset[int]] = set()
        self.exponents: set[frozenset[int]] = set()
        self.reductions: list[tuple[str, str, str, float, bool, frozenset[int], int]] = []

    def need_constant(self, value: TracedArray) -> FusionError:
        """Return the error for an attribute whose value the trace depends on."""
        raise NotImplementedError

    def refuse(self, why: str, *, inside: bool = True) -> FusionError:
        """Return the error for an operation that no statement expresses, with the user's line.

        Without `inside`, an operation within one of this package's own functions runs the
        operations one by one instead: the callers of that function did not write the operation.
        """
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            module = str(frame.f_globals.get("__name__"))
            if module.partition(".")[0] != "gpuarray":
                break
            if not inside and module not in self._modules:
                return self.one_by_one(why)
            frame = frame.f_back
        return FusionError(f"{self._place(frame)}: {why}")

    def unknown_attribute(self, why: str) -> AttributeError:
        """Return the error for a name that arrays do not have, with the user's line."""
        return AttributeError(f"{self._place(sys._getframe(2))}: {why}", name=None)

    def _place(self, frame: FrameType | None) -> str:
        """Return the name of the traced function, and the line that the frame runs."""
        line = f", line {frame.f_lineno} of {frame.f_code.co_filename}" if frame else ""
        return f"{self._name}{line}"

    def one_by_one(self, why: str) -> UnfusedError:
        """Return the error that makes the call run the operations one by one."""
        return UnfusedError(f"{self._name}: {why}")

    def left_to_python(self, what: str) -> UnfusedError:
        """Return the error for arithmetic of Python's scalars that C++ does differently."""
        return self.one_by_one(f"{what} of Python's scalars is left to Python")

    def define(self, dtype: str, text: str) -> str:
        """Add a statement that computes `text`; return the name of its value."""
        name = f"t{len(self.statements)}"
        self.statements.append(f"const {CTYPES[dtype]} {name} = {text};")
        return name

    def body(self, text: str) -> str:
        """Return the statements so far, and one that returns `text`."""
        return "\n".join([*self.statements, f"return {text};"])

    def operation(self, name: str, operands: tuple[Any, ...], *, weak: bool = False) -> TracedArray:
        """Return the result of an operation of kernels/ops.def.

        With `weak` the result of Python's scalars alone is a Python scalar, as that of operators.
        """
        specs = tuple(self._spec(name, operand) for operand in operands)
        sources = self.sources(*operands)
        pythons = all(spec in ("int", "float", "complex", "bool") for spec in specs)
        if weak and pythons and not any(is_array(operand) for operand in operands):
            return self._weak(name, operands)
        loop, result = _core._loop_types(name, specs)
        self._check_exponent(name, loop, operands, specs)
        text = self._comparison(name, operands, specs)
        if text is None:
            dtypes = [loop] * len(operands)
            if name == "where":
                dtypes[0] = "bool"
            texts = [
                self._operand(name, operand, dtype)
                for operand, dtype in zip(operands, dtypes, strict=True)
            ]
            text = self._apply(name, loop, texts)
            if name == "power":
                text = self._power_by(operands[1], loop, texts[0], text)
        return TracedArray(self, "array", result, self.define(result, text), sources)

    def sources(self, *operands: Any) -> frozenset[int]:
        """Return the array arguments whose shapes the operands' shapes are made of.

        ~k stands for argument k with a single column, as a reduction of rows leaves it.
        """
        return frozenset().union(*(o._sources for o in operands if isinstance(o, TracedArray)))

    def power(self, base: TracedArray, exponent: Any) -> TracedArray:
        """Return base**exponent as the operator has it, which squares bools to the integer 2."""
        squares = type(exponent) is int and exponent == 2
        if squares and base._role == "array" and base._dtype_name == "bool":
            return self.operation("square", (base,))
        return self.operation("power", (base, exponent), weak=True)

    def _power_by(self, exponent: Any, loop: str, base: str, power: str) -> str:
        """Return the text of a power, by the operations that compute those of single exponents."""
        if loop in INTEGERS:
            return power
        if isinstance(exponent, TracedArray) and exponent._role == "array" and exponent._sources:
            self.exponents.add(exponent._sources)
            return power
        given = self.cast(exponent, loop)
        for number, name in _core._powers():
            special = self.define(loop, self._apply(name, loop, [base]))
            equal = self._apply("equal", loop, [given, literal(number, loop)])
            power = f"{equal} ? {special} : {self.define(loop, power)}"
        return power

    def _operand(self, name: str, operand: Any, dtype: str) -> str:
        text = self.cast(operand, dtype)
        if isinstance(operand, TracedArray) or name in EXACT or dtype in INTEGERS:
            return text
        return f"gpuarray::opaque({text})"

    def cast(self, operand: Any, dtype: str) -> str:
        """Return the text of an operand, converted to this dtype."""
        if not isinstance(operand, TracedArray):
            return literal(operand, dtype)
        if operand._is_given and operand._argument is not None:
            self.used.add(operand._argument)
            if operand._role != "array":
                return self.scalar(operand._argument, dtype)
        same = operand._dtype_name == dtype
        return operand._text if same else converted(operand._text, dtype)

    def scalar(self, argument: int, dtype: str) -> str:
        """Return the name of a scalar argument in this dtype, as the operations convert it."""
        self.used.add(argument)
        return self.scalars.setdefault((argument, dtype), f"s{argument}_{dtype}")

    def assign(self, target: TracedArray, value: Any) -> None:
        """Assign `value` to `target`, which keeps its dtype and shape."""
        self._spec("assignment", value)
        if target._is_part:
            why = "assignment to a part of complex numbers cannot be fused"
            raise self.refuse(why, inside=False)
        text = self.cast(value, target._dtype_name)
        self.whole.add(target._sources)
        target._text = self.define(target._dtype_name, text)
        target._sources |= self.sources(value)
        target._is_given = False
        target._reduced = None
        if target._argument is not None:
            self.used.add(target._argument)
            self.written.add(target._argument)

    def call(self, function: Any, arguments: tuple[Any, ...]) -> TracedArray:
        """Return the result of a DeviceFunction of numbers."""
        if len(arguments) != len(function.arguments):
            count = len(function.arguments)
            raise self.refuse(f"{function.name}: expected {count} arguments, got {len(arguments)}")
        for argument in arguments:
            self._spec(function.name, argument)
        dtypes = [dtype_of_type(one) for one in function.arguments]
        texts = [self.cast(one, dtype) for one, dtype in zip(arguments, dtypes, strict=True)]
        result = dtype_of_type(function.result)
        if function not in self.functions:
            self.functions.append(function)
        text = self.define(result, f"{function.name}({', '.join(texts)})")
        return TracedArray(self, "array", result, text, self.sources(*arguments))

    def reduction(self, name: str, value: TracedArray, dtype: Any, options: dict[str, Any]) -> Any:
        """Return the result of a reduction, with which the function ends unless it is of rows."""
        if self.of_numbers:
            raise self.refuse(f"{name} of a number")
        row = row_reduction(name, value._dtype_name, dtype, options)
        if row is None or not value._sources:
            return Reduced(self, name, value, dtype, options)
        if max(value._sources) < 0:
            raise self.one_by_one(f"{name} of a single column")
        text = f"r{len(self.reductions)}"
        body = self.body(self.cast(value, value._dtype_name))
        self.reductions.append(
            (text, row.reducer, body, row.correction, row.root, value._sources, row.axis)
        )
        sources = frozenset(min(k, ~k) for k in value._sources)
        self.used |= {~k for k in sources}
        made = TracedArray(self, "array", row.dtype, text, sources)
        if name in COMBINED:
            made._reduced = Reduced(self, name, value, dtype, options)
        return made

    def _spec(self, name: str, operand: Any) -> str:
        if isinstance(operand, TracedArray):
            if operand._trace is not self:
                raise self.refuse(f"{name}: a value of another function that is being fused")
            return operand._spec
        if isinstance(operand, _core.GPUArray):
            raise self.refuse(f"{name}: an array that is not an argument; pass it as one")
        if isinstance(operand, Reduced):
            operand.refuse()
        spec = kind_of(operand)
        if spec is None:
            kind = type(operand).__name__
            raise self.refuse(f"{name}: got {kind}, expected arrays and scalars")
        return spec

    def _weak(self, name: str, operands: tuple[Any, ...]) -> TracedArray:
        """Return the result of an operator on Python scalars, if C++ computes it as Python does."""
        specs = {self._spec(name, operand) for operand in operands}
        if specs == {"int"} and name in _OF_COUNTS:
            # An example is range(self.count - 1), where the attribute has to be a constant.
            for one in operands:
                if isinstance(one, TracedArray) and one._attribute is not None:
                    raise self.need_constant(one)
        known = name in ("add", "subtract", "multiply", "negative")
        if not known or "float" not in specs or not specs <= {"int", "float"}:
            raise self.left_to_python(name)
        text = self._apply(name, "float64", [self.cast(operand, "float64") for operand in operands])
        return TracedArray(self, "weak", "float", self.define("float64", text))

    def _apply(self, name: str, loop: str, texts: list[str]) -> str:
        return f"gpuarray::{name}_functor<{CTYPES[loop]}>::apply({', '.join(texts)})"

    def _check_exponent(
        self, name: str, loop: str, operands: tuple[Any, ...], specs: tuple[str, ...]
    ) -> None:
        if name != "power" or dtype_kind(loop) != "i" or dtype_kind(specs[1]) in ("u", "b"):
            return
        if isinstance(operands[1], TracedArray):
            raise self.refuse("power: integer exponents have to be looked at; use floats or **2")
        if operands[1] < 0:
            raise ValueError("Integers to negative integer powers are not allowed.")

    def _comparison(
        self, name: str, operands: tuple[Any, ...], specs: tuple[str, ...]
    ) -> str | None:
        """Return the C++ of a comparison of two integers that no dtype holds both of, else None."""
        if name not in _MIRRORED:
            return None
        for first, second, op in ((0, 1, name), (1, 0, _MIRRORED[name])):
            dtype, other = specs[first], specs[second]
            if other == "int" and dtype in INTEGERS:
                if text := self._compare_with_python(op, operands[first], operands[second]):
                    return text
            elif dtype in INTEGERS and dtype_kind(dtype) == "i" and other == "uint64":
                signed = self.cast(operands[first], "int64")
                return self._compare_signs(op, signed, self.cast(operands[second], "uint64"))
        return None

    def _compare_with_python(self, op: str, value: Any, number: Any) -> str | None:
        dtype = "int64" if value._dtype_name == "bool" else value._dtype_name
        if isinstance(number, TracedArray):
            if dtype != "uint64":
                texts = [self.cast(value, "int64"), self.cast(number, "int64")]
                return self._apply(op, "int64", texts)
            mine, other = self.cast(value, dtype), self.cast(number, "int64")
            return self._compare_signs(_MIRRORED[op], other, mine)
        limits = np.iinfo(dtype)
        if limits.min <= number <= limits.max:
            return None
        above = op in _BELOW if number > limits.max else _MIRRORED[op] in _BELOW
        return "true" if above else "false"

    def _compare_signs(self, op: str, signed: str, unsigned: str) -> str:
        below = "true" if op in _BELOW else "false"
        compared = self._apply(op, "uint64", [converted(signed, "uint64"), unsigned])
        return f"{signed} < 0 ? {below} : {compared}"


def is_array(operand: Any) -> bool:
    """Return whether this stands for an array, or for the result of an operation on one."""
    return isinstance(operand, TracedArray) and operand._role == "array"
