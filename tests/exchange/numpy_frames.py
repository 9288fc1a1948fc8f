# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""A profile hook that keeps the ndarrays of all frames, as debuggers and error reporters do."""

import inspect
import sys
import types

import numpy as np

import gpuarray
from gpuarray import linalg
from gpuarray._common import numpy_calls


def served_functions():
    """Return the functions that numpys_on_cpu decorates, without the decoration."""
    found = set()
    for name, module in list(sys.modules.items()):
        for value in vars(module).values() if name.partition(".")[0] == "gpuarray" else ():
            code = getattr(value, "__code__", None)
            if code is not None and code.co_filename == numpy_calls.__file__:
                found.add(inspect.unwrap(value))
    return found - {numpy_calls.numpys_on_cpu}


# Calls with a vector a, an equal one b, integers k from 0 to its size, and a square matrix m.
SERVED = {
    "append": lambda a, b, k, m: gpuarray.append(a, b),
    "array_equal": lambda a, b, k, m: gpuarray.array_equal(a, b),
    "array_equiv": lambda a, b, k, m: gpuarray.array_equiv(a, b),
    "bincount": lambda a, b, k, m: gpuarray.bincount(k),
    "block": lambda a, b, k, m: gpuarray.block([[a, b], [b, a]]),
    "column_stack": lambda a, b, k, m: gpuarray.column_stack([a, b]),
    "concat": lambda a, b, k, m: gpuarray.concat([a, b]),
    "concatenate": lambda a, b, k, m: gpuarray.concatenate([a, b]),
    "convolve": lambda a, b, k, m: gpuarray.convolve(a, b[:5], "same"),
    "correlate": lambda a, b, k, m: gpuarray.correlate(a, b[:5], "same"),
    "delete": lambda a, b, k, m: gpuarray.delete(a, [1, 3]),
    "diff": lambda a, b, k, m: gpuarray.diff(a),
    "digitize": lambda a, b, k, m: gpuarray.digitize(k, k[:3].copy() * 0),
    "dstack": lambda a, b, k, m: gpuarray.dstack([a, b]),
    "fill_diagonal": lambda a, b, k, m: gpuarray.fill_diagonal(m, 5.0),
    "hstack": lambda a, b, k, m: gpuarray.hstack([a, b]),
    "inner": lambda a, b, k, m: gpuarray.inner(a, b),
    "insert": lambda a, b, k, m: gpuarray.insert(a, 2, b[0].copy()),
    "interp": lambda a, b, k, m: gpuarray.interp(a, gpuarray.arange(9.0), gpuarray.arange(9.0)),
    "intersect1d": lambda a, b, k, m: gpuarray.intersect1d(k, k[:5]),
    "isin": lambda a, b, k, m: gpuarray.isin(k, k[:5]),
    "lexsort": lambda a, b, k, m: gpuarray.lexsort((k, k[::-1])),
    "packbits": lambda a, b, k, m: gpuarray.packbits(k.astype("uint8")),
    "place": lambda a, b, k, m: gpuarray.place(a, a > 1, b[:2].copy()),
    "put": lambda a, b, k, m: gpuarray.put(a, [1, 2], b[-2:].copy()),
    "putmask": lambda a, b, k, m: gpuarray.putmask(a, a > 1, b[::-1].copy()),
    "ravel_multi_index": lambda a, b, k, m: gpuarray.ravel_multi_index((k, k), (99_999, 99_999)),
    "repeat": lambda a, b, k, m: (gpuarray.repeat(a, 2), gpuarray.repeat(a, k % 3)),
    "roll": lambda a, b, k, m: gpuarray.roll(a, 3),
    "setdiff1d": lambda a, b, k, m: gpuarray.setdiff1d(k, k[:5]),
    "setxor1d": lambda a, b, k, m: gpuarray.setxor1d(k, k[:5]),
    "stack": lambda a, b, k, m: gpuarray.stack([a, b], -1),
    "tile": lambda a, b, k, m: (gpuarray.tile(a, 2), gpuarray.tile(a, 9)),
    "union1d": lambda a, b, k, m: gpuarray.union1d(k, k[:5]),
    "unique": lambda a, b, k, m: gpuarray.unique(k),
    "unpackbits": lambda a, b, k, m: gpuarray.unpackbits(k.astype("uint8")),
    "unravel_index": lambda a, b, k, m: gpuarray.unravel_index(k, (400, 200)),
    "vdot": lambda a, b, k, m: gpuarray.vdot(a, b),
    "vstack": lambda a, b, k, m: gpuarray.vstack([a, b]),
}
# What else NumPy serves: _core's hooks, linear algebra, Fourier transforms, methods.
HOOKS = {
    "@": lambda a, b, k, m: m @ m,
    "@ of a batch": lambda a, b, k, m: gpuarray.stack([m, m]) @ m,
    "@ of float16": lambda a, b, k, m: m.astype("float16") @ m.astype("float16"),
    "@ with factors": lambda a, b, k, m: gpuarray.matmul(m, m, out=m.copy(), alpha=2, beta=1),
    "@ with out": lambda a, b, k, m: gpuarray.matmul(m, m, out=m.copy()),
    "a.sort": lambda a, b, k, m: a.sort(),
    "argpartition": lambda a, b, k, m: gpuarray.argpartition(a, 3),
    "argsort": lambda a, b, k, m: (gpuarray.argsort(a), gpuarray.argsort(k.astype("uint8"))),
    "cholesky": lambda a, b, k, m: linalg.cholesky(m @ m.T + 99 * gpuarray.eye(len(m))),
    "cond": lambda a, b, k, m: linalg.cond(m),
    "det": lambda a, b, k, m: linalg.det(m),
    "eig": lambda a, b, k, m: linalg.eig(m),
    "eigh": lambda a, b, k, m: linalg.eigh(m + m.T),
    "eigvals": lambda a, b, k, m: linalg.eigvals(m),
    "eigvalsh": lambda a, b, k, m: linalg.eigvalsh(m + m.T),
    "fft": lambda a, b, k, m: gpuarray.fft.fft(a),
    "hfftn": lambda a, b, k, m: gpuarray.fft.irfft2(m.astype("complex128")),
    "ifft": lambda a, b, k, m: gpuarray.fft.ifft(a.astype("complex64")),
    "inv": lambda a, b, k, m: linalg.inv(m),
    "lstsq": lambda a, b, k, m: linalg.lstsq(m, m[0].copy()),
    "partition": lambda a, b, k, m: gpuarray.partition(a, 3),
    "qr": lambda a, b, k, m: linalg.qr(m),
    "rfft2": lambda a, b, k, m: gpuarray.fft.rfft2(m),
    "slogdet": lambda a, b, k, m: linalg.slogdet(m),
    "solve": lambda a, b, k, m: linalg.solve(m, m[0].copy()),
    "sort": lambda a, b, k, m: (gpuarray.sort(a), gpuarray.sort(a.astype("float16"))),
    "svd": lambda a, b, k, m: linalg.svd(m),
    "what fails": lambda a, b, k, m: gpuarray.unravel_index(k - 99, (2, 2)),
}


