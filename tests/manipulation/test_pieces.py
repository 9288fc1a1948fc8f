# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""What is padded, tiled, repeated or joined of parts of arrays waits as a reader of memory."""

import numpy as np
import pytest
from _support import strategies
from _support.compare import assert_same
from _support.window_programs import VIEWS, bits, fusion, ran
from hypothesis import given
from hypothesis import strategies as st

import gpuarray
from gpuarray import _core

MODES = ["off", "auto", "always", "compiled", "replay", "adversary:{}"]
BORDERS = ["edge", "reflect", "symmetric", "wrap"]


def sample(shape, dtype="float32", seed=0):
    return np.random.default_rng(seed).integers(0, 99, shape).astype(dtype)


@st.composite
def arrays(draw):
    """Draw an array that has elements, and a view of it."""
    host = draw(strategies.arrays().filter(lambda a: a.ndim))
    view = draw(st.sampled_from(VIEWS).filter(lambda view: view(host).size))
    return host, view


@st.composite
def programs(draw):
    """Draw a function that copies pieces of an array of so many dimensions."""
    host, view = draw(arrays())
    shape = view(host).shape
    ndim = len(shape)
    kind = draw(st.sampled_from(["pad", "constant", "tile", "repeat", "parts"]))
    widths = [(draw(st.integers(0, 4)), draw(st.integers(0, 4))) for _ in shape]
    if kind == "constant":
        value = draw(st.sampled_from([0, 1, True]))
        return host, view, lambda xp, a: xp.pad(a, widths, constant_values=value)
    if kind == "pad":
        border = draw(st.sampled_from(BORDERS))
        return host, view, lambda xp, a: xp.pad(a, widths, border)
    if kind == "tile":
        counts = [draw(st.integers(0, 4)) for _ in range(draw(st.integers(1, ndim + 1)))]
        return host, view, lambda xp, a: xp.tile(a, counts)
    axis = draw(st.integers(0, ndim - 1))
    if kind == "repeat":
        count = draw(st.integers(0, 5))
        return host, view, lambda xp, a: xp.repeat(a, count, axis)
    bound = st.none() | st.integers(-6, 6)
    steps = st.sampled_from([1, 1, 1, -1, 2, -3])
    parts = [slice(draw(bound), draw(bound), draw(steps)) for _ in range(draw(st.integers(2, 4)))]
    before = (slice(None),) * axis
    return host, view, lambda xp, a: xp.concatenate([a[(*before, part)] for part in parts], axis)


@given(programs(), st.sampled_from(MODES), st.integers(0, 99))
def test_random_pieces(device, drawn, mode, seed):
    host, view, program = drawn
    x, host = view(gpuarray.to_device(host, device=device)), view(host)
    expected = program(np, host)
    with fusion(mode.format(seed)):
        for _ in range(2):
            read = program(gpuarray, x)
            both = gpuarray.where(read == read, read, 0)
            assert_same(read, expected)
            assert_same(both, np.where(expected == expected, expected, 0))


@st.composite
def joins(draw):
    """Draw arrays of one shape, a view of each, and a function that joins them or their parts."""
    host = draw(strategies.arrays().filter(lambda a: a.ndim))
    view = draw(st.sampled_from(VIEWS).filter(lambda view: view(host).ndim))
    hosts = [host, host[::-1].copy(), host.copy()][: draw(st.integers(2, 3))]
    axis = draw(st.integers(0, view(host).ndim - 1))
    name = draw(st.sampled_from(["concatenate", "stack", "vstack", "hstack", "append"]))
    bound = st.none() | st.integers(-3, 3)
    parts = [(*[slice(None)] * axis, slice(draw(bound), draw(bound))) for _ in hosts]

    def program(xp, arrays):
        if name in ("vstack", "hstack"):
            return getattr(xp, name)(arrays)
        if name == "stack":
            return xp.stack(arrays, axis=axis)
        arrays = [a[part] for a, part in zip(arrays, parts, strict=True)]
        return xp.append(*arrays[:2], axis) if name == "append" else xp.concatenate(arrays, axis)

    return hosts, view, program


