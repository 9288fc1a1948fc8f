# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Failures of the device: what is said, and what is usable afterwards."""

import pickle

import pytest
from _support.faults import FAIL, run_silently

import gpuarray

START = """
import warnings
warnings.simplefilter("ignore")
import numpy as np, gpuarray
a = gpuarray.ones((3, 4), np.float32)
b = a + 1
gpuarray.synchronize()
"""

STICKY = {
    214: "CUDA_ERROR_ECC_UNCORRECTABLE",
    700: "CUDA_ERROR_ILLEGAL_ADDRESS",
    702: "CUDA_ERROR_LAUNCH_TIMEOUT",
    710: "CUDA_ERROR_ASSERT",
    714: "CUDA_ERROR_HARDWARE_STACK_ERROR",
    715: "CUDA_ERROR_ILLEGAL_INSTRUCTION",
    716: "CUDA_ERROR_MISALIGNED_ADDRESS",
    719: "CUDA_ERROR_LAUNCH_FAILED",
}


def on_stub(code, **environment):
    return run_silently(FAIL + START + code, "stub", **environment)


def test_pending_launches(device):
    gpuarray.synchronize()
    with gpuarray.fusion("off"):
        x = gpuarray.ones((2, 3, 4))
        y = (x + 1).sum(axis=0)
    pending = gpuarray.pending_launches(device)
    if device == "cpu":
        assert pending == []
    else:
        assert [launch.operation for launch in pending[:3]] == ["sum", "add", "fill"]
        assert [launch.shape for launch in pending[:3]] == [(2, 3, 4)] * 3
        assert {launch.dtype for launch in pending} == {"float64"}
        assert {launch.device for launch in pending} == {device}
        assert {launch.stream for launch in pending} == {gpuarray.current_stream().ptr}
        assert gpuarray.pending_launches() == pending
    y.get()
    assert gpuarray.pending_launches(device) == []
    for size in (1 << 15, 1 << 20):  # copied in the other ways
        (gpuarray.zeros(size) + 1).get()
        assert gpuarray.pending_launches(device) == []


def test_launches_of_each_kind():
    out = on_stub("""
kinds = {
    "fill": lambda: a.fill(2), "copy": lambda: a.T.copy(), "cast": lambda: a.astype("int8"),
    "join": lambda: gpuarray.concatenate([a, b]), "matmul": lambda: a @ b.T,
    "argmax": lambda: a.argmax(), "arange": lambda: gpuarray.arange(7), "where":
    lambda: gpuarray.where(a > 0, a, b),
}
for name, call in kinds.items():
    gpuarray.synchronize()
    kept = call()
    launch = gpuarray.pending_launches()[0]
    assert launch.operation == name, (name, launch)
    print(name, launch.shape, launch.dtype)
deep = gpuarray.ones((1, 2, 1, 2, 3))
print(gpuarray.pending_launches()[0].shape)
""")
    assert out.splitlines() == [
        "fill (3, 4) float32",
        "copy (4, 3) float32",
        "cast (3, 4) int8",
        "join (6, 4) float32",
        "matmul (3, 3) float32",
        "argmax (3, 4) float32",
        "arange (7,) int64",
        "where (3, 4) float32",
        "(1, 2, 1, 2, Ellipsis)",
    ]


def test_waits_end_only_what_they_wait_for():
    on_stub("""
gpuarray.fusion("off")  # each operation is a launch
first, second = gpuarray.Stream(), gpuarray.Stream()
with first:
    x = gpuarray.ones(3)
with second:
    y = gpuarray.zeros(5)
first.synchronize()
assert [launch.shape for launch in gpuarray.pending_launches()] == [(5,)]
with first:
    x += 1
second.synchronize()
assert [launch.operation for launch in gpuarray.pending_launches()] == ["add"]
event = first.record()
with first:
    x *= 2
event.synchronize()
event.synchronize()
assert [launch.operation for launch in gpuarray.pending_launches()] == ["multiply"]
event.record(first)
assert event.query()
assert gpuarray.pending_launches() == []
for _ in range(1000):
    x += 1
assert 100 <= len(gpuarray.pending_launches()) <= 128
gpuarray.synchronize()
assert gpuarray.pending_launches() == []
""")


