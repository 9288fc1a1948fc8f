# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Memory of arrays that comes back through a protocol or an address, on several streams.

A host function that sleeps holds a stream back, so that a missing wait gives a wrong result.
"""

import gc
import itertools
import time
import weakref

import numpy as np
import pytest
from _support.compare import assert_same
from hypothesis import given
from hypothesis import strategies as st

import gpuarray
from gpuarray.cuda import UnownedMemory

SIZE = 1000
DELAY = 0.005
pytestmark = pytest.mark.cuda


class Dlpack:
    """An array of another library over the memory of a GPUArray, with capsules of today."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **keywords):
        return self.array.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class OldDlpack(Dlpack):
    """The same with the capsules from before version 1."""

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__(stream=stream)


class Interface:
    """The same with the CUDA array interface alone."""

    def __init__(self, array):
        self.array = array

    @property
    def __cuda_array_interface__(self):
        return self.array.__cuda_array_interface__


def by_pointer(a):
    return gpuarray.from_pointer(a.ptr, a.shape, a.dtype, a.strides, owner=a)


def by_block(a):
    memory = UnownedMemory(a.ptr, a.nbytes, a)
    return memory.array.view(a.dtype).reshape(a.shape)


WAYS = {
    "dlpack": lambda a: gpuarray.from_dlpack(Dlpack(a)),
    "old_dlpack": lambda a: gpuarray.from_dlpack(OldDlpack(a)),
    "array": gpuarray.from_dlpack,
    "interface": gpuarray.from_cuda_array_interface,
    "unsynchronised": lambda a: gpuarray.from_cuda_array_interface(a, sync=False),
    "asarray": lambda a: gpuarray.asarray(Interface(a)),
    "pointer": by_pointer,
    "block": by_block,
    "interface_of_dlpack": lambda a: gpuarray.asarray(Interface(gpuarray.from_dlpack(Dlpack(a)))),
    "pointer_of_pointer": lambda a: by_pointer(by_pointer(a)),
}
every_way = pytest.mark.parametrize("way", WAYS)


def hold(stream):
    stream.launch_host_func(time.sleep, DELAY)


@pytest.fixture
def streams(cuda):
    return gpuarray.Stream(), gpuarray.Stream()


@every_way
def test_memory_is_reused_after_the_borrowers_work(streams, way):
    one, two = streams
    for value in range(5):
        with one:
            a = gpuarray.full(SIZE, float(value))
        with two:
            b = WAYS[way](a)
            hold(two)
            c = b * 2
        del a, b
        with one:
            later = [gpuarray.full(SIZE, 70.0) for _ in range(3)]
        one.synchronize()
        assert_same(c, np.full(SIZE, 2.0 * value))
        del later


@every_way
def test_the_lender_sees_what_the_borrower_writes(streams, way):
    one, two = streams
    with one:
        a = gpuarray.full(SIZE, 5.0)
    with two:
        b = WAYS[way](a)
        if not b.flags.writeable:
            pytest.skip("capsules without a mark give read-only arrays")
        hold(two)
        b += 1
    with one:
        assert_same(a * 1, np.full(SIZE, 6.0))


@every_way
def test_the_borrower_sees_what_the_lender_writes(streams, way):
    one, two = streams
    with one:
        a = gpuarray.full(SIZE, 5.0)
    with two:
        b = WAYS[way](a)
    with one:
        hold(one)
        a += 1
    with two:
        assert_same(b * 1, np.full(SIZE, 6.0))
        hold(two)
        c = b * 2
    with one:
        a += 1
    assert_same(c, np.full(SIZE, 12.0))


@every_way
def test_borrowers_of_one_lender_are_ordered(streams, way):
    one, two = streams
    a = gpuarray.full(SIZE, 5.0)
    with one:
        b = WAYS[way](a)
    with two:
        c = WAYS[way](a)
        hold(two)
        result = c * 2
    if b.flags.writeable:
        with one:
            b += 1
    del a, b, c
    with one:
        gpuarray.full(SIZE, 70.0)
    one.synchronize()
    assert_same(result, np.full(SIZE, 10.0))


@every_way
def test_parts_of_a_block_are_ordered_with_it(streams, way):
    one, two = streams
    with one:
        a = gpuarray.full((10, 100), 5.0)
    with two:
        part = WAYS[way](a[3:7])
    with one:
        hold(one)
        a += 1
    with two:
        assert_same(part * 1, np.full((4, 100), 6.0))
        hold(two)
        result = part * 2
    del part, a
    with one:
        gpuarray.full((10, 100), 70.0)
    one.synchronize()
    assert_same(result, np.full((4, 100), 12.0))


@every_way
def test_views_with_other_strides_are_ordered(streams, way):
    if way == "block":
        pytest.skip("a block is contiguous")
    one, two = streams
    a = gpuarray.arange(100.0).reshape(10, 10)
    expected = np.arange(100.0).reshape(10, 10)[::-1, 1::2]
    with two:
        b = WAYS[way](a[::-1, 1::2])
    with one:
        hold(one)
        a += 1
    with two:
        assert_same(b * 1, expected + 1)


