# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""In-place operators: same memory, same_kind casting, no growth, and operands that overlap."""

import numpy as np
import pytest
from _support import layouts
from _support.compare import Collector, assert_same
from _support.dtypes import DTYPES, PAIRS, kind
from _support.samples import ordinary
from _support.tables import BY_NAME, IN_PLACE
from hypothesis import given
from hypothesis import strategies as st

import gpuarray


def numpy_in_place(name, x, y):
    """What NumPy leaves in x, or TypeError."""
    x = x.copy()
    try:
        with np.errstate(all="ignore"):
            return IN_PLACE[name](x, y)
    except TypeError:
        return TypeError


def known_to_numpy(*dtypes):
    return not any(dtype.name == "bfloat16" for dtype in dtypes)


def positive(dtype, shape, seed):
    """Values for which every operator is defined: positive, small exponents."""
    values = np.abs(ordinary(dtype, shape, seed))
    return (values % 5 + 1).astype(dtype) if kind(dtype) in "iuf" else values


@pytest.mark.parametrize("name", IN_PLACE)
def test_every_pair_of_dtypes(device, name):
    cases = Collector()
    for a, b in PAIRS:
        if known_to_numpy(a, b):
            cases.check(f"{a}, {b}", check_pair, name, a, b)
    cases.finish()


def check_pair(name, a, b):
    x, y = positive(a, (3, 4), 1), positive(b, (4,), 2)
    expected = numpy_in_place(name, x, y)
    for layout in (layouts.contiguous, layouts.transposed, layouts.strided):
        g = layout(x)
        before = g.ptr
        if expected is TypeError:
            with pytest.raises(TypeError):
                IN_PLACE[name](g, gpuarray.to_device(y))
            assert_same(g, x, what="after the error")
            continue
        result = IN_PLACE[name](g, gpuarray.to_device(y))
        assert result is g
        assert result.ptr == before
        if BY_NAME[name].is_exact(a, b):
            assert_same(g, expected)
        else:
            assert g.dtype == expected.dtype
            rtol = 1e-2 if a == np.float16 else 1e-5
            np.testing.assert_allclose(g.get(), expected, rtol=rtol)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_bfloat16_meets_every_dtype(device, dtype):
    x = gpuarray.ones(3, "bfloat16")
    if kind(dtype) == "c":
        with pytest.raises(TypeError, match="same_kind"):
            x += gpuarray.ones(3, dtype)
        return
    x += gpuarray.ones(3, dtype)
    assert x.dtype == gpuarray.ones(1, "bfloat16").dtype
    assert x.astype(np.float32).tolist() == [2.0, 2.0, 2.0]


@pytest.mark.parametrize("name", IN_PLACE)
def test_python_scalars(device, name):
    host = np.array([1, 2, 3, 200], np.uint8)
    x = gpuarray.to_device(host)
    expected = numpy_in_place(name, host, 3)
    if expected is TypeError:
        with pytest.raises(TypeError, match=r"same_kind|cast"):
            IN_PLACE[name](x, 3)
        return
    assert_same(IN_PLACE[name](x, 3), expected)


def test_result_dtype_that_does_not_fit(device):
    x = gpuarray.ones(3, np.int32)
    with pytest.raises(TypeError, match=r"float64.*int32.*same_kind"):
        x += 1.5
    with pytest.raises(TypeError, match=r"float64.*int32.*same_kind"):
        x /= x
    with pytest.raises(TypeError, match="same_kind"):
        x += gpuarray.ones(3, np.complex64)
    y = gpuarray.ones(3, np.uint8)
    with pytest.raises(TypeError, match=r"int16.*uint8.*same_kind"):
        y += gpuarray.ones(3, np.int8)
    assert x.tolist() == y.tolist() == [1, 1, 1]


def test_result_shape_that_does_not_fit(device):
    x = gpuarray.zeros((3, 1))
    with pytest.raises(ValueError, match=r"\(3, 1\).*\(3, 4\)|\(3, 4\).*\(3, 1\)"):
        x += gpuarray.ones((3, 4))
    with pytest.raises(ValueError, match=r"\(2, 3, 1\).*\(3, 1\)"):
        x += gpuarray.ones((2, 3, 1))
    assert not x.get().any()


