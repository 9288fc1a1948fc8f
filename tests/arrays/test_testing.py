# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""gpuarray.testing: what passes, what fails and says why, and what decorated tests are given."""

import inspect

import numpy as np
import pytest

import gpuarray
from gpuarray import testing

# Assertions with arguments that pass and that fail.
ASSERTIONS = {
    "assert_allclose": ([1.0, 2.0], [1.0, 2.0 + 1e-9], [1.0, 2.1]),
    "assert_array_equal": ([1.0, np.nan], [1.0, np.nan], [1.0, 2.0]),
    "assert_array_almost_equal": ([1.0, 2.0], [1.0, 2.0 + 1e-8], [1.0, 2.1]),
    "assert_array_almost_equal_nulp": ([1.0], [np.nextafter(1.0, 2)], [1.1]),
    "assert_array_less": ([1.0, 2.0], [1.5, 2.5], [1.0, 2.5]),
    "assert_array_max_ulp": ([1.0], [np.nextafter(1.0, 2)], [1.1]),
    "assert_equal": ([1, 2], [1, 2], [1, 3]),
    "assert_array_list_equal": ([[1, 2], [3]], [[1, 2], [3]], [[1, 2], [4]]),
}


@pytest.mark.parametrize("name", ASSERTIONS)
def test_assertions(device, name):
    check = getattr(testing, name)
    x, equal, other = ASSERTIONS[name]
    for convert in (gpuarray.to_device, np.asarray):
        if name == "assert_array_list_equal":
            a, b, c = ([convert(item) for item in items] for items in (x, equal, other))
        else:
            a, b, c = map(convert, (x, equal, other))
        check(a, equal)
        check(x, b)
        check(a, b)
        for wrong in ((a, c), (a, other), (x, c)):
            with pytest.raises(AssertionError):
                check(*wrong)


def test_options_and_lists_of_arrays(device):
    a = gpuarray.ones(3)
    testing.assert_allclose(actual=a, desired=1.01, rtol=0.1)
    with pytest.raises(AssertionError, match="a word of the caller's"):
        testing.assert_allclose(a, a + 1, err_msg="a word of the caller's")
    testing.assert_equal({"a": (1, 2)}, {"a": (1, 2)})
    testing.assert_equal([(a, 1)], [(np.ones(3), 1)])
    with pytest.raises(AssertionError):
        testing.assert_array_equal(a, a.astype("float32"), strict=True)
    with pytest.raises(AssertionError, match="lists of 1 and 2 arrays differ"):
        testing.assert_array_list_equal([a], [a, a])


def test_bfloat16(device):
    a = gpuarray.ones(3, "bfloat16")
    testing.assert_array_equal(a, a)
    testing.assert_allclose(a, [1.0] * 3)
    with pytest.raises(AssertionError):
        testing.assert_allclose(a, a * 2)


# What each decorator gives a test, one call after another.
REPEATED = {
    "for_all_dtypes": ({}, [*"bhilBHILefd", "?", "F", "D"]),
    "for_float_dtypes": ({"no_float16": True}, "fd"),
    "for_signed_dtypes": ({}, "bhil"),
    "for_unsigned_dtypes": ({}, "BHIL"),
    "for_int_dtypes": ({"no_bool": True}, "bhilBHIL"),
    "for_complex_dtypes": ({}, "FD"),
    "for_dtypes": ({"dtypes": ["f", np.int8]}, "fb"),
}


@pytest.mark.parametrize("name", REPEATED)
def test_repeated_for_dtypes(name):
    options, expected = REPEATED[name]
    seen = []

    @getattr(testing, name)(name="kind", **options)
    def check(offset, kind):
        seen.append(kind)

    check(3)
    assert seen == [np.dtype(char).type for char in expected]
    assert list(inspect.signature(check).parameters) == ["offset"]


