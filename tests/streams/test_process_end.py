# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Processes that are spawned, and interpreters that end in any state without a word."""

import os
import sys
import textwrap

import pytest
from _support.faults import PLACES, START, run_silently
from _support.process import inherited_driver, run_python


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_started_processes_work(place, method, tmp_path):
    (tmp_path / "work_of_child.py").write_text(
        textwrap.dedent("""
            import warnings
            warnings.simplefilter("ignore")
            import numpy as np, gpuarray

            def work(number):
                x = gpuarray.to_device(np.full(4, number))
                return str(x.device), x.get().tolist()
        """)
    )
    run_silently(
        f"""
import sys
sys.path.insert(0, {str(tmp_path)!r})
import multiprocessing
from work_of_child import work

if __name__ == "__main__":
    here = work(1)
    context = multiprocessing.get_context({method!r})
    with context.Pool(2) as pool:
        assert pool.map(work, [1, 2]) == [here, (here[0], [2] * 4)]
""",
        place,
    )


# Daemon threads, one for each of `calls`, which make them again and again.
AGAIN = """
import threading, time
started = threading.Barrier(1 + len(calls))
def again(call):
    started.wait()
    while True:
        call()
for call in calls:
    threading.Thread(target=again, args=(call,), daemon=True).start()
started.wait()
time.sleep(0.05)
"""

ENDS = {
    "globals": """
a = gpuarray.ones((3, 4))
stream = gpuarray.Stream()
with stream:
    b = a + 1
view = memoryview(b)
capsule = b.__dlpack__()
shared = np.from_dlpack(gpuarray.ones(3, device="cpu"))
""",
    "an entered stream": """
stream = gpuarray.Stream()
stream.__enter__()
device = gpuarray.device("cpu")
device.__enter__()
a = gpuarray.ones(3)
""",
    "module globals": """
import sys, builtins, types
module = types.ModuleType("later")
module.a, module.stream = gpuarray.ones(3), gpuarray.Stream()
sys.modules["later"] = module
builtins.kept = [gpuarray.ones(3), gpuarray.Stream(), gpuarray]
sys.kept = gpuarray.ones(3).__dlpack__()
""",
    "cycles": """
import gc
gc.disable()
class Node:
    pass
node = Node()
node.me, node.array, node.stream = node, gpuarray.ones((3, 4)), gpuarray.Stream()
node.views = [node.array[1:], memoryview(node.array)]
del node
""",
    "atexit": """
import atexit
a = gpuarray.ones((3, 4))
@atexit.register
def last():
    assert (a + 1).get().shape == (3, 4)
    assert gpuarray.Stream().done
    print("used", end="")
""",
    "finalizers": """
class Last:
    def __init__(self):
        self.array, self.stream = gpuarray.ones(3), gpuarray.Stream()
    def __del__(self):
        try:
            self.array + 1
            self.array.get()
            self.stream.synchronize()
        except BaseException:
            pass
kept = [Last(), gpuarray.ones(4)]
kept.append(kept)
""",
    "threads": """
import threading
def work():
    x = gpuarray.ones(1000)
    with gpuarray.Stream():
        for _ in range(200):
            x = x + 1
        x.get()
for _ in range(4):
    threading.Thread(target=work).start()
""",
    "daemon threads": """
import threading, time
started = threading.Barrier(5)
def transfers():
    started.wait()
    while True:
        gpuarray.to_device(np.ones(300_000)).get()
def launches():
    x = gpuarray.ones(1000)
    stream = gpuarray.Stream()
    started.wait()
    while True:
        with stream:
            x = x + 1
            x.sum().item()
for target in (transfers, launches) * 2:
    threading.Thread(target=target, daemon=True).start()
started.wait()
time.sleep(0.05)
""",
    "daemon threads in NumPy": """
host = np.arange(30_000.0)
x = gpuarray.to_device(host, device="cpu")
y, m = x.copy(), x[:22_500].reshape(150, 150)
calls = [
    lambda: gpuarray.interp(x, x, x), lambda: gpuarray.sort(x), lambda: m @ m,
    lambda: gpuarray.argpartition(x, 9), lambda: y.fill(3.0),
    lambda: gpuarray.to_device(host, dtype="int32", device="cpu"),
]
"""
    + AGAIN,
    "daemon threads in methods of the caller's": """
class Three:
    def __index__(self):
        return sum(range(300)) // 14950  # takes a while
x = gpuarray.ones(30_000)
calls = [lambda: x.reshape(Three(), 10_000)] * 3
"""
    + AGAIN,
    "finalizers beside daemon threads": """
import os, sys
class Last:
    def __init__(self):
        self.array = gpuarray.ones(30_000, device="cpu")
    def __del__(self, write=os.write):  # the globals are gone by then
        assert (self.array + 1).sum().item() == 60_000
        write(1, b"used")
x = gpuarray.to_device(np.ones(30_000), device="cpu")
y = x.copy()
calls = [lambda: (x + 1 + x).sum().item(), lambda: gpuarray.sort(x), lambda: y.fill(3.0)]
sys.kept = Last()
"""
    + AGAIN,
    "threads local": """
import threading
local = threading.local()
def work():
    local.array, local.stream = gpuarray.ones(5), gpuarray.Stream()
    local.stream.__enter__()
thread = threading.Thread(target=work)
thread.start()
thread.join()
local.array, local.stream = gpuarray.ones(5), gpuarray.Stream()
""",
    "host functions": """
import threading, time
never, started = threading.Event(), threading.Event()
stream = gpuarray.Stream()
def wait():
    started.set()
    # Asks for the GIL again and again; a driver that is done at once calls it on the main thread.
    while threading.current_thread() is not threading.main_thread() and not never.wait(0.001):
        pass
if stream.device.kind == "cuda":
    stream.launch_host_func(wait)
    started.wait()
""",
    "pending work": """
x = gpuarray.ones(1 << 16)
for _ in range(300):
    x = x * 2
kept = [gpuarray.ones(10) for _ in range(100)]
""",
    "an exception": """
import sys
a = gpuarray.ones(3)
sys.excepthook = lambda *args: None
try:
    a + gpuarray.ones(4)
except ValueError as error:
    kept = error
""",
    "import alone": "",
}


