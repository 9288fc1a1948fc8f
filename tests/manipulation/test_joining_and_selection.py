# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""concatenate, stack, where, clip, maximum and minimum as functions."""

import numpy as np
import pytest
from _support import layouts
from _support.compare import Collector, assert_same
from _support.dtypes import DTYPES, PAIRS, promote
from _support.samples import few, ordinary, special
from _support.tables import BY_NAME
from hypothesis import given, settings
from hypothesis import strategies as st

import gpuarray


def on_device(hosts):
    return [gpuarray.to_device(host) for host in hosts]


@pytest.mark.parametrize("axis", [0, 1, 2, -1, None])
def test_concatenate(device, axis):
    shapes = [(2, 3, 4)] * 3
    if axis is not None:
        shapes = [
            tuple(n + i * (k == axis % 3) for k, n in enumerate(s)) for i, s in enumerate(shapes)
        ]
    hosts = [ordinary(np.float32, shape, seed) for seed, shape in enumerate(shapes)]
    got = gpuarray.concatenate(on_device(hosts), axis=axis)
    assert_same(got, np.concatenate(hosts, axis=axis))


def test_concatenate_promotes_every_pair(device):
    cases = Collector()
    for a, b in PAIRS:
        x, y = few(a), few(b)
        dtype = promote(a, b)

        def check(x=x, y=y, dtype=dtype):
            got = gpuarray.concatenate(on_device([x, y]))
            expected = [gpuarray.to_device(v).astype(dtype).get() for v in (x, y)]
            assert_same(got, np.concatenate(expected))

        cases.check(f"{a}, {b}", check)
    cases.finish()


def test_concatenate_views_and_empty_parts(device):
    host = np.arange(24).reshape(4, 6)
    x = gpuarray.to_device(host)
    parts = [np.s_[::-1], np.s_[:0], np.s_[::2], np.s_[1:2]]
    got = gpuarray.concatenate([x[part] for part in parts])
    assert_same(got, np.concatenate([host[part] for part in parts]))
    got = gpuarray.concatenate((x.T, x.T[:, ::2]), axis=1)
    assert_same(got, np.concatenate((host.T, host.T[:, ::2]), axis=1))


def test_concatenate_into_out(device):
    hosts = [np.ones((2, 2)), np.zeros((1, 2))]
    out = gpuarray.empty((3, 2), np.float32)
    assert gpuarray.concatenate(on_device(hosts), out=out) is out
    assert_same(out, np.concatenate(hosts).astype(np.float32))
    assert gpuarray.concatenate(on_device(hosts), dtype=np.complex64).dtype == np.complex64


@pytest.mark.parametrize(
    ("shapes", "axis", "error", "message"),
    [
        ([], 0, ValueError, "at least one array"),
        ([(2, 3), (2, 4)], 0, ValueError, r"match.*\(2, 3\).*\(2, 4\)"),
        ([(2, 3), (3,)], 0, ValueError, "dimension"),
        ([(), ()], 0, ValueError, "zero-dimensional"),
        ([(2, 3), (2, 3)], 2, np.exceptions.AxisError, "axis 2 is out of bounds"),
    ],
    ids=str,
)
def test_concatenate_errors(device, shapes, axis, error, message):
    with pytest.raises(error, match=message):
        gpuarray.concatenate([gpuarray.zeros(shape) for shape in shapes], axis=axis)


@given(
    data=st.data(),
    dtype=st.sampled_from(["int8", "float16", "int32", "float64", "complex128"]),
    count=st.integers(1, 40),
    axis=st.integers(0, 2),
)
@settings(max_examples=25)
def test_concatenate_parts_of_any_width(device, data, dtype, count, axis):
    """Widths, starts and layouts for which copies are of 1, 2, 4, 8 and 16 bytes."""
    parts, expected = [], []
    for _ in range(count):
        extents = [3, 2, 5]
        extents[axis] = data.draw(st.sampled_from([0, 1, 2, 3, 4, 8, 16, 33]))
        start = data.draw(st.sampled_from([0, 1, 3]))
        host = np.arange(start + np.prod(extents)).astype(dtype)
        x = gpuarray.to_device(host, device=device)[start:].reshape(extents)
        y = host[start:].reshape(extents)
        if data.draw(st.sampled_from([False, False, False, True])):
            x, y = x[..., ::-1], y[..., ::-1]
        parts.append(x)
        expected.append(y)
    assert_same(gpuarray.concatenate(parts, axis), np.concatenate(expected, axis))


