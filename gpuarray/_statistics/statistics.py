# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Weighted means, ranges, covariances and correlations."""

import contextlib
import functools
from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common import package
from gpuarray._common.arguments import (
    assigned,
    host_values,
    is_complex,
    is_inexact,
    normalize_axis,
    require_array,
)
from gpuarray._common.dtype_table import dtype_kind
from gpuarray._common.one_pass import is_large
from gpuarray._core import GPUArray
from gpuarray._dtypes.dtype_functions import dtype_name
from gpuarray._manipulation.manipulation import concatenate
from gpuarray._runtime.streams import takes_stream
from gpuarray.errors import CompileError, DeviceError

__all__ = ["average", "corrcoef", "cov", "ptp"]


@takes_stream
def ptp(
    a: GPUArray, axis: Any = None, out: GPUArray | None = None, keepdims: bool = False
) -> GPUArray:
    """Return the range of the elements, max - min, over the axes, all by default."""
    require_array("ptp", a)
    largest, least = (f(a, axis=axis, keepdims=keepdims) for f in (_core.max, _core.min))
    return assigned("ptp", out, _core.subtract(largest, least))


@takes_stream
def average(
    a: GPUArray,
    axis: Any = None,
    weights: Any = None,
    returned: bool = False,
    *,
    keepdims: bool = False,
) -> Any:
    """Return the mean over the axes, all by default, weighted by `weights` if they are given.

    `weights` has the shape of `a`, or that of these axes of it. With `returned` the result is the
    pair of the average and the sum of the weights. Weights that add up to 0 give NaN or infinity.
    Queued on the current stream.
    """
    require_array("average", a)
    if weights is None:
        made = _core.mean(a, axis, keepdims=keepdims)
        scale = _core.full(
            made.shape, a.size / max(made.size, 1), made._dtype_name, device=a.device
        )
        return (made, scale) if returned else made
    weights = _shaped_weights(a, axis, host_values("average: weights", weights, a))
    dtype = _core.multiply(_empty(a), _empty(weights))._dtype_name
    if not is_inexact(a):
        dtype = _core.multiply(_core.empty(0, dtype, device="cpu"), _DOUBLE)._dtype_name
    total, scale = _weighted_sums(a, weights, axis, dtype, keepdims)
    made = _core.divide(total, scale)
    if not returned:
        return made
    return made, _core.multiply(scale, _core.ones(made.shape, dtype, device=a.device))


_DOUBLE = np.float64(1)
_IN_ONE_PASS = {"float32": "float", "float64": "double"}


def _weighted_sums(
    a: GPUArray, weights: GPUArray, axis: Any, dtype: str, keepdims: bool
) -> tuple[GPUArray, GPUArray]:
    """Return the sum of the weighted elements and that of the weights, computed in `dtype`."""
    if dtype in _IN_ONE_PASS and is_large(a):
        # Without a compiler that works the operations serve.
        with contextlib.suppress(CompileError, DeviceError):
            sums = _weighted_sums_kernel(dtype)(a, weights, axis=axis, keepdims=keepdims)
            return sums.real.astype(dtype), sums.imag.astype(dtype)
    total = _core.multiply(a, weights, dtype=dtype).sum(axis, keepdims=keepdims)
    return total, weights.sum(axis, dtype=dtype, keepdims=keepdims)


@functools.cache
def _weighted_sums_kernel(dtype: str) -> Any:
    """Return the kernel of both sums, which are the parts of one complex number."""
    loop = _IN_ONE_PASS[dtype]
    return package.module.ReductionKernel(
        "T a, W w",
        "complex128 sums",
        f"complex<double>{{double({loop}(a) * {loop}(w)), double({loop}(w))}}",
        "a + b",
        "",
        "0",
        "average",
    )


def _empty(a: GPUArray) -> GPUArray:
    """Return an empty array of the dtype of `a`, to find out the dtypes of results."""
    return _core.empty(0, a._dtype_name, device="cpu")


def _shaped_weights(a: GPUArray, axis: Any, weights: GPUArray) -> GPUArray:
    """Return the weights reshaped to as many dimensions as `a`, so that both broadcast."""
    if weights.shape == a.shape:
        return weights
    if axis is None:
        raise TypeError("average: axis must be specified when shapes of a and weights differ")
    given = axis if isinstance(axis, tuple) else (axis,)
    axes = [normalize_axis(one, a.ndim) for one in given]
    if weights.shape != tuple(a.shape[one] for one in axes):
        raise ValueError(
            f"average: shape of weights {weights.shape} must be consistent with shape of a "
            f"{a.shape} along specified axis"
        )
    ordered = weights.transpose(sorted(range(len(axes)), key=axes.__getitem__))
    return ordered.reshape(tuple(n if one in axes else 1 for one, n in enumerate(a.shape)))


