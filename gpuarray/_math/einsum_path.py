# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Parsing of einsum's subscripts, and the order in which its operands are multiplied."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.util import find_spec
from itertools import combinations
from math import prod
from typing import Any, NamedTuple

import numpy as np

from gpuarray._common.arguments import require_array
from gpuarray._common.operands import lists_as_arrays
from gpuarray._core import GPUArray

__all__ = ["Terms", "contraction_path", "parse"]

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
# The labels of the ellipsis's axes begin here, in a range of characters without letters.
_FIRST_OF_ELLIPSIS = 0xE000

Shape = tuple[int, ...]
Path = list[tuple[int, ...]]


class Terms(NamedTuple):
    """A label for each axis of each operand and of the result, and the labels' extents."""

    inputs: tuple[str, ...]
    output: str
    sizes: Mapping[str, int]


def parse(operands: Sequence[Any]) -> tuple[Terms, list[GPUArray]]:
    """Return the terms and the arrays of einsum's arguments, in either of their forms."""
    if operands and isinstance(operands[0], str):
        text, given = operands[0], operands[1:]
    else:
        text, given = _interleaved(operands)
    arrays = [require_array("einsum", a) for a in lists_as_arrays("einsum", (*given,))]
    if not arrays:
        raise ValueError("einsum: expected subscripts and at least one array")
    return _terms(text, tuple(a.shape for a in arrays)), arrays


@lru_cache(256)
def _terms(text: str, shapes: tuple[Shape, ...]) -> Terms:
    left, arrow, right = text.partition("->")
    for term in [*left.split(","), right]:
        _check_term(term)
    inputs, right = left.replace(" ", "").split(","), right.replace(" ", "")
    if len(inputs) != len(shapes):
        raise ValueError(f"einsum: {left!r} has {len(inputs)} operands, got {len(shapes)} arrays")
    axes = [_ellipsis_ndim(term, shape) for term, shape in zip(inputs, shapes, strict=True)]
    labelled = tuple(map(_with_axes, inputs, axes))
    output = _with_axes(right, max(axes)) if arrow else _implicit_output(labelled)
    _check_output(labelled, output, max(axes) if arrow and "..." not in right else 0)
    return Terms(labelled, output, _sizes(labelled, shapes))