@given(joins(), st.sampled_from(MODES), st.integers(0, 99))
def test_random_joins(device, drawn, mode, seed):
    hosts, view, program = drawn
    arrays = [view(gpuarray.to_device(host, device=device)) for host in hosts]
    expected = program(np, [view(host) for host in hosts])
    with fusion(mode.format(seed)):
        for _ in range(2):
            read = program(gpuarray, arrays)
            both = gpuarray.where(read == read, read, 0)
            assert_same(read, expected)
            assert_same(both, np.where(expected == expected, expected, 0))


def shifted(xp, u, axis, by, periodic):
    """The neighbours of elements, beyond the border those of the other one or the border itself."""
    before = (slice(None),) * axis
    inner = u[(*before, slice(1, None) if by > 0 else slice(None, -1))]
    first, last = u[(*before, slice(0, 1))], u[(*before, slice(-1, None))]
    border = first if (by > 0) == periodic else last
    return xp.concatenate([inner, border] if by > 0 else [border, inner], axis=axis)


def laplacian(xp, u, periodic):
    near = [shifted(xp, u, axis, by, periodic) for axis in (0, 1) for by in (1, -1)]
    return u + (near[0] + near[1] + near[2] + near[3] - 4 * u) * np.float32(0.25)


@pytest.mark.parametrize("periodic", [True, False], ids=["periodic", "reflecting"])
@pytest.mark.parametrize("shape", [(64, 64), (33, 65), (7, 300), (300, 7)], ids=str)
def test_stencils_of_parts_join(device, shape, periodic):
    host = sample(shape)
    u = gpuarray.to_device(host, device=device)
    for mode in ("always", "compiled"):
        result, windows, operations = ran(lambda u: laplacian(gpuarray, u, periodic), u, mode=mode)
        assert (windows, operations) == (1, 11)
        assert_same(result, laplacian(np, host, periodic))


@pytest.mark.parametrize(
    "program",
    [
        *(lambda xp, x, mode=mode: xp.pad(x, ((1, 2), (3, 0)), mode) * 2 + 1 for mode in BORDERS),
        lambda xp, x: xp.tile(x, (2, 3)) * 2 + 1,
        lambda xp, x: xp.repeat(x[:2], 5, 0) * 2 + 1,
        lambda xp, x: xp.concatenate([x[3:], x[::-1], x[:2]]) * 2 + 1,
        lambda xp, x: xp.concatenate([x[:, ::2], x[:, 1::2]], axis=1) * 2 + 1,
        lambda xp, x: xp.pad(x, 1) * 2 + 1,
        lambda xp, x: xp.pad(x, ((0, 3), (2, 0)), constant_values=-0.0) * 2 + 1,
        lambda xp, x: xp.pad(x, 2, constant_values=float("nan")) * 2 + 1,
    ],
)
def test_operations_on_pieces_join(device, program):
    host = sample((20, 30))
    x = gpuarray.to_device(host, device=device)
    for mode in ("always", "compiled"):
        result, windows, operations = ran(lambda x: program(gpuarray, x), x, mode=mode)
        assert (windows, operations) == (1, 3)
        assert_same(result, program(np, host))


