# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Parameters of distributions: NumPy's checks of what the host knows, shapes, and the arrays."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import as_extents, broadcast_shapes, cast_value
from gpuarray._core import GPUArray
from gpuarray._manipulation.broadcasting import broadcast_to

__all__ = ["check_parameters", "device_parameter", "draw_shape", "shape_of"]


@cache
def _numpy_generator() -> np.random.Generator:
    return np.random.default_rng(0)


def check_parameters(
    name: str, parameters: Sequence[Any], unknown: Sequence[Any], *shapes: tuple[int, ...]
) -> None:
    """Raise what NumPy's generator raises for these parameters; those on a device pass.

    `unknown` holds values that stand for those: such that no right value of others is refused
    beside them. `shapes` are those of the draws that the parameters on the host make.
    """
    known = [
        other if isinstance(value, GPUArray) else value
        for value, other in zip(parameters, unknown, strict=True)
    ]
    getattr(_numpy_generator(), name)(*known, size=(0, *broadcast_shapes(*shapes)))


def shape_of(value: Any) -> tuple[int, ...]:
    """Return the shape of a parameter."""
    return value.shape if isinstance(value, GPUArray) else np.shape(value)


def draw_shape(size: Any, *shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape of draws from parameters of these shapes; ValueError unless it is `size`."""
    together = broadcast_shapes(*shapes)
    if size is None:
        return together
    wanted = as_extents(size)
    if any(extent < 0 for extent in wanted):
        raise ValueError("negative dimensions are not allowed")
    if broadcast_shapes(wanted, together) != wanted:
        raise ValueError(
            f"Output size {wanted} is not compatible with broadcast dimensions of inputs {together}"
        )
    return wanted


def device_parameter(
    name: str, value: Any, dtype: str, shape: tuple[int, ...], device: Any, length: int = 1
) -> float | GPUArray:
    """Return a parameter as _random_distribution() takes it for draws of this shape.

    It is converted to `dtype` first, as NumPy does. A number of the host stays one. An array
    becomes float64 on the device, contiguous and, unless it has but `length` elements, of the
    draws' shape. `length` is that of rows, and then `shape` ends in it.
    """
    if not isinstance(value, GPUArray):
        host = np.asarray(value).astype(dtype).astype(np.float64)
        if not host.ndim:
            return float(host)
        array = _core.to_device(host, device=device)
    else:
        array = cast_value(name, value, dtype, "same_kind").astype("float64", copy=False)
    if array.size != length:
        array = broadcast_to(array, shape)
    return array if array.flags.c_contiguous else array.copy("C")
