# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Element-wise operations over layouts out of the ordinary: what rows, tiles and vectors meet."""

import itertools

import numpy as np
import pytest
from _support import strategies as own
from _support.compare import Collector, assert_same
from _support.layouts import like, pair, permuted
from _support.samples import ordinary
from hypothesis import given
from hypothesis import strategies as st

import gpuarray

# Around the extent of a tile, 32 elements.
EXTENTS = (31, 32, 33, 65)
MIXED = [np.dtype(name) for name in ("bool", "int8", "uint16", "int32", "float32", "float64")]
LARGE = (1031, 1033)  # beyond 2^20 elements, where kernels are compiled for a layout


@pytest.mark.parametrize("shape", [(31, 33, 32), (65, 2, 33), (3, 65, 31), (2, 33, 3, 32)])
def test_every_permutation_of_axes(device, shape):
    cases = Collector()
    whole, on_device = pair("float32", shape)
    for axes in itertools.permutations(range(len(shape))):
        host, turned = permuted("float32", shape, axes, seed=1)
        cases.check(axes, lambda a, b: assert_same(a + on_device, b + whole), turned, host)
        cases.check(axes, lambda a, b: assert_same(on_device - a, whole - b), turned, host)
        cases.check(axes, lambda a, b: assert_same(a.copy(order="C"), b), turned, host)
    cases.finish()


@pytest.mark.parametrize("dtype", ["int8", "float16", "float64", "complex128"])
@pytest.mark.parametrize("rows", EXTENTS)
def test_transposed_operands_around_the_tile(device, rows, dtype):
    for columns in EXTENTS:
        a, x = pair(dtype, (rows, columns))
        b, y = pair(dtype, (columns, rows), seed=1)
        assert_same(x + y.T, a + b.T)
        assert_same(y.T + x, b.T + a)
        assert_same(x.T + y.T[:, :].T, a.T + b)
        assert_same(x[:, 1:-1] + y.T[:, 1:-1], a[:, 1:-1] + b.T[:, 1:-1])
        assert_same(x[1:, ::-1] + y[::-1, 1:].T, a[1:, ::-1] + b[::-1, 1:].T)


@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "complex64", "complex128"])
@pytest.mark.parametrize("shape", [(8, 9), (3, 70, 37), (2, 129, 3, 40), (5, 150, 700), (600, 531)])
def test_transposed_copies(device, shape, dtype):
    a, x = pair(dtype, shape)
    last = (*range(1, len(shape)), 0), (0, *range(len(shape) - 1, 0, -1))
    for axes in last:
        assert_same(x.transpose(axes).copy("C"), a.transpose(axes))
        assert_same(x[..., 1:].transpose(axes).copy("C"), a[..., 1:].transpose(axes))
        assert_same(x[..., 1:, :-1].transpose(axes).copy("C"), a[..., 1:, :-1].transpose(axes))
    target = np.zeros_like(a)
    on_device = gpuarray.to_device(target)
    turned = np.ascontiguousarray(a.swapaxes(-1, -2))
    target[..., 1:, 2:] = turned.swapaxes(-1, -2)[..., 1:, 2:]
    on_device[..., 1:, 2:] = gpuarray.to_device(turned).swapaxes(-1, -2)[..., 1:, 2:]
    assert_same(on_device, target)


@pytest.mark.parametrize("dtype", ["uint8", "float16", "float64"])
@pytest.mark.parametrize("shape", [(8, 130), (3, 70, 37), (2, 129, 3, 40), (5, 450, 700)])
def test_operations_on_transposed_operands(device, shape, dtype):
    a, x = pair(dtype, shape)
    b, y = a.T.copy(), x.T.copy()
    c, z = pair("float32", shape[::-1], seed=1)
    assert_same(y[..., ::-1] > x.T, b[..., ::-1] > a.T)
    assert_same(x.T + z, a.T + c)
    assert_same(
        gpuarray.where(x.T[1:] > y[1:, ..., :1], x.T[1:], z[1:]),
        np.where(a.T[1:] > b[1:, ..., :1], a.T[1:], c[1:]),
    )
    y += x.T
    b += a.T
    x[..., :-1] += x[..., 1:].T.copy().T
    a[..., :-1] += a[..., 1:].T.copy().T
    assert_same(y, b)
    assert_same(x, a)