@pytest.mark.parametrize("blocking", ["0", "1"], ids=["", "blocking"])
@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("place", PLACES)
def test_ends_without_a_word(place, end, blocking):
    # Threads of OpenBLAS, which NumPy ends, may hang if products are computed meanwhile.
    variables = {"GPUARRAY_LAUNCH_BLOCKING": blocking, "OPENBLAS_NUM_THREADS": "1"}
    out = run_silently(START + ENDS[end], place, **variables)
    assert out == ("used" if end in ("atexit", "finalizers beside daemon threads") else "")


def test_functions_called_at_exit_compute_beside_daemon_threads():
    """Those that were registered before the import are called after gpuarray's own."""
    out = run_silently(
        """
import atexit
@atexit.register
def last():
    for _ in range(20):
        assert gpuarray.interp(x, x, x)[-1] == 29_999
    print("used", end="")
"""
        + START
        + """
import threading
x = gpuarray.to_device(np.arange(30_000.0))
y, started = x.copy(), threading.Event()
def write():
    while True:
        y[...] = x
        started.set()
threading.Thread(target=write, daemon=True).start()
started.wait()
""",
        "cpu",
        timeout=60,
    )
    assert out == "used"


@pytest.mark.parametrize("place", PLACES)
def test_os_exit_and_system_exit(place):
    run_silently(START + "a = gpuarray.ones(3) + 1\nimport os; os._exit(0)\n", place)
    run_silently(START + "a = gpuarray.ones(3) + 1\nraise SystemExit(0)\n", place)


def test_sub_interpreters_are_refused():
    names = "_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters"
    out = run_silently(
        f"""
import {names} as interpreters
import gpuarray
number = interpreters.create()
code = '''
try:
    import gpuarray._core
except ImportError as error:
    print("refused", flush=True)
'''
interpreters.run_string(number, code)
interpreters.destroy(number)
assert (gpuarray.ones(3, device="cpu") + 1).tolist() == [2, 2, 2]
""",
        "cpu",
        PYTHONWARNINGS="ignore",
    )
    assert out == "refused\n"


LOSE_CONTEXT = """
    import ctypes, os
    ctypes.CDLL(os.environ["GPUARRAY_LIBCUDA"]).test_driver_fail(
        b"cuStreamSynchronize", ctypes.c_int64(1), 700
    )
    with contextlib.suppress(RuntimeError):
        (x + 1).synchronize()
"""


@pytest.mark.cuda
@pytest.mark.parametrize("is_lost", [False, True])
def test_compilations_in_the_background_end_before_the_compiler(cuda, is_lost):
    """What the compiler's library destroys when the process ends, a thread in it would use."""
    if is_lost and "GPUARRAY_TEST_DRIVER" not in os.environ:
        pytest.skip("loses the context of the test driver")
    code = f"""
    import atexit, contextlib, pathlib, time

    def compile_threads(expected):
        for _ in range(2000):
            found = 0
            for path in pathlib.Path("/proc/self/task").glob("*/comm"):
                with contextlib.suppress(OSError):
                    found += path.read_text() == "gpuarray-nvrtc\\n"
            if found == expected:
                break
            time.sleep(0.001)
        print(found)

    atexit.register(compile_threads, 0)  # what is registered later is called earlier
    import gpuarray
    x = gpuarray.ones(1 << 16, "float32", device={cuda!r})
    with gpuarray.fusion("always"):
        for _ in range(8):
            (x * 3 + 1).synchronize()
    compile_threads(1)
    {LOSE_CONTEXT.strip() if is_lost else ""}
    """
    assert run_python(code, **inherited_driver()) == "1\n0\n"
