# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""einsum(), which contracts pair by pair by diagonals, sums and one matrix product each."""

from collections.abc import Sequence
from typing import Any

from gpuarray import _core
from gpuarray._common.arguments import normalize_order, require_array
from gpuarray._core import GPUArray
from gpuarray._dtypes.dtype_functions import result_name
from gpuarray._manipulation.broadcasting import broadcast_to
from gpuarray._math.einsum_path import contraction_path, parse
from gpuarray._math.products import as_matrices, sum_of_products
from gpuarray._runtime.streams import takes_stream

__all__ = ["einsum", "einsum_path"]

CASTINGS = "no", "equiv", "safe", "same_kind", "unsafe"


@takes_stream
def einsum(
    *operands: Any,
    out: GPUArray | None = None,
    dtype: Any = None,
    order: str | None = "K",
    casting: str = "safe",
    optimize: Any = "greedy",
) -> GPUArray:
    """Return the sum that numpy.einsum's subscripts describe: ``einsum("ij,jk->ik", a, b)``.

    Operands are GPUArrays of one device, after the subscripts, or each before a list of its labels
    (and the result's last). Products go by pairs, each one (batched) matrix product of views where
    that can be, of float16 and bfloat16 summed in float32. `optimize` is the order of pairs:
    "greedy", "optimal" and other names of opt_einsum's where that is installed, False from the left
    to the right, or a path of einsum_path. `dtype` is what the operands are converted to first,
    under `casting`. Returns a new array, a view where one operand is only rearranged, or `out`.
    Queued on the current stream. ValueError for subscripts and shapes that do not fit.
    """
    terms, arrays = parse(operands)
    order = normalize_order("einsum", order)
    if casting not in CASTINGS:
        raise ValueError(f"einsum: casting must be one of {', '.join(CASTINGS)}, got {casting!r}")
    arrays = _of_one_dtype(arrays, dtype, casting)
    labels = list(terms.inputs)
    for pair in contraction_path(terms, optimize):
        _check_pair(pair, len(arrays))
        chosen = [(labels[index], arrays[index]) for index in pair]
        for index in sorted(pair, reverse=True):
            del labels[index], arrays[index]
        wanted = {*terms.output}.union(*labels)
        made, result = _contract_all(chosen, wanted)
        labels.append(made)
        arrays.append(result)
    labels_left, result = _contract_all(list(zip(labels, arrays, strict=True)), {*terms.output})
    result = result.transpose([labels_left.index(label) for label in terms.output])
    return _delivered(result, out, casting, order)


def einsum_path(
    *operands: Any, optimize: Any = "greedy", einsum_call: bool = False
) -> tuple[list[Any], Any]:
    """Return the order of pairs that einsum takes, as numpy.einsum_path, and a description."""
    terms, _ = parse(operands)
    if einsum_call:
        raise ValueError("einsum_path: einsum_call=True is NumPy's own")
    path = contraction_path(terms, optimize)
    text = [f"  Complete contraction:  {','.join(terms.inputs)}->{terms.output}"]
    text += [f"  {pair}" for pair in path]
    return ["einsum_path", *path], "\n".join(text)


_Labelled = tuple[str, GPUArray]


def _contract_all(operands: list[_Labelled], wanted: set[str]) -> _Labelled:
    """Contract the operands from the left; a label is summed over once no later term has it."""
    first = operands[0]
    for index, following in enumerate(operands[1:], 2):
        later = wanted.union(*(labels for labels, _ in operands[index:]))
        first = _contract_pair(first, following, later)
    return _reduced(*first, wanted)


def _reduced(labels: str, a: GPUArray, wanted: set[str]) -> _Labelled:
    """Return the diagonal over repeated labels, summed over the labels that are not wanted."""
    for label in {*labels} if len({*labels}) < len(labels) else ():
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            a = _diagonal(a, first, second)
            labels = labels[:second] + labels[second + 1 :]
    summed = tuple(axis for axis, label in enumerate(labels) if label not in wanted)
    if not summed:
        return labels, a
    kept = "".join(label for label in labels if label in wanted)
    if a._dtype_name == "bool":
        return kept, _core.any(a, axis=summed)
    return kept, _core.sum(a, axis=summed, dtype=a._dtype_name)


