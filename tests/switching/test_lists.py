# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Lists, tuples and numbers stand for arrays in every function that NumPy has."""

import inspect
import itertools

import numpy as np
import pytest
from _support.numpy_names import compare

import gpuarray

LISTS = [[3, 1, 2], [[4.0, 1.0], [1.0, 3.0]], 2, (True, False, True), []]


def functions_of(module, name):
    theirs = getattr(np, name) if name else np
    for one in sorted({*dir(module)} & {*theirs.__all__}):
        function = getattr(theirs, one, None)
        if callable(function) and not isinstance(function, type) and not one.startswith("_"):
            yield f"{name}.{one}" if name else one


# NumPy's function is not for lists, or differs from gpuarray's by what docs/semantics.md lists.
LEFT_OUT = {
    *("asarray", "array", "asanyarray", "copy", "from_dlpack", "frombuffer", "fromfile", "load"),
    *("save", "savez", "savez_compressed", "savetxt", "loadtxt", "genfromtxt", "empty"),
    "empty_like",
    *("linalg.test", "get_include", "show_config", "geterr", "seterr", "printoptions"),
    *("get_printoptions", "set_printoptions", "array_repr", "array_str", "array2string"),
    *("may_share_memory", "shares_memory", "fromfunction", "fromiter", "fromstring"),
    *("apply_along_axis", "apply_over_axes", "piecewise", "mask_indices", "vectorize"),
    *("linalg.eig", "linalg.eigvals", "linalg.svd", "linalg.eigh", "linalg.qr", "roots"),
    *("unique_values", "fft.fftn", "fft.ifftn", "fft.fft2", "fft.ifft2", "nan_to_num"),
    *("base_repr", "binary_repr", "require", "astype", "iterable", "typename", "finfo", "iinfo"),
}
NAMES = [
    name
    for module, prefix in ((gpuarray, ""), (gpuarray.linalg, "linalg"), (gpuarray.fft, "fft"))
    for name in functions_of(module, prefix)
    if name not in LEFT_OUT
]


# NumPy has other rules for these than for arrays: `dot` of an empty list has the other operand's
# dtype, lists of bools are indices, and an empty list counts as one of integers.
OTHER_RULES = {
    **{name: [[]] for name in ("dot", "inner", "bincount", "linalg.matmul", "histogramdd")},
    **{name: [(True, False, True), []] for name in ("unravel_index", "ravel_multi_index")},
    **{name: [2, []] for name in ("ldexp", "poly", "linalg.vecdot")},
    # Lists that are not sorted, in which no place is the right one; CALLS has sorted ones.
    "searchsorted": [[3, 1, 2], (True, False, True)],
}


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
        pool = [x for x in LISTS if x not in OTHER_RULES.get(name, [])]
        pool = pool if count < 3 else pool[:3]
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
                raise AssertionError(f"{name}{arguments}") from error
            compare_numbers(got, expected, f"{name}{arguments}")


def is_as_with_arrays(function, arguments, error):
    """Whether arrays in the place of the lists, or of the numbers, give the same error."""
    kinds = (list, tuple) if any(isinstance(x, list | tuple) for x in arguments) else (int,)
    arrays = [gpuarray.asarray(x) if isinstance(x, kinds) else x for x in arguments]
    try:
        function(*arrays)
    except type(error):
        return True
    return False


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


