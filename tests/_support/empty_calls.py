# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Calls of the public functions with an array of no elements, and their outcomes beside NumPy's."""

import contextlib
import warnings

import numpy as np

import gpuarray

# Arrays of no elements, by each place of the axis of extent 0, and with several of them.
SHAPES = [(0,), (0, 3), (3, 0), (0, 0), (2, 0, 3), (0, 2, 2), (2, 3, 0)]

# One call a line, of `xp`, numpy or gpuarray, with the array `a`. `axis` is None and each axis of
# `a` in turn, `way` is each axis. `host` makes an array of the library. `v` has three elements, and
# `ones` the shape of `a` with 2 in place of 0.
CALLS = """
xp.all(a, axis)
xp.any(a, axis)
xp.sum(a, axis)
xp.prod(a, axis)
xp.mean(a, axis)
xp.std(a, axis)
xp.var(a, axis)
xp.min(a, axis)
xp.max(a, axis)
xp.amin(a, axis, initial=1)
xp.amax(a, axis, initial=1)
xp.ptp(a, axis)
xp.median(a, axis)
xp.average(a, axis)
xp.average(a, axis, weights=a)
xp.quantile(a, 0.5, axis)
xp.quantile(a, host([0.25, 0.5]), axis)
xp.percentile(a, 50, axis, method="lower")
xp.argmin(a, axis)
xp.argmax(a, axis)
xp.nansum(a, axis)
xp.nanprod(a, axis)
xp.nanmean(a, axis)
xp.nanstd(a, axis)
xp.nanvar(a, axis)
xp.nanmin(a, axis)
xp.nanmax(a, axis)
xp.nanmedian(a, axis)
xp.nanquantile(a, 0.5, axis)
xp.nanpercentile(a, 50, axis)
xp.nanargmin(a, axis)
xp.nanargmax(a, axis)
xp.count_nonzero(a, axis)
xp.cumsum(a, axis)
xp.cumprod(a, axis)
xp.cumulative_sum(a, axis=way)
xp.cumulative_prod(a, axis=way, include_initial=True)
xp.nancumsum(a, axis)
xp.nancumprod(a, axis)
xp.sort(a, axis)
xp.argsort(a, axis)
xp.partition(a, 0, axis)
xp.argpartition(a, 0, axis)
xp.sort_complex(a)
xp.lexsort(a, way)
xp.unique(a, axis=axis)
xp.unique(a, True, True, True, axis=axis)
xp.unique(a, True, True, True, axis=axis, equal_nan=False)
xp.unique_all(a)
xp.unique_counts(a)
xp.unique_inverse(a)
xp.unique_values(a)
xp.union1d(a, a)
xp.union1d(a, v)
xp.intersect1d(a, v)
xp.intersect1d(a, v, return_indices=True)
xp.setdiff1d(a, v)
xp.setdiff1d(v, a)
xp.setxor1d(a, v)
xp.setxor1d(a, a)
xp.isin(a, v)
xp.isin(v, a)
xp.isin(v, a, invert=True)
xp.searchsorted(a, v)
xp.searchsorted(v, a)
xp.digitize(a, v)
xp.digitize(v, a)
xp.bincount(a.astype("int64"))
xp.bincount(a.astype("int64"), a)
xp.bincount(a.astype("int64"), minlength=3)
xp.histogram(a)
xp.histogram(a, v)
xp.histogram(v, a)
xp.histogram(a, 3, (0, 1))
xp.histogram_bin_edges(a)
xp.histogram2d(a, a)
xp.histogramdd(a)
xp.take(a, host([], "int64"), axis)
xp.take(a, host([0]), axis)
xp.take(a, 0, axis)
xp.take(ones[..., :0], host([0]), axis=0, mode="wrap")
xp.take(a, host([0]), axis, mode="clip")
xp.take_along_axis(a, host(np.zeros(a.shape, "int64")), way)
xp.take_along_axis(a, host(np.zeros((1,) * a.ndim, "int64")), way)
xp.compress(host([True]), a, axis)
xp.compress(host([], "bool"), a, axis)
xp.delete(a, 0, axis)
xp.delete(a, host([], "int64"), axis)
xp.insert(a, 0, 1.0, axis)
xp.append(a, a, axis)
xp.repeat(a, 2, axis)
xp.repeat(a, host([2]), axis)
xp.roll(a, 1, axis)
xp.flip(a, axis)
xp.diff(a, axis=way)
xp.diff(a, n=3, axis=way)
xp.diff(a, axis=way, prepend=0)
xp.gradient(a, axis=axis)
xp.trapezoid(a, axis=way)
xp.concatenate([a, a], axis)
xp.stack([a, a], way)
xp.unstack(a, axis=way)
xp.split(a, 1, way)
xp.split(a, 2, way)
xp.array_split(a, 3, way)
xp.expand_dims(a, way)
xp.squeeze(a)
xp.squeeze(a, way)
xp.moveaxis(a, 0, way)
xp.rollaxis(a, way)
xp.swapaxes(a, 0, way)
xp.packbits(a.astype("uint8"), axis)
xp.unpackbits(a.astype("uint8"), axis)
xp.unwrap(a, axis=way)
xp.apply_along_axis(xp.sum, way, a)
xp.apply_over_axes(xp.sum, a, [way])
xp.argwhere(a)
xp.flatnonzero(a)
xp.nonzero(a)
xp.extract(a, a)
xp.where(a)
xp.where(a, a, 0)
xp.select([a > 0], [a], 1)
xp.choose(a.astype("int64"), [a, a])
xp.piecewise(a, [a > 0], [1.0, 2.0])
xp.interp(a, v, v)
xp.interp(v, a, a)
xp.trim_zeros(a)
xp.ediff1d(a)
xp.ediff1d(a, to_begin=host([1.0]))
xp.convolve(a, v)
xp.convolve(v, a, "valid")
xp.correlate(a, v)
xp.correlate(v, a, "full")
xp.corrcoef(a)
xp.cov(a)
xp.cov(a, rowvar=False)
xp.cov(a, a)
xp.cross(a, a)
xp.dot(a, a)
xp.dot(a, a.T)
xp.vdot(a, a)
xp.inner(a, a)
xp.outer(a, a)
xp.outer(a, v)
xp.matmul(a, a)
xp.matmul(a, a.T)
xp.matvec(a, a)
xp.vecmat(a, a)
xp.vecdot(a, a, axis=way)
xp.kron(a, a)
xp.kron(a, v)
xp.tensordot(a, a, 0)
xp.tensordot(a, a, a.ndim)
xp.einsum("...i,...i->...", a, a)
xp.einsum("i...->i", a)
xp.trace(a)
xp.diagonal(a)
xp.diag(a)
xp.diag(a, 1)
xp.diagflat(a)
xp.tril(a)
xp.triu(a, 1)
xp.vander(a)
xp.vander(a, 0)
xp.rot90(a)
xp.fliplr(a)
xp.flipud(a)
xp.ravel(a)
xp.reshape(a, -1)
xp.reshape(a, (0, 5))
xp.reshape(a, (0, -1))
xp.resize(a, (2, 2))
xp.resize(a, 0)
xp.tile(a, 2)
xp.tile(ones, 0)
xp.tile(a, (2, 1, 1, 1))
xp.pad(a, 0)
xp.pad(a, 1)
xp.pad(a, 1, mode="edge")
xp.pad(a, 1, mode="reflect")
xp.pad(a, 1, mode="wrap")
xp.pad(a, 1, mode="mean")
xp.pad(a, 1, mode="maximum")
xp.pad(a, 1, mode="linear_ramp")
xp.pad(a, [(0, 0)] * a.ndim, mode="maximum")
xp.broadcast_to(a, (2, *a.shape))
xp.broadcast_arrays(a, a[None])
xp.hstack([a, a])
xp.vstack([a, a])
xp.dstack([a, a])
xp.column_stack([a, a])
xp.block([a, a])
xp.dsplit(a, 1)
xp.hsplit(a, 1)
xp.vsplit(a, 1)
xp.atleast_1d(a)
xp.atleast_2d(a)
xp.atleast_3d(a)
xp.matrix_transpose(a)
xp.permute_dims(a, range(a.ndim))
xp.transpose(a)
xp.copy(a)
xp.astype(a, "int32")
xp.ascontiguousarray(a)
xp.asfortranarray(a)
xp.asarray_chkfinite(a)
xp.zeros_like(a)
xp.ones_like(a)
xp.full_like(a, 2)
xp.nan_to_num(a)
xp.clip(a, 0, 1)
xp.round(a, 1)
xp.around(a)
xp.fix(a)
xp.i0(a)
xp.sinc(a)
xp.angle(a)
xp.real(a)
xp.imag(a)
xp.conj(a)
xp.real_if_close(a)
xp.iscomplex(a)
xp.isreal(a)
xp.isneginf(a)
xp.isposinf(a)
xp.isclose(a, a)
xp.allclose(a, a)
xp.allclose(a, 1.0)
xp.array_equal(a, a)
xp.array_equal(a, v)
xp.array_equiv(a, a)
xp.array_equiv(a, 1.0)
xp.frexp(a)
xp.modf(a)
xp.divmod(a, 2.0)
xp.ldexp(a, 2)
xp.ix_(host([], "int64"), host([1]))
xp.ix_(a)
xp.meshgrid(a, v)
xp.unravel_index(a.astype("int64"), (3, 4))
xp.unravel_index(a.astype("int64"), (0, 4))
xp.unravel_index(host([0]), (0, 4))
xp.ravel_multi_index((a.astype("int64"), a.astype("int64")), (3, 4))
xp.ravel_multi_index((host([0]), host([0])), (0, 4))
xp.tril_indices_from(a)
xp.triu_indices_from(a)
xp.diag_indices_from(a)
xp.lib.stride_tricks.sliding_window_view(a, 1, way)
xp.polyfit(a, a, 1)
xp.polyval(a, v)
xp.polyval(v, a)
xp.polyadd(a, v)
xp.polysub(a, v)
xp.polymul(a, v + 1)
xp.polydiv(v, a)
xp.polydiv(a, v)
xp.polyder(a)
xp.polyint(a)
xp.poly(a)
xp.roots(a)
changed(a, lambda b: xp.put(b, host([0]), 1.0))
changed(a, lambda b: xp.put(b, host([], "int64"), 1.0))
changed(a, lambda b: xp.place(b, b > 0, host([1.0])))
changed(a, lambda b: xp.place(b, b > 0, host([])))
changed(a, lambda b: xp.putmask(b, b > 0, 1.0))
changed(a, lambda b: xp.copyto(b, 1.0))
changed(a, lambda b: xp.fill_diagonal(b, 1.0))
changed(a, lambda b: xp.put_along_axis(b, host(np.zeros(b.shape, "int64")), 1.0, way))
changed(a, lambda b: xp.put_along_axis(b, host(np.zeros((1,) * b.ndim, "int64")), 1.0, way))
changed(a, lambda b: b.sort(way))
changed(a, lambda b: b.partition(0, way))
changed(a, lambda b: b.fill(1.0))
changed(a, lambda b: np.add.at(b, host([0]), 1.0))
changed(a, lambda b: np.add.at(b, host([], "int64"), 1.0))
changed(a, lambda b: b.__setitem__(host([0]), 1.0))
changed(a, lambda b: b.__setitem__(host([-1]), 1.0))
changed(a, lambda b: b.__setitem__((..., host([0, 1])), 1.0))
changed(a, lambda b: b.__setitem__(host([], "int64"), 1.0))
changed(a, lambda b: b.__setitem__(b > 0, 1.0))
changed(a, lambda b: b.__setitem__(b > 0, host([])))
changed(a, lambda b: b.__setitem__(b > 0, host([1.0, 2.0])))
changed(ones, lambda b: b.__setitem__(host([], "int64"), 1.0))
changed(ones, lambda b: b.__setitem__(host([9]), host(np.zeros((1, *b.shape[1:])))))
a[0]
a[-1]
a[...]
a[:1]
a[None]
a[..., 0]
a[host([], "int64")]
a[host([0])]
a[host([0, 3])]
a[host([-1])]
a[host([[0], [1]])]
a[host(0)]
a[..., host([0])]
a[..., host([5])]
a[..., host([-1])]
a[:, host([0])]
a[:, host([7])]
a[host([0]), ..., host([0])]
a[host([5]), ..., host([0])]
a[host([0]), ..., host([5])]
a[host([], "int64"), ..., host([5])]
a[:0, host([9])]
a[a > 0]
a[host([True])]
a[host(np.zeros(a.shape[:1], "bool"))]
a[host(np.ones(a.shape[:1], "bool"))]
a[host(np.ones(a.shape[:1], "bool")), ..., host([5])]
ones[host([9]), ..., :0]
ones[..., :0][host([9])]
ones[:0][host([0])]
ones[:0][..., host([9])]
ones[host([], "int64")]
ones[host([], "int64"), ..., host([], "int64")]
ones[host(np.zeros((0, 2), "int64"))]
ones[host(np.zeros(ones.shape, "bool"))]
a.take(host([1]))
a.take(host([1]), way)
a.choose([v, v])
a.item()
a.tolist()
a.nonzero()
a.repeat(0)
a.searchsorted(v)
a.trace()
a.diagonal()
a.argsort(axis=way)
a.cumsum(axis)
a.mean(axis)
a.round()
a.view("int32")
a.view("int8")
a.view("complex128")
a + a
a + 1
a + a[..., None]
a @ a
a == a
a == v
np.add.reduce(a, way)
np.maximum.reduce(a, way)
np.multiply.reduce(a, axis)
np.logical_and.reduce(a, axis)
np.subtract.reduce(a, way)
np.add.accumulate(a, way)
np.maximum.accumulate(a, way)
np.add.reduceat(a, host([], "int64"), way)
np.add.reduceat(a, host([0]), way)
np.add.outer(a, v)
xp.linalg.cholesky(a)
xp.linalg.qr(a)
xp.linalg.qr(a, "complete")
xp.linalg.qr(a, "r")
xp.linalg.qr(a, "raw")
xp.linalg.svd(a)
xp.linalg.svd(a, False)
xp.linalg.svd(a, compute_uv=False)
xp.linalg.svd(a, hermitian=True)
xp.linalg.svdvals(a)
xp.linalg.eig(a.astype("complex128"))
xp.linalg.eigvals(a.astype("complex64"))
xp.linalg.eigh(a)
xp.linalg.eigvalsh(a)
xp.linalg.inv(a)
xp.linalg.pinv(a)
xp.linalg.pinv(a, hermitian=True)
xp.linalg.pinv(a, rtol=host([0.5]))
xp.linalg.det(a)
xp.linalg.slogdet(a)
xp.linalg.matrix_rank(a)
xp.linalg.matrix_rank(a, hermitian=True)
xp.linalg.matrix_rank(a, tol=0.5)
xp.linalg.matrix_power(a, 0)
xp.linalg.matrix_power(a, 3)
xp.linalg.matrix_power(a, -1)
xp.linalg.multi_dot([a, a])
xp.linalg.multi_dot([a, a.T, a])
xp.linalg.solve(a, a)
xp.linalg.solve(a, a[..., 0, :])
xp.linalg.solve(a, a[..., :1])
xp.linalg.solve(host(np.ones((2, 2))), host(np.ones((2, 0))))
xp.linalg.solve(host(np.eye(2)), host(np.ones((2, 0))))
xp.linalg.solve(host(np.eye(3)), a)
xp.linalg.solve(host(np.eye(2)), a)
xp.linalg.solve(host(np.ones((3, 3))), a)
xp.linalg.solve(host(np.ones((2, 2))), a)
xp.linalg.lstsq(a, host(np.ones(a.shape[0])))
xp.linalg.lstsq(a, host(np.ones((a.shape[0], 2))))
xp.linalg.lstsq(a, host(np.ones((a.shape[0], 0))))
xp.linalg.lstsq(host(np.ones((a.shape[0], 2))), a)
xp.linalg.tensorsolve(a, a)
xp.linalg.tensorinv(a, 1)
xp.linalg.tensorinv(a)
xp.linalg.norm(a)
xp.linalg.norm(a, axis=way)
xp.linalg.norm(a, 1, way)
xp.linalg.norm(a, np.inf, way)
xp.linalg.norm(a, -np.inf, way)
xp.linalg.norm(a, 0, way)
xp.linalg.norm(a, 3, way)
xp.linalg.norm(a, "fro", (-2, -1))
xp.linalg.norm(a, "nuc", (-2, -1))
xp.linalg.norm(a, 2, (-2, -1))
xp.linalg.norm(a, -2, (-2, -1))
xp.linalg.norm(a, 1, (-2, -1))
xp.linalg.norm(a, -1, (-2, -1))
xp.linalg.norm(a, np.inf, (-2, -1), True)
xp.linalg.norm(a, -np.inf, (-2, -1))
xp.linalg.matrix_norm(a)
xp.linalg.matrix_norm(a, ord=2)
xp.linalg.matrix_norm(a, ord="nuc")
xp.linalg.vector_norm(a, axis=axis)
xp.linalg.vector_norm(a, axis=axis, ord=np.inf)
xp.linalg.vector_norm(a, axis=axis, ord=1)
xp.linalg.cond(a)
xp.linalg.cond(a, 1)
xp.linalg.cond(a, -2)
xp.linalg.cond(a, "fro")
xp.linalg.cross(a, a)
xp.linalg.outer(a, a)
xp.linalg.trace(a)
xp.linalg.diagonal(a)
xp.linalg.matmul(a, a)
xp.linalg.vecdot(a, a)
xp.linalg.tensordot(a, a)
xp.linalg.matrix_transpose(a)
xp.fft.fft(a, axis=way)
xp.fft.fft(a, 3, way)
xp.fft.ifft(a, 2, way)
xp.fft.ifft(a, axis=way)
xp.fft.rfft(a, axis=way)
xp.fft.rfft(a, 3, way)
xp.fft.irfft(a, axis=way)
xp.fft.irfft(a, 4, way)
xp.fft.hfft(a, axis=way)
xp.fft.hfft(a, 4, way)
xp.fft.ihfft(a, axis=way)
xp.fft.ihfft(a, 4, way)
xp.fft.fft2(a)
xp.fft.fft2(a, (2, 2))
xp.fft.ifft2(a, (2, 2))
xp.fft.rfft2(a, (2, 2))
xp.fft.irfft2(a, (2, 2))
xp.fft.fftn(a)
xp.fft.fftn(a, [2] * a.ndim, range(a.ndim))
xp.fft.ifftn(a, [2] * a.ndim, range(a.ndim))
xp.fft.rfftn(a, [2] * a.ndim, range(a.ndim))
xp.fft.irfftn(a, [2] * a.ndim, range(a.ndim))
xp.fft.fftshift(a)
xp.fft.fftshift(a, way)
xp.fft.ifftshift(a)
xp.fft.ifftshift(a, way)
"""


