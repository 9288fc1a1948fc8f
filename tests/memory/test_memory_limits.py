# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Limits, running out of memory, and what there is."""

import gc
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from _support.process import run_python

import gpuarray
from gpuarray import memory

MIB = 2**20


@pytest.fixture
def limited(device):
    """Sets a limit above what is held now, and takes it away afterwards."""
    gc.collect()
    memory.release_cached(device)
    before = memory.memory_limit(device)

    def limit(nbytes):
        gpuarray.set_memory_limit(held(device) + nbytes, device)

    yield limit
    gpuarray.set_memory_limit(before, device)


def held(device):
    """What the device's own resource has taken, as its LimitResource counts it."""
    resource = memory.get_allocator(device)
    while not repr(resource).startswith("<gpuarray.memory.LimitResource"):
        resource = resource.upstream
    return resource.usage().used


def test_a_limit_is_kept(device, limited):
    limited(64 * MIB)
    arrays = []
    with pytest.raises(gpuarray.OutOfMemoryError):
        while True:
            arrays.append(gpuarray.ones(4 * MIB, np.uint8))
    assert 12 <= len(arrays) <= 16
    assert all(int(array[0]) == 1 for array in arrays)
    del arrays
    assert int(gpuarray.ones(48 * MIB, np.uint8)[-1]) == 1  # of what was cached in small pieces
    gpuarray.set_memory_limit(None, device)
    assert int(gpuarray.ones(128 * MIB, np.uint8)[-1]) == 1


def test_the_error_tells_all(device, limited):
    limited(64 * MIB)
    kept = gpuarray.ones(1000, np.uint8)
    with pytest.raises(gpuarray.OutOfMemoryError) as caught:
        gpuarray.empty(256 * MIB, np.uint8)
    error = caught.value
    assert error.asked >= 256 * MIB
    assert error.used == gpuarray.memory_stats(device)["bytes_in_use"]
    assert error.limit == memory.memory_limit(device)
    assert error.cached >= 0
    assert error.largest_free_block >= 0
    assert 0 < error.free <= memory.memory_info(device).total
    text = str(error)
    for part in (f"{device}: out of memory", str(error.asked), "in use by arrays", "cached"):
        assert part in text
    for part in ("largest block", "free of", "limit"):
        assert part in text
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == text
    assert (again.asked, again.limit) == (error.asked, error.limit)
    assert (kept == 1).all()


def test_the_error_without_a_limit(device):
    with pytest.raises(gpuarray.OutOfMemoryError) as caught:
        gpuarray.empty(2**48, np.uint8)
    assert caught.value.asked >= 2**48
    assert caught.value.limit == memory.memory_limit(device)


def test_how_a_limit_is_given(device, limited):
    total = gpuarray.Device(device).total_memory
    for given, expected in {
        "1GiB": 2**30,
        "1.5 GB": 1_500_000_000,
        "50%": total // 2,
        0.5: total // 2,
        123_456_789: 123_456_789,
        None: None,
    }.items():
        gpuarray.set_memory_limit(given, device)
        got = memory.memory_limit(device)
        assert got == expected or abs(got - expected) <= 1
    for wrong in ("", "much", "-1GiB", "0", -1, 0.0, 1.5, -0.5, float("nan")):
        with pytest.raises(ValueError, match="set_memory_limit: expected"):
            gpuarray.set_memory_limit(wrong, device)
    for wrong in ([], 1j):
        with pytest.raises(TypeError):
            gpuarray.set_memory_limit(wrong, device)


def test_what_there_is(device):
    info = gpuarray.memory_info(device)
    assert 0 < info.free <= info.total
    assert info.used == gpuarray.memory_stats(device)["bytes_in_use"]
    assert info.limit == memory.memory_limit(device)
    assert info.cached >= 0
    assert info.largest_free_block >= 0
    a = gpuarray.empty(MIB, np.uint8)
    assert gpuarray.memory_info(device).used == info.used + MIB
    del a


def test_cached_memory_is_released(device):
    source = memory.StatisticsResource(memory.DriverResource(device))
    with gpuarray.using_allocator(memory.PoolResource(source)):
        gpuarray.ones(3 * MIB, np.uint8)
        gpuarray.ones(100, np.uint8)
        assert gpuarray.memory_info(device).cached >= 3 * MIB
        assert gpuarray.memory_info(device).largest_free_block >= 3 * MIB
        memory.release_cached(device)
        assert source.statistics()["bytes_in_use"] == 0
        assert gpuarray.memory_info(device).largest_free_block == 0


def run(text, **environment):
    done = subprocess.run(
        [sys.executable, "-P", "-c", text],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.returncode, done.stdout.strip(), done.stderr


LIMIT_OF = "import gpuarray.memory as m; print(m.memory_limit({!r}))"


def test_limit_of_the_environment(device):
    assert run(LIMIT_OF.format(device), GPUARRAY_MEMORY_LIMIT="1GiB")[1] == str(2**30)
    assert run(LIMIT_OF.format(device), GPUARRAY_MEMORY_LIMIT="")[1] == "None"
    total = gpuarray.Device(device).total_memory
    share = run(LIMIT_OF.format(device), GPUARRAY_MEMORY_LIMIT="25%")[1]
    assert int(share) == pytest.approx(total / 4, rel=1e-3)  # a container's memory may change


def test_wrong_limit_of_the_environment(device):
    code, _, error = run(
        f"import gpuarray; gpuarray.ones(3, device={device!r})", GPUARRAY_MEMORY_LIMIT="lots"
    )
    assert code == 1
    assert 'ValueError: GPUARRAY_MEMORY_LIMIT: expected bytes such as "4GiB"' in error
    assert 'got "lots"' in error


def test_a_limit_of_addresses_counts_as_memory_of_the_host():
    limit = 8 << 30
    out = run_python(f"""
        import resource
        resource.setrlimit(resource.RLIMIT_AS, ({limit}, {limit}))
        import gpuarray
        free, total = gpuarray.device("cpu").memory_info()
        print(free, total)
        try:
            gpuarray.empty(9 << 30, "uint8", device="cpu")
        except gpuarray.OutOfMemoryError as error:
            print(error.free)
    """)
    free, total, of_error = map(int, out.split())
    assert total <= limit and free < limit and of_error < limit
