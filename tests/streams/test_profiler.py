# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""gpuarray.profiler: which calls are measured, what runs in them, and ranges of NVTX."""

import sys
import types

import numpy as np
import pytest
from _support.process import inherited_driver, run_python

import gpuarray
from gpuarray import profiler


@pytest.fixture
def calls():
    return []


def test_calls_and_times(device, calls):
    def double(x, factor=2):
        calls.append(factor)
        return x * factor

    x = gpuarray.ones(1000)
    result = profiler.benchmark(double, (x,), {"factor": 3}, 5, n_warmup=2)
    assert calls == [3] * 7
    assert isinstance(result, profiler.BenchmarkResult)
    assert result.name == "double"
    assert result.cpu_times.shape == (5,)
    on_cuda = device != "cpu"
    assert result.gpu_times.shape == (int(on_cuda), 5)
    assert result.gpu_times.dtype == result.cpu_times.dtype == np.float64
    assert np.isfinite(result.gpu_times).all()
    assert [str(each) for each in result.devices] == [device] * on_cuda


def test_report(device):
    result = profiler.benchmark(gpuarray.ones, (3,), n_repeat=3, name="three ones")
    assert str(result) == result.to_str(show_gpu=True)
    assert str(result).startswith("three ones          :    CPU:")
    assert ("GPU-0:" in str(result)) == (device != "cpu")
    assert "GPU" not in result.to_str()
    assert "min:" in str(result) and str(result) in repr(result)
    once = profiler.benchmark(gpuarray.ones, (3,), n_repeat=1)
    assert "min:" not in str(once)


def test_seconds_become_microseconds():
    times = np.array([1e-6, 3e-6])
    result = profiler.BenchmarkResult("f", times, np.array([times * 10]), gpuarray.devices()[:1])
    line = f"{'f':<20}:    CPU:     2.000 us  +/- 1.000 (min: 1.000 / max: 3.000) us"
    assert result.to_str() == line
    more = "    GPU-0:    20.000 us  +/- 10.000 (min: 10.000 / max: 30.000) us"
    assert str(result) == line + more


def test_it_ends_after_the_longest_duration(device, calls):
    profiler.benchmark(lambda: calls.append(1), n_repeat=10, n_warmup=0, max_duration=0)
    assert len(calls) == 1
    profiler.benchmark(lambda: calls.append(1), n_repeat=10, n_warmup=0)
    assert len(calls) == 11


def test_waiting_operations_run_in_the_call(device):
    x = gpuarray.ones(1 << 16)
    with gpuarray.fusion("always"):
        before = gpuarray.fusion_stats()
        profiler.benchmark(lambda: (x * 2 + 1) * 3, n_repeat=3, n_warmup=1)
        after = gpuarray.fusion_stats()
    assert after.operations - before.operations == 4 * 3
    assert after.windows - before.windows == 4
    assert after.unneeded == before.unneeded