@pytest.mark.parametrize(
    "program",
    [
        lambda xp, x, y, z: xp.concatenate([x, y]) * 2 + 1,
        lambda xp, x, y, z: xp.concatenate([x[:1], y, x[-1:]]) * 2 + 1,
        lambda xp, x, y, z: xp.concatenate([x[:, 3:], y, z], axis=1) * 2 + 1,
        lambda xp, x, y, z: xp.stack([x, y]) * 2 + 1,
        lambda xp, x, y, z: xp.stack([x, y, z], axis=1) * 2 + 1,
        lambda xp, x, y, z: xp.stack([z, y], axis=-1) * 2 + 1,
        lambda xp, x, y, z: xp.hstack((x, z)) * 2 + 1,
        lambda xp, x, y, z: xp.hstack((x[0], z[1])) * 2 + 1,
        lambda xp, x, y, z: xp.vstack([x, y[2:], z]) * 2 + 1,
        lambda xp, x, y, z: xp.vstack([x[0], y[0]]) * 2 + 1,
        lambda xp, x, y, z: xp.append(x, z, 0) * 2 + 1,
    ],
)
@pytest.mark.parametrize("dtype", ["float32", "uint8", "complex128", "float16", "bool"])
def test_operations_on_joined_arrays_join(device, program, dtype):
    hosts = [sample((20, 30), dtype, seed) for seed in range(3)]
    arrays = [gpuarray.to_device(host, device=device) for host in hosts]
    for mode in ("always", "compiled"):
        result, windows, operations = ran(lambda *a: program(gpuarray, *a), *arrays, mode=mode)
        assert (windows, operations) == (1, 3)
        assert_same(result, program(np, *hosts))


def test_borders_of_several_values_are_written(device):
    host = sample((6, 7))
    x = gpuarray.to_device(host, device=device)
    for values in ((1, 2), ((1, 2), (3, 4)), np.float32(7), [[5, 6]] * 2):
        result = ran(lambda x, v=values: gpuarray.pad(x, 2, constant_values=v) + 1, x)[0]
        assert_same(result, np.pad(host, 2, constant_values=values) + 1)
    with pytest.raises(OverflowError):
        ran(lambda: gpuarray.pad(gpuarray.zeros(5, "uint8", device=device), 1, constant_values=300))
    assert_same(gpuarray.pad(x, 0, constant_values=10**400), host)


def test_rolls_and_borders_join(device):
    host = sample((16, 48))
    x = gpuarray.to_device(host, device=device)

    def program(xp, x):
        beside = xp.concatenate([x[:, :1], x[:, :-1]], axis=1)
        turned = xp.concatenate([x[-1:], x[:-1]])
        return xp.roll(x, 5, 1) * 3 - beside + turned * xp.roll(x, (1, 2), (0, 1))

    for mode in ("always", "compiled", "replay", "adversary:3"):
        result, windows, _ = ran(lambda x: program(gpuarray, x), x, mode=mode)
        assert windows == 1 or mode.startswith(("replay", "adversary"))
        assert_same(result, program(np, host))


def test_what_is_pending_is_stored_before_its_pieces_are_read(device):
    host = sample((20, 30))
    x = gpuarray.to_device(host, device=device)

    def program(xp, x):
        y = x * x + 1
        return xp.concatenate([y[1:], y[:1]]) + x

    result, windows, _ = ran(lambda x: program(gpuarray, x), x)
    assert windows == 2
    assert_same(result, program(np, host))


def test_what_pieces_read_may_be_written_later(device):
    host = sample((20, 30))

    def program(xp, x):
        before = xp.pad(x, 2, "reflect") + 0
        beside = shifted(xp, x, 0, 1, periodic=False)
        x += 1
        after = xp.pad(x, 2, "edge")
        x[...] = x * 2 + beside
        return before * 100 + after

    for mode in ("always", "replay", "compiled", *(f"adversary:{seed}" for seed in range(5))):
        x, kept = gpuarray.to_device(host, device=device), host.copy()
        result = ran(lambda x: program(gpuarray, x), x, mode=mode)[0]
        assert_same(result, program(np, kept))
        assert_same(x, kept)


def test_memory_whose_pieces_are_read_serves_no_result(device):
    host = sample((600, 1024))
    for mode in ("always", *(f"adversary:{seed}" for seed in range(4))):
        with fusion(mode):
            x = gpuarray.to_device(host, device=device)
            for _ in range(3):
                y = shifted(gpuarray, x, 0, 1, periodic=False) + x
                del x
                x = y * 2 - 1
        expected = host
        for _ in range(3):
            expected = (shifted(np, expected, 0, 1, periodic=False) + expected) * 2 - 1
        assert_same(x, expected)


