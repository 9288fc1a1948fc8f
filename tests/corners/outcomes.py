# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Outcomes of calls of the public functions beside NumPy's."""

import contextlib
import warnings

import numpy as np
from corners import array_calls, linalg_calls

import gpuarray

# Arrays of no elements, by each place of the axis of extent 0, and with several of them.
SHAPES = [(0,), (0, 3), (3, 0), (0, 0), (2, 0, 3), (0, 2, 2), (2, 3, 0)]

CALLS = array_calls.CALLS + linalg_calls.CALLS
# What differs on purpose, and why.
DIFFERENT = {
    "xp.average(a, axis)": "nothing waits for a number of elements that is 0",
    "xp.average(a, axis, weights=a)": "nothing waits for weights that add up to 0",
    "xp.polyder(a)": "coefficients have one dimension",
    "xp.linalg.multi_dot([a, a])": "NumPy takes any dimensions for two arrays, not for three",
    "xp.linalg.tensordot(a, a)": "too few axes are a ValueError",
}
# Functions of NumPy's name that no call here concerns, because they take no array, make one from
# scalars, only name another function, or leave the array for the host.
LEFT_OUT = """
abs acos acosh arange array array2string array_repr array_str asanyarray asarray asin
asinh atan atan2 atanh bartlett base_repr binary_repr bitwise_invert bitwise_left_shift
bitwise_right_shift blackman bool broadcast_shapes can_cast common_type concat conjugate
diag_indices dtype einsum_path empty empty_like eye finfo format_float_positional
format_float_scientific from_dlpack frombuffer fromfile fromfunction fromiter fromstring full
genfromtxt geomspace geterr get_include get_printoptions hamming hanning identity iinfo indices
iscomplexobj isdtype
isfortran isrealobj isscalar issubdtype iterable kaiser linspace load loadtxt logspace
mask_indices may_share_memory min_scalar_type mintypecode ndim ndindex ones pow
printoptions promote_types require result_type row_stack save savetxt savez savez_compressed
seterr set_printoptions shape shares_memory show_config size tri tril_indices triu_indices
true_divide typename vectorize zeros fft.fftfreq fft.rfftfreq linalg.LinAlgError
"""


def texts():
    """Return the texts of the calls, those of ufuncs and those of CALLS that do not differ."""
    ufuncs = [n for n in gpuarray.__all__ if isinstance(getattr(np, n, None), np.ufunc)]
    kept = [line for line in CALLS.split("\n") if line and line not in DIFFERENT]
    texts = {1: "xp.{}(a)", 2: "xp.{}(a, a)"}
    return kept + sorted(texts[getattr(np, name).nin].format(name) for name in ufuncs)


def calls():
    """Return the calls, compiled, by their texts."""
    return {text: compile(text, text, "eval") for text in texts()}


def axes_of(code, ndim):
    """Return the axes with which a call is to be made."""
    if _has_name(code, "axis"):
        return [None, *range(ndim)]
    return list(range(ndim)) if _has_name(code, "way") else [0]


def _has_name(code, name):
    inner = [const for const in code.co_consts if hasattr(const, "co_names")]
    return name in code.co_names or any(_has_name(const, name) for const in inner)


def outcome(code, xp, host, axis, to_array, settle):
    """Return what a call gives, on the host, or the exception that it or the next wait raises."""
    names = {
        "xp": xp,
        "np": np,
        "host": lambda values, dtype=None: to_array(np.asarray(values, dtype)),
        "a": to_array(host),
        "v": to_array(np.array([0.0, 1.0, 2.0])),
        "ones": to_array(np.ones([extent or 2 for extent in host.shape])),
        "axis": axis,
        "way": axis,
        "changed": changed,
        "cross_of_pairs": cross_of_pairs,
    }
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            made = on_host(eval(code, names))
            settle()
        except Exception as error:
            with contextlib.suppress(Exception):
                settle()
            return error
    return made


def changed(a, change):
    """Return a copy of `a` after `change`."""
    b = a.copy()
    change(b)
    return b


def cross_of_pairs(xp, a):
    """Return cross products of vectors of two elements, which NumPy has up to 2.4 alone."""
    if xp is np and np.lib.NumpyVersion(np.__version__) >= "2.5.0":
        return a[..., 0] * a[..., 1] - a[..., 1] * a[..., 0]
    return xp.cross(a, a)


def on_host(made):
    """Return the arrays of a result on the host, in nested lists."""
    if isinstance(made, tuple | list):
        return [on_host(part) for part in made]
    return made.get() if hasattr(made, "get") else made


KINDS = (IndexError, TypeError, ValueError, np.linalg.LinAlgError)


def difference(got, expected):
    """Return in what way an outcome differs from NumPy's; None where it does not."""
    if isinstance(got, Exception) or isinstance(expected, Exception):
        is_caught = all(isinstance(got, kind) for kind in KINDS if isinstance(expected, kind))
        if isinstance(got, Exception) and isinstance(expected, KINDS) and is_caught:
            return None
        return f"{shown(got)}, NumPy {shown(expected)}"
    if isinstance(expected, tuple | list):
        if not isinstance(got, tuple | list) or len(got) != len(expected):
            return f"{shown(got)}, NumPy {shown(expected)}"
        found = [difference(one, wanted) for one, wanted in zip(got, expected, strict=True)]
        return next((x for x in found if x), None)
    if not hasattr(expected, "dtype") or not hasattr(got, "dtype"):
        return None if got == expected else f"{shown(got)}, NumPy {shown(expected)}"
    same = got.dtype == expected.dtype and got.shape == expected.shape
    if same and np.allclose(got, expected, equal_nan=True):
        return None
    return f"{shown(got)}, NumPy {shown(expected)}"


def shown(made):
    if isinstance(made, Exception):
        return f"{type(made).__name__}: {made}"
    if hasattr(made, "dtype"):
        return f"{made.dtype}{made.shape} {str(np.asarray(made)).splitlines()[:1]}"
    return repr(made)
