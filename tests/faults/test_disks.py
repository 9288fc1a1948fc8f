# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Disks that are full or read-only, homes that are none, clocks that jump: kernels are right."""

import os
import re
from pathlib import Path

import pytest
from _support.faults import START, run_silently

ROOT = Path(__file__).resolve().parents[2]
KERNEL = (
    START
    + """
import glob, os, resource

a = gpuarray.arange(5.0)
right = [2, 5, 8, 11, 14]
kernel = gpuarray.ElementwiseKernel("T x", "T y", "y = 3 * x + 2")

def leave(nbytes):
    '''Let files grow to so many bytes: writing more fails, as on a full disk.'''
    resource.setrlimit(resource.RLIMIT_FSIZE, (nbytes, resource.RLIM_INFINITY))
"""
)


@pytest.mark.parametrize("home", [None, "", "/proc", "/dev/null", "/proc/nowhere", "a file"])
def test_a_home_without_a_cache(home, tmp_path):
    """The home is missing, read-only or a file; nothing is said, and nothing is stored."""
    file = tmp_path / "file"
    file.write_text("mine")
    code = f"import os; os.environ.pop('HOME')\n{KERNEL}" if home is None else KERNEL
    run_silently(
        code
        + """
assert kernel(a).tolist() == right
assert gpuarray.cache_info()[1:3] == (0, 0) and gpuarray.cache_info().stores == 0
""",
        "cpu",
        GPUARRAY_CACHE_DIR="",
        XDG_CACHE_HOME="",
        HOME=str(file) if home == "a file" else home or "",
    )
    assert file.read_text() == "mine"


def test_a_full_disk_stores_nothing_and_leaves_nothing(tmp_path):
    run_silently(
        KERNEL
        + f"""
key = "0" * 64
leave(1000)
gpuarray._core._cache_store(key, bytes(100_000))
assert gpuarray._core._cache_load(key) is None
assert os.listdir({str(tmp_path)!r}) == [], "no half of a file stays"
leave(resource.RLIM_INFINITY)
gpuarray._core._cache_store(key, bytes(100_000))
assert gpuarray._core._cache_load(key) == bytes(100_000)
assert kernel(a).tolist() == right and gpuarray.cache_info().entries == 2
""",
        "cpu",
        GPUARRAY_CACHE_DIR=str(tmp_path),
    )


@pytest.mark.parametrize("time", [0, -1e9, 1, 4e9], ids=["1970", "1938", "1970 and 1 s", "2096"])
def test_entries_of_any_time_are_used(time, tmp_path):
    cache = {"GPUARRAY_CACHE_DIR": str(tmp_path)}
    run_silently(KERNEL + "assert kernel(a).tolist() == right", "cpu", **cache)
    [entry] = tmp_path.iterdir()
    os.utime(entry, (time, time))
    os.utime(tmp_path, (time, time))
    loaded = "assert kernel(a).tolist() == right and gpuarray.cache_info().hits == 1"
    run_silently(KERNEL + loaded, "cpu", **cache)


@pytest.mark.parametrize("place", ["/proc/nowhere", "/dev/null", "/proc"])
def test_without_a_folder_for_temporary_files_the_message_names_it(place, tmp_path):
    run_silently(
        KERNEL
        + f"""
os.environ["TMPDIR"] = {place!r}
try:
    kernel(a)
    raise SystemExit("no error")
except gpuarray.DeviceError as error:
    assert {place!r} in str(error) and "TMPDIR" in str(error), error
os.environ["TMPDIR"] = {str(tmp_path)!r}
assert kernel(a).tolist() == right
assert os.listdir({str(tmp_path)!r}) == []
""",
        "cpu",
        GPUARRAY_CACHE_BYTES="0",
    )


@pytest.mark.parametrize("left", [0, 1000])
def test_a_full_disk_for_temporary_files_is_told(left, tmp_path):
    run_silently(
        KERNEL
        + f"""
leave({left})
try:
    kernel(a)
    raise SystemExit("no error")
except (gpuarray.DeviceError, gpuarray.CompileError) as error:
    assert {str(tmp_path)!r} in str(error) and "File too large" in str(error), error
    assert "TMPDIR" in str(error), error
leave(resource.RLIM_INFINITY)
assert kernel(a).tolist() == right
assert os.listdir({str(tmp_path)!r}) == []
""",
        "cpu",
        TMPDIR=str(tmp_path),
        GPUARRAY_CACHE_BYTES="0",
    )


def test_a_disk_that_fills_up_during_a_compilation_is_told(tmp_path):
    compiler = tmp_path / "c++"
    compiler.write_text('#!/bin/sh\nulimit -f 1\nexec c++ "$@"\n')
    compiler.chmod(0o755)
    folder = tmp_path / "folder"
    folder.mkdir()
    run_silently(
        KERNEL
        + f"""
try:
    kernel(a)
    raise SystemExit("no error")
except gpuarray.DeviceError as error:
    assert {str(folder)!r} in str(error) and "TMPDIR" in str(error), error
assert os.listdir({str(folder)!r}) == []
""",
        "cpu",
        CXX=str(compiler),
        TMPDIR=str(folder),
        GPUARRAY_CACHE_BYTES="0",
    )


def test_only_the_cache_looks_at_the_systems_clock():
    """So that nothing else has to be right when it jumps."""
    clock = r"system_clock|file_clock|gettimeofday|CLOCK_REALTIME|time\.time\(|\.now\(\)|\btime\("
    files = [*(ROOT / "src").rglob("*.?pp"), *(ROOT / "gpuarray").rglob("*.py")]
    assert len(files) > 400
    found = [
        f"{file.relative_to(ROOT)}: {name}"
        for file in files
        for name in re.findall(clock, file.read_text())
    ]
    assert found == ["src/runtime/cache/disk_cache.cpp: time("]  # how old its files are
