# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""pad(), which copies an array and puts a border around it."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common import package
from gpuarray._common.arguments import host_value, is_inexact, require_array
from gpuarray._common.dtype_table import dtype_kind
from gpuarray._core import GPUArray
from gpuarray._creation.ranges import linspace
from gpuarray._runtime.streams import takes_stream

__all__ = ["pad"]

Widths = tuple[int, int]
Piece = tuple[int, int]  # its first element, and the step


@takes_stream
def pad(array: GPUArray, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> GPUArray:
    """Return a copy with `pad_width` elements added before and after each axis, as numpy.pad does.

    `mode` says what is added: "constant" (constant_values=0), "edge", "linear_ramp" (end_values=0),
    "maximum", "minimum", "mean" or "median" (of the stat_length nearest), "reflect" or "symmetric"
    (reflect_type="even" or "odd"), "wrap", "empty", or a function as NumPy's, which is called on
    ndarrays on the host. ValueError for other modes, arguments of other modes and negative widths.
    """
    require_array("pad", array)
    widths = _pairs("pad_width", pad_width, array.ndim, whole=True)
    if callable(mode):
        return _padded_on_host(array, widths, mode, kwargs)
    if mode not in _MODES:
        raise ValueError(f"pad: mode '{mode}' is not supported; the modes are {sorted(_MODES)}")
    fill, allowed = _MODES[mode]
    unknown = set(kwargs) - set(allowed)
    if unknown:
        raise ValueError(f"pad: unsupported keyword arguments for mode {mode!r}: {unknown}")
    options = {name: kwargs.get(name, default) for name, default in allowed.items()}
    if (axes := _pieces(array.shape, widths, mode, options)) is not None:
        fill = options.get("constant_values")
        return _core._read_pieces("pad", array, axes, _order(array), fill)
    made = _surrounded(array, widths)
    if fill is None:
        return made
    if array.size == 0 and mode != "constant":
        _require_elements(array, widths, mode)
    options = {
        name: [value] * array.ndim if name == "reflect_type" else _pairs(name, value, array.ndim)
        for name, value in options.items()
    }
    if mode in ("maximum", "minimum") and any(0 in lengths for lengths in options["stat_length"]):
        raise ValueError("pad: stat_length of 0 yields no value for padding")
    for axis, width in enumerate(widths):
        # The borders of the axes before this one are filled; along later axes only the middle is.
        middle = tuple(
            slice(None) if i <= axis else slice(before, made.shape[i] - after)
            for i, (before, after) in enumerate(widths)
        )
        view = made[middle].transpose([axis, *(i for i in range(made.ndim) if i != axis)])
        if any(width) and view.size:
            fill(view, width, **{name: value[axis] for name, value in options.items()})
    return made


def _pairs(name: str, value: Any, ndim: int, *, whole: bool = False) -> list[Any]:
    """Return a pair (before, after) for each axis, from a value that broadcasts to such pairs."""
    if name == "stat_length" and value is None:
        return [(None, None)] * ndim
    if isinstance(value, dict):
        value = _by_axis(value, ndim)
    counts = name in ("pad_width", "stat_length")
    if isinstance(value, GPUArray):
        value = value.get()
    elif isinstance(value, np.ndarray) and not counts:
        value = host_value(f"pad: {name}", value, None)
    given = np.asarray(value)
    if whole and given.dtype.kind not in "iu":
        raise TypeError(f"pad: `{name}` must be of integral type, got dtype {given.dtype}")
    if (given.ndim == 1 and given.size == 1) or given.ndim < 1:
        given = given.reshape(1, 1)
    if counts and (given < 0).any():
        raise ValueError(f"pad: {name}: index can't contain negative values, got {value}")
    try:
        pairs = np.broadcast_to(given, (ndim, 2)).tolist()
    except ValueError:
        raise ValueError(
            f"pad: {name}: operands could not be broadcast together: got shape {given.shape}, "
            f"expected what broadcasts to {(ndim, 2)}"
        ) from None
    return [tuple(pair) for pair in pairs]


def _by_axis(widths: dict[int, Any], ndim: int) -> list[Widths]:
    found: list[Widths] = [(0, 0)] * ndim
    for axis, width in widths.items():
        found[axis] = (width, width) if np.ndim(width) == 0 else tuple(width)
    return found


# The elements of an axis of n from which on borders before and after it read, and at what steps: of
# modes that copy elements of the array.
_BORDERS: dict[str, Callable[[int, int], tuple[Piece, Piece]]] = {
    "edge": lambda n, before: ((0, 0), (n - 1, 0)),
    "reflect": lambda n, before: ((before, -1), (n - 2, -1)),
    "symmetric": lambda n, before: ((before - 1, -1), (n - 1, -1)),
    "wrap": lambda n, before: ((n - before, 1), (0, 1)),
}


def _pieces(
    shape: tuple[int, ...], widths: list[Widths], mode: str, options: dict[str, Any]
) -> list[list[Any]] | None:
    """Return what _core._read_pieces() takes, None where the borders are more than the array."""
    if mode == "constant" and type(options["constant_values"]) in (bool, int, float, complex):
        if 0 in shape or not any(map(any, widths)):
            return None
        return [
            [(before,), (n, 0, 1), (after,)]
            for n, (before, after) in zip(shape, widths, strict=True)
        ]
    if mode not in _BORDERS or options.get("reflect_type", "even") != "even":
        return None
    axes: list[list[Any]] = []
    for n, (before, after) in zip(shape, widths, strict=True):
        widest = n - (mode == "reflect")
        if n == 0 or (mode != "edge" and max(before, after) > widest):
            return None
        first, last = _BORDERS[mode](n, before)
        axes.append([(before, *first), (n, 0, 1), (after, *last)])
    return axes


def _order(array: GPUArray) -> str:
    return "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"


def _surrounded(array: GPUArray, widths: list[Widths]) -> GPUArray:
    shape = tuple(n + sum(width) for n, width in zip(array.shape, widths, strict=True))
    made = _core.empty(shape, array._dtype_name, _order(array), device=array.device)
    middle = tuple(slice(w[0], w[0] + n) for w, n in zip(widths, array.shape, strict=True))
    made[middle] = array
    return made


def _require_elements(array: GPUArray, widths: list[Widths], mode: str) -> None:
    for axis, (extent, width) in enumerate(zip(array.shape, widths, strict=True)):
        if extent == 0 and any(width):
            raise ValueError(
                f"pad: can't extend empty axis {axis} using modes other than 'constant' or "
                f"'empty', got {mode!r}"
            )


# Each function below fills view[:before] and view[extent - after:] of the first axis.


def _constant(view: GPUArray, width: Widths, constant_values: Any) -> None:
    before, after = width
    view[:before] = constant_values[0]
    view[view.shape[0] - after :] = constant_values[1]


def _edge(view: GPUArray, width: Widths) -> None:
    before, stop = width[0], view.shape[0] - width[1]
    view[:before] = view[before : before + 1]
    view[stop:] = view[stop - 1 : stop]


def _linear_ramp(view: GPUArray, width: Widths, end_values: Any) -> None:
    before, stop = width[0], view.shape[0] - width[1]
    for count, end, edge, target in (
        (before, end_values[0], view[before], view[:before]),
        (width[1], end_values[1], view[stop - 1], view[stop:][::-1]),
    ):
        # This raises OverflowError for a value that does not fit the dtype, as mode='constant'
        # does.
        _core.full((), end, view._dtype_name, device="cpu")
        target[...] = linspace(end, edge, count, endpoint=False, dtype=view._dtype_name)


# The functions whose results these modes fill with.
_STATISTICS: dict[str, Callable[..., GPUArray]] = {
    "maximum": _core.max,
    "mean": _core.mean,
    "median": lambda *args, **kwargs: package.module.median(*args, **kwargs),
    "minimum": _core.min,
}


def _statistic(name: str) -> Callable[..., None]:
    def fill(view: GPUArray, width: Widths, stat_length: Any) -> None:
        before, stop = width[0], view.shape[0] - width[1]
        extent = stop - before
        nearest = [extent if n is None else min(n, extent) for n in stat_length]
        for chunk, target in (
            (view[before : before + nearest[0]], view[:before]),
            (view[stop - nearest[1] : stop], view[stop:]),
        ):
            found = _STATISTICS[name](chunk, axis=0, keepdims=True)
            whole = dtype_kind(view._dtype_name) in ("i", "u") and is_inexact(found)
            target[...] = (_core.rint(found) if whole else found).astype(view._dtype_name)

    return fill


def _reflect(view: GPUArray, width: Widths, reflect_type: str) -> None:
    _mirror(view, width, reflect_type, edge=1)


def _symmetric(view: GPUArray, width: Widths, reflect_type: str) -> None:
    _mirror(view, width, reflect_type, edge=0)


def _mirror(view: GPUArray, width: Widths, reflect_type: str, edge: int) -> None:
    """Continue each end by its mirror image, which leaves out `edge` (0 or 1) edge elements."""
    if reflect_type not in ("even", "odd"):
        raise ValueError(f"pad: reflect_type is 'even' or 'odd', got {reflect_type!r}")
    # A single element has nothing else to mirror.
    if view.shape[0] - sum(width) == 1:
        return _edge(view, width)

    def image(whole: GPUArray, known: int, count: int) -> GPUArray:
        found = whole[known + edge : known + edge + count][::-1]
        return 2 * whole[known : known + 1] - found if reflect_type == "odd" else found

    _continued(view, width, edge, image)
    return None


def _wrap(view: GPUArray, width: Widths) -> None:
    period = view.shape[0] - sum(width)

    def image(whole: GPUArray, known: int, count: int) -> GPUArray:
        shift = -(-count // period) * period
        return whole[known - count + shift : known + shift]

    _continued(view, width, 0, image)


def _continued(
    view: GPUArray, width: Widths, edge: int, image: Callable[[GPUArray, int, int], GPUArray]
) -> None:
    """Continue both ends in steps of whole periods, each of at most as many as are filled already.

    `image(whole, known, count)` returns the `count` elements before whole[known:]; for the second
    end `whole` is reversed. `edge` is 1 if the image leaves out the edge element, else 0.
    """
    period = view.shape[0] - sum(width) - edge
    missing = list(width)
    whole = (view, view[::-1])
    while any(missing):
        there = (view.shape[0] - sum(missing) - edge) // period * period
        for end in (0, 1):
            known = missing[end]
            count = min(known, there)
            if count:
                whole[end][known - count : known] = image(whole[end], known, count)
                missing[end] -= count


_MODES: dict[str, tuple[Callable[..., None] | None, dict[str, Any]]] = {
    "constant": (_constant, {"constant_values": 0}),
    "edge": (_edge, {}),
    "empty": (None, {}),
    "linear_ramp": (_linear_ramp, {"end_values": 0}),
    "maximum": (_statistic("maximum"), {"stat_length": None}),
    "mean": (_statistic("mean"), {"stat_length": None}),
    "median": (_statistic("median"), {"stat_length": None}),
    "minimum": (_statistic("minimum"), {"stat_length": None}),
    "reflect": (_reflect, {"reflect_type": "even"}),
    "symmetric": (_symmetric, {"reflect_type": "even"}),
    "wrap": (_wrap, {}),
}


def _padded_on_host(
    array: GPUArray, widths: list[Widths], function: Any, kwargs: dict[str, Any]
) -> GPUArray:
    made = np.pad(array.get(), widths, function, **kwargs)
    return _core.to_device(made, device=array.device)