def test_left_out_dtypes():
    seen = []
    testing.for_all_dtypes(no_float16=True, no_bool=True, no_complex=True)(
        lambda dtype: seen.append(np.dtype(dtype).char)
    )()
    assert "".join(seen) == "bhilBHILfd"


def test_orders():
    seen = []

    class Case:
        @testing.for_CF_orders()
        @testing.for_orders([None, "K"], name="other")
        def test(self, order, other):
            seen.append((order, other))

    Case().test()
    assert seen == [("C", None), ("C", "K"), ("F", None), ("F", "K")]


@pytest.mark.parametrize(
    ("names", "full", "count"), [("ab", None, 9), ("abc", None, 9), ("abc", True, 27)]
)
def test_combinations(names, full, count):
    seen = []
    testing.for_dtypes_combination(["b", "h", "i"], names, full)(
        lambda **kinds: seen.append(tuple(kinds[name] for name in names))
    )()
    assert len(seen) == len(set(seen)) == count
    assert len({kinds[:2] for kinds in seen}) == 9


@pytest.mark.parametrize(
    ("name", "count"), [("all", 14), ("int", 9), ("signed", 4), ("unsigned", 4)]
)
def test_combinations_of_kinds(name, count):
    seen = []
    repeat = getattr(testing, f"for_{name}_dtypes_combination")
    repeat(names=("a", "b"))(lambda a, b: seen.append((a, b)))()
    assert len(set(seen)) == len(seen) == count**2


def test_a_failure_names_its_dtype():
    @testing.for_all_dtypes_combination(["a", "b"])
    def check(a, b):
        assert (a, b) != (np.int8, np.float32)

    with pytest.raises(AssertionError) as caught:
        check()
    assert caught.value.__notes__ == ["a: <class 'numpy.int8'>, b: <class 'numpy.float32'>"]


@pytest.mark.parametrize("make", ["shaped_arange", "shaped_reverse_arange", "shaped_random"])
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32", "float16", "float64", "complex64"])
def test_sample_arrays(device, make, dtype):
    function = getattr(testing, make)
    host = function((3, 4), np, dtype, order="F")
    ours = function((3, 4), gpuarray, dtype, order="F")
    assert (ours.device, ours.dtype, host.dtype) == (device, dtype, dtype)
    assert ours.flags.f_contiguous
    testing.assert_array_equal(ours, host)
    testing.assert_array_equal(function((3, 4), dtype=dtype), host)
    assert len(np.unique(host)) > 1


def test_values_of_sample_arrays(device):
    assert testing.shaped_arange((2, 2)).tolist() == [[1, 2], [3, 4]]
    assert testing.shaped_reverse_arange((3,), np, "int8").tolist() == [3, 2, 1]
    assert testing.shaped_arange((3,), np, bool).tolist() == [False, True, False]
    assert testing.shaped_arange((2,), np, "c8").tolist() == [1 + 1j, 2 + 2j]
    x = testing.shaped_random((1000,), np, "f8", scale=3, seed=2)
    assert 2.9 < x.max() < 3
    assert 0 < x.min() < 0.1
    assert (x != testing.shaped_random((1000,), np, "f8", scale=3)).any()


@testing.for_all_dtypes(no_bool=True)
@testing.for_CF_orders()
@testing.numpy_cupy_allclose(rtol={np.float16: 1e-2, "default": 1e-5})
def test_written_as_for_cupy(device, xp, dtype, order):
    a = testing.shaped_arange((2, 3), xp, dtype, order)
    return xp.add(a, a), a.mean(axis=0)


@pytest.mark.usefixtures("device")
class TestsOfAClass:
    @testing.for_int_dtypes()
    @testing.numpy_cupy_array_equal()
    def test_method(self, xp, dtype):
        return xp.sort(testing.shaped_reverse_arange((5,), xp, dtype))

    @testing.numpy_cupy_array_equal(accept_error=ValueError)
    def test_errors(self, xp):
        return xp.arange(6).reshape(4, 2)

    @testing.numpy_cupy_equal()
    def test_shapes(self, xp):
        return xp.ones((2, 3)).shape


