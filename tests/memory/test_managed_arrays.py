# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""managed=True of the functions that make arrays."""

import numpy as np
import pytest
from _support.compare import assert_same

import gpuarray


def expected_kind(device, kind):
    return "host" if device == "cpu" else kind


MANAGED = {
    "empty": lambda like, **options: gpuarray.empty((2, 3), "int16", **options),
    "zeros": lambda like, **options: gpuarray.zeros((2, 3), "int16", **options),
    "ones": lambda like, **options: gpuarray.ones((2, 3), "int16", **options),
    "full": lambda like, **options: gpuarray.full((2, 3), 7, "int16", **options),
    "empty_like": gpuarray.empty_like,
    "zeros_like": gpuarray.zeros_like,
    "ones_like": gpuarray.ones_like,
    "full_like": lambda like, **options: gpuarray.full_like(like, 7, **options),
    "to_device ndarray": lambda like, **options: gpuarray.to_device(like.get(), **options),
    "to_device Fortran": lambda like, **options: gpuarray.to_device(
        np.asfortranarray(like.get()), **options
    ),
    "to_device GPUArray": gpuarray.to_device,
    "to_device other device": lambda like, **options: gpuarray.to_device(
        like.to_device("cpu"), device=like.device, **options
    ),
    "to_device dtype": lambda like, **options: gpuarray.to_device(
        like.astype("float64"), dtype="int16", **options
    ),
}


@pytest.mark.parametrize("name", MANAGED)
def test_managed_arrays(device, name):
    """As without managed=True, in other memory."""
    like = gpuarray.arange(6, dtype="int16").reshape(3, 2).T
    managed, plain = MANAGED[name](like, managed=True), MANAGED[name](like, managed=False)
    assert managed.memory_kind == expected_kind(device, "managed")
    assert plain.memory_kind == expected_kind(device, "device")
    assert managed.device == plain.device
    assert managed.shape == plain.shape
    assert managed.dtype == plain.dtype
    assert managed.strides == plain.strides
    if "empty" not in name:
        assert_same(managed, plain.get())


def test_managed_arrays_like_others_stay_on_their_device(device):
    like = gpuarray.ones((2, 3), device="cpu")
    for make in (gpuarray.empty_like, gpuarray.zeros_like, gpuarray.ones_like):
        assert str(make(like, managed=True).device) == "cpu"
        assert str(make(like, device=device, managed=True).device) == device
    assert gpuarray.ones((0, 3), managed=True).shape == (0, 3)
    assert gpuarray.full((), 3, managed=True).tolist() == 3
