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
