# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""What an operation asks of the driver, counted by the stub; instructions a call."""

import json
import textwrap

import pytest
from _support.modules import ROOT, load
from _support.process import run_python

# `counts()` gives the driver calls of `operation()` once it is warm.
PRELUDE = """
import ctypes, os
import numpy as np
import gpuarray

driver = ctypes.CDLL(os.environ["GPUARRAY_LIBCUDA"])
driver.stub_calls.restype = ctypes.c_uint64
LAUNCHES = ["cuLaunchKernel", "cuLaunchKernelEx"]
ALLOCATIONS = ["cuMemAlloc", "cuMemAllocAsync", "cuMemAllocFromPoolAsync"]
WAITS = ["cuCtxSynchronize", "cuStreamSynchronize", "cuEventSynchronize"]
COPIES = ["cuMemcpyHtoDAsync", "cuMemcpyDtoHAsync", "cuMemcpyDtoDAsync"]

def calls(*names):
    return sum(driver.stub_calls(name.encode()) for name in names)

def counts(operation, *names, repeat=10):
    kept = [operation() for _ in range(3)]
    del kept
    gpuarray.fusion_stats()
    before = calls(*names)
    for _ in range(repeat):
        kept = operation()
        gpuarray.fusion_stats()  # What waits runs, not together with the next.
    return (calls(*names) - before) / repeat

a = gpuarray.to_device(np.linspace(1, 2, 16, dtype=np.float32))
b = gpuarray.to_device(np.linspace(3, 4, 16, dtype=np.float32))
m = a.reshape(4, 4)
d = gpuarray.to_device(np.linspace(5, 6, 16))
i = gpuarray.arange(16, dtype="int16")
"""


def run_on_stub(stub, code):
    return run_python(PRELUDE + textwrap.dedent(code), GPUARRAY_LIBCUDA=str(stub))


def test_the_stub_stands_for_a_device(stub):
    out = run_on_stub(
        stub,
        """
        print(*gpuarray.devices())
        x = np.arange(12.0).reshape(3, 4)
        d = gpuarray.to_device(x)
        assert str(d.device) == "cuda:0"
        assert (d.get() == x).all()
        assert calls("unknown") == 0
        """,
    )
    assert out.split() == ["cuda:0", "cpu"]


def test_a_launch_of_a_kernel_asks_the_driver_for_nothing_else(stub):
    run_on_stub(
        stub,
        """
        kernel = gpuarray._core._Library(b"image").kernel("kernel", "float*, float*, float*, long")
        launch, n = kernel[4, 256], np.int64(16)
        ways = [
            lambda: launch(a, b, m, 16),
            lambda: launch(a, b.ptr, m, n),
            lambda: kernel[4, 256](a, b, m, 16),
            lambda: kernel(a, b, m, 16, grid=4, block=256),
            lambda: kernel.prepared_call(4, 256, a, b, m, 16),
        ]
        for way in ways:
            assert counts(way, *LAUNCHES) == 1
            assert counts(way, "cuCtxGetCurrent") <= 1
            assert counts(way, "") <= 2
        """,
    )


def test_memory_is_given_back(stub):
    run_on_stub(
        stub,
        """
        def operations():
            x = gpuarray.to_device(np.arange(1000.0))
            y = [x + x, x.sum(), x.astype(np.float32), x[::2] * 2]
            y[1].item()

        used = gpuarray.memory_stats()["bytes_in_use"]
        operations()
        assert gpuarray.memory_stats()["bytes_in_use"] == used
        before = calls(*ALLOCATIONS)
        assert before > 0
        for _ in range(5):
            operations()
            assert gpuarray.memory_stats()["bytes_in_use"] == used
        assert calls(*ALLOCATIONS) == before, "the memory of the first run serves the others"
        """,
    )