# What differs on purpose, and why.
DIFFERENT = {
    "xp.average(a, axis)": "nothing waits for a number of elements that is 0",
    "xp.average(a, axis, weights=a)": "nothing waits for weights that add up to 0",
    "xp.polyder(a)": "coefficients have one dimension",
    "xp.linalg.multi_dot([a, a])": "NumPy takes any dimensions for two arrays, not for three",
    "xp.linalg.tensordot(a, a)": "too few axes are a ValueError",
}
# Functions of NumPy's name that no call here concerns, because they take no array, make one from
# scalars, only name another function, or leave the array for the host.
LEFT_OUT = """
abs acos acosh arange array array2string array_repr array_str asanyarray asarray asin
asinh atan atan2 atanh bartlett base_repr binary_repr bitwise_invert bitwise_left_shift
bitwise_right_shift blackman bool broadcast_shapes can_cast common_type concat conjugate
diag_indices dtype einsum_path empty empty_like eye finfo format_float_positional
format_float_scientific from_dlpack frombuffer fromfile fromfunction fromiter fromstring full
genfromtxt geomspace get_include get_printoptions hamming hanning identity iinfo indices
iscomplexobj isdtype
isfortran isrealobj isscalar issubdtype iterable kaiser linspace load loadtxt logspace
mask_indices may_share_memory min_scalar_type mintypecode ndim ndindex ones pow
printoptions promote_types require result_type row_stack save savetxt savez savez_compressed
set_printoptions shape shares_memory show_config size tri tril_indices triu_indices true_divide
typename vectorize zeros fft.fftfreq fft.rfftfreq linalg.LinAlgError
"""


