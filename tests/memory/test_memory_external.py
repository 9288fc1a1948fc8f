# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Memory of Python objects and of other libraries' pools."""

import contextlib
import gc
import sys
import types
import warnings
import weakref

import numpy as np
import pytest
from _support.compare import assert_same

import gpuarray
from gpuarray import _core, memory


class Recording:
    """Records the calls; memory is that of another resource."""

    def __init__(self, device):
        self.upstream = memory.DriverResource(device)
        self.calls = []

    def allocate(self, nbytes, stream):
        ptr = self.upstream.allocate(nbytes, stream)
        self.calls.append(("allocate", ptr, nbytes, stream.ptr, str(stream.device)))
        return ptr

    def deallocate(self, ptr, nbytes, stream):
        self.calls.append(("deallocate", ptr, nbytes, stream.ptr, str(stream.device)))
        self.upstream.deallocate(ptr, nbytes, stream)


class Holding(Recording):
    """Returns objects with `ptr`."""

    class Block:
        def __init__(self, ptr):
            self.ptr = ptr

    def allocate(self, nbytes, stream):
        block = self.Block(super().allocate(nbytes, stream))
        self.last = weakref.ref(block)
        return block


def test_calls(device):
    allocator = Recording(device)
    stream = gpuarray.Stream()
    with gpuarray.using_allocator(allocator) as resource, stream:
        a = gpuarray.zeros(100, np.uint8)
    assert resource.allocator is allocator
    ptr = a.ptr
    del a
    expected = (ptr, 100, stream.ptr, device)
    assert allocator.calls == [("allocate", *expected), ("deallocate", *expected)]


def test_objects_are_kept_until_the_free(device):
    allocator = Holding(device)
    with gpuarray.using_allocator(allocator):
        a = gpuarray.ones(100)
    gc.collect()
    assert allocator.last().ptr == a.ptr
    del a
    assert allocator.last() is None


def test_exceptions_reach_the_caller(device):
    class Failing(Recording):
        def allocate(self, nbytes, stream):
            raise error

    for error in (KeyError("mine"), MemoryError("mine"), KeyboardInterrupt()):
        for wrap in (lambda resource: resource, memory.PoolResource, memory.DebugResource):
            resource = wrap(memory.ExternalResource(Failing(device)))
            with gpuarray.using_allocator(resource), pytest.raises(type(error)) as caught:
                gpuarray.ones(10)
            assert caught.value is error
    assert (gpuarray.ones(3) == 1).all()


def test_pools_make_room_when_the_allocator_has_none(device):
    class Scarce(Recording):
        free = 2**26

        def allocate(self, nbytes, stream):
            if nbytes > self.free:
                raise MemoryError(f"{nbytes} of {self.free}")
            self.free -= nbytes
            return super().allocate(nbytes, stream)

        def deallocate(self, ptr, nbytes, stream):
            self.free += nbytes
            super().deallocate(ptr, nbytes, stream)

    with gpuarray.using_allocator(memory.PoolResource(memory.ExternalResource(Scarce(device)))):
        for size in (2**25, 2**22, 2**25 + 2**24, 100, 2**25):
            gpuarray.ones(size, np.uint8)


def test_errors_in_a_free_go_to_the_hook(device, monkeypatch):
    class Failing(Recording):
        def deallocate(self, ptr, nbytes, stream):
            super().deallocate(ptr, nbytes, stream)
            raise KeyError("in a free")

    seen = []
    monkeypatch.setattr(sys, "unraisablehook", lambda args: seen.append(args.exc_type))
    with gpuarray.using_allocator(Failing(device)):
        a = gpuarray.ones(10)
    with pytest.raises(ZeroDivisionError):
        try:
            1 / 0  # noqa: B018
        finally:
            del a
    assert seen == [KeyError]


@pytest.mark.parametrize("result", ["text", None, 1.5, 0, object()])
def test_wrong_results(device, result):
    class Wrong(Recording):
        def allocate(self, nbytes, stream):
            return result

    with (
        gpuarray.using_allocator(Wrong(device)),
        pytest.raises((TypeError, ValueError, AttributeError)),
    ):
        gpuarray.ones(10)


@pytest.mark.parametrize("allocator", [5, object(), "cuda", lambda nbytes: 0])
def test_wrong_allocators(device, allocator):
    with pytest.raises(TypeError, match=r"expected an object with allocate\(nbytes, stream\)"):
        memory.ExternalResource(allocator)


