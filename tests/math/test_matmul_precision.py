# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""set_matmul_precision and matmul_precision: float32 is float32 unless the user allows less."""

import threading

import numpy as np
import pytest
from _support.process import inherited_driver, run_python

import gpuarray

LOAD_IN_THREADS = """
import sys, threading
from gpuarray import _core

sys.setswitchinterval(1e-6)
barrier = threading.Barrier(8)

def load():
    barrier.wait()
    _core._cuda_libraries()

threads = [threading.Thread(target=load) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


@pytest.fixture(autouse=True)
def precision_of_before():
    before = gpuarray.get_matmul_precision()
    yield
    gpuarray.set_matmul_precision(before)


def test_the_process_has_one():
    assert gpuarray.get_matmul_precision() == "highest"
    assert gpuarray.set_matmul_precision("high") is None
    assert gpuarray.get_matmul_precision() == "high"
    assert in_a_thread(gpuarray.get_matmul_precision) == "high"


def test_a_thread_has_its_own_within_with():
    with gpuarray.matmul_precision("high"):
        assert gpuarray.get_matmul_precision() == "high"
        assert in_a_thread(gpuarray.get_matmul_precision) == "highest"
        with gpuarray.matmul_precision("highest"):
            assert gpuarray.get_matmul_precision() == "highest"
        assert gpuarray.get_matmul_precision() == "high"
    assert gpuarray.get_matmul_precision() == "highest"


def test_it_is_put_back_after_an_error():
    with pytest.raises(KeyError), gpuarray.matmul_precision("high"):
        raise KeyError
    assert gpuarray.get_matmul_precision() == "highest"


@pytest.mark.parametrize("wrong", ["medium", "", "HIGH"])
def test_wrong_names(wrong):
    for call in (gpuarray.set_matmul_precision, in_with):
        with pytest.raises(ValueError, match="expected 'highest' or 'high'"):
            call(wrong)
    assert gpuarray.get_matmul_precision() == "highest"


def test_wrong_types():
    for call in (gpuarray.set_matmul_precision, in_with):
        with pytest.raises((TypeError, ValueError), match="precision"):
            call(1)
    with pytest.raises(ValueError, match="precision"):
        gpuarray.set_matmul_precision(None)


@pytest.mark.parametrize("dtype", ["float32", "complex64"])
def test_errors_are_those_of_the_precision(device, dtype):
    a = np.random.default_rng(1).standard_normal((500, 500)).astype(dtype)
    x, exact = gpuarray.to_device(a), a.astype(np.complex128) @ a.astype(np.complex128)
    bound = np.abs(a).astype(float) @ np.abs(a).astype(float)

    def error():
        return np.max(np.abs((x @ x).get() - exact) / bound)

    assert error() < 1e-6
    with gpuarray.matmul_precision("high"):
        assert error() < 2e-3
    assert error() < 1e-6


def in_with(precision):
    with gpuarray.matmul_precision(precision):
        pass


def in_a_thread(function):
    found = []
    thread = threading.Thread(target=lambda: found.append(function()))
    thread.start()
    thread.join()
    return found[0]


def test_threads_that_load_the_library_at_once():
    run_python(LOAD_IN_THREADS, **inherited_driver())
