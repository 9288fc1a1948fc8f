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
@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"mask": object()}, (TypeError, ValueError, BufferError)),
        ({"typestr": "|O8"}, TypeError),
        ({"typestr": ">f8"}, TypeError),
        ({"stream": 0}, ValueError),
        ({"shape": (-1,)}, ValueError),
        ({"shape": "abc"}, (TypeError, ValueError)),
        ({"data": None}, (TypeError, ValueError)),
        ({"version": "new"}, (TypeError, ValueError)),
    ],
    ids=str,
)
def test_bad_descriptions(cuda, changes, error):
    with pytest.raises(error):
        gpuarray.asarray(Foreign(gpuarray.zeros(3), **changes))


@pytest.mark.cuda
def test_read_only_foreign_arrays(cuda):
    x = gpuarray.zeros(3)
    y = gpuarray.asarray(Foreign(x, data=(x.ptr, True)))
    with pytest.raises(ValueError, match="read-only"):
        y += 1
