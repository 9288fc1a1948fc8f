# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Forks while other threads own locks: the child works or is told, and waits for nobody."""

import os
import shutil
import subprocess

import pytest
from _support.faults import FORK, run_silently
from _support.process import inherited_driver, run_python

on_test_driver = pytest.mark.skipif(
    "GPUARRAY_TEST_DRIVER" not in os.environ, reason="on the test driver alone"
)
ALARM = "import signal\n"

# For each, `work` is what three threads of the parent do, and `child` what each child does.
BESIDE = {
    "drawing": """
def work(number):
    gpuarray.random.random(20_000)
def child():
    x = gpuarray.random.random(1000).get()
    assert ((0 <= x) & (x < 1)).all() and len(set(x.tolist())) > 990
""",
    "drawing from a generator": """
rng = gpuarray.random.default_rng(7)
def work(number):
    [rng.random, rng.standard_normal, rng.permutation][number](20_000)
def child():
    state = rng.bit_generator.state
    host = np.random.PCG64()
    host.state = state
    assert (rng.random(100).get() == np.random.Generator(host).random(100)).all()
""",
    "drawing from a Mersenne Twister": """
from gpuarray.random import Generator, MT19937
rng = Generator(MT19937(3))
def work(number):
    rng.random(5000)
def child():
    host = np.random.MT19937()
    host.state = rng.bit_generator.state
    assert (rng.random(2000).get() == np.random.Generator(host).random(2000)).all()
""",
    "code of others that draws in a draw": """
first, second = gpuarray.random.default_rng(1), gpuarray.random.default_rng(2)
Drawing = type("Drawing", (), {"__array__": lambda *args, **options: first.random(3).get()})
def work(number):
    second.normal(Drawing(), 1.0)
def child():
    assert second.normal(Drawing(), 1.0).shape == (3,)
""",
    "seeding": """
def work(number):
    gpuarray.random.seed(number)
    gpuarray.random.random(10)
def child():
    gpuarray.random.seed(3)
    first = gpuarray.random.random(3).tolist()
    gpuarray.random.seed(3)
    assert gpuarray.random.random(3).tolist() == first
""",
    "making generators": """
def work(number):
    gpuarray.random.default_rng(number).random(3)
def child():
    gpuarray.random.default_rng(1).random(3).get()
""",
    "allocating from pools": """
pool = gpuarray.memory.PoolResource(gpuarray.memory.HostResource())
debug = gpuarray.memory.DebugResource(pool)
def allocate():
    for resource in (pool, debug):
        with gpuarray.memory.using_allocator(resource):
            [gpuarray.empty(1 << k) for k in range(4, 18)]
    pool.release_cached()
def work(number):
    allocate()
def child():
    allocate()
    pool.usage(), debug.usage()
""",
    "allocating from a user's allocator": """
class Block:
    def __init__(self, nbytes):
        self.memory = np.empty(nbytes, np.uint8)
        self.ptr = self.memory.ctypes.data
class Allocator:
    def allocate(self, nbytes, stream):
        return Block(nbytes)
    def deallocate(self, ptr, nbytes, stream):
        pass
resource = gpuarray.memory.ExternalResource(Allocator(), device="cpu")
def work(number):
    with gpuarray.memory.using_allocator(resource):
        [gpuarray.ones(100) * 2 for _ in range(20)]
def child():
    work(0)
""",
    "recording memory": """
gpuarray.record_memory(True)
def work(number):
    with gpuarray.memory_profile(device="cpu"):
        gpuarray.ones(1 << 17) + 1
def child():
    work(0)
    gpuarray.memory_snapshot(device="cpu")
""",
    "choosing resources": """
pool = gpuarray.memory.PoolResource(gpuarray.memory.HostResource())
def work(number):
    gpuarray.memory.set_allocator(pool if number else None, device="cpu")
    gpuarray.ones(10) + 1
def child():
    work(1)
    work(0)
""",
    "fused functions": """
f = gpuarray.fuse(lambda x, y: x * y + 1)
f(a, b)
def work(number):
    assert (f(a, b).get() == 3).all()
def child():
    work(0)
    assert (gpuarray.fuse(lambda x: x.sum())(a).get() == 12).all()
""",
    "printing, sorting and reading": """
def work(number):
    repr(a), str(a[0, 0]), gpuarray.sort(a.ravel()), np.asarray(a), a.tolist()
    gpuarray.set_printoptions(precision=4)
def child():
    work(0)
""",
    "settings": """
def work(number):
    gpuarray.set_staging(), gpuarray.cache_info(), gpuarray.fusion_stats(), gpuarray.devices()
    gpuarray.memory_stats(), gpuarray.memory_info(), gpuarray.show_config(mode="dicts")
    gpuarray.linalg.inv(gpuarray.eye(3))
def child():
    work(0)
""",
}


