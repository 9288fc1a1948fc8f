# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""sort, argsort and what they are made into, compared with NumPy."""

import ctypes
from pathlib import Path

import numpy as np
import pytest
from _support.faults import variables_of
from _support.process import run_python
from _support.special_values import DTYPES, sample
from hypothesis import given
from hypothesis import strategies as st

import gpuarray

SHAPES = [(0,), (1,), (7,), (1000,), (3, 0), (4, 5), (1, 300), (300, 2), (3, 4, 5), (2, 1, 70)]


def argsorted(x, axis, descending):
    if not descending:
        return np.argsort(x, axis=axis, kind="stable")
    order = np.argsort(np.flip(x, axis), axis=axis, kind="stable")
    return np.flip(x.shape[axis] - 1 - order, axis)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_halves_beside_infinities(device, dtype):
    """NumPy 2.4's own sort of such float16 is wrong on processors with AVX-512."""
    dtype = pytest.importorskip("ml_dtypes").bfloat16 if dtype == "bfloat16" else dtype
    random = np.random.default_rng(0)
    for size in random.integers(17, 20_000, 60):
        x = random.standard_normal(size, "float32")
        for value in (np.inf, -np.inf, np.nan, -np.nan, 0, -0.0):
            x[random.random(size) < 0.08] = value
        x = x.astype(dtype).astype("float32")  # of which the conversion changes no bit
        found = gpuarray.sort(gpuarray.to_device(x.astype(dtype))).get().astype("float32")
        np.testing.assert_array_equal(found, np.sort(x))


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_along_each_axis(device, dtype, shape, descending):
    x = sample(dtype, shape)
    a = gpuarray.to_device(x)
    for axis in range(-1, len(shape)):
        order = argsorted(x, axis, descending)
        found = gpuarray.argsort(a, axis, descending=descending)
        assert found.dtype == np.int64
        np.testing.assert_array_equal(found.get(), order)
        made = gpuarray.sort(a, axis, descending=descending)
        assert made.dtype == x.dtype
        assert made.flags.c_contiguous
        np.testing.assert_array_equal(made.get(), np.take_along_axis(x, order, axis))
    np.testing.assert_array_equal(a.get(), x)


# About what a block holds, and beyond it.
LENGTHS = [8, 9, 16, 17, 500, 4096, 4097, 8192, 8193, 20000]


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_long_rows(device, dtype, length, descending):
    for rows in (1, 3):
        x = sample(dtype, (rows, length), length, few=False)
        a = gpuarray.to_device(x)
        order = argsorted(x, 1, descending)
        found = gpuarray.argsort(a, descending=descending)
        np.testing.assert_array_equal(found.get(), order)
        made = gpuarray.sort(a, descending=descending)
        np.testing.assert_array_equal(made.get(), np.take_along_axis(x, order, 1))


@pytest.mark.parametrize("dtype", DTYPES)
def test_all_values(device, dtype):
    x = sample(dtype, (40, 50), 3, few=False)
    a = gpuarray.to_device(x)
    np.testing.assert_array_equal(gpuarray.sort(a, None).get(), np.sort(x, None))
    np.testing.assert_array_equal(gpuarray.sort(a).get(), np.sort(x))
    np.testing.assert_array_equal(
        gpuarray.argsort(a, None).get(), np.argsort(x, None, kind="stable")
    )


def test_bfloat16(device):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = sample("float32", (30, 20), 5).astype(ml_dtypes.bfloat16)
    a = gpuarray.to_device(x)
    wide = x.astype("float32")
    for descending in (False, True):
        order = argsorted(wide, 0, descending)
        found = gpuarray.argsort(a, 0, descending=descending).get()
        np.testing.assert_array_equal(found, order)
        made = gpuarray.sort(a, 0, descending=descending)
        assert made.dtype == x.dtype
        expected = np.take_along_axis(wide, order, 0)
        np.testing.assert_array_equal(made.astype("float32").get(), expected)


@pytest.mark.parametrize("times", [1, 3000])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_nans_keep_their_bits(device, dtype, times):
    bits = f"uint{8 * np.dtype(dtype).itemsize}"
    x = np.array([np.nan, 1, -np.nan, np.inf, -np.nan, -1], dtype)
    x.view(bits)[0] += 1
    x = np.tile(x, times)
    made = gpuarray.sort(gpuarray.to_device(x)).get()
    numbers = 3 * times
    np.testing.assert_array_equal(made[:numbers], np.sort(x)[:numbers])
    assert sorted(made[numbers:].view(bits)) == sorted(x[np.isnan(x)].view(bits))


@pytest.mark.parametrize("size", [5, 9000])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_only_negative_nans(device, dtype, size):
    x = np.full(size, -np.nan, dtype)
    assert np.isnan(gpuarray.sort(gpuarray.to_device(x)).get()).all()


