# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Several CUDA devices in one process: all operations where their arrays are, copies between."""

import operator
import pickle
import threading

import numpy as np
import pytest
from _support.compare import assert_same
from _support.contexts import current_context, primary_context, set_current_context
from _support.dtypes import DTYPES
from _support.tables import IN_PLACE, OPERATIONS, SYMBOLS

import gpuarray

pytestmark = pytest.mark.usefixtures("two_cuda_devices")
HERE, THERE = "cuda:0", "cuda:1"

X = np.arange(1, 25, dtype=np.float32).reshape(4, 6)
Y = X[::-1].copy()


@pytest.fixture
def x():
    return gpuarray.to_device(X, device=THERE)


@pytest.fixture
def y():
    return gpuarray.to_device(Y, device=THERE)


def check(got, expected):
    assert got.device == THERE
    assert_same(got.get(), np.asarray(expected))


@pytest.mark.parametrize(
    "make",
    [
        lambda np, **device: np.zeros((3, 4), **device),
        lambda np, **device: np.ones(5, np.int16, **device),
        lambda np, **device: np.full((2, 2), 7.5, **device),
        lambda np, **device: np.arange(3, 50, 4, **device),
        lambda np, **device: np.linspace(0, 1, 17, **device),
        lambda np, **device: np.eye(4, **device),
        lambda np, **device: np.asarray([[1, 2], [3, 4]], **device),
    ],
    ids=["zeros", "ones", "full", "arange", "linspace", "eye", "asarray"],
)
def test_creation(make):
    check(make(gpuarray, device=THERE), make(np))
    with gpuarray.device(THERE):
        check(make(gpuarray), make(np))
    assert make(gpuarray).device == HERE


def test_creation_like_another(x):
    check(gpuarray.zeros_like(x), np.zeros_like(X))
    check(gpuarray.full_like(x, 3), np.full_like(X, 3))
    assert gpuarray.empty_like(x).device == THERE
    assert gpuarray.empty_like(x, device=HERE).device == HERE


@pytest.mark.parametrize("name", SYMBOLS)
def test_operators(name):
    dtype = np.float32 if name in ("divide", "power") else np.int32
    a, b = X.astype(dtype), Y.astype(dtype) % 5 + 1
    arrays = [a, b] if SYMBOLS[name].__name__ not in ("neg", "pos", "abs", "invert") else [a]
    there = [gpuarray.to_device(array, device=THERE) for array in arrays]
    function = SYMBOLS[name]
    got = function(*there)
    assert got.device == THERE
    np.testing.assert_allclose(got.get(), function(*arrays), rtol=1e-5)
    if name in IN_PLACE and name != "divide":
        got = IN_PLACE[name](there[0], there[1])
        np.testing.assert_allclose(got.get(), function(*arrays), rtol=1e-5)


@pytest.mark.parametrize("row", OPERATIONS, ids=str)
def test_functions_give_what_the_first_device_gives(row):
    """The same kernels, built ahead or compiled, a function a device."""
    host = [np.asarray([0.25, 0.5, 0.75, 1], np.float32)] * row.arity
    try:
        here = row.gpu(*(gpuarray.to_device(a, device=HERE) for a in host))
    except TypeError:  # integers only
        host = [a.astype(np.int32) for a in host]
        here = row.gpu(*(gpuarray.to_device(a, device=HERE) for a in host))
    check(row.gpu(*(gpuarray.to_device(a, device=THERE) for a in host)), here.get())


@pytest.mark.parametrize(
    "name", ["sum", "prod", "max", "min", "any", "all", "argmax", "argmin", "mean"]
)
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_reductions(name, axis, x):
    got = getattr(x, name)(axis=axis)
    assert got.device == THERE
    np.testing.assert_allclose(got.get(), getattr(X, name)(axis=axis), rtol=1e-5)


