# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Distributions whose draws are rows, and what all distributions share."""

from collections.abc import Callable, Sequence
from typing import Any

from gpuarray import _core
from gpuarray._core import GPUArray
from gpuarray._random.distribution_parameters import (
    check_parameters,
    device_parameter,
    draw_shape,
    shape_of,
)

__all__ = ["RowDistributions"]


class RowDistributions:
    """Methods of a generator that draw rows; see Distributions."""

    # Returns a new key: an array of one uint64 on the generator's device, or an int on the cpu's.
    _key: Callable[[], int | GPUArray]
    device: Any

    def _fill(
        self,
        name: str,
        parameters: Sequence[Any],
        dtypes: Sequence[str],
        out: tuple[tuple[int, ...], str] | GPUArray,
    ) -> GPUArray:
        """Return draws from parameters that were checked, in `out` or of its shape and dtype."""
        key = self._key()
        made = out if isinstance(out, GPUArray) else _core.empty(*out, device=self.device)
        given = [
            device_parameter(name, value, dtype, made.shape, self.device)
            for value, dtype in zip(parameters, dtypes, strict=True)
        ]
        _core._random_distribution(name, key, made, given)
        return made

    def _rows(self, name: str, number: Any, row: Any, dtype: str, size: Any) -> GPUArray:
        """Return rows of int64, each from a number and a row of parameters that were checked."""
        *batch, length = shape_of(row)
        shape = draw_shape(size, shape_of(number), tuple(batch))
        key = self._key()
        out = _core.empty((*shape, length), "int64", device=self.device)
        given = [
            device_parameter(name, number, "int64", shape, self.device),
            device_parameter(name, row, dtype, out.shape, self.device, length),
        ]
        _core._random_distribution(name, key, out, given)
        return out

    def dirichlet(self, alpha: Any, size: Any = None) -> GPUArray:
        """Return rows of the shares that gamma draws of the shapes `alpha` have of their sums.

        They are made of the draws' logarithms, so that small shapes do not end in 0/0. One thread
        adds up a row.
        """
        row = shape_of(alpha)
        if len(row) != 1:
            raise ValueError(f"dirichlet: alpha must have one dimension, got {len(row)}")
        check_parameters("dirichlet", (alpha,), ([1.0],))
        shape = (*draw_shape(() if size is None else size), *row)
        key = self._key()
        out = _core.empty(shape, "float64", device=self.device)
        given = device_parameter("dirichlet", alpha, "float64", shape, self.device)
        _core._random_distribution("log_gamma", key, out, (given,))
        _core._random_distribution("dirichlet", key, out, (0.0, out))
        return out

    def multinomial(self, n: Any, pvals: Any, size: Any = None) -> GPUArray:
        """Return rows of how many of `n` trials have each outcome, with the probabilities `pvals`.

        Each outcome gets a binomial share of the trials that those before it left, the last one
        the rest. One thread makes a row.
        """
        row = shape_of(pvals)
        if not row or not row[-1]:
            raise ValueError(
                "pvals must have at least 1 dimension and the last dimension of pvals must be "
                "greater than 0."
            )
        batches = [
            shape
            for value, shape in ((n, shape_of(n)), (pvals, row[:-1]))
            if not isinstance(value, GPUArray)
        ]
        check_parameters("multinomial", (n, pvals), (1, [1.0]), *batches)
        return self._rows("multinomial", n, pvals, "float64", size)

    def multivariate_hypergeometric(
        self, colors: Any, nsample: Any, size: Any = None, method: str = "marginals"
    ) -> GPUArray:
        """Return rows of how many of a sample have each color, which so many of `colors` have.

        Each color gets a hypergeometric share of what those before it left; by one thread a row,
        whatever the `method`.
        """
        if method not in ("marginals", "count"):
            raise ValueError('method must be "count" or "marginals".')
        if len(shape_of(colors)) != 1 or shape_of(nsample):
            raise ValueError(
                "multivariate_hypergeometric: colors must have one dimension and nsample none, got "
                f"shapes {shape_of(colors)} and {shape_of(nsample)}"
            )
        check_parameters("multivariate_hypergeometric", (colors, nsample), ([999_999_999], 0))
        return self._rows("multivariate_hypergeometric", nsample, colors, "int64", size)