@pytest.mark.parametrize("status", STICKY)
def test_sticky_failures(status):
    """The first error names the suspects, later ones take one line, and the end is clean."""
    on_stub(f"""
c = a * 3
d = gpuarray.exp(c)
memory = memoryview(bytearray(48))
fail(1, {status}, "cuStreamSynchronize")
try:
    d.get()
    raise SystemExit("no error")
except gpuarray.CudaError as error:
    assert (error.status, error.name) == ({status}, {STICKY[status]!r}), error
    assert [launch.operation for launch in error.launches] == ["exp", "multiply"]
    assert error.launches[0].shape == (3, 4) and error.launches[0].device == "cuda:0"
    text = str(error)
    assert {STICKY[status]!r} in text and "restart" in text and "newest first" in text
    assert text.index("exp((3, 4), float32)") < text.index("multiply((3, 4), float32)")
calls = [
    lambda: a + b, lambda: a.__iadd__(b), lambda: a.get(), lambda: a.set(np.ones((3, 4))),
    lambda: repr(a), lambda: gpuarray.zeros(5), lambda: gpuarray.Stream(),
    lambda: gpuarray.synchronize(), lambda: gpuarray.to_device(np.ones(1 << 22)),
    lambda: a.sum().item(), lambda: a.to_device("cpu"), lambda: gpuarray.current_stream().done,
    lambda: gpuarray.device("cuda:0").memory_info(),
]
before = driver.stub_calls(b"")
for number, call in enumerate(calls):
    try:
        call()
        raise SystemExit(f"no error of call {{number}}")
    except gpuarray.CudaError as error:
        assert error.status == {status} and "\\n" not in str(error), (number, error)
        assert str(error).startswith("the CUDA context of cuda:0 is lost since {STICKY[status]}")
        assert [launch.operation for launch in error.launches] == ["exp", "multiply"]
assert driver.stub_calls(b"") == before, "no call reaches the driver"
del a, b, c
x = gpuarray.ones(3, device="cpu") + 1
assert x.tolist() == [2, 2, 2]
""")


def test_a_record_that_fails_is_none():
    on_stub("""
start, end = gpuarray.Event(), gpuarray.Event()
end.record()
fail(1, 400, "cuEventRecord")
try:
    start.record()
    raise SystemExit("no error")
except gpuarray.CudaError:
    pass
try:
    start.elapsed_time(end)
    raise SystemExit("no error")
except ValueError as error:
    assert "not recorded" in str(error)
""")


def test_a_sticky_failure_that_a_launch_reports():
    on_stub("""
kept = gpuarray.exp(a)
fail(1, 719, "cuLaunchKernelEx")
try:
    a + b
    raise SystemExit("no error")
except gpuarray.CudaError as error:
    assert [launch.operation for launch in error.launches] == ["exp"], "add was not queued"
""")


@pytest.mark.parametrize("status", [1, 400, 701, 801])
def test_other_failures_leave_everything_usable(status):
    on_stub(f"""
for name in ("cuLaunchKernelEx", "cuStreamSynchronize", "cuMemcpyDtoHAsync"):
    fail(1, {status}, name)
    try:
        (a + b).get()
        raise SystemExit("no error")
    except gpuarray.CudaError as error:
        assert error.status == {status} and error.launches == [], error
        assert error.name == "CUDA_ERROR_OF_THE_STUB" and name in str(error)
    assert (a.get().shape, (a + b).get().shape) == ((3, 4), (3, 4))
assert gpuarray.pending_launches() == []
""")


BLOCKING = """
gpuarray.set_launch_blocking(True)
assert gpuarray.launch_blocking()
before = driver.stub_calls(b"cuStreamSynchronize")
c = a + b
assert driver.stub_calls(b"cuStreamSynchronize") == before + 1
c = gpuarray.exp(c)
fail(1, 700, "cuStreamSynchronize")
try:
    d = gpuarray.mean(c)  # this line
except gpuarray.CudaError as error:
    [launch] = error.launches
    print(launch.operation, launch.place)
"""