def texts():
    """Return the texts of the calls, those of ufuncs and those of CALLS that do not differ."""
    ufuncs = [n for n in gpuarray.__all__ if isinstance(getattr(np, n, None), np.ufunc)]
    kept = [line for line in CALLS.split("\n") if line and line not in DIFFERENT]
    texts = {1: "xp.{}(a)", 2: "xp.{}(a, a)"}
    return kept + sorted(texts[getattr(np, name).nin].format(name) for name in ufuncs)


def calls():
    """Return the calls, compiled, by their texts."""
    return {text: compile(text, text, "eval") for text in texts()}


def axes_of(code, ndim):
    """Return the axes with which a call is to be made."""
    if _has_name(code, "axis"):
        return [None, *range(ndim)]
    return list(range(ndim)) if _has_name(code, "way") else [0]


def _has_name(code, name):
    inner = [const for const in code.co_consts if hasattr(const, "co_names")]
    return name in code.co_names or any(_has_name(const, name) for const in inner)


def outcome(code, xp, host, axis, to_array, settle):
    """Return what a call gives, on the host, or the exception that it or the next wait raises."""
    names = {
        "xp": xp,
        "np": np,
        "host": lambda values, dtype=None: to_array(np.asarray(values, dtype)),
        "a": to_array(host),
        "v": to_array(np.array([0.0, 1.0, 2.0])),
        "ones": to_array(np.ones([extent or 2 for extent in host.shape])),
        "axis": axis,
        "way": axis,
        "changed": changed,
    }
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            made = on_host(eval(code, names))
            settle()
        except Exception as error:
            with contextlib.suppress(Exception):
                settle()
            return error
    return made


