# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""insert and delete by numbers, slices, lists and masks, against NumPy."""

import itertools

import numpy as np
import pytest
from _support.numpy_names import check

import gpuarray

ROW = np.arange(1, 5)
MATRIX = np.arange(12).reshape(3, 4)

PLACES = [0, 2, -1, 4, -4, 5, -5, np.int8(2), np.array(3), [], [1], [1, 1], [3, 1], [-1, 4], [5]]
PLACES += [[-5], np.array([0, 2]), np.array([-1]), [[1, 2]], [[1]], "a", np.array(["a"])]
PLACES += [np.array([True, False, True, False]), np.array([True, False]), np.array([True])]
PLACES += [
    slice(*bounds) for bounds in itertools.product((None, 1, -3), (None, 2, 9), (None, 2, -1))
]
PLACES += [slice(9, 20), slice(2, 1)]


@pytest.mark.parametrize("place", PLACES, ids=repr)
def test_insert(device, place):
    for count in (1, 2, 3, 4):
        given = np.arange(7, 7 + count)
        check(lambda xp, a, given: xp.insert(a, place, given), ROW, given)
    check(lambda xp, a: xp.insert(a, place, 9), ROW)
    check(lambda xp, a, given: xp.insert(a, place, given, axis=1), MATRIX, np.arange(3)[:, None])
    check(lambda xp, a, given: xp.insert(a, place, given, axis=0), MATRIX, np.arange(4.0))


@pytest.mark.parametrize("place", PLACES, ids=repr)
def test_delete(device, place):
    check(lambda xp, a: xp.delete(a, place), ROW)
    check(lambda xp, a: xp.delete(a, place, axis=1), MATRIX)
    check(lambda xp, a: xp.delete(a, place, axis=0), MATRIX)
    check(lambda xp, a: xp.delete(a, place), np.zeros(0))


EDITS = [lambda xp, a, at: xp.delete(a, at), lambda xp, a, at: xp.insert(a, at, 9)]


@pytest.mark.parametrize("edit", EDITS, ids=["delete", "insert"])
def test_places_on_another_device(device, edit):
    x = gpuarray.to_device(ROW)
    for host in (np.array([1, 3]), np.array([-1, 0, 2]), np.array([False, True, True, False])):
        expected = edit(np, ROW, host)
        there = gpuarray.to_device(host, device="cpu")
        np.testing.assert_array_equal(edit(gpuarray, x, there).get(), expected)
        here = gpuarray.to_device(host)
        with gpuarray.device("cpu"):
            np.testing.assert_array_equal(edit(gpuarray, x, here).get(), expected)


@pytest.mark.parametrize("edit", EDITS, ids=["delete", "insert"])
def test_places_that_are_no_integers(device, edit):
    x = gpuarray.to_device(ROW)
    for dtype in ("float32", "float64"):
        with pytest.raises((IndexError, TypeError), match=f"expected integers.*got {dtype}"):
            edit(gpuarray, x, gpuarray.zeros(0, dtype))


@pytest.mark.parametrize("edit", EDITS, ids=["delete", "insert"])
def test_few_places_take_no_indices_of_the_others(device, edit):
    x = gpuarray.ones(1 << 22, "uint8")
    expected = edit(np, np.ones(1 << 22, "uint8"), [5, 1000, -1])
    with gpuarray.memory_profile() as profile:
        made = edit(gpuarray, x, [5, 1000, -1])
    np.testing.assert_array_equal(made.get(), expected)
    assert profile.allocated_bytes < 5 << 20


@pytest.mark.parametrize("edit", EDITS, ids=["delete", "insert"])
def test_many_places(device, edit):
    rng = np.random.default_rng(5)
    host, at = rng.integers(0, 9, 5000), np.unique(rng.integers(0, 5000, 100))
    expected = edit(np, host, at)
    np.testing.assert_array_equal(edit(gpuarray, gpuarray.to_device(host), at).get(), expected)


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
def test_values_inserted_at_places_of_the_device(device, axis):
    rng = np.random.default_rng(6)
    host = rng.integers(0, 9, (40, 50))
    at = rng.integers(-40, 41, 100)  # some of them several times, in no order
    for shape in [(), (100,) if axis is None else (100, 50) if axis == 0 else (40, 100)]:
        given = rng.integers(100, 999, shape)
        expected = np.insert(host, at, given, axis)
        x, values = gpuarray.to_device(host), gpuarray.to_device(given)
        for places in (at, gpuarray.to_device(at)):
            np.testing.assert_array_equal(gpuarray.insert(x, places, values, axis).get(), expected)
    with pytest.raises(ValueError, match="99"):
        gpuarray.insert(x, gpuarray.to_device(at), gpuarray.zeros(99, int), None)


@pytest.mark.cuda
@pytest.mark.parametrize("edit", EDITS, ids=["delete", "insert"])
@pytest.mark.parametrize("place", [[1, 3], slice(None, None, 2)], ids=repr)
def test_places_on_the_host_can_be_captured(cuda, edit, place):
    host = np.arange(200)  # of which the slice selects many
    x = gpuarray.to_device(host, device=cuda)
    with gpuarray.capture() as graph:
        made = edit(gpuarray, x, place)
    x[...] = gpuarray.to_device(host[::-1], device=cuda)
    graph.launch()
    np.testing.assert_array_equal(made.get(), edit(np, host[::-1], place))
