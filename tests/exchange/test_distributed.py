# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Serializers of distributed, and arrays sent by MPI; each where the library is installed."""

import asyncio
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from _support.compare import assert_same
from _support.dtypes import DTYPES
from _support.pending import SHAPE, needs_late_work, zeros_later
from _support.process import inherited_driver, run_python
from _support.samples import ordinary

import gpuarray

needs_distributed = pytest.mark.skipif(
    find_spec("distributed") is None, reason="distributed is not installed"
)
# What dask_cuda.is_device_object has of dask-cuda 26.10.
DASK_CUDA = """
from dask.utils import Dispatch

is_device_object = Dispatch("is_device_object")
is_device_object.register(object)(lambda o: hasattr(o, "__cuda_array_interface__"))
is_device_object.register(list)(lambda values: any(is_device_object(v) for v in values))
"""
VARIABLES = {key: value for key, value in os.environ.items() if key.startswith("GPUARRAY_")}


@needs_distributed
@pytest.mark.parametrize("first", ["gpuarray", "distributed"])
def test_registration(first):
    second = {"gpuarray": "distributed", "distributed": "gpuarray"}[first]
    code = f"""
    import sys
    import {first}, {second}
    from distributed.protocol import deserialize, serialize
    x = gpuarray.arange(6, device="cpu")
    header, frames = serialize(x)
    assert header["serializer"] == "dask", header
    assert not any(getattr(f, "name", "") == "distributed.protocol" for f in sys.meta_path)
    print(deserialize(header, frames).tolist())
    """
    assert run_python(code) == "[0, 1, 2, 3, 4, 5]\n"


@needs_distributed
@pytest.mark.parametrize("first", ["gpuarray", "dask_cuda.is_device_object"])
def test_arrays_that_dask_cuda_keeps_wait_as_others(device, tmp_path, first):
    """Its own rule asks for the CUDA array interface, which gives the address away."""
    second = {"gpuarray": "dask_cuda.is_device_object"}.get(first, "gpuarray")
    (tmp_path / "dask_cuda").mkdir()
    (tmp_path / "dask_cuda" / "__init__.py").touch()
    (tmp_path / "dask_cuda" / "is_device_object.py").write_text(DASK_CUDA)
    code = f"""
    import sys
    sys.path.insert(0, {str(tmp_path)!r})
    import {first}, {second}
    from dask_cuda.is_device_object import is_device_object
    x = gpuarray.ones(1 << 16, "float32", device={device!r})
    found = is_device_object(x)
    with gpuarray.fusion("always"):
        before = gpuarray.fusion_stats()
        y = x * 2 + 1
        y.synchronize()
        after = gpuarray.fusion_stats()
    print(found, after.operations - before.operations, is_device_object([1]))
    """
    assert run_python(code, **inherited_driver()) == f"{device != 'cpu'} 2 False\n"


def test_distributed_is_not_imported():
    code = """
    import sys
    import gpuarray
    print([name for name in ("distributed", "dask") if name in sys.modules])
    """
    assert run_python(code) == "[]\n"


@pytest.mark.parametrize("first", ["gpuarray", "distributed.protocol"])
def test_registration_that_fails(tmp_path, first):
    """A distributed that is not as expected can be imported nevertheless."""
    second = {"gpuarray": "distributed.protocol"}.get(first, "gpuarray")
    (tmp_path / "distributed").mkdir()
    (tmp_path / "distributed" / "__init__.py").touch()
    (tmp_path / "distributed" / "protocol.py").write_text("answer = 42")
    code = f"""
    import sys, warnings
    import importlib.util
    sys.path.insert(0, {str(tmp_path)!r})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        import {first}
        assert importlib.util.find_spec("distributed.protocol")  # only looks
        import {second}
    assert not any(getattr(f, "name", "") == "distributed.protocol" for f in sys.meta_path)
    print("distributed will pickle" in str(caught[-1].message), distributed.protocol.answer)
    """
    assert run_python(code) == "True 42\n"


@needs_distributed
@pytest.mark.parametrize("family", ["dask", "pickle", "cuda"])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_families(device, dtype, family):
    from distributed.protocol import deserialize, serialize

    host = ordinary(dtype, (3, 4))
    x = gpuarray.to_device(host)
    for view, expected in ((x, host), (x.T, host.T), (x[:, ::2], host[:, ::2]), (x[:0], host[:0])):
        view.flags.writeable = False
        header, frames = serialize(view, serializers=[family, "dask"])
        assert header["serializer"] == ("dask" if (family, device) == ("cuda", "cpu") else family)
        if family == "cuda" and device != "cpu":
            assert all(frame.nbytes == view.nbytes for frame in frames)
        again = deserialize(header, frames)
        assert_same(again, expected)
        assert str(again.device) == device
        assert not again.flags.writeable
    if family == "cuda" and device != "cpu" and "rmm" not in sys.modules:
        header, frames = serialize(x, serializers=["cuda"])
        assert deserialize(header, frames).ptr == x.ptr