@pytest.mark.parametrize("dtype", ["uint8", "float32", "complex128"])
@pytest.mark.parametrize("shape", [(1, 7), (33, 64), (64, 33), (300, 5), (5, 300), (7, 1030)])
def test_broadcast_rows_and_columns(device, shape, dtype):
    a, x = pair(dtype, shape)
    row, on_row = pair(dtype, shape[1:], seed=1)
    column, on_column = pair(dtype, (shape[0], 1), seed=2)
    assert_same(x + on_row, a + row)
    assert_same(on_row + x, row + a)
    assert_same(gpuarray.maximum(x, on_column), np.maximum(a, column))
    assert_same(on_row + on_column, row + column)
    assert_same(gpuarray.broadcast_to(on_column, shape).copy(), np.broadcast_to(column, shape))
    assert_same(x.T + on_column.T, a.T + column.T)
    if shape[1] > 1:
        assert_same(x[:, 1:] + on_row[:-1], a[:, 1:] + row[:-1])
        assert_same(x[:, ::-1] + on_row[:1], a[:, ::-1] + row[:1])


@pytest.mark.parametrize("dtype", ["int8", "int16", "float32", "float64", "complex128"])
def test_misaligned_starts_and_tails(device, dtype):
    a, x = pair(dtype, 4133)
    b, y = pair(dtype, 4133, seed=1)
    for start, other, size in itertools.product(
        (0, 1, 3, 16), (0, 1, 5), (1, 2, 15, 17, 1023, 4097)
    ):
        first, second = slice(start, start + size), slice(other, other + size)
        assert_same(x[first] + y[second], a[first] + b[second])
        out, on_device = np.zeros(size + 9, dtype), gpuarray.zeros(size + 9, dtype)
        np.add(a[first], b[second], out=out[other : other + size])
        gpuarray.add(x[first], y[second], out=on_device[other : other + size])
        assert_same(on_device, out)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "float16", "float32"])
def test_copies_of_misaligned_rows(device, dtype):
    cases = Collector()
    source, x = pair(dtype, (9, 5, 613))

    for start, other, size in itertools.product((0, 1, 3, 16), (0, 1, 5, 15), (65, 127, 128, 597)):
        if max(start, other) + size > 613:
            continue
        for rows in (slice(None), slice(None, None, -2), slice(4, 5)):
            taken = (rows, slice(1, 4), slice(start, start + size))
            target = (slice(None), slice(None), slice(other, other + size))
            shape = (*source[taken].shape[:2], 613)
            host, on_device = np.ones(shape, dtype), gpuarray.ones(shape, dtype)
            host[target] = source[taken]
            on_device[target] = x[taken]
            cases.check((start, other, size, rows), assert_same, on_device, host)
    flat, on_flat = source.ravel(), x.ravel()
    for shift in (1, 7, 16, -3, 700):
        cases.check(shift, assert_same, gpuarray.roll(on_flat, shift), np.roll(flat, shift))
        rolled = np.roll(source, shift, (0, 2))
        cases.check(shift, assert_same, gpuarray.roll(x, shift, (0, 2)), rolled)
    wide = (4, 9, 613)
    for k in (0, 3):
        row = (slice(None), slice(k, k + 1), slice(k, 600))  # repeated, and overwritten in part
        host, on_device = np.zeros(wide, dtype), gpuarray.zeros(wide, dtype)
        host[..., k:600] = source[row][:4]
        on_device[..., k:600] = x[row][:4]
        cases.check(k, assert_same, on_device, host)
        host[..., : 300 - k] = host[..., 301 : 601 - k].copy()
        on_device[..., : 300 - k] = on_device[..., 301 : 601 - k]
        cases.check(k, assert_same, on_device, host)
    cases.finish()


