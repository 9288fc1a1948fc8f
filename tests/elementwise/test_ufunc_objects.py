# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Functions of elements as objects, with the attributes and methods of NumPy's ufuncs."""

import contextlib
import copy
import inspect
import pickle
import weakref

import numpy as np
import pytest

import gpuarray

NAMES = [
    name
    for name in gpuarray.__all__
    if isinstance(getattr(gpuarray, name), gpuarray.ufunc)
    if isinstance(getattr(np, name, None), np.ufunc)
]


def test_functions_of_the_table_are_ufuncs():
    table = {name for name, *_ in gpuarray._core.op_table()}
    wanted = {n for n in table if isinstance(getattr(np, n, None), np.ufunc)}
    assert wanted | {"matmul"} <= set(NAMES)
    assert gpuarray.acos is gpuarray.arccos
    assert not isinstance(gpuarray.where, gpuarray.ufunc)


@pytest.mark.parametrize("name", NAMES)
def test_attributes_are_those_of_numpy(name):
    function, ufunc = getattr(gpuarray, name), getattr(np, name)
    for attribute in ("nin", "nout", "nargs", "identity", "signature"):
        assert getattr(function, attribute) == getattr(ufunc, attribute)
    assert function.types == [t for t in ufunc.types if not set(t) & set("gGOMm")]
    assert function.ntypes == len(function.types) > 0
    assert getattr(gpuarray, function.__name__) is function and "\n" in function.__doc__
    assert repr(function) == f"<gpuarray.ufunc {function.__name__!r}>"
    assert "stream" in inspect.signature(function).parameters


def test_signatures():
    """Sphinx asks for that of the type, too, and takes a ValueError alone for none."""
    with contextlib.suppress(ValueError):
        inspect.signature(gpuarray.ufunc)
    assert {"where", "casting"} <= set(inspect.signature(gpuarray.add).parameters)


def test_methods(device):
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    a = gpuarray.to_device(x)
    made = {
        "reduce": gpuarray.maximum.reduce(a, axis=1),
        "accumulate": gpuarray.add.accumulate(a, 1),
        "outer": gpuarray.multiply.outer(a[0], a[1]),
        "reduceat": gpuarray.add.reduceat(a, [0, 2, 1], axis=1),
        "keywords": gpuarray.add.reduce(a, axis=0, keepdims=True, initial=5),
    }
    expected = {
        "reduce": np.maximum.reduce(x, axis=1),
        "accumulate": np.add.accumulate(x, 1),
        "outer": np.multiply.outer(x[0], x[1]),
        "reduceat": np.add.reduceat(x, [0, 2, 1], axis=1),
        "keywords": np.add.reduce(x, axis=0, keepdims=True, initial=5),
    }
    assert gpuarray.add.reduce(array=a[0]).item() == 6
    for name, array in made.items():
        assert isinstance(array, gpuarray.GPUArray) and array.dtype == np.float32
        np.testing.assert_array_equal(array.get(), expected[name])
    gpuarray.add.at(a, ([0, 0, 2], [1, 1, 3]), 2)
    np.add.at(x, ([0, 0, 2], [1, 1, 3]), 2)
    np.testing.assert_array_equal(a.get(), x)


def test_methods_take_arrays_of_a_device():
    with pytest.raises(TypeError, match=r"add\.reduce: expected a GPUArray, got \(ndarray\)"):
        gpuarray.add.reduce(np.ones(3))
    with pytest.raises(TypeError, match=r"multiply\.outer: expected a GPUArray, got \(ndarray"):
        gpuarray.multiply.outer(np.ones(2), 3)
    with pytest.raises(AttributeError, match="no attribute 'reduc'"):
        gpuarray.add.reduc  # noqa: B018
    with pytest.raises(ValueError, match="reduce"):
        gpuarray.sqrt.reduce(gpuarray.ones(3, device="cpu"))


def test_functions_are_objects_of_python():
    add = gpuarray.add
    assert pickle.loads(pickle.dumps(add)) is copy.deepcopy(add) is copy.copy(add) is add
    assert weakref.ref(add)() is add and {add: 1}[gpuarray.add] == 1
    with pytest.raises(TypeError):
        gpuarray.ufunc()
    with pytest.raises(AttributeError):
        add.nin = 3


def test_calls_by_a_tuple_and_keywords(device):
    a = gpuarray.arange(3.0)
    out = gpuarray.empty(3)
    assert gpuarray.add(*(a, 1), out=out, dtype="float64") is out
    assert out.get().tolist() == [1, 2, 3]
    with pytest.raises(TypeError, match="add"):
        gpuarray.add(a)


def test_in_fused_functions(device):
    chosen = {"f": gpuarray.maximum}

    @gpuarray.fuse
    def function(x, y):
        return gpuarray.add(chosen["f"](x, y), 1)

    a = gpuarray.arange(4.0)
    assert function(a, a[::-1]).get().tolist() == [4, 3, 3, 4]
