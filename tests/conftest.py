# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Fixtures: every test that takes `device` runs on cpu, and on cuda:0 where there is one.

On the test driver (tools/test_on_driver.py) it runs on cuda:0 alone, since the cpu device needs no
driver.
"""

import gc
import os

import hypothesis
import pytest

import gpuarray
from gpuarray import _core

# This keeps JAX from taking three quarters of the device's memory for itself.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

# Processes of pytest-xdist inherit this; in each of them NumPy would take all processors.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

pytest.register_assert_rewrite("_support")

from _support.cuda_driver import card_driver, load_model  # noqa: E402
from _support.process import run_python  # noqa: E402
from _support.stub_driver import build_stub  # noqa: E402

# The examples are the same in each run, whatever ran before: a failure concerns the code alone.
# GPUARRAY_TEST_RANDOM=1 tries others, as a search for faults does.
hypothesis.settings.register_profile(
    "gpuarray",
    deadline=None,
    derandomize=os.environ.get("GPUARRAY_TEST_RANDOM") != "1",
    database=None,
    max_examples=int(os.environ.get("GPUARRAY_TEST_EXAMPLES", "100")),
    suppress_health_check=[
        hypothesis.HealthCheck.function_scoped_fixture,
        hypothesis.HealthCheck.too_slow,
    ],
)
hypothesis.settings.load_profile("gpuarray")

CUDA_DEVICES = [str(device) for device in gpuarray.devices() if str(device) != "cpu"]
DEVICES = [*([] if "GPUARRAY_TEST_DRIVER" in os.environ else ["cpu"]), *CUDA_DEVICES[:1]]


def pytest_configure(config):
    config.addinivalue_line("markers", "cuda: needs a CUDA device; left out where there is none")
    config.addinivalue_line("markers", "slow: takes seconds or much memory")
    # Whole runs in a mode that only tests have; GPUARRAY_FUSION=always goes with it.
    _core._test_windows(os.environ.get("GPUARRAY_TEST_WINDOWS", "no"))
    if os.environ.get("GPUARRAY_REQUIRE_CUDA") == "1" and not CUDA_DEVICES:
        raise pytest.UsageError("GPUARRAY_REQUIRE_CUDA=1, but there is no CUDA device")


def pytest_collection_modifyitems(config, items):
    if len(CUDA_DEVICES) > 1:
        return
    left_out = [item for item in items if "two_cuda_devices" in item.fixturenames]
    if not CUDA_DEVICES:
        left_out += [item for item in items if item.get_closest_marker("cuda")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def pytest_collection_finish(session):
    # gc.collect() in the tests then need not look through the thousands of collected tests.
    gc.freeze()


@pytest.fixture(params=DEVICES)
def device(request):
    """Give the name of a device, which is the default one during the test."""
    with gpuarray.device(request.param):
        yield request.param


@pytest.fixture
def cuda():
    """Give the first CUDA device, the default one during the test; for tests marked `cuda`."""
    with gpuarray.device("cuda:0"):
        yield "cuda:0"


@pytest.fixture(scope="session", params=["late", "random:1", "random:2", "card"])
def driver_library(request, tmp_path_factory):
    """Give the interface of a CUDA driver: the test driver's in some modes, and the card's."""
    try:
        if request.param != "card":
            return load_model(tmp_path_factory.mktemp("driver"), request.param)
    except FileNotFoundError:
        pytest.skip("there is no C++ compiler")
    return card_driver() or pytest.skip("there is no card")


@pytest.fixture(scope="session")
def stub(tmp_path_factory):
    """Give the test driver without a mode, which counts calls and does no work."""
    try:
        library = build_stub(tmp_path_factory.mktemp("stub"))
    except FileNotFoundError:
        pytest.skip("there is no C++ compiler")
    reason = run_python(
        "import gpuarray; print(gpuarray.show_config(mode='dicts').get('cuda_absent_reason', ''))",
        GPUARRAY_LIBCUDA=str(library),
    ).strip()
    if reason:
        pytest.skip(f"the stub driver has no device: {reason}")
    return library


@pytest.fixture
def cu(driver_library):
    """Give a CUDA driver's interface with its context current; its work ends with the test."""
    driver_library.check("cuCtxSetCurrent", driver_library.context)
    yield driver_library
    driver_library.end_captures()
    driver_library.check("cuCtxSynchronize")


@pytest.fixture
def two_cuda_devices():
    """Give two CUDA devices, the first the default one; the test is left out where there is one."""
    with gpuarray.device("cuda:0"):
        yield "cuda:0", "cuda:1"
