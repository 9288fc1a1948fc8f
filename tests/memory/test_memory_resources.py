# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""What every memory resource promises to Python, alone and composed, on every device."""

import gc
import threading

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import gpuarray
from gpuarray import memory

MIB = 2**20
LIMIT = 64 * MIB


class Forwarding:
    """A Python allocator over another resource, which knows what is out."""

    def __init__(self, upstream):
        self.upstream = upstream
        self.live = {}

    def allocate(self, nbytes, stream):
        ptr = self.upstream.allocate(nbytes, stream)
        self.live[ptr] = nbytes
        return ptr

    def deallocate(self, ptr, nbytes, stream):
        assert self.live.pop(ptr) == nbytes
        self.upstream.deallocate(ptr, nbytes, stream)


def external(upstream):
    return memory.ExternalResource(Forwarding(upstream), upstream.device)


STACKS = {
    "limit": lambda source: memory.LimitResource(source, LIMIT),
    "statistics": memory.StatisticsResource,
    "pool": memory.PoolResource,
    "debug": memory.DebugResource,
    "external": external,
    "pool of external": lambda source: memory.PoolResource(external(source)),
    "debug of pool": lambda source: memory.DebugResource(memory.PoolResource(source)),
    "all": lambda source: memory.StatisticsResource(
        memory.DebugResource(memory.PoolResource(memory.LimitResource(external(source), LIMIT)))
    ),
}


@pytest.fixture(params=STACKS)
def stack(request, device):
    """A resource over a counted and limited source, which has all back in the end."""
    source = memory.StatisticsResource(memory.LimitResource(memory.DriverResource(device), LIMIT))
    resource = STACKS[request.param](source)
    yield resource
    gc.collect()
    resource.release_cached()
    assert source.statistics()["bytes_in_use"] == 0


def test_arrays_of_it_are_right(stack, device):
    x = np.arange(1000.0).reshape(10, 100)
    with gpuarray.using_allocator(stack) as used:
        assert used == stack
        assert memory.get_allocator(device) == stack
        a = gpuarray.to_device(x)
        got = ((a + 1) * a.T.copy().reshape(10, 100)).sum(axis=0)
    assert memory.get_allocator(device) != stack
    np.testing.assert_allclose(got.get(), ((x + 1) * x.T.copy().reshape(10, 100)).sum(axis=0))


def test_arrays_remember_it(stack, device):
    with gpuarray.using_allocator(stack):
        a = gpuarray.ones(1000)
    assert stack.usage().used >= 8000
    b = a + 1
    assert stack.usage().used < 16000  # b's memory is the device's own
    del a
    gpuarray.synchronize()
    assert stack.usage().used < 8000
    assert (b == 2).all()


def test_counts_of_the_device_include_it(stack, device):
    before = gpuarray.memory_stats(device)
    with gpuarray.using_allocator(stack):
        a = gpuarray.empty(1000, np.uint8)
    during = gpuarray.memory_stats(device)
    assert during["bytes_in_use"] == before["bytes_in_use"] + 1000
    assert during["allocations"] == before["allocations"] + 1
    del a
    assert gpuarray.memory_stats(device)["bytes_in_use"] == before["bytes_in_use"]


def test_out_of_memory_leaves_it_usable(stack, device):
    with gpuarray.using_allocator(stack):
        kept = gpuarray.ones(1000)
        for nbytes in (LIMIT + 1, 2**45):
            with pytest.raises(gpuarray.OutOfMemoryError) as caught:
                gpuarray.empty(nbytes, np.uint8)
            assert caught.value.limit == LIMIT
        arrays = []
        with pytest.raises(gpuarray.OutOfMemoryError):
            while True:
                arrays.append(gpuarray.ones(MIB, np.uint8))
        assert len(arrays) >= 50  # of 64
        assert all(int(array[-1]) == 1 for array in arrays[::7])
        del arrays
        large = gpuarray.full(40 * MIB, 7, np.uint8)
        assert int(large[-1]) == 7
        assert (kept == 1).all()


@given(data=st.data())
def test_random_lives(device, data):
    name = data.draw(st.sampled_from(sorted(STACKS)))
    source = memory.StatisticsResource(memory.LimitResource(memory.DriverResource(device), LIMIT))
    resource = STACKS[name](source)
    arrays = {}
    with gpuarray.using_allocator(resource):
        for number in range(data.draw(st.integers(1, 30))):
            if arrays and data.draw(st.booleans()):
                value = data.draw(st.sampled_from(sorted(arrays)))
                array = arrays.pop(value)
                assert (array == value).all()
            else:
                size = data.draw(st.one_of(st.integers(1, 5000), st.integers(1, MIB)))
                arrays[number] = gpuarray.full(size, number, np.uint8)
    for value, array in arrays.items():
        assert (array == value).all()
    del array
    arrays.clear()
    resource.release_cached()
    assert source.statistics()["bytes_in_use"] == 0