def test_a_pool_like_cupys(device):
    class Pool:
        def __init__(self):
            self.holding = Holding(device)

        def malloc(self, nbytes):
            return self.holding.allocate(nbytes, gpuarray.current_stream(device))

    if device != "cpu":
        pytest.importorskip("cupy")
    pool = Pool()
    with gpuarray.using_allocator(pool):
        a = gpuarray.ones(100)
    assert (a == 1).all()
    assert pool.holding.last().ptr == a.ptr
    del a
    assert pool.holding.last() is None


@pytest.mark.cuda
@pytest.mark.parametrize("version", [13, 14])
def test_cupys_streams_old_and_new(cuda, monkeypatch, version):
    """CuPy 14 warns of ExternalStream; the versions before have nothing else."""
    entered = []

    class Entered(contextlib.AbstractContextManager):
        def __init__(self, *names):
            self.names = names

        def __enter__(self):
            entered.append(self.names)

        def __exit__(self, *error):
            pass

    cupy = types.ModuleType("cupy")
    cupy.cuda = types.SimpleNamespace(
        Device=lambda index: Entered("device", index), Stream=types.SimpleNamespace()
    )
    if version < 14:
        cupy.cuda.ExternalStream = lambda ptr, index: Entered("stream", ptr)
    else:
        cupy.cuda.Stream.from_external = lambda stream: Entered("stream", stream.ptr)
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    holding = Holding(cuda)
    pool = types.SimpleNamespace(
        malloc=lambda nbytes: holding.allocate(nbytes, gpuarray.current_stream())
    )
    with gpuarray.using_allocator(memory.cupy_allocator(pool)):
        a = gpuarray.empty(100)
    assert entered == [("device", 0), ("stream", gpuarray.current_stream().ptr)]
    del a
    assert holding.last() is None


def use(resource):
    with gpuarray.using_allocator(resource):
        one, two = gpuarray.Stream(), gpuarray.Stream()
        with one:
            a = gpuarray.full(100_000, 3)
        with two:
            b = a * 2
            del a
        with one:
            c = gpuarray.full(100_000, 5)
        assert (b == 6).all()
        assert (c == 5).all()


@pytest.mark.cuda
def test_cupy(cuda):
    cupy = pytest.importorskip("cupy")
    pool = cupy.cuda.MemoryPool()
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        use(memory.cupy_allocator(pool))
    assert pool.total_bytes() > 0
    assert pool.used_bytes() == 0


@pytest.mark.cuda
def test_torch(cuda):
    torch = pytest.importorskip("torch")
    before = torch.cuda.memory_allocated()
    use(memory.torch_allocator())
    assert torch.cuda.memory_allocated() == before


@pytest.mark.cuda
def test_rmm(cuda):
    rmm = pytest.importorskip("rmm")
    resource = rmm.mr.StatisticsResourceAdaptor(rmm.mr.CudaAsyncMemoryResource())
    use(memory.rmm_allocator(resource))
    assert resource.allocation_counts.current_bytes == 0


@pytest.mark.cuda
def test_operations_wait_for_each_other(cuda):
    """An allocator that asks for the stream's handle does not end the group it allocates for."""

    class Pool:
        def __init__(self):
            self.block = gpuarray.empty(1 << 24, "uint8", device=cuda)
            self.next = self.block.ptr

        def allocate(self, nbytes, stream):
            assert stream.__cuda_stream__() == (0, stream.ptr)
            found, self.next = self.next, self.next + -(-nbytes // 512) * 512
            return found

        def deallocate(self, ptr, nbytes, stream):
            assert str(stream.device) == cuda

    _core._forget_sequences()
    with memory.using_allocator(Pool()), gpuarray.fusion("auto"):
        x = gpuarray.arange(1 << 16, dtype="float32", device=cuda)
        before = gpuarray.fusion_stats()
        for _ in range(8):
            y = (x * 2 + 3) ** 2 + 1
            gpuarray.synchronize()
            _core._finish_compilations()
        assert gpuarray.fusion_stats().operations - before.operations >= 8
        assert_same(y, (np.arange(1 << 16, dtype="float32") * 2 + 3) ** 2 + 1)
        del x, y