@pytest.mark.parametrize("view", [np.s_[::2], np.s_[::-1], np.s_[3:, ::-2]])
def test_views(device, view):
    x = sample("float32", (12, 9), 7)
    a = gpuarray.to_device(x)
    for axis in (0, 1):
        np.testing.assert_array_equal(gpuarray.sort(a[view], axis).get(), np.sort(x[view], axis))
        np.testing.assert_array_equal(
            gpuarray.argsort(a[view].T, axis).get(), np.argsort(x[view].T, axis, kind="stable")
        )


def test_layout_is_kept(device):
    a = gpuarray.to_device(np.asfortranarray(sample("int32", (5, 6))))
    assert gpuarray.sort(a, 0).flags.f_contiguous


def lexsorted(keys, axis=-1):
    return np.lexsort(
        [key.astype("float64") if key.dtype.kind == "f" else key for key in keys], axis
    )


def test_lexsort(device):
    keys = [sample(dtype, (6, 40), seed) for seed, dtype in enumerate(["float32", "int8", "bool"])]
    arrays = [gpuarray.to_device(key) for key in keys]
    for axis in (0, 1):
        np.testing.assert_array_equal(gpuarray.lexsort(arrays, axis).get(), lexsorted(keys, axis))
    stacked = sample("int16", (3, 50))
    np.testing.assert_array_equal(
        gpuarray.lexsort(gpuarray.to_device(stacked)).get(), np.lexsort(stacked)
    )


@pytest.mark.parametrize("kth", [0, 3, -1, [1, 4]])
def test_partition(device, kth):
    x = sample("float64", (4, 9), 2)
    a = gpuarray.to_device(x)
    made = gpuarray.partition(a, kth).get()
    np.testing.assert_array_equal(np.sort(made), np.sort(x))
    at = np.atleast_1d(kth)
    np.testing.assert_array_equal(made[:, at], np.sort(x)[:, at])
    order = gpuarray.argpartition(a, kth).get()
    np.testing.assert_array_equal(np.take_along_axis(x, order, -1)[:, at], np.sort(x)[:, at])


@pytest.mark.parametrize("length", [5, 16, 17, 300])
@pytest.mark.parametrize("dtype", DTYPES)
def test_partition_keeps_all_elements(device, dtype, length):
    x = sample(dtype, (3, length))
    a = gpuarray.to_device(x)
    for kth in (0, length // 2, -1, [1, length - 2]):
        made = gpuarray.partition(a, kth, axis=1).get()
        order = gpuarray.argpartition(a, kth, axis=1).get()
        by_order = np.take_along_axis(x, order, 1)
        np.testing.assert_array_equal(np.sort(order, 1), [np.arange(length)] * 3)
        ordered = np.sort(x, 1)
        for found in (made, by_order):
            np.testing.assert_array_equal(np.sort(found, 1), ordered)
            np.testing.assert_array_equal(found[:, kth], ordered[:, kth])
            for place in np.atleast_1d(kth):
                place %= length
                np.testing.assert_array_equal(
                    np.sort(found[:, :place], 1), ordered[:, :place], strict=True
                )


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_partition_keeps_signs_of_zeros(device, dtype):
    x = np.array([0.0, -0.0, 1.0, -1.0] * 20, dtype)
    made = gpuarray.partition(gpuarray.to_device(x), 30).get()
    assert np.signbit(made[made == 0]).sum() == 20


@pytest.mark.parametrize(
    "dtype", ["int64", "uint64", "int32", "uint32", "float64", "float32", "complex64", "complex128"]
)
@given(
    values=st.lists(st.integers(-3, 3), min_size=17, max_size=80),
    scale=st.sampled_from([1, 2.0**-45, 2.0**58]),
    base=st.sampled_from([0, 1, 2**40]),
    descending=st.booleans(),
)
def test_argsort_of_near_and_far_keys(device, dtype, values, scale, base, descending):
    whole = dtype.startswith(("int", "uint"))
    # Wide ranges leave no room for whole keys beside positions.
    x = np.array(values, np.float64) * (max(scale, 1.0) if whole else scale)
    x = x.astype("int64").astype(dtype) if whole else (x + base).astype(dtype)
    if dtype.startswith("complex"):
        x = x + 1j * np.flip(x)
    found = gpuarray.argsort(gpuarray.to_device(x), descending=descending).get()
    np.testing.assert_array_equal(found, argsorted(x, 0, descending))


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "float32", "float64", "complex64"])
def test_sort_complex(device, dtype):
    x = sample(dtype, 50)
    made = gpuarray.sort_complex(gpuarray.to_device(x))
    expected = np.sort_complex(x)
    assert made.dtype == expected.dtype
    np.testing.assert_array_equal(made.get(), expected)


