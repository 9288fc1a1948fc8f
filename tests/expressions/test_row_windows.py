# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""What follows reductions of rows runs in one pass with them, to the bits of operations alone."""

import threading

import numpy as np
import pytest
from _support.window_programs import found, fusion, values
from hypothesis import example, given, settings
from hypothesis import strategies as st

import gpuarray
from gpuarray import _core

REDUCTIONS = ["sum", "prod", "max", "min", "any", "all", "argmax", "argmin", "mean", "var", "std"]
DTYPES = ["float32", "float64", "float16", "int32", "uint8", "bool", "complex64"]
MODES = ["always", "compiled", "replay", "adversary:1", "adversary:2"]


def softmax(x):
    e = gpuarray.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def log_softmax(x):
    y = x - x.max(axis=-1, keepdims=True)
    return y - gpuarray.log(gpuarray.exp(y).sum(axis=-1, keepdims=True))


def layer_norm(x):
    mean, var = x.mean(axis=-1, keepdims=True), x.var(axis=-1, keepdims=True)
    return (x - mean) / gpuarray.sqrt(var + 1e-5) * x[..., :1] + x[:1]


def rms_norm(x):
    return x / gpuarray.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-6)


def standardized(x):
    mean, std = x.mean(-1), x.std(-1, ddof=1)
    return (x - mean[..., None]) / std[..., None], mean, std, mean / std


def centered_in_place(x):
    x -= x.mean(axis=-1, keepdims=True)
    return x, x.sum(-1)


def totals_in_place(x):
    total = (x * 2).sum(axis=-1, keepdims=True)
    total += 1
    total *= x[..., :1]
    return x / total, total


def nearest(x):
    distances = (x - 1) * (x - 1) + x[..., :1]
    return distances.argmin(-1), distances.min(-1), distances - distances.min(-1, keepdims=True)


PROGRAMS = [softmax, log_softmax, layer_norm, rms_norm, standardized, centered_in_place]
PROGRAMS += [totals_in_place, nearest]
NUMPY = {
    softmax: lambda x: (
        np.exp(x - x.max(-1, keepdims=True))
        / np.exp(x - x.max(-1, keepdims=True)).sum(-1, keepdims=True)
    ),
    log_softmax: lambda x: (
        (x - x.max(-1, keepdims=True))
        - np.log(np.exp(x - x.max(-1, keepdims=True)).sum(-1, keepdims=True))
    ),
    layer_norm: lambda x: (
        (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * x[..., :1]
        + x[:1]
    ),
    rms_norm: lambda x: x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6),
}


def ran(program, host, device, mode):
    """Return what found() returns, and how many windows, operations and temporaries there were."""
    before = gpuarray.fusion_stats()
    kept, _ = found(program, [host], device, mode)
    after = gpuarray.fusion_stats()
    return kept, (
        after.windows - before.windows,
        after.operations - before.operations,
        after.temporary - before.temporary,
    )


def is_cpu(device):
    return gpuarray.Device(device).kind == "cpu"


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("shape", [(5, 33), (3, 4, 128), (40, 1000), (2, 5000)])
def test_programs(device, program, shape):
    host = values(shape, "float32")
    expected, _ = found(program, [host], device, "off")
    for mode in MODES:
        assert found(program, [host], device, mode)[0] == expected, mode


@pytest.mark.parametrize("program", NUMPY)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_numpy_agrees(device, program, dtype):
    host = values((37, 129), dtype)
    with fusion("compiled"):
        got = program(gpuarray.to_device(host, device=device)).get()
    close = 1e-5 if dtype == "float32" else 1e-12
    np.testing.assert_allclose(got, NUMPY[program](host), rtol=close, atol=close)


