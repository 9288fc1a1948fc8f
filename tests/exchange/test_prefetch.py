# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""prefetch_to_device: what is read ahead, where it is copied, and how the reading ends."""

import gc
import sys
import threading
import weakref

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest
from _support.pending import zeros_later

import gpuarray
from gpuarray import prefetch_to_device

WAIT = 30  # seconds until a test that would hang fails


def readers():
    return [t for t in threading.enumerate() if t.name.startswith("gpuarray-prefetch")]


@hypothesis.given(n=st.integers(0, 9), size=st.integers(1, 12), step=st.integers(1, 5))
@hypothesis.settings(max_examples=40)
def test_every_item_in_order(device, n, size, step):
    x = np.arange(n * 4.0).reshape(n, 4)
    parts = [x[i : i + step] for i in range(0, n, step)]
    got = list(prefetch_to_device(iter(parts), size))
    assert [a.device for a in got] == [device] * len(parts)
    for a, part in zip(got, parts, strict=True):
        np.testing.assert_array_equal(a.get(), part)
    assert not readers()


def test_items(device):
    x = np.arange(6.0).reshape(2, 3)
    ours = gpuarray.ones(2)
    items = [(x, x[:, ::2]), 5.0, [1, 2], ours, x.T]
    (a, b), scalar, listed, same, transposed = prefetch_to_device(items)
    np.testing.assert_array_equal(a.get(), x)
    np.testing.assert_array_equal(b.get(), x[:, ::2])
    assert (scalar.item(), listed.tolist()) == (5.0, [1, 2])
    assert same is ours
    np.testing.assert_array_equal(transposed.get(), x.T)


def test_a_mapped_file(device, tmp_path):
    x = np.arange(1 << 16, dtype="float32").reshape(64, -1)
    np.save(tmp_path / "x.npy", x)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    total = 0.0
    for part in prefetch_to_device(mapped[i : i + 10] for i in range(0, 64, 10)):
        total += float(part.sum(dtype="float64"))
    assert total == x.sum(dtype="float64")


def test_the_next_is_read_while_one_is_in_use(device):
    read = [threading.Event() for _ in range(6)]

    def items():
        for i, event in enumerate(read):
            event.set()
            yield np.full(3, i)

    for i, a in enumerate(prefetch_to_device(items(), 2)):
        for event in read[: i + 3]:
            assert event.wait(WAIT)
        assert a.tolist() == [i] * 3


def test_no_more_than_size_is_read_ahead(device):
    count = 0

    def items():
        nonlocal count
        for i in range(50):
            count += 1
            yield np.full(3, i)

    for i, _ in enumerate(prefetch_to_device(items(), 3)):
        assert count <= i + 4


def test_a_copy_does_not_wait_for_work_on_the_items_before(device):
    """The copies have a stream of their own, and work on other streams waits for them."""
    streams = []

    def items():
        for i in range(4):
            streams.append(gpuarray.current_stream(device))
            yield np.full((64, 64), i, "float32")

    mine = gpuarray.Stream(device)
    results = []
    with mine:
        for a in prefetch_to_device(items()):
            later = 0 if device == "cpu" else zeros_later()[:64, :64]
            results.append(a + later + 1)
            assert gpuarray.current_stream(device) == mine
    assert [r[3, 5].item() for r in results] == [1, 2, 3, 4]
    assert device == "cpu" or mine not in streams
    assert all(stream == streams[0] for stream in streams)


def test_the_iterable_may_give_arrays_of_the_device(device):
    def items():
        for i in range(3):
            yield gpuarray.full(4, i) * 2

    assert [a.tolist() for a in prefetch_to_device(items())] == [[0] * 4, [2] * 4, [4] * 4]


def test_a_device_that_is_named(device):
    assert [str(a.device) for a in prefetch_to_device([np.ones(3)], device="cpu")] == ["cpu"]
    with pytest.raises(gpuarray.DeviceError):
        prefetch_to_device([], device="cuda:77")


