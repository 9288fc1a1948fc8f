# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Clusters of worker processes: what is sent and spilled, and workers that fail."""

import contextlib
import os
import signal
import time

import numpy as np
import pytest
from _support import fused as pickled
from _support.compare import host
from _support.process import run_python

import gpuarray

dask = pytest.importorskip("dask", reason="dask is not installed")
distributed = pytest.importorskip("distributed", reason="distributed is not installed")
da = pytest.importorskip("dask.array")

LIMIT = 30  # seconds until a test gives up


@pytest.fixture
def cluster(device, tmp_path):
    """Return a function that starts two workers, each a process, with default devices as here."""
    with contextlib.ExitStack() as stack:

        def start(memory_limit="4GiB", **options):
            made = stack.enter_context(
                distributed.LocalCluster(
                    n_workers=2,
                    threads_per_worker=1,
                    memory_limit=memory_limit,
                    dashboard_address=None,
                    local_directory=str(tmp_path),
                    env={"GPUARRAY_DEVICE": device},
                    silence_logs=50,
                    **options,
                )
            )
            return stack.enter_context(distributed.Client(made, timeout=LIMIT))

        yield start


def random_chunks(n, seed=0):
    """Return (n, n) numbers in 16 chunks, made by gpuarray's generator on the workers."""
    with dask.config.set({"array.backend": "gpuarray"}):
        return da.random.default_rng(seed).standard_normal((n, n), chunks=n // 4)


def test_programs(device, cluster):
    """Sums, products, halos and changes of chunks, between two workers."""
    client = cluster()
    x = random_chunks(400).persist()
    whole = x.compute()
    assert isinstance(whole, gpuarray.GPUArray)
    assert str(whole.device) == device
    h = host(whole)
    programs = {
        "mean": (x.mean(axis=0), h.mean(axis=0)),
        "product": (x @ x.T, h @ h.T),
        "transpose": (x + x.T, h + h.T),
        "halo": (
            x.map_overlap(lambda b: gpuarray.roll(b, 1, 0), depth={0: 1}, boundary="periodic"),
            np.roll(h, 1, 0),
        ),
        "rechunk": (x.rechunk((400, 40)).cumsum(axis=0), h.cumsum(axis=0)),
    }
    for name, (program, expected) in programs.items():
        got = client.compute(program).result(LIMIT)
        np.testing.assert_allclose(host(got), expected, 1e-9, 1e-9, err_msg=name)
    with dask.config.set({"array.rechunk.method": "p2p"}):
        got = client.compute(x.rechunk((400, 100)) + 1).result(LIMIT)
    np.testing.assert_array_equal(host(got), h + 1)
    gpuarray.dask.synchronize(client)


def test_broadcasts_are_sent_once(device):
    """Eight megabytes of one number are one number on the wire and in a worker's accounts."""
    from dask.sizeof import sizeof
    from distributed.protocol import deserialize, serialize

    one = gpuarray.full((1, 3), 2.5)
    wide = gpuarray.broadcast_to(one, (400_000, 3))
    wide.flags.writeable = False
    assert sizeof(wide) == 24
    for families in (["dask"], ["cuda", "dask"]):
        header, frames = serialize(wide, serializers=families)
        assert sum(memoryview(f).nbytes if device == "cpu" else f.nbytes for f in frames) == 24
        again = deserialize(header, frames)
        assert again.shape == wide.shape
        assert again.strides == wide.strides
        assert not again.flags.writeable
        assert (again == 2.5).all().item()
    # What others may write through keeps all its elements.
    whole = gpuarray.lib.stride_tricks.as_strided(one, (5, 3), (0, 8))
    assert whole.flags.writeable
    _, frames = serialize(whole, serializers=["dask"])
    assert sum(memoryview(f).nbytes for f in frames) == 120


def test_spilling(device, cluster):
    """More than twice the memory that workers may use for results, and the sum is right."""
    with dask.config.set({"distributed.worker.memory.target": 0.1}):
        client = cluster("1GiB")
    with dask.config.set({"array.backend": "gpuarray"}):
        x = (da.arange(60_000_000, chunks=1_000_000, dtype="float64") + 1).persist()
    distributed.wait(x, timeout=LIMIT)
    if device == "cpu":  # where a worker's memory is the arrays'
        spilled = client.run(lambda dask_worker: len(dask_worker.data.disk))
        assert sum(spilled.values()) >= 20
    assert client.compute(x.sum()).result(LIMIT).item() == 60_000_000 * 60_000_001 // 2


def test_a_worker_is_killed(device, cluster):
    """What it had is computed again."""
    client = cluster()
    x = random_chunks(400).persist()
    distributed.wait(x, timeout=LIMIT)
    expected = host(x.compute())
    killed = next(iter(client.run(os.getpid).values()))
    os.kill(killed, signal.SIGKILL)
    got = client.compute(x + 1).result(LIMIT)
    np.testing.assert_array_equal(host(got), expected + 1)


def exhausts_once(path):
    """Return a task that runs out of memory the first time; workers cannot import this module."""

    def task():
        try:
            os.mkdir(path)
        except FileExistsError:
            return gpuarray.ones(3)
        raise gpuarray.OutOfMemoryError("the device has no memory left", 1 << 40)

    return task


def test_out_of_memory(cluster, tmp_path):
    """The error keeps its type and numbers, and `retries` tries again."""
    client = cluster()
    with pytest.raises(gpuarray.OutOfMemoryError, match="no memory left") as caught:
        client.submit(exhausts_once(str(tmp_path / "a"))).result(LIMIT)
    assert caught.value.asked == 1 << 40
    again = client.submit(exhausts_once(str(tmp_path / "b")), retries=2)
    assert again.result(LIMIT).tolist() == [1, 1, 1]


def loses_once(path, device):
    """Return a task that loses its process's context, the first time; on cpu as if it were so."""

    class Lie:
        """Says that there is more memory than there is."""

        def __init__(self, owner):
            self.owner = owner
            self.__cuda_array_interface__ = dict(
                owner.__cuda_array_interface__, shape=(1 << 40,), strides=None
            )

    def task():
        try:
            os.mkdir(path)
        except FileExistsError:
            return os.getpid()
        import gpuarray.dask

        if device != "cpu":
            lie = Lie(gpuarray.ones(1 << 10))
            gpuarray.asarray(lie)[1 << 39 : (1 << 39) + 1000] + 1
            gpuarray.synchronize()
        gpuarray.dask._context_is_lost = lambda: True
        raise gpuarray.CudaError("the CUDA context is lost", 700, "CUDA_ERROR_ILLEGAL_ADDRESS")

    return task


def test_a_worker_whose_context_is_lost_is_replaced(device, cluster, tmp_path):
    client = cluster()
    client.register_plugin(gpuarray.dask.WorkerSetup())
    before = set(client.run(os.getpid).values())
    path = str(tmp_path / "lost")
    ran_in = client.submit(loses_once(path, device)).result(LIMIT)
    deadline = time.monotonic() + LIMIT
    while len(client.scheduler_info()["workers"]) < 2 and time.monotonic() < deadline:
        time.sleep(0.1)
    after = set(client.run(os.getpid).values())
    assert len(after) == 2
    assert len(before & after) == 1
    assert ran_in in after


def test_a_context_lost_after_its_task_is_seen(cluster):
    """A kernel may fail when its task has ended, so that no task's error tells of it."""
    client = cluster()
    client.register_plugin(gpuarray.dask.WorkerSetup())
    before = set(client.run(os.getpid).values())

    def lose():
        import gpuarray.dask

        gpuarray.dask._context_is_lost = lambda: True

    address = next(iter(client.scheduler_info()["workers"]))
    client.run(lose, workers=[address])
    deadline = time.monotonic() + LIMIT
    after = before
    while (len(after) < 2 or before <= after) and time.monotonic() < deadline:
        time.sleep(0.2)
        after = set(client.run(os.getpid, on_error="ignore").values())
    assert len(after) == 2
    assert len(before & after) == 1


def test_a_worker_in_the_users_process_is_left_alone():
    code = """
    import gpuarray, gpuarray.dask, time
    from distributed import Client, LocalCluster
    options = dict(processes=False, dashboard_address=None, protocol="tcp")
    with LocalCluster(1, **options) as cluster, Client(cluster) as client:
        client.register_plugin(gpuarray.dask.WorkerSetup())
        gpuarray.dask._context_is_lost = lambda: True
        try:
            client.submit(divmod, 1, 0).result(20)
        except ZeroDivisionError:
            time.sleep(1.5)
            print("alive")
    """
    assert run_python(code, GPUARRAY_DEVICE="cpu") == "alive\n"


def test_without_restart_the_error_is_the_clients(device, cluster, tmp_path):
    client = cluster()
    client.register_plugin(gpuarray.dask.WorkerSetup(restart=False))
    before = set(client.run(os.getpid).values())
    with pytest.raises(gpuarray.CudaError, match="context") as caught:
        client.submit(loses_once(str(tmp_path / "lost"), device)).result(LIMIT)
    assert caught.value.status == 700
    assert set(client.run(os.getpid).values()) == before


def test_ordinary_errors_end_no_worker(cluster):
    client = cluster()
    client.register_plugin(gpuarray.dask.WorkerSetup())
    before = set(client.run(os.getpid).values())
    with pytest.raises(ValueError, match="broadcast"):
        client.submit(lambda: gpuarray.ones(3) + gpuarray.ones(4)).result(LIMIT)
    assert set(client.run(os.getpid).values()) == before


def test_options_of_the_plugin():
    with pytest.raises(
        ValueError, match=r"allocator: expected None or one of .*'rmm'.*, got 'none'"
    ):
        gpuarray.dask.WorkerSetup(allocator="none")


def test_kernels_and_fused_functions_go_to_the_workers(device, cluster):
    client = cluster()
    offset = 7

    @gpuarray.fuse
    def local(x):
        return x * 2 + offset

    kernel = gpuarray.ElementwiseKernel("T x", "T y", "y = x * 3", "tripled")
    h = np.arange(24.0).reshape(4, 6)
    x = da.from_array(gpuarray.to_device(h), chunks=(2, 6))
    for function, expected in (
        (local, h * 2 + 7),
        (pickled.scaled, h * 2 + 1),
        (pickled.shifted, h + 5),
        (kernel, h * 3),
    ):
        program = x.map_blocks(function, dtype=h.dtype, meta=gpuarray.empty((0, 0)))
        np.testing.assert_array_equal(host(client.compute(program).result(LIMIT)), expected)
