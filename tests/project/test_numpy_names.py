# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Each name of NumPy's main namespace is here, or there is a reason; signatures are NumPy's."""

import copy
import inspect
import pickle
import runpy
from pathlib import Path

import numpy as np
import pytest

import gpuarray

TOOL = runpy.run_path(str(Path(__file__).resolve().parents[2] / "tools" / "numpy_names.py"))
HERE = TOOL["here"]()


def test_there_is_a_reason_for_each_name_that_is_not_here():
    assert not [name for name, reason in TOOL["missing"]().items() if not reason]


def test_no_reason_is_given_for_what_is_here():
    stated = [name for names in TOOL["REASONS"].values() for name in names.split()]
    assert len(stated) == len(set(stated))
    assert not set(stated) & set(HERE)


# Of subclasses, of dtypes of results by a rule, of devices; the array API standard's.
NOT_OURS = {"casting", "like", "ndmax", "subok"}
OURS = {"descending", "device", "managed", "stream"}
OTHERS = {
    *("array", "asanyarray", "asarray", "ascontiguousarray", "asfortranarray"),  # take an `obj`
    *("arange", "broadcast_shapes", "einsum", "empty_like"),  # other names
    *("empty", "fix", "i0", "where"),  # more arguments
    "clip",  # no ufunc's keywords
    "fromstring",  # NumPy's has no signature
    "vectorize",  # another function
}


def parameters(function):
    found = inspect.signature(function).parameters.values()
    return {p.name: (p.kind, p.name) for p in found if p.name not in NOT_OURS | OURS}


def test_signatures_can_be_copied():
    made = inspect.signature(gpuarray.concatenate)
    assert "stream" in made.parameters
    assert copy.deepcopy(made) == made == pickle.loads(pickle.dumps(made))


@pytest.mark.parametrize("name", HERE)
def test_signatures_are_those_of_numpy(name):
    theirs, ours = getattr(np, name), getattr(gpuarray, name)
    if not callable(theirs) or isinstance(theirs, (type, np.ufunc)) or name in OTHERS:
        return
    assert set(parameters(ours)) == set(parameters(theirs))
    positional = [n for n, p in inspect.signature(ours).parameters.items() if p.kind < 2]
    expected = [n for n, p in inspect.signature(theirs).parameters.items() if p.kind < 2]
    assert [n for n in positional if n not in NOT_OURS] == [
        n for n in expected if n not in NOT_OURS
    ]


def test_methods_are_those_of_numpy():
    missing = {name for name in dir(np.ndarray) if not hasattr(gpuarray.GPUArray, name)}
    assert missing - {"_set_dtype", "_set_shape"} == {  # NumPy 2.5's own
        # of subclasses, pickles of NumPy's own
        *("__array_finalize__", "__array_wrap__", "__setstate__"),
        "__array_struct__",  # the host's memory, which __array_interface__ describes
        # bytes and fields of dtypes; a change of the array itself
        *("getfield", "setfield", "resize"),
    }


def test_methods_take_what_those_of_numpy_take():
    compared = 0
    for name in dir(np.ndarray):
        theirs, ours = getattr(np.ndarray, name), getattr(gpuarray.GPUArray, name, None)
        if name.startswith("_") or not callable(theirs) or ours is None:
            continue
        try:
            expected = inspect.signature(theirs).parameters.values()
        except ValueError:  # before NumPy 2.4
            continue
        by_name = {p.name for p in expected if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
        assert by_name - NOT_OURS <= set(inspect.signature(ours).parameters), name
        compared += 1
    assert compared > 40 or np.lib.NumpyVersion(np.__version__) < "2.4.0"
