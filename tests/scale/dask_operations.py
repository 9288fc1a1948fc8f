# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Operations of dask.array as expressions, over `xp`, dask.array or NumPy, and named arrays."""

import numpy as np

# x, y: (20, 14) floats; n: x with NaN; p: positive; i, j: integers; b: booleans; c: complex;
# f: float32; v, w: (30,) floats; k: (30,) sorted integers; s: (12, 12) positive; t: (40, 4).
CHUNKS = {"x": (7, 5), "y": (6, 14), "n": (7, 5), "p": (7, 5), "i": (7, 5), "j": (20, 5)}
CHUNKS |= {"b": (7, 5), "c": (7, 5), "v": (8,), "w": (30,), "k": (8,), "s": (4, 4), "t": (10, 4)}
CHUNKS |= {"f": (7, 5)}

ELEMENTS = """
abs(x - 1); xp.absolute(c); xp.add(x, y); xp.angle(c); xp.arccos(x / 9); xp.arccosh(p + 1)
xp.arcsin(x / 9); xp.arcsinh(x); xp.arctan(x); xp.arctan2(x, y); xp.arctanh(x / 9)
xp.around(x, 1); xp.bitwise_and(i, j); xp.bitwise_not(i); xp.bitwise_or(i, j)
xp.bitwise_xor(i, j); xp.cbrt(x); xp.ceil(x); xp.clip(x, -0.5, 0.5); xp.conj(c)
xp.copysign(x, y); xp.cos(x); xp.cosh(x); xp.deg2rad(x); xp.degrees(x); xp.divide(x, y)
xp.divmod(i, 3)[0]; xp.divmod(i, 3)[1]; xp.equal(i, j); xp.exp(x); xp.exp2(x); xp.expm1(x)
xp.fabs(x); xp.fix(x); xp.float_power(p, 2); xp.floor(x); xp.floor_divide(x, 0.3); xp.fmax(n, x)
xp.fmin(n, x); xp.fmod(x, 0.3); xp.frexp(x)[0]; xp.frexp(x)[1]; xp.greater(x, y)
xp.greater_equal(x, y); xp.hypot(x, y); xp.i0(x); xp.imag(c); xp.invert(i); xp.isclose(x, y)
xp.isfinite(n); xp.isinf(n); xp.isnan(n); xp.isreal(c); xp.iscomplex(c); xp.isneginf(x)
xp.isposinf(x); xp.ldexp(x, i); xp.left_shift(j, 2); xp.less(x, y); xp.less_equal(x, y)
xp.log(p); xp.log10(p); xp.log1p(p); xp.log2(p); xp.logaddexp(x, y); xp.logaddexp2(x, y)
xp.logical_and(b, x > 0); xp.logical_not(b); xp.logical_or(b, x > 0); xp.logical_xor(b, x > 0)
xp.maximum(x, y); xp.minimum(x, y); xp.mod(x, 0.3); xp.modf(x)[0]; xp.modf(x)[1]
xp.multiply(x, y); xp.nan_to_num(n); xp.negative(x); xp.nextafter(x, y); xp.not_equal(i, j)
xp.positive(x); xp.power(p, 1.5); xp.rad2deg(x); xp.radians(x); xp.real(c); xp.reciprocal(p)
xp.remainder(x, 0.3); xp.right_shift(j, 1); xp.rint(x); xp.round(x, 2); xp.sign(x)
xp.signbit(x); xp.sin(x); xp.sinc(x); xp.sinh(x); xp.spacing(x); xp.sqrt(p); xp.square(x)
xp.subtract(x, y); xp.tan(x); xp.tanh(x); xp.true_divide(x, y); xp.trunc(x); x + 1; 1 - x; x * y
x / p; x // 2; x % 2; p ** 2; 2 ** x; -x; x > 0; x == y; x + f; x.astype("float32"); (x > 0) & b
~b; i << 1; c.real; c.imag; c.conj(); x.clip(0, 1); x.round(1); xp.where(x > 0, x, y)
xp.where(b, x, 0.0); xp.select([x > 1, x > 0], [x, y]); xp.choose(j % 2, [x, y])
"""