def _interleaved(operands: Sequence[Any]) -> tuple[str, Sequence[Any]]:
    def term(labels: Any) -> str:
        if not np.iterable(labels):
            raise TypeError(f"einsum: expected a list of labels after each array, got {labels!r}")
        places = [-1 if label is Ellipsis else _label(label, labels) for label in labels]
        return "".join("..." if place < 0 else _LETTERS[place] for place in places)

    text = ",".join(term(labels) for labels in operands[1::2][: len(operands) // 2])
    if len(operands) % 2:
        return f"{text}->{term(operands[-1])}", operands[:-1:2]
    return text, operands[::2]


def _label(label: Any, labels: Any) -> int:
    if not hasattr(label, "__index__") or not 0 <= int(label) < len(_LETTERS):
        raise ValueError(f"einsum: expected labels from 0 to 51 after each array, got {labels!r}")
    return int(label)


def _check_term(term: str) -> None:
    letters = term.replace("...", "", 1)
    if unknown := {*letters} - {*_LETTERS, " "}:
        raise ValueError(f"einsum: {term!r}: expected letters and one '...', got {min(unknown)!r}")


def _ellipsis_ndim(term: str, shape: Shape) -> int:
    """Return the number of axes that the ellipsis in `term` stands for."""
    left = len(shape) - len(term.replace("...", ""))
    if left < 0 or (left > 0 and "..." not in term):
        raise ValueError(f"einsum: {term!r} does not fit an array of shape {shape}")
    return left


def _with_axes(term: str, ndim: int) -> str:
    """Return `term` with labels in the place of the ellipsis, counted from its last axis."""
    names = "".join(chr(_FIRST_OF_ELLIPSIS + axis) for axis in reversed(range(ndim)))
    return term.replace("...", names)


def _implicit_output(inputs: Sequence[str]) -> str:
    counts = Counter("".join(inputs))
    axes = sorted((label for label in counts if label not in _LETTERS), reverse=True)
    return "".join([*axes, *sorted(x for x in counts if counts[x] == 1 and x in _LETTERS)])


def _check_output(inputs: Sequence[str], output: str, left_out: int) -> None:
    for label in output:
        if output.count(label) > 1:
            raise ValueError(f"einsum: the result has label {label!r} more than once")
        if not any(label in term for term in inputs):
            raise ValueError(f"einsum: the result has label {label!r}, which no operand has")
    if left_out:
        raise ValueError(f"einsum: the result has no '...' for {left_out} axes of the operands")


def _sizes(inputs: Sequence[str], shapes: Sequence[Shape]) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for number, (term, shape) in enumerate(zip(inputs, shapes, strict=True)):
        own: dict[str, int] = {}
        for label, extent in zip(term, shape, strict=True):
            if own.setdefault(label, extent) != extent:
                known = own[label]
            elif sizes.setdefault(label, extent) in (1, extent) or extent == 1:
                sizes[label] = extent if sizes[label] == 1 else sizes[label]
                continue
            else:
                known = sizes[label]
            name = label if label in _LETTERS else "..."
            raise ValueError(f"einsum: operand {number}: {name!r} is {extent} and {known} long")
    return sizes


def contraction_path(terms: Terms, optimize: Any) -> Path:
    """Return the operands to multiply in each step; each result is appended to the operands."""
    count = len(terms.inputs)
    if not isinstance(optimize, str | bool) and optimize is not None:
        optimize, limit = _given_path(optimize)
        if limit is None:
            return optimize  # type: ignore[no-any-return]
    else:
        limit = None
    if count <= 2 or optimize is False or optimize is None:
        return [tuple(range(count))]
    name = "greedy" if optimize is True else optimize
    sizes = tuple(terms.sizes.items())
    return _named_path(terms.inputs, terms.output, sizes, name, limit)


@lru_cache(256)
def _named_path(
    inputs: tuple[str, ...],
    output: str,
    sizes: tuple[tuple[str, int], ...],
    name: str,
    limit: int | None,
) -> Path:
    if find_spec("opt_einsum") is None:
        if name not in ("auto", "greedy", "optimal"):
            raise ValueError(f"einsum: optimize={name!r} needs opt_einsum: pip install opt_einsum")
        return _greedy(inputs, output, dict(sizes))
    from opt_einsum import paths

    try:
        find = paths.get_path_fn(name)
    except KeyError:
        raise ValueError(f"einsum: optimize: got {name!r}, which opt_einsum has not") from None
    sets = [frozenset(term) for term in inputs]
    return [tuple(step) for step in find(sets, frozenset(output), dict(sizes), limit)]


def _given_path(optimize: Any) -> tuple[Any, int | None]:
    """Return a given path and None, or NumPy's name of a strategy and the memory limit with it."""
    steps = list(optimize)
    if len(steps) == 2 and isinstance(steps[0], str) and isinstance(steps[1], int | float):
        return steps[0], int(steps[1])
    if steps[:1] != ["einsum_path"]:
        raise ValueError(f"einsum: optimize: expected a bool, a name or a path, got {optimize!r}")
    return [tuple(step) for step in steps[1:]], None


def _greedy(inputs: Sequence[str], output: str, sizes: Mapping[str, int]) -> Path:
    """Return the path that multiplies at each step the pair whose result saves most elements."""
    left = [frozenset(term) for term in inputs]
    path: Path = []

    def size(labels: frozenset[str]) -> int:
        return prod(sizes[label] for label in labels)

    def result(pair: tuple[int, ...]) -> frozenset[str]:
        others = [labels for index, labels in enumerate(left) if index not in pair]
        wanted = frozenset(output).union(*others)
        return frozenset().union(*(left[index] for index in pair)) & wanted

    def growth(pair: tuple[int, ...]) -> int:
        return size(result(pair)) - sum(size(left[index]) for index in pair)

    while len(left) > 1:
        pair = min(combinations(range(len(left)), 2), key=growth)
        made = result(pair)
        left = [labels for index, labels in enumerate(left) if index not in pair] + [made]
        path.append(pair)
    return path
