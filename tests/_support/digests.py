# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Digests of results of the cpu device, for comparing the bits that two processes compute.

As a program it prints those of all cases as JSON. Cases are the operations, reductions and scans of
the tables and casts, of every dtype, in several layouts and at sizes that are cut into pieces.
"""

import hashlib
import json
import sys
import warnings

import numpy as np

import gpuarray
from gpuarray import _core

from .dtypes import DTYPES, kind
from .samples import special
from .tables import OPERATIONS

# Beyond the sizes at which blocks, leaves and rows of vectors end.
SHORT = 1100
LEAVES = (127, 129, 4097, 8195)
PIECES = 1 << 21  # bytes from which on several threads compute


def values(dtype, size, seed=0, edge_share=0.05):
    """Return random values of many magnitudes, and edge cases of the dtype among them."""
    random = np.random.default_rng([seed, size])
    edges = special(dtype)
    if kind(dtype) in "iu":
        made = random.integers(0, 256, size * dtype.itemsize, np.uint8).view(dtype)
    elif kind(dtype) == "b":
        made = random.random(size) < 0.5
    else:
        scale = np.exp(random.uniform(-3, 3, size))
        made = (random.normal(size=size) * scale).astype(dtype)
        if kind(dtype) == "c":
            made.imag = random.normal(size=size) * scale
    at = random.random(size) < edge_share
    made[at] = edges[random.integers(0, len(edges), int(at.sum()))]
    return made


def digest(result):
    """Return a digest of the bytes of a result; which NaN it is, no promise says."""
    host = np.ascontiguousarray(result.get()).reshape(-1)
    parts = host.view(host.real.dtype) if kind(host.dtype) == "c" else host
    if kind(host.dtype) in "fc":
        parts[np.isnan(parts)] = np.nan
    return hashlib.sha1(host.view(np.uint8).data).hexdigest()[:12]


def attempt(found, name, function, *operands):
    """Note the digest of a result; an operation may have no loop for its operands."""
    try:
        found[name] = digest(function(*operands))
    except (TypeError, ValueError) as error:
        found[name] = type(error).__name__


def layouts(*hosts):
    """Yield a name and device arrays of the hosts' values in each of several layouts."""
    arrays = [gpuarray.to_device(host, device="cpu") for host in hosts]
    yield "contiguous", arrays
    yield "strided", [array[::3] for array in arrays]
    yield "reversed", [array[::-1] for array in arrays]
    yield (
        "turned",
        [arrays[0][:899].reshape(29, 31).T, *(b[:899].reshape(31, 29) for b in arrays[1:])],
    )
    yield "broadcast", [arrays[0][:899].reshape(29, 31), *(b[:31] for b in arrays[1:])]
    yield "one", [arrays[0], *(b[3:4] for b in arrays[1:])]


def elementwise(found):
    for operation in OPERATIONS:
        for dtype in DTYPES:
            hosts = [values(dtype, SHORT, seed) for seed in range(operation.arity)]
            for layout, operands in layouts(*hosts):
                name = f"{operation}, {dtype}, {layout}"
                attempt(found, name, operation.gpu, *operands)
        for name in ("int32", "float32", "complex64"):
            dtype = np.dtype(name)
            size = PIECES // dtype.itemsize + 1111
            operands = [gpuarray.to_device(values(dtype, size, k)) for k in range(operation.arity)]
            attempt(found, f"{operation}, {dtype}, pieces", operation.gpu, *operands)


def casts(found):
    for source in DTYPES:
        for layout, (a,) in layouts(values(source, SHORT)):
            for target in DTYPES:
                attempt(found, f"cast, {source} to {target}, {layout}", a.astype, target)
        large = gpuarray.to_device(values(source, PIECES // source.itemsize + 77))
        attempt(found, f"cast, {source} to float32, pieces", large.astype, np.float32)


def blocks(dtype):
    """Yield arrays whose reductions end within, at and beyond leaves and pieces."""
    for size in LEAVES:
        yield values(dtype, size, 0, 0)
    yield values(dtype, 300 * 129).reshape(300, 129)
    yield values(dtype, 5 * 130 * 7, 0, 0).reshape(5, 130, 7)
    yield values(dtype, 4 * PIECES // dtype.itemsize + 333, 0, 0)
    yield values(dtype, 4 * PIECES // dtype.itemsize // 37 * 37, 0, 0).reshape(-1, 37)


def reductions(found):
    names = [row[0] for row in _core.reduction_table()]
    for dtype in DTYPES:
        for host in blocks(dtype):
            array = gpuarray.to_device(host)
            for axis in [None, *range(host.ndim)]:
                for name in names:
                    case = f"{name}, {dtype}, {host.shape}, axis {axis}"
                    attempt(
                        found, case, lambda x, n=name, k=axis: getattr(gpuarray, n)(x, k), array
                    )
            for name in ("sum", "argmax"):
                turned = array.T[::-1]
                attempt(
                    found, f"{name}, {dtype}, {host.shape}, turned", getattr(gpuarray, name), turned
                )


def scans(found):
    for dtype in DTYPES:
        for size, axis in (((3000,), 0), ((300, 129), 0), ((300, 129), 1), ((700, 700), 1)):
            array = gpuarray.to_device(values(dtype, int(np.prod(size)), 0, 1e-4).reshape(size))
            for name in ("cumsum", "cumprod"):
                case = f"{name}, {dtype}, {size}, axis {axis}"
                attempt(found, case, lambda x, n=name, k=axis: getattr(gpuarray, n)(x, k), array)


def fused(found):
    @gpuarray.fuse
    def chain(a, b):
        return gpuarray.exp(a) * b + gpuarray.sin(b) / 3, a // 3

    @gpuarray.fuse
    def total(a, b):
        return gpuarray.sum(a * b + 1)

    for size in (SHORT, PIECES):
        a, b = (gpuarray.to_device(values(np.dtype("f4"), size, seed)) for seed in (0, 1))
        for k, part in enumerate(chain(a, b)):
            attempt(found, f"fused, {size}, {k}", lambda part=part: part)
        a, b = (gpuarray.to_device(values(np.dtype("f4"), size, seed, 0)) for seed in (0, 1))
        attempt(found, f"fold, {size}", total, a, b)


def main():
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    gpuarray.set_default_device("cpu")
    found = {}
    for group in sys.argv[1:] or ["elementwise", "casts", "reductions", "scans", "fused"]:
        globals()[group](found)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
