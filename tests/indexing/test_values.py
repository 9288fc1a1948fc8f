# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Elements taken by integers are values: they do not change with the array they were taken from."""

import threading

import numpy as np
import pytest
from _support.compare import assert_same

import gpuarray


@pytest.fixture
def x(device):
    return gpuarray.arange(12.0).reshape(3, 4)


WRITES = {
    "element": lambda x: x.__setitem__((0, 0), 9),
    "slice": lambda x: x[:].fill(9),
    "other elements": lambda x: x.__setitem__(slice(1, None), 9),
    "operator": lambda x: x.__iadd__(1),
    "several operators": lambda x: x.__iadd__(1).__imul__(2),
    "out": lambda x: gpuarray.exp(x, out=x),
    "reduction": lambda x: gpuarray.ones((4, 3)).sum(0, out=x[:, 0]),
    "set": lambda x: x.set(np.zeros((3, 4))),
    "mask": lambda x: x.__setitem__(x < 5, 7),
    "sort": lambda x: x[::-1].sort(0),
    "kernel": lambda x: gpuarray.ElementwiseKernel("T y", "T x", "x = y")(x + 1, x),
    "copyto": lambda x: gpuarray.copyto(x, 3),
    "random": lambda x: gpuarray.random.default_rng(1, device=x.device).random(out=x),
}


@pytest.mark.parametrize("write", WRITES)
def test_a_value_stays(x, write):
    host = x.get()
    values = {(i, j): x[i, j] for i in (0, -1) for j in (0, 2)}
    total = values[0, 2] + values[-1, 2]  # may wait
    WRITES[write](x)
    assert (x.get() != host).any()
    for place, value in values.items():
        assert_same(value, np.asarray(host[place]))
    assert float(total) == host[0, 2] + host[-1, 2]


def test_a_value_of_what_waits(device):
    a = gpuarray.ones(4)
    with gpuarray.fusion("always"):
        a += 1
        value = a[1]
        a *= 5
        later = value + a
        a[1] = 0
        assert float(value) == 2
        assert later.tolist() == [12.0] * 4
        assert a.tolist() == [10.0, 0.0, 10.0, 10.0]


def test_a_value_is_read_only(x):
    value = x[1, 2]
    assert value.shape == () and value.base is None and not value.flags.writeable
    for write in (
        lambda: value.fill(1),
        lambda: value.__setitem__((), 1),
        lambda: x.sum(out=value),
        lambda: gpuarray.copyto(value, 1),
    ):
        with pytest.raises(ValueError, match=r"read-only.*a\[i:i\+1\]"):
            write()
    assert value.copy().flags.writeable
    assert float(value) == 6


def test_operators_in_place_make_new_values(x):
    value = kept = x[1, 2]
    value += 1
    assert float(kept) == 6 and float(value) == 7
    value **= 2
    value /= 7
    assert float(value) == 7
    whole = gpuarray.arange(3)[2]
    whole += 0.5
    assert whole.dtype == np.float64 and float(whole) == 2.5
    x[1, 2] += 10
    x[0, 0] **= 2
    assert x[1, 2].item() == 16
    assert float(kept) == 6


def repeated(xp, value):
    yield xp.broadcast_to(value, (5,))
    yield xp.broadcast_to(value, (1,))
    yield xp.broadcast_to(value, ())
    yield xp.broadcast_to(value, (5,))[1:]
    yield xp.broadcast_to(value, (2, 5)).T


def test_values_that_are_broadcast_are_read_only(x):
    values = zip(repeated(gpuarray, x[1, 2]), repeated(np, x.get()[1, 2]), strict=True)
    for view, theirs in values:
        if theirs.ndim == 0:
            continue  # a scalar again, in NumPy
        assert view.flags.writeable is theirs.flags.writeable is False
        for write in (
            lambda a: a.__iadd__(1),
            lambda a: a.__ipow__(2),
            lambda a: a.__setitem__(..., 1),
            lambda a: type(a).fill(a, 1),
        ):
            for one in (view, theirs):
                with pytest.raises(ValueError, match="read-only"):
                    write(one)
    assert float(x[1, 2]) == 6


def test_slices_and_ellipses_are_views(x):
    views = x[1, 2, ...], x[1:2, 2], x[1][2:3], x[1]
    x[1] = 50
    for view in views:
        assert (view.get() == 50).all()
    views[0][...] = 60
    assert float(x[1, 2]) == 60


def test_iteration_gives_values(device):
    a = gpuarray.arange(1000)
    values = list(a)
    last = a[-1]
    a += 1
    assert [int(value) for value in values] == list(range(1000))
    assert int(last) == 999
    del values, a
    assert int(last) == 999


def test_views_of_values_stay(x):
    value = x[2, 3]
    row, same = value[None], value.reshape(1)
    again = value[()]
    x[2, 3] = 0
    assert row.tolist() == same.tolist() == [11.0]
    assert float(again) == float(value) == 11


def test_exported_values_stay(device):
    a = gpuarray.arange(5.0)
    before = a[1]
    address = a.ptr
    after, exported = a[1], np.from_dlpack(a[2]) if device == "cpu" else a[2].ptr
    a[...] = 0
    assert a.ptr == address
    assert float(before) == float(after) == 1
    if device == "cpu":
        assert exported == 2


def test_a_value_of_lent_memory_stays():
    host = np.arange(4.0)
    a = gpuarray.from_dlpack(host)
    value = a[3]
    host[3] = 0
    assert float(value) == 3