@takes_stream
def cov(
    m: GPUArray,
    y: GPUArray | None = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: Any = None,
    aweights: Any = None,
    *,
    dtype: Any = None,
) -> GPUArray:
    """Return the covariance matrix of variables, the rows of `m` (columns unless `rowvar`).

    `y` are more variables. It is divided by N - ddof, where `ddof` is 1, or 0 with `bias`; without
    such degrees of freedom the result is infinite or NaN. `fweights` are whole numbers, how often
    each observation was made, `aweights` their weights; that they are not negative is not checked.
    """
    if ddof is not None and ddof != int(ddof):
        raise ValueError(f"cov: ddof must be integer, got {ddof}")
    variables = _variables(m, y, rowvar, dtype)
    if variables.shape[0] == 0:
        return _core.empty((0, 0), variables._dtype_name, device=variables.device)
    count = variables.shape[1]
    ddof = (0 if bias else 1) if ddof is None else ddof
    if fweights is not None:
        fweights = host_values("cov: fweights", fweights, variables)
    if aweights is not None:
        aweights = host_values("cov: aweights", aweights, variables)
    weights = _observation_weights(count, fweights, aweights)
    if weights is None:
        scale: Any = 1 / (count - ddof) if count > ddof else np.inf
        mean = average(variables, axis=1, keepdims=True)
    else:
        total = weights.sum()
        if ddof and aweights is not None:
            freedom = total - ddof * _core.divide((weights * aweights).sum(), total)
        else:
            freedom = total - ddof
        scale = _core.divide(1.0, _core.maximum(freedom, 0)).astype(variables.real._dtype_name)
        mean = average(variables, axis=1, weights=weights, keepdims=True)
    centred = variables - mean
    scaled = centred if weights is None else centred * weights
    product = centred @ _core.conjugate(scaled.T) if is_complex(centred) else centred @ scaled.T
    return _core.multiply(product, scale).squeeze()


def _variables(m: GPUArray, y: GPUArray | None, rowvar: bool, dtype: Any) -> GPUArray:
    """Return all variables as rows of one array, in the dtype that cov() computes in."""
    given = [require_array("cov", a) for a in ([m] if y is None else [m, y])]
    if any(a.ndim > 2 for a in given):
        raise ValueError("cov: m and y have more than 2 dimensions")
    if dtype is None:
        kinds = [_core.multiply(_empty(a), _DOUBLE)._dtype_name for a in given]
        dtype = "complex128" if "complex128" in kinds else "float64"
    elif dtype_kind(dtype_name(dtype)) not in ("f", "c"):
        raise TypeError(f"cov: dtype: expected an inexact dtype, got {dtype_name(dtype)}")
    rows: list[GPUArray] = []
    for a in given:
        a = a.astype(dtype, copy=False)
        a = a.reshape((1,) * (2 - a.ndim) + a.shape)
        transposed = not rowvar and (m.ndim != 1 if not rows else a.shape[0] != 1)
        rows.append(a.T if transposed else a)
    return rows[0] if len(rows) == 1 else concatenate(rows)


def _observation_weights(
    count: int, fweights: GPUArray | None, aweights: GPUArray | None
) -> GPUArray | None:
    weights = None
    for name, given in (("fweights", fweights), ("aweights", aweights)):
        if given is None:
            continue
        if name == "fweights" and is_inexact(given):
            raise TypeError(f"cov: fweights must be integers, got {given._dtype_name}")
        if given.ndim > 1:
            raise RuntimeError(f"cov: cannot handle multidimensional {name}")
        if given.shape != (count,):
            raise RuntimeError(f"cov: incompatible numbers of samples and {name}")
        given = given.astype("float64", copy=False)
        weights = given if weights is None else weights * given
    return weights


@takes_stream
def corrcoef(
    x: GPUArray, y: GPUArray | None = None, rowvar: bool = True, *, dtype: Any = None
) -> GPUArray:
    """Return the matrix of correlation coefficients of variables, as cov() takes them."""
    made = cov(x, y, rowvar, dtype=dtype)
    if made.ndim == 0:
        return made / made
    deviations = _core.sqrt(made.reshape(-1)[:: made.shape[0] + 1].real)
    made /= deviations.reshape(-1, 1)
    made /= deviations
    for part in (made.real, made.imag) if is_complex(made) else (made,):
        part[...] = _core.clip(part, -1, 1)
    return made