def test_errors_come_in_their_place(device):
    def items():
        yield np.ones(2)
        raise KeyError("no such chunk")

    found = prefetch_to_device(items(), 5)
    assert next(found).tolist() == [1, 1]
    with pytest.raises(KeyError, match="no such chunk"):
        next(found)
    assert list(found) == []
    assert not readers()
    with pytest.raises(TypeError, match="dtype '<U1' is not supported"):
        list(prefetch_to_device([np.array("a")]))


def test_leaving_early_ends_the_reading(device):
    count = 0

    def items():
        nonlocal count
        while True:
            count += 1
            yield np.ones(3)

    for a in prefetch_to_device(items(), 2):
        if a.shape == (3,):
            break
    assert not readers()
    before = count
    assert before <= 4
    found = prefetch_to_device(items(), 2)
    found.close()
    assert count == before  # nothing is read before the first item is asked for


@pytest.mark.parametrize("size", [0, -1])
def test_sizes_out_of_range(size):
    with pytest.raises(ValueError, match=f"size: expected at least 1, got {size}"):
        prefetch_to_device([], size)


def test_bad_arguments():
    with pytest.raises(TypeError, match="size: expected an int, got float"):
        prefetch_to_device([], 2.0)
    with pytest.raises(TypeError, match="expected an iterable, got int"):
        prefetch_to_device(3)


@pytest.mark.cuda
def test_memory_is_bounded(cuda):
    """A loop that queues slow work and waits for nothing does not fill the device."""
    nbytes = 1 << 20
    gpuarray.synchronize()
    before = gpuarray.memory_stats()["bytes_in_use"]
    most = 0
    for a in prefetch_to_device((np.zeros(nbytes, "uint8") for _ in range(30)), 2):
        zeros_later()
        a += 1
        most = max(most, gpuarray.memory_stats()["bytes_in_use"] - before)
        del a
    small = 12 * zeros_later().nbytes
    assert most <= 4 * nbytes + small


@pytest.mark.cuda
def test_kvikio(cuda, tmp_path):
    """CuFile takes arrays of the device by themselves, once nothing is pending on their memory."""
    kvikio = pytest.importorskip("kvikio")
    x = np.arange(1000, dtype="float32").reshape(10, 100)
    np.save(tmp_path / "x.npy", x)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    a = gpuarray.empty(mapped.shape, mapped.dtype)
    gpuarray.current_stream().synchronize()
    with kvikio.CuFile(tmp_path / "x.npy") as file:
        assert file.read(a, file_offset=mapped.offset) == a.nbytes
    np.testing.assert_array_equal(a.get(), x)
    b = (a + 1).synchronize()
    with kvikio.CuFile(tmp_path / "y.bin", "w") as file:
        assert file.write(b) == b.nbytes
    np.testing.assert_array_equal(np.fromfile(tmp_path / "y.bin", "f4").reshape(10, 100), x + 1)


def test_a_generator_with_a_stream_of_its_own(device):
    def parts():
        with gpuarray.Stream(device):
            for k in range(4):
                yield np.full(3, k)

    assert [a.tolist() for a in gpuarray.prefetch_to_device(parts())] == [[k] * 3 for k in range(4)]


@pytest.mark.parametrize("size", [True, 1.5, "2", None])
def test_sizes_that_are_no_integers(device, size):
    with pytest.raises(TypeError, match="size: expected an int"):
        gpuarray.prefetch_to_device([np.ones(2)], size)


def test_sizes_of_numpy(device):
    assert len(list(gpuarray.prefetch_to_device([np.ones(2)] * 3, np.int64(1)))) == 3


def test_a_generator_that_the_collector_ends_on_its_own_thread(device, monkeypatch):
    unraisable, dropped, collected = [], threading.Event(), threading.Event()
    monkeypatch.setattr(sys, "unraisablehook", unraisable.append)

    def parts():
        yield np.ones(2)
        dropped.wait(WAIT)
        gc.collect()
        collected.set()
        yield np.ones(2)

    gc.disable()
    try:
        cycle = [gpuarray.prefetch_to_device(parts(), 1)]
        ended = weakref.ref(cycle[0])
        cycle.append(cycle)
        assert next(cycle[0]).tolist() == [1, 1]
        del cycle
        assert ended() is not None
        dropped.set()
        assert collected.wait(WAIT)
    finally:
        gc.enable()
    assert ended() is None
    assert not unraisable
