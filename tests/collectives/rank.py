# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""One rank of test_nccl.py: python rank.py <what> <size> <rank> <file of the unique id>."""

import os
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import gpuarray
from gpuarray import collectives


def unique_id(rank, file):
    """Return the bytes that rank 0 writes to the file for all."""
    if rank == 0:
        made = collectives.get_unique_id()
        file.with_suffix(".part").write_bytes(made)
        file.with_suffix(".part").rename(file)
        return made
    end = time.monotonic() + 60
    while not file.exists():
        assert time.monotonic() < end, "rank 0 has given no id"
        time.sleep(0.01)
    return file.read_bytes()


def verbs(communicator):
    from collectives.verbs import check_all

    check_all(communicator)


def refusals(communicator):
    strided = gpuarray.ones(6)[::2]
    read_only = gpuarray.ones(3)
    read_only.flags.writeable = False
    for call in (
        lambda: communicator.all_reduce(strided, gpuarray.ones(3)),
        lambda: communicator.all_reduce(gpuarray.ones(3), read_only),
    ):
        try:
            call()
        except ValueError:
            continue
        raise AssertionError("an array was not refused")
    a = gpuarray.ones(3)
    communicator.all_reduce(a, a)
    assert a.get().tolist() == [communicator.size] * 3


def late(communicator):
    """Sum what matrix products on a side stream have not written yet."""
    from _support.pending import SHAPE, zeros_later

    stream = gpuarray.Stream()
    for _ in range(5):
        out = gpuarray.zeros(SHAPE, "float32")
        with stream:
            a = zeros_later() + (communicator.rank + 1)
        communicator.all_reduce(a, out)
        with stream:
            a[...] = -1
            total = out + 0
        expected = communicator.size * (communicator.size + 1) / 2
        assert float(total.min().get()) == float(total.max().get()) == expected


def killed(communicator):
    """The last rank dies while the others wait for it in a sum."""
    a = gpuarray.ones(1 << 20)
    communicator.all_reduce(a, a)
    communicator.synchronize()
    if communicator.rank == communicator.size - 1:
        os.kill(os.getpid(), signal.SIGKILL)
    begin = time.monotonic()
    try:
        communicator.all_reduce(a, a)
        communicator.synchronize(timeout=5)
    except (TimeoutError, gpuarray.CudaError) as error:
        seconds = time.monotonic() - begin
        assert seconds < 20, seconds
        assert "aborted" in repr(communicator)
        gpuarray.synchronize()
        assert (gpuarray.ones(3) + 1).get().tolist() == [2] * 3
        print("error in time:", error)
        return
    raise AssertionError("the sum of a rank that is dead has ended")


def main():
    what, size, rank, file = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4])
    with gpuarray.device(f"cuda:{rank}"):
        communicator = collectives.init_process_group(
            size, rank, unique_id=unique_id(rank, file), timeout=120
        )
        globals()[what](communicator)
        communicator.close()
    print("done")


if __name__ == "__main__":
    main()
