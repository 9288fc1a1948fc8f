# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The verbs of a communicator over the stand-in for NCCL: values, order, groups, failures."""

import contextlib
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from _support.dtypes import NAMES
from _support.pending import needs_late_work
from collectives import rank as programs
from collectives.verbs import check_all

import gpuarray
from gpuarray import collectives

pytestmark = pytest.mark.cuda


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("name", NAMES)
def test_every_verb_is_as_numpy(run_ranks, size, name):
    run_ranks(size, lambda communicator: check_all(communicator, [name]))


def test_what_it_says_of_itself(run_ranks):
    def check(c):
        assert repr(c) == f"<Communicator: rank {c.rank} of 2 on cuda:{c.rank}>"
        return c.size, c.rank, str(c.device)

    assert run_ranks(2, check) == [(2, 0, "cuda:0"), (2, 1, "cuda:1")]


@needs_late_work
@pytest.mark.parametrize("program", [programs.refusals, programs.late])
def test_programs_of_ranks(run_ranks, program):
    run_ranks(2, program)


def test_a_verb_does_not_wait(run_ranks):
    held = threading.Event()

    def check(c):
        a = gpuarray.ones(4)
        if c.rank == 1:
            assert held.wait(10)
        c.all_reduce(a, a)
        # Rank 0 comes here while rank 1 has not even begun.
        held.set()
        return a.get().tolist()

    assert run_ranks(2, check) == [[2.0] * 4] * 2


def test_a_group_is_queued_at_its_end_on_one_stream(run_ranks, nccl):
    def check(c):
        a, b, out = gpuarray.full(3, c.rank), gpuarray.full(2, c.rank), gpuarray.zeros(2, "int64")
        stream = gpuarray.Stream()
        before = nccl.calls["queue"]
        with c.group(stream=stream):
            c.all_reduce(a, a)
            c.send(b, 1 - c.rank)
            c.recv(out, 1 - c.rank)
            assert nccl.calls["queue"] in (before, before + 1)  # that of the other rank
            with pytest.raises(RuntimeError, match=r"barrier: .* after the end of the group"):
                c.barrier()
            with pytest.raises(ValueError, match="expected no stream in a group"):
                c.all_reduce(a, a, stream=stream)
        return a.get().tolist(), out.get().tolist()

    assert run_ranks(2, check) == [([1] * 3, [1] * 2), ([1] * 3, [0] * 2)]


def test_another_thread_may_not_call_a_verb_while_a_group_is_open(one_rank, nccl):
    x = gpuarray.ones(4, device=one_rank.device)
    with ThreadPoolExecutor(1) as pool, one_rank.group():
        one_rank.all_reduce(x, x)
        with pytest.raises(RuntimeError, match="all_reduce: another thread is in a group"):
            pool.submit(one_rank.all_reduce, x, x).result()
    one_rank.synchronize()
    assert x.tolist() == [1] * 4


def test_nothing_of_a_group_is_queued_after_an_exception(one_rank, nccl):
    a = gpuarray.ones(3)
    before = nccl.calls["queue"]
    with pytest.raises(KeyError), one_rank.group():
        one_rank.all_reduce(a, a)
        raise KeyError
    assert nccl.calls["queue"] == before
    one_rank.all_reduce(a, a)
    assert nccl.calls["queue"] == before + 1


def test_arrays_of_no_elements(run_ranks):
    def check(c):
        a, b = gpuarray.ones((0, 3)), gpuarray.ones(0)
        c.all_reduce(a, a)
        c.broadcast(a)
        c.all_gather(b, gpuarray.ones(0))
        c.all_to_all(b, gpuarray.ones(0))
        c.send_recv(b, gpuarray.ones(0), 1 - c.rank)
        with c.group():
            pass

    run_ranks(2, check)


def test_in_place_parts_of_a_larger_array(run_ranks):
    def check(c):
        whole = gpuarray.arange(6.0) + 10 * c.rank
        c.reduce_scatter(whole, whole[3 * c.rank :][:3])
        part = whole[3 * c.rank :][:3].get()
        gathered = gpuarray.full(4, float(c.rank))
        c.all_gather(gathered[2 * c.rank :][:2], gathered)
        return part.tolist(), gathered.get().tolist()

    gathered = [0.0, 0.0, 1.0, 1.0]
    assert run_ranks(2, check) == [([10, 12, 14], gathered), ([16, 18, 20], gathered)]