def _diagonal(a: GPUArray, first: int, second: int) -> GPUArray:
    """Return a view of the elements with equal indices along two axes, merged into `first`."""
    strides = [*a.strides]
    strides[first] += strides.pop(second)
    shape = [*a.shape]
    del shape[second]
    return _core._as_strided(a, tuple(shape), tuple(strides), 0, a.flags.writeable)


def _stretched(a: GPUArray, axis: int, extent: int) -> GPUArray:
    """Return a view in which an axis of extent 1 has this extent; other axes stay as they are."""
    if a.shape[axis] == extent or a.shape[axis] != 1:
        return a
    return broadcast_to(a, (*a.shape[:axis], extent, *a.shape[axis + 1 :]))


def _contract_pair(left: _Labelled, right: _Labelled, wanted: set[str]) -> _Labelled:
    """Contract two operands by one product; unwanted labels of only one are summed before."""
    ours, a = _reduced(*left, wanted | {*right[0]})
    theirs, b = _reduced(*right, wanted | {*ours})
    shared = [label for label in ours if label in theirs]
    batch = [label for label in shared if label in wanted]
    summed = [label for label in shared if label not in wanted]
    # An extent of 1 broadcasts against that of the other operand.
    for label in summed:
        a = _stretched(a, ours.index(label), b.shape[theirs.index(label)])
        b = _stretched(b, theirs.index(label), a.shape[ours.index(label)])
    rows = [label for label in ours if label not in theirs]
    columns = [label for label in theirs if label not in ours]
    labels = "".join([*batch, *rows, *columns])
    if not summed:
        return labels, _core.multiply(_placed(ours, a, labels), _placed(theirs, b, labels))
    first = as_matrices(a, *_axes(ours, batch, rows, summed))
    second = as_matrices(b, *_axes(theirs, batch, summed, columns))
    if not rows and not columns:
        return labels, sum_of_products(first[..., 0, :], second[..., :, 0])
    product = first @ second
    extents = [a.shape[ours.index(label)] for label in rows]
    extents += [b.shape[theirs.index(label)] for label in columns]
    return labels, product.reshape((*product.shape[: len(batch)], *extents))


def _axes(labels: str, *groups: Sequence[str]) -> list[list[int]]:
    return [[labels.index(label) for label in group] for group in groups]


def _placed(own: str, a: GPUArray, labels: str) -> GPUArray:
    """Return a view with an axis for each of the labels, of extent 1 for labels that `a` lacks."""
    a = a.transpose([own.index(label) for label in labels if label in own])
    return a[tuple(slice(None) if label in own else None for label in labels)]


def _of_one_dtype(arrays: list[GPUArray], dtype: Any, casting: str) -> list[GPUArray]:
    if dtype is None:
        if len({a._dtype_name for a in arrays}) == 1:
            return arrays
        dtype = result_name(*arrays)
    return [a.astype(dtype, casting=casting, copy=False) for a in arrays]


def _check_pair(pair: Sequence[int], count: int) -> None:
    if len({*pair}) < len(pair) or not all(0 <= index < count for index in pair):
        raise ValueError(f"einsum: optimize: {tuple(pair)} are no {len(pair)} of {count} operands")


def _delivered(result: GPUArray, out: GPUArray | None, casting: str, order: str) -> GPUArray:
    if out is None:
        wanted = {"C": result.flags.c_contiguous, "F": result.flags.f_contiguous}
        return result if wanted.get(order, True) else result.copy(order)
    require_array("einsum: out", out)
    if out.shape != result.shape:
        raise ValueError(f"einsum: out has shape {out.shape}, expected {result.shape}")
    out[...] = result.astype(out._dtype_name, casting=casting, copy=False)
    return out
