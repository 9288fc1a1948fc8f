# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""NumPy's functions for printing: its options govern the text of GPUArrays too."""

from typing import Any

import numpy as np
from numpy import (
    base_repr,
    binary_repr,
    format_float_positional,
    format_float_scientific,
    get_printoptions,
    mintypecode,
    printoptions,
    set_printoptions,
)

from gpuarray._common.arguments import require_array
from gpuarray._core import GPUArray
from gpuarray._protocols import format
from gpuarray._runtime.streams import takes_stream

__all__ = [
    "array2string",
    "array_repr",
    "array_str",
    "base_repr",
    "binary_repr",
    "format_float_positional",
    "format_float_scientific",
    "get_printoptions",
    "mintypecode",
    "printoptions",
    "set_printoptions",
    "typename",
]


def typename(char: str) -> str:
    """Return NumPy's description of a dtype's character, as "double precision" of "d".

    KeyError for a character that no dtype has.
    """
    if not isinstance(char, str):
        kind = type(char).__name__
        raise TypeError(f"typename: expected a dtype's character, as a.dtype.char, got {kind}")
    try:
        return np.typename(char)  # type: ignore[call-overload, no-any-return]
    except KeyError:
        raise KeyError(f"typename: no dtype has the character {char!r}") from None


def _options(**options: Any) -> Any:
    """Return the context of NumPy's options that are not None."""
    return np.printoptions(**{key: value for key, value in options.items() if value is not None})


@takes_stream
def array_repr(
    arr: GPUArray,
    max_line_width: int | None = None,
    precision: int | None = None,
    suppress_small: bool | None = None,
) -> str:
    """Return repr(arr) with these options of NumPy's; waits for the elements that are shown."""
    a = require_array("array_repr", arr)
    with _options(linewidth=max_line_width, precision=precision, suppress=suppress_small):
        return format.array_repr(a)


@takes_stream
def array_str(
    a: GPUArray,
    max_line_width: int | None = None,
    precision: int | None = None,
    suppress_small: bool | None = None,
) -> str:
    """Return str(a) with these options of NumPy's; waits for the elements that are shown."""
    a = require_array("array_str", a)
    with _options(linewidth=max_line_width, precision=precision, suppress=suppress_small):
        return format.array_str(a)


@takes_stream
def array2string(
    a: GPUArray,
    max_line_width: int | None = None,
    precision: int | None = None,
    suppress_small: bool | None = None,
    separator: str = " ",
    prefix: str = "",
    *,
    formatter: Any = None,
    threshold: int | None = None,
    edgeitems: int | None = None,
    sign: Any = None,
    floatmode: Any = None,
    suffix: str = "",
    legacy: Any = None,
) -> str:
    """Return the elements as numpy.array2string; waits for those that are shown."""
    options = _options(
        linewidth=max_line_width,
        precision=precision,
        suppress=suppress_small,
        formatter=formatter,
        threshold=threshold,
        edgeitems=edgeitems,
        sign=sign,
        floatmode=floatmode,
        legacy=legacy,
    )
    with options:
        return format.text_of(require_array("array2string", a), prefix, suffix, separator)