@pytest.mark.parametrize(
    ("program", "operations", "temporary"),
    [
        (softmax, 5, 4),
        (log_softmax, 6, 5),
        (layer_norm, 8, 7),
        (rms_norm, 5, 4),
        (standardized, 5, 1),
        (centered_in_place, 3, 1),
    ],
)
def test_one_group(device, program, operations, temporary):
    if is_cpu(device):
        return
    assert ran(program, values((20, 130)), device, "compiled")[1] == (1, operations, temporary)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_every_reduction(device, name, dtype):
    def program(x):
        y = x + x
        total = getattr(y, name)(axis=-1, keepdims=True)
        return total, y * total, getattr(x, name)(axis=-1)[..., None] + y

    for shape in [(9, 40), (3, 3, 77)]:
        host = values(shape, dtype)
        expected, _ = found(program, [host], device, "off")
        for mode in ("always", "compiled", "replay"):
            assert found(program, [host], device, mode)[0] == expected, (shape, mode)


@pytest.mark.parametrize("special", [np.nan, np.inf, -0.0, 0.0])
def test_special_values(device, special):
    host = values((33, 70))
    host[::3, ::5] = special
    host[1] = special
    for program in (softmax, standardized, nearest):
        expected, _ = found(program, [host], device, "off")
        assert found(program, [host], device, "compiled")[0] == expected


@settings(max_examples=60, deadline=None)
@given(
    rows=st.integers(1, 70),
    columns=st.integers(1, 600),
    dtypes=st.tuples(*[st.sampled_from(["float32", "float64", "float16", "int32", "uint8"])] * 2),
    names=st.tuples(*[st.sampled_from(REDUCTIONS)] * 2),
    keepdims=st.booleans(),
    skipped=st.integers(0, 5),
    mode=st.sampled_from(["compiled", "always", "adversary:3"]),
)
@example(64, 4, ("float32", "float64"), ("sum", "var"), False, 1, "compiled")
def test_layouts_and_dtypes(device, rows, columns, dtypes, names, keepdims, skipped, mode):
    """Rows begin anywhere, have any length, and other dtypes beside them."""

    def program(x, y):
        x = x[skipped:][: rows * columns].reshape(rows, columns)
        first = getattr(x, names[0])(axis=-1, keepdims=keepdims)
        rest = x * 2 + y - (first if keepdims else first[:, None])
        second = getattr(rest, names[1])(axis=-1, keepdims=True)
        return rest.astype(dtypes[1]) / (second + 1), first + 1, rest * y

    hosts = [values(rows * columns + 9, dtypes[0]), values(columns, dtypes[1], 1)]
    expected, _ = found(program, hosts, device, "off")
    assert found(program, hosts, device, mode)[0] == expected


@pytest.mark.parametrize("program", [softmax, layer_norm, rms_norm, standardized])
def test_programs_are_learned(device, program):
    host = values((64, 1040))
    expected, _ = found(program, [host], device, "off")
    windows = []
    for _ in range(8):
        got, counts = ran(program, host, device, "auto")
        assert got == expected
        windows.append(counts[0])
        _core._finish_compilations()
    if not is_cpu(device):
        assert windows[-1] == 1


def test_rows_that_do_not_fit(device):
    for shape in [(3, 40_000), (70, 20_000)]:
        host = values(shape)
        for program in (softmax, standardized):
            expected, _ = found(program, [host], device, "off")
            assert found(program, [host], device, "compiled")[0] == expected


def test_other_layouts(device):
    def turned(x):
        y = x[:, ::-1]
        return y - y.max(axis=-1, keepdims=True), x.T - x.T.max(axis=-1, keepdims=True)

    def rolled(x):
        y = gpuarray.roll(x, 1, 1)
        total = (x + y).sum(axis=-1, keepdims=True)
        return gpuarray.roll(x, 2, 0) - total, total

    def small_square(x):
        x = x[:30, :30].copy()
        total = x.sum(-1)
        return x - total, x - total[:, None], total + total.sum()

    def of_other_axes(x):
        y = x - x.max(axis=-1, keepdims=True)
        return y.sum(0), y.sum(), y.reshape(-1).cumsum(), y.max(axis=-1)[::-1] * 2

    def written_later(x):
        total = x.sum(axis=-1, keepdims=True)
        x[...] = 1
        y = x / total
        total[...] = 2
        return y * total, total

    for program in (turned, rolled, small_square, of_other_axes, written_later):
        host = values((40, 44))
        expected, _ = found(program, [host], device, "off")
        for mode in MODES:
            assert found(program, [host], device, mode)[0] == expected, (program, mode)


