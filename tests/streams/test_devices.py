# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Devices: which there are, which is the default, and operands that do not meet."""

import threading

import numpy as np
import pytest
from _support.process import run_python

import gpuarray

NO_DRIVER = {"GPUARRAY_LIBCUDA": "/nowhere/libcuda.so.1"}


def test_cpu_is_always_there():
    assert gpuarray.Device("cpu") in gpuarray.devices()
    assert isinstance(gpuarray.devices(), tuple)


def test_device_objects(device):
    d = gpuarray.Device(device)
    assert d is gpuarray.Device(device)
    assert d == gpuarray.zeros(1).device == device
    assert d != "cuda:77"
    assert str(d) == device
    assert repr(d) == f"Device({device!r})"
    assert hash(d) == hash(gpuarray.Device(d))
    assert d.kind == device.split(":")[0]
    assert d.index == 0
    assert isinstance(d.name, str)
    assert d.total_memory > 0
    free, total = d.memory_info()
    assert 0 < free <= total
    assert d.multiprocessors > 0
    d.synchronize()
    assert (d.compute_capability is None) == (device == "cpu")


@pytest.mark.cuda
def test_names_of_cuda_devices():
    assert gpuarray.Device("cuda") == gpuarray.Device("cuda:0")


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("cuda:99", gpuarray.DeviceError),
        ("cuda:-1", gpuarray.DeviceError),
        ("gpu", gpuarray.DeviceError),
        ("", gpuarray.DeviceError),
        ("cuda:x", gpuarray.DeviceError),
        ("cpu:1", gpuarray.DeviceError),
        ("cuda:99999999999999999999", gpuarray.DeviceError),
        (5, TypeError),
        (b"cpu", TypeError),
    ],
    ids=repr,
)
def test_devices_that_do_not_exist(name, error):
    for call in (
        gpuarray.Device,
        gpuarray.set_default_device,
        gpuarray.device,
        lambda device: gpuarray.zeros(2, device=device),
        lambda device: gpuarray.to_device([1], device=device),
        lambda device: gpuarray.ones(1, device="cpu").to_device(device),
    ):
        with pytest.raises(error, match=f"{name}|device" if isinstance(name, str) else "device"):
            call(name)


def test_missing_device_names_those_there_are():
    with pytest.raises(gpuarray.DeviceError, match=r"cuda:99.*cpu"):
        gpuarray.zeros(2, device="cuda:99")


def test_default_device_of_a_block(device):
    before = gpuarray.default_device()
    with gpuarray.device("cpu") as inner:
        assert inner == gpuarray.default_device() == "cpu"
        assert gpuarray.zeros(1).device == "cpu"
        with gpuarray.Device(device):
            assert gpuarray.zeros(1).device == device
        assert gpuarray.default_device() == "cpu"
    assert gpuarray.default_device() is before


def test_default_device_is_restored_after_errors(device):
    with pytest.raises(KeyError), gpuarray.device("cpu"):
        raise KeyError
    assert gpuarray.default_device() == device


def test_blocks_are_of_the_thread(device):
    seen = []

    def look():
        with gpuarray.device("cpu"):
            barrier.wait()
            seen.append(gpuarray.default_device())
            barrier.wait()

    barrier = threading.Barrier(2)
    thread = threading.Thread(target=look)
    thread.start()
    barrier.wait()
    assert gpuarray.default_device() == device
    barrier.wait()
    thread.join()
    assert seen == ["cpu"]


def test_set_default_device():
    out = run_python("""
        import gpuarray
        gpuarray.set_default_device("cpu")
        print(gpuarray.default_device(), gpuarray.zeros(1).device)
    """)
    assert out.split() == ["cpu", "cpu"]


def test_environment_chooses():
    out = run_python(
        """
        import warnings
        warnings.simplefilter("error")
        import gpuarray
        print(gpuarray.zeros(1).device)
        """,
        GPUARRAY_DEVICE="cpu",
    )
    assert out.split() == ["cpu"]


@pytest.mark.parametrize("name", ["nonsense", "cuda:99"])
def test_environment_with_a_device_that_is_not_there(name):
    out = run_python(
        """
        import gpuarray
        try:
            gpuarray.zeros(1)
        except gpuarray.DeviceError as error:
            print(error)
        """,
        GPUARRAY_DEVICE=name,
    )
    assert name in out


def test_fallback_is_one_warning():
    out = run_python(
        """
        import warnings
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            import gpuarray
            assert not caught, "importing says nothing"
            x = gpuarray.zeros(2) + gpuarray.to_device([1, 2])
            gpuarray.arange(3), gpuarray.default_device(), gpuarray.synchronize()
        print(x.device, len(caught), caught[0].category.__name__)
        print(caught[0].message)
        """,
        **NO_DRIVER,
    )
    first, message = out.splitlines()
    assert first == "cpu 1 RuntimeWarning"
    assert "/nowhere/libcuda.so.1" in message or "libcuda" in message
    assert "cpu" in message


def test_asking_for_the_cpu_does_not_warn():
    run_python(
        """
        import warnings
        warnings.simplefilter("error")
        import gpuarray
        gpuarray.zeros(2, device="cpu") + 1
        with gpuarray.device("cpu"):
            gpuarray.to_device([1, 2]).sum()
        """,
        **NO_DRIVER,
    )


def test_missing_driver_is_explained():
    out = run_python(
        """
        import gpuarray
        try:
            gpuarray.zeros(2, device="cuda")
        except gpuarray.DeviceError as error:
            print(error)
        print(gpuarray.devices())
        gpuarray.show_config()
        """,
        **NO_DRIVER,
    )
    assert "libcuda" in out.splitlines()[0]
    assert "(Device('cpu'),)" in out
    assert "libcuda" in out.split("\n", 2)[2]


@pytest.mark.cuda
def test_operands_of_different_devices(cuda):
    x, y = gpuarray.ones(3), gpuarray.ones(3, device="cpu")
    calls = [
        lambda: x + y,
        lambda: y < x,
        lambda: x @ y,
        lambda: x.__iadd__(y),
        lambda: x.__setitem__(..., y),
        lambda: gpuarray.where(x > 0, x, y),
        lambda: gpuarray.concatenate([x, y]),
        lambda: gpuarray.add(x, x, out=y),
        lambda: x.sum(out=gpuarray.zeros((), device="cpu")),
    ]
    for call in calls:
        with pytest.raises(gpuarray.DeviceError, match=r"cuda:0.*cpu|cpu.*cuda:0"):
            call()
    assert x.tolist() == y.tolist() == [1, 1, 1]


@pytest.mark.cuda
def test_results_stay_with_their_operands(cuda):
    x = gpuarray.ones(3, device="cpu")
    for got in (
        x + 1,
        2 * x,
        -x,
        x.sum(),
        gpuarray.exp(x),
        x.copy(),
        gpuarray.zeros_like(x),
        x[1:],
    ):
        assert got.device == "cpu"


def test_scalars_meet_any_device(device):
    assert (gpuarray.ones(2) * np.float32(2)).device == device


def test_memory_statistics(device):
    before = gpuarray.memory_stats(device)
    x = gpuarray.zeros(1000, np.uint8)
    during = gpuarray.memory_stats(device)
    assert during["bytes_in_use"] >= before["bytes_in_use"] + 1000
    assert during["allocations"] == before["allocations"] + 1
    assert during["peak_bytes"] >= during["bytes_in_use"]
    del x
    assert gpuarray.memory_stats(device)["bytes_in_use"] == before["bytes_in_use"]
