# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Functions of dtypes, which accept all that numpy.dtype takes, and "bfloat16"."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import require_array
from gpuarray._common.dtype_table import dtype_kind, names_of
from gpuarray._core import GPUArray

__all__ = [
    "can_cast",
    "common_type",
    "finfo",
    "iinfo",
    "isdtype",
    "issubdtype",
    "min_scalar_type",
    "promote_types",
    "result_type",
]

_ABSTRACT: list[type] = [np.generic, np.number, np.integer, np.signedinteger, np.unsignedinteger]
_ABSTRACT += [np.inexact, np.floating, np.complexfloating]
KINDS = {
    "bool": ("bool",),
    "signed integer": names_of("i"),
    "unsigned integer": names_of("u"),
    "integral": names_of("iu"),
    "real floating": names_of("f"),
    "complex floating": names_of("c"),
    "numeric": names_of("iufc"),
}


def dtype_of(value: Any) -> np.dtype[Any]:
    """Return the dtype of an array, or the one that `value` names."""
    if isinstance(value, GPUArray | np.ndarray | np.generic):
        value = value.dtype
    if isinstance(value, str) and value == "bfloat16":
        value = _core.empty(0, value, device="cpu").dtype
    try:
        found: np.dtype[Any] = np.dtype(value)
    except TypeError as error:
        raise TypeError(f"expected a dtype, got {type(value).__name__}: {error}") from None
    return found


def dtype_name(value: Any) -> str:
    """Return NumPy's name of the dtype that `value` names in any of NumPy's spellings.

    The one conversion for functions that look at a `dtype` argument; TypeError for a dtype that
    GPUArrays do not have.
    """
    name: str = _core.empty(0, value, device="cpu")._dtype_name
    return name


def promoted(*names: str) -> str:
    """Return the name of the dtype that dtypes of these names promote to."""
    return names[0] if len(set(names)) == 1 else _core._promote(*names)


def can_cast(from_: Any, to: Any, casting: str = "safe") -> bool:
    """Tell whether a dtype, or that of an array, casts to another by NumPy's rule of this name."""
    return np.can_cast(dtype_of(from_), dtype_of(to), casting)  # type: ignore[arg-type]


def result_type(*arrays_and_dtypes: Any) -> np.dtype[Any]:
    """Return the dtype of a result of these arrays, dtypes and scalars, of which Python's are weak.

    ValueError without arguments.
    """
    return dtype_of(result_name(*arrays_and_dtypes))


def result_name(*arrays_and_dtypes: Any) -> str:
    """Return the name of the result_type."""
    weak = (bool, int, float, complex)
    scalars = [value for value in arrays_and_dtypes if type(value) in weak]
    others = [value for value in arrays_and_dtypes if type(value) not in weak]
    names = [a._dtype_name if isinstance(a, GPUArray) else dtype_of(a).name for a in others]
    if "bfloat16" not in names:
        return np.result_type(*names, *scalars).name
    made = _core.empty(0, promoted(*names), device="cpu")
    for scalar in scalars:
        made = _core.where(False, made, scalar)
    return made._dtype_name


def promote_types(type1: Any, type2: Any) -> np.dtype[Any]:
    """Return the smallest dtype that both dtypes cast to safely."""
    return dtype_of(promoted(dtype_of(type1).name, dtype_of(type2).name))


def common_type(*arrays: GPUArray) -> Any:
    """Return the floating or complex scalar type of a result of these arrays, none of them bool.

    Integers count as float64.
    """
    names = [require_array("common_type", a)._dtype_name for a in arrays]
    if "bool" in names:
        raise TypeError("common_type: can't get common type for non-numeric array of dtype bool")
    kinds = ["float64" if dtype_kind(name) in ("i", "u") else name for name in names]
    return dtype_of(promoted(*(kinds or ["float16"]))).type


def min_scalar_type(a: Any) -> np.dtype[Any]:
    """Return the smallest dtype that holds a scalar; of an array its dtype."""
    return a.dtype if isinstance(a, GPUArray) else np.min_scalar_type(a)


def issubdtype(arg1: Any, arg2: Any) -> bool:
    """Tell whether a dtype is another one or of NumPy's kind, such as numpy.floating.

    bfloat16 is of the kinds that float16 is of.
    """
    if isinstance(arg2, type) and issubclass(arg2, np.generic) and arg2 in _ABSTRACT:
        arg1 = "float16" if dtype_of(arg1).name == "bfloat16" else arg1
        return bool(np.issubdtype(arg1, arg2))
    return dtype_of(arg1) == dtype_of(arg2)


def isdtype(dtype: Any, kind: Any) -> bool:
    """Tell whether a dtype is another one or of a kind, or any of a tuple of these.

    The kinds are "bool", "signed integer", "unsigned integer", "integral", "real floating",
    "complex floating" and "numeric"; float16 and bfloat16 are real floating. ValueError for another
    word, TypeError for what is no dtype.
    """
    name = dtype_of(dtype).name
    for one in kind if isinstance(kind, tuple) else (kind,):
        if isinstance(one, str) and one not in KINDS:
            raise ValueError(f"isdtype: expected a dtype or one of {list(KINDS)}, got {one!r}")
        if name in KINDS[one] if isinstance(one, str) else name == dtype_of(one).name:
            return True
    return False


_FLOATS = (
    "eps",
    "epsneg",
    "max",
    "min",
    "smallest_normal",
    "smallest_subnormal",
    "tiny",
    "resolution",
)


def finfo(type: Any, /) -> Any:
    """Return the limits of a floating dtype, or of the one of an array or of a complex one's parts.

    Its attributes are those of numpy.finfo as Python's numbers, which hold them exactly.
    ValueError for other dtypes.
    """
    dtype = dtype_of(type)
    limits: Any = np.finfo
    if dtype.name == "bfloat16":
        import ml_dtypes

        limits = ml_dtypes.finfo
    limits = limits(dtype)
    values = {name: float(getattr(limits, name)) for name in _FLOATS}
    return SimpleNamespace(
        dtype=limits.dtype, bits=limits.bits, precision=limits.precision, **values
    )


def iinfo(type: Any, /) -> Any:
    """Return the limits of an integer dtype, or of that of an array. ValueError for others."""
    return np.iinfo(dtype_of(type))