@pytest.mark.parametrize("step", [2, 3, 7, -1, -2, -5])
def test_steps(device, step):
    for dtype in ("uint8", "float32", "complex128"):
        a, x = pair(dtype, 3001)
        assert_same(x[::step] + x[::step], a[::step] + a[::step])
        assert_same(x[::step] + x[: a[::step].size], a[::step] + a[: a[::step].size])
        m, d = pair(dtype, (67, 71))
        assert_same(d[::step] + d[::step], m[::step] + m[::step])
        assert_same(d[:, ::step] + d[:, ::step], m[:, ::step] + m[:, ::step])
        d[:, ::step] += 1
        m[:, ::step] += np.asarray(1, dtype)
        assert_same(d, m)


@st.composite
def layouts(draw):
    """A shape and, for two operands, host arrays that broadcast to it, in any order of axes."""
    side = st.sampled_from([1, 2, 3, 5, 16, 17, 31, 32, 33])
    shape = tuple(draw(st.lists(side, min_size=1, max_size=4).filter(lambda s: np.prod(s) < 50000)))
    operands = []
    for seed in range(2):
        dtype = draw(st.sampled_from(MIXED))
        axes = draw(st.permutations(range(len(shape))))
        steps = [draw(st.sampled_from([1, 1, 1, 2, -1, -3])) for _ in shape]
        starts = [draw(st.sampled_from([0, 0, 1, 3])) for _ in shape]
        spread = draw(st.lists(st.booleans(), min_size=len(shape), max_size=len(shape)))
        extents = [1 if wide else n for wide, n in zip(spread, shape, strict=True)]
        base = [n * abs(k) + at for n, k, at in zip(extents, steps, starts, strict=True)]
        memory = ordinary(dtype, [base[axis] for axis in axes], seed)
        where = tuple(
            slice(at, None, k) if k > 0 else slice(None, at - 1 if at else None, k)
            for at, k in zip(starts, steps, strict=True)
        )
        cut = tuple(slice(0, n) for n in extents)
        operands.append((memory, np.argsort(axes).tolist(), where, cut))
    return shape, operands


@given(layouts())
def test_any_layouts(device, case):
    shape, operands = case
    host = [m.transpose(axes)[where][cut] for m, axes, where, cut in operands]
    ours = [gpuarray.to_device(m).transpose(axes)[where][cut] for m, axes, where, cut in operands]
    assert_same(ours[0] + ours[1], host[0] + host[1])
    target, out = np.ones(shape, np.complex128), gpuarray.ones(shape, np.complex128)
    np.multiply(host[0], host[1], out=target)
    gpuarray.multiply(ours[0], ours[1], out=out)
    assert_same(out, target)
    target.T[...] = host[0].T
    out.T[...] = ours[0].T
    assert_same(out, target)


@given(own.arrays(dtype=np.dtype("float32")), st.data())
def test_views_of_one_array(device, values, data):
    a, x = data.draw(own.views((values, like(values))))
    assert_same(x + x, a + a)
    assert_same(x * 2, a * np.float32(2))


def test_large_layouts(device):
    a, x = pair("int32", LARGE)
    b, y = permuted("int32", LARGE, (1, 0), seed=1)
    assert_same(x + y, a + b)
    assert_same(x[1:, 3:] - y[1:, 3:], a[1:, 3:] - b[1:, 3:])
    assert_same(x[::-1] ^ y[:, ::-1], a[::-1] ^ b[:, ::-1])
    assert_same(x + y[:1], a + b[:1])
    assert_same(y.copy(order="C"), b)
    assert_same(gpuarray.where(y > 0, x, 7), np.where(b > 0, a, 7).astype(np.int32))
    x[...] = y
    assert_same(x, b)