CALLS = {
    "searchsorted of a row": lambda xp: xp.searchsorted([1, 2, 3], [3, 1, 2]),
    "searchsorted of a number": lambda xp: xp.searchsorted((1.0, 2.0), 2, side="right"),
    "searchsorted of rows": lambda xp: xp.searchsorted([1, 2.5], [[4.0, 1.0], [1.0, 3.0]], "right"),
    "searchsorted of bools": lambda xp: xp.searchsorted((False, True), (True, False, True)),
    "searchsorted with a sorter": lambda xp: xp.searchsorted(
        [3, 1, 2], [3, 1, 2], sorter=[1, 2, 0]
    ),
    "select": lambda xp: xp.select([[True, False], [True, True]], [[1, 2], [3, 4]], 9),
    "select of numbers": lambda xp: xp.select([[True, False]], [5], [1.5, 2.5]),
    "interp": lambda xp: xp.interp([0.5, 1.5], [0, 1, 2], [3, 4, 9]),
    "bincount": lambda xp: xp.bincount([1, 1, 2], [0.5, 1, 2]),
    "where": lambda xp: xp.where([True, False], [1, 2], [3.5, 4]),
    "allclose": lambda xp: xp.allclose([1, 2], [1, 2 + 1e-9]),
    "array_equal": lambda xp: xp.array_equal([1, 2], [1, 2]),
    "array_equiv": lambda xp: xp.array_equiv([1, 1], [[1, 1]]),
    "vander": lambda xp: xp.vander([1, 2, 3], 2),
    "average": lambda xp: xp.average([1, 2, 3], weights=[1, 2, 3]),
    "cov": lambda xp: xp.cov([1, 2, 4], [1, 3, 3]),
    "corrcoef": lambda xp: xp.corrcoef([[1, 2, 4], [1, 3, 3]]),
    "polyfit": lambda xp: xp.polyfit([1, 2, 3, 4], [1, 2, 3, 5], 1, w=[1, 1, 1, 2]),
    "polyval": lambda xp: xp.polyval([1, 2], [3, 4]),
    "einsum": lambda xp: xp.einsum("i,ij->j", [1, 2], [[1, 2], [3, 4]]),
    "histogram": lambda xp: xp.histogram([1, 2, 2.5], 3, weights=[1, 2, 3])[0],
    "histogramdd": lambda xp: xp.histogramdd([[1, 2, 3], [1, 2, 2]], 2)[0],
    "lexsort": lambda xp: xp.lexsort([[1, 2, 1], [2, 1, 1]]),
    "meshgrid": lambda xp: xp.meshgrid([1, 2], [3, 4, 5]),
    "ix_": lambda xp: xp.ix_([0, 1], [1]),
    "broadcast_arrays": lambda xp: xp.broadcast_arrays([1, 2], [[1], [2]]),
    "atleast_2d": lambda xp: xp.atleast_2d([1, 2], 3),
    "block": lambda xp: xp.block([[1, 2], [3, 4.5]]),
    "apply_along_axis": lambda xp: xp.apply_along_axis(xp.sum, 0, [[1, 2], [3, 4]]),
    "piecewise": lambda xp: xp.piecewise([1.0, 2.0], [[True, False], [False, True]], [5, 6]),
    "quantile": lambda xp: xp.quantile([1, 2, 4], [0.5, 1]),
    "gradient": lambda xp: xp.gradient([1, 2, 4], [1, 2, 4]),
    "trapezoid": lambda xp: xp.trapezoid([1, 2, 4], [1, 2, 4]),
    "sum, mean of": lambda xp: xp.sum([[1, 2], [3, 4]], axis=(0,), keepdims=True),
    "max, initial": lambda xp: xp.max([1, 2], initial=5, where=[True, False]),
    "clip": lambda xp: xp.clip([1, 5, 9], [2, 2, 2], 6),
    "concatenate": lambda xp: xp.concatenate(([1, 2], (3.5,))),
    "stack": lambda xp: xp.stack([[1, 2], [3, 4]], axis=1),
    "multi_dot": lambda xp: xp.linalg.multi_dot([[[1.0, 2.0]], [[1.0], [2.0]], [[3.0]]]),
    "solve": lambda xp: xp.linalg.solve([[2.0, 0.0], [0.0, 4.0]], [2.0, 4.0]),
    "norm": lambda xp: xp.linalg.norm([3.0, 4.0]),
    "fft": lambda xp: xp.fft.fft([1, 2, 3, 4]),
    "fftshift": lambda xp: xp.fft.fftshift([1, 2, 3]),
    "convolve": lambda xp: xp.convolve([1, 2, 3], [1, 1]),
    "tensordot": lambda xp: xp.tensordot([[1, 2], [3, 4]], [[1, 2], [3, 4]], 1),
    "cross": lambda xp: xp.cross([1, 2, 3], [3, 2, 1]),
    "isin": lambda xp: xp.isin([1, 2], [2, 3]),
    "pad": lambda xp: xp.pad([1, 2], 1),
    "tile": lambda xp: xp.tile([1, 2], 2),
    "repeat": lambda xp: xp.repeat([1, 2], [2, 1]),
    "roll": lambda xp: xp.roll([1, 2, 3], 1),
    "split": lambda xp: xp.array_split([1, 2, 3, 4], 2),
    "unique": lambda xp: xp.unique([3, 1, 3], return_counts=True),
    "digitize": lambda xp: xp.digitize([1.5, 2.5], [1, 2, 3]),
    "searchsorted": lambda xp: xp.searchsorted([1, 2, 3], [2, 4]),
    "append": lambda xp: xp.append([1, 2], [3]),
    "insert": lambda xp: xp.insert([1, 2], 1, [3]),
    "delete": lambda xp: xp.delete([1, 2, 3], [1]),
    "compress": lambda xp: xp.compress([True, False], [1, 2]),
    "extract": lambda xp: xp.extract([True, False], [1, 2]),
    "nanmean": lambda xp: xp.nanmean([1, xp.nan, 3]),
    "cumsum": lambda xp: xp.cumsum([1, 2, 3], dtype=float),
    "divmod": lambda xp: xp.divmod([7, 8], [2, 3]),
    "full_like": lambda xp: xp.full_like([1, 2], 7),
    "zeros_like": lambda xp: xp.zeros_like([[1.5]]),
    "r_": lambda xp: xp.r_[[1, 2], 5, 6:8],
    "random.permutation": lambda xp: xp.sort(xp.random.default_rng(1).permutation([3, 1, 2])),
    "add.reduce": lambda xp: xp.add.reduce([1, 2, 3]),
    "add.outer": lambda xp: xp.add.outer([1, 2], [3, 4]),
    "add.accumulate": lambda xp: xp.add.accumulate([1, 2, 3]),
    "add.reduceat": lambda xp: xp.add.reduceat([1, 2, 3], [0, 1]),
    "numpy.add": lambda xp: np.add(xp.asarray([1, 2]), [3, 4]),
    "numpy.add.outer": lambda xp: np.add.outer(xp.asarray([1, 2]), [3, 4]),
    "linspace": lambda xp: xp.linspace([1, 2], 3, 3),
    "copy": lambda xp: xp.copy([1, 2]),
    "ravel": lambda xp: xp.ravel([[1, 2], [3, 4]]),
    "transpose": lambda xp: xp.transpose([[1, 2], [3, 4]]),
    "moveaxis": lambda xp: xp.moveaxis([[1, 2], [3, 4]], 0, 1),
}


@pytest.mark.parametrize("name", CALLS)
def test_calls_with_lists(device, name):
    compare(CALLS[name](gpuarray), CALLS[name](np))


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
    stream = None if device == "cpu" else gpuarray.Stream()
    assert gpuarray.sort([3, 1, 2], stream=stream).tolist() == [1, 2, 3]
    assert gpuarray.add([3, 1], [1, 2], stream=stream).tolist() == [4, 3]
    assert float(gpuarray.mean([3, 1], stream=stream)) == 2


def test_errors_name_the_argument_that_is_wrong(device):
    with pytest.raises(TypeError, match=r"ndarray.*to_device"):
        gpuarray.add([1, 2], np.ones(2))
    with pytest.raises(TypeError, match="str"):
        gpuarray.sort(["a", "b"])
    with pytest.raises(np.exceptions.AxisError):
        gpuarray.sum([1, 2], axis=1)
