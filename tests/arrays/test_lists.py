# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Lists, tuples and numbers stand for arrays in every function that NumPy has, and gives its result."""

import inspect
import itertools
import warnings

import numpy as np
import pytest
from _support.numpy_names import compare

import gpuarray

LISTS = [[3, 1, 2], [[4.0, 1.0], [1.0, 3.0]], 2, (True, False, True), []]


def functions_of(module, name):
    theirs = getattr(np, name) if name else np
    for one in sorted(module.__all__):
        function = getattr(theirs, one, None)
        if callable(function) and not isinstance(function, type) and not one.startswith("_"):
            yield f"{name}.{one}" if name else one


# NumPy's function is not for lists, or differs from gpuarray's by what docs/semantics.md lists.
LEFT_OUT = {
    *("asarray", "array", "asanyarray", "copy", "from_dlpack", "frombuffer", "fromfile", "load"),
    *("save", "savez", "savez_compressed", "savetxt", "loadtxt", "genfromtxt", "empty", "empty_like"),
    *("linalg.test", "get_include", "show_config", "geterr", "seterr", "printoptions"),
    *("get_printoptions", "set_printoptions", "array_repr", "array_str", "array2string"),
    *("may_share_memory", "shares_memory", "fromfunction", "fromiter", "fromstring"),
    *("apply_along_axis", "apply_over_axes", "piecewise", "mask_indices", "vectorize"),
    *("linalg.eig", "linalg.eigvals", "linalg.svd", "linalg.eigh", "linalg.qr", "roots"),
    *("base_repr", "binary_repr", "require", "astype", "iterable", "typename", "finfo", "iinfo"),
}
NAMES = [
    name
    for module, prefix in ((gpuarray, ""), (gpuarray.linalg, "linalg"), (gpuarray.fft, "fft"))
    for name in functions_of(module, prefix)
    if name not in LEFT_OUT
]


def find(module, name):
    for part in name.split("."):
        module = getattr(module, part)
    return module


def counts(function):
    """How many positional arguments to try."""
    if isinstance(function, np.ufunc):
        return [function.nin]
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:
        return [1, 2, 3]
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    least = sum(p.default is p.empty and p.kind in positional for p in parameters)
    return [max(least, 1)]


def outcome(function, arguments):
    """The result of NumPy's function, None where it gives an error or no numbers."""
    try:
        made = function(*arguments)
    except Exception:
        return None
    for item in made if isinstance(made, tuple | list) else (made,):
        kind = getattr(np.asarray(item), "dtype", np.dtype(object)).kind if item is not made else ""
        if kind and kind not in "biufc":
            return None
    return made


def is_number(value):
    return np.asarray(value).dtype.kind in "biufc"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
def test_lists_stand_for_arrays(device, name):
    theirs, ours = find(np, name), find(gpuarray, name)
    for count in counts(theirs):
        pool = LISTS if count < 3 else LISTS[:3]
        for arguments in itertools.product(pool, repeat=count):
            with np.errstate(all="ignore"):
                expected = outcome(theirs, arguments)
            if expected is None or not all(
                map(is_number, expected if isinstance(expected, tuple | list) else [expected])
            ):
                continue
            try:
                got = ours(*arguments)
            except Exception as error:
                if is_as_with_arrays(ours, arguments, error):
                    continue
                pytest.fail(f"{name}{arguments}: {type(error).__name__}: {error}")
            compare_numbers(got, expected, f"{name}{arguments}")


def is_as_with_arrays(function, arguments, error):
    """Whether arrays in the place of the lists give the same error, which is not of the lists."""
    if isinstance(error, TypeError):
        return False
    with pytest.raises(type(error)):
        function(*(gpuarray.asarray(x) if isinstance(x, list | tuple) else x for x in arguments))
    return True


def compare_numbers(got, expected, what):
    if isinstance(expected, tuple | list):
        assert len(got) == len(expected), what
        for one, other in zip(got, expected, strict=True):
            compare_numbers(one, other, what)
        return
    if not isinstance(got, gpuarray.GPUArray):
        assert np.array_equal(got, expected, equal_nan=True), what
        return
    compare(got, expected)


def test_lists_beside_arrays_are_on_their_device(device):
    with gpuarray.device("cpu"):
        a = gpuarray.ones(3, device=device)
        for made in (
            gpuarray.add(a, [1, 2, 3]),
            gpuarray.dot([1, 2, 3], a),
            gpuarray.where([True, False, True], a, [1, 2, 3]),
            gpuarray.concatenate([[1, 2], a]),
            gpuarray.clip([1, 2, 3], 0, a),
            gpuarray.sum([1, 2, 3], out=gpuarray.empty((), "int64", device=device)),
        ):
            assert made.device == a.device
        assert gpuarray.mean([1, 2]).device == gpuarray.default_device()


def test_lists_of_arrays_are_stacked(device):
    a, b = gpuarray.arange(3.0), gpuarray.arange(3.0) + 1
    with gpuarray.transfer_guard("disallow"):
        made = gpuarray.mean([a, b], axis=0)
        total = gpuarray.sum([a.sum(), b.sum()])
    assert made.tolist() == [0.5, 1.5, 2.5]
    assert float(total) == 9


@pytest.mark.parametrize("value", [np.ones(3), [1, "a"], [1, None], "123", {1, 2}, None, range(3)])
def test_what_is_no_list_of_numbers_is_refused(device, value):
    for function in (
        *(gpuarray.sum, gpuarray.sort, gpuarray.cumsum, gpuarray.exp, gpuarray.median),
        *(gpuarray.flip, gpuarray.linalg.norm, gpuarray.fft.fft, gpuarray.nonzero, gpuarray.mean),
    ):
        with pytest.raises(TypeError):
            function(value)


def test_lists_are_not_written_to(device):
    for write in (
        lambda x: gpuarray.copyto(x, 1),
        lambda x: gpuarray.put(x, [0], 1),
        lambda x: gpuarray.place(x, [True, False], 1),
        lambda x: gpuarray.putmask(x, [True, False], 1),
        lambda x: gpuarray.fill_diagonal(x, 1),
        lambda x: gpuarray.put_along_axis(x, [0], 1, 0),
        lambda x: gpuarray.add([1, 2], 1, out=x),
        lambda x: gpuarray.sum([1, 2], out=x),
    ):
        with pytest.raises(TypeError):
            write([1, 2])


def test_streams_of_lists(device):
    if device == "cpu":
        stream = None
    else:
        stream = gpuarray.Stream()
    assert gpuarray.sort([3, 1, 2], stream=stream).tolist() == [1, 2, 3]
    assert gpuarray.add([3, 1], [1, 2], stream=stream).tolist() == [4, 3]
    assert float(gpuarray.mean([3, 1], stream=stream)) == 2


def test_errors_name_the_argument_that_is_wrong(device):
    with pytest.raises(TypeError, match="ndarray.*to_device"):
        gpuarray.add([1, 2], np.ones(2))
    with pytest.raises(TypeError, match="'str'|str"):
        gpuarray.sort(["a", "b"])
    with pytest.raises(np.exceptions.AxisError):
        gpuarray.sum([1, 2], axis=1)