def test_launch_blocking_finds_the_line(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(FAIL + START + BLOCKING)
    out = run_silently(f"import runpy; runpy.run_path({str(program)!r})", "stub")
    line = 1 + program.read_text().splitlines().index("    d = gpuarray.mean(c)  # this line")
    assert out == f"mean {program}:{line}\n"


def test_lines_of_launches(tmp_path):
    program = tmp_path / ("long" * 30)
    program.write_text(f"""{START}
assert gpuarray.launch_lines() and not gpuarray.launch_blocking()
def deep(x):
    return x.astype("int8")
kept = [deep(a), a.T.get(order="F"),
        a.T.tobytes()]
kept = [deep(a)]
kept += [a.to_device("cpu"),
         gpuarray.full(7, 2.5)]
for launch in gpuarray.pending_launches()[::-1]:
    print(launch.operation, launch.place[-10:])
gpuarray.set_launch_lines(False)
a + b
print(gpuarray.pending_launches()[0].place)
""")
    code = f"import runpy; runpy.run_path({str(program)!r})"
    out = run_silently(code, "stub", GPUARRAY_LAUNCH_LINES="1")
    lines = program.read_text().splitlines()
    last = 1 + lines.index("         gpuarray.full(7, 2.5)]")
    assert out.splitlines() == [f"fill {'long' * 2}"[:5] + f"{'long' * 3}:{last}"[-10:], "None"]


def test_modes_changed_while_others_work():
    """A thread that gave the GIL away before lines were asked for has none to tell."""
    on_stub("""
import threading
stop = threading.Event()
wide = gpuarray.ones((500, 400))

def work():
    while not stop.is_set():
        wide.T.get()  # packs on the device, without the GIL
        wide + 1

threads = [threading.Thread(target=work) for _ in range(3)]
[thread.start() for thread in threads]
try:
    for number in range(2000):
        gpuarray.set_launch_lines(number % 2)
        places = [launch.place for launch in gpuarray.pending_launches()]
        assert all(place is None or place.startswith("<string>:") for place in places), places
finally:
    stop.set()
    [thread.join() for thread in threads]
""")


def test_modes_of_the_environment(device):
    code = """
        import warnings
        warnings.simplefilter("ignore")
        import gpuarray
        print(gpuarray.launch_blocking(), gpuarray.launch_lines())
        assert (gpuarray.ones(3) + 1).tolist() == [2, 2, 2]
        gpuarray.set_launch_blocking(False)
        print(gpuarray.launch_blocking(), gpuarray.launch_lines())
    """
    assert run_silently(code, device).split() == ["False"] * 4
    out = run_silently(code, device, GPUARRAY_LAUNCH_BLOCKING="1")
    assert out.split() == ["True", "False", "False", "False"]
    out = run_silently(code, device, GPUARRAY_LAUNCH_LINES="1", GPUARRAY_LAUNCH_BLOCKING="0")
    assert out.split() == ["False", "True", "False", "True"]


@pytest.mark.parametrize("value", ["2", "-1", "yes"])
def test_bad_modes_of_the_environment(value):
    code = f"""
        import gpuarray
        try:
            gpuarray.launch_blocking()
        except ValueError as error:
            assert "GPUARRAY_LAUNCH_BLOCKING={value}" in str(error)
            print("said")
    """
    assert run_silently(code, "cpu", GPUARRAY_LAUNCH_BLOCKING=value) == "said\n"


def test_cuda_error_objects():
    row = ("add", (3, 4), "float32", "cuda:0", 5, "a.py:3")
    error = gpuarray.CudaError("text", 700, "CUDA_ERROR_ILLEGAL_ADDRESS", [row])
    for same in (error, pickle.loads(pickle.dumps(error))):
        assert (str(same), same.status, same.name) == ("text", 700, "CUDA_ERROR_ILLEGAL_ADDRESS")
        assert same.launches == [gpuarray.Launch(*row)]
        assert same.launches[0].place == "a.py:3"
    assert gpuarray.CudaError().launches == []


WRONG_MEMORY = """
import warnings
warnings.simplefilter("ignore")
import gpuarray

class Lie:
    def __init__(self, owner):
        self.owner = owner
        self.__cuda_array_interface__ = dict(
            owner.__cuda_array_interface__, shape=(1 << 40,), strides=None)

good = gpuarray.ones(1 << 10)
far = gpuarray.asarray(Lie(good))[1 << 39 : (1 << 39) + 1000]
gpuarray.synchronize()
before = good + 1
try:
    wrong = far + 1  # this line
    after = good + 2
    gpuarray.synchronize()
except gpuarray.CudaError as error:
    assert (error.status, error.name) == (700, "CUDA_ERROR_ILLEGAL_ADDRESS"), error
    print(*[(launch.operation, launch.shape) for launch in error.launches], sep="; ")
    print(error.launches[0].place)
for call in (lambda: good + 1, lambda: good.get(), lambda: gpuarray.Stream()):
    try:
        call()
        raise SystemExit("no error")
    except gpuarray.CudaError as error:
        assert str(error).startswith("the CUDA context of cuda:0 is lost"), error
"""


@pytest.mark.cuda
def test_an_illegal_address_on_the_device(cuda):
    out = run_silently(WRONG_MEMORY, "cuda:0").splitlines()
    suspects = ["('add', (1024,))", "('add', (1000,))", "('add', (1024,))"]
    # The failure may already be known when the last is queued.
    assert out in (["; ".join(suspects), "None"], ["; ".join(suspects[1:]), "None"])


@pytest.mark.cuda
def test_an_illegal_address_is_found_by_blocking(cuda, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(WRONG_MEMORY)
    code = f"import runpy; runpy.run_path({str(program)!r})"
    out = run_silently(code, "cuda:0", GPUARRAY_LAUNCH_BLOCKING="1").splitlines()
    line = 1 + WRONG_MEMORY.splitlines().index("    wrong = far + 1  # this line")
    assert out == ["('add', (1000,))", f"{program}:{line}"]
