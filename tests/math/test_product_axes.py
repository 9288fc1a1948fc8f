# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The keywords of NumPy's ufuncs that products and float_power take, as functions and by NumPy."""

import numpy as np
import pytest
from _support.numpy_names import check, values

import gpuarray

# Function, shapes, and keywords.
CASES = [
    ("matmul", "23 32", {"axes": [(0, 1), (0, 1), (0, 1)]}),
    ("matmul", "23 23", {"axes": [(1, 0), (0, 1), (1, 0)]}),
    ("matmul", "23 23", {"axes": [(1, 0), (-2, -1), (-1, -2)]}),
    ("matmul", "234 234", {"axes": [(0, 1), (1, 0), (0, 1)]}),
    ("matmul", "234 234", {"axes": [(-2, -1), (-1, -2), (0, 2)]}),
    ("matmul", "3 23", {"axes": [0, (1, 0), 0]}),
    ("matmul", "3 23", {"axes": [(0,), (1, 0), (0,)]}),
    ("matmul", "3 3", {"axes": [0, 0, ()]}),
    ("matmul", "3 3", {"axes": [0, 0]}),
    ("matmul", "23 32", {"axes": [(0, 1), (0, 1)]}),
    ("matmul", "23 32", {"axes": [(0, 0), (0, 1), (0, 1)]}),
    ("matmul", "23 32", {"axes": [(0, 5), (0, 1), (0, 1)]}),
    ("matmul", "23 32", {"axes": [0, (0, 1), (0, 1)]}),
    ("matmul", "23 32", {"axes": ((0, 1), (0, 1), (0, 1))}),
    ("matmul", "03 30", {"axes": [(1, 0), (1, 0), (0, 1)]}),
    ("matmul", "23 32", {"axis": 0}),
    ("matmul", "23 32", {"keepdims": True}),
    ("matmul", "23 32", {"dtype": "float32"}),
    ("matmul", "23 32", {"dtype": "float32", "casting": "unsafe"}),
    ("matmul", "23 32", {"dtype": "complex128", "axes": [(1, 0), (1, 0), (1, 0)]}),
    ("matmul", "23 32", {"dtype": "float32", "casting": "no"}),
    ("matmul", "23 32", {"order": "F"}),
    ("vecdot", "23 23", {"axis": 0}),
    ("vecdot", "23 23", {"axis": 0, "keepdims": True}),
    ("vecdot", "23 23", {"keepdims": True}),
    ("vecdot", "23 23", {"axes": [0, 0, ()]}),
    ("vecdot", "23 32", {"axes": [1, 0]}),
    ("vecdot", "23 32", {"axes": [1, 0, 0], "keepdims": True}),
    ("vecdot", "23 32", {"axes": [1, 0], "keepdims": True}),
    ("vecdot", "23 23", {"axes": [0, 0], "axis": 0}),
    ("vecdot", "23 23", {"dtype": "float32", "casting": "unsafe"}),
    ("matvec", "23 3", {"axes": [(0, 1), 0, 0]}),
    ("matvec", "23 2", {"axes": [(1, 0), 0, 0]}),
    ("matvec", "243 4", {"axes": [(1, 2), 0, 1]}),
    ("vecmat", "2 23", {"axes": [0, (0, 1), 0]}),
    ("vecmat", "3 23", {"axes": [0, (1, 0), 0]}),
    ("vecmat", "3 23", {"axis": 0}),
]


@pytest.mark.parametrize(("name", "shapes", "keywords"), CASES)
def test_keywords_of_products(device, name, shapes, keywords):
    a, b = (values("float64", tuple(map(int, shape)), 3) for shape in shapes.split())
    check(lambda xp, a, b: getattr(xp, name)(a, b, **keywords), a, b)
    check(lambda xp, a, b: getattr(np, name)(a, b, **keywords), a, b)


def test_keywords_with_out(device):
    a, b = values("float64", (2, 3)), values("float64", (2, 3), 1)
    out = gpuarray.zeros((3, 3))
    given = {"axes": [(1, 0), (0, 1), (1, 0)], "out": out}
    got = gpuarray.matmul(gpuarray.to_device(a), gpuarray.to_device(b), **given)
    assert got is out
    assert np.allclose(out.get(), (a.T @ b).T)
    with pytest.raises(TypeError, match="alpha and beta do not go with axes"):
        gpuarray.matmul(out, out, alpha=2, axes=[(0, 1)] * 3)
    with pytest.raises(ValueError, match="shape"):
        gpuarray.vecdot(out, out, out=gpuarray.zeros((2, 2)), keepdims=True)


@pytest.mark.filterwarnings("ignore:Casting complex")
@pytest.mark.parametrize("dtype", ["float64", "complex128", "float32", "int64"])
@pytest.mark.parametrize("kind", ["int32", "float32", "float64", "complex64"])
def test_dtype_of_float_power(device, kind, dtype):
    a = values(kind, (3, 4), 1)
    check(lambda xp, a: xp.float_power(a, 2, dtype=dtype), a)
    check(lambda xp, a: xp.float_power(a, a, dtype=dtype), a)
    check(lambda xp, a: xp.float_power(a, 2, dtype=dtype, casting="unsafe"), a)


@pytest.mark.parametrize("casting", ["no", "equiv", "safe", "same_kind", "unsafe", "other"])
@pytest.mark.parametrize("dtype", [None, "float64", "float32", "int64", "complex64"])
@pytest.mark.parametrize("kind", ["int64", "float64", "float32"])
def test_casts_of_einsum(device, kind, dtype, casting):
    a, b = values(kind, (2, 3)), values(kind, (3, 2), 1)
    check(lambda xp, a, b: xp.einsum("ij,jk", a, b, dtype=dtype, casting=casting), a, b)
    for order in "cfak":
        check(lambda xp, a, b, o=order: xp.einsum("ij,jk", a, b, dtype=dtype, order=o), a, b)