@pytest.mark.parametrize("state", BESIDE.values(), ids=BESIDE)
def test_fork_while_other_threads_are_at_work(state):
    limited = ALARM + "def limited():\n    signal.alarm(100)\n    child()\n"
    run_silently(
        FORK + state + limited + "in_children_beside(work, limited, 8)\n",
        "cpu",
        timeout=300,
        PYTHONWARNINGS="ignore",
    )


LAZY = ["random", "linalg", "fft", "testing", "kernels", "memory", "profiler", "cuda", "pycuda"]


def test_fork_while_another_thread_imports_a_module():
    """The child imports what was half imported at the fork."""
    run_silently(
        FORK
        + ALARM
        + f"""
import importlib, time
import concurrent.futures.thread, logging  # their handlers of forks are there

def one(name, seconds):
    def child():
        signal.alarm(100)
        importlib.import_module("gpuarray." + name)

    thread = threading.Thread(target=importlib.import_module, args=["gpuarray." + name])
    thread.start()
    time.sleep(seconds)
    in_child(child)
    thread.join()

for name in {LAZY}:
    for k in range(2):
        in_child(lambda: one(name, k / 200))
""",
        "cpu",
    )


def test_a_fork_amid_a_draw_of_its_own_thread():
    """The thread owns the lock in the child, and draws on."""
    run_silently(
        FORK
        + ALARM
        + """
rng = gpuarray.random.default_rng(1)

class Forks:
    def __array__(self, dtype=None, copy=None):
        in_child(lambda: (signal.alarm(100), rng.random(3).get()))
        return np.array([1.0, 2.0])

rng.normal(Forks(), 1).get(), rng.random(3).get()
""",
        "cpu",
    )


@pytest.mark.parametrize("mode", ["always", "auto"])
def test_a_fork_within_a_users_allocator_while_a_window_runs(mode):
    """The child ends the window that its thread runs, and runs others."""
    run_silently(
        FORK
        + ALARM
        + """
forked = []

class Block:
    def __init__(self, nbytes):
        self.memory = np.empty(nbytes, np.uint8)
        self.ptr = self.memory.ctypes.data

class Allocator:
    def allocate(self, nbytes, stream):
        if armed and not forked:
            forked.append(os.fork())
            signal.alarm(30)
        return Block(nbytes)
    def deallocate(self, ptr, nbytes, stream):
        pass

armed = False
gpuarray.fusion(MODE)
with gpuarray.memory.using_allocator(gpuarray.memory.ExternalResource(Allocator(), device="cpu")):
    x = gpuarray.ones(1000, np.float32)
    y = x * 2
    z = y + x.astype("float64")
    armed = True
    total = (z * z).sum()
    assert float(total) == 9000
for _ in range(3):
    assert float(((x * 2 + x) * 2).sum()) == 6000

def other():
    assert float((x * 2 + 1).sum()) == 3000

thread = threading.Thread(target=other)
thread.start()
thread.join()
if forked and forked[0] == 0:
    sys.exit(0)
if forked:
    assert os.waitstatus_to_exitcode(os.waitpid(forked[0], 0)[1]) == 0
""".replace("MODE", repr(mode)),
        "cpu",
        timeout=300,
        PYTHONWARNINGS="ignore",
    )


def test_an_iterator_that_prefetches_says_that_its_thread_is_in_the_parent():
    run_silently(
        FORK
        + ALARM
        + """
arrays = gpuarray.prefetch_to_device((np.full(4, k) for k in range(9)), device="cpu")
assert next(arrays).tolist() == [0] * 4

def child():
    signal.alarm(100)
    try:
        next(arrays)
        raise SystemExit("no error")
    except RuntimeError as error:
        assert "fork" in str(error)
    again = gpuarray.prefetch_to_device([np.zeros(2)], device="cpu")
    assert next(again).tolist() == [0, 0]

in_child(child)
assert [int(x[0]) for x in arrays] == list(range(1, 9))
""",
        "cpu",
    )


