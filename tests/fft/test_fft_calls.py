# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""How transforms call cuFFT: on the stand-in for it (tests/driver/fft), which notes its calls."""

import ctypes
import os
from typing import NamedTuple

import numpy as np
import pytest
from fft.fourier import assert_transform, sample

import gpuarray

LIBRARY = os.environ.get("GPUARRAY_LIBCUFFT", "")
pytestmark = [
    pytest.mark.cuda,
    pytest.mark.skipif("stub" not in LIBRARY, reason="on the test driver alone"),
]


class Plan(NamedTuple):
    kind: str
    lengths: tuple[int, ...]
    input: tuple[int, ...]  # the steps of the axes, and the distance
    output: tuple[int, ...]
    batch: int


class Execution(NamedTuple):
    input: int
    output: int
    direction: int


class Fft:
    """The stand-in, with what was asked of it since the last look."""

    def __init__(self):
        self.library = ctypes.CDLL(LIBRARY)
        self.library.stub_fft_take_record.restype = ctypes.c_char_p
        gpuarray.fft.clear_plan_cache()
        self.take()

    def take(self):
        plans, executions = [], []
        for line in self.library.stub_fft_take_record().decode().splitlines():
            word, *words = line.split()
            if word == "exec":
                executions.append(Execution(*map(int, words)))
            else:
                plans.append(plan_of(words))
        return plans, executions

    def fail(self, function, status):
        self.library.stub_fft_fail(function.encode(), status)

    def plans(self):
        return self.library.stub_fft_plans()


def plan_of(words):
    rank = int(words[1])
    numbers = [int(word) for word in words[2:]]
    lengths, rest = tuple(numbers[:rank]), numbers[rank:]
    sides = tuple(rest[: rank + 1]), tuple(rest[rank + 1 : 2 * rank + 2])
    return Plan(words[0], lengths, *sides, rest[-1])


@pytest.fixture
def fft(cuda):
    return Fft()


def complexes(*shape):
    return gpuarray.to_device(sample(shape, "complex64"))


def test_a_transform_reads_its_source_and_writes_its_result(fft):
    a = complexes(5, 8)
    made = gpuarray.fft.fft(a)
    (plan,), (execution,) = fft.take()
    assert plan == ("C2C", (8,), (1, 8), (1, 8), 5)
    assert execution == (a.ptr, made.ptr, -1)
    gpuarray.fft.ifft(a, out=a)
    plans, (execution,) = fft.take()
    assert not plans
    assert execution == (a.ptr, a.ptr, 1)


