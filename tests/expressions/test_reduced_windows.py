# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Reductions that compute what waits give the bits of those that read it."""

import threading
import time

import numpy as np
import pytest
from _support.window_programs import check, found, fusion, values
from hypothesis import given, settings
from hypothesis import strategies as st

import gpuarray
from gpuarray import _core

REDUCTIONS = ["sum", "prod", "max", "min", "any", "all", "argmax", "argmin", "mean", "var", "std"]
DTYPES = ["float32", "float64", "float16", "int32", "int64", "uint8", "bool", "complex64"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_every_reduction(device, name, dtype):
    def program(x, y):
        columns = getattr(x[:, :128] * y[:, :128], name)(axis=0)
        return getattr(x * y, name)(axis=-1, keepdims=True), getattr(gpuarray, name)(x * y), columns

    check(program, values((5, 131), dtype), values((5, 131), dtype, 1), device=device, reductions=3)


@pytest.mark.parametrize("name", ["sum", "std"])
@pytest.mark.parametrize(
    ("shape", "axis"),
    [
        ((2, 70_001), -1),
        ((700, 5), -1),
        ((300, 1), -1),
        ((1, 300), 1),
        ((60_003,), None),
        ((3,), None),
        ((6, 7, 50), (1, 2)),
        ((6, 7, 50), None),
        ((6, 1, 50), (-1,)),
        ((70_001, 4), 0),
        ((3, 9000), 0),
        ((60, 7, 8), 0),
        ((60, 7, 8), (0, 1)),
        ((4, 16), (0,)),
    ],
)
def test_shapes(device, name, shape, axis):
    of_one = np.prod(shape) == shape[0] and axis is not None
    check(
        lambda x: getattr(x + 1, name)(axis),
        values(shape),
        device=device,
        reductions=0 if of_one else 1,
    )


def test_other_axes_run_the_window(device):
    check(lambda x: (x + 1).sum(0), values((20, 30)), device=device, reductions=0)
    check(lambda x: (x + 1).sum(1), values((5, 20, 8)), device=device, reductions=0)
    check(lambda x: (x + 1).T.sum(0), values((20, 30)), device=device, reductions=0)
    check(lambda x: (x + 1)[:, 1:].sum(-1), values((20, 30)), device=device, reductions=0)
    check(lambda x: (x + 1).reshape(30, 20).sum(), values((20, 30)), device=device)
    check(lambda x: (x + 1).reshape(30, 20).sum(-1), values((20, 30)), device=device)


@pytest.mark.parametrize("width", [2, 3, 4, 8, 33, 130])
@pytest.mark.parametrize("dtype", ["float32", "uint8", "float64"])
def test_rows_along_two_axes(device, dtype, width):
    """As those of the points when their distances to centres are summed."""

    def program(x, c):
        away = x[:, None, :] - c
        weighted = (x[:, None, :1] * c[None]).max(-1)
        return (away * away).sum(-1), weighted, (x[:, None] + c[:, :1]).argmin(-1)

    x, c = values((70, width), dtype), values((9, width), dtype, 1)
    check(program, x, c, device=device, reductions=3)
    check(lambda x, c: (x[1:, None, :] - c[:8]).sum(-1), x, c, device=device)
    if width > 3:
        check(lambda x, c: (x[:, None, 1:-1] - c[2:, 3:, None][:, 0]).sum(-1), x, c, device=device)


def test_rows_along_more_axes(device):
    x = values((4, 5, 6, 1, 8))
    check(lambda x: (x[:, :, :1] * x[:, :1]).sum(-1), x, device=device)
    check(lambda x: (x[:, :1] + x[:1, :, :1]).sum(-1), x, device=device)
    y = values((4, 5, 6, 8))
    check(lambda x: (x[:, :, :1] * x[:, :1]).sum((-2, -1)), y, device=device, reductions=0)


def test_dtypes_on_the_way(device):
    x = values((7, 130), "int32")
    for dtype in ("float64", "float16", "uint8"):
        check(lambda x, dtype=dtype: (x * x).astype(dtype).sum(-1), x, device=device)
    check(lambda x: (x * x > 3).all(-1), values((7, 130), "float64"), device=device)
    check(lambda x, y: (x + y).sum(-1), x, values((7, 130), "uint8"), device=device)
    check(lambda x: (x + 1).sum(-1, dtype="int16"), x, device=device)
    check(lambda x: (x + 1).mean(-1, dtype="float32"), x, device=device)


def test_steps_in_place(device):
    def program(x, y):
        x += y
        z = x * 2
        x -= z
        sums = x.sum(-1), z.sum(-1), y.sum(-1)
        y[...] = x
        return *sums, y.sum(-1), z

    check(program, values((9, 77)), values((9, 77), seed=1), device=device, reductions=3)


@settings(max_examples=40, deadline=None)
@given(
    skipped=st.tuples(*[st.integers(0, 9)] * 3),
    length=st.integers(1, 600),
    is_cut=st.booleans(),
)
def test_alignment(device, skipped, length, is_cut):
    """Operands and results may begin anywhere, and rows be of any length."""

    def program(x, y, z):
        x, y, z = (a[k : k + 3 * length] for a, k in zip((x, y, z), skipped, strict=True))
        if is_cut:
            x, y, z = (a.reshape(3, length) for a in (x, y, z))
        z[...] = x
        z -= y
        return z.sum(-1), z.max(-1)

    hosts = [values(2000, seed=k) for k in range(3)]
    check(program, *hosts, device=device, reductions=2 if length > 1 or not is_cut else 0)


@settings(max_examples=60, deadline=None)
@given(
    shape=st.lists(st.integers(1, 9), min_size=1, max_size=4),
    kept=st.lists(st.booleans(), min_size=4, max_size=4),
    reduced=st.integers(1, 4),
    keepdims=st.booleans(),
)
def test_broadcasts(device, shape, kept, reduced, keepdims):
    """One operand has any of the other's axes, and any number of the last ones are reduced."""
    axes = tuple(range(max(len(shape) - reduced, 0), len(shape)))
    hosts = [
        values(shape),
        values([n if keeps else 1 for n, keeps in zip(shape, kept, strict=False)]),
    ]

    def program(x, y):
        return (x - y).sum(axes, keepdims=keepdims)

    expected, _ = found(program, hosts, device, "off")
    assert found(program, hosts, device, "compiled")[0] == expected


def softmax(x):
    e = gpuarray.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def layer_norm(x, weight, bias):
    centered = x - x.mean(-1, keepdims=True)
    variance = (centered * centered).mean(-1, keepdims=True)
    return centered / gpuarray.sqrt(variance + 1e-5) * weight + bias


def distances(x, y):
    dx, dy = x[:, None] - x[None, :], y[:, None] - y[None, :]
    r = gpuarray.sqrt(dx * dx + dy * dy + 1)
    x = x + (dx / r).sum(1)
    y = y + (dy / r).sum(1)
    return x, y


def test_programs(device):
    x, row = values((20, 130)), values(130)
    check(softmax, x, device=device)
    check(layer_norm, x, row, row, device=device)
    check(distances, row, row[::-1].copy(), device=device, reductions=2)


def counted(program, device):
    with fusion("compiled"):
        before = gpuarray.fusion_stats()
        kept = program(gpuarray.to_device(values((20, 130)), device=device))
        after = gpuarray.fusion_stats()
    del kept
    return tuple(a - b for a, b in zip(after, before, strict=True))


def test_what_is_counted(device):
    if gpuarray.Device(device).kind == "cpu":
        return
    assert counted(lambda x: gpuarray.exp(x - 1).sum(-1), device) == (1, 3, 0, 2, 1)
    assert counted(softmax, device) == (1, 5, 0, 4, 1)

    def with_more(x):
        y = x * 2
        (x + 3).sum()
        x - 4
        return y

    assert counted(with_more, device) == (1, 3, 1, 1, 1)


def test_work_beside_the_window(device):
    def program(x):
        y = x * 2
        total = y.sum(-1)
        mean = total / 130
        mean += 1
        return y - mean[:, None]

    check(program, values((20, 130)), device=device)
    if gpuarray.Device(device).kind != "cpu":
        assert counted(program, device)[:2] == (1, 5)


def test_work_that_touches_the_window_is_not_beside(device):
    def program(x, small):
        y = x * small[:, None]
        total = y.sum(-1)
        small += total
        return y, small * 2

    check(program, values((20, 130)), values(20), device=device)


def test_large_parts_run_first(device):
    hosts = [values((4, 50), seed=k) for k in range(4)]
    check(lambda a, b, c, d: (a + b + c + d).sum(), *hosts, device=device, reductions=0)
    check(lambda a, b, c, d: (a + b + c).sum(), *hosts, device=device)

    def long(a):
        for _ in range(33):
            a = a * 1 + 1 if _ % 2 else a + 1
        return a.sum()

    check(long, hosts[0], device=device, reductions=0)

    def many(a):
        b = a + 1
        return tuple(b.sum() for _ in range(6))

    check(many, hosts[0], device=device, reductions=4)


def test_out_where_and_initial(device):
    def program(x, out):
        y = x + 1
        y.sum(-1, out=out)
        z = out * 2
        (y * 2).max(-1, out=out)
        return z, y.sum(-1, where=y > 0), y.max(-1, initial=2), y

    expected, _ = found(program, [values((9, 40)), values(9)], device, "off")
    assert found(program, [values((9, 40)), values(9)], device, "compiled")[0] == expected


def test_errors(device):
    with fusion("compiled"):
        x = gpuarray.to_device(values((9, 40)), device=device)
        y = x + 1
        with pytest.raises(np.exceptions.AxisError):
            y.sum(2)
        with pytest.raises(ValueError, match="zero-size"):
            (x[:, :0] + 1).max(-1)
        with pytest.raises(TypeError):
            y.sum(nothing=1)
        with pytest.raises(ValueError):
            y.sum(-1, out=x)
        assert (y[:, :0] * 2).sum(-1).get().tolist() == [0] * 9
        assert (y[:0] * 2).sum(-1).get().tolist() == []
        np.testing.assert_array_equal(y.get(), values((9, 40)) + 1)


def test_other_streams(device):
    stream = gpuarray.Stream(device)

    def program(x):
        y = x * 3
        return y.sum(-1, stream=stream), y

    check(program, values((9, 40)), device=device, reductions=0)


def test_memory_whose_address_is_known(device):
    def program(x):
        y = x * 3
        assert y.ptr != 0
        y += 1
        return y.sum(-1)

    check(program, values((9, 40)), device=device, reductions=0)


def test_threads(device):
    host = values((30, 70))
    shared = gpuarray.to_device(host, device=device)
    failed = []

    def work(k):
        own = gpuarray.to_device(host, device=device)
        for i in range(60):
            own += 1
            sums = (own * np.float32(k)).sum(-1)
            other = (shared + np.float32(i)).max(-1)
            total = sums + other
            step = np.float32(1) * (host + np.float32(i + 1)) * np.float32(k)
            expected = step.sum(-1, dtype="f8").astype("f4") + (host + np.float32(i)).max(-1)
            if not np.allclose(total.get(), expected, rtol=1e-5):
                failed.append((k, i))

    with fusion("compiled"):
        threads = [threading.Thread(target=work, args=(k,)) for k in range(1, 4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not failed


@pytest.mark.parametrize("program", [softmax, layer_norm], ids=["softmax", "layer_norm"])
def test_programs_are_learned(device, program):
    """In auto mode what ran several times is computed by the reduction, once it is compiled."""
    hosts = [values((64, 1040)), values(1040), values(1040)][: program.__code__.co_argcount]
    expected, _ = found(program, hosts, device, "off")
    end = time.monotonic() + 60
    while time.monotonic() < end:
        got, count = found(program, hosts, device, "auto")
        assert got == expected
        if count > 0 or gpuarray.Device(device).kind == "cpu":
            break
        _core._finish_compilations()
    else:
        pytest.fail("no reduction computed what waits")
    assert found(program, hosts, device, "auto")[0] == expected