OPERATIONS = {
    "a + b": 1,
    "a * 2.0": 1,
    "m + b[:1]": 1,
    "m + m.T": 1,
    "gpuarray.exp(a)": 1,
    "a + d": 1,
    "d[::-1] < a": 1,
    "gpuarray.exp(i)": 1,
    "gpuarray.where(a, i, d)": 1,
    "a.sum()": 1,
    "a.argmax()": 1,
    "m.sum(axis=0)": 1,
    "a.astype('float64')": 1,
    "gpuarray.concatenate([a, b] * 4)": 1,
    "gpuarray.stack([m] * 8, axis=1)": 1,
}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_operation_is_one_launch_and_at_most_one_allocation(stub, operation):
    out = run_on_stub(
        stub,
        f"""
        operation = lambda: {operation}
        print(counts(operation, *LAUNCHES), counts(operation, *ALLOCATIONS))
        print(counts(operation, *WAITS), counts(operation, *COPIES))
        """,
    )
    launches, allocations, waits, copies = map(float, out.split())
    assert launches == OPERATIONS[operation]
    assert allocations <= 1
    assert waits == 0
    assert copies == 0


@pytest.mark.parametrize("operand", ["b", "d", "i"])
def test_in_place_operators_allocate_nothing(stub, operand):
    out = run_on_stub(
        stub,
        f"""
        operation = lambda: a.__iadd__({operand})
        print(counts(operation, *LAUNCHES), counts(operation, *ALLOCATIONS, *WAITS, *COPIES))
        """,
    )
    assert out.split() == ["1.0", "0.0"]


VIEWS = [
    "a[2:9]",
    "a[::-2]",
    "m[1]",
    "m[..., None]",
    "a.reshape(4, 4)",
    "m.T",
    "m.ravel()",
    "a[:9].reshape(3, 3)",
    "a.view('int32')",
]


@pytest.mark.parametrize("view", VIEWS)
def test_views_call_no_driver(stub, view):
    assert run_on_stub(stub, f"print(counts(lambda: {view}, ''))") == "0.0\n"


def test_transfers_are_one_copy(stub):
    out = run_on_stub(
        stub,
        """
        x = np.ones(16, np.float32)
        print(counts(lambda: gpuarray.to_device(x), *COPIES), counts(a.get, *COPIES))
        """,
    )
    assert out.split() == ["1.0", "1.0"]


@pytest.fixture(scope="module")
def instructions():
    return load("benchmarks/instructions.py")


def test_a_rise_of_more_than_a_tenth_is_found(instructions, capsys):
    recorded = {"cpu": {"a + b": 1000, "a[2:9]": 1000}, "stub": {"a + b": 500}}
    found = {"cpu": {"a + b": 1101, "a[2:9]": 1100, "m.T": 7}, "stub": {"a + b": 400}}
    risen = instructions.risen_rows(found, recorded)
    assert risen == {("cpu", "a + b"): "a + b (cpu device): 1000 -> 1101"}
    instructions.report(found, recorded)
    assert "+10.1%" in capsys.readouterr().out


@pytest.mark.parametrize("later, tries", [([1050], 1), ([1200, 1050, 1], 2), ([1200] * 9, 5)])
def test_a_rise_counts_if_it_is_there_each_time(instructions, monkeypatch, later, tries):
    recorded, found = {"cpu": {"a + b": 1000}}, {"cpu": {"a + b": 1300}, "stub": {"a + b": 9}}
    paddings = []

    def measure_all(devices, padding):
        assert devices == ["cpu"]
        paddings.append(padding)
        return {"cpu": {"a + b": later[len(paddings) - 1]}}

    monkeypatch.setattr(instructions, "measure_all", measure_all)
    instructions.measure_again(found, recorded)
    assert found == {"cpu": {"a + b": min(later[:tries])}, "stub": {"a + b": 9}}
    assert len({*paddings}) == tries


def test_every_row_is_recorded(instructions):
    record = json.loads((ROOT / "benchmarks/instructions.json").read_text())
    for device in ("cpu", "stub"):
        rows = instructions.rows_of(device)
        assert {"pass", *record["instructions"][device]} == set(rows)
