# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Measures rows of scale.py in one cluster: a process a GPU. Prints a line of JSON a result."""

import argparse
import gc
import importlib.util
import json
import math
import os
import sys
import time

import dask
import dask.array as da
import numpy as np
import scale_programs as programs
from distributed import Client, LocalCluster, futures_of, wait
from scale_rows import BARE, BARE_PROGRAMS, BY_NAME, NAMES, SPILL

GIB = 1 << 30
LEAST_RUNS, MOST_RUNS = 3, 15


def start_cluster(options):
    """Return a cluster of one process a GPU, or a plain one with as many processes."""
    common = {
        "n_workers": options.workers,
        "threads_per_worker": 1,
        "dashboard_address": None,
        "protocol": options.protocol,
        "local_directory": options.folder,
    }
    if options.device == "cpu" or importlib.util.find_spec("dask_cuda") is None:
        limit = options.spill * 2 if options.spill else "4GiB"
        return LocalCluster(processes=True, memory_limit=limit, **common)
    from dask_cuda import LocalCUDACluster

    # UCX opens the memory of RMM's pool in other processes, so that nothing is copied to be sent.
    pool = options.rmm_pool if options.protocol == "ucx" else None
    return LocalCUDACluster(
        CUDA_VISIBLE_DEVICES=[*range(options.workers)],
        pre_import="gpuarray",
        memory_limit="100GiB",
        device_memory_limit=options.spill or "default",
        rmm_pool_size=pool,
        rmm_allocator_external_lib_list=["cupy"] if pool else None,
        **common,
    )


def tell(**fields):
    print(json.dumps(fields), flush=True)


