# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Discrete Fourier transforms, by cuFFT on CUDA devices and by NumPy on the cpu device."""

from collections.abc import Sequence
from typing import Any, Literal

from gpuarray import _core
from gpuarray._common.operands import takes_lists
from gpuarray._core import GPUArray

__all__ = [
    "fft",
    "fft2",
    "fftn",
    "hfft",
    "hfft2",
    "hfftn",
    "ifft",
    "ifft2",
    "ifftn",
    "ihfft",
    "ihfft2",
    "ihfftn",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftn",
]

_Norm = Literal["backward", "ortho", "forward"] | None

# The kinds of transforms that _core knows, along one axis and over several.
_FFT, _IFFT, _RFFT, _IRFFT, _HFFT, _IHFFT = range(6)
_FFTN, _IFFTN, _RFFTN, _IRFFTN, _HFFTN, _IHFFTN = range(6, 12)


@takes_lists
def fft(
    a: GPUArray,
    n: int | None = None,
    axis: int = -1,
    norm: _Norm = None,
    out: GPUArray | None = None,
    *,
    stream: Any = None,
) -> GPUArray:
    """Return the discrete Fourier transform along an axis.

    The axis is cut to its first `n` elements, or continued by zeros. Floats of up to 32 bits and
    complex64 give complex64, all else complex128. `norm` says what is divided: "backward", as is,
    the inverse transform by n, "forward" this one, "ortho" each by sqrt(n). Returns a new array, or
    `out` of the result's shape, which may be `a` itself or overlap it. Queued on `stream`, by
    default the current one; nothing waits, and it may be captured in a graph. ValueError for
    `n` < 1 and other norms, AxisError, TypeError for an `n` or `axis` that is no integer and an
    `out` of a kind that the result does not cast to, DeviceError if cuFFT is not installed.
    """
    return _core._fft(_FFT, a, n, axis, norm, out, stream)


@takes_lists
def ifft(
    a: GPUArray,
    n: int | None = None,
    axis: int = -1,
    norm: _Norm = None,
    out: GPUArray | None = None,
    *,
    stream: Any = None,
) -> GPUArray:
    """Return the inverse of fft, divided by n unless `norm` says otherwise.

    Arguments, dtypes, stream and errors are those of fft.
    """
    return _core._fft(_IFFT, a, n, axis, norm, out, stream)


@takes_lists
def rfft(
    a: GPUArray,
    n: int | None = None,
    axis: int = -1,
    norm: _Norm = None,
    out: GPUArray | None = None,
    *,
    stream: Any = None,
) -> GPUArray:
    """Return the first n // 2 + 1 elements of the fft of real numbers; the others mirror them.

    Arguments, dtypes, stream and errors are those of fft; TypeError for complex numbers.
    """
    return _core._fft(_RFFT, a, n, axis, norm, out, stream)


@takes_lists
def irfft(
    a: GPUArray,
    n: int | None = None,
    axis: int = -1,
    norm: _Norm = None,
    out: GPUArray | None = None,
    *,
    stream: Any = None,
) -> GPUArray:
    """Return the inverse of rfft: `n` real numbers, by default 2 * (m - 1) for m elements.

    float16 of float16, float32 where fft gives complex64, else float64. An axis of no elements is
    continued by zeros, as a shorter one. The array is not changed. Arguments, stream and errors are
    those of fft.
    """
    return _core._fft(_IRFFT, a, n, axis, norm, out, stream)


@takes_lists
def hfft(
    a: GPUArray,
    n: int | None = None,
    axis: int = -1,
    norm: _Norm = None,
    out: GPUArray | None = None,
    *,
    stream: Any = None,
) -> GPUArray:
    """Return the fft, which is real, of a signal of which the first n // 2 + 1 elements are given.

    The others are their conjugates; `n` is by default 2 * (m - 1) for m elements. Dtypes are those
    of irfft, arguments, stream and errors those of fft.
    """
    return _core._fft(_HFFT, a, n, axis, norm, out, stream)


@takes_lists
def ihfft(
    a: GPUArray,
    n: int | None = None,
    axis: int = -1,
    norm: _Norm = None,
    out: GPUArray | None = None,
    *,
    stream: Any = None,
) -> GPUArray:
    """Return the inverse of hfft: n // 2 + 1 elements.

    Arguments, dtypes, stream and errors are those of fft; TypeError for complex numbers.
    """
    return _core._fft(_IHFFT, a, n, axis, norm, out, stream)