PASS = {
    "numpy_cupy_allclose": ({"atol": 1}, lambda xp: xp.ones(3) + (xp is np) / 2),
    "numpy_cupy_array_almost_equal": ({"decimal": 3}, lambda xp: xp.ones(3) + (xp is np) * 1e-5),
    "numpy_cupy_array_almost_equal_nulp": ({"nulp": 2}, lambda xp: xp.ones(3) + (xp is np) * 4e-16),
    "numpy_cupy_array_max_ulp": ({"maxulp": 2}, lambda xp: xp.ones(3) + (xp is np) * 4e-16),
    "numpy_cupy_array_less": ({}, lambda xp: xp.ones(3) + (xp is np)),
    "numpy_cupy_array_equal": ({}, lambda xp: [xp.ones(3), xp.zeros(2)]),
    "numpy_cupy_array_list_equal": ({}, lambda xp: [xp.ones(3), xp.zeros(2)]),
    "numpy_cupy_equal": ({}, lambda xp: 3),
}
FAIL = {
    "numpy_cupy_allclose": lambda xp: xp.ones(3) + (xp is np) / 2,
    "numpy_cupy_array_almost_equal": lambda xp: xp.ones(3) + (xp is np) * 1e-5,
    "numpy_cupy_array_almost_equal_nulp": lambda xp: xp.ones(3) + (xp is np) * 4e-16,
    "numpy_cupy_array_max_ulp": lambda xp: xp.ones(3) + (xp is np) * 4e-16,
    "numpy_cupy_array_less": lambda xp: xp.ones(3),
    "numpy_cupy_array_equal": lambda xp: [xp.ones(3), xp.full(2, xp is np)],
    "numpy_cupy_array_list_equal": lambda xp: [xp.ones(3)] * (1 + (xp is np)),
    "numpy_cupy_equal": lambda xp: xp is np,
}


@pytest.mark.parametrize("name", PASS)
def test_beside_numpy(device, name):
    options, function = PASS[name]
    getattr(testing, name)(**options)(function)()
    with pytest.raises(AssertionError):
        getattr(testing, name)()(FAIL[name])()


def _raise(error):
    raise error


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (
            lambda xp: xp.ones(3, "f4" if xp is np else "f8"),
            r"gpuarray's dtype is float64, numpy's",
        ),
        (lambda xp: xp.ones(3 + (xp is np)), r"gpuarray's shape is \(3,\), numpy's \(4,\)"),
        (lambda xp: None, r"must return what is compared, got None"),
        (lambda xp: np.ones(3), r"gpuarray gave a .*ndarray"),
        (lambda xp: xp.ones((2, 3)) if xp is np else xp.ones((3, 2)).T, r"the flag c_contiguous"),
        (lambda xp: _raise(ValueError("a")), r"both raised errors: ValueError"),
        (
            lambda xp: _raise((ValueError if xp is np else TypeError)("a")),
            r"raised TypeError\('a'\)",
        ),
        (
            lambda xp: _raise(ValueError("a")) if xp is np else 1,
            r"gpuarray raised None, numpy Value",
        ),
    ],
)
def test_what_differs_is_named(device, function, message):
    with pytest.raises(AssertionError, match=message):
        testing.numpy_cupy_allclose()(function)()


def test_errors_that_are_accepted(device):
    for accepted in (True, ValueError, (KeyError, ValueError)):
        testing.numpy_cupy_allclose(accept_error=accepted)(lambda xp: _raise(ValueError("a")))()
    with pytest.raises(AssertionError, match="both raised errors"):
        testing.numpy_cupy_allclose(accept_error=TypeError)(lambda xp: _raise(ValueError("a")))()
    with pytest.raises(TypeError, match="there is no tolerance for float64"):
        testing.numpy_cupy_allclose(rtol={np.float32: 1})(lambda xp: xp.ones(3))()