def test_errors(device):
    a = gpuarray.zeros(3)
    with pytest.raises(np.exceptions.AxisError):
        gpuarray.sort(a, 1)
    with pytest.raises(np.exceptions.AxisError):
        gpuarray.sort(gpuarray.zeros(()))
    with pytest.raises(ValueError, match="kind must be one of"):
        gpuarray.sort(a, kind="bogo")
    with pytest.raises(ValueError, match="both"):
        gpuarray.sort(a, kind="stable", stable=True)
    with pytest.raises(ValueError, match="fields"):
        gpuarray.argsort(a, order="x")
    with pytest.raises(TypeError, match="expected a GPUArray"):
        gpuarray.sort(np.array([2, 1]))
    assert gpuarray.sort([2, 1]).get().tolist() == [1, 2]
    with pytest.raises(ValueError, match="out of bounds"):
        gpuarray.partition(a, 3)
    with pytest.raises(TypeError, match="kth must be integers"):
        gpuarray.partition(a, 1.5)
    with pytest.raises(ValueError, match="of one shape"):
        gpuarray.lexsort([a, gpuarray.zeros(4)])
    with pytest.raises(TypeError, match="at least one key"):
        gpuarray.lexsort([])


def test_no_dimensions(device):
    a = gpuarray.full((), 3.0)
    assert gpuarray.sort(a, None).get().tolist() == [3.0]
    assert gpuarray.argsort(a, None).get().tolist() == [0]


def test_on_another_stream(device):
    stream = gpuarray.Stream(device)
    x = sample("int32", 5000, few=False)
    made = gpuarray.sort(gpuarray.to_device(x), stream=stream)
    np.testing.assert_array_equal(made.get(), np.sort(x))


PROGRAMS = {
    "sort": lambda a: gpuarray.sort(a),
    "sort of all": lambda a: gpuarray.sort(a, None),
    "argsort": lambda a: gpuarray.argsort(a, 0),
    "argsort of float64": lambda a: gpuarray.argsort(a.astype("float64"), 0),
    "descending": lambda a: gpuarray.sort(a.astype("int16"), descending=True),
}


@pytest.mark.cuda
@pytest.mark.parametrize("name", PROGRAMS)
def test_captured(cuda, name):
    program = PROGRAMS[name]
    a = gpuarray.to_device(sample("float32", (40, 30), 1, few=False))
    graph = gpuarray.graph(program)(a)
    for seed in (2, 3):
        x = sample("float32", (40, 30), seed, few=False)
        graph.update(x)
        graph.launch()
        expected = program(gpuarray.to_device(x))
        np.testing.assert_array_equal(graph.result.get(), expected.get())


def test_many_values(device):
    x = sample("float64", 100000, 4, few=False)
    a = gpuarray.to_device(x)
    np.testing.assert_array_equal(gpuarray.sort(a).get(), np.sort(x))
    np.testing.assert_array_equal(gpuarray.argsort(a).get(), np.argsort(x, kind="stable"))


def test_library_of_cub_loads_without_a_driver():
    library = Path(gpuarray.__file__).with_name("_cub.so")
    if not library.exists():
        pytest.skip("a build without device code")
    assert ctypes.CDLL(str(library)).gpuarray_cub_sort


def test_row_without_the_library_of_cub():
    code = """
import gpuarray
assert gpuarray.sort(gpuarray.zeros(100)).shape == (100,)
try:
    gpuarray.sort(gpuarray.zeros(100000))
except gpuarray.DeviceError as error:
    assert "no-such-file" in str(error), error
else:
    raise SystemExit("no error")
"""
    variables = variables_of("stub") | {"GPUARRAY_LIBCUB": "/no-such-file"}
    run_python(code, **variables)


@pytest.mark.parametrize("shape", [(7,), (4, 5), (2, 9000), (3, 0)], ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_descending_partitions(device, dtype, shape):
    """Elements are where a descending sort would put them, larger ones before them."""
    x = sample(dtype, shape, 4, few=False)
    a = gpuarray.to_device(x)
    for axis in range(-1, len(shape)):
        n = x.shape[axis]
        for kth in (0, -1, n // 2, [1, n // 3]) if n else (0,):
            expected = gpuarray.sort(a, axis, descending=True).get()
            order = gpuarray.argpartition(a, kth, axis, descending=True)
            turned = a.copy()
            turned.partition(kth, axis, descending=True)
            for made in (
                gpuarray.partition(a, kth, axis, descending=True),
                gpuarray.take_along_axis(a, order, axis),
                gpuarray.take_along_axis(a, a.argpartition(kth, axis, descending=True), axis),
                turned,
            ):
                assert made.flags.c_contiguous
                check_partition(
                    np.moveaxis(made.get(), axis, -1), np.moveaxis(expected, axis, -1), kth
                )


def check_partition(made, expected, kth):
    """Rows are partitioned at each position as the sorted ones are."""
    for at in np.atleast_1d(kth) % max(made.shape[-1], 1) if made.size else ():
        np.testing.assert_array_equal(made[..., at], expected[..., at])
        for part in (slice(0, at), slice(at, None)):
            np.testing.assert_array_equal(
                np.sort(made[..., part], axis=-1), np.sort(expected[..., part], axis=-1)
            )


def test_a_flattened_descending_partition(device):
    a = gpuarray.to_device([[3, 1], [2, 5]])
    assert gpuarray.partition(a, 1, None, descending=True)[:2].tolist() == [5, 3]
    assert gpuarray.partition(a, 1, descending=None).tolist() == [[1, 3], [2, 5]]