@needs_distributed
@pytest.mark.cuda
def test_memory_that_others_can_open(cuda):
    """UCX opens no memory of the driver's pools, so that RMM's is sent, where there is RMM."""
    rmm = pytest.importorskip("rmm", reason="rmm is not installed")
    from distributed.protocol import deserialize, serialize

    x = gpuarray.arange(1000.0)
    (frame,) = serialize(x, serializers=["cuda"])[1]
    assert isinstance(frame, rmm.DeviceBuffer)
    again = deserialize(*serialize(x, serializers=["cuda"]))
    assert again.ptr != x.ptr
    assert again.tolist() == x.tolist()
    shared = gpuarray.empty_shared(1000, device=cuda)
    shared[...] = x
    header, frames = serialize(shared, serializers=["cuda"])
    assert deserialize(header, frames).ptr == shared.ptr


@needs_distributed
def test_size(device):
    from dask.sizeof import sizeof

    assert sizeof(gpuarray.empty((3, 4), np.float32)) == 48


@needs_distributed
def test_cluster(device):
    """A worker of this process, over TCP."""
    from distributed import Client, Scheduler, Worker

    def double(x):
        return x * 2

    async def run():
        async with (
            Scheduler(dashboard_address=None, port=0) as scheduler,
            Worker(scheduler.address, dashboard_address=None) as worker,
            Client(scheduler.address, asynchronous=True) as client,
        ):
            assert worker.address.startswith("tcp")
            x = gpuarray.arange(4)
            return await client.submit(double, x)

    got = asyncio.run(run())
    assert got.tolist() == [0, 2, 4, 6]
    assert str(got.device) == device


def test_synchronize_returns_the_array(device):
    x = gpuarray.ones(3)
    assert x.synchronize() is x


@pytest.mark.cuda
@needs_late_work
def test_synchronize_waits_for_all_streams(cuda):
    x = gpuarray.ones(SHAPE, np.float32)
    stream, reader = gpuarray.Stream(), gpuarray.Stream()
    copied = x.copy(stream=reader)  # kept: to free it may be work of the stream, too
    with stream:
        x[...] = zeros_later() + 7
    assert not stream.done
    x[1:].synchronize()
    assert stream.done
    assert reader.done
    assert copied[0, 0] == 1


@pytest.mark.cuda
def test_synchronize_in_a_capture(cuda):
    x = gpuarray.ones(3)
    with pytest.raises(gpuarray.CaptureError, match="synchronize"), gpuarray.capture():
        x.synchronize()


MPI = """
import sys
import numpy as np
import gpuarray
from mpi4py import MPI

device = DEVICE
world = MPI.COMM_WORLD
rank, other = world.rank, 1 - world.rank
gpuarray.set_default_device(device)
# By the buffer protocol on cpu, for pinned memory too; with the CUDA array interface where MPI
# is built with CUDA.
makers = [gpuarray.zeros_pinned] if device != "cpu" else [gpuarray.zeros, gpuarray.zeros_pinned]
for make in makers:
    a, b = make(1000), make(1000)
    a[...] = gpuarray.arange(1000) * (rank + 1.0)
    sent, received = np.asarray(a.synchronize()), np.asarray(b.synchronize())
    world.Sendrecv(sent, other, recvbuf=received, source=other)
    assert (b + 0).get().tolist() == (np.arange(1000) * (other + 1.0)).tolist()
    if device == "cpu":
        world.Sendrecv(a.synchronize(), other, recvbuf=b.synchronize(), source=other)
    got = world.sendrecv(a, other, source=other)  # pickled
    assert str(got.device) == device
    assert got.tolist() == b.tolist()
print("done", flush=True)
"""


def mpiexec():
    beside = Path(sys.executable).parent / "mpiexec"
    return shutil.which("mpiexec") or (str(beside) if beside.exists() else None)


def has_mpi():
    # Where mpi4py is installed, MPI may not be.
    command = [sys.executable, "-c", "from mpi4py import MPI"]
    return mpiexec() and subprocess.run(command, capture_output=True).returncode == 0


@pytest.mark.cuda
def test_mpi_sees_the_memory(cuda):
    """The device's own for writing, and under the guard for reading; else a copy on the host."""
    if not has_mpi():
        pytest.skip("there is no mpi4py, or no MPI")
    code = f"""
    import mpi4py
    mpi4py.rc.initialize = False
    from mpi4py import MPI
    import gpuarray
    a = gpuarray.full(5, 3.0, device={cuda!r})
    a.synchronize()
    read = MPI.buffer.frombuffer(a, readonly=True)
    print(read.address != a.ptr, read.tobytes() == a.tobytes())
    print(MPI.buffer.frombuffer(a, readonly=False).address == a.ptr)
    with gpuarray.transfer_guard("disallow"):
        print(MPI.buffer.frombuffer(a, readonly=True).address == a.ptr)
    """
    assert run_python(code, **VARIABLES).split() == ["True"] * 4


def test_mpi(device):
    if not has_mpi():
        pytest.skip("there is no mpi4py, or no MPI")
    # Open MPI's own question to whoever is root.
    root = dict.fromkeys(["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"], "1")
    launch = [mpiexec(), "-n", "2", sys.executable, "-c", MPI.replace("DEVICE", repr(device))]
    code = f"import subprocess; subprocess.run({launch!r}, check=True, timeout=100)"
    assert run_python(code, **VARIABLES, **root).count("done") == 2