def test_ndarray_is_not_taken_silently(device):
    x = gpuarray.ones(3)
    with pytest.raises(TypeError, match="to_device"):
        x += np.ones(3)
    host = np.ones(3)
    with pytest.raises(TypeError, match="to_device"):
        host += x


def test_read_only_target(device):
    x = gpuarray.ones(3)
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        x += 1
    assert x.tolist() == [1, 1, 1]


def test_views_see_the_change(device):
    x = gpuarray.zeros((4, 4))
    x[1] += 1
    x[:, 2] -= 3
    x.T[3] *= 2
    expected = np.zeros((4, 4))
    expected[1] += 1
    expected[:, 2] -= 3
    expected.T[3] *= 2
    assert_same(x, expected)


OVERLAPS = {
    "forward": lambda a: (a[1:], a[:-1]),
    "backward": lambda a: (a[:-1], a[1:]),
    "reversed": lambda a: (a, a[::-1]),
    "second half": lambda a: (a[: a.shape[0] // 2], a[a.shape[0] // 2 : a.shape[0] // 2 * 2]),
    "every second": lambda a: (a[: (a.shape[0] + 1) // 2], a[::2]),
    "itself": lambda a: (a, a),
    "first element": lambda a: (a, a[:1]),
    "last element": lambda a: (a, a[-1:]),
}


@pytest.mark.parametrize("overlap", OVERLAPS)
@pytest.mark.parametrize("size", [2, 5, 64, 5000])
@pytest.mark.parametrize("name", ["add", "subtract", "multiply"])
def test_overlapping_operands_in_one_dimension(device, name, size, overlap):
    host = np.arange(1, size + 1, dtype=np.int64)
    x = gpuarray.to_device(host)
    IN_PLACE[name](*OVERLAPS[overlap](host))
    IN_PLACE[name](*OVERLAPS[overlap](x))
    assert_same(x, host)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_transposed_operand(device, dtype):
    host = ordinary(dtype, (37, 37))
    x = gpuarray.to_device(host)
    x += x.T
    assert_same(x, BY_NAME["add"].numpy(host, host.T))


@given(data=st.data())
def test_any_two_views_of_one_array(device, data):
    host = np.arange(48, dtype=np.int64).reshape(6, 8)
    x = gpuarray.to_device(host)

    def window(label):
        rows = data.draw(st.tuples(st.integers(0, 3), st.sampled_from([1, -1, 2])), label=label)
        columns = data.draw(st.tuples(st.integers(0, 5), st.sampled_from([1, -1])), label=label)
        (row, row_step), (column, column_step) = rows, columns
        swap = data.draw(st.booleans())

        def view(a):
            part = a[row : row + 3][::row_step][:2, column : column + 3][:, ::column_step]
            return part[:2, :2].T if swap else part[:2, :2]

        return view

    target, source = window("target"), window("source")
    if target(host).shape != source(host).shape:
        return
    a, b = target(host), target(x)
    a += source(host)
    b += source(x)
    assert_same(x, host)


def test_arrays_that_share_memory_by_other_ways(device):
    """Not views of one array, but two imports of the same memory."""
    host = np.arange(1, 6)
    x = gpuarray.to_device(host)
    y = gpuarray.from_dlpack(x)
    x[1:] += y[:-1]
    host[1:] += host[:-1]
    assert_same(x, host)
    x[...] = y[::-1]
    assert_same(x, host[::-1])


def test_numpy_memory_imported_twice():
    host, expected = np.arange(1, 6), np.arange(1, 6)
    x, y = gpuarray.from_dlpack(host), gpuarray.from_dlpack(host)
    x[1:] += y[:-1]
    expected[1:] += expected[:-1]
    assert_same(host, expected)


def test_assignment_between_overlapping_views(device):
    for size in (5, 3000):
        host = np.arange(size)
        x = gpuarray.to_device(host)
        for target, source in [
            (np.s_[1:], np.s_[:-1]),
            (np.s_[:-2], np.s_[2:]),
            (np.s_[:], np.s_[::-1]),
        ]:
            host[target] = host[source].copy()
            x[target] = x[source]
        assert_same(x, host)
