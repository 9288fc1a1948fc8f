# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Arrays as text in NumPy's format; only the elements that are shown are copied from the device."""

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _core

if TYPE_CHECKING:
    from gpuarray._core import GPUArray

__all__ = ["array_repr", "array_str", "is_summarised", "shown_elements"]


def is_summarised(a: "GPUArray") -> bool:
    """Return whether NumPy's print options leave out the middle of the axes."""
    return bool(a.size > np.get_printoptions()["threshold"])


def shown_elements(a: "GPUArray") -> np.ndarray[Any, Any]:
    """Return what is shown of `a`: the ends of the axes, and one element for what is left out."""
    if is_summarised(a):
        a = corners(a, max(np.get_printoptions()["edgeitems"], 1))
    # NumPy prints bfloat16 only if ml_dtypes is imported, and not as it prints floats.
    return (a.astype("float32") if a._dtype_name == "bfloat16" else a).get()


def corners(a: "GPUArray", edge: int) -> "GPUArray":
    """Gather the first and last `edge` elements along each axis on the device."""
    parts = []
    for extent in a.shape:
        whole = extent <= 2 * edge + 1
        parts.append([slice(None)] if whole else [slice(0, edge + 1), slice(-edge, None)])
    shape = tuple(min(extent, 2 * edge + 1) for extent in a.shape)
    gathered = _core.empty(shape, a._dtype_name, device=a.device)
    for index in itertools.product(*parts):
        gathered[index] = a[index]
    return gathered


def text_of(a: "GPUArray", prefix: str, suffix: str, separator: str) -> str:
    """Return the elements as NumPy's array2string does."""
    threshold = 0 if is_summarised(a) else max(a.size, 1)
    return np.array2string(
        shown_elements(a),
        prefix=prefix,
        suffix=suffix,
        separator=separator,
        threshold=threshold,
    )


def array_str(a: "GPUArray") -> str:
    """Return the text of ``str(a)``: the elements alone."""
    if a.ndim == 0:
        return str(shown_elements(a)[()])
    return text_of(a, "", "", " ")


def array_repr(a: "GPUArray") -> str:
    """Return the text of ``repr(a)``: elements, dtype, device; the shape where it is not seen."""
    prefix = f"{type(a).__name__}("
    elements = "[]" if a.size == 0 else text_of(a, prefix, ",", ", ")
    details = f"dtype={a._dtype_name}, device='{a.device}')"
    if is_summarised(a) or (a.size == 0 and a.shape != (0,)):
        details = f"shape={a.shape}, {details}"
    last_line = (prefix + elements).rpartition("\n")[2]
    fits = len(last_line) + 2 + len(details) <= np.get_printoptions()["linewidth"]
    gap = " " if fits else "\n" + " " * len(prefix)
    return f"{prefix}{elements},{gap}{details}"
