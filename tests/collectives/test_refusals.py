# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""What collectives refuse, with what they say of it."""

import builtins
import pickle

import numpy as np
import pytest

import gpuarray
from gpuarray import collectives
from gpuarray._collectives import library

ID = bytes(128)


def test_the_cpu_device_is_refused():
    with pytest.raises(gpuarray.DeviceError, match="NCCL needs a CUDA device, got cpu"):
        collectives.init_process_group(1, 0, unique_id=ID, device="cpu")


def test_a_missing_library_says_what_to_install(monkeypatch):
    found = builtins.__import__

    def without_nccl(name, *rest):
        if name.startswith("nccl"):
            raise ImportError("no nccl here")
        return found(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without_nccl)
    library.bindings.cache_clear()
    with pytest.raises(ImportError, match=r"pip install 'gpuarray-cuda\[nccl\]'.*no nccl here"):
        collectives.get_unique_id()


@pytest.mark.cuda
@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"size": 2, "rank": 2}, ValueError, "expected a rank of 0 to 1, got 2"),
        ({"size": 0, "rank": 0}, ValueError, "a size of at least 1, got 0"),
        ({"size": 1.5, "rank": 0}, TypeError, "float"),
        ({"rank": 0}, TypeError, "expected size and rank, or mpi"),
        ({"unique_id": None}, ValueError, "expected unique_id or mpi, got neither"),
        ({"unique_id": "a" * 128}, TypeError, "unique_id: expected bytes, got str"),
        ({"unique_id": b"a"}, ValueError, "expected 128 bytes, got 1"),
    ],
)
def test_arguments_of_the_start(nccl, arguments, error, message):
    given = {"size": 1, "unique_id": ID, **arguments}
    if "rank" not in given:
        given["rank"] = 0
    if arguments == {"rank": 0}:
        del given["size"]
    with pytest.raises(error, match=message):
        collectives.init_process_group(**given)


def calls(c, a, b):
    """Return each verb that reads `a` and writes `b`, and what it calls them."""
    return {
        "all_reduce": lambda: c.all_reduce(a, b),
        "reduce": lambda: c.reduce(a, b),
        "reduce_scatter": lambda: c.reduce_scatter(a, b),
        "all_gather": lambda: c.all_gather(a, b),
        "send_recv": lambda: c.send_recv(a, b, 0),
        "scatter": lambda: c.scatter(a, b),
        "gather": lambda: c.gather(a, b),
        "all_to_all": lambda: c.all_to_all(a, b),
    }


VERBS = list(calls(None, None, None))


def strided():
    return gpuarray.ones(6, "float32")[::2]


def read_only():
    made = gpuarray.ones(3, "float32")
    made.flags.writeable = False
    return made


OPERANDS = [
    (strided, None, ValueError, "in_array: expected a C-contiguous array, got shape"),
    (None, strided, ValueError, "out_array: expected a C-contiguous array, got shape"),
    (None, read_only, ValueError, "out_array: expected an array to write to, got a read-only"),
    (lambda: np.ones(3, "f4"), None, TypeError, "in_array: expected a GPUArray, got ndarray"),
    (None, lambda: [1, 2, 3], TypeError, "out_array: expected a GPUArray, got list"),
    (None, lambda: gpuarray.ones(3), TypeError, "expected dtype float32, .* got float64"),
    (None, lambda: gpuarray.ones(4, "float32"), ValueError, "expected"),
    (
        *(lambda: gpuarray.ones(3, "float32", device="cpu"), None, gpuarray.DeviceError),
        "in_array: expected an array on cuda:0, the communicator's device, got one on cpu",
    ),
    (lambda: gpuarray.zeros_pinned(3, "float32"), None, ValueError, "got a pinned array"),
]


