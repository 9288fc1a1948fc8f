# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Large copies between host and device: chunks, threads, layouts, streams, settings."""

import contextlib
import itertools
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from _support.compare import assert_same
from _support.dtypes import DTYPES
from _support.measure import nothing_leaks
from _support.process import run_python
from _support.samples import ordinary
from hypothesis import given, settings
from hypothesis import strategies as st

import gpuarray

# Enough for many chunks of a few thousand bytes, and beyond what goes in one piece.
SIZE = 30000

LAYOUTS = {
    "contiguous": lambda values: values.copy(),
    "fortran": np.asfortranarray,
    "reversed": lambda values: values[::-1, ::-1].copy()[::-1, ::-1],
    "columns": lambda values: np.repeat(values, 3, axis=1)[:, ::3],
    "rows": lambda values: np.repeat(values, 2, axis=0)[::2],
    "broadcast": lambda values: np.broadcast_to(values[:1], values.shape),
    "unaligned": lambda values: _unaligned(values),
    "permuted": lambda values: (
        values.reshape(values.shape[0], -1, 2).transpose(2, 0, 1).copy().transpose(1, 2, 0)
    ),
}


def _unaligned(values):
    memory = np.zeros(values.nbytes + 1, np.uint8)
    view = memory[1:].view(values.dtype).reshape(values.shape)
    view[...] = values
    return view


@contextlib.contextmanager
def staging(**changes):
    before = gpuarray.set_staging(**changes)
    try:
        yield
    finally:
        gpuarray.set_staging(**before)


