# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""One rank of the all_reduce row of scale.py; rank 0 prints a line of JSON for each size.

The processes find each other by files in a folder. Each sees one GPU, by CUDA_VISIBLE_DEVICES.
"""

import argparse
import json
import statistics
import time
from pathlib import Path


def shared_bytes(path: Path, rank: int, make) -> bytes:
    """Return what rank 0 makes and writes, once it is there."""
    if rank == 0:
        made = make()
        path.with_suffix(".new").write_bytes(made)
        path.with_suffix(".new").rename(path)
        return made
    end = time.monotonic() + 60
    while not path.exists():
        if time.monotonic() > end:
            raise TimeoutError(f"rank 0 has not written {path.name}")
        time.sleep(0.02)
    return path.read_bytes()


class Ours:
    """gpuarray.collectives, on arrays of gpuarray."""

    def __init__(self, rank, size, folder):
        import gpuarray
        from gpuarray import collectives

        self.xp = gpuarray
        identity = shared_bytes(folder / "id", rank, collectives.get_unique_id)
        self.communicator = collectives.init_process_group(size, rank, unique_id=identity)

    def array(self, count):
        return self.xp.random.default_rng(count).random((count,), dtype="float32")

    def all_reduce(self, a):
        self.communicator.all_reduce(a, a)

    def synchronize(self):
        self.xp.synchronize()

    def first(self, a):
        return float(a[0])


class Raw(Ours):
    """The bindings of nccl4py alone, on the addresses of gpuarray's arrays."""

    def __init__(self, rank, size, folder):
        from nccl.bindings import nccl

        import gpuarray

        self.xp, self.nccl = gpuarray, nccl
        gpuarray.zeros(1).synchronize()
        identity = shared_bytes(folder / "id", rank, lambda: bytes(nccl.get_unique_id()))
        self.comm = nccl.comm_init_rank_scalable(size, rank, 1, bytearray(identity), 0)
        self.stream = gpuarray.Stream(non_blocking=True)

    def array(self, count):
        made = super().array(count)
        self.pointer, self.count = made.ptr, count
        made.synchronize()
        return made

    def all_reduce(self, a):
        # 7 is ncclFloat32, 0 ncclSum.
        pointer = self.pointer
        self.nccl.all_reduce(pointer, pointer, self.count, 7, 0, self.comm, self.stream.ptr)


class Torch:
    def __init__(self, rank, size, folder):
        import torch
        import torch.distributed as dist

        self.torch, self.dist = torch, dist
        store = f"file://{folder / 'store'}"
        device = torch.device("cuda:0")
        torch.cuda.set_device(device)
        dist.init_process_group(
            "nccl", init_method=store, rank=rank, world_size=size, device_id=device
        )

    def array(self, count):
        self.torch.manual_seed(count)
        return self.torch.rand(count, device="cuda:0")

    def all_reduce(self, a):
        self.dist.all_reduce(a)

    def synchronize(self):
        self.torch.cuda.synchronize()

    def first(self, a):
        return float(a[0])


KINDS = {"gpuarray": Ours, "torch": Torch, "nccl4py": Raw}


def measure(group, size, nbytes, calls):
    """Return the median seconds of a call, by batches of calls that are queued together."""
    before = group.first(group.array(nbytes // 4))
    a = group.array(nbytes // 4)
    group.all_reduce(a)
    group.synchronize()
    if abs(group.first(a) - size * before) > 1e-4 * size * max(before, 1e-3):
        raise ValueError(f"all_reduce: got {group.first(a)}, expected {size * before}")
    taken = []
    for _ in range(7):
        # In place, so that every library does the same; drawn anew, so that nothing overflows.
        a = group.array(nbytes // 4)
        group.all_reduce(a)
        group.synchronize()
        start = time.perf_counter()
        for _ in range(calls):
            group.all_reduce(a)
        group.synchronize()
        taken.append((time.perf_counter() - start) / calls)
    return statistics.median(taken[1:])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--rank", type=int, required=True)
    parser.add_argument("--size", type=int, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--nbytes", type=int, nargs="+", required=True)
    options = parser.parse_args()
    group = KINDS[options.kind](options.rank, options.size, options.folder)
    for nbytes in options.nbytes:
        calls = 10 if nbytes > 1 << 20 else 50
        seconds = measure(group, options.size, nbytes, calls)
        if options.rank == 0:
            print(json.dumps({"nbytes": nbytes, "seconds": seconds}), flush=True)


if __name__ == "__main__":
    main()