# A driver whose load, or whose cuInit, takes its time, and which then finds no device.
SLOW_DRIVER = r"""
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <unistd.h>
static void begin(const char* where) {
  if (strcmp(getenv("SLOW_IN"), where) != 0) return;
  fclose(fopen(getenv("SLOW_BEGUN"), "w"));
  sleep(2);
}
__attribute__((constructor)) static void load(void) { begin("load"); }
static int cuInit(unsigned flags) { begin("cuInit"); return 100; }
static int other(void) { return 999; }
int cuDriverGetVersion(int* version) { *version = 13000; return 0; }
int cuGetProcAddress_v2(const char* name, void** address, int version, unsigned long flags,
                        int* found) {
  *address = strcmp(name, "cuInit") == 0 ? (void*)cuInit : (void*)other;
  return 0;
}
"""


@pytest.fixture(scope="module")
def slow_driver(tmp_path_factory):
    compiler = os.environ.get("CC", "").split() or [shutil.which("cc") or "c++", "-xc"]
    folder = tmp_path_factory.mktemp("slow")
    (folder / "slow.c").write_text(SLOW_DRIVER)
    command = [*compiler, "-shared", "-fPIC", "slow.c", "-o", "libslow.so"]
    try:
        subprocess.run(command, cwd=folder, check=True)
    except FileNotFoundError:
        pytest.skip("there is no C compiler")
    return folder / "libslow.so"


@pytest.mark.parametrize("where", ["load", "cuInit"])
def test_fork_while_another_thread_uses_the_driver_for_the_first_time(slow_driver, where, tmp_path):
    """The child has no CUDA once cuInit was called, and is told; before, it looks for itself."""
    begun = tmp_path / "begun"
    code = f"""
import os, signal, sys, threading, time, warnings
import gpuarray
warnings.simplefilter("ignore")
thread = threading.Thread(target=gpuarray.devices)
thread.start()
while not os.path.exists({str(begun)!r}):
    time.sleep(0.01)
child = os.fork()
if child == 0:
    signal.alarm(100)
    assert gpuarray.ones(10, device="cpu").sum().item() == 10
    for call in (lambda: gpuarray.ones(10), gpuarray.devices):
        try:
            call()
            assert {where!r} == "load"
        except gpuarray.DeviceError as error:
            assert {where!r} == "cuInit" and "fork" in str(error) and "spawn" in str(error)
    sys.exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
thread.join()
assert str(gpuarray.ones(10).device) == "cpu"
"""
    run_python(
        code, GPUARRAY_LIBCUDA=str(slow_driver), SLOW_IN=where, SLOW_BEGUN=str(begun), seconds=60
    )


CUDA_WORK = {
    "draws": "rng.random(1000), rng.poisson(2, 100), gpuarray.random.random(10)",
    "compiles": "gpuarray.ElementwiseKernel('T x', 'T y', f'y = x + {next(numbers)}')(a)",
    "waits": "gpuarray.synchronize(), stream.synchronize()",
    "computes": "gpuarray.fft.fft(a), gpuarray.linalg.inv(gpuarray.eye(3)), a @ b.T, a.sum()",
    "transfers": "pinned.get(), gpuarray.pinned(a.get()), gpuarray.empty_managed(3)",
}


@on_test_driver
@pytest.mark.parametrize("work", CUDA_WORK.values(), ids=CUDA_WORK)
def test_fork_while_other_threads_use_the_device(work):
    """The child is told of the device, whatever locks were owned, and uses the cpu device."""
    run_python(
        FORK
        + ALARM
        + f"""
import itertools
numbers = itertools.count()
rng = gpuarray.random.default_rng(1)

def work(number):
    {work}

def child():
    signal.alarm(30)
    calls = [lambda: rng.random(3), lambda: gpuarray.random.random(3), lambda: a + b]
    calls += [lambda: b.get(), lambda: rng.bytes(3)]
    calls += [lambda: gpuarray.fft.fft(a), lambda: a @ b.T, lambda: gpuarray.linalg.inv(a @ a.T)]
    calls += [lambda: gpuarray.ElementwiseKernel('T x', 'T y', 'y = x + 77')(a)]
    calls += [lambda: gpuarray.Module('extern "C" __global__ void k() {{}}'), gpuarray.synchronize]
    calls += [lambda: gpuarray.empty_pinned(3), lambda: gpuarray.Event(), lambda: gpuarray.Stream()]
    for number, call in enumerate(calls):
        try:
            call()
        except gpuarray.DeviceError as error:
            assert "fork" in str(error), (number, error)
        else:
            raise SystemExit(f"call {{number}} says nothing")
    with gpuarray.device("cpu"):
        gpuarray.random.random(3).get()
        assert (gpuarray.ones(5) * 2).tolist() == [2] * 5

in_children_beside(work, child, 8)
assert ((a + b).get() == 3).all()
""",
        **inherited_driver(),
    )
