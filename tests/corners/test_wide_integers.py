# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Functions that compare integers of 64 bits, near the powers of 2 where floats lose them."""

import numpy as np
import pytest
from _support.compare import host

import gpuarray

# Calls with arrays: i and j of int64, u and w of uint64, k of int32, f of float64.
CALLS = """
xp.isin(i, j)
xp.isin(u, w)
xp.isin(u, k)
xp.isin(k, u)
xp.isin(u, w, kind="sort")
xp.isin(u[:1], w[1:2])
xp.isin(u[:, None], w)
xp.searchsorted(xp.sort(i), j)
xp.searchsorted(xp.sort(u), w)
xp.searchsorted(xp.sort(u), w, "right")
xp.searchsorted(xp.sort(i), u)
xp.searchsorted(xp.sort(u), i)
xp.digitize(i, xp.sort(j))
xp.digitize(u, xp.sort(w))
xp.digitize(u, xp.sort(w)[::-1])
xp.unique(i)
xp.unique(u)
xp.unique(u, True, True, True)
xp.unique(i, True, True, True)
xp.unique(u.reshape(-1, 2), axis=0)
xp.union1d(u, w)
xp.union1d(i, j)
xp.union1d(i, u)
xp.intersect1d(u, w)
xp.intersect1d(u, w, return_indices=True)
xp.intersect1d(i, j)
xp.intersect1d(i, u)
xp.setdiff1d(u, w)
xp.setdiff1d(i, j)
xp.setxor1d(u, w)
xp.setxor1d(i, j)
xp.setxor1d(i, u)
xp.sort(i)
xp.sort(u)
xp.argsort(u, kind="stable")
xp.argsort(i, kind="stable")
xp.partition(u, 3)[3]
xp.partition(i, 3)[3]
xp.lexsort([u, w])
xp.maximum(i, j)
xp.maximum(u, w)
xp.minimum(i, u)
xp.maximum(i, u)
xp.fmax(u, w)
xp.less(i, u)
xp.less(u, i)
xp.less_equal(i, u)
xp.greater(i, u)
xp.greater_equal(u, i)
xp.equal(i, u)
xp.not_equal(u, i)
xp.equal(u, w)
xp.less(u, w)
xp.equal(i, j)
xp.equal(k, u)
xp.less(k, u)
u == 2**59
u == 2**59 + 1
u < 2**63 + 1
i < 2**63
i > -(2**63) - 1
u == np.uint64(2**59 + 1)
i == np.uint64(2**59 + 1)
u > np.int64(2**59)
i < f
u >= f
u == f
i == 2.0**59
xp.clip(u, 2**59, 2**63)
xp.clip(i, -(2**59) - 1, 2**59 + 1)
xp.clip(u, np.uint64(2**59 + 1), np.uint64(2**63 + 1))
xp.clip(i, j, 2**62)
xp.argmax(u)
xp.argmin(u)
xp.argmax(i)
xp.argmin(i)
xp.max(u)
xp.min(i)
xp.ptp(u)
xp.max(u, initial=np.uint64(3))
xp.array_equal(u, w)
xp.array_equal(i, u)
xp.array_equal(u, u + np.uint64(1))
xp.array_equiv(u, u + np.uint64(1))
xp.allclose(u, w)
xp.isclose(u, w)
xp.where(u > w, u, w)
xp.where(u, u, w)
xp.where(i, 1, 0)
xp.nonzero(u)
xp.count_nonzero(i)
xp.all(u)
xp.logical_and(u, w)
xp.logical_not(u)
xp.sign(i)
xp.abs(i)
xp.cumsum(u)
xp.sum(u)
xp.sum(i)
xp.prod(u)
np.maximum.reduce(u)
np.maximum.accumulate(u)
np.minimum.accumulate(i)
xp.median(u)
xp.bincount(xp.abs(i) % 7)
xp.histogram(u, xp.sort(w))
xp.histogram(i, xp.sort(j))
xp.trim_zeros(u)
xp.gcd(u, w)
xp.floor_divide(u, w + np.uint64(1))
xp.remainder(u, w | np.uint64(1))
xp.floor_divide(i, j | 1)
xp.diff(u)
xp.diff(i)
xp.select([u > w, u == w], [u, w], 0)
xp.choose(u > w, [u, w])
xp.take(u, xp.argsort(w, kind="stable"))
xp.extract(u > w, u)
u[u >= np.uint64(2**63)]
xp.unique_counts(u)
xp.nan_to_num(u)
xp.round(u, 0)
xp.bitwise_count(u)
"""


def operands(seed, size):
    """Return numbers near powers of 2, of both signs, by the names that the calls have for them."""
    random = np.random.default_rng(seed)
    powers = random.choice([0, 2**31, 2**53, 2**59, 2**62, 2**63], (4, size)).astype(object)
    near = powers + random.integers(-2, 3, (4, size)).astype(object)
    near[:2] *= random.choice([-1, 1], (2, size))

    def within(dtype, numbers):
        info = np.iinfo(dtype)
        return np.array([min(max(number, info.min), info.max) for number in numbers], dtype)

    i, j = (within("int64", numbers) for numbers in near[:2])
    u, w = (within("uint64", numbers) for numbers in near[2:])
    k = random.integers(-3, 4, size).astype("int32")
    return {"i": i, "j": j, "u": u, "w": w, "k": k, "f": near[0].astype("float64")}


def listed(made):
    return list(made) if isinstance(made, tuple | list) else [made]


@pytest.mark.parametrize("text", [line for line in CALLS.splitlines() if line])
def test_wide_integers_are_compared_by_value(device, text):
    code = compile(text, text, "eval")
    for seed in range(4):
        hosts = operands(seed, 8 if seed % 2 else 24)
        arrays = {name: gpuarray.to_device(array) for name, array in hosts.items()}
        expected = listed(eval(code, {"xp": np, "np": np, **hosts}))
        made = listed(eval(code, {"xp": gpuarray, "np": np, **arrays}))
        for got, wanted in zip(made, expected, strict=True):
            wanted = np.asarray(wanted)
            got = host(got) if isinstance(got, gpuarray.GPUArray) else np.asarray(got)
            assert got.dtype == wanted.dtype
            np.testing.assert_array_equal(got, wanted)