@every_way
@pytest.mark.parametrize("kind", ["pinned", "managed"])
def test_memory_that_the_host_sees(streams, way, kind):
    one, two = streams
    empty = gpuarray.empty_pinned if kind == "pinned" else gpuarray.empty_managed
    with one:
        a = empty(SIZE, np.float64)
        a.fill(5)
    with two:
        b = WAYS[way](a)
        assert b.memory_kind == kind
    with one:
        hold(one)
        a += 1
    with two:
        hold(two)
        c = b * 2
    del a, b
    gc.collect()
    with one:
        later = empty(SIZE, np.float64)
        later.fill(70)
    one.synchronize()
    assert_same(c, np.full(SIZE, 12.0))


@every_way
def test_an_element_that_comes_back_keeps_its_value(streams, way):
    one, two = streams
    with one:
        a = gpuarray.arange(5.0)
        value = a[3]
        b = WAYS[way](value)
        hold(one)
        a += 1
    with two:
        assert_same(b * 1, np.array(3.0))


def test_an_import_of_read_only_memory_is_read_only(streams):
    a = gpuarray.ones(SIZE)
    view = a[:]
    view.flags.writeable = False
    for way in ("dlpack", "interface", "asarray"):
        b = WAYS[way](view)
        assert not b.flags.writeable
    assert a.flags.writeable


@every_way
def test_the_memory_is_given_back_with_the_last_borrower(streams, way):
    gc.collect()
    before = gpuarray.memory_stats()["bytes_in_use"]
    a = gpuarray.ones(SIZE)
    b = WAYS[way](a)
    del a
    gc.collect()
    assert gpuarray.memory_stats()["bytes_in_use"] >= before + 8 * SIZE
    assert_same(b * 1, np.ones(SIZE))
    del b
    gc.collect()
    assert gpuarray.memory_stats()["bytes_in_use"] == before


def test_the_owner_is_kept_beside_the_memory(cuda):
    class Owner:
        pass

    a, owner = gpuarray.ones(SIZE), Owner()
    gone = weakref.ref(owner)
    b = gpuarray.from_pointer(a.ptr + 80, 10, "float64", owner=owner)[2:]
    del owner
    gc.collect()
    assert gone() is not None
    del b
    gc.collect()
    assert gone() is None
    assert_same(a, np.ones(SIZE))


def test_operations_that_wait_see_memory_that_came_back_by_an_old_address(streams):
    a = gpuarray.zeros(SIZE)
    capsule = a.__dlpack__()
    address = a.ptr
    del capsule
    b = gpuarray.from_pointer(address, SIZE, "float64", owner=a)
    for _ in range(5):
        a += 1
        a *= 1
    assert_same(b, np.full(SIZE, 5.0))


@every_way
def test_graphs_use_memory_that_came_back(streams, way):
    one, two = streams
    with one:
        a = gpuarray.zeros(SIZE)
        b = WAYS[way](a)
        if not b.flags.writeable:
            pytest.skip("capsules without a mark give read-only arrays")
        with gpuarray.capture() as graph:
            b += 1
        del b
    with two:
        hold(two)
        graph.launch()
    with one:
        a *= 10
    with two:
        graph.launch()
    with one:
        assert_same(a * 1, np.full(SIZE, 11.0))
    del a
    with two:
        graph.launch()
    gpuarray.synchronize()


def test_memory_of_one_device_that_another_uses(two_cuda_devices):
    first, second = two_cuda_devices
    for empty in (gpuarray.empty_pinned, gpuarray.empty_managed):
        one, two = gpuarray.Stream(first), gpuarray.Stream(second)
        with one:
            a = empty(SIZE, np.float64)
            a.fill(5)
        with two:
            b = gpuarray.from_dlpack(Dlpack(a), device=second)
            assert b.device == gpuarray.device(second)
        with one:
            hold(one)
            a += 1
        with two:
            hold(two)
            c = b * 2
        with one:
            a += 1
        del a, b
        gc.collect()
        with one:
            later = empty(SIZE, np.float64)
            later.fill(70)
        one.synchronize()
        assert_same(c, np.full(SIZE, 12.0))


@given(st.data())
def test_any_mix_of_borrows_streams_and_ends(cuda, data):
    streams = [gpuarray.Stream() for _ in range(3)]
    arrays, results = [], []
    numbers = itertools.count(1)
    for _ in range(data.draw(st.integers(1, 25), label="steps")):
        step = data.draw(st.sampled_from(["make", "borrow", "write", "read", "end"]), label="step")
        with data.draw(st.sampled_from(streams), label="stream") as stream:
            if step == "make" or not arrays:
                number = float(next(numbers))
                arrays.append((gpuarray.full(64, number), np.full(64, number)))
                continue
            k = data.draw(st.integers(0, len(arrays) - 1), label="array")
            x, expected = arrays[k]
            if data.draw(st.booleans(), label="late"):
                stream.launch_host_func(time.sleep, 0.001)
            if step == "borrow":
                low = data.draw(st.integers(0, len(expected) - 1), label="low")
                way = data.draw(st.sampled_from([*WAYS]), label="way")
                arrays.append((WAYS[way](x[low:]), expected[low:]))
            elif step == "write" and x.flags.writeable:
                x += 1
                expected += 1
            elif step == "read":
                results.append((x * 2, expected * 2))
            elif step == "end":
                arrays.pop(k)
                del x
    for result, expected in [*results, *arrays]:
        assert_same(result, expected)
