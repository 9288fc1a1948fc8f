# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""DebugResource: what it finds, and which line it names."""

import os
import subprocess
import sys
import warnings

import numpy as np
import pytest

import gpuarray
from gpuarray import memory

MIB = 2**20


@pytest.fixture
def debug(device):
    return memory.DebugResource(memory.PoolResource(memory.DriverResource(device)))


def this_line():
    return sys._getframe(1).f_lineno


def write_at(device, address):
    """Puts one wrong byte there."""
    interface = {"shape": (1,), "typestr": "|u1", "data": (address, False), "version": 3}
    if device == "cpu":
        holder = type("Holder", (), {"__array_interface__": interface})()
        np.asarray(holder)[0] = 0x55
    else:
        holder = type("Holder", (), {"__cuda_array_interface__": interface})()
        gpuarray.asarray(holder).set(np.full(1, 0x55, np.uint8))
        gpuarray.synchronize()


def test_correct_programs_pass(debug, device):
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message="memory debug")
        with gpuarray.using_allocator(debug):
            for size in (1, 31, 32, 255, 256, 257, 100_000):
                a = gpuarray.arange(size)
                b = a[::-1] + a
                np.testing.assert_array_equal(b.get(), np.full(size, size - 1))
            del a, b
    assert debug.live_blocks() == []


@pytest.mark.parametrize("offset", [-256, -1, 100, 300])
def test_writes_outside_are_found(debug, device, offset):
    with gpuarray.using_allocator(debug):
        a, line = gpuarray.zeros(100, np.uint8), this_line()
    write_at(device, a.ptr + offset)
    where = "before" if offset < 0 else "after"
    site = f"{__file__}:{line}"
    with pytest.warns(RuntimeWarning, match=f"1 bytes {where} a block of 100 bytes") as caught:
        del a
    assert site in str(caught[0].message)
    assert f"offset {offset}" in str(caught[0].message)
    assert debug.live_blocks() == []


@pytest.mark.parametrize("offset", [-1, 0, 99, 100])
def test_writes_after_the_free_are_found(debug, device, offset):
    with gpuarray.using_allocator(debug):
        a, line = gpuarray.zeros(100, np.uint8), this_line()
    address = a.ptr
    del a
    freed_line = this_line() - 1
    write_at(device, address + offset)
    with pytest.warns(RuntimeWarning, match="1 bytes of a block of 100 bytes") as caught:
        debug.release_cached()
    message = str(caught[0].message)
    assert f"allocated at {__file__}:{line} were written" in message
    assert f"freed at {__file__}:{freed_line}, the first at offset {offset}" in message
    assert len(caught) == 1


def test_freed_memory_is_not_used_again_at_once(debug):
    size = MIB - 512  # with its guards
    blocks = [debug.allocate(size) for _ in range(17)]
    for ptr in blocks[:16]:
        debug.deallocate(ptr, size)
    usage = debug.usage()
    assert usage.used == MIB
    assert usage.cached >= 16 * MIB
    assert usage.free_blocks >= 16
    assert debug.allocate(size) not in blocks
    debug.deallocate(blocks[16], size)  # lets the first one go
    assert debug.usage().used == MIB
    assert debug.allocate(size) == blocks[0]


def test_a_late_write_is_found_as_others_are_freed(debug, device):
    ptr = debug.allocate(100)
    debug.deallocate(ptr, 100)
    write_at(device, ptr)
    block = debug.allocate(16 * MIB - 512)
    with pytest.warns(RuntimeWarning, match="written after it was freed"):
        debug.deallocate(block, 16 * MIB - 512)


def test_a_late_write_is_found_at_the_end(device):
    debug = memory.DebugResource(memory.DriverResource(device))
    ptr = debug.allocate(100)
    debug.deallocate(ptr, 100)
    write_at(device, ptr)
    with pytest.warns(RuntimeWarning, match="written after it was freed"):
        del debug


def test_kept_memory_is_given_where_there_is_no_other(device):
    limited = memory.LimitResource(memory.DriverResource(device), MIB)
    debug = memory.DebugResource(limited)
    for _ in range(3):
        debug.deallocate(debug.allocate(MIB // 2), MIB // 2)
    with pytest.raises(gpuarray.OutOfMemoryError):
        debug.allocate(MIB)
    assert debug.usage().used == 0


@pytest.mark.cuda
def test_a_capture_stands_frees(cuda):
    """Nothing is looked at on a stream whose work is captured."""
    debug = memory.DebugResource(memory.PoolResource(memory.DriverResource()))
    with gpuarray.using_allocator(debug):
        a = [gpuarray.zeros(2 * MIB, np.uint8) for _ in range(9)]
        b = gpuarray.ones(3)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message="memory debug")
        with gpuarray.capture() as graph:
            c = b + 1
            del a
    graph.launch()
    assert c.tolist() == [2] * 3


def test_double_frees_are_refused(debug):
    ptr = debug.allocate(100)
    debug.deallocate(ptr, 100)
    with pytest.warns(RuntimeWarning, match="freed twice"):
        debug.deallocate(ptr, 100)


def test_foreign_pointers_are_refused(debug):
    with pytest.warns(RuntimeWarning, match="not allocated here"):
        debug.deallocate(2**40, 100)


def test_a_warning_that_is_an_error_goes_to_the_hook(debug, monkeypatch):
    seen = []
    monkeypatch.setattr(sys, "unraisablehook", lambda args: seen.append(str(args.exc_value)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        debug.deallocate(2**40, 100)
    assert len(seen) == 1
    assert "not allocated here" in seen[0]


def test_live_blocks_name_their_lines(debug, device):
    with gpuarray.using_allocator(debug):
        a, line = gpuarray.zeros(100, np.uint8), this_line()
        b, next_line = gpuarray.linspace(0, 1, 50), this_line()  # made in Python
    blocks = {block.nbytes: block for block in debug.live_blocks()}
    assert blocks[100].site == f"{__file__}:{line}"
    assert blocks[100].ptr == a.ptr
    assert blocks[400].site == f"{__file__}:{next_line}"
    del a
    assert [block.ptr for block in debug.live_blocks()] == [b.ptr]


PROGRAM = """
import sys, warnings
warnings.simplefilter("always")
import gpuarray.memory as m
device = sys.argv[1]
print("Debug" in repr(m.get_allocator(device)))
"""


@pytest.mark.parametrize(("value", "found"), [("1", "True"), ("0", "False"), ("", "False")])
def test_the_environment_switches_it_on(device, value, found):
    done = subprocess.run(
        [sys.executable, "-P", "-c", PROGRAM, device],
        env={**os.environ, "GPUARRAY_MEMORY_DEBUG": value},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stdout.strip() == found