def changed(a, change):
    """Return a copy of `a` after `change`."""
    b = a.copy()
    change(b)
    return b


def on_host(made):
    """Return the arrays of a result on the host, in nested lists."""
    if isinstance(made, tuple | list):
        return [on_host(part) for part in made]
    return made.get() if hasattr(made, "get") else made


KINDS = (IndexError, TypeError, ValueError, np.linalg.LinAlgError)


def difference(got, expected):
    """Return in what way an outcome differs from NumPy's; None where it does not."""
    if isinstance(got, Exception) or isinstance(expected, Exception):
        is_caught = all(isinstance(got, kind) for kind in KINDS if isinstance(expected, kind))
        if isinstance(got, Exception) and isinstance(expected, KINDS) and is_caught:
            return None
        return f"{shown(got)}, NumPy {shown(expected)}"
    if isinstance(expected, tuple | list):
        if not isinstance(got, tuple | list) or len(got) != len(expected):
            return f"{shown(got)}, NumPy {shown(expected)}"
        found = [difference(one, wanted) for one, wanted in zip(got, expected, strict=True)]
        return next((x for x in found if x), None)
    if not hasattr(expected, "dtype") or not hasattr(got, "dtype"):
        return None if got == expected else f"{shown(got)}, NumPy {shown(expected)}"
    same = got.dtype == expected.dtype and got.shape == expected.shape
    if same and np.allclose(got, expected, equal_nan=True):
        return None
    return f"{shown(got)}, NumPy {shown(expected)}"


def shown(made):
    if isinstance(made, Exception):
        return f"{type(made).__name__}: {made}"
    if hasattr(made, "dtype"):
        return f"{made.dtype}{made.shape} {str(np.asarray(made)).splitlines()[:1]}"
    return repr(made)