@pytest.fixture(params=[(1, 64), (3, 4096), (8, 10000)], ids=str)
def small_chunks(request):
    threads, chunk_bytes = request.param
    with staging(threads=threads, chunk_bytes=chunk_bytes):
        yield


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_layout_and_dtype(device, small_chunks, layout, dtype):
    host = LAYOUTS[layout](ordinary(dtype, (100, SIZE // 100)))
    expected = host.copy()
    x = gpuarray.to_device(host)
    assert_same(x.get(), expected)
    y = gpuarray.empty(host.shape, dtype)
    y.set(host)
    assert_same(y.get(), expected)
    if layout != "broadcast":
        host[...] = 0
        assert x.get(host) is host
        assert_same(host, expected)


@settings(max_examples=30)
@given(
    data=st.data(),
    threads=st.integers(1, 9),
    chunk_bytes=st.integers(1, 50000),
    rows=st.integers(1, 7),
)
def test_any_size(device, data, threads, chunk_bytes, rows):
    columns = data.draw(st.integers(1, 2 * SIZE // rows))
    step = data.draw(st.sampled_from([1, -1, 2, -3]))
    host = np.arange(rows * columns, dtype=np.int64).reshape(rows, columns)[:, ::step]
    with staging(threads=threads, chunk_bytes=chunk_bytes):
        x = gpuarray.to_device(host)
        assert_same(x.get(), host)
        out = np.zeros((rows, host.shape[1], 2), np.int64)
        x.get(out[..., 1])
    assert_same(out[..., 1], host)
    assert not out[..., 0].any()


@pytest.mark.parametrize("nbytes", [4096, 65536, 1 << 20, 4 << 20])
def test_around_the_limits_of_each_way(device, nbytes):
    for size, step in itertools.product((nbytes - 1, nbytes, nbytes + 1), (1, 2)):
        host = np.resize(np.arange(251, dtype=np.uint8), size * step)[::step]
        x = gpuarray.to_device(host)
        assert_same(x.get(), host)
        out = np.zeros(size * step, np.uint8)[::step]
        assert_same(x.get(out), host)
        assert x.tobytes() == host.tobytes()


def test_the_source_may_change_on_return(device, small_chunks):
    for step in (1, 2):
        host = np.ones(SIZE)
        x = gpuarray.to_device(host[::step])
        host[...] = 2
        x.set(host[::step])
        host[...] = 3
        assert_same(x.get(), np.full(SIZE // step, 2.0))


def test_order_on_streams(device, small_chunks):
    """A copy in waits for pending readers of its target, a copy out for pending writers."""
    stream = gpuarray.Stream()
    host = np.ones(SIZE)
    with stream:
        x = gpuarray.to_device(host)
        for value in range(10):
            total = x + value
            x.set(np.full(SIZE, value + 1.0))
            assert_same(total.get(), np.full(SIZE, value + float(value or 1)))
    other = gpuarray.Stream()
    y = gpuarray.zeros(SIZE)
    for _ in range(20):
        y += 1
    assert_same(y.get(stream=other), np.full(SIZE, 20.0))


def test_several_threads_at_once(device, small_chunks):
    def work(number):
        with gpuarray.device(device), gpuarray.Stream():
            for _ in range(5):
                host = np.arange(number, number + SIZE)
                x = gpuarray.to_device(host[::-1])
                assert_same(x.get(), host[::-1])
        return True

    with ThreadPoolExecutor(6) as pool:
        assert all(pool.map(work, range(12)))


def test_settings_change_while_others_copy(device):
    host = np.arange(SIZE)

    def copy(_):
        with gpuarray.device(device):
            return np.array_equal(gpuarray.to_device(host).get(), host)

    with staging(), ThreadPoolExecutor(4) as pool:
        results = pool.map(copy, range(60))
        for threads in (1, 5, 2, 8, 3):
            gpuarray.set_staging(threads=threads, chunk_bytes=threads * 1000)
        assert all(results)


def test_memory_shared_with_the_array():
    """The cpu device lends its memory to NumPy, so that source and target may overlap."""
    x = gpuarray.to_device(np.arange(10), device="cpu")
    x.set(np.asarray(x)[::-1])
    assert x.tolist() == list(range(9, -1, -1))
    x.get(np.asarray(x)[::-1])
    assert x.tolist() == list(range(10))


def test_set_staging():
    before = gpuarray.set_staging(threads=2, chunk_bytes=100)
    try:
        assert set(before) == {"threads", "chunk_bytes"}
        assert gpuarray.set_staging(threads=5) == {"threads": 2, "chunk_bytes": 128}
        assert gpuarray.set_staging() == {"threads": 5, "chunk_bytes": 128}
    finally:
        gpuarray.set_staging(**before)
    assert gpuarray.set_staging() == before


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"threads": 0}, ValueError, "threads must be from 1 to 256, got 0"),
        ({"threads": 257}, ValueError, "got 257"),
        ({"threads": -(2**40)}, ValueError, "threads"),
        ({"chunk_bytes": 0}, ValueError, "chunk_bytes must be from 1 to 1073741824, got 0"),
        ({"chunk_bytes": 2**31}, ValueError, "2147483648"),
        ({"threads": 1.5}, TypeError, "float"),
        ({"depth": 3}, TypeError, "depth"),
    ],
    ids=str,
)
def test_refused_settings(changes, error, message):
    before = gpuarray.set_staging()
    with pytest.raises(error, match=message):
        gpuarray.set_staging(**changes)
    assert gpuarray.set_staging() == before


def test_variables():
    code = "import gpuarray; print(gpuarray.set_staging())"
    given = {"GPUARRAY_STAGING_THREADS": "3", "GPUARRAY_STAGING_BYTES": "1000"}
    assert run_python(code, **given) == "{'threads': 3, 'chunk_bytes': 1024}\n"
    code = """
        import os, gpuarray
        processors = len(os.sched_getaffinity(0))
        assert gpuarray.set_staging() == {"threads": min(16, processors), "chunk_bytes": 4 << 20}
    """
    run_python(code)


@pytest.mark.parametrize("value", ["many", "0", "-1", "2.5", "99999999999", "99999999999999999999"])
def test_bad_variables(value):
    code = """
        import gpuarray
        for _ in range(2):
            try:
                gpuarray.set_staging()
            except ValueError as error:
                print(error)
    """
    lines = run_python(code, GPUARRAY_STAGING_THREADS=value).splitlines()
    assert len(lines) == 2
    assert all("GPUARRAY_STAGING_THREADS" in line for line in lines)


def test_nothing_is_left_behind(device):
    host = ordinary(np.float64, (2, SIZE))
    x = gpuarray.to_device(host)
    out = np.zeros_like(host)
    with staging(chunk_bytes=4096), nothing_leaks(device, x, host, out):
        for _ in range(20):
            x.set(host[:, ::-1])
            x.get(out[::-1])
            gpuarray.to_device(host.T).get()


@pytest.mark.cuda
def test_page_locked_memory(cuda):
    """Used directly; without blocking a copy out is done when the stream is."""
    torch = pytest.importorskip("torch")
    host = torch.arange(500_000, dtype=torch.float64).pin_memory().numpy()
    out = torch.zeros(500_000, dtype=torch.float64).pin_memory().numpy()
    expected = host.copy()
    stream = gpuarray.Stream()
    x = gpuarray.to_device(host, stream=stream)
    host[...] = -1
    transfer = x.get(out, stream=stream, blocking=False)
    stream.synchronize()
    assert transfer.done
    assert transfer.result is out
    assert_same(out, expected)
    out[...] = 0
    assert_same(x.get(out), expected)
