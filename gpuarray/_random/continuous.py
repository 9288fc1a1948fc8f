# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Draws of real numbers, with the numbers of NumPy's Generator."""

import math
from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import assigned
from gpuarray._core import GPUArray
from gpuarray._random.draws import Draws, numpys_on_host, real_kind
from gpuarray._random.parameters import Parameter, float_parameter, non_negative, output_size

__all__ = ["Continuous"]


class Continuous(Draws):
    """The real distributions whose numbers are NumPy's.

    Parameters are numbers, or arrays that are broadcast; `size` is the shape of the result, whose
    dtype is float64 where nothing else is said. Draws are in stream order and do not wait.
    """

    def random(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> GPUArray:
        """Draw from [0, 1): float64, float32, or float16 and bfloat16 rounded from float32."""
        return self._standard("uniform", "random", size, dtype, out)

    def standard_normal(
        self, size: Any = None, dtype: Any = np.float64, out: Any = None
    ) -> GPUArray:
        """Draw from the normal distribution of mean 0 and deviation 1; dtypes as `random`."""
        return self._standard("normal", "standard_normal", size, dtype, out)

    def standard_exponential(
        self, size: Any = None, dtype: Any = np.float64, method: str = "zig", out: Any = None
    ) -> GPUArray:
        """Draw from the exponential distribution of scale 1; dtypes as `random`.

        `method` is 'zig' or 'inv', which takes logarithms of uniform numbers.
        """
        if method not in ("zig", "inv"):
            raise ValueError(
                f"standard_exponential: expected method 'zig' or 'inv', got {method!r}"
            )
        if method == "zig" or self._on_host:
            return self._standard(
                "exponential", "standard_exponential", size, dtype, out, method=method
            )
        kind = real_kind(dtype, "standard_exponential")
        if out is not None:
            size = self._size_of(out, "standard_exponential", kind, size)
        uniform = self.random(size, np.float64 if kind == np.float64 else np.float32)
        # NumPy computes the logarithm in float64 for float32, too.
        drawn = (-_core.log1p(-uniform.astype(np.float64))).astype(kind)
        return assigned("standard_exponential", out, drawn)

    @numpys_on_host
    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> GPUArray:
        """Draw from [low, high)."""
        low, high = self._float(low), self._float(high)
        width = high - low
        if isinstance(width, float):
            if not math.isfinite(width):
                raise OverflowError("high - low range exceeds valid bounds")
            non_negative(width, "high - low")
        return self._affine("uniform", low, width, size)

    @numpys_on_host
    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> GPUArray:
        """Draw from the normal distribution of mean `loc` and deviation `scale`."""
        scale = non_negative(self._float(scale), "scale")
        return self._affine("normal", self._float(loc), scale, size)

    @numpys_on_host
    def lognormal(self, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> GPUArray:
        """Draw numbers whose logarithms are normal, of mean `mean` and deviation `sigma`."""
        sigma = non_negative(self._float(sigma), "sigma")
        return _core.exp(self._affine("normal", self._float(mean), sigma, size))

    @numpys_on_host
    def exponential(self, scale: Any = 1.0, size: Any = None) -> GPUArray:
        """Draw from the exponential distribution of mean `scale`."""
        scale = non_negative(self._float(scale), "scale")
        result: GPUArray = self._drawn("exponential_double", size, scale) * scale
        return result

    @numpys_on_host
    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> GPUArray:
        """Draw from the double exponential distribution around `loc`."""
        loc, scale = self._float(loc), non_negative(self._float(scale), "scale")
        u = self._drawn("open_double", size, loc, scale)
        log = _core.log
        return _core.where(u >= 0.5, loc - scale * log(2.0 - u - u), loc + scale * log(u + u))

    @numpys_on_host
    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> GPUArray:
        """Draw from the Gumbel distribution, of extreme values."""
        loc, scale = self._float(loc), non_negative(self._float(scale), "scale")
        u = 1.0 - self._drawn("open_double", size, loc, scale)
        result: GPUArray = _core.log(-_core.log(u)) * -scale + loc
        return result

    @numpys_on_host
    def logistic(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> GPUArray:
        """Draw from the logistic distribution."""
        loc, scale = self._float(loc), non_negative(self._float(scale), "scale")
        u = self._drawn("open_double", size, loc, scale)
        result: GPUArray = _core.log(u / (1.0 - u)) * scale + loc
        return result

    @numpys_on_host
    def rayleigh(self, scale: Any = 1.0, size: Any = None) -> GPUArray:
        """Draw from the Rayleigh distribution of mode `scale`."""
        scale = non_negative(self._float(scale), "scale")
        result: GPUArray = _core.sqrt(2.0 * self._drawn("exponential_double", size, scale)) * scale
        return result

    @numpys_on_host
    def weibull(self, a: Any, size: Any = None) -> GPUArray:
        """Draw from the Weibull distribution of shape `a` and scale 1."""
        a = non_negative(self._float(a), "a")
        if isinstance(a, float) and a == 0:
            return self._zeros(size)
        drawn = self._drawn("exponential_double", size, a) ** (1.0 / a)
        return drawn if isinstance(a, float) else _core.where(a == 0, 0.0, drawn)

    @numpys_on_host
    def pareto(self, a: Any, size: Any = None) -> GPUArray:
        """Draw from the Pareto II (Lomax) distribution of shape `a`."""
        a = non_negative(self._float(a), "a", zero=False)
        return _core.expm1(self._drawn("exponential_double", size, a) / a)

    @numpys_on_host
    def power(self, a: Any, size: Any = None) -> GPUArray:
        """Draw from [0, 1] with the density a x**(a - 1)."""
        a = non_negative(self._float(a), "a", zero=False)
        drawn = self._drawn("exponential_double", size, a)
        result: GPUArray = (-_core.expm1(-drawn)) ** (1.0 / a)
        return result

    @numpys_on_host
    def standard_cauchy(self, size: Any = None) -> GPUArray:
        """Draw from the Cauchy distribution around 0 of scale 1."""
        shape = self._zeros_shape(size)
        pairs = self.standard_normal((*shape, 2))
        return pairs[..., 0] / pairs[..., 1]

    @numpys_on_host
    def triangular(self, left: Any, mode: Any, right: Any, size: Any = None) -> GPUArray:
        """Draw from the triangular distribution over [left, right] with its peak at `mode`."""
        left, mode, right = (self._float(value) for value in (left, mode, right))
        if all(isinstance(value, float) for value in (left, mode, right)):
            if left > mode:
                raise ValueError("left > mode")
            if mode > right:
                raise ValueError("mode > right")
            if left == right:
                raise ValueError("left == right")
        base, before = right - left, mode - left
        u = self._drawn("uniform_double", size, left, mode, right)
        sqrt = _core.sqrt
        return _core.where(
            u <= before / base,
            left + sqrt(u * (before * base)),
            right - sqrt((1.0 - u) * ((right - mode) * base)),
        )

    @numpys_on_host
    def multivariate_normal(
        self,
        mean: Any,
        cov: Any,
        size: Any = None,
        check_valid: Any = "warn",
        tol: float = 1e-8,
        *,
        method: Any = "svd",
    ) -> GPUArray:
        """Draw vectors of means `mean`, of shape (n,), and covariance `cov`, of shape (n, n).

        NumPy factors the covariance on the host by `method` 'svd', 'eigh' or 'cholesky'; a GPUArray
        is copied there, which waits. `check_valid` and `tol` are NumPy's.
        """
        mean, cov = self._to_host(mean), self._to_host(cov)
        # NumPy checks the arguments and makes its warnings and errors.
        probe = np.random.default_rng(0)
        probe.multivariate_normal(mean, cov, 0, check_valid, tol, method=method)
        factor = _factor(np.asarray(cov, np.float64), method)
        shape = self._zeros_shape(size)
        normals = self.standard_normal((*shape, len(mean)))
        center, turned = (
            _core.to_device(np.array(a, np.float64), device=self.device) for a in (mean, factor.T)
        )
        rows = normals.reshape(-1, len(mean)) @ turned
        return center + rows.reshape(normals.shape)

    def _affine(self, draw: str, loc: Parameter, scale: Parameter, size: Any) -> GPUArray:
        if isinstance(loc, float) and isinstance(scale, float):
            return self._scaled(draw, loc, scale, size)
        return loc + scale * self._drawn(f"{draw}_double", size, loc, scale)

    def _float(self, value: Any) -> Parameter:
        return float_parameter(value, self.device)

    def _drawn(self, draw: str, size: Any, *parameters: Parameter) -> GPUArray:
        return self._elementary(draw, output_size(size, *parameters))


def _factor(cov: Any, method: str) -> Any:
    """Return A such that A @ A.T is the covariance, as NumPy's multivariate_normal makes it."""
    if method == "cholesky":
        return np.linalg.cholesky(cov)
    if method == "eigh":
        values, vectors = np.linalg.eigh(cov)
        return vectors * np.sqrt(abs(values))
    vectors, values, _ = np.linalg.svd(cov)
    return vectors * np.sqrt(values)
