# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Distributions that are drawn by an algorithm of our own, the same bits on every device."""

from typing import Any

import numpy as np

from gpuarray._common.arguments import require_array
from gpuarray._core import GPUArray
from gpuarray._random.distribution_parameters import check_parameters, draw_shape, shape_of
from gpuarray._random.distribution_rows import RowDistributions

__all__ = ["Distributions"]

# What stands for parameters on a device where others are checked, unless 1/2 does.
_UNKNOWN = {
    "binomial": (1, 0.5),
    "hypergeometric": (999_999_999, 999_999_999, 0),
    "negative_binomial": (1e-300, 1.0),
    "zipf": (2.0,),
}
# The dtypes that NumPy converts parameters to, unless all are float64.
_DTYPES = {"binomial": ("int64", "float64"), "hypergeometric": ("int64",) * 3}


class Distributions(RowDistributions):
    """Methods of a generator whose numbers follow from a key and their places in the result.

    The generator's stream gives the key of a call. Element i of the result is made of the
    Philox4x32-10 words of (key, i) alone, so that it depends on no device and no launch. The
    distributions are NumPy's, the numbers are not.

    Parameters are numbers, lists, ndarrays and GPUArrays, and broadcast. NumPy's ValueError tells
    of wrong ones on the host; where a GPUArray holds a wrong one the result is NaN, or the smallest
    int64. ``size=None`` means the parameters' shape: for numbers an array of no dimensions. Results
    are float64 or int64. Queued on the current stream.
    """

    def _draw(
        self, name: str, parameters: tuple[Any, ...], size: Any, out: str | GPUArray
    ) -> GPUArray:
        """Return draws of a distribution, in `out` or of this dtype."""
        known = [shape_of(value) for value in parameters if not isinstance(value, GPUArray)]
        check_parameters(name, parameters, _UNKNOWN.get(name, (0.5,) * len(parameters)), *known)
        shape = draw_shape(size, *map(shape_of, parameters))
        dtypes = _DTYPES.get(name, ("float64",) * len(parameters))
        return self._fill(name, parameters, dtypes, (shape, out) if isinstance(out, str) else out)

    def beta(self, a: Any, b: Any, size: Any = None) -> GPUArray:
        """Return the shares that gamma draws of the shapes `a` have of sums with those of `b`."""
        return self._draw("beta", (a, b), size, "float64")

    def chisquare(self, df: Any, size: Any = None) -> GPUArray:
        """Return sums of the squares of `df` normal numbers."""
        return self._draw("chisquare", (df,), size, "float64")

    def f(self, dfnum: Any, dfden: Any, size: Any = None) -> GPUArray:
        """Return quotients of two chi-square numbers, each divided by its degrees of freedom."""
        return self._draw("f", (dfnum, dfden), size, "float64")

    def gamma(self, shape: Any, scale: Any = 1.0, size: Any = None) -> GPUArray:
        """Return `scale` times draws of standard_gamma."""
        return self._draw("gamma", (shape, scale), size, "float64")

    def noncentral_chisquare(self, df: Any, nonc: Any, size: Any = None) -> GPUArray:
        """Return sums of the squares of `df` normal numbers of which `nonc` is the means' part."""
        return self._draw("noncentral_chisquare", (df, nonc), size, "float64")

    def noncentral_f(self, dfnum: Any, dfden: Any, nonc: Any, size: Any = None) -> GPUArray:
        """Return draws of `f` whose numerators are noncentral."""
        return self._draw("noncentral_f", (dfnum, dfden, nonc), size, "float64")

    def standard_gamma(
        self, shape: Any, size: Any = None, dtype: Any = np.float64, out: GPUArray | None = None
    ) -> GPUArray:
        """Return draws of the gamma distribution by G. Marsaglia and W. W. Tsang (2000).

        `dtype` is float64 or float32, whose numbers are the same, rounded. `out` is a C-contiguous
        array of this dtype.
        """
        name = np.dtype(dtype).name
        if name not in ("float64", "float32"):
            raise TypeError(f"Unsupported dtype {np.dtype(dtype)!r} for standard_gamma")
        if out is None:
            return self._draw("standard_gamma", (shape,), size, name)
        given = require_array("standard_gamma: out", out)._dtype_name
        if given != name:
            raise TypeError(
                f"Supplied output array has the wrong type. Expected {name}, got {given}"
            )
        if not (out.flags.c_contiguous and out.flags.writeable):
            raise ValueError("Supplied output array must be C-contiguous and writable.")
        if size is not None and draw_shape(size) != out.shape:
            raise ValueError("size must match out.shape when used together")
        return self._draw("standard_gamma", (shape,), out.shape, out)

    def standard_t(self, df: Any, size: Any = None) -> GPUArray:
        """Return draws of Student's distribution with `df` degrees of freedom."""
        return self._draw("standard_t", (df,), size, "float64")

    def vonmises(self, mu: Any, kappa: Any, size: Any = None) -> GPUArray:
        """Return angles within [-pi, pi] around `mu` by D. J. Best and N. I. Fisher (1979)."""
        return self._draw("vonmises", (mu, kappa), size, "float64")

    def wald(self, mean: Any, scale: Any, size: Any = None) -> GPUArray:
        """Return inverse Gaussian numbers by J. R. Michael and others (1976)."""
        return self._draw("wald", (mean, scale), size, "float64")

    def binomial(self, n: Any, p: Any, size: Any = None) -> GPUArray:
        """Return how many of `n` trials succeed, by W. Hormann's BTRS (1993) or, to 10, a search.

        Numbers of trials above 2**53 are rounded to float64.
        """
        return self._draw("binomial", (n, p), size, "int64")

    def geometric(self, p: Any, size: Any = None) -> GPUArray:
        """Return which trial is the first to succeed."""
        return self._draw("geometric", (p,), size, "int64")

    def hypergeometric(self, ngood: Any, nbad: Any, nsample: Any, size: Any = None) -> GPUArray:
        """Return how many of a sample are good, by E. Stadlober's HRUA (1989) or one by one."""
        return self._draw("hypergeometric", (ngood, nbad, nsample), size, "int64")

    def logseries(self, p: Any, size: Any = None) -> GPUArray:
        """Return numbers of the logarithmic series by A. W. Kemp (1981)."""
        return self._draw("logseries", (p,), size, "int64")

    def negative_binomial(self, n: Any, p: Any, size: Any = None) -> GPUArray:
        """Return how many trials fail before `n` succeed: Poisson numbers of gamma means."""
        return self._draw("negative_binomial", (n, p), size, "int64")

    def poisson(self, lam: Any = 1.0, size: Any = None) -> GPUArray:
        """Return how many events there are, `lam` on average, from 10 on by W. Hormann's PTRS."""
        return self._draw("poisson", (lam,), size, "int64")

    def zipf(self, a: Any, size: Any = None) -> GPUArray:
        """Return k below 2**63 with probabilities like ``k**-a``, by L. Devroye (1986)."""
        return self._draw("zipf", (a,), size, "int64")
