# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The object that stands for an array in a traced function, and records the operations on it."""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _core
from gpuarray._common import directions, package
from gpuarray._common.arguments import require_castable
from gpuarray._common.dtype_table import dtype_kind
from gpuarray._kernels.literals import literal
from gpuarray._ufuncs.composed_reductions import FILLERS, replaced
from gpuarray._ufuncs.ufunc_call import counterpart

if TYPE_CHECKING:
    from gpuarray._fusion.statements import Statements

__all__ = ["METHOD_NAMES", "TracedArray"]

# A scalar of NumPy's bool counts as Python's: both have one signature.
_CLASSES = {"b": bool, "i": int, "u": int, "f": float, "c": complex}
_PYTHONS = {"int": "int64", "float": "float64", "complex": "complex128"}


class TracedArray:
    """Stands for an array or a scalar argument, or for the result of an operation on them.

    `role` is "array", "scalar" for NumPy's scalars or "weak" for Python's. `spec` is the dtype, or
    int, float or complex for a Python scalar. `text` is the C++ name of its value, `sources` are
    the array arguments that its shape is made of (see Statements.sources), and `argument` is its
    index if it is one.
    """

    __hash__ = None  # type: ignore[assignment]
    __array_priority__ = 1000
    # isinstance() reads this attribute: functions composed of operations check by it that they are
    # given an array, and the traced function may choose a branch by it.
    __class__ = property(  # pyright: ignore[reportIncompatibleMethodOverride]
        lambda self: self._class_for(sys._getframe(1).f_globals.get("__name__", ""))
    )

    def __init__(
        self,
        trace: "Statements",
        role: str,
        spec: str,
        text: str = "",
        sources: frozenset[int] = frozenset(),
        argument: int | None = None,
    ) -> None:
        self._trace, self._role, self._spec, self._argument = trace, role, spec, argument
        self._dtype_name = _PYTHONS.get(spec, spec)
        self._text, self._sources = text, sources
        self._is_given = argument is not None  # True while it has the value that the call passed.
        self._reduced: Any = None  # The Reduced with the same value, if it is one of rows.
        self._is_part = False  # True for a real or imaginary part, which cannot be assigned to.
        self._attribute: Any = None  # The pair (owner, name) of the attribute that it stands for.

    def _class_for(self, module: str) -> type:
        """Return the class that code of a module sees: that of the value, outside this package."""
        is_ours = module.partition(".")[0] == "gpuarray"
        if self._role == "array" and (is_ours or not self._trace.of_numbers):
            return _core.GPUArray
        if is_ours:
            return TracedArray
        if self._role == "scalar" and self._dtype_name != "bool":
            return self.dtype.type
        return _CLASSES[dtype_kind(self._dtype_name)]

    @property
    def dtype(self) -> np.dtype[Any]:
        return _core._dtype(self._dtype_name)

    @property
    def real(self) -> "TracedArray":
        return self._part("re") if dtype_kind(self._spec) == "c" else self._strong("real")

    @property
    def imag(self) -> "TracedArray":
        if dtype_kind(self._spec) == "c":
            return self._part("im")
        name = self._strong("imag")._dtype_name
        zero = self._trace.define(name, literal(0, name))
        return TracedArray(self._trace, "array", name, zero, self._sources)

    def astype(
        self, dtype: Any, order: Any = "K", casting: str = "unsafe", *, copy: bool = True
    ) -> "TracedArray":
        name = _core._dtype(dtype).name
        if casting != "unsafe":
            raise self._trace.refuse(f"astype: casting={casting!r} cannot be fused")
        if name == self._spec and not copy:
            return self
        text = self._trace.define(name, self._trace.cast(self, name))
        return TracedArray(self._trace, "array", name, text, self._sources)

    def copy(self, order: Any = "K") -> "TracedArray":
        return self.astype(self._dtype_name)

    def clip(self, min: Any = None, max: Any = None) -> Any:
        return _core.clip(self, min, max)  # type: ignore[arg-type]

    def conj(self) -> "TracedArray":
        return self._trace.operation("conjugate", (self._strong("conjugate"),))

    conjugate = conj

    def _strong(self, what: str) -> "TracedArray":
        """Return self, or raise for a Python scalar: only Python computes the parts of one."""
        if self._role == "weak":
            raise self._trace.left_to_python(what)
        return self

    def _part(self, name: str) -> "TracedArray":
        self._strong(name)
        dtype = "float32" if self._dtype_name == "complex64" else "float64"
        whole = self._trace.define(self._dtype_name, self._trace.cast(self, self._dtype_name))
        text = self._trace.define(dtype, f"{whole}.{name}")
        part = TracedArray(self._trace, "array", dtype, text, self._sources)
        part._is_part = True
        return part

    def __gpuarray_function__(self, name: str, operands: Any, kwargs: dict[str, Any]) -> Any:
        if kwargs.get("out") is not None:
            raise self._trace.refuse(f"{name}: out= cannot be fused; assign in place instead")
        dtype = kwargs.pop("dtype", None)
        kwargs.pop("out", None)
        if name in _PRODUCTS:
            raise self._trace.refuse(f"{name} cannot be fused")
        if name in FILLERS:
            filled: Any = replaced(name, self, FILLERS[name])  # type: ignore[arg-type]
            return self._trace.reduction(name.removeprefix("nan"), filled, dtype, kwargs)
        if name.startswith("nan"):
            raise self._trace.one_by_one(f"{name} is a kernel of its own")
        if name in _REDUCTIONS:
            return self._trace.reduction(name, self, dtype, kwargs)
        if dtype is not None:
            raise self._trace.refuse(f"{name}: dtype= cannot be fused; convert with astype()")
        return self._trace.operation(name, operands)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if method == "__call__":
            return counterpart(ufunc)(*inputs, **kwargs)
        raise self._trace.refuse(f"{ufunc.__name__}.{method} cannot be fused")

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        ours = getattr(package.module, function.__name__, None)
        if ours is None:
            raise self._trace.refuse(f"numpy.{function.__name__} cannot be fused")
        return ours(*args, **kwargs)

    def __divmod__(self, other: Any) -> tuple["TracedArray", "TracedArray"]:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> tuple["TracedArray", "TracedArray"]:
        return other // self, other % self

    def __matmul__(self, other: Any) -> Any:
        raise self._trace.refuse("matmul cannot be fused")

    __rmatmul__ = __imatmul__ = __matmul__

    def __getitem__(self, index: Any) -> "TracedArray":
        self._whole(index)
        return self

    def __setitem__(self, index: Any, value: Any) -> None:
        self._whole(index)
        # Python assigns the array to itself at the end of a[...] += 1.
        if value is not self:
            self._trace.assign(self, value)

    def _whole(self, index: Any) -> None:
        if self._trace.of_numbers:
            raise self._trace.refuse("a number has no index")
        if index is not Ellipsis and not (isinstance(index, slice) and index == slice(None)):
            raise self._trace.refuse("indexing cannot be fused, but for [...] and [:]")

    def __bool__(self) -> bool:
        if self._attribute is not None and self._role != "array":
            raise self._trace.need_constant(self)
        raise self._trace.refuse(
            "a condition on elements cannot be fused, their values are not known; "
            "choose with gpuarray.where(condition, x, y)"
        )

    def _no_number(self) -> Any:
        if self._attribute is not None and self._role != "array":
            raise self._trace.need_constant(self)
        if self._role == "array" and not self._sources:
            raise self._trace.left_to_python("a number")
        raise self._trace.refuse(
            "a value cannot leave the function that is fused as a number; "
            "functions of gpuarray take it, as gpuarray.sin(x) instead of math.sin(x)"
        )

    __int__ = __float__ = __complex__ = __index__ = _no_number

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        self._no_number()

    def __len__(self) -> int:
        raise self._trace.refuse("len() cannot be fused: shapes are not known")

    def __iter__(self) -> Any:
        raise self._trace.refuse("a loop over elements cannot be fused")

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and hasattr(_core.GPUArray, name):
            if self._role == "array" and not self._sources:
                raise self._trace.left_to_python(f".{name}")
            raise self._trace.refuse(f".{name} cannot be fused; {_way_out(name)}", inside=False)
        if name.startswith("_"):
            raise AttributeError(f"a value that is traced has no attribute {name!r}")
        raise self._trace.unknown_attribute(directions.of_array(name))


