# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""r_ and c_ beside NumPy's."""

import numpy as np
import pytest

import gpuarray

A = np.arange(6.0, dtype="float32").reshape(2, 3)
ROW = np.array([7, 8, 9], "int16")
KEYS = [
    (ROW,),
    (ROW, 1, ROW),
    (ROW, 1.5, 2),
    (1, 2, 3.5),
    (np.float32(1), True, ROW),
    (slice(1, 4), 0, slice(None, 2, 0.5)),
    (slice(-1, 1, 6j), [5, 6], ROW),
    ("0,2", ROW, ROW),
    ("1,2,0", ROW, ROW, slice(3)),
    ("0,3,1", ROW, ROW),
    ("0,3,-2", ROW, ROW),
    ("0,4,1", A, A),
    ("-1", A, A),
    (A, A),
    ("1", A, A[:, :1]),
    ("0,2", 3, [[4, 5]][0][:1], 6),
    (ROW[0],),
    ([1, 2],),
    (A, ROW),
    (),
    ("1,2", slice(0, 3), "0"),
]


def outcome(call):
    try:
        return call()
    except (ValueError, TypeError) as error:
        return error


@pytest.mark.parametrize("name", ["r_", "c_"])
@pytest.mark.parametrize("key", KEYS, ids=str)
def test_as_numpy(device, name, key):
    arrays = tuple(gpuarray.to_device(x) if isinstance(x, np.ndarray) else x for x in key)
    expected = outcome(lambda: getattr(np, name)[key])
    got = outcome(lambda: getattr(gpuarray, name)[arrays])
    if isinstance(expected, Exception):
        assert isinstance(got, ValueError)
        return
    assert (got.dtype, got.shape, got.device) == (expected.dtype, expected.shape, device)
    np.testing.assert_array_equal(got.get(), expected)


def test_one_item_and_device():
    a = gpuarray.arange(3, device="cpu")
    assert gpuarray.r_[a].tolist() == gpuarray.r_[0:3].tolist() == [0, 1, 2]
    assert gpuarray.c_[a, a].tolist() == [[0, 0], [1, 1], [2, 2]]
    assert gpuarray.r_[a, 1:3, [5]].device == "cpu"
    assert gpuarray.r_[a.astype("bfloat16"), 1].dtype == gpuarray.bfloat16


def test_errors(device):
    a = gpuarray.ones(3)
    for key in (("r", a), ("0,1,2,3", a), ("", a)):
        with pytest.raises(ValueError, match=r"r_: expected a str as '0,2,1'"):
            gpuarray.r_[key]
    with pytest.raises(ValueError, match=r"c_: a str must come first"):
        gpuarray.c_[a, "0"]
    with pytest.raises(TypeError, match=r"r_: expected a GPUArray.*ndarray.*to_device"):
        gpuarray.r_[np.ones(3)]
    with pytest.raises(TypeError, match=r"r_: a slice must have an end"):
        gpuarray.r_[1:]
