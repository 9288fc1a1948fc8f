# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""A roll waits as a reader of memory: it is computed with what reads it, to the same bits."""

import itertools

import numpy as np
import pytest
from _support import strategies
from _support.compare import assert_same
from _support.window_programs import VIEWS, bits, fusion, ran
from hypothesis import given
from hypothesis import strategies as st

import gpuarray
from gpuarray import _core

MODES = ["off", "auto", "always", "replay", "adversary:{}"]


def sample(shape, dtype="float32", seed=0):
    return np.random.default_rng(seed).integers(0, 9, shape).astype(dtype)


def laplacian(xp, u):
    near = xp.roll(u, 1, 0) + xp.roll(u, -1, 0) + xp.roll(u, 1, 1) + xp.roll(u, -1, 1)
    return u + (near - 4 * u) * np.float32(0.25)


@st.composite
def rolls(draw):
    """Draw an array, a view of it, and shifts along some axes."""
    host = draw(strategies.arrays())
    view = draw(st.sampled_from(VIEWS if host.ndim else VIEWS[:2]))
    ndim = view(host).ndim
    axes = draw(st.lists(st.integers(-ndim, ndim - 1), max_size=4)) if ndim else []
    shifts = [draw(st.integers(-12, 12)) for _ in axes]
    return host, view, tuple(shifts), tuple(axes)


@given(rolls(), st.sampled_from(MODES), st.integers(0, 99))
def test_random_rolls(device, drawn, mode, seed):
    host, view, shifts, axes = drawn
    x, host = view(gpuarray.to_device(host, device=device)), view(host)
    expected = np.roll(host, shifts, axes) if axes else host.copy()
    with fusion(mode.format(seed)):
        rolled = gpuarray.roll(x, shifts, axes) if axes else x.copy()
        both = gpuarray.where(rolled == x, rolled, x)
        flat = gpuarray.roll(x, 3)
        assert_same(rolled, expected)
        assert_same(both, np.where(expected == host, expected, host))
        assert_same(flat, np.roll(host, 3))


@st.composite
def stencils(draw):
    """Draw sums of several rolls of several arrays, of some of which elements broadcast."""
    shape = draw(st.sampled_from([(6,), (1,), (2000,), (5, 8), (40, 48), (3, 1, 7), (2, 3, 4, 5)]))
    dtype = draw(st.sampled_from(["float32", "float64", "uint8", "int16", "complex64", "float16"]))
    ndim = len(shape)
    terms = [
        (draw(st.integers(0, 1)), tuple(draw(st.integers(-9, 9)) for _ in shape))
        for _ in range(draw(st.integers(1, 6)))
    ]
    return [sample(shape, dtype), sample(shape[-1:] * (ndim > 1) or shape, dtype, 1)], terms


@given(stencils(), st.sampled_from(["always", "compiled", "replay", "adversary:{}"]))
def test_random_stencils(device, drawn, mode):
    hosts, terms = drawn
    shape = hosts[0].shape

    def program(xp, arrays):
        arrays = [arrays[0], xp.broadcast_to(arrays[1], shape)]
        axes = tuple(range(len(shape)))
        made = arrays[0]
        for k, shifts in terms:
            made = made * 2 - xp.roll(arrays[k], shifts, axes)
        arrays[0][...] = made
        return xp.roll(arrays[0], 1, 0) + made

    found = []
    for each in ("off", mode.format(len(terms))):
        arrays = [gpuarray.to_device(host, device=device) for host in hosts]
        with fusion(each):
            found.append((bits(program(gpuarray, arrays)), bits(arrays[0])))
    assert found[0] == found[1]


@pytest.mark.parametrize("shape", [(64, 64), (33, 65), (7, 300), (300, 7)], ids=str)
def test_rolls_join(device, shape):
    host = sample(shape)
    u = gpuarray.to_device(host, device=device)
    result, windows, operations = ran(lambda u: laplacian(gpuarray, u), u)
    assert (windows, operations) == (1, 11)
    assert_same(result, laplacian(np, host))


def test_several_axes_and_a_flattened_array(device):
    host = sample((6, 8, 10))
    x = gpuarray.to_device(host, device=device)
    result, windows, operations = ran(
        lambda x: gpuarray.roll(x, (1, -2, 5), (0, 1, 2)) + gpuarray.roll(x, 3, (0, 2)) * x, x
    )
    assert (windows, operations) == (1, 4)
    expected = np.roll(host, (1, -2, 5), (0, 1, 2)) + np.roll(host, 3, (0, 2)) * host
    assert_same(result, expected)
    result, windows, _ = ran(lambda x: (gpuarray.roll(x, 7) + 1) * 2, x)
    assert_same(result, (np.roll(host, 7) + 1) * 2)


@pytest.mark.parametrize("view", [lambda a: a[:, ::-1], lambda a: a[::-1]], ids=["columns", "rows"])
def test_views_that_are_reversed_join(device, view):
    host = sample((40, 40))
    x = gpuarray.to_device(host, device=device)
    result, windows, operations = ran(lambda x: gpuarray.roll(view(x), 3, 0) + x * 2, x)
    assert (windows, operations) == (1, 3)
    assert_same(result, np.roll(view(host), 3, 0) + host * 2)