@pytest.mark.cuda
@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("operands", OPERANDS, ids=range(len(OPERANDS)))
def test_operands_of_every_verb(one_rank, nccl, verb, operands):
    read, write, error, message = operands
    if verb == "send_recv" and message == "expected":
        pytest.skip("what is sent and received may differ in size")
    a = gpuarray.ones(3, "float32") if read is None else read()
    b = gpuarray.ones(3, "float32") if write is None else write()
    before = nccl.calls["queue"]
    with pytest.raises(error, match=f"^{verb}: .*{message}"):
        calls(one_rank, a, b)[verb]()
    assert nccl.calls["queue"] == before


@pytest.mark.cuda
@pytest.mark.parametrize("verb", VERBS)
def test_memory_that_overlaps(one_rank, verb):
    whole = gpuarray.ones(6, "float32")
    with pytest.raises(ValueError, match=f"{verb}: in_array and out_array overlap"):
        calls(one_rank, whole[:4], whole[2:])[verb]()


@pytest.mark.cuda
def test_arrays_of_a_single_operand(one_rank):
    for call in (one_rank.broadcast, lambda a: one_rank.send(a, 0), lambda a: one_rank.recv(a, 0)):
        with pytest.raises(ValueError, match="C-contiguous"):
            call(strided())
    with pytest.raises(ValueError, match="read-only"):
        one_rank.recv(read_only(), 0)
    one_rank.broadcast(read_only())  # The root only reads.


@pytest.mark.cuda
def test_ranks_and_counts(one_rank):
    a, b = gpuarray.ones(3), gpuarray.ones(3)
    for call in (
        lambda: one_rank.send(a, 1),
        lambda: one_rank.recv(a, -1),
        lambda: one_rank.send_recv(a, b, 7),
        lambda: one_rank.broadcast(a, 1),
        lambda: one_rank.reduce(a, b, 1),
        lambda: one_rank.scatter(a, b, 1),
        lambda: one_rank.gather(a, b, 1),
    ):
        with pytest.raises(ValueError, match=r"expected (peer|root) of 0 to 0, got"):
            call()
    with pytest.raises(TypeError):
        one_rank.send(a, "0")
    with pytest.raises(ValueError, match="count: expected 3, the size of out_array, got 2"):
        one_rank.reduce_scatter(a, b, 2)
    with pytest.raises(ValueError, match="count: expected 3, the size of in_array, got 4"):
        one_rank.all_gather(a, b, 4)
    with pytest.raises(ValueError, match=r"expected shape \(3,\), that of in_array, got \(3, 1\)"):
        one_rank.all_reduce(a, b[:, None])


@pytest.mark.cuda
@pytest.mark.parametrize("verb", ["all_reduce", "reduce", "reduce_scatter"])
@pytest.mark.parametrize(
    ("dtype", "op", "error", "message"),
    [
        ("int16", "sum", TypeError, "NCCL does not reduce int16; convert with"),
        ("uint16", "max", TypeError, "NCCL does not reduce uint16; convert with"),
        ("complex64", "max", TypeError, "op 'max' is not supported for complex64, only sum"),
        ("complex128", "prod", TypeError, "op 'prod' is not supported for complex128"),
        ("int32", "avg", TypeError, "op 'avg' would cut int32"),
        ("bool", "avg", TypeError, "op 'avg' is not supported for bool"),
        ("float32", "mean", ValueError, "expected op sum, prod, max, min, avg, got 'mean'"),
    ],
)
def test_reductions_that_there_are_not(one_rank, verb, dtype, op, error, message):
    a, b = gpuarray.zeros(3, dtype), gpuarray.zeros(3, dtype)
    with pytest.raises(error, match=f"{verb}: {message}"):
        getattr(one_rank, verb)(a, b, op=op)


@pytest.mark.cuda
def test_a_communicator_is_of_one_process(one_rank):
    with pytest.raises(TypeError, match="belongs to its process"):
        pickle.dumps(one_rank)


@pytest.mark.parametrize(
    ("timeout", "error"), [(None, TypeError), ("5", TypeError), (-1, ValueError)]
)
def test_timeouts(timeout, error):
    with pytest.raises(error, match="timeout: expected seconds"):
        collectives.init_process_group(2, 0, unique_id=bytes(128), timeout=timeout)