_OF_SHAPES = ("nbytes", "ndim", "shape", "size", "strides")


def _way_out(name: str) -> str:
    """Return what to write instead of a method or attribute of arrays that cannot be fused."""
    if name in _OF_SHAPES:
        return "shapes are not known; give the number as an argument"
    if not callable(getattr(_core.GPUArray, name)):
        return "give it as an argument of the function"
    outside = "call it on the result outside of the function"
    if not callable(getattr(package.module, name, None)):
        return outside
    return f"{outside}, or write gpuarray.{name}(x, ...): the operations then run one by one"


def _operator(op: str, arity: int) -> dict[str, Callable[..., Any]]:
    """Return the methods of an operator by the prefix of their names: "", "r" or "i"."""
    if arity == 1:
        return {"": lambda a: a._trace.operation(op, (a,), weak=True)}

    def forward(a: TracedArray, b: Any) -> Any:
        if op == "power":
            return a._trace.power(a, b)
        return a._trace.operation(op, (a, b), weak=True)

    def reflected(a: TracedArray, b: Any) -> Any:
        return a._trace.operation(op, (b, a), weak=True)

    def in_place(a: TracedArray, b: Any) -> Any:
        made = forward(a, b)
        if a._role != "array" or a._trace.of_numbers:
            # Numbers are immutable, so the name is bound to the new value.
            return made
        require_castable(op, made._dtype_name, a._dtype_name)
        a._trace.assign(a, made)
        return a

    return {"": forward, "r": reflected, "i": in_place}


# These methods have other names than their rows in kernels/ops.def.
METHOD_NAMES = {
    "subtract": "sub",
    "multiply": "mul",
    "true_divide": "truediv",
    "floor_divide": "floordiv",
    "remainder": "mod",
    "power": "pow",
    "negative": "neg",
    "positive": "pos",
    "absolute": "abs",
}
_PRODUCTS = {"dot", "inner", "kron", "matmul", "outer"}
_REDUCTIONS = {row[0] for row in _core.reduction_table()}

for _op, _arity, _slot, *_ in _core.op_table():
    if _slot != "none":
        for _prefix, _method in _operator(_op, _arity).items():
            if not (_prefix and _slot in ("eq", "ne", "lt", "le", "gt", "ge")):
                setattr(TracedArray, f"__{_prefix}{METHOD_NAMES.get(_slot, _slot)}__", _method)


def _reduction(name: str) -> Callable[..., Any]:
    function = getattr(_core, name)
    return lambda self, *args, **kwargs: function(self, *args, **kwargs)


for _name in _REDUCTIONS:
    setattr(TracedArray, _name, _reduction(_name))
