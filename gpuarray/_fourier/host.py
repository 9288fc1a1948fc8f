# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Fourier transforms of the cpu device, which _core asks for: NumPy's, on views of the memory."""

from typing import Any, Literal

import numpy as np

from gpuarray import _core
from gpuarray._common.dtype_table import dtype_kind, is_half
from gpuarray._core import GPUArray

__all__ = ["transform"]

_Norm = Literal["backward", "ortho", "forward"]

_SWAPPED: dict[str | None, _Norm] = {
    None: "forward",
    "backward": "forward",
    "ortho": "ortho",
    "forward": "backward",
}


def transform(
    name: str, a: GPUArray, lengths: tuple[int, ...], axes: tuple[int, ...], norm: str | None
) -> GPUArray:
    """Return a transform of an array of the cpu device; lengths and axes are checked and plain."""
    if is_half(a._dtype_name):
        a = a.astype("float32")
    elif dtype_kind(a._dtype_name) not in "fc":
        a = a.astype("float64")

    def compute(x: Any) -> Any:
        with np.errstate(all="ignore"):
            return _transformed(name, x, lengths, axes, norm)

    made: GPUArray = _core._call_numpy(compute, (a,), {}, False, False, True)
    if made is not NotImplemented:
        return made
    # NumPy's error is raised again, or its result is a view.
    return _core.to_device(np.array(compute(a.get())), device="cpu")


def _transformed(name: str, x: Any, lengths: Any, axes: Any, norm: str | None) -> Any:
    if not axes:
        return np.array(x, np.result_type(x.dtype, 1j))
    if any(x.shape[axis] == 0 for axis in axes):
        # NumPy's irfft gives memory that it has not written; of zeros it makes zeros.
        shape = [max(n, 1) if axis in axes else n for axis, n in enumerate(x.shape)]
        x = np.zeros(shape, x.dtype)
    if len(axes) == 1:
        return getattr(np.fft, name)(x, lengths[0], axes[0], norm)
    if name == "hfft":
        return np.fft.irfftn(np.conjugate(x), lengths, axes, _SWAPPED[norm])
    if name == "ihfft":
        spectrum = np.fft.rfftn(x, lengths, axes, _SWAPPED[norm])
        return np.conjugate(spectrum, out=spectrum)
    return getattr(np.fft, f"{name}n")(x, lengths, axes, norm)
