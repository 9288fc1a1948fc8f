# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""gpuarray.h, through an extension module that is compiled here."""

import gc
import importlib.util
import os
import shlex
import subprocess
import sys
import sysconfig
import threading
import time
import weakref
from pathlib import Path

import numpy as np
import pytest
from _support.compare import assert_same
from _support.cuda_driver import CudaDriver
from _support.process import FREE_THREADED

import gpuarray
from gpuarray import _core

SOURCE = Path(__file__).resolve().parents[2] / "tests" / "c_api" / "probe.cpp"
INCLUDE = sysconfig.get_path("include")
WRITABLE, C_CONTIGUOUS, F_CONTIGUOUS = 1, 2, 4
DTYPES = ["bool_", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
DTYPES += ["float16", "bfloat16", "float32", "float64", "complex64", "complex128"]
FLOAT64 = DTYPES.index("float64")


def compile_module(folder, *options):
    if not (Path(INCLUDE) / "Python.h").exists():
        pytest.skip("Python.h is not installed")
    library = folder / "probe.so"
    compiler = shlex.split(os.environ.get("CXX", "c++"))
    includes = [f"-I{INCLUDE}", f"-I{gpuarray.get_include()}"]
    flags = ["-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", *options]
    flags += [] if FREE_THREADED else ["-DPy_LIMITED_API=0x030B0000"]
    subprocess.run([*compiler, *flags, *includes, SOURCE, "-o", library], check=True)
    spec = importlib.util.spec_from_file_location("probe", library)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def probe(tmp_path_factory):
    return compile_module(tmp_path_factory.mktemp("probe"))


def place(device):
    device = gpuarray.Device(device)
    return (0, 0) if device.kind == "cpu" else (1, device.index)


def total_elsewhere(a):
    """The sum as another thread finds it; None where it gets no turn."""
    seen = []
    thread = threading.Thread(target=lambda: seen.append((a + 0).sum().item()), daemon=True)
    thread.start()
    thread.join(10)
    return seen[0] if seen else None


def test_the_header_is_c(tmp_path):
    source = tmp_path / "use.c"
    source.write_text("#include <gpuarray.h>\nint use(void) { return import_gpuarray(); }\n")
    if not (Path(INCLUDE) / "Python.h").exists():
        pytest.skip("Python.h is not installed")
    compiler = shlex.split(os.environ.get("CC", "cc"))
    includes = [f"-I{INCLUDE}", f"-I{gpuarray.get_include()}"]
    flags = ["-std=c99", "-Wall", "-Werror", "-Wno-unused-function", "-fsyntax-only"]
    subprocess.run([*compiler, *flags, *includes, source], check=True)


def test_check(probe, device):
    assert probe.check(gpuarray.ones(3)) is True
    assert probe.check(np.ones(3)) is False


def test_views(probe, device):
    a = gpuarray.arange(24, dtype="float32").reshape(2, 3, 4)
    for array in (a, a.T, a[:, 1:, ::-2], a[0, 0, 0, ...], a[:0], a.astype("complex128")):
        flags = WRITABLE
        flags |= C_CONTIGUOUS * array.flags.c_contiguous | F_CONTIGUOUS * array.flags.f_contiguous
        described = (array.ptr, *place(device), str(array.dtype), array.itemsize, flags)
        assert probe.view(array) == (*described, array.size, array.shape, array.strides)
    a.flags.writeable = False
    assert probe.view(a)[5] & WRITABLE == 0
    with pytest.raises(TypeError, match=r"gpuarray\.h: expected a GPUArray, got ndarray"):
        probe.view(np.ones(3))


def test_dtypes(probe, device):
    for number, name in enumerate(DTYPES):
        assert probe.dtype_name(number) == name.rstrip("_")
        assert probe.view(probe.new_array((2, 0), number))[3] == name.rstrip("_")
    assert probe.dtype_name(-1) == probe.dtype_name(len(DTYPES)) == ""


def test_new_arrays(probe, device):
    a = probe.new_array((2, 3), FLOAT64)
    a.fill(7)
    assert_same(a, np.full((2, 3), 7.0))
    assert str(a.device) == device
    assert probe.new_array((), FLOAT64).shape == ()
    for arguments, error, message in [
        (((2, -3), FLOAT64), ValueError, "negative dimensions"),
        (((1,) * 65, FLOAT64), ValueError, "64 dimensions, got 65"),
        (((2,), 77), TypeError, "77 is no dtype"),
        (((2,), FLOAT64, 5), gpuarray.DeviceError, "5 is no kind of device"),
    ]:
        with pytest.raises(error, match=message):
            probe.new_array(*arguments)


@pytest.mark.cuda
def test_memory_that_comes_back_is_ordered(probe, cuda):
    one, two = gpuarray.Stream(), gpuarray.Stream()
    with one:
        a = gpuarray.full(1000, 5.0)
    with two:
        b = probe.wrap(a.ptr, *place(cuda), FLOAT64, WRITABLE, (1000,), (8,), a)
        two.launch_host_func(time.sleep, 0.01)
        b += 1
    with one:
        assert_same(a * 1, np.full(1000, 6.0))
    with two:
        two.launch_host_func(time.sleep, 0.01)
        c = b * 2
    del a, b
    with one:
        later = gpuarray.full(1000, 7.0)
    one.synchronize()
    assert_same(c, np.full(1000, 12.0))
    del later


def test_memory_of_others(probe, device):
    lender = gpuarray.arange(12.0).reshape(3, 4)
    lent = weakref.ref(lender)
    a = probe.wrap(lender.ptr, *place(device), FLOAT64, WRITABLE, (4, 3), (8, 32), lender)
    assert_same(a, np.arange(12.0).reshape(3, 4).T)
    a[1] = 5
    assert_same(lender[:, 1], np.full(3, 5.0))
    view = a[0]
    del a, lender
    gc.collect()
    assert lent() is not None
    assert_same(view, np.array([0.0, 4, 8]))
    del view
    gpuarray.synchronize()
    gc.collect()
    assert lent() is None


def test_memory_that_is_refused(probe, device):
    lender = gpuarray.ones(4)
    ask = [lender.ptr, *place(device), FLOAT64, 0, (4,), (8,), lender]
    readonly = probe.wrap(*ask)
    assert not readonly.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        readonly.fill(1)
    for index, value, error, message in [
        (0, 0, ValueError, "address is 0"),
        (0, lender.ptr + 1, BufferError, "not aligned"),
        (1, 9, gpuarray.DeviceError, "9 is no kind of device"),
        (3, -1, TypeError, "-1 is no dtype"),
        (5, (-4,), ValueError, "negative dimensions"),
        (6, (12,), ValueError, "stride 12 is not a multiple of the itemsize 8"),
    ]:
        wrong = list(ask)
        wrong[index] = value
        with pytest.raises(error, match=message):
            probe.wrap(*wrong)


def test_access_on_the_current_stream(probe, device):
    a, b = gpuarray.ones(4), gpuarray.ones(4)
    assert probe.access((a, b), (False, True), None, lambda handle: handle) == (
        gpuarray.current_stream().ptr
    )
    with gpuarray.Stream() as stream:
        assert probe.access((a,), (True,), None, lambda handle: handle) == stream.ptr
    assert probe.access((a,), (True,), stream, lambda handle: handle) == stream.ptr
    b.flags.writeable = False
    assert probe.access((b,), (False,), None, lambda handle: 5) == 5
    with pytest.raises(ValueError, match="read-only"):
        probe.access((b,), (True,), None, lambda handle: handle)
    with pytest.raises(TypeError, match="expected a GPUArray, got int"):
        probe.access((a, 5), (False, False), None, lambda handle: handle)
    with pytest.raises(ValueError, match="expected arrays, got none"):
        probe.access((), (), None, lambda handle: handle)
    assert_same(a + 1, np.full(4, 2.0))  # the turn was given back


@pytest.mark.cuda
def test_access_orders_streams(probe, cuda):
    """Bytes that another library writes on its stream come after a late reader of ours."""
    late, theirs = gpuarray.Stream(), gpuarray.Stream()
    done = threading.Event()
    a = gpuarray.zeros(1 << 16, np.uint8)
    with late:
        late.launch_host_func(done.wait, 1)
        before = a + 0
    driver = CudaDriver(os.environ.get("GPUARRAY_LIBCUDA", "libcuda.so.1"))
    probe.access((a,), (True,), theirs, lambda handle: driver.fill(a.ptr, 7, a.nbytes, handle))
    after = a + 0
    done.set()
    assert_same(before, np.zeros(1 << 16, np.uint8))
    assert_same(after, np.full(1 << 16, 7, np.uint8))


@pytest.mark.cuda
def test_access_from_python(cuda):
    late, theirs = gpuarray.Stream(), gpuarray.Stream()
    done = threading.Event()
    a = gpuarray.zeros(1 << 16, np.uint8)
    driver = CudaDriver(os.environ.get("GPUARRAY_LIBCUDA", "libcuda.so.1"))
    with late:
        late.launch_host_func(done.wait, 1)
        before = a + 0
    with gpuarray.access(writes=[a], stream=theirs) as stream:
        assert stream == theirs
        driver.fill(a.ptr, 7, a.nbytes, stream.ptr)
    after = a + 0
    done.set()
    assert_same(before, np.zeros(1 << 16, np.uint8))
    assert_same(after, np.full(1 << 16, 7, np.uint8))


def test_access_gives_its_turn_back(device):
    a = gpuarray.ones(4)
    with pytest.raises(KeyError), gpuarray.access(reads=[a]):
        raise KeyError
    with gpuarray.access([a], [gpuarray.ones(3)]) as stream:
        assert stream == gpuarray.current_stream()
    a.flags.writeable = False
    for arguments, error, message in [
        ({}, ValueError, "expected arrays, got none"),
        ({"writes": [a]}, ValueError, "read-only"),
        ({"reads": [np.ones(3)]}, TypeError, "expected a GPUArray, got ndarray"),
    ]:
        with pytest.raises(error, match=message), gpuarray.access(**arguments):
            pass
    assert total_elsewhere(a + 1) == 8


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_accesses_are_closed_in_any_order(device, order):
    a, b = gpuarray.ones(4), gpuarray.ones(4)
    opened = [_core._open_access([x], [], None)[1] for x in (a, b)]
    for index in order:
        _core._close_access(opened[index])
    assert total_elsewhere(a + b) == 8


def test_an_access_that_nobody_closes_gives_its_turn_back(device):
    """As an interrupt leaves it that comes between opening and the block."""
    a = gpuarray.ones(4)
    _core._open_access([a], [], None)
    assert total_elsewhere(a) == 4


@pytest.mark.cuda
def test_devices_do_not_mix(probe, cuda):
    arrays = (gpuarray.ones(3, device="cpu"), gpuarray.ones(3, device=cuda))
    with pytest.raises(gpuarray.DeviceError, match="on different devices, cpu and cuda"):
        probe.access(arrays, (False, False), None, lambda handle: handle)


def test_streams(probe, device):
    stream = gpuarray.Stream()
    assert probe.stream(*place(device), stream.ptr) == stream
    with pytest.raises(gpuarray.DeviceError):
        probe.stream(1, 1000, 1)


def test_another_version_is_an_import_error(tmp_path, monkeypatch):
    for version, installed in [("99", "GPUARRAY_API_MAJOR"), ("7", "GPUARRAY_API_MINOR")]:
        folder = tmp_path / version
        folder.mkdir()
        header = Path(gpuarray.get_include(), "gpuarray.h").read_text()
        line = next(row for row in header.splitlines() if row.startswith(f"#define {installed}"))
        (folder / "gpuarray.h").write_text(header.replace(line, f"#define {installed} {version}"))
        with pytest.raises(ImportError, match=rf"{version}.* and the one installed is 2\.0"):
            compile_module(folder, f"-I{folder}")


def test_references(probe, device):
    a = gpuarray.ones(3)
    before = sys.getrefcount(a)
    for _ in range(100):
        probe.view(a)
        probe.access((a,), (True,), None, lambda handle: handle)
        probe.wrap(a.ptr, *place(device), FLOAT64, 0, (3,), (8,), a)
    gpuarray.synchronize()
    assert sys.getrefcount(a) == before
