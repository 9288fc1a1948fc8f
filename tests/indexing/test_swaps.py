# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Swaps of views and shuffles of Python and NumPy, which are made of them, lose no element."""

import random
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import gpuarray

SHUFFLES = {
    "random.shuffle": random.shuffle,
    "random.Random": random.Random(1).shuffle,
    "numpy.random.shuffle": np.random.shuffle,
    "Generator": np.random.default_rng(1).shuffle,
    "RandomState": np.random.RandomState(1).shuffle,
}
SHAPES = [(50,), (50, 2)]


@pytest.fixture(params=SHAPES, ids=str)
def rows(request, device):
    return gpuarray.arange(np.prod(request.param)).reshape(request.param)


@pytest.mark.filterwarnings("ignore:you are shuffling:UserWarning")
@pytest.mark.parametrize("shuffle", SHUFFLES)
def test_shuffles(rows, shuffle):
    for part in (rows, rows[::-2], rows[:2]):
        before = part.tolist()
        for _ in range(3):
            SHUFFLES[shuffle](part)
            assert sorted(part.tolist()) == sorted(before)
    assert rows.tolist() != sorted(rows.tolist())


@pytest.mark.filterwarnings("ignore:you are shuffling:UserWarning")
def test_a_shuffle_is_pythons(rows):
    expected = rows.tolist()
    random.Random(7).shuffle(expected)
    random.Random(7).shuffle(rows)
    assert rows.tolist() == expected


def test_swaps(rows):
    host = rows.tolist()
    rows[0], rows[1] = rows[1], rows[0]
    host[0], host[1] = host[1], host[0]
    rows[-1], rows[1, ...] = rows[1], rows[-1]
    host[-1], host[1] = host[1], host[-1]
    rows[5], rows[6], rows[7] = rows[6], rows[7], rows[5]
    host[5], host[6], host[7] = host[6], host[7], host[5]
    other = rows.copy()
    rows[0], other[1] = other[1], rows[0]
    assert rows.tolist() == [host[1], *host[1:]]
    assert other.tolist() == [host[0], host[0], *host[2:]]


def test_swaps_between_threads(rows):
    expected = sorted(rows.tolist())

    def swap(first):
        for _ in range(200):
            rows[first], rows[first + 1] = rows[first + 1], rows[first]

    threads = [threading.Thread(target=swap, args=(2 * k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert rows.tolist() == expected


def test_double_swaps(rows):
    host = rows.tolist()
    rows[0], rows[1], rows[2], rows[3] = rows[2], rows[3], rows[0], rows[1]
    assert rows.tolist() == [host[2], host[3], host[0], host[1], *host[4:]]


def test_views_that_a_swap_does_not_take(device):
    for xp in (np, gpuarray):
        a, b, c = xp.arange(8.0), xp.zeros(2), xp.full(2, 100.0)
        a[0:2], b[:] = c[:], a[0:4:2]
        assert b.tolist() == [100, 2]
        a, b = xp.arange(9.0).reshape(3, 3), xp.full((2, 3), 7.0)
        a[:, 0], b[0] = b[1], a[0]
        assert b[0].tolist() == [7, 1, 2]
        a, b = xp.arange(9.0).reshape(3, 3), xp.zeros((2, 3))
        a[0], a[:], b[0] = a[1], 9.0, a[0]
        assert b[0].tolist() == [9, 9, 9]
        a[:2], a[2:] = a[2:], a[:2].copy()[:1]
        held = [a[0], a[1]]
        a[0] = held.pop()
        held[0][:] = 50
        a[1] = held.pop()
        assert a[1].tolist() == [50, 50, 50]


def test_views_end_on_other_threads(device):
    a = gpuarray.arange(50.0)
    for _ in range(20):
        held = [a[0]]
        thread = threading.Thread(target=held.clear)
        thread.start()
        thread.join()
        a[0] = a[1]
        a[3] = a[5]
        assert a[3].item() == 5


def test_what_a_swap_is_not(rows):
    host = rows.get()
    for a in (host, rows):
        a[0] = a[1]
        a[1] = a[0]  # of the elements that are there now
        a[2], a[3] = a[3].copy(), a[2].copy()
        a[[4, 5]] = a[[5, 4]]
        a[6], a[6] = a[6], a[6]
        a.flat[0], a.flat[1] = a.flat[1], a.flat[0]
        a[7], a[8] = a[8] + 0, a[7] + 0
        a[9], a[10] = a[11], a[12]
        a[13:13], a[14:14] = a[14:14], a[13:13]
        a[15] = a[16]
        a[17] = a[15]
        a[16] = a[17]
        last = a[-1].copy()
        for at in range(len(a) - 1, 0, -1):
            a[at] = a[at - 1]
        a[0] = last
    assert rows.tolist() == host.tolist()


def test_values_with_names_are_written(device):
    for a in (np.arange(6.0).reshape(3, 2), gpuarray.arange(6.0).reshape(3, 2)):
        first, second = a[0], a[1]
        a[0] = second
        first += 5
        a[1] = first
        assert a.tolist() == [[7, 8], [7, 8], [4, 5]]


def test_permutations_in_place(rows):
    order = np.random.default_rng(1).permutation(len(rows))
    host = rows.get()
    rows[:] = rows[order]
    assert rows.tolist() == host[order].tolist()


def test_views_outlive_the_thread_that_took_them(device):
    x = gpuarray.to_device(np.arange(400).reshape(40, 10))
    for count in (1, 3, 40):
        with ThreadPoolExecutor(1) as pool:
            rows = list(pool.map(lambda k: x[k], range(count)))
        assert rows[-1].tolist() == x[count - 1].tolist()
        del rows
