# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The object that stands for the result of a reduction in a function that is traced."""

from operator import index
from typing import TYPE_CHECKING, Any

from gpuarray import _core
from gpuarray._common.dtype_table import dtype_kind

if TYPE_CHECKING:
    from gpuarray._fusion.statements import Statements
    from gpuarray._fusion.traced import TracedArray

__all__ = ["COMBINED", "Reduced", "plain_axis", "sum_dtype"]

# The C++ expression that combines two elements of each reduction, and its identity ("" for none).
COMBINED = {
    "sum": ("math::add(a, b)", "0"),
    "prod": ("math::multiply(a, b)", "1"),
    "max": ("math::maximum(a, b)", ""),
    "min": ("math::minimum(a, b)", ""),
    "any": ("a || b", "false"),
    "all": ("a && b", "true"),
}

# What a reduction is written with where the function goes on with its result.
_OF_ROWS = "axis=-1, keepdims=True"
_WAYS_OUT = {"where": "choose with gpuarray.where(condition, x, y) before"}


class Reduced:
    """The result of a reduction of a traced array, with which the function ends.

    No function goes on with it, but with those of rows (row_reduction.py).

    `body` are statements that return what is reduced, converted to the `dtype` of the result, and
    `sources` those of its shape; `axis` and `keepdims` are as they were given. `is_inlined` is
    whether a fused function returned it to another one, whose operations on it cannot be fused and
    run one by one.
    """

    def __init__(
        self,
        trace: "Statements",
        name: str,
        value: "TracedArray",
        dtype: Any,
        options: dict[str, Any],
    ) -> None:
        if name not in COMBINED:
            rows = "" if name.startswith("arg") else f"; {name} of rows can: {_OF_ROWS}"
            outside = "call it on the result outside of the function"
            raise trace.refuse(f"{name} cannot be fused{rows}; {outside}")
        for option, given in options.items():
            if option not in ("axis", "keepdims") and given is not True:
                way_out = _WAYS_OUT.get(option, "call it on the result outside of the function")
                raise trace.refuse(f"{name}: {option}= cannot be fused; {way_out}")
        self.trace, self.name, self.sources = trace, name, value._sources
        self.axis = plain_axis(options.get("axis"))
        self.keepdims = bool(options.get("keepdims"))
        self.is_inlined = False
        element = value._dtype_name
        self.dtype = element
        if name in ("sum", "prod"):
            self.dtype = sum_dtype(element, dtype)
        elif name in ("any", "all"):
            self.dtype = "bool"
        self.body = trace.body(trace.cast(value, self.dtype))

    def refuse(self, *other: Any) -> Any:
        if self.is_inlined:
            raise self.trace.one_by_one("the reduction of a fused function is used by another one")
        raise self.trace.refuse(
            "a reduction can only be what a fused function returns; "
            f"the function goes on with one of rows: {_OF_ROWS}"
        )

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = refuse
    __rtruediv__ = __pow__ = __neg__ = __bool__ = __float__ = __int__ = __array__ = refuse
    __lt__ = __le__ = __gt__ = __ge__ = __getitem__ = __gpuarray_function__ = refuse
    __array_ufunc__ = __array_function__ = refuse

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self.refuse()


def plain_axis(axis: Any) -> int | tuple[int, ...] | None:
    """Return an axis, or several, as Python's ints."""
    if axis is None:
        return None
    return tuple(map(index, axis)) if isinstance(axis, tuple) else index(axis)


def sum_dtype(element: str, dtype: Any) -> str:
    """Return the dtype of a sum or product of elements, for which the caller gave `dtype`."""
    if dtype is not None:
        return _core._dtype(dtype).name
    return {"b": "int64", "i": "int64", "u": "uint64"}.get(dtype_kind(element), element)