def test_reduction_of_many():
    many = gpuarray.arange(10**6, dtype=np.int64, device=THERE)
    assert many.sum().item() == 10**6 * (10**6 - 1) // 2


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_casts(dtype, x):
    check(x.astype(dtype), X.astype(dtype))
    check(x.astype(dtype).astype(np.float32), X.astype(dtype).astype(np.float32))


def test_layouts_joins_and_products(x, y):
    check(gpuarray.concatenate([x, y]), np.concatenate([X, Y]))
    check(gpuarray.stack([x, y], axis=1), np.stack([X, Y], axis=1))
    check(x @ y.T, X @ Y.T)
    check(x.T + y.T, X.T + Y.T)
    check(x[::2, ::-1].copy(), X[::2, ::-1])
    check(gpuarray.where(x > y, x, 0), np.where(X > Y, X, np.float32(0)))
    check(x + gpuarray.arange(6, dtype=np.int16, device=THERE), X + np.arange(6, dtype=np.int16))
    x[1:3, ::2] = y[1:3, ::2]
    expected = X.copy()
    expected[1:3, ::2] = Y[1:3, ::2]
    check(x, expected)


@pytest.mark.parametrize("count", [1, 1000, 3 << 20])
def test_transfers(count):
    host = np.arange(count, dtype=np.float32)
    a = gpuarray.to_device(host, device=THERE)
    check(a, host)
    out = np.empty_like(host)
    a.set(host + 1)
    assert a.get(out=out) is out
    assert_same(out, host + 1)
    assert a[count // 2].item() == host[count // 2] + 1


def test_printing_pickling_and_exchange(x):
    assert str(x) == str(gpuarray.to_device(X, device="cpu"))
    check(pickle.loads(pickle.dumps(x)), X)
    assert x.__dlpack_device__() == (2, 1)
    check(gpuarray.from_dlpack(x), X)
    check(gpuarray.asarray(Foreign(x)), X)
    check(gpuarray.to_device(gpuarray.from_dlpack(x, device="cpu"), device=THERE), X)


class Foreign:
    def __init__(self, array):
        self.array = array
        self.__cuda_array_interface__ = array.__cuda_array_interface__


def test_page_locked_memory_of_another_device_is_used_again():
    first = gpuarray.zeros_pinned(1000, np.float32, device=THERE)
    gpuarray.synchronize(THERE)
    del first
    x = gpuarray.zeros_pinned(1000, np.float32, device="cuda:0")  # the same block
    y = gpuarray.asarray(Foreign(x))
    y += 2
    assert (y.ptr, y.memory_kind, str(y.device)) == (x.ptr, "pinned", "cuda:0")
    assert_same(y, np.full(1000, 2, np.float32))


@pytest.mark.parametrize("make", [gpuarray.empty_pinned, None], ids=["pinned", "managed"])
def test_memory_that_the_host_sees(make):
    make = make or (lambda *args, **kwargs: gpuarray.empty(*args, managed=True, **kwargs))
    a = make(X.shape, X.dtype, device=THERE)
    a.set(X)
    check(a + 1, X + 1)
    got = a.to_device(HERE)
    assert got.device == HERE
    assert_same(got.get(), X)


def test_streams_and_events(x):
    stream, event = gpuarray.Stream(THERE), gpuarray.Event(THERE)
    assert gpuarray.current_stream(THERE) != gpuarray.current_stream(HERE)
    with stream, gpuarray.Stream(HERE) as other:
        assert gpuarray.current_stream(THERE) == stream
        assert gpuarray.current_stream(HERE) == other
        z = x * 2
        event.record()
        w = gpuarray.ones(3)
    event.wait(other)
    other.wait_event(event)
    other.wait_stream(stream)
    stream.wait_stream(other)
    event.synchronize()
    assert event.done
    check(z, X * 2)
    assert w.device == HERE
    start, end = gpuarray.Event(THERE).record(), gpuarray.Event(THERE).record()
    assert start.elapsed_time(end) >= 0
    for handle in (
        gpuarray.legacy_default_stream(THERE),
        gpuarray.per_thread_default_stream(THERE),
    ):
        check(gpuarray.add(x, 1, stream=handle), X + 1)


def test_streams_of_the_other_device_are_refused(x):
    stream, event = gpuarray.Stream(HERE), gpuarray.Event(HERE)
    for call in (
        lambda: gpuarray.add(x, 1, stream=stream),
        lambda: x.sum(stream=stream),
        lambda: x.get(stream=stream),
        lambda: x.set(X, stream=stream),
        lambda: x.copy(stream=stream),
        lambda: gpuarray.zeros(3, device=THERE, stream=stream),
        lambda: event.record(gpuarray.current_stream(THERE)),
        lambda: event.record().elapsed_time(gpuarray.Event(THERE).record()),
    ):
        with pytest.raises(gpuarray.DeviceError, match=r"cuda:0.*cuda:1|cuda:1.*cuda:0"):
            call()


def test_operands_of_two_devices_are_refused(x):
    here = gpuarray.ones((4, 6), np.float32)
    for call in (
        lambda: x + here,
        lambda: operator.iadd(x, here),
        lambda: here @ x.T,
        lambda: here.__setitem__(..., x),
        lambda: gpuarray.add(x, x, out=here),
        lambda: x.sum(axis=0, out=gpuarray.zeros(6, np.float32)),
        lambda: gpuarray.where(x > 1, x, here),
        lambda: gpuarray.concatenate([x, here]),
    ):
        with pytest.raises(gpuarray.DeviceError, match=r"cuda:0.*cuda:1|cuda:1.*cuda:0"):
            call()
    check(x, X)
    assert (here == 1).all()


def test_memory_is_counted_by_device():
    before = [gpuarray.memory_stats(device)["bytes_in_use"] for device in (HERE, THERE)]
    a = gpuarray.empty(5000, np.uint8, device=THERE)
    after = [gpuarray.memory_stats(device)["bytes_in_use"] for device in (HERE, THERE)]
    assert after == [before[0], before[1] + 5000]
    assert gpuarray.memory_info(THERE).used >= 5000
    del a
    assert gpuarray.memory_stats(THERE)["bytes_in_use"] == before[1]


def use_all(x):
    y = gpuarray.to_device(X, device=THERE)
    with gpuarray.Stream(THERE):
        z = (x + y).sum(axis=0) @ gpuarray.ones(6, np.float32, device=THERE)
    assert z.item() == 2 * X.sum()
    check(x.to_device(HERE).to_device(THERE), X)
    gpuarray.Event(THERE).record().synchronize()


def test_the_current_context_of_others_stays(x):
    before = current_context()
    for context in (primary_context(0), primary_context(1)):
        set_current_context(context)
        use_all(x)
        assert current_context() == context
    set_current_context(before)


def test_a_thread_that_chose_no_device_is_left_so(x):
    """Other libraries would take the context of cuda:1 for the chosen device."""
    seen = []

    def run():
        use_all(x)
        seen.append(current_context())

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert len(seen) == 1
    assert seen[0] in (0, primary_context(0))


def test_threads_on_both_devices():
    errors = []

    def run(device, seed):
        try:
            random = np.random.default_rng(seed)
            with gpuarray.device(device), gpuarray.Stream():
                for _ in range(20):
                    host = random.integers(0, 100, 300_000).astype(np.int32)
                    a = gpuarray.to_device(host)
                    assert a.device == device
                    assert a.sum().item() == host.sum()
                    other = a.to_device(THERE if device == HERE else HERE)
                    a += 1
                    assert_same(other.get(), host)
                    assert_same(a.get(), host + 1)
        except BaseException as error:
            errors.append(error)

    threads = [
        threading.Thread(target=run, args=(device, seed))
        for seed in range(4)
        for device in (HERE, THERE)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