def test_streams(stack, device):
    with gpuarray.using_allocator(stack):
        for _ in range(20):
            one, two = gpuarray.Stream(), gpuarray.Stream()
            with one:
                a = gpuarray.full(100_000, 3)
            with two:
                b = a * 2
                del a
                c = gpuarray.full(100_000, 1)
            with one:
                d = gpuarray.full(100_000, 5)
            assert (b == 6).all()
            assert (c == 1).all()
            assert (d == 5).all()
        del b, c, d, one, two


def test_threads(stack, device):
    failures = []

    def work(number):
        try:
            with gpuarray.device(device), gpuarray.using_allocator(stack), gpuarray.Stream():
                for size in range(1, 20_000, 500):
                    a = gpuarray.full(size, number, np.int64)
                    b = a + a
                    del a
                    assert (b == 2 * number).all()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_raw_memory(stack, device):
    ptr = stack.allocate(100)
    assert ptr % (64 if device == "cpu" else 256) == 0
    assert stack.usage().used >= 100
    stack.deallocate(ptr, 100)
    for nbytes in (0, -1):
        with pytest.raises(ValueError, match="at least 1"):
            stack.allocate(nbytes)
    with pytest.raises(gpuarray.OutOfMemoryError):
        stack.allocate(2**62)


def test_what_it_says_of_itself(stack, device):
    assert stack.device == device
    assert stack == stack and hash(stack) == hash(stack)
    assert stack != memory.DriverResource(device)
    chain = [stack]
    while chain[-1].upstream is not None:
        chain.append(chain[-1].upstream)
    kinds = ["Statistics", "Limit", "Pool", "Debug", "External", "Driver", "Host"]
    assert sum(f"{kind}Resource(" in repr(stack) for kind in kinds) >= 1
    assert repr(stack).endswith(f"('{device}'" + ")" * len(chain) + ">")


def test_choices_nest_and_end(device):
    own = memory.get_allocator(device)
    one, two = (memory.PoolResource(memory.DriverResource(device)) for _ in range(2))
    with gpuarray.using_allocator(one):
        with gpuarray.using_allocator(two):
            assert memory.get_allocator(device) == two
        assert memory.get_allocator(device) == one
        with pytest.raises(ZeroDivisionError), gpuarray.using_allocator(two):
            1 / 0  # noqa: B018
        assert memory.get_allocator(device) == one
    assert memory.get_allocator(device) == own


def test_a_choice_is_the_threads(device):
    seen = []
    with gpuarray.using_allocator(memory.DriverResource(device)) as mine:
        thread = threading.Thread(target=lambda: seen.append(memory.get_allocator(device)))
        thread.start()
        thread.join()
        assert memory.get_allocator(device) == mine
        assert seen[0] != mine


def test_set_allocator_is_for_all_threads(device):
    own = memory.get_allocator(device)
    resource = memory.StatisticsResource(memory.DriverResource(device))
    seen = []
    memory.set_allocator(resource)
    try:
        thread = threading.Thread(target=lambda: seen.append(gpuarray.ones(10, device=device)))
        thread.start()
        thread.join()
        assert resource.statistics()["allocations"] == 1
        with gpuarray.using_allocator(memory.DriverResource(device)) as mine:
            assert memory.get_allocator(device) == mine
    finally:
        memory.set_allocator(None, device)
    assert memory.get_allocator(device) == own
    assert (seen.pop() == 1).all()
    assert resource.statistics()["allocations"] == 0


def test_resources_end_with_their_last_user(device):
    allocator = Forwarding(memory.DriverResource(device))
    resource = memory.PoolResource(memory.ExternalResource(allocator, device))
    with gpuarray.using_allocator(resource):
        a = gpuarray.ones(100)
    del resource
    assert (a == 1).all()
    assert allocator.live
    del a
    assert not allocator.live


@pytest.mark.parametrize(
    "make",
    [memory.PoolResource, memory.StatisticsResource, memory.DebugResource],
    ids=lambda make: make.__name__,
)
def test_wrong_upstream(make):
    with pytest.raises(TypeError, match="expected a MemoryResource, got str"):
        make("cpu")


def test_methods_of_other_resources(device):
    source = memory.DriverResource(device)
    with pytest.raises(TypeError, match=r"statistics: expected a StatisticsResource, got a \w+"):
        source.statistics()
    with pytest.raises(TypeError, match=r"live_blocks: expected a DebugResource, got a \w+"):
        source.live_blocks()