@takes_lists
def fftn(
    a: GPUArray,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: _Norm = None,
    out: GPUArray | None = None,
    *,
    stream: Any = None,
) -> GPUArray:
    """Return the discrete Fourier transform over several axes, all by default.

    `s` gives the lengths of the axes, -1 an axis as it is; without `axes` these are the last
    len(s) ones. An axis that is named twice is transformed twice. Other arguments, dtypes, stream
    and errors are those of fft; ValueError for `s` and `axes` of different lengths.
    """
    return _core._fft(_FFTN, a, s, axes, norm, out, stream)


@takes_lists
def ifftn(
    a: GPUArray,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: _Norm = None,
    out: GPUArray | None = None,
    *,
    stream: Any = None,
) -> GPUArray:
    """Return the inverse of fftn, divided by the number of points unless `norm` says otherwise.

    As fftn.
    """
    return _core._fft(_IFFTN, a, s, axes, norm, out, stream)


@takes_lists
def rfftn(
    a: GPUArray,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: _Norm = None,
    out: GPUArray | None = None,
    *,
    stream: Any = None,
) -> GPUArray:
    """Return the fftn of real numbers, of the last of the axes the first n // 2 + 1 elements.

    As fftn; TypeError for complex numbers.
    """
    return _core._fft(_RFFTN, a, s, axes, norm, out, stream)


@takes_lists
def irfftn(
    a: GPUArray,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: _Norm = None,
    out: GPUArray | None = None,
    *,
    stream: Any = None,
) -> GPUArray:
    """Return the inverse of rfftn; the last axis has 2 * (m - 1) elements unless `s` says another.

    Dtypes are those of irfft, all else is as fftn. The array is not changed.
    """
    return _core._fft(_IRFFTN, a, s, axes, norm, out, stream)


@takes_lists
def hfftn(
    a: GPUArray,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: _Norm = None,
    out: GPUArray | None = None,
    *,
    stream: Any = None,
) -> GPUArray:
    """Return the fftn, which is real, of a Hermitian signal, given by half of the last of the axes.

    As irfftn in shapes and dtypes, and as SciPy's function.
    """
    return _core._fft(_HFFTN, a, s, axes, norm, out, stream)


@takes_lists
def ihfftn(
    a: GPUArray,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: _Norm = None,
    out: GPUArray | None = None,
    *,
    stream: Any = None,
) -> GPUArray:
    """Return the inverse of hfftn, as SciPy's function: shapes and dtypes are those of rfftn."""
    return _core._fft(_IHFFTN, a, s, axes, norm, out, stream)


@takes_lists
def fft2(
    a: GPUArray,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = (-2, -1),
    norm: _Norm = None,
    out: GPUArray | None = None,
    *,
    stream: Any = None,
) -> GPUArray:
    """Return fftn over two axes, the last ones by default."""
    return _core._fft(_FFTN, a, s, axes, norm, out, stream)


@takes_lists
def ifft2(
    a: GPUArray,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = (-2, -1),
    norm: _Norm = None,
    out: GPUArray | None = None,
    *,
    stream: Any = None,
) -> GPUArray:
    """Return ifftn over two axes, the last ones by default."""
    return _core._fft(_IFFTN, a, s, axes, norm, out, stream)


@takes_lists
def rfft2(
    a: GPUArray,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = (-2, -1),
    norm: _Norm = None,
    out: GPUArray | None = None,
    *,
    stream: Any = None,
) -> GPUArray:
    """Return rfftn over two axes, the last ones by default."""
    return _core._fft(_RFFTN, a, s, axes, norm, out, stream)


@takes_lists
def irfft2(
    a: GPUArray,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = (-2, -1),
    norm: _Norm = None,
    out: GPUArray | None = None,
    *,
    stream: Any = None,
) -> GPUArray:
    """Return irfftn over two axes, the last ones by default."""
    return _core._fft(_IRFFTN, a, s, axes, norm, out, stream)


@takes_lists
def hfft2(
    a: GPUArray,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = (-2, -1),
    norm: _Norm = None,
    out: GPUArray | None = None,
    *,
    stream: Any = None,
) -> GPUArray:
    """Return hfftn over two axes, the last ones by default."""
    return _core._fft(_HFFTN, a, s, axes, norm, out, stream)


@takes_lists
def ihfft2(
    a: GPUArray,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = (-2, -1),
    norm: _Norm = None,
    out: GPUArray | None = None,
    *,
    stream: Any = None,
) -> GPUArray:
    """Return ihfftn over two axes, the last ones by default."""
    return _core._fft(_IHFFTN, a, s, axes, norm, out, stream)