def ndarrays_in(value, depth=4):
    """Yield the ndarrays in nested sequences and dicts."""
    if isinstance(value, np.ndarray):
        yield value
    elif depth and isinstance(value, tuple | list):
        for item in value:
            yield from ndarrays_in(item, depth - 1)
    elif depth and isinstance(value, dict):
        yield from ndarrays_in(list(value.values()), depth - 1)


seen_functions = set()  # of those that numpys_on_cpu decorates


def keeping(call, *arguments):
    """Call a function, and return all ndarrays that a profile hook sees meanwhile."""
    kept = {}

    def hook(frame, event, argument):
        if frame.f_code.co_filename == numpy_calls.__file__:
            seen_functions.add(frame.f_locals.get("function"))
        seen = list(frame.f_locals.values())
        if event.startswith("c_") and isinstance(argument, types.BuiltinMethodType):
            seen.append(argument.__self__)
        else:
            seen.append(argument)
        for array in ndarrays_in(seen):
            kept[id(array)] = array

    sys.setprofile(hook)
    try:
        call(*arguments)
    except (ValueError, IndexError):  # of what fails
        pass
    finally:
        sys.setprofile(None)
    return list(kept.values())


def is_owned(array):
    """Return whether an ndarray has memory of its own, or an object that keeps it."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array.flags.owndata or array.base is not None


def problems_of(call, size):
    """Return what is wrong with the ndarrays that are kept of a call, and their number."""
    rng = np.random.default_rng(1)
    side = int(size**0.5)
    arguments = [
        gpuarray.to_device(rng.permutation(size) * 0.5),
        gpuarray.to_device(rng.permutation(size) * 0.5),
        gpuarray.to_device(rng.integers(0, size, size)),
        gpuarray.to_device(rng.standard_normal((side, side))),
    ]
    kept = keeping(call, *arguments)
    before = [array.copy() for array in kept]
    problems = [f"no owner: {array.shape}" for array in kept if not is_owned(array)]
    del arguments
    sizes = {size, *(array.nbytes // 8 for array in kept)}
    made = [gpuarray.full(items, 666.0) for items in sizes for _ in range(3)]
    for array, content in zip(kept, before, strict=True):
        if not np.array_equal(array, content, equal_nan=array.dtype.kind in "fc"):
            problems.append(f"changed: {array.shape}")
    for array in kept:
        if array.flags.writeable:
            array[...] = np.ones((), array.dtype)
    problems += [f"written: {x.shape}" for x in made if x.size and not (x.get() == 666).all()]
    return problems, len(kept)


def check(size):
    """Print the names of all calls; raise AssertionError for kept ndarrays that dangle."""
    found = {}
    with gpuarray.device("cpu"):
        for name, call in (SERVED | HOOKS).items():
            print(name, flush=True)
            problems, count = problems_of(call, size)
            if problems:
                found[name] = f"{len(problems)} of {count}: {sorted(set(problems))[:3]}"
    assert not found, found
    missing = served_functions() - seen_functions
    assert not missing, f"NumPy serves {missing}, of which there are no calls here"
