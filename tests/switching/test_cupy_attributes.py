# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Attributes and methods of arrays that CuPy's programs use."""

import ctypes
import io
import pickle

import numpy as np

import gpuarray as cp


def test_data(device):
    a = cp.arange(6.0)
    place = a[2:].data
    assert place.ptr == a.ptr + 16 == a[2:].data.mem.ptr + 16
    assert (place.device_id, place.mem.size) == (0, 48)
    (a.data + 8).memset(0, 8)
    assert a.get().tolist() == [0, 0, 2, 3, 4, 5]


def test_arrays_are_arguments_of_ctypes(device):
    a = cp.arange(3)
    assert a._as_parameter_.value == a.ptr
    if device == "cpu":
        host = np.zeros(3, np.int64)
        ctypes.memmove(host.ctypes, a, a.nbytes)
        assert host.tolist() == [0, 1, 2]


def test_files(device, tmp_path):
    a = cp.arange(6.0).reshape(2, 3)[:, ::-1]
    a.tofile(tmp_path / "raw")
    assert np.fromfile(tmp_path / "raw").tolist() == [2, 1, 0, 5, 4, 3]
    a.tofile(tmp_path / "text", ",", "%d")
    assert (tmp_path / "text").read_text() == "2,1,0,5,4,3"
    a.dump(tmp_path / "pickle")
    with open(tmp_path / "pickle", "rb") as file:
        np.testing.assert_array_equal(pickle.load(file).get(), a.get())
    file = io.BytesIO()
    a.dump(file)
    assert file.getvalue() == a.dumps()
    np.testing.assert_array_equal(pickle.loads(a.dumps()).get(), a.get())
