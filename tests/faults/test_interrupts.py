# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Ctrl-C during each wait: KeyboardInterrupt as soon as the wait ends, and all goes on."""

import os
import signal
import subprocess
import sys
import textwrap

import pytest
from _support.faults import SUBMITTING
from _support.process import inherited_driver

on_test_driver = pytest.mark.skipif(
    "GPUARRAY_TEST_DRIVER" not in os.environ, reason="on the test driver alone"
)

START = """
import os, signal, threading, time, warnings
warnings.simplefilter("ignore")
import numpy as np, gpuarray

host = np.arange(5000, dtype=np.float32)
a = gpuarray.to_device(host)

def interrupted(wait, go, begun=None):
    '''Press Ctrl-C amid the wait, once the file `begun` is there; it may end a little later.'''
    def press():
        time.sleep(0.15)
        while begun and not os.path.exists(begun):
            time.sleep(0.02)
        os.killpg(0, signal.SIGINT)  # as a terminal does
        time.sleep(0.15)
        go.set()

    thread = threading.Thread(target=press)
    thread.start()
    begin, ended = time.monotonic(), False
    try:
        wait()
        ended = True
        time.sleep(30)
    except KeyboardInterrupt:
        pass
    assert not ended, "the wait was over before, or the interrupt came late"
    assert 0.15 <= time.monotonic() - begin < 20
    thread.join()

def works():
    assert (a.get() == host).all()
    assert ((a * 2 + 1).get() == host * 2 + 1).all()
    assert a.sum().item() == host.sum()
    gpuarray.synchronize()
"""


def run(code: str, **environment: str) -> None:
    """Run a program in a session of its own, whose process group gets the signals."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("GPUARRAY_")}
    done = subprocess.run(
        [sys.executable, "-P", "-c", START + textwrap.dedent(code)],
        env={**inherited, **inherited_driver(), **environment},
        capture_output=True,
        text=True,
        timeout=120,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert done.returncode == 0 and not done.stderr, done.stderr


WAITS = {
    "a stream": "stream.synchronize()",
    "an event": "event.synchronize()",
    "a time": "begin.elapsed_time(event)",
    "the device": "gpuarray.synchronize()",
    "get": "x.get()",
    "get of many": "large.get()",
    "get into an array": "x.get(out=np.empty_like(host))",
    "item": "x[1].item()",
    "bool": "bool(x[1] > 0)",
    "repr": "repr(x)",
    "a selection": "x.__getitem__(x > 1)",
    "to cpu": "x.to_device('cpu')",
    "a buffer": "memoryview(x)",
    "a queued transfer": "x.get(blocking=False).wait()",
    "release of memory": "gpuarray.memory.release_cached()",
    "eigenvalues": "gpuarray.linalg.eigvalsh(square)",
    "a prefetched array": "next(gpuarray.prefetch_to_device(slow()))",
}


@on_test_driver
@pytest.mark.parametrize("wait", WAITS.values(), ids=WAITS)
def test_ctrl_c_while_the_device_works(wait):
    run(f"""
go = threading.Event()
stream, begin, event = gpuarray.Stream(), gpuarray.Event(), gpuarray.Event()
square = gpuarray.eye(520) * 2
begin.record()
begin.synchronize()

def slow():
    go.wait()
    yield host

for _ in range(2):
    go.clear()
    with stream:
        stream.launch_host_func(go.wait)
        x = a + 1
        large = gpuarray.zeros(1 << 20)
        event.record()
        interrupted(lambda: {wait}, go)
    assert (x.get() == host + 1).all(), "what was queued is done"
    works()
""")


@on_test_driver
def test_ctrl_c_while_another_thread_submits():
    run(
        SUBMITTING
        + """
thread.start()
inside.wait()
interrupted(lambda: a.__iadd__(1), go)
thread.join()
assert out.item() == 1 << 20
host += 1
works()
"""
    )


SLOW_COMPILER = """#!/bin/sh
touch {begun}
sleep 0.5
exec c++ "$@"
"""
KERNEL = "gpuarray.ElementwiseKernel('T x', 'T y', 'y = 3 * x + 2')(a)"


@pytest.mark.parametrize("place", ["cpu", pytest.param("cuda:0", marks=on_test_driver)])
def test_ctrl_c_while_a_kernel_is_compiled(place, tmp_path):
    """The compiler does not get the terminal's signal; what it made is kept."""
    compiler, begun = tmp_path / "c++", tmp_path / "begun"
    compiler.write_text(SLOW_COMPILER.format(begun=begun))
    compiler.chmod(0o755)
    code = f"""
interrupted(lambda: {KERNEL}, threading.Event(), {str(begun)!r})
stores = gpuarray.cache_info().stores
assert ({KERNEL}.get() == 3 * host + 2).all()
assert gpuarray.cache_info().stores == stores == 1, "it was compiled once"
works()
"""
    if place != "cpu":  # the test driver's compiler is a process of this group
        code = f"os.killpg = lambda _, number: os.kill(os.getpid(), number)\n{code}"
    variables = {"CXX": str(compiler), "GPUARRAY_CACHE_DIR": str(tmp_path / "cache")}
    run(code, GPUARRAY_DEVICE=place, **variables)


def test_ctrl_c_while_arrays_are_prefetched():
    run(
        """
go = threading.Event()

def slow():
    yield host
    go.wait()
    yield host + 1

arrays = gpuarray.prefetch_to_device(slow())
assert (next(arrays).get() == host).all()
interrupted(lambda: next(arrays), go)
works()
assert "gpuarray-prefetch" not in " ".join(thread.name for thread in threading.enumerate())
""",
        GPUARRAY_DEVICE="cpu",
    )