def test_concatenate_fortran_parts(device):
    hosts = [np.asfortranarray(np.arange(12.0).reshape(3, 4) + k) for k in range(3)]
    joined = gpuarray.concatenate([gpuarray.to_device(x, device=device) for x in hosts], axis=1)
    assert_same(joined, np.concatenate(hosts, axis=1))
    assert joined.flags.f_contiguous


def test_concatenate_parts_of_the_target(device):
    host = np.arange(8.0)
    x = gpuarray.to_device(host, device=device)
    gpuarray.concatenate([x[4:], x[:4]], out=x)
    assert_same(x, np.concatenate([host[4:], host[:4]]))


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3])
def test_stack(device, axis):
    hosts = [ordinary(np.int16, (2, 3), seed) for seed in range(4)]
    assert_same(gpuarray.stack(on_device(hosts), axis=axis), np.stack(hosts, axis=axis))
    scalars = [gpuarray.full((), value) for value in (1, 2, 3)]
    assert gpuarray.stack(scalars).tolist() == [1, 2, 3]


def test_stack_errors(device):
    with pytest.raises(ValueError, match="same shape"):
        gpuarray.stack([gpuarray.zeros(2), gpuarray.zeros(3)])
    with pytest.raises(ValueError, match="at least one array"):
        gpuarray.stack([])
    with pytest.raises(np.exceptions.AxisError, match="axis 2 is out of bounds"):
        gpuarray.stack([gpuarray.zeros(2), gpuarray.zeros(2)], axis=2)


def test_where_of_every_pair_of_dtypes(device):
    cases = Collector()
    for a, b in PAIRS:
        cases.check(f"{a}, {b}", check_where, a, b)
    cases.finish()


def check_where(a, b):
    condition = ordinary(bool, (6, 1, 7))
    x, y = ordinary(a, (5, 7), 1), ordinary(b, (6, 5, 1), 2)
    expected = BY_NAME["where"].numpy(condition, x, y)
    for layout in (layouts.contiguous, layouts.strided, layouts.transposed):
        got = gpuarray.where(gpuarray.to_device(condition), layout(x), layout(y))
        assert_same(got, expected, what=layout.__name__)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_where_takes_conditions_of_every_dtype(device, dtype):
    condition = special(dtype)
    got = gpuarray.where(gpuarray.to_device(condition), 1, 0)
    assert_same(got, np.where(condition, 1, 0))