REDUCTIONS = """
x.sum(); x.sum(axis=0); x.sum(axis=1, keepdims=True); x.sum(axis=(0, 1)); x.prod(axis=0)
x.mean(); x.mean(axis=0); x.mean(axis=1, keepdims=True); i.mean(axis=1); b.mean(axis=0); x.std()
x.std(axis=0, ddof=1); x.var(axis=1); c.mean(axis=0); x.min(axis=0); x.max(); x.argmin(axis=0)
x.argmax(axis=1); x.argmax(); b.any(axis=0); b.all(axis=1); xp.ptp(x, axis=0)
xp.count_nonzero(b, axis=0); xp.nansum(n, axis=0); xp.nanmean(n, axis=0); xp.nanstd(n, axis=0)
xp.nanvar(n); xp.nanmin(n, axis=1); xp.nanmax(n); xp.nanprod(n, axis=0); xp.nanargmin(n, axis=0)
xp.nanargmax(n, axis=1); xp.cumsum(x, axis=0); xp.cumprod(x / 3, axis=1)
xp.nancumsum(n, axis=0); xp.nancumprod(n / 3, axis=1); xp.median(x, axis=0)
xp.nanmedian(n, axis=1); xp.quantile(x, 0.3, axis=0); xp.nanquantile(n, 0.3, axis=0)
xp.nanquantile(n, [0.2, 0.5], axis=1); xp.nanquantile(x, 0.3, axis=1, keepdims=True)
xp.average(x, axis=0); xp.average(x, axis=1, weights=p[0]); xp.cov(x); xp.corrcoef(x)
f.mean(axis=0); f.sum(); x.trace(); xp.linalg.norm(x); xp.linalg.norm(x, axis=1)
xp.linalg.norm(x, ord=1); xp.linalg.norm(t, "nuc")
"""

SHAPES = """
xp.append(x, y, axis=0); xp.atleast_1d(v); xp.atleast_2d(v); xp.atleast_3d(v)
xp.block([[x, y], [y, x]]); xp.broadcast_to(v, (3, 30)); xp.concatenate([x, y])
xp.concatenate([x, y], axis=1); xp.delete(x, 3, axis=0); xp.diag(v); xp.diag(s); xp.diagonal(x)
xp.diagonal(x, 2); xp.diff(x, axis=0); xp.dstack([x, y]); xp.ediff1d(v); xp.expand_dims(x, 1)
xp.flip(x, 0); xp.fliplr(x); xp.flipud(x); xp.hstack([x, y]); xp.insert(x, 2, 1.0, axis=1)
xp.pad(x, 2); xp.pad(x, 1, mode="edge"); xp.pad(x, 2, mode="wrap"); xp.pad(x, 2, mode="reflect")
xp.pad(x, 2, mode="mean"); xp.pad(x, 2, mode="linear_ramp"); xp.pad(x, 2, mode="minimum")
xp.ravel(x); xp.repeat(x, 3, axis=0); x.reshape(20, 7, 2); x.reshape(-1); xp.roll(x, 3, axis=0)
xp.rot90(x); xp.squeeze(x[:1]); xp.stack([x, y]); xp.swapaxes(x, 0, 1)
xp.take(x, [3, 1, 5], axis=0); xp.tile(x, (2, 1)); x.T; x.transpose(1, 0); xp.tril(x)
xp.triu(x, 1); xp.vstack([x, y]); xp.zeros_like(x); xp.ones_like(x); xp.full_like(x, 2.0)
xp.meshgrid(v, w)[0]; xp.meshgrid(v, w)[1]; xp.broadcast_arrays(v, x[:, :1])[0]
xp.gradient(x, axis=0)
"""

INDICES = """
x[3]; x[2:9, ::3]; x[::-1]; x[..., None]; x[[4, 1, 7]]; x[:, [3, 0]]; x[-1, -1]; x[x[:, 0] > 0]
x[b]; v[v > 0]; v[np.array([3, 1, 29])]; x[3:15][::2, 1]
xp.compress([True, False, True], x, axis=0); xp.extract(v > 0, v); xp.nonzero(v)[0]
xp.argwhere(b); xp.flatnonzero(b); xp.searchsorted(k, k[3:5]); xp.digitize(v, w_sorted)
xp.isin(i, [1, 2, 3]); xp.isin(i, np.array([1, 2])); xp.unravel_index(k, (4, 5))[0]
xp.ravel_multi_index(xp.stack([k // 5, k % 5]), (4, 5)); xp.where(v > 0)[0]
xp.tril_indices_from(s)[0]
"""

