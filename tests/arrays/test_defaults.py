# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The defaults of NumPy's functions, spelled out by keyword and by position, change nothing."""

import inspect

import numpy as np
import pytest
from _support.numpy_names import compare

import gpuarray

# Of dispatch, of arrays of objects, and a rule that other tests have.
NUMPYS_OWN = {"like", "ndmax", "casting"}

A = np.array([[1.5, 2.0, -3.0], [4.0, 0.5, 6.0]])
ROW = np.array([3, 1, 2, 1])
BITS = np.array([[1, 0, 1, 1]], "uint8")
SQUARE = np.arange(9.0).reshape(3, 3)


def _times(x, y):
    return x * y


# What the functions of one array are called with, but for the array A.
CALLS = {
    "allclose": (A, A),
    "append": (A, A),
    "arange": (5,),
    "argpartition": (A, 1),
    "array_equal": (A, A),
    "array_split": (A, 2),
    "bincount": (ROW,),
    "can_cast": ("int8", "int16"),
    "choose": (np.array([0, 1, 1]), A),
    "clip": (A,),
    "compress": ([True, False], A),
    "concat": ([A, A],),
    "concatenate": ([A, A],),
    "convolve": (ROW, ROW),
    "correlate": (ROW, ROW),
    "cross": (A, A),
    "delete": (A, 1),
    "diag_indices": (3,),
    "digitize": (A, np.array([0.0, 1.0])),
    "dot": (A, A.T),
    "einsum": ("ij,kj", A, A),
    "eye": (3,),
    "fromiter": ([1.0, 2.0], float),
    "fromfunction": (_times, (2, 3)),
    "full": ((2, 3), 4),
    "full_like": (A, 4),
    "geomspace": (1, 8),
    "gradient": (SQUARE,),
    "histogram2d": (ROW, ROW),
    "histogramdd": (A,),
    "hstack": ([A, A],),
    "identity": (3,),
    "indices": ((2, 3),),
    "insert": (A, 1, 7),
    "interp": (A, np.arange(3.0), np.arange(3.0)),
    "intersect1d": (ROW, ROW),
    "isclose": (A, A),
    "isin": (A, A),
    "lexsort": ([ROW, ROW],),
    "linspace": (1, 8),
    "logspace": (1, 2),
    "ones": ((2, 3),),
    "outer": (ROW, ROW),
    "packbits": (BITS,),
    "pad": (A, 1),
    "partition": (A, 1),
    "percentile": (A, 40),
    "nanpercentile": (A, 40),
    "quantile": (A, 0.4),
    "nanquantile": (A, 0.4),
    "polyder": (ROW,),
    "polyfit": (np.arange(4.0), ROW, 1),
    "polyint": (ROW,),
    "ravel_multi_index": ((ROW, ROW), (4, 4)),
    "repeat": (A, 2),
    "reshape": (A, (3, 2)),
    "roll": (A, 1),
    "rollaxis": (A, 1),
    "searchsorted": (np.arange(3.0), A),
    "select": ([A > 1], [A]),
    "setdiff1d": (ROW, ROW),
    "setxor1d": (ROW, ROW),
    "split": (A, 2),
    "stack": ([A, A],),
    "take": (A, ROW),
    "take_along_axis": (A, np.array([[0], [1]])),
    "tensordot": (SQUARE, SQUARE),
    "tri": (3,),
    "tril_indices": (3,),
    "triu_indices": (3,),
    "cumulative_prod": (ROW,),
    "cumulative_sum": (ROW,),
    "unpackbits": (BITS,),
    "unravel_index": (ROW, (4, 4)),
    "vander": (ROW,),
    "vstack": ([A, A],),
    "zeros": ((2, 3),),
    "broadcast_to": (A, (2, 2, 3)),
    "astype": (A, "float32"),
    "diag": (A[:, :2],),
}
# What they do is to their first argument, or there are no defined elements or no array.
LEFT_OUT = {"copyto", "einsum_path", "empty", "fill_diagonal", "from_dlpack", "mask_indices", "put"}
LEFT_OUT |= {"may_share_memory", "shares_memory", "show_config", "where"}
# Of files: test_files.py.
LEFT_OUT |= {"frombuffer", "fromfile", "genfromtxt", "load", "loadtxt", "save", "savetxt", "savez"}
LEFT_OUT |= {"savez_compressed", "fromstring"}
LEFT_OUT |= {"seterr"}  # of modes alone: test_error_state.py
# Of text: test_printing.py; the others are NumPy's own.
LEFT_OUT |= {"array2string", "array_repr", "array_str", "base_repr", "binary_repr", "mintypecode"}
LEFT_OUT |= {"format_float_positional", "format_float_scientific", "set_printoptions"}


def functions():
    """NumPy's functions that are here, with the parameters that have defaults."""
    for name in sorted({*np.__all__} & {*gpuarray.__all__} - LEFT_OUT):
        function = getattr(np, name)
        if inspect.isroutine(function):
            yield (
                name,
                [
                    parameter
                    for parameter in inspect.signature(function).parameters.values()
                    if parameter.default is not parameter.empty and parameter.name not in NUMPYS_OWN
                ],
            )


FUNCTIONS = {name: defaults for name, defaults in functions() if defaults}


def on_device(value):
    if isinstance(value, list | tuple):
        return type(value)(map(on_device, value))
    return gpuarray.to_device(value) if isinstance(value, np.ndarray) else value


def run(name, *args, **kwargs):
    given = CALLS.get(name, (A,))
    expected = getattr(np, name)(*given, *args, **kwargs)
    got = getattr(gpuarray, name)(*on_device(given), *args, **kwargs)
    if "empty" in name:
        assert (got.shape, got.dtype) == (expected.shape, expected.dtype)
        return
    compare(got, expected)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_defaults_by_keyword(device, name):
    for parameter in FUNCTIONS[name]:
        run(name, **{parameter.name: parameter.default})


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_defaults_by_position(device, name):
    positional = [p for p in FUNCTIONS[name] if p.kind is p.POSITIONAL_OR_KEYWORD]
    run(name, *(parameter.default for parameter in positional))


def test_no_end_for_differences(device):
    a = gpuarray.to_device(ROW)
    compare(gpuarray.diff(a, prepend=None, append=None), np.diff(ROW))
