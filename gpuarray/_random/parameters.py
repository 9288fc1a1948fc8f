# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Parameters of distributions: numbers, or arrays that are broadcast."""

import math
from typing import Any

import numpy as np

from gpuarray._core import GPUArray
from gpuarray._creation.creation import asarray

__all__ = ["float_parameter", "non_negative", "output_size"]

# A parameter of a distribution: a number, or an array of the generator's device.
Parameter = float | GPUArray


def float_parameter(value: Any, device: Any) -> Parameter:
    """Return a float, or a float64 array on the device: of arrays, which are moved there."""
    if isinstance(value, GPUArray):
        return value if value.dtype == np.float64 else value.astype(np.float64)
    if isinstance(value, (int, float, np.generic)):
        return float(value)
    converted = np.asarray(value, np.float64)
    return float(converted) if converted.ndim == 0 else asarray(converted, device=device)


def non_negative(value: Parameter, name: str, *, zero: bool = True) -> Parameter:
    """Return the parameter; ValueError for a number that is negative, or 0 unless `zero`.

    NaN passes, as NumPy lets it. Elements of arrays on a CUDA device are not looked at, because
    that would wait.
    """
    if not isinstance(value, float) or math.isnan(value):
        return value
    if math.copysign(1, value) < 0 if zero else value <= 0:
        raise ValueError(f"{name} {'<' if zero else '<='} 0")
    return value


def output_size(size: Any, *parameters: Parameter) -> Any:
    """Return the shape of the results; ValueError if the parameters do not broadcast to `size`."""
    shapes = [value.shape for value in parameters if isinstance(value, GPUArray)]
    if not shapes:
        return size
    shape = np.broadcast_shapes(*shapes)
    if size is None:
        return shape
    wanted = tuple(size) if np.iterable(size) else (size,)
    if np.broadcast_shapes(shape, wanted) != wanted:
        raise ValueError(
            f"Output size {wanted} is not compatible with broadcast dimensions of inputs {shape}."
        )
    return wanted
