# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Which arrays over memory of other libraries may be written."""

import numpy as np
import pytest
from _support.dlpack import IS_COPIED, READ_ONLY, Producer, on_device

import gpuarray


class WithInterface(Producer):
    """A producer that has the CUDA array interface, too, whose second part of `data` is set."""

    is_read_only = False

    @property
    def __cuda_array_interface__(self):
        typestr = np.dtype("float64").str
        data = (self.tensor.data, self.is_read_only)
        return {"version": 3, "shape": (3,), "typestr": typestr, "data": data}


@pytest.mark.parametrize("versioned", [True, False])
@pytest.mark.parametrize("flags", [0, READ_ONLY])
def test_what_may_be_written(device, versioned, flags):
    host = np.arange(3.0)
    make = lambda: on_device(host, device, versioned=versioned, flags=flags)  # noqa: E731
    is_writable = versioned and not flags
    if device == "cpu":
        producer = make()
        assert np.from_dlpack(producer).flags.writeable == is_writable
    for take in (gpuarray.from_dlpack, gpuarray.asarray):
        x = take(make())
        assert x.flags.writeable == is_writable
        if is_writable:
            continue
        with pytest.raises(ValueError):
            x[0] = 1
        with pytest.raises(ValueError):
            x.fill(1)
        with pytest.raises(ValueError):
            gpuarray.add(x, 1, out=x)
        with pytest.raises(ValueError):
            x.flags.writeable = True
        assert (x + 1).tolist() == [1, 2, 3]
        assert x.copy().flags.writeable
    assert host.tolist() == [0, 1, 2]


@pytest.mark.parametrize("versioned", [True, False])
@pytest.mark.parametrize("flags", [0, READ_ONLY, IS_COPIED, READ_ONLY | IS_COPIED])
def test_copies_may_be_written(device, versioned, flags):
    host = np.arange(3.0)
    make = lambda: on_device(host, device, versioned=versioned, flags=flags)  # noqa: E731
    for x in (
        gpuarray.from_dlpack(make(), copy=True),
        gpuarray.asarray(make(), copy=True),
        gpuarray.array(make()),
        gpuarray.to_device(make()),
    ):
        x += 1
        assert x.tolist() == [1, 2, 3]
    if not versioned or not flags & IS_COPIED:
        assert host.tolist() == [0, 1, 2]


@pytest.mark.parametrize("is_read_only", [False, True])
def test_the_interface_beside_an_unversioned_capsule_says_what_may_be_written(device, is_read_only):
    made = on_device(np.arange(3.0), device, versioned=False)
    made.__class__ = WithInterface
    made.is_read_only = is_read_only
    for take in (gpuarray.from_dlpack, gpuarray.asarray):
        assert take(made).flags.writeable != is_read_only
    made.__class__ = type("Broken", (Producer,), {"__cuda_array_interface__": {"data": 5}})
    assert not gpuarray.from_dlpack(made).flags.writeable


def test_ndarrays_may_be_written():
    host = np.arange(3.0)
    x = gpuarray.from_dlpack(host)
    x += 1
    assert host.tolist() == [1, 2, 3]
