# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""A system that starts no more threads: the work is done without them."""

import os

import pytest
from _support.faults import START
from _support.process import inherited_driver, run_python

WITHOUT_THREADS = (
    START
    + """
import os, resource, threading

def without_threads():
    '''Leave less memory than the stack of a thread takes.'''
    global started
    started = len(os.listdir("/proc/self/task"))
    with open("/proc/self/statm") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    threading.stack_size(64 << 20)
    limit = now + (7 << 20)
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
    try:
        threading.Thread(target=print).start()
        raise SystemExit("a thread was started")
    except RuntimeError:
        pass
"""
)

WORK = {
    "a loop of the cpu device": ("cpu", "(x * 2).sum().item() == 2 * x.size"),
    "a copy to the device": ("cuda:0", "gpuarray.to_device(host).synchronize().size == host.size"),
    "a compilation in the background": ("cuda:0", "(small * 3 + 1).synchronize().size"),
}


@pytest.mark.parametrize(("place", "work"), WORK.values(), ids=WORK)
def test_work_without_new_threads(place, work):
    if place != "cpu" and "GPUARRAY_TEST_DRIVER" not in os.environ:
        pytest.skip("on the test driver alone")
    code = f"""
x = gpuarray.to_device(np.ones(1 << 18, np.float32))
small = gpuarray.to_device(np.ones(1 << 16, np.float32))
host = np.ones(1 << 18)
if {place!r} != "cpu":  # where this would start threads already
    gpuarray.fusion("off")
    assert ((small * 3 + 1).get() == 4).all()
    gpuarray.fusion("always")
without_threads()
for _ in range(12):
    assert {work}
assert len(os.listdir("/proc/self/task")) == started, "threads were started after all"
"""
    variables = {"GPUARRAY_NUM_THREADS": "4", "GPUARRAY_STAGING_THREADS": "4"}
    run_python(WITHOUT_THREADS + code, **inherited_driver(), **variables, GPUARRAY_DEVICE=place)