def test_sequences_of_pieces_are_learned(device):
    """In auto mode the parts of a loop wait once their kernels are there."""
    _core._forget_sequences()
    host = sample((256, 512)) / 8
    u = gpuarray.to_device(host.astype("float32"), device=device)

    def program(u):
        for _ in range(3):
            u = laplacian(gpuarray, u, periodic=False)
        return u

    with fusion("off"):
        expected = bits(program(u))
    operations = 0
    for _ in range(12):
        result, windows, operations = ran(program, u, mode="auto")
        assert bits(result) == expected
        _core._finish_compilations()
    assert (windows, operations) == (3, 33)


@pytest.mark.parametrize("columns", [2, 9, 33, 700])
def test_large_arrays_with_rows_of_any_length(device, columns):
    """They are cut into pieces, which may begin within a row."""
    host = sample((70_001, columns) if columns < 100 else (1501, columns))
    x = gpuarray.to_device(host, device=device)
    with fusion("off"):
        for border in BORDERS:
            assert_same(gpuarray.pad(x, 1, border), np.pad(host, 1, border))
        assert_same(gpuarray.pad(x, (3, 2)), np.pad(host, (3, 2)))
        assert_same(gpuarray.pad(x.T, 1), np.pad(host.T, 1))
        assert_same(gpuarray.concatenate([x, x[1:].copy()]), np.concatenate([host, host[1:]]))
        assert_same(gpuarray.tile(x, (1, 3)), np.tile(host, (1, 3)))
        assert_same(gpuarray.pad(x.T, 1, "edge"), np.pad(host.T, 1, "edge"))


def test_parts_of_other_arrays_are_joined_as_before(device):
    host = sample((6, 8))
    x = gpuarray.to_device(host, device=device)
    y = gpuarray.to_device(host, device=device)

    def parts(a, b):
        return [
            [a[:1], a[:1].astype("float64")],
            [a.T, a.T],
            [a[1:, :-1], a[:2, 1:]],
            [a[:0], a],
            [a[:1]] * 9,
        ]

    for mine, numpys in zip(parts(x, y), parts(host, host), strict=True):
        result = ran(lambda mine=mine: gpuarray.concatenate(mine))[0]
        assert_same(result, np.concatenate(numpys))
    with pytest.raises(ValueError, match="must match"):
        ran(lambda: gpuarray.concatenate([x[:, 1:], x]))
    with pytest.raises(ValueError, match="out of bounds"):
        ran(lambda: gpuarray.concatenate([x, x], axis=2))


@pytest.mark.parametrize(
    "axes",
    [
        [[(3, 0, 1)]],
        [[(3, 4, 1)], [(1, 0, 1)]],
        [[(3, 0, -1)], [(1, 0, 1)]],
        [[(-1, 0, 1)], [(1, 0, 1)]],
        [[(1, 0, 1)] * 2 + [(1, 3, 1)] * 2, [(1, 0, 1)]],
        [[(2**62, 0, 0)], [(1, 0, 1)]],
        [[(2, 0)], [(1, 0, 1)]],
        [[(2, 0, 2**62)], [(1, 0, 1)]],
    ],
    ids=str,
)
def test_pieces_that_an_array_lacks_are_refused(axes):
    with pytest.raises(ValueError, match="_read_pieces"):
        _core._read_pieces("pad", gpuarray.zeros((6, 2), device="cpu"), axes)


def test_stacked_arrays_have_one_shape(device):
    """Of any size, whether the operations may wait or not."""
    x = gpuarray.ones(1 << 18, "float32", device=device)
    for mode in ("off", "auto", "always"):
        with fusion(mode):
            for other, axis in ((x[None], 0), (x[None], 1), (x, None)):
                with pytest.raises((ValueError, TypeError)):
                    gpuarray.stack([x, other], axis=axis)
            got = gpuarray.vstack([x, x[None]])
            assert got.shape == (2, x.size) and got.sum().item() == 2 * x.size
