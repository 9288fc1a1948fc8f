# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""mpi_buffer: what MPI is given, and two ranks of mpi4py that send and receive through it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from _support.pending import needs_late_work, zeros_later

import gpuarray

RANKS = """
import sys
import numpy as np
from mpi4py import MPI
import gpuarray
from gpuarray import mpi_buffer

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
assert size == 2
makers = [lambda n, d: gpuarray.zeros(n, d, device="cpu")]
if len(gpuarray.devices()) > 1:
    makers.append(gpuarray.zeros_pinned)
names = "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128"
for zeros in makers:
    for name in names.split():
        a, b = zeros((2, 3), name), zeros((2, 3), name)
        a[...] = rank + 1
        comm.Allreduce(mpi_buffer(a), mpi_buffer(b))
        assert (b == 3).all(), (name, b)
        if rank == 0:
            comm.Send(mpi_buffer(a), 1)
        else:
            comm.Recv(mpi_buffer(b), 0)
            assert (b == 1).all()
        whole = zeros((4, 3), name)
        comm.Allgather(mpi_buffer(a), mpi_buffer(whole))
        assert (whole[:2] == 1).all() and (whole[2:] == 2).all()
    for name in ("bool", "float16", "bfloat16"):
        a = zeros(5, name)
        a[...] = rank
        # Not every MPI has a type for 16-bit floats.
        comm.Bcast(mpi_buffer(a if name == "bool" else a.view("uint8")), 1)
        assert (a == 1).all()
a = gpuarray.zeros(3, device="cpu")
a.flags.writeable = False
b = gpuarray.ones(3, device="cpu")
MPI.COMM_SELF.Allreduce(mpi_buffer(a), mpi_buffer(b))
assert (b == 0).all()
try:
    MPI.COMM_SELF.Allreduce(mpi_buffer(b), mpi_buffer(a))
except BufferError:
    pass
else:
    raise AssertionError("a read-only array was not refused")
comm.Barrier()
print("done", flush=True)
"""


def test_it_has_no_buffer_protocol_and_is_no_copy(device):
    a = gpuarray.arange(6.0).reshape(2, 3)
    buffer = gpuarray.mpi_buffer(a)
    with pytest.raises(TypeError, match="bytes-like"):
        memoryview(buffer)
    assert buffer.__dlpack_device__() == a.__dlpack_device__()
    assert repr(buffer) == f"<mpi_buffer of shape (2, 3), dtype float64, on {device}>"
    if device == "cpu":
        np.from_dlpack(buffer)[0, 0] = 7
        assert not hasattr(buffer, "__cuda_array_interface__")
    else:
        assert buffer.__cuda_array_interface__["data"] == (a.ptr, False)
        gpuarray.from_dlpack(buffer)[0, 0] = 7
    assert a[0, 0].item() == 7


@pytest.mark.cuda
@needs_late_work
@pytest.mark.parametrize("protocol", ["made", "dlpack", "interface"])
def test_it_waits_for_pending_work(cuda, protocol):
    stream = gpuarray.Stream()
    a = gpuarray.ones(3)
    buffer = gpuarray.mpi_buffer(a)
    with stream:
        a[...] = zeros_later()[0, :3]
        done = stream.record()
    assert not done.query()
    if protocol == "made":
        gpuarray.mpi_buffer(a)
    elif protocol == "dlpack":
        buffer.__dlpack__(stream=-1, max_version=(1, 0), copy=False)
    else:
        assert buffer.__cuda_array_interface__
    assert done.query()


def test_what_is_refused(device):
    with pytest.raises(TypeError, match="mpi_buffer: expected a GPUArray, got ndarray"):
        gpuarray.mpi_buffer(np.ones(3))
    with pytest.raises(ValueError, match=r"expected a contiguous array, got shape \(2,\)"):
        gpuarray.mpi_buffer(gpuarray.ones(4)[::2])
    fortran = gpuarray.ones((2, 3), order="F")
    assert gpuarray.mpi_buffer(fortran).__dlpack__() is not None


def test_two_ranks(tmp_path):
    pytest.importorskip("mpi4py")
    beside = Path(sys.executable).with_name("mpiexec")
    launcher = str(beside) if beside.exists() else shutil.which("mpiexec")
    if launcher is None:
        pytest.skip("there is no mpiexec")
    script = tmp_path / "ranks.py"
    script.write_text(RANKS)
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    done = subprocess.run(
        [launcher, "-n", "2", sys.executable, "-m", "mpi4py", str(script)],
        env={**os.environ, **allowed, "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("done") == 2
