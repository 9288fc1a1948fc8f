# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Swaps and shuffles by assignment: elements are values, rows are views, both as in NumPy."""

import random

import numpy as np
import pytest

import gpuarray

SHAPES = [(50,), (50, 2)]
STATEMENTS = """
a[0], a[1] = a[1], a[0]
a[-1], a[1, ...] = a[1], a[-1]
a[5], a[6], a[7] = a[6], a[7], a[5]
a[0], a[1], a[2], a[3] = a[2], a[3], a[0], a[1]
a[0], b[1] = b[1], a[0]
a[2:4], a[4:6] = a[4:6], a[2:4]
a[2], a[3] = a[3].copy(), a[2].copy()
a[7], a[8] = a[8] + 0, a[7] + 0
a[[4, 5]] = a[[5, 4]]
a[6], a[6] = a[6], a[6]
a[9], a[10] = a[11], a[12]
a[13:13], a[14:14] = a[14:14], a[13:13]
a.flat[0], a.flat[1] = a.flat[1], a.flat[0]
a[0], a[:], b[0] = a[1], 9, a[0]
a[15] = a[16]; a[17] = a[15]; a[16] = a[17]
x, y = a[0], a[1]; a[0], a[1] = y, x
x = [a[0], a[1]]; a[0] = x.pop(); a[1] = x.pop()
for i in range(len(a) - 1, 0, -1): a[i], a[i // 2] = a[i // 2], a[i]
""".strip().splitlines()


@pytest.fixture(params=SHAPES, ids=str)
def host(request):
    return np.arange(np.prod(request.param)).reshape(request.param)


@pytest.mark.parametrize("statement", STATEMENTS)
def test_swaps_are_numpys(device, host, statement):
    found = []
    for up in (np.copy, gpuarray.to_device):
        arrays = {"a": up(host), "b": up(host + 100)}
        exec(statement, dict(arrays))
        found.append({name: array.tolist() for name, array in arrays.items()})
    assert found[1] == found[0]


def test_a_swap_of_elements_keeps_both_and_of_rows_the_second(device):
    a = gpuarray.arange(3)
    a[0], a[1] = a[1], a[0]
    assert a.tolist() == [1, 0, 2]
    rows = gpuarray.arange(6).reshape(3, 2)
    rows[0], rows[1] = rows[1], rows[0]
    assert rows.tolist() == [[2, 3], [2, 3], [4, 5]]
    rows[[0, 2]] = rows[[2, 0]]
    assert rows.tolist() == [[4, 5], [2, 3], [2, 3]]


def test_references_do_not_change_an_assignment(device):
    def swap_values(a):
        a[0], a[1] = a[1], a[0]

    def swap_names(a):
        first, second = a[0], a[1]
        a[0], a[1] = second, first

    def swap_members(a):
        views = [a[0], a[1]]
        a[0] = views.pop()
        a[1] = views.pop()

    found = []
    for swap in (swap_values, swap_names, swap_members):
        rows = gpuarray.arange(6).reshape(3, 2)
        swap(rows)
        found.append(rows.tolist())
    assert found == [found[0]] * 3


def test_a_shuffle_of_python_does_as_with_numpy(device, host):
    for part in (slice(None), slice(None, None, -2), slice(2)):
        a, expected = gpuarray.to_device(host), host.copy()
        for _ in range(3):
            random.Random(7).shuffle(expected[part])
            random.Random(7).shuffle(a[part])
        assert a.tolist() == expected.tolist()


def test_a_shuffle_of_python_keeps_elements(device):
    a = gpuarray.arange(50)
    random.Random(7).shuffle(a)
    assert a.tolist() != list(range(50))
    assert sorted(a.tolist()) == list(range(50))


@pytest.mark.parametrize(
    "shuffle",
    [np.random.shuffle, np.random.RandomState(1).shuffle, np.random.default_rng(1).shuffle],
    ids=["module", "RandomState", "Generator"],
)
def test_a_shuffle_of_numpy_warns_and_keeps_elements(device, shuffle):
    for a in (gpuarray.arange(50), gpuarray.arange(50)[::-2]):
        before = a.tolist()
        with pytest.warns(UserWarning, match="you are shuffling"):
            shuffle(a)
        assert a.tolist() != before
        assert sorted(a.tolist()) == sorted(before)


def test_a_shuffle_of_numpy_warns_of_rows(device):
    with pytest.warns(UserWarning, match="duplicates"):
        np.random.default_rng(1).shuffle(gpuarray.arange(100).reshape(50, 2))


def test_permutations_in_place(device, host):
    a, order = gpuarray.to_device(host), np.random.default_rng(1).permutation(len(host))
    a[:] = a[order]
    assert a.tolist() == host[order].tolist()
    gpuarray.random.shuffle(a)
    assert sorted(a.tolist()) == host.tolist()
