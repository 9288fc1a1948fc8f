# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The clusters of multi_gpu_check.py: programs against NumPy, and faults. One a process.

Prints a line for each thing checked; the exit status is 1 where a check failed.
"""

import argparse
import contextlib
import importlib.util
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import dask
import dask.array as da
import numpy as np
from distributed import Client, LocalCluster, wait

import gpuarray
import gpuarray.dask

LIMIT = 60  # seconds that one result may take


class SkippedError(Exception):
    """What cannot be checked here, and why."""


def host(value):
    return value.get() if isinstance(value, gpuarray.GPUArray) else np.asarray(value)


@contextlib.contextmanager
def cluster(options, memory_limit=None, device_memory_limit="default", folder=None):
    """Give the Client of a process a GPU, or of plain processes without GPUs."""
    common = {"n_workers": options.workers, "threads_per_worker": 1, "dashboard_address": None}
    common |= {"protocol": options.protocol, "local_directory": folder or tempfile.mkdtemp()}
    if options.device == "cpu" or importlib.util.find_spec("dask_cuda") is None:
        if options.device != "cpu":
            raise SkippedError("dask-cuda is not installed")
        made = LocalCluster(processes=True, memory_limit=memory_limit or "2GiB", **common)
    else:
        from dask_cuda import LocalCUDACluster

        made = LocalCUDACluster(
            CUDA_VISIBLE_DEVICES=[*range(options.workers)],
            pre_import="gpuarray",
            memory_limit=memory_limit or "100GiB",
            device_memory_limit=device_memory_limit,
            rmm_pool_size="1GiB" if options.protocol != "tcp" else None,
            **common,
        )
    with made, Client(made, timeout=LIMIT) as client:
        client.wait_for_workers(options.workers, timeout=LIMIT)
        client.register_plugin(gpuarray.dask.WorkerSetup())
        yield client


def random_array(shape, chunks, dtype="float64"):
    with dask.config.set({"array.backend": "gpuarray"}):
        drawn = da.random.default_rng(5).standard_normal(shape, chunks=chunks)
        return drawn.astype(dtype)


def same(name, got, expected, tolerance=1e-9):
    np.testing.assert_allclose(host(got), expected, tolerance, tolerance, err_msg=name)
    print(f"ok   {name}", flush=True)


def who(client):
    """Return what tells the workers' devices apart, by worker."""

    def identity():
        import gpuarray

        device = gpuarray.default_device()
        visible = os.environ.get("CUDA_VISIBLE_DEVICES", "")
        return str(device), visible.split(",")[0] if device.kind == "cuda" else str(os.getpid())

    return client.run(identity)


