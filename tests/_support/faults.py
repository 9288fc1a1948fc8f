# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Programs in interpreters of their own: on the cpu device, on the stub driver, on a real card."""

import os
import subprocess
import sys
import tempfile
import textwrap
from functools import cache
from pathlib import Path

import pytest

from _support.process import inherited_driver, run_python
from _support.stub_driver import build_stub

_FOLDER = tempfile.TemporaryDirectory(prefix="gpuarray-stub-")
REASON = "import gpuarray; print(gpuarray.show_config(mode='dicts').get('cuda_absent_reason', ''))"

PLACES = ["cpu", "stub", pytest.param("cuda:0", marks=pytest.mark.cuda)]

START = """
import warnings
warnings.simplefilter("ignore")
import numpy as np, gpuarray
"""

# In these programs `in_child` runs a function in a forked child, which then ends as usual.
FORK = (
    START
    + """
import os, sys, threading
a = gpuarray.ones((3, 4))
b = a + 1
stream = gpuarray.Stream()
pinned = gpuarray.to_device(np.ones(1 << 20))
b.get(), pinned.get()
view = memoryview(b)

def in_child(function):
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        function()  # an exception ends the child with status 1
        sys.exit(0)  # not os._exit: the interpreter ends as usual
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0

def in_children_beside(work, function, times=20):
    # Forks while 3 threads call work(number) again and again.
    stop, started = threading.Event(), [threading.Event() for _ in range(3)]

    def loop(number):
        while not stop.is_set():
            work(number)
            started[number].set()

    threads = [threading.Thread(target=loop, args=[number]) for number in range(3)]
    [thread.start() for thread in threads]
    [event.wait() for event in started]
    try:
        for _ in range(times):
            in_child(function)
    finally:
        stop.set()
        [thread.join() for thread in threads]
"""
)

# `thread` is a thread that submits an operation: from `inside` on until `go`.
SUBMITTING = """
inside, go, pool = threading.Event(), threading.Event(), gpuarray.memory.DriverResource()

class Allocator:
    def allocate(self, nbytes, stream):
        inside.set()
        go.wait()
        return pool.allocate(nbytes, stream)
    def deallocate(self, ptr, nbytes, stream):
        pool.deallocate(ptr, nbytes, stream)

def work():
    with gpuarray.memory.using_allocator(gpuarray.memory.ExternalResource(Allocator())):
        big.sum(out=out)

big, out = gpuarray.ones(1 << 20), gpuarray.empty(())
thread = threading.Thread(target=work)
"""

# In these programs `driver` is the stub, and `fail(nth, status, name)` makes its calls fail.
FAIL = """
import ctypes, os
driver = ctypes.CDLL(os.environ["GPUARRAY_LIBCUDA"])
driver.stub_failed.restype = ctypes.c_char_p
driver.stub_bytes_in_use.restype = ctypes.c_int64

def fail(nth, status, name=""):
    driver.stub_fail(name.encode(), ctypes.c_uint64(nth), status)
"""


@cache
def _stub() -> tuple[Path | None, str]:
    try:
        library = build_stub(Path(_FOLDER.name))
    except FileNotFoundError:
        return None, "there is no C++ compiler"
    reason = run_python(REASON, GPUARRAY_LIBCUDA=str(library)).strip()
    return library, reason and f"the stub driver has no device: {reason}"


def stub_library() -> Path:
    """Return the stub driver, built once; skips the test where it cannot be built.

    It also skips on the test driver, on which tests of the stub would only be repeated.
    """
    if "GPUARRAY_TEST_DRIVER" in os.environ:
        pytest.skip("has the stub driver, not the test driver")
    library, reason = _stub()
    if reason or library is None:
        pytest.skip(reason)
    return library


def variables_of(where: str) -> dict[str, str]:
    """Return the environment in which a program's device is `where`: "cpu", "stub" or "cuda:0"."""
    if where == "stub":
        library = str(stub_library())
        of_libraries = {"GPUARRAY_LIBCUDA": library, "GPUARRAY_LIBCUB": library}
        return {**of_libraries, "GPUARRAY_DEVICE": "cuda:0"}
    return {**inherited_driver(), "GPUARRAY_DEVICE": where}


def run_silently(code: str, where: str, timeout: float = 120, **environment: str) -> str:
    """Run `code`, which must succeed without standard error, and return its standard output."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("GPUARRAY_")}
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code)],
            env={**inherited, **variables_of(where), **environment},
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=timeout,
        )
    assert (done.returncode, done.stderr) == (0, ""), f"{done.returncode}: {done.stderr}"
    return done.stdout
