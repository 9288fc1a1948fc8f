# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Sharing as far as one process shows it: what is refused, and driver calls that fail."""

import pytest
from _support.faults import FAIL, run_silently, stub_library, variables_of
from _support.process import run_python

import gpuarray

SETUP = """
import gc, pickle, warnings
warnings.simplefilter("ignore")
import numpy as np, gpuarray

def raises(error, text, call):
    try:
        call()
    except error as caught:
        assert text in str(caught), str(caught)
    else:
        raise AssertionError(f"{error.__name__} was not raised")

host = np.arange(20, dtype=np.float32).reshape(4, 5)
a = gpuarray.empty_shared((4, 5), np.float32)
a.set(host)

def elsewhere(handle):
    '''As if of another process: the stub maps what it is given.'''
    memory = handle.memory[:-1] + b"x"
    return handle._replace(process=b"another", memory=memory)
"""


def run(code):
    return run_silently(SETUP + code, "stub")


def test_the_process_that_shares_opens_its_own_memory():
    run("""
v = a[1:3].T
h = pickle.loads(pickle.dumps(v.share()))
b = gpuarray.open_shared(h)
assert b.ptr == v.ptr and b.strides == v.strides and b.dtype == v.dtype
b.T.set(np.zeros((2, 5), np.float32))
expected = host.copy()
expected[1:3] = 0
assert (a.get() == expected).all()
in_use = gpuarray.memory_stats()["bytes_in_use"]
del a, v
assert gpuarray.memory_stats()["bytes_in_use"] == in_use == 80
del b
assert gpuarray.memory_stats()["bytes_in_use"] == 0
raises(ValueError, "was freed", lambda: gpuarray.open_shared(h))
""")


def test_an_array_opened_twice_is_one():
    run("""
h = elsewhere(a.share())
b, c = gpuarray.open_shared(h), gpuarray.open_shared(h)
assert b.ptr == c.ptr == a.ptr
assert not b.flags.owndata and b.flags.writeable
assert gpuarray.memory_stats()["bytes_in_use"] == 80
a.flags.writeable = False
assert not gpuarray.open_shared(a.share()).flags.writeable
""")


def test_damaged_handles():
    run("""
h = a.share()
for wrong in (None, 3, b"handle", a, h._asdict()):
    raises(TypeError, "SharedHandle", lambda: gpuarray.open_shared(wrong))
for changes, error, text in [
    ({"memory": b"short"}, ValueError, "64 bytes"),
    ({"event": b""}, ValueError, "64 bytes"),
    ({"memory": "text"}, TypeError, "bytes"),
    ({"offset": 1 << 21}, ValueError, "does not lie"),
    ({"offset": -4}, ValueError, "does not lie"),
    ({"shape": (5,), "strides": (1 << 62,)}, ValueError, "does not lie"),
    ({"offset": 2}, ValueError, "does not lie"),
    ({"offset": 2**63 - 4}, ValueError, "does not lie"),
    ({"nbytes": 79}, ValueError, "does not lie"),
    ({"shape": (1 << 20, 5)}, ValueError, "does not lie"),
    ({"strides": (-20, 4)}, ValueError, "does not lie"),
    ({"strides": (20,)}, ValueError, "strides has 1 entries, expected 2"),
    ({"strides": (21, 4)}, ValueError, "itemsize"),
    ({"dtype": "nonsense"}, TypeError, "nonsense"),
    ({"device": b"0" * 16}, gpuarray.DeviceError, "UUID"),
]:
    raises(error, text, lambda: gpuarray.open_shared(h._replace(**changes)))
raises(gpuarray.DeviceError, "cpu", lambda: gpuarray.open_shared(h, stream=gpuarray.Stream("cpu")))
raises(TypeError, "unexpected", lambda: a.share(copy=True))
""")


def test_a_handle_cannot_say_that_the_block_is_larger():
    run("""
h = a.share()
large = {"nbytes": 1 << 40, "shape": (1 << 30,), "strides": (4,)}
for handle in (h, elsewhere(h)):
    raises(ValueError, "does not lie", lambda: gpuarray.open_shared(handle._replace(**large)))
    assert (gpuarray.open_shared(handle).get() == host).all()
""")


