# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""repr, str and the table for notebooks."""

import re

import numpy as np
import pytest
from _support.dtypes import BFLOAT16, DTYPES
from _support.samples import ordinary, special
from _support.strategies import arrays
from hypothesis import given
from hypothesis import strategies as st

import gpuarray


def numpy_body(host):
    """What stands between the brackets of NumPy's repr, whitespace aside."""
    text = repr(host).removeprefix("array(").rstrip(")")
    text = re.sub(r",\s*(dtype|shape)=.*$", "", text, flags=re.DOTALL)
    return re.sub(r"\s+", " ", text)


def printable(host):
    """bfloat16 is shown as float32, which NumPy knows how to print."""
    return host.astype(np.float32) if host.dtype == BFLOAT16 else host


def body(x):
    text = re.sub(r"\s+", " ", repr(x))
    assert text.startswith("GPUArray(")
    return re.sub(r",? ?\b(shape|dtype|device)=.*$", "", text.removeprefix("GPUArray("))


@given(data=st.data())
def test_the_body_is_numpys(device, data):
    host = data.draw(arrays())
    if host.size:
        expected = numpy_body(printable(host)).replace(" ", "")
        assert body(gpuarray.to_device(host)).replace(" ", "") == expected


@given(data=st.data())
def test_str_is_numpys(device, data):
    host = data.draw(arrays())
    assert str(gpuarray.to_device(host)) == str(printable(host))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_special_values(device, dtype):
    values = special(dtype)
    x = gpuarray.to_device(values)
    assert str(x) == str(printable(values))
    assert str(x.reshape(1, -1)) == str(printable(values).reshape(1, -1))


def test_repr_names_device_and_dtype(device):
    for dtype in DTYPES:
        text = repr(gpuarray.zeros((2, 2), dtype))
        assert dtype.name in text
        assert f"'{device}'" in text


def test_repr_of_empty_arrays_has_the_shape(device):
    assert "shape=(0, 3)" in repr(gpuarray.zeros((0, 3)))
    assert str(gpuarray.zeros((0, 3))) == "[]"


def test_zero_dimensions(device):
    assert str(gpuarray.full((), 1.5)) == "1.5"
    assert repr(gpuarray.full((), 1.5)).startswith("GPUArray(1.5")


@pytest.mark.parametrize(
    "shape", [(2000,), (1001,), (100, 100), (3, 2000), (2000, 3), (11, 11, 11)]
)
def test_large_arrays_are_summarised_as_numpys(device, shape):
    host = ordinary(np.float64, shape)
    x = gpuarray.to_device(host)
    assert str(x) == str(host)
    assert "..." in repr(x)
    assert str(x.T) == str(host.T)
    assert str(x[::-1]) == str(host[::-1])


def test_print_options_count(device):
    host = np.arange(20) / 7
    x = gpuarray.to_device(host)
    with np.printoptions(precision=2, threshold=5, edgeitems=1, linewidth=30):
        assert str(x) == str(host)
        assert body(x).replace(" ", "") == numpy_body(host).replace(" ", "")


@pytest.mark.cuda
def test_little_is_copied_of_large_arrays(cuda):
    """2 GiB on the device, and repr needs no host memory to speak of."""
    import tracemalloc

    x = gpuarray.zeros((2**14, 2**14), np.float64)
    tracemalloc.start()
    try:
        repr(x), str(x), x._repr_html_()
        assert tracemalloc.get_traced_memory()[1] < 2**24
    finally:
        tracemalloc.stop()


def test_printing_is_not_an_implicit_transfer(device):
    x = gpuarray.ones((30, 50))
    with gpuarray.transfer_guard("disallow"):
        assert "1." in repr(x)
        assert "1." in str(x)
        assert x._repr_html_()


def test_html_table(device):
    html = gpuarray.to_device(np.array([[1, 2], [3, 4]]))._repr_html_()
    assert "<table" in html or "<pre" in html
    for word in ("1", "4", "int64", device, "2"):
        assert word in html


def test_html_of_all_shapes(device):
    for shape in [(), (0,), (3,), (2, 3), (2, 2, 2), (1000, 1000), (1,) * 64]:
        html = gpuarray.zeros(shape)._repr_html_()
        assert len(html) < 200_000
        assert str(device) in html


def test_html_is_escaped(device):
    assert "<gpuarray" not in gpuarray.zeros(2)._repr_html_()


@pytest.mark.parametrize("shape", [(), (3,), (4, 5), (0,), (2000,)])
def test_functions_of_text(device, shape):
    host = np.asarray(ordinary(np.float64, shape) / 7)
    x = gpuarray.to_device(host)
    assert gpuarray.array_str(x) == np.array_str(x) == np.array_str(host) == str(x)
    assert gpuarray.array_repr(x) == np.array_repr(x) == repr(x)
    assert gpuarray.array2string(x) == np.array2string(host)
    assert gpuarray.array_str(x, 30, 2, True) == np.array_str(host, 30, 2, True)
    options = {"separator": ";", "prefix": "x = ", "precision": 3, "sign": "+", "suffix": "!"}
    options |= {"floatmode": "fixed", "threshold": 10, "edgeitems": 2, "max_line_width": 40}
    assert gpuarray.array2string(x, **options) == np.array2string(host, **options)
    assert np.get_printoptions()["precision"] == 8


def test_options_of_representations(device):
    x = gpuarray.to_device([1 / 3, 1e-9])
    text = gpuarray.array_repr(x, precision=2, suppress_small=True)
    assert text.startswith("GPUArray([0.33, 0.  ], dtype=float64")
    with gpuarray.printoptions(precision=2):
        assert gpuarray.get_printoptions()["precision"] == 2
        assert str(x[:1]) == "[0.33]"
    for function in (gpuarray.array_repr, gpuarray.array_str, gpuarray.array2string):
        with pytest.raises(TypeError, match=r"array\w+: expected a GPUArray, got str"):
            function("1")