def test_long_sequences(device):
    def program(x):
        for _ in range(30):
            x = x - x.mean(axis=-1, keepdims=True) * 0.5
            total = x.sum(axis=-1, keepdims=True) + 1
            total += 1
            x = x / total
        return x, total

    host = values((9, 50))
    expected, _ = found(program, [host], device, "off")
    for mode in ("always", "compiled", "adversary:1"):
        assert found(program, [host], device, mode)[0] == expected, mode


def test_memory_of_results(device):
    """Only results that something uses take memory, when the group runs."""
    if is_cpu(device):
        return
    x = gpuarray.to_device(values((64, 1024)), device=device)
    with fusion("compiled"):
        before = gpuarray.memory_stats(device)["bytes_in_use"]
        y = softmax(x)
        assert gpuarray.memory_stats(device)["bytes_in_use"] - before == y.nbytes


@pytest.mark.parametrize("name", ["sum", "max", "argmax", "mean"])
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("mode", ["always", "compiled", "auto"])
def test_rows_of_another_array_beside_a_window(device, name, keepdims, mode):
    """`e.mean()` computes `e` itself. `z`, which is small, is then reduced while `e` is pending."""

    def program(x, z):
        e = (x - 1) * (x - 1)
        loss = e.mean()
        rows = getattr(z, name)(-1, keepdims=keepdims)
        return loss, rows, e * 2

    hosts = values((512, 512)), values((32, 100), seed=1)
    expected, _ = found(program, hosts, device, "off")
    for _ in range(6 if mode == "auto" else 1):
        assert found(program, hosts, device, mode)[0] == expected
        _core._finish_compilations()


@pytest.mark.parametrize("mode", ["always", "compiled"])
def test_out_of_another_thread_is_written_where_it_lies(device, mode):
    x = gpuarray.ones((4, 300), "float32", device=device)
    made, done = threading.Event(), threading.Event()
    pending = []

    def other():
        with fusion(mode):
            pending.append(gpuarray.asarray(np.zeros((4, 3), "float32"), device=device) + 1)
            made.set()
            done.wait()

    thread = threading.Thread(target=other)
    thread.start()
    try:
        made.wait()
        with fusion(mode):
            y = x * 2
            y.sum(-1, out=pending[0][:, 1])
            z = y - 1
        assert pending[0].get().tolist() == [[1, 600, 1]] * 4
        assert z.get().sum() == 1200
    finally:
        done.set()
        thread.join()


def totals_of_many(x):
    kept, y = [], x
    for _ in range(27):
        y = y + x
        kept.append(y)
    total = y.sum(-1)
    total *= 0.5
    return x * total[:, None] + x, total


def totals_by_many_numbers(x):
    y = x
    for k in range(31):
        y = y * (1 + k / 64)
    total = y.sum(-1)
    total /= 3.25
    return x * total[:, None] + x, total


def many_totals(x):
    total = x.sum(-1)
    for _ in range(80):
        total = gpuarray.clip(total, x.min(-1), x.max(-1))
    return x - total[:, None], total


@pytest.mark.parametrize("mode", ["always", "auto"])
@pytest.mark.parametrize("program", [totals_of_many, totals_by_many_numbers, many_totals])
def test_groups_that_are_full_of_rows(device, program, mode):
    """A group that is full ends at a reduction, and one of rows alone begins; 160 are reduced."""
    x = gpuarray.to_device(np.random.default_rng(0).random((64, 128), "f4"), device=device)
    _core._forget_sequences()
    with gpuarray.fusion("off"):
        expected = [array.get() for array in program(x)]
    with gpuarray.fusion(mode):
        for _ in range(4):
            made = program(x)
            gpuarray.synchronize(device)
            _core._finish_compilations()
            for array, wanted in zip(made, expected, strict=True):
                np.testing.assert_array_equal(array.get(), wanted)