def test_errors_of_the_function_are_raised(device):
    with pytest.raises(ZeroDivisionError):
        profiler.benchmark(lambda: 1 // 0)


@pytest.mark.cuda
def test_devices(cuda):
    for devices in (["cuda:0"], [0], [gpuarray.device("cuda:0")], ("cpu", 0)):
        result = profiler.benchmark(gpuarray.ones, (3,), n_repeat=2, devices=devices)
        assert result.gpu_times.shape == (1, 2)
    with pytest.raises(gpuarray.DeviceError):
        profiler.benchmark(gpuarray.ones, (3,), devices=[63])


def test_no_devices():
    assert profiler.benchmark(int, n_repeat=2, devices=["cpu"]).gpu_times.shape == (0, 2)
    assert profiler.benchmark(int, n_repeat=2, devices=[]).gpu_times.shape == (0, 2)


WRONG = [
    ({"func": 3}, TypeError, "func must be a callable, got int"),
    ({"args": [1]}, TypeError, "args must be a tuple, got list"),
    ({"kwargs": 3}, TypeError, "kwargs must be a dict, got int"),
    ({"name": 3}, TypeError, "name must be a str or None, got int"),
    ({"n_repeat": 1.5}, TypeError, "n_repeat must be an int, got float"),
    ({"n_repeat": 0}, ValueError, "n_repeat must be 1 or more, got 0"),
    ({"n_warmup": -1}, ValueError, "n_warmup must be 0 or more, got -1"),
    ({"max_duration": "1"}, TypeError, "max_duration must be a number of seconds, got str"),
    ({"max_duration": float("nan")}, ValueError, "max_duration must be 0 or more, got nan"),
    ({"devices": "cpu"}, TypeError, "devices must be several devices or None, got str"),
    ({"devices": ["tpu"]}, gpuarray.DeviceError, "tpu"),
]


@pytest.mark.parametrize(("arguments", "error", "message"), WRONG)
def test_wrong_arguments(calls, arguments, error, message):
    with pytest.raises(error, match=message):
        profiler.benchmark(**{"func": lambda: calls.append(1), **arguments})
    assert not calls


@pytest.fixture
def nvtx(monkeypatch, calls):
    """A stand-in of the package nvtx, which notes its calls."""
    module = types.ModuleType("nvtx")
    module.push_range = lambda message, color: calls.append((message, color))
    module.pop_range = lambda: calls.append("end")
    monkeypatch.setitem(sys.modules, "nvtx", module)
    profiler._nvtx.cache_clear()
    yield
    profiler._nvtx.cache_clear()


def test_ranges(nvtx, calls):
    with profiler.time_range("outer", "red"), profiler.time_range("inner", 0x80123456):
        calls.append("work")
    assert calls == [("outer", 0xFFFF0000), ("inner", 0x80123456), "work", "end", "end"]


def test_decorated_functions(nvtx, calls):
    @profiler.time_range("double", color="green")
    def double(x):
        """Return twice x."""
        if x is None:
            raise ValueError
        return 2 * x

    assert double.__doc__ == "Return twice x."
    assert double(4) == 8
    with pytest.raises(ValueError):
        double(None)
    assert calls == [("double", 0xFF008000), "end"] * 2


@pytest.mark.parametrize("color", ["pink", -1, 1 << 32, 1.5])
def test_wrong_colors(color):
    with pytest.raises(ValueError, match=f"0xAARRGGBB or one of .*; got {color}"):
        profiler.time_range("range", color)


def test_wrong_messages():
    with pytest.raises(TypeError, match="message must be a str, got int"):
        profiler.time_range(3)


RANGE = """
import sys, types
import gpuarray

{nvtx}
from gpuarray.profiler import time_range
gpuarray.set_default_device("{device}")
with gpuarray.fusion("always"):
    x = gpuarray.ones(1 << 16)
    x.synchronize()
    with time_range("pass", "blue"):
        y = x * 2 + 1
    z = y - x
    print("after")
print(int(z[0].item()))
"""
NOTES = """
def note(*args):
    stats = gpuarray._core._fusion_stats
    print(*args, seen, flush=True)

# What ran is counted by the calls that tell of it.
run, seen = gpuarray._core._fusion_stats, []
def count():
    seen[:] = [run()[1]]
gpuarray._core._fusion_stats = count
nvtx = types.ModuleType("nvtx")
nvtx.push_range = lambda message, color: note("push", message)
nvtx.pop_range = lambda: note("pop")
sys.modules["nvtx"] = nvtx
"""


def test_waiting_operations_run_in_the_range(device):
    code = RANGE.format(nvtx=NOTES, device=device)
    lines = run_python(code, **inherited_driver()).splitlines()
    words = [line.split("[")[0].split() for line in lines]
    assert words == [["push", "pass"], ["pop"], ["after"], ["2"]]
    begun, ended = (int(line.split("[")[1].rstrip("]")) for line in lines[:2])
    assert ended - begun == 2


def test_without_nvtx_nothing_happens(device):
    code = RANGE.format(nvtx='sys.modules["nvtx"] = None', device=device)
    assert run_python(code, **inherited_driver()).splitlines() == ["after", "2"]
