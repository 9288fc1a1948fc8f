# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""xarray's operations over GPUArrays, beside the same over NumPy's arrays."""

import warnings

import numpy as np
import pytest

import gpuarray

xr = pytest.importorskip("xarray")

OPERATIONS = {
    "rolling": lambda v: v.rolling(t=3).mean(),
    "rolling_centered": lambda v: v.rolling(t=3, center=True, min_periods=1).sum(),
    "rolling_construct": lambda v: v.rolling(t=3).construct("window"),
    "rolling_of_two": lambda v: v.rolling(t=2, x=3).max(),
    "groupby": lambda v: v.groupby("g").mean(),
    "groupby_bins": lambda v: v.groupby_bins("t", 2).sum(),
    "anomaly": lambda v: v.groupby("g") - v.groupby("g").mean(),
    "resample": lambda v: v.assign_coords(t=np.arange(6).astype("M8[D]")).resample(t="2D").mean(),
    "coarsen": lambda v: v.coarsen(t=2, x=4).mean(),
    "where": lambda v: v.where(v > 10),
    "where_other": lambda v: v.where(v > 10, 0.0),
    "fillna": lambda v: v.where(v > 10).fillna(3.0),
    "dropna": lambda v: v.where(v > 10).dropna("t"),
    "concat": lambda v: xr.concat([v, v], "t"),
    "shift": lambda v: v.shift(t=1),
    "pad": lambda v: v.pad(t=1),
    "reindex": lambda v: v.reindex(t=[0, 9, 1]),
    "sortby": lambda v: v.sortby("t", ascending=False),
    "stack": lambda v: v.stack(z=("t", "x")).unstack("z"),
    "weighted": lambda v: v.weighted(xr.ones_like(v)).mean("t"),
    "quantile": lambda v: v.quantile(0.25, "t"),
    "median": lambda v: v.median("t"),
    "dot": lambda v: v.dot(v),
    "integrate": lambda v: v.integrate("t"),
    "apply_ufunc": lambda v: xr.apply_ufunc(np.sqrt, v),
}


def variable(data):
    coordinates = {"t": np.arange(6), "g": ("t", [0, 0, 1, 1, 2, 2])}
    return xr.DataArray(data, dims=("t", "x"), coords=coordinates, name="v")


@pytest.mark.parametrize("operation", OPERATIONS)
def test_operations(device, operation):
    x = np.arange(48.0).reshape(6, 8)
    expected = OPERATIONS[operation](variable(x))
    got = OPERATIONS[operation](variable(gpuarray.to_device(x)))
    assert isinstance(got.data, gpuarray.GPUArray)
    assert got.data.device == device
    assert (got.dims, got.shape) == (expected.dims, expected.shape)
    np.testing.assert_allclose(got.data.get(), expected.data, rtol=1e-12)


def test_zarr(device, tmp_path):
    """Text and dates of a data set stay NumPy's; its numbers are read into GPUArrays."""
    pytest.importorskip("zarr", minversion="3.1.2")
    x = np.arange(48.0).reshape(6, 8)
    data = variable(gpuarray.to_device(x)).to_dataset()
    data["day"] = ("t", np.arange(6).astype("M8[D]"))
    data["name"] = ("x", list("abcdefgh"))
    with warnings.catch_warnings(), gpuarray.zarr.enable():
        warnings.simplefilter("ignore")  # about text in the third format
        data.to_zarr(tmp_path / "x")
        back = xr.open_zarr(tmp_path / "x", chunks=None)
        part = back["v"].isel(t=slice(1, 5)).rolling(t=2).mean()
        assert back["name"].values.tolist() == list("abcdefgh")
        np.testing.assert_array_equal(back["day"].values, data["day"].values)
    assert isinstance(part.data, gpuarray.GPUArray)
    expected = variable(x).isel(t=slice(1, 5)).rolling(t=2).mean()
    np.testing.assert_array_equal(part.data.get(), expected.data)
