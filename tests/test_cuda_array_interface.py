# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""__cuda_array_interface__, version 3."""

import numpy as np
import pytest
from _support.compare import assert_same
from _support.dtypes import BFLOAT16, DTYPES

import gpuarray

KNOWN = [dtype for dtype in DTYPES if dtype != BFLOAT16]


class Foreign:
    """Another library's array: the interface and nothing else."""

    def __init__(self, owner, **changes):
        self.owner = owner
        self.__cuda_array_interface__ = {**owner.__cuda_array_interface__, **changes}


def test_cpu_arrays_have_no_such_attribute():
    x = gpuarray.zeros(2, device="cpu")
    assert not hasattr(x, "__cuda_array_interface__")
    with pytest.raises(AttributeError, match="cpu"):
        _ = x.__cuda_array_interface__


def described(**changes):
    """An object with an interface whose memory is not there."""
    good = {"shape": (3,), "typestr": "<f8", "data": (4096, False), "version": 3}
    return type("Described", (), {"__cuda_array_interface__": {**good, **changes}})()


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"mask": [True]}, ValueError, "mask"),
        ({"typestr": "|O"}, TypeError, "object"),
        ({"typestr": ">f8"}, TypeError, ">f8"),
        ({"typestr": "<V2"}, TypeError, "V2|void"),
        ({"shape": (-1,)}, ValueError, "negative"),
        ({"shape": "abc"}, TypeError, "str"),
        ({"shape": None}, ValueError, "shape"),
        ({"shape": (1,) * 33}, ValueError, "32"),
        ({"strides": (8, 8)}, ValueError, "strides.*2.*1"),
        ({"strides": (7,)}, ValueError, "stride 7.*8"),
        ({"data": None}, ValueError, "data"),
        ({"data": 4096}, ValueError, "data"),
        ({"data": (0, False)}, ValueError, "address"),
        ({"data": ("here", False)}, TypeError, "int"),
        ({"version": 4}, ValueError, "version 4"),
        ({"version": "new"}, TypeError, "int"),
    ],
    ids=str,
)
def test_malformed_descriptions(changes, error, message):
    for convert in (gpuarray.asarray, gpuarray.to_device):
        with pytest.raises(error, match=message):
            convert(described(**changes))


def test_addresses_of_nothing_are_refused():
    with pytest.raises((gpuarray.DeviceError, gpuarray.CudaError, ValueError)):
        gpuarray.asarray(described())


@pytest.mark.cuda
@pytest.mark.parametrize("dtype", KNOWN, ids=str)
def test_description(cuda, dtype):
    x = gpuarray.zeros((2, 3), dtype)
    interface = x.__cuda_array_interface__
    assert interface["version"] == 3
    assert interface["shape"] == (2, 3)
    assert interface["typestr"] == dtype.str
    assert interface["data"] == (x.ptr, False)
    assert interface.get("strides") is None
    assert interface["stream"] != 0


@pytest.mark.cuda
def test_description_of_views(cuda):
    x = gpuarray.zeros((4, 6), np.float32)
    view = x[1::2, ::-1]
    interface = view.__cuda_array_interface__
    assert interface["strides"] == (48, -4)
    assert interface["data"][0] == view.ptr
    assert gpuarray.zeros((0, 3)).__cuda_array_interface__["data"][0] == 0
    x.flags.writeable = False
    assert x.__cuda_array_interface__["data"][1] is True


@pytest.mark.cuda
def test_bfloat16_has_no_typestr(cuda):
    with pytest.raises((AttributeError, TypeError, BufferError), match="bfloat16"):
        _ = gpuarray.zeros(2, "bfloat16").__cuda_array_interface__


@pytest.mark.cuda
def test_foreign_arrays_are_shared(cuda):
    x = gpuarray.to_device(np.arange(6).reshape(2, 3))
    y = gpuarray.asarray(Foreign(x.T))
    assert y.ptr == x.ptr
    assert_same(y, x.get().T)
    y[0, 1] = 100
    assert x[1, 0].item() == 100
    assert gpuarray.to_device(Foreign(x)).ptr != x.ptr


@pytest.mark.cuda
@pytest.mark.parametrize("stream", [None, 1, 2])
def test_streams_of_the_producer(cuda, stream):
    x = gpuarray.ones(1000)
    assert gpuarray.asarray(Foreign(x, stream=stream)).sum().item() == 1000


@pytest.mark.cuda
def test_stream_0_is_ambiguous(cuda):
    with pytest.raises(ValueError, match="stream 0"):
        gpuarray.asarray(Foreign(gpuarray.zeros(3), stream=0))


@pytest.mark.cuda
def test_read_only_foreign_arrays(cuda):
    x = gpuarray.zeros(3)
    y = gpuarray.asarray(Foreign(x, data=(x.ptr, True)))
    with pytest.raises(ValueError, match="read-only"):
        y += 1
