# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Transforms on streams, in threads and in graphs, and the plans that they use."""

import threading

import numpy as np
import pytest
from _support.process import inherited_driver, run_python
from fft.fourier import assert_transform, sample

import gpuarray


def test_a_transform_is_queued_on_its_stream(device):
    x = sample((6, 10))
    stream = gpuarray.Stream(device)
    with stream:
        a = gpuarray.to_device(x) * 2
        made = gpuarray.fft.fft(a)
    assert_transform(made, "fft", 2 * x)
    back = gpuarray.fft.ifft(made, stream=stream)
    assert_transform(back + 0, "ifft", np.fft.fft(2 * x))
    assert_transform(gpuarray.fft.rfft(a.real, stream=stream), "rfft", 2 * x.real)
    assert gpuarray.fft.fftfreq(5, stream=stream).shape == (5,)


def program(x):
    spectrum = gpuarray.fft.fftshift(gpuarray.fft.fft2(gpuarray.fft.ifftshift(x)))
    return gpuarray.fft.irfftn(
        gpuarray.fft.rfftn(spectrum.real * 2, (5, 9), (0, 1)), (5, 9), (0, 1)
    )


@pytest.mark.parametrize("planned", [False, True], ids=["planned in the graph", "planned before"])
def test_graphs(device, planned):
    gpuarray.fft.clear_plan_cache()
    a = gpuarray.to_device(sample((6, 10)))
    if planned:
        program(a)
    graph = gpuarray.graph(program)(a)
    for seed in (1, 2):
        x = sample((6, 10), seed=seed)
        graph.update(x)
        gpuarray.fft.clear_plan_cache()  # the graph keeps its plans
        graph.launch()
        np.testing.assert_allclose(
            graph.result.get(), program(gpuarray.to_device(x)).get(), atol=1e-12
        )


def test_threads_share_no_plan(device):
    x = sample((7, 24))
    a = gpuarray.to_device(x)
    wrong = []

    def work():
        with gpuarray.Stream(device):
            for _ in range(20):
                made = gpuarray.fft.ifft(gpuarray.fft.fft(a)).get()
                if not np.allclose(made, x):
                    wrong.append(made)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_the_cpu_device_has_no_plans():
    gpuarray.fft.fft(gpuarray.ones(4, device="cpu"))
    assert gpuarray.fft.plan_cache_info("cpu") == (0, 0, 0, 0)
    assert gpuarray.fft.clear_plan_cache("cpu") is None


@pytest.mark.cuda
def test_plan_cache_counts(cuda):
    gpuarray.fft.clear_plan_cache()
    a = gpuarray.ones((4, 6), "complex64")
    for _ in range(3):
        gpuarray.fft.fft(a)
    info = gpuarray.fft.plan_cache_info()
    assert info._fields == ("hits", "misses", "plans", "limit")
    assert info == (2, 1, 1, 64)


@pytest.mark.cuda
def test_without_the_library_the_error_names_the_wheel():
    out = run_python(
        """
        import gpuarray
        try:
            gpuarray.fft.fft(gpuarray.ones(4, device="cuda:0"))
        except gpuarray.DeviceError as error:
            print(error)
        """,
        **{**inherited_driver(), "GPUARRAY_LIBCUFFT": "/nowhere/libcufft.so.12"},
    )
    assert "library of Fourier transforms" in out
    assert "gpuarray-cuda[cuda13]" in out


def test_the_module_is_imported_when_it_is_used():
    out = run_python("""
        import sys
        import gpuarray
        print("gpuarray.fft" in sys.modules)
        print(gpuarray.fft.fft2.__name__, "gpuarray.fft" in sys.modules)
        from gpuarray import fft
        print(fft is gpuarray.fft)
    """)
    assert out.split() == ["False", "fft2", "True", "True"]