CASES = {
    "first axis": (lambda: complexes(8, 5), {"axis": 0}, [((8,), (5, 1), (5, 1), 5)]),
    "transposed": (lambda: complexes(5, 8).T, {"axis": 0}, [((8,), (1, 8), (1, 8), 5)]),
    "rows of a slice": (lambda: complexes(5, 9)[:, 1:], {}, [((8,), (1, 9), (1, 8), 5)]),
    "columns of a slice": (
        lambda: complexes(9, 10)[1:, ::2],
        {"axis": 0},
        [((8,), (10, 2), (5, 1), 5)],
    ),
    "cut": (lambda: complexes(5, 9), {"n": 8}, [((8,), (1, 9), (1, 8), 5)]),
    "a short other axis": (
        lambda: complexes(3, 8, 40),
        {"axis": 1},
        [((8,), (40, 1), (40, 1), 40)],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_views_are_read_where_they_lie(fft, case):
    make, arguments, expected = CASES[case]
    a = make()
    made = gpuarray.fft.fft(a, **arguments)
    plans, executions = fft.take()
    assert [(p.lengths, p.input, p.output, p.batch) for p in plans] == expected
    assert executions[0].input == a.ptr
    assert executions[0].output == made.ptr
    assert len(executions) == (3 if case == "a short other axis" else 1)
    x = a.get()
    assert_transform(made, "fft", x, **arguments)


def test_several_axes_are_one_plan(fft):
    a = complexes(4, 5, 6)
    gpuarray.fft.fftn(a)
    gpuarray.fft.fftn(a, axes=(0, 2))
    gpuarray.fft.fft2(a.transpose(1, 2, 0))
    plans, executions = fft.take()
    assert plans == [
        ("C2C", (4, 5, 6), (30, 6, 1, 120), (30, 6, 1, 120), 1),
        ("C2C", (4, 6), (30, 1, 6), (30, 1, 6), 5),
    ]
    assert len(executions) == 3


def test_more_than_three_axes_are_further_plans_in_place(fft):
    a = complexes(3, 4, 5, 2)
    made = gpuarray.fft.fftn(a)
    plans, executions = fft.take()
    assert [p.lengths for p in plans] == [(4, 5, 2), (3,)]
    assert executions == [(a.ptr, made.ptr, -1), (made.ptr, made.ptr, -1)]


def test_real_numbers_are_read_and_complex_ones_copied(fft):
    a = gpuarray.to_device(sample((5, 8), "float32"))
    spectrum = gpuarray.fft.rfft(a)
    plans, (execution,) = fft.take()
    assert plans == [("R2C", (8,), (1, 8), (1, 5), 5)]
    assert execution[:2] == (a.ptr, spectrum.ptr)
    back = gpuarray.fft.irfft(spectrum)
    plans, (execution,) = fft.take()
    assert plans == [("C2R", (8,), (1, 5), (1, 8), 5)]
    assert execution.input != spectrum.ptr
    assert execution.output == back.ptr
    np.testing.assert_allclose(back.get(), a.get(), atol=1e-5)
    gpuarray.fft.irfftn(gpuarray.fft.rfftn(gpuarray.ones((4, 6, 8), "float64")))
    plans, _ = fft.take()
    assert [(p.kind, p.lengths) for p in plans] == [("D2Z", (4, 6, 8)), ("Z2D", (4, 6, 8))]


def test_an_axis_between_long_ones_is_copied(fft):
    a = complexes(20, 8, 30)
    made = gpuarray.fft.fft(a, axis=1)
    plans, (execution,) = fft.take()
    assert plans == [("C2C", (8,), (1, 8), (1, 8), 600)]
    assert execution.input == execution.output != made.ptr


def test_long_columns_are_copied(fft):
    fft.fail("cufftXtExec", 6)  # the sums would take the stand-in minutes
    with pytest.raises(gpuarray.CudaError):
        gpuarray.fft.ifft(gpuarray.zeros((8200, 128), "complex64"), axis=0)
    assert fft.take()[0] == [("C2C", (8200,), (1, 8200), (1, 8200), 128)]


def test_plans_are_found_again(fft):
    a, b = complexes(5, 8), complexes(5, 8)
    for x in (a, b, a):
        gpuarray.fft.fft(x)
        gpuarray.fft.ifft(x)
    assert gpuarray.fft.plan_cache_info() == (5, 1, 1, 64)
    gpuarray.fft.fft(a, axis=0)
    info = gpuarray.fft.plan_cache_info()
    assert (info.misses, info.plans) == (2, 2)
    assert fft.plans() == 2
    gpuarray.fft.clear_plan_cache()
    assert gpuarray.fft.plan_cache_info() == (0, 0, 0, 64)
    assert fft.plans() == 0


def test_a_device_keeps_the_last_plans(fft):
    a = complexes(100)
    for n in range(1, 71):
        gpuarray.fft.fft(a, n + 1)
    info = gpuarray.fft.plan_cache_info()
    assert (info.misses, info.plans) == (70, 64)
    assert fft.plans() == 64
    gpuarray.fft.fft(a, 71)
    gpuarray.fft.fft(a, 2)
    assert gpuarray.fft.plan_cache_info()[:2] == (1, 71)
    gpuarray.synchronize()


def test_plans_keep_no_memory(fft):
    a = complexes(4, 64)
    gpuarray.fft.fft(a)
    gpuarray.synchronize()
    before = gpuarray.memory_info().used
    for n in range(2, 40):
        gpuarray.fft.fft(a, n)
    gpuarray.synchronize()
    assert gpuarray.memory_info().used == before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shape", "axes", "lengths"),
    [((1 << 16, 64), (1,), []), ((4, 512, 2048), (1,), []), ((16, 512, 512), (1, 2), [(512,)])],
)
def test_large_transforms_scale_without_a_pass_more(fft, shape, axes, lengths):
    a = gpuarray.zeros(shape, "complex64")
    a[(0,) * len(shape)] = 1
    made = gpuarray.fft.ifftn(a, axes=axes)
    assert [p.lengths for p in fft.take()[0]] == lengths
    value = 1 / np.prod([shape[axis] for axis in axes])
    column = (0, slice(16), *[0] * (len(shape) - 2))
    np.testing.assert_allclose(made[column].get(), value, rtol=1e-6)


FAILURES = {
    "cufftCreate": (2, gpuarray.OutOfMemoryError, "cufftCreate: CUFFT_ALLOC_FAILED"),
    "cufftXtMakePlanMany": (5, gpuarray.CudaError, "cufftXtMakePlanMany: CUFFT_INTERNAL_ERROR"),
    "cufftXtExec": (6, gpuarray.CudaError, "cufftXtExec: CUFFT_EXEC_FAILED"),
}


@pytest.mark.parametrize("function", FAILURES)
def test_failures_name_the_call_and_leave_nothing(fft, function):
    status, error, text = FAILURES[function]
    a = complexes(4, 6)
    fft.fail(function, status)
    with pytest.raises(error, match=text):
        gpuarray.fft.fft(a)
    assert fft.plans() == gpuarray.fft.plan_cache_info().plans
    assert_transform(gpuarray.fft.fft(a), "fft", a.get())
