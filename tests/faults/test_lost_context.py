# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""A device that is lost amid each kind of work: what is said, and what is left on the host."""

import os

import pytest
from _support.faults import START
from _support.process import inherited_driver, run_python

pytestmark = pytest.mark.skipif(
    "GPUARRAY_TEST_DRIVER" not in os.environ, reason="on the test driver alone"
)

# The kernel writes to an address that no array has.
LOST = (
    START
    + """
import gc, threading

wild = gpuarray.RawKernel('extern "C" __global__ void wild(int* x) { x[0] = 1; }', "wild")
host = np.arange(5000, dtype=np.float32)
kept = host.copy()
a = gpuarray.to_device(host)
b = (a + 1).copy()
large = gpuarray.zeros(1 << 20)
square, large_square = gpuarray.eye(80) * 2, gpuarray.eye(520)
managed = gpuarray.zeros_managed(10)
other, event = gpuarray.Stream(), gpuarray.Event()
pinned = gpuarray.to_device(host, device="cpu")

def wait(result):
    (result[0] if isinstance(result, tuple) else result).get()

def on_other_stream():
    other.wait(gpuarray.current_stream())
    with other:
        a + b
    other.synchronize()

def timed():
    event.record()
    event.synchronize()

def called():
    gpuarray.current_stream().launch_host_func(print, "called")
    gpuarray.synchronize()

with gpuarray.capture() as graph:
    product = a * b
"""
)

WORK = {
    "a kernel": "wait(a + b)",
    "a copy to the device": "a.set(host), gpuarray.synchronize()",
    "many bytes to the device": "gpuarray.to_device(np.ones(1 << 22)).synchronize()",
    "a copy to the host": "a.get()",
    "many bytes to the host": "large.get()",
    "a copy into an array": "a.get(out=np.empty_like(host))",
    "a reduction": "a.sum().item()",
    "a sort": "wait(gpuarray.sort(a))",
    "a selection": "a[a > 3]",
    "a transform": "wait(gpuarray.fft.fft(a))",
    "a product": "wait(square @ square)",
    "a factorization": "wait(gpuarray.linalg.solve(square, square))",
    "eigenvalues": "gpuarray.linalg.eigvalsh(large_square)",
    "a graph": "graph.launch(), wait(product)",
    "an event": "timed()",
    "another stream": "on_other_stream()",
    "a queued copy to the host": "a.get(blocking=False).wait()",
    "a queued copy to the device": "a.set(host, blocking=False).wait(), gpuarray.synchronize()",
    "a host function": "called()",
    "managed memory": "managed.fill(3), managed.get()",
    "the release of memory": "gpuarray.memory.release_cached(), gpuarray.synchronize()",
    "a new module": "wild2(), gpuarray.synchronize()",
    "prefetching": "list(gpuarray.prefetch_to_device([host] * 3)), gpuarray.synchronize()",
}


@pytest.mark.parametrize("work", WORK.values(), ids=WORK)
def test_a_context_lost_amid_work(work):
    code = f"""
def wild2():
    gpuarray.Module('extern "C" __global__ void g() {{}}').get_function("g")[1, 1]()

wild((1,), (1,), (8,))
try:
    {work}
    raise SystemExit("no error")
except gpuarray.CudaError as error:
    assert error.status == 700 and error.name == "CUDA_ERROR_ILLEGAL_ADDRESS", error
    assert "restart the process" in str(error)
    assert any("wild" in launch.operation for launch in error.launches), error
try:
    a + b
    gpuarray.synchronize()
    raise SystemExit("no error")
except gpuarray.CudaError as error:
    assert "the CUDA context of cuda:0 is lost" in str(error) and "restart" in str(error)
assert (host == kept).all()
assert (pinned.get() == kept).all() and ((pinned + 1).get() == kept + 1).all()
del a, b, large, graph, managed
gc.collect()
print("ended")
"""
    out = run_python(LOST + code, seconds=60, **inherited_driver())
    assert out == "ended\n"


def test_faults_of_the_threads_that_copy_reach_their_handlers():
    """Such threads take no signals of the process, but those of their own faults."""
    code = """
import pathlib, signal
gpuarray.to_device(np.ones(1 << 22)).synchronize()
blocked = [
    int(line.split()[1], 16)
    for path in pathlib.Path("/proc/self/task").glob("*/status")
    for line in path.read_text().splitlines()
    if line.startswith("SigBlk")
]
copying = [mask for mask in blocked if mask >> signal.SIGINT - 1 & 1]
assert copying
for number in (signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL):
    assert not any(mask >> number - 1 & 1 for mask in copying)
"""
    variables = {**inherited_driver(), "GPUARRAY_STAGING_THREADS": "4"}
    run_python(START + code, **variables)