PRODUCTS = """
x @ y.T; x.dot(v[:14]); xp.dot(x, y.T); xp.matmul(x, y.T); xp.outer(v, w)
xp.tensordot(x, y, axes=((0,), (0,))); xp.vdot(v, w); xp.einsum("ij,kj->ik", x, y)
xp.einsum("ij->i", x); xp.tensordot(x, y.T, axes=1); c @ c.T
xp.linalg.qr(t)[0] @ xp.linalg.qr(t)[1]; xp.linalg.svd(t)[1]; xp.linalg.solve(s, v[:12])
xp.linalg.inv(s); xp.linalg.cholesky(s); xp.linalg.lstsq(t, t[:, 0])[0]; xp.fft.fft(x1, axis=1)
xp.fft.ifft(x1, axis=1); xp.fft.rfft(x1, axis=1); xp.fft.irfft(x1, axis=1)
xp.fft.hfft(x1, axis=1); xp.fft.fft2(x0); xp.fft.ifft2(x0); xp.fft.fftshift(x, axes=0)
xp.fft.ifftshift(x, axes=0); xp.fft.rfft2(x0); xp.fft.fftn(x0); xp.fft.rfftn(x0)
"""

STATISTICS = """
xp.percentile(v, [25, 50]); xp.bincount(k); xp.bincount(k, minlength=40)
xp.histogram(v, bins=5, range=(-3, 3))[0]
xp.unique(k); xp.union1d(v, w); xp.histogram(v, bins=np.linspace(-3, 3, 7))[0]
xp.histogram(v, 5, (-3, 3), weights=w8)[0]; xp.apply_along_axis(np.sum, 0, x)
xp.histogram(v, bins=5, range=(-3, 3), density=True)[0]
xp.histogram2d(v, w8, bins=4, range=((-3, 3), (-3, 3)))[0]; xp.apply_over_axes(np.sum, x, [0])
xp.piecewise(x, [x > 0], [1.0, 2.0]); xp.allclose(x, x)
"""

GROUPS = {"elements": ELEMENTS, "reductions": REDUCTIONS, "shapes": SHAPES, "indices": INDICES}
GROUPS |= {"products": PRODUCTS, "statistics": STATISTICS}
OPERATIONS = [e.strip() for text in GROUPS.values() for e in text.replace("\n", ";").split(";")]
OPERATIONS = [expression for expression in OPERATIONS if expression]


def host_arrays():
    """Return the arrays by name."""
    rng = np.random.default_rng(7)
    x, y = rng.standard_normal((2, 20, 14))
    square = rng.standard_normal((12, 12))
    arrays = {"x": x, "y": y, "n": np.where(rng.random(x.shape) < 0.2, np.nan, x)}
    arrays |= {"p": np.abs(x) + 0.1, "i": rng.integers(-5, 6, x.shape), "b": y > 0}
    arrays |= {"j": rng.integers(0, 6, x.shape), "c": x + 1j * y, "f": x.astype("float32")}
    arrays |= {"v": rng.standard_normal(30), "w": rng.standard_normal(30)}
    arrays |= {"k": np.sort(rng.integers(0, 20, 30)), "s": square @ square.T + 12 * np.eye(12)}
    return arrays | {"t": rng.standard_normal((40, 4))}


def evaluate(expression, xp, arrays):
    """Return the value of the expression over dask.array or NumPy."""
    names = dict(arrays, xp=xp, np=np, w_sorted=np.linspace(-1, 1, 5))
    chunked = hasattr(arrays["x"], "rechunk")
    names["x1"] = arrays["x"].rechunk((7, -1)) if chunked else arrays["x"]
    names["x0"] = arrays["x"].rechunk(-1) if chunked else arrays["x"]
    names["w8"] = arrays["w"].rechunk(8) if chunked else arrays["w"]
    return eval(expression, names)