def test_threads_that_open_one_block_open_it_once():
    code = """
import threading
h = elsewhere(a.share())
barrier, opened = threading.Barrier(8), []
def work():
    barrier.wait()
    opened.append(gpuarray.open_shared(h))
for _ in range(50):
    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    opened.clear()
assert driver.stub_calls(b"cuIpcOpenMemHandle") == 50
"""
    run_silently(FAIL + SETUP + code, "stub")


def test_events():
    run("""
event = gpuarray.Event(timing=False, interprocess=True)
other = pickle.loads(pickle.dumps(event))
assert other.device == event.device and other.timing is False
assert other.ipc_handle() == event.ipc_handle() and len(event.ipc_handle()) == 64
other.record().wait()
raises(TypeError, "interprocess=True", lambda: pickle.dumps(gpuarray.Event()))
raises(ValueError, "interprocess=True", gpuarray.Event().ipc_handle)
raises(ValueError, "64 bytes", lambda: gpuarray.Event.from_ipc_handle(b"short"))
raises(TypeError, "bytes", lambda: gpuarray.Event.from_ipc_handle("text"))
raises(gpuarray.DeviceError, "cpu", lambda: gpuarray.Event.from_ipc_handle(b"0" * 64, "cpu"))
""")


def test_arrays_of_cpu_are_not_shared():
    with pytest.raises(gpuarray.DeviceError, match=r"multiprocessing\.shared_memory"):
        gpuarray.ones(3, device="cpu").share()
    for make in (gpuarray.IpcResource, lambda device: gpuarray.empty_shared(3, device=device)):
        with pytest.raises(gpuarray.DeviceError, match="cpu"):
            make("cpu")
    with pytest.raises(gpuarray.DeviceError, match="cpu"):
        gpuarray.Event("cpu", timing=False, interprocess=True).ipc_handle()
    with pytest.raises(TypeError, match="SharedHandle"):
        gpuarray.open_shared(b"bytes")


def test_nothing_to_share():
    run("""
raises(ValueError, "without elements", lambda: gpuarray.empty_shared((0, 3)).share())
""")


SWEEP = (
    FAIL
    + SETUP
    + """
def balance():
    gc.collect()
    count = lambda name: driver.stub_calls(name.encode())
    return (
        count("cuIpcOpenMemHandle") - count("cuIpcCloseMemHandle"),
        count("cuEventCreate") + count("cuIpcOpenEventHandle") - count("cuEventDestroy"),
        count("cuMemAlloc") - count("cuMemFree"),
        gpuarray.memory_stats()["bytes_in_use"],
    )

h = elsewhere(a.share())
OPERATIONS = {
    "empty_shared": lambda: gpuarray.empty_shared(5),
    "share": lambda: a[1:].share(),
    "open": lambda: gpuarray.open_shared(h),
    "open own": lambda: gpuarray.open_shared(a.share()),
    "event": lambda: gpuarray.Event(timing=False, interprocess=True),
    "open event": lambda: gpuarray.Event.from_ipc_handle(h.event),
}
count = 0
for name, operation in OPERATIONS.items():
    operation()
    for nth in range(1, 100):
        before = balance()
        fail(nth, 400)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                operation()
            except gpuarray.CudaError:
                pass
            gc.collect()
        failed = driver.stub_failed().decode()
        fail(0, 0)
        if not failed:
            break
        count += 1
        # A call that failed made nothing, and one that gives back has been made.
        made = {"cuIpcOpenMemHandle": 0, "cuEventCreate": 1, "cuIpcOpenEventHandle": 1,
                "cuMemAlloc": 2}.get(failed)
        expected = [n + (k == made) for k, n in enumerate(before)]
        # Memory is kept if the driver does not wait for the work that may use it, with a warning.
        kept = [str(warning.message) for warning in caught]
        assert all("40 bytes kept for good" in text for text in kept) and len(kept) < 2, kept
        assert not kept or failed in ("cuCtxGetCurrent", "cuCtxSynchronize"), (failed, kept)
        assert kept or failed != "cuCtxSynchronize"
        expected[2] += len(kept)
        assert list(balance()) == expected, (name, nth, failed, before, balance())
        assert (a.get() == host).all()
        operation()
print(count)
"""
)


def test_every_call_of_the_driver_that_fails():
    assert int(run_silently(SWEEP, "stub", timeout=300)) > 30


def test_peers_of_one_device():
    stub_library()
    out = run_python(
        "import gpuarray; print(gpuarray.can_access_peer('cuda:0', 'cuda'))", **variables_of("stub")
    )
    assert out.split() == ["True"]