def test_values_keep_their_array(device):
    value = gpuarray.arange(10_000_000.0)[-1]
    gpuarray.zeros(10_000_000)
    assert float(value) == 9_999_999


@pytest.mark.cuda
def test_values_across_streams(cuda):
    first, second = gpuarray.Stream(), gpuarray.Stream()
    a = gpuarray.zeros(1 << 20)
    expected = []
    values = []
    for k in range(50):
        with first if k % 2 else second:
            a += 1
            values.append(a[k])
            expected.append(k + 1.0)
    with first:
        sums = [value + 0 for value in values]
    assert [float(value) for value in values] == expected
    assert [float(value) for value in sums] == expected


@pytest.mark.cuda
def test_values_in_graphs(cuda):
    a = gpuarray.arange(4.0)
    before, out = a[1], gpuarray.zeros(2)
    with gpuarray.capture() as graph:
        inside = a[1] + 0
        a += 1
        out[0] = before
        out[1] = inside
    for k in range(3):
        graph.launch()
        assert out.tolist() == [1.0, 1.0 + k]
    assert float(before) == 1
    assert a.tolist() == [3.0, 4.0, 5.0, 6.0]


@pytest.mark.cuda
def test_functions_of_values_in_graphs(cuda):
    """What a graph reads of a value does not lie in the array that the graph writes."""
    a = gpuarray.arange(4.0)
    value, out = a[2], gpuarray.zeros(3)
    with gpuarray.capture() as graph:
        out[0] = value.sum()
        out[1] = value.reshape(1).max()
        out[2] = gpuarray.fft.fft(value.reshape(1)).real[0]
        a += 1
    for _ in range(2):
        graph.launch()
        assert out.tolist() == [2.0, 2.0, 2.0]
    assert a.tolist() == [2.0, 3.0, 4.0, 5.0]


@pytest.mark.cuda
def test_values_outlive_their_array(cuda):
    stream = gpuarray.Stream()
    for k in range(20):
        value = gpuarray.arange(10000.0)[k]
        with stream:
            later = value + 0
        value.synchronize()
        capsule = gpuarray.arange(10000.0)[k].__dlpack__(stream=stream.ptr, max_version=(1, 0))
        assert float(value) == float(later) == k
        del capsule


@pytest.mark.cuda
def test_exported_values_share_no_memory(cuda):
    a = gpuarray.arange(8.0)
    first, second = a[3], a[3]
    a += 1
    exported = gpuarray.from_dlpack(first)
    assert first.ptr != second.ptr
    gpuarray.from_cuda_array_interface(first)[...] = 99
    assert (float(exported), float(second)) == (99, 3)


@pytest.mark.cuda
def test_a_value_that_was_exported_stays_where_it_is(cuda):
    """One thread copies the value to the host while another one exports it again."""
    a = gpuarray.arange(8.0)
    value = a[3]
    a += 1
    address = value.ptr
    again, go = [], threading.Event()
    calls = (lambda: again.append(float(value)), lambda: again.append(value.ptr))
    threads = [threading.Thread(target=call) for call in calls]
    gpuarray.current_stream().launch_host_func(go.wait, 10)
    for thread in threads:
        thread.start()
        thread.join(0.2)
    go.set()
    for thread in threads:
        thread.join()
    assert sorted(again) == [3, address] and value.ptr == address
    assert float(gpuarray.from_pointer(address, (), "float64", owner=value)) == 3


@pytest.mark.cuda
def test_a_value_is_exported_while_its_stream_is_captured(cuda):
    """It is what it is before the graph is launched."""
    stream = gpuarray.Stream()
    with stream:
        a = gpuarray.arange(8.0) * 2
        first, second = a[3], a[4]
        a += 1
        assert a.ptr  # the two are copied, into one block
        with gpuarray.capture(stream) as graph:
            assert first.ptr
        assert (float(first), float(second)) == (6, 8)
        graph.launch()
        assert (float(first), float(second)) == (6, 8)


@pytest.mark.cuda
def test_values_of_shared_memory_are_copies(cuda):
    a = gpuarray.empty_shared(4)
    a.share()
    before = gpuarray.memory_info(a.device).used
    value = a[0]
    assert gpuarray.memory_info(a.device).used > before
    del value


@pytest.mark.parametrize("make", [gpuarray.empty_managed, gpuarray.empty_pinned])
def test_values_are_of_the_kind_of_memory_of_their_array(device, make):
    a = make(3)
    a[...] = 7
    value = a[1]
    a[...] = 8
    assert value.memory_kind == a.memory_kind and float(value) == 7


def test_a_write_between_a_read_and_the_window_that_waits_with_it(device):
    a, b = gpuarray.zeros(1 << 14), gpuarray.zeros(4)
    host, wrong, ended = np.empty(1 << 14), [], threading.Event()

    def write():
        k = 0
        while not ended.is_set():
            k += 1
            host[:] = k
            a.set(host)
            a.synchronize()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        with gpuarray.fusion("always"):
            for _ in range(400):
                value = a[5]
                later = value + b
                if float(value) != later.tolist()[0]:
                    wrong.append((float(value), later.tolist()))
    finally:
        ended.set()
        writer.join()
    assert not wrong


def test_threads_write_and_read(device):
    a = gpuarray.zeros(64)
    wrong = []

    def write():
        for _ in range(300):
            a.__iadd__(1)

    def read():
        for k in range(300):
            value = a[k % 64]
            first = float(value)
            second = float(value + 0)
            if first != second:
                wrong.append((first, second))

    threads = [threading.Thread(target=target) for target in (write, read, read)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert a.tolist() == [300.0] * 64