@pytest.mark.parametrize(("axes", "count"), [(4, 13), (5, 10), (2, 13)])
def test_many_rolls_are_as_few_groups_as_their_kernels_have_room_for(device, axes, count):
    host = sample((7, 6, 5, 4, 3)[:axes])
    x = gpuarray.to_device(host, device=device)

    def program(xp, x):
        total = x
        for shift in range(count):
            total = total + xp.roll(x, (1 + shift // 4, shift % 4), (0, 1))
        return total

    result, windows, _ = ran(lambda x: program(gpuarray, x), x)
    assert windows == (2 if axes > 2 else 1)
    assert_same(result, program(np, host))


def test_what_is_pending_is_stored_before_it_is_rolled(device):
    host = sample((20, 30))
    x = gpuarray.to_device(host, device=device)
    result, windows, _ = ran(lambda x: gpuarray.roll(x * x + 1, 1, 1) + x, x)
    assert windows == 2
    assert_same(result, np.roll(host * host + 1, 1, 1) + host)
    result, windows, _ = ran(lambda x: gpuarray.roll(gpuarray.roll(x, 1, 0), 2, 1), x)
    assert windows == 2
    assert_same(result, np.roll(host, (1, 2), (0, 1)))


def test_what_is_rolled_may_be_written_later(device):
    host = sample((20, 30))

    def program(xp, x):
        before = xp.roll(x, 1, 0) + 0
        x += 1
        after = xp.roll(x, 1, 0)
        x[...] = x * 2
        x[1:] -= 1
        return before * 100 + after

    for mode in ("always", "replay", "compiled", *(f"adversary:{seed}" for seed in range(5))):
        x, kept = gpuarray.to_device(host, device=device), host.copy()
        result = ran(lambda x: program(gpuarray, x), x, mode=mode)[0]
        assert_same(result, program(np, kept))
        assert_same(x, kept)


def test_memory_that_is_rolled_serves_no_result(device):
    """The array dies while a roll of it waits: no later result may lie where it is read."""
    host = sample((600, 1024))
    for mode in ("always", *(f"adversary:{seed}" for seed in range(4))):
        with fusion(mode):
            x = gpuarray.to_device(host, device=device)
            for _ in range(3):
                y = gpuarray.roll(x, 1, 0) + x
                del x
                x = y * 2 - 1
                x = x + gpuarray.roll(x, -1, 1)
        expected = host
        for _ in range(3):
            expected = (np.roll(expected, 1, 0) + expected) * 2 - 1
            expected = expected + np.roll(expected, -1, 1)
        assert_same(x, expected)


def test_many_rolls_fill_a_window(device):
    host = sample((17, 19), "int64")
    x = gpuarray.to_device(host, device=device)

    def program(xp, x):
        made = x * 0
        for shift in itertools.product(range(-3, 4), range(-3, 4)):
            made = made * 3 + xp.roll(x, shift, (0, 1))
        return made

    result, windows, _ = ran(lambda x: program(gpuarray, x), x, mode="compiled")
    assert windows > 1
    assert_same(result, program(np, host))


def test_sequences_of_rolls_are_learned(device):
    """In auto mode the rolls of a loop wait once their kernels are there."""
    _core._forget_sequences()
    host = sample((256, 512)) / 8
    u = gpuarray.to_device(host.astype("float32"), device=device)

    def program(u):
        for _ in range(3):
            u = laplacian(gpuarray, u)
        return u

    with fusion("off"):
        expected = bits(program(u))
    operations = 0
    for _ in range(12):
        result, windows, operations = ran(program, u, mode="auto")
        assert bits(result) == expected
        _core._finish_compilations()
    assert (windows, operations) == (3, 33)


def test_shifts_of_any_size(device):
    host = sample((5, 6))
    x = gpuarray.to_device(host, device=device)
    for shift in (10**30, -(10**30) - 1, np.int64(7), np.array(2), True):
        assert_same(gpuarray.roll(x, shift, 1), np.roll(host, int(shift) % 6, 1))


def test_flips_join(device):
    host = sample((30, 40))
    x = gpuarray.to_device(host, device=device)

    def program(xp, x):
        return xp.flip(x, 1) * 2 + xp.flip(x, 0) - xp.flip(x) + xp.roll(xp.fliplr(x), 1, 1)

    result, windows, operations = ran(lambda x: program(gpuarray, x), x)
    assert (windows, operations) == (1, 5)
    assert_same(result, program(np, host))
    for mode in ("compiled", "replay", "adversary:1"):
        assert_same(ran(lambda x: program(gpuarray, x), x, mode=mode)[0], program(np, host))


@pytest.mark.parametrize("columns", [2, 9, 10, 33, 700])
def test_large_arrays_with_rows_of_any_length(device, columns):
    """They are cut into pieces, which may begin within a row."""
    host = sample((70_001, columns) if columns < 100 else (1501, columns))
    x = gpuarray.to_device(host, device=device)
    with fusion("off"):
        for shift, axis in [(1, 1), (-3, 0), ((5, 7), (0, 1)), (11, None)]:
            assert_same(gpuarray.roll(x, shift, axis), np.roll(host, shift, axis))
        assert_same(gpuarray.roll(x.T, 1, 0), np.roll(host.T, 1, 0))