def test_a_rank_that_does_not_come_is_an_error_in_time(run_ranks, nccl):
    def check(c):
        if c.rank == 1:
            time.sleep(1.5)
            return None
        a = gpuarray.ones(3)
        c.all_reduce(a, a)
        with pytest.raises(TimeoutError, match=r"rank 0 has waited 0\.2 s .* is aborted"):
            c.synchronize(timeout=0.2)
        assert repr(c).endswith("aborted>")
        with pytest.raises(RuntimeError, match="all_reduce: the communicator is aborted"):
            c.all_reduce(a, a)
        c.abort()
        c.close()
        return "aborted"

    assert run_ranks(2, check)[0] == "aborted"


def test_ranks_that_never_start(nccl):
    with pytest.raises(TimeoutError, match=r"not all ranks have come within 0\.1 s"):
        collectives.init_process_group(2, 0, unique_id=bytes(128), timeout=0.1)


@pytest.mark.parametrize("where", ["verb", "synchronize"])
def test_what_nccl_reports_late_is_an_error_after_which_it_is_aborted(one_rank, where):
    a = gpuarray.ones(3)
    comm = one_rank._comm
    if where == "synchronize":
        one_rank.all_reduce(a, a)
    comm.error = 6
    with pytest.raises(gpuarray.CudaError, match="ncclRemoteError: text of 6") as caught:
        one_rank.all_reduce(a, a) if where == "verb" else one_rank.synchronize()
    assert (caught.value.status, caught.value.name) == (6, "ncclRemoteError")
    assert comm.ended == "aborted"


@pytest.mark.parametrize(("status", "ended"), [(1, "aborted"), (4, None), (5, None)])
def test_what_nccl_says_of_a_call(one_rank, nccl, status, ended):
    a, comm = gpuarray.ones(3), one_rank._comm
    nccl.failing["queue"] = status
    with pytest.raises(gpuarray.CudaError, match=f"all_reduce: nccl.*: text of {status}"):
        one_rank.all_reduce(a, a)
    assert comm.ended == ended
    # The arrays are closed: other threads can use them.
    assert (a + 1).sum().item() == 6


def test_a_failure_within_a_group(one_rank, nccl):
    a, comm = gpuarray.ones(3), one_rank._comm
    nccl.failing["queue"] = 3
    with pytest.raises(gpuarray.CudaError, match="group: ncclInternalError"), one_rank.group():
        one_rank.all_reduce(a, a)
        one_rank.all_reduce(a, a)
    assert comm.ended == "aborted"


def test_the_start_that_fails(nccl):
    nccl.failing["comm_init_rank_scalable"] = 2
    with pytest.raises(gpuarray.CudaError, match="init_process_group: ncclSystemError"):
        collectives.init_process_group(1, 0, unique_id=bytes(128))
    nccl.failing["queue"] = 1
    with pytest.raises(gpuarray.CudaError, match="all_reduce: ncclUnhandledCudaError"):
        collectives.init_process_group(1, 0, unique_id=bytes(range(128)))


@pytest.mark.parametrize("fails", [False, True])
def test_the_end_of_the_block(nccl, fails):
    ending = pytest.raises(KeyError) if fails else contextlib.nullcontext()
    with ending, collectives.init_process_group(1, 0, unique_id=bytes(128)) as c:
        comm = c._comm
        if fails:
            raise KeyError
    assert comm.ended == ("aborted" if fails else "destroyed")


def test_mpi_gives_size_rank_and_id(nccl):
    class Mpi:
        def Get_size(self):  # noqa: N802
            return 1

        def Get_rank(self):  # noqa: N802
            return 0

        def bcast(self, value, root):
            assert len(value) == 128 and root == 0
            return value

    with collectives.init_process_group(mpi=Mpi()) as c:
        assert (c.size, c.rank) == (1, 0)
    with pytest.raises(ValueError, match="expected rank 0 of 1, as of mpi, got rank 1 of 2"):
        collectives.init_process_group(2, 1, mpi=Mpi())


def test_workers_of_dask(nccl):
    distributed = pytest.importorskip("distributed")

    def on_a_stream(c, factor):
        a = gpuarray.full(3, float(factor * (c.rank + 1)), device=c.device)
        c.all_reduce(a, a)
        return c.rank, a.get().tolist()

    cluster = distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
    )
    with cluster, distributed.Client(cluster) as client:
        assert collectives.run_on_workers(client, on_a_stream, 2) == [(0, [2.0] * 3)]


def test_a_large_array_goes_whole(run_ranks):
    def check(c):
        a = gpuarray.arange(100_000, dtype="int32").reshape(100, 1000)
        out = gpuarray.zeros((200, 1000), "int32")
        c.all_gather(a, out)
        return out

    for out in run_ranks(2, check):
        expected = np.arange(100_000, dtype="int32").reshape(100, 1000)
        np.testing.assert_array_equal(out.get(), np.concatenate([expected, expected]))