def test_where_with_scalars(device):
    host = np.array([-1.0, 2.0, np.nan], np.float32)
    x = gpuarray.to_device(host)
    assert_same(gpuarray.where(x > 0, x, 0), np.where(host > 0, host, 0))
    assert_same(gpuarray.where(x > 0, 1.5, x), np.where(host > 0, 1.5, host))
    assert_same(gpuarray.where(x > 0, np.float64(1), x), np.where(host > 0, np.float64(1), host))
    assert_same(gpuarray.where(True, x, -x), np.where(True, host, -host))
    with pytest.raises(ValueError, match="broadcast"):
        gpuarray.where(x > 0, gpuarray.ones(2), x)
    with pytest.raises(TypeError, match="to_device"):
        gpuarray.where(x > 0, np.ones(3), x)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_clip(device, dtype):
    host = special(dtype)
    x = gpuarray.to_device(host)
    low, high = np.ones((), dtype)[()], np.array(3).astype(dtype)[()]
    expected = BY_NAME["clip"].numpy(host, np.asarray(low), np.asarray(high))
    assert_same(gpuarray.clip(x, low, high), expected, signed_zero=False)
    assert_same(x.clip(low, high), expected, signed_zero=False)
    assert_same(gpuarray.clip(x, low, None), BY_NAME["maximum"].numpy(host, np.asarray(low)))
    assert_same(x.clip(max=high), BY_NAME["minimum"].numpy(host, np.asarray(high)))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_long_arrays_among_scalars(device, dtype):
    """Every choice of arrays and scalars as the operands gives the same."""
    values = np.resize(special(dtype), (3, 2000))
    x, low, high = values[0], np.roll(values[1], 1), np.roll(values[2], 3)
    condition = np.arange(2000) % 3 == 0
    for lower in (low, np.full(2000, low[5])):
        for upper in (high, np.full(2000, high[7])):
            a, b, c, m = map(gpuarray.to_device, (x, lower, upper, condition))
            scalar_b = b if lower is low else gpuarray.broadcast_to(b[0], 2000)
            scalar_c = c if upper is high else gpuarray.broadcast_to(c[0], 2000)
            assert_same(gpuarray.clip(a, scalar_b, scalar_c), gpuarray.clip(a, b, c).get())
            assert_same(gpuarray.where(m, scalar_b, scalar_c), np.where(condition, lower, upper))


def test_clip_with_arrays_and_python_scalars(device):
    host = ordinary(np.int8, (4, 5))
    x = gpuarray.to_device(host)
    low = np.arange(-2, 3).astype(np.int16)
    assert_same(gpuarray.clip(x, gpuarray.to_device(low), 20), np.clip(host, low, 20))
    assert gpuarray.clip(x, -3, 3).dtype == np.int8
    assert gpuarray.clip(x, -3.0, 3.0).dtype == np.float64
    assert_same(gpuarray.clip(x, 5, 2), np.clip(host, 5, 2))


def test_clip_keeps_nan(device):
    x = gpuarray.to_device(np.array([np.nan, 1.0]))
    assert np.isnan(gpuarray.clip(x, 0, 2).get()).tolist() == [True, False]
    assert np.isnan(gpuarray.clip(x, np.nan, 2).get()).all()


def test_operands_must_be_on_one_side(device):
    for call in (gpuarray.concatenate, gpuarray.stack):
        with pytest.raises(TypeError, match="to_device"):
            call([gpuarray.zeros(2), np.zeros(2)])


@pytest.mark.parametrize("join", [gpuarray.concatenate, gpuarray.stack])
def test_joining_casts_same_kind_alone(device, join):
    x = gpuarray.ones(3)
    with pytest.raises(TypeError, match="same_kind"):
        join([x, x], dtype=np.int32)
    out = gpuarray.empty(join([x, x]).shape, np.int32)
    with pytest.raises(TypeError, match="same_kind"):
        join([x, x], out=out)
    with pytest.raises(TypeError, match="to_device"):
        join([x, x], out=np.empty(out.shape))


def test_clip_takes_both_names_of_its_bounds(device):
    x = gpuarray.arange(5)
    assert gpuarray.clip(x, a_min=1, a_max=3).tolist() == [1, 1, 2, 3, 3]
    assert gpuarray.clip(x, min=1, max=3).tolist() == [1, 1, 2, 3, 3]
    assert np.clip(x, a_min=2, a_max=None).tolist() == [2, 2, 2, 3, 4]


@pytest.mark.parametrize("casting", ["bogus", "SAFE", None, 5])
@pytest.mark.parametrize("join", ["concatenate", "stack", "hstack", "vstack"])
def test_casting_is_one_of_the_rules(device, join, casting):
    kind = ValueError if isinstance(casting, str) else TypeError
    with pytest.raises(kind):
        getattr(np, join)([np.ones(2), np.ones(2)], casting=casting)
    with pytest.raises(kind, match="casting"):
        getattr(gpuarray, join)([gpuarray.ones(2), gpuarray.ones(2)], casting=casting)