def programs(options):
    with cluster(options) as client:
        places = who(client)
        print(f"workers: {sorted(places.values())}")
        if len({of for _, of in places.values()}) != options.workers:
            raise AssertionError(f"workers share a device: {places}")
        n = options.side
        x = random_array((n, n), n // 4).persist()
        wait(x, timeout=LIMIT)
        h = host(x.compute())
        tall = x.rechunk((n // 4, n)).astype("complex128")
        values = {
            "sum": (x.sum(), h.sum()),
            "mean of an axis": (x.mean(axis=0), h.mean(axis=0)),
            "std": (x.std(), h.std()),
            "product": (x @ x.T, h @ h.T),
            "transpose": (x + x.T, h + h.T),
            "halo": (overlap(x), np.roll(h, 1, 0)),
            "FFT": (da.fft.fft(tall, axis=1).rechunk((n, n // 4)), np.fft.fft(h, axis=1)),
            "singular values": (da.linalg.svd(x[:, :8].rechunk((n // 4, 8)))[1], singular(h)),
            "sliced and strided": (x[::-3, 5::2] * 2, h[::-3, 5::2] * 2),
            "rechunk by tasks": (x.rechunk((n, n // 8), method="tasks").cumsum(0), h.cumsum(0)),
        }
        for name, (program, expected) in values.items():
            same(name, client.compute(program).result(LIMIT), expected, 1e-6)
        with dask.config.set({"array.rechunk.method": "p2p"}):
            same("rechunk by p2p", client.compute(x.rechunk((n, n // 4)) + 1).result(LIMIT), h + 1)
        sent(client)
        gpuarray.dask.synchronize(client)


def overlap(x):
    return x.map_overlap(lambda b: gpuarray.roll(b, 1, 0), depth={0: 1}, boundary="periodic")


def singular(h):
    return np.linalg.svd(h[:, :8])[1]


def sent(client):
    """Send arrays of every layout to one worker, and from there to another."""
    whole = gpuarray.arange(60, dtype="float32").reshape(6, 10)
    cases = {"C": whole, "F": whole.T, "strided": whole[::2, 1::3], "0-d": whole[0, 0]}
    cases |= {"empty": whole[:0], "reversed": whole[::-1], "read-only": whole.copy()}
    cases["read-only"].flags.writeable = False
    for dtype in ("bool", "int8", "uint16", "float16", "int64", "complex64"):
        cases[dtype] = (whole % 7).astype(dtype)
    first, *_, last = sorted(client.scheduler_info(n_workers=-1)["workers"])
    for name, a in cases.items():
        on_one = client.scatter(a, workers=[first], hash=False)
        moved = client.submit(lambda b: b + 0 if b.dtype != bool else b, on_one, workers=[last])
        np.testing.assert_array_equal(host(moved.result(LIMIT)), host(a), err_msg=name)
    print(f"ok   {len(cases)} layouts and dtypes sent", flush=True)


def killed(options):
    """Kill a worker in the middle of a computation."""
    with cluster(options) as client:
        n = options.side
        x = random_array((n, n), n // 8).persist()
        wait(x, timeout=LIMIT)
        h = host(x.compute())
        future = client.compute((x @ x.T).sum() + (x - x.T).max())
        time.sleep(0.05)
        os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
        start = time.monotonic()
        same("after SIGKILL", future.result(LIMIT), (h @ h.T).sum() + (h - h.T).max(), 1e-6)
        print(f"recovered in {time.monotonic() - start:.1f} s")


def spoil(path):
    """Return a task that writes far outside of an array, the first time."""

    def task():
        import os

        import gpuarray

        try:
            os.mkdir(path)
        except FileExistsError:
            return os.getpid()
        source = 'extern "C" __global__ void f(float* x) { x[1ull << 40] = 1; }'
        a = gpuarray.zeros(1, "float32")
        gpuarray.Module(source).get_function("f")[1, 1](a)
        gpuarray.synchronize()
        return None

    return task


def lost(options):
    """A kernel out of range loses a worker's context: its nanny starts another."""
    if options.device == "cpu":
        raise SkippedError("a context is lost on a GPU alone")
    with cluster(options) as client, tempfile.TemporaryDirectory() as folder:
        x = random_array((1000, 1000), 250).persist()
        wait(x, timeout=LIMIT)
        h = host(x.compute())
        before = set(client.run(os.getpid).values())
        ran_in = client.submit(spoil(f"{folder}/spoilt"), retries=1).result(LIMIT)
        client.wait_for_workers(options.workers, timeout=LIMIT)
        after = set(client.run(os.getpid).values())
        print(f"processes before {sorted(before)}, after {sorted(after)}; ran in {ran_in}")
        if len(before & after) != options.workers - 1:
            raise AssertionError("one worker was to be replaced")
        same("after a lost context", client.compute(x + 1).result(LIMIT), h + 1)


def greedy(path, times):
    """Return a task that asks for too much memory, so many times."""

    def task():
        import os

        import gpuarray

        for attempt in range(times):
            try:
                os.mkdir(f"{path}/{attempt}")
            except FileExistsError:
                continue
            gpuarray.empty(1 << 46, "uint8")
        return gpuarray.ones(3)

    return task


def memory(options):
    """Device memory runs out: the error is the client's, and `retries` helps."""
    with cluster(options) as client, tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "a").mkdir()
        (Path(folder) / "b").mkdir()
        try:
            client.submit(greedy(f"{folder}/a", 1)).result(LIMIT)
        except gpuarray.OutOfMemoryError as error:
            print(f"ok   OutOfMemoryError: {str(error)[:80]}")
        else:
            raise AssertionError("64 TiB were allocated")
        got = client.submit(greedy(f"{folder}/b", 2), retries=2).result(LIMIT)
        same("with retries=2", got, [1, 1, 1])
        same("afterwards", client.submit(gpuarray.arange, 5).result(LIMIT), np.arange(5))


def full_disk(options):
    """Spill to a disk that is full: an error or the right result, and new workers go on."""
    with tempfile.TemporaryDirectory() as folder, small_disk(folder):
        limits = {"memory_limit": "400MiB", "device_memory_limit": "100MiB", "folder": folder}
        # The processes are larger than that anyway, and no nanny is to end them.
        memory = "distributed.worker.memory."
        count = 100_000_000 * options.workers
        with (
            dask.config.set({f"{memory}target": 0.1, f"{memory}spill": False}),
            dask.config.set({f"{memory}pause": False, f"{memory}terminate": False}),
            cluster(options, **limits) as client,
        ):
            with dask.config.set({"array.backend": "gpuarray"}):
                x = (da.arange(count, chunks=2_000_000, dtype="float64") + 1).persist()
            try:
                got = float(client.compute(x.sum()).result(LIMIT))
            except TimeoutError:
                raise AssertionError("no result and no error on a full disk") from None
            except Exception as error:
                print(f"ok   an error: {type(error).__name__}: {str(error)[:100]}")
            else:
                same("the sum on a full disk", got, count * (count + 1) / 2)
            del x
            client.restart(timeout=LIMIT)
            small = client.submit(gpuarray.arange, 5).result(LIMIT)
            same("afterwards", small, np.arange(5))


@contextlib.contextmanager
def small_disk(folder):
    """Mount 48 MiB of memory as the folder."""
    mount = ["mount", "-t", "tmpfs", "-o", "size=48m", "tmpfs", folder]
    done = subprocess.run(mount, capture_output=True, text=True)
    if done.returncode != 0:
        raise SkippedError(f"mount: {done.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", folder], check=False)


def scheduler(options):
    """Kill the scheduler: the client gets an error, and the workers end."""
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        file = f"{folder}/scheduler.json"
        arguments = ["--scheduler-file", file]
        command = [sys.executable, "-P", "-m", "distributed.cli.dask_scheduler", "--port", "0"]
        processes = [start(stack, [*command, "--no-dashboard", *arguments], folder)]
        for rank in range(options.workers):
            command = [sys.executable, "-P", "-m", "distributed.cli.dask_worker", *arguments]
            command += ["--nthreads", "1", "--no-dashboard", "--no-nanny", "--death-timeout", "5"]
            command += ["--local-directory", folder]
            place = {"CUDA_VISIBLE_DEVICES": str(rank)} if options.device == "cuda" else {}
            processes.append(start(stack, command, folder, place))
        client = stack.enter_context(Client(scheduler_file=file, timeout=LIMIT))
        client.wait_for_workers(options.workers, timeout=LIMIT)
        x = random_array((1000, 1000), 250).persist()
        wait(x, timeout=LIMIT)
        future = client.submit(time.sleep, 5)
        processes[0].kill()
        begin = time.monotonic()
        try:
            future.result(30)
        except Exception as error:
            print(f"ok   {type(error).__name__} after {time.monotonic() - begin:.1f} s")
        else:
            raise AssertionError("the scheduler was dead, and a result came")
        for process in processes[1:]:
            process.wait(45)
        print(f"ok   the workers ended after {time.monotonic() - begin:.1f} s")


def start(stack, command, folder, place=None):
    log = stack.enter_context((Path(folder) / f"log{time.monotonic_ns()}").open("w"))
    options = {"stdout": log, "stderr": subprocess.STDOUT, "env": os.environ | (place or {})}
    process = subprocess.Popen(command, cwd=folder, **options)
    stack.callback(process.kill)
    return process


SCENARIOS = {f.__name__: f for f in (programs, killed, lost, memory, full_disk, scheduler)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenario", choices=SCENARIOS)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--protocol", default="tcp")
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--side", type=int, default=2000, help="of the square arrays")
    options = parser.parse_args()
    try:
        SCENARIOS[options.scenario](options)
    except SkippedError as reason:
        print(f"skipped: {reason}")


if __name__ == "__main__":
    main()
