# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Calls that NumPy serves on the cpu device give what gpuarray's own functions give."""

import gc
import inspect

import numpy as np
import pytest
from _support.compare import assert_same
from _support.samples import ordinary

import gpuarray
from gpuarray._core import GPUArray

DTYPES = [np.uint8, np.int32, np.int64, np.float16, np.float32, np.float64, np.complex64]
LARGE = 40_000  # elements, whose memory is NumPy's own


def served(name):
    """Return the function without what passes calls on to NumPy."""
    return inspect.unwrap(getattr(gpuarray, name))


CALLS = {
    "append": lambda f, a, b, k: f(a, b),
    "column_stack": lambda f, a, b, k: f([a, b]),
    "concatenate": lambda f, a, b, k: f([a, b]),
    "delete": lambda f, a, b, k: f(a, [1, 3]),
    "diff": lambda f, a, b, k: f(a),
    "digitize": lambda f, a, b, k: f(k, k[:3].copy() * 0),
    "hstack": lambda f, a, b, k: f([a, b]),
    "insert": lambda f, a, b, k: f(a, 2, b[0].copy()),
    "intersect1d": lambda f, a, b, k: f(k, k[:5]),
    "isin": lambda f, a, b, k: f(k, k[:5]),
    "lexsort": lambda f, a, b, k: f((k, k[::-1])),
    "packbits": lambda f, a, b, k: f(k),
    "ravel_multi_index": lambda f, a, b, k: f((k, k), (99_999, 99_999)),
    "roll": lambda f, a, b, k: f(a, 3),
    "setdiff1d": lambda f, a, b, k: f(k, k[:5]),
    "setxor1d": lambda f, a, b, k: f(k, k[:5]),
    "stack": lambda f, a, b, k: f([a, b], -1),
    "tile": lambda f, a, b, k: f(a, 2),
    "union1d": lambda f, a, b, k: f(k, k[:5]),
    "unique": lambda f, a, b, k: f(k),
    "unravel_index": lambda f, a, b, k: f(k, (400, 200)),
    "vstack": lambda f, a, b, k: f([a, b]),
}
WRITERS = {
    "copyto": lambda f, a, m: f(a, a[::-1]),
    "place": lambda f, a, m: f(a, m, a[:2].copy()),
    "put": lambda f, a, m: f(a, [1, 2], a[-2:].copy()),
    "putmask": lambda f, a, m: f(a, m, a[::-1].copy()),
}


@pytest.mark.parametrize("size", [6, LARGE])
@pytest.mark.parametrize("name", CALLS)
def test_results(device, name, size):
    for dtype in DTYPES:
        a, b = (gpuarray.to_device(ordinary(dtype, (size,), seed)) for seed in (1, 2))
        k = gpuarray.to_device(np.random.default_rng(3).integers(0, size, max(size, 5)))
        got = CALLS[name](getattr(gpuarray, name), a, b, k)
        expected = CALLS[name](served(name), a, b, k)
        several = [x if isinstance(x, tuple) else (x,) for x in (got, expected)]
        for one, other in zip(*several, strict=True):
            assert one.device == a.device
            assert_same(one, other.get(), what=name)


@pytest.mark.parametrize("name", WRITERS)
def test_writers(device, name):
    for dtype in DTYPES:
        host = ordinary(dtype, (50,), 1)
        got, expected, read_only = (gpuarray.to_device(host) for _ in range(3))
        mask = gpuarray.to_device(np.arange(50) % 3 == 0)
        assert WRITERS[name](getattr(gpuarray, name), got, mask) is None
        WRITERS[name](served(name), expected, mask)
        assert_same(got, expected.get(), what=name)
        read_only.flags.writeable = False
        with pytest.raises(ValueError, match="read-only"):
            WRITERS[name](getattr(gpuarray, name), read_only, mask)
        assert_same(read_only, host)


def test_results_are_arrays_of_their_own(device):
    for size in (4, LARGE):
        a = gpuarray.arange(size)
        made = gpuarray.roll(a, 1)
        made[...] = 7
        assert a[:3].tolist() == [0, 1, 2]
        view = made[1:]
        del made
        gc.collect()
        view += 1
        assert view.tolist() == [8] * (size - 1)
        assert gpuarray.concatenate([view, view]).flags.writeable


def test_refusals_are_gpuarrays_own(device):
    a = gpuarray.arange(4.0)
    for call, error, message in (
        (lambda: gpuarray.concatenate([a, a.reshape(2, 2)]), ValueError, "dimension"),
        (lambda: gpuarray.concatenate([a, np.ones(3)]), TypeError, "to_device"),
        (lambda: gpuarray.roll(np.ones(3), 1), TypeError, "roll: expected a GPUArray"),
        (lambda: [gpuarray.put(a, [9], 1.0), a.get()], IndexError, "out of bounds"),
        (lambda: gpuarray.put(a, [0], "1"), TypeError, "str"),
        (lambda: gpuarray.append(a, None), TypeError, "None"),
        (lambda: gpuarray.insert(a, 0, np.datetime64("2000-01-01")), TypeError, "datetime64"),
    ):
        with pytest.raises(error, match=message):
            call()
    assert a.tolist() == [0, 1, 2, 3]


def test_joining_into_an_argument(device):
    a = gpuarray.arange(8)
    gpuarray.concatenate([a[4:], a[:4]], out=a)
    gpuarray.concatenate([a[2:], a[:2]], 0, a)
    assert a.tolist() == [6, 7, 0, 1, 2, 3, 4, 5]


def test_methods_and_iteration(device):
    a = gpuarray.to_device([[3, 1, 2], [9, 7, 8]])
    assert [each.tolist() for each in a] == [[3, 1, 2], [9, 7, 8]]
    assert isinstance(a[0], GPUArray)
    a.sort()
    assert a.tolist() == [[1, 2, 3], [7, 8, 9]]
    a.sort(axis=0, descending=True)
    assert a.tolist() == [[7, 8, 9], [1, 2, 3]]
    column = a[:, 0]
    column.sort()
    assert a[:, 0].tolist() == [1, 7]