def owner_of(workers, numblocks, before=0):
    """Return a function that maps the key of a chunk to its worker, as a list: tiles of a grid.

    `before` blocks lie before the first one along the first axis: halos. Parts of a block have
    fractional indices, as Dask's overlaps name them.
    """
    across = 1
    if len(numblocks) > 1 and numblocks[1] > 1:
        across = next(n for n in range(math.isqrt(len(workers)), 0, -1) if len(workers) % n == 0)
    tiles = (len(workers) // across, across)

    def owner(key):
        place = 0
        indices = key[1:] if isinstance(key, tuple) else ()
        for axis, (index, blocks, parts) in enumerate(zip(indices, numblocks, tiles, strict=False)):
            block = min(max(round(index) - (before if axis == 0 else 0), 0), blocks - 1)
            place = place * parts + block * parts // blocks
        return [workers[place]]

    return owner


def place(results, x, workers):
    """Have every task run where the chunks of its indices are."""
    for result in results:
        for name, layer in result.__dask_graph__().layers.items():
            if name == x.name:
                continue
            first = [
                key[1] for key in layer.get_output_keys() if isinstance(key, tuple) and key[1:]
            ]
            has_halos = max(map(round, first), default=0) == x.numblocks[0] + 1
            owner = owner_of(workers, x.numblocks, int(has_halos))
            layer.annotations = (layer.annotations or {}) | {"workers": owner}
    return results


class Measurement:
    """Rows in one cluster, for each library in turn."""

    def __init__(self, options, client):
        self.options = options
        self.client = client
        self.workers = sorted(client.scheduler_info(n_workers=-1)["workers"])
        self.end = time.monotonic() + options.limit

    def tell(self, row, library, **fields):
        place = {"workers": self.options.workers, "protocol": self.options.protocol}
        tell(row=row, library=library, **place, **fields)

    def wait(self, collections):
        """Wait for results and for every device."""
        left = min(self.options.longest, self.end - time.monotonic())
        wait(collections, timeout=max(1, left))
        failed = [f for c in collections for f in futures_of(c) if f.status == "error"]
        for future in failed:
            future.result()
        self.client.run(programs.synchronise, self.library)

    def run(self, program, x, is_placed):
        """Return the seconds of one run of the program, and its results."""
        start = time.perf_counter()
        if is_placed:
            # Dask cannot fuse layers whose workers are given by a function.
            placed = place(program(x), x, self.workers)
            results = self.client.persist(placed, optimize_graph=False)
        else:
            results = self.client.persist(program(x))
        self.wait(results)
        return time.perf_counter() - start, results

    def placed(self, x):
        """Compute the array, with as many chunks on every worker as on others.

        Dask's own choice depends on what the workers have done before: one may get three of eight.
        """
        owner = owner_of(self.workers, x.numblocks)
        keys = [(x.name, *index) for index in np.ndindex(x.numblocks)]
        chunks = {
            key: self.client.compute(chunk, workers=owner(key))
            for key, chunk in zip(keys, x.to_delayed().flat, strict=True)
        }
        self.wait(chunks.values())
        return da.Array(chunks, x.name, x.chunks, meta=x._meta)

    def runs(self, program, x, is_placed=False):
        """Return the seconds of several runs, and the last results; the first warms up.

        A first run that takes the whole budget counts as the only one.
        """
        first, results = self.run(program, x, is_placed)
        if first > self.options.seconds:
            return [first], results
        taken = []
        while len(taken) < MOST_RUNS:
            if sum(taken) > self.options.seconds and len(taken) >= LEAST_RUNS:
                break
            if sum(taken) > 3 * self.options.seconds:
                break
            keys = {future.key for future in futures_of(results)}
            del results
            gc.collect()
            self.client.run(programs.synchronise, self.library)
            if keys & self.client.futures.keys():
                raise RuntimeError("a result is still held, and would be returned again")
            seconds, results = self.run(program, x, is_placed)
            taken.append(seconds)
        return taken, results

    def warm_up(self, row, library, scale):
        """Compile kernels and open connections, by a small array of the same program."""
        shape, chunks = row.layout(self.options.workers, scale)
        x = programs.random_chunks(shape, chunks, library, row.dtype)
        self.wait(self.client.persist(row.program(x)))

    def row(self, row, library):
        scale = self.options.scales.get(row.name, self.options.scale)
        shape, chunks = row.layout(self.options.workers, scale)
        with dask.config.set({"array.backend": library}):
            self.warm_up(row, library, scale / 256)
            x = self.placed(programs.random_chunks(shape, chunks, library, row.dtype))
            taken, results = self.runs(row.program, x, row.is_placed)
            work = row.work(self.options.workers, scale)
            self.tell(row.name, library, runs=taken, work=work, chunk=chunks, shape=shape)
            values = [v if v.ndim else v.compute() for v in results]
            row.check(values, x)

    def spill(self, library):
        limit = self.options.spill
        chunk = max(1, limit // 40)
        with dask.config.set({"array.backend": library}):
            x = programs.random_chunks((25 * chunk,), (chunk,), library)
            (x,) = self.client.persist([x])
            self.wait([x])
            taken, results = self.runs(programs.total, x)
            self.tell(SPILL, library, runs=taken, work=x.nbytes / GIB, limit=limit / GIB)
            programs.check_total([results[0].compute()], x)

    def bare(self, library):
        for name in BARE_PROGRAMS:
            scale = self.options.scales.get(name, self.options.scale)
            shape, chunks = BY_NAME[name].layout(1, scale)
            future = self.client.submit(programs.bare, name, library, shape, chunks[0], pure=False)
            self.tell(f"{BARE}, {name}", library, runs=future.result(self.options.longest), work=1)

    def all(self):
        for name in self.options.rows:
            for library in self.options.libraries:
                if time.monotonic() > self.end:
                    self.tell(name, library, error="skipped: the time was over")
                    continue
                self.attempt(name, library)

    def attempt(self, name, library):
        self.library = library
        start = time.monotonic()
        try:
            if name in BY_NAME:
                self.row(BY_NAME[name], library)
            else:
                (self.spill if name == SPILL else self.bare)(library)
        except Exception as error:
            text = f"{type(error).__name__}: {error}".splitlines()[0][:300]
            self.tell(name, library, error=text or type(error).__name__)
        # Both libraries keep memory: each row begins without that of the one before.
        try:
            self.client.run(programs.release, library)
        except Exception as error:
            print(f"# {name}, {library}: release: {error}", file=sys.stderr)
        print(f"# {name}, {library}: {time.monotonic() - start:.1f} s", file=sys.stderr, flush=True)


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, required=True)
    parser.add_argument("--protocol", default="tcp")
    parser.add_argument("--libraries", nargs="+", default=["gpuarray"])
    parser.add_argument("--rows", nargs="+", choices=NAMES, required=True)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--seconds", type=float, default=2.5, help="of timed runs, a row")
    parser.add_argument("--longest", type=float, default=40, help="seconds of a single run")
    parser.add_argument("--limit", type=float, default=600, help="seconds of all rows")
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--scales", type=json.loads, default={}, help="JSON, by rows")
    parser.add_argument("--spill", type=int, default=0, help="device_memory_limit in bytes")
    parser.add_argument("--rmm-pool", default="60GiB", help="the size of RMM's pool, with ucx")
    parser.add_argument("--folder", help="for the workers' files")
    return parser.parse_args()


def main():
    options = parse()
    # Neighbouring chunks are made by one worker.
    dask.config.set({"distributed.scheduler.worker-saturation": "inf"})
    dask.config.set({"distributed.comm.timeouts.connect": "60s"})
    os.environ.setdefault("NCCL_NVLS_ENABLE", "0")
    start = time.monotonic()
    with start_cluster(options) as cluster, Client(cluster) as client:
        client.wait_for_workers(options.workers, timeout=90)
        if options.device != "cpu" and "gpuarray" in options.libraries:
            import gpuarray.dask

            allocator = "rmm" if options.protocol == "ucx" else None
            client.register_plugin(gpuarray.dask.WorkerSetup(allocator))
        seconds = time.monotonic() - start
        print(f"# {options.workers} workers, {options.protocol}: {seconds:.1f} s", file=sys.stderr)
        Measurement(options, client).all()
    print(f"# closed after {time.monotonic() - start:.1f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
