# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""PyCUDA's class of arrays: which calls give arrays of it, and elements that are views."""

import copy
import operator
import pickle
import sys
import weakref

import numpy as np
import pytest

import gpuarray
from gpuarray.pycuda import cumath, curandom, scan
from gpuarray.pycuda import gpuarray as ga
from gpuarray.pycuda.elementwise import ElementwiseKernel
from gpuarray.pycuda.reduction import ReductionKernel

HOST = np.arange(6, dtype=np.float32) + 1
RESULTS = {
    "right operand": lambda a: 2 - a,
    "another array's": lambda a: a + gpuarray.ones(6, dtype="float32", device=a.device),
    "right operand's": lambda a: gpuarray.ones(6, dtype="float32", device=a.device) + a,
    "comparison": lambda a: a < 3,
    "negative": operator.neg,
    "in place": lambda a: operator.iadd(a, 1),
    "slice": lambda a: a[1:4],
    "element": lambda a: a[2],
    "mask": lambda a: a[a > 2],
    "method": lambda a: a.reshape(2, 3),
    "attribute": lambda a: a.T,
    "written in Python": lambda a: a.round(1),
    "reduction": lambda a: a.sum(),
    "of a method with keywords": lambda a: a.mean(axis=0, keepdims=True),
    "function": gpuarray.exp,
    "function by keyword": lambda a: gpuarray.clip(a=a, a_min=2, a_max=4),
    "function of a list": lambda a: gpuarray.concatenate([a, a]),
    "function of a longer list": lambda a: gpuarray.concatenate([a] * 5),
    "function of two": lambda a: gpuarray.outer(a, a),
    "product": lambda a: a @ a,
    "NumPy's ufunc": lambda a: np.multiply(a, 2),
    "NumPy's function": np.cumsum,
    "fused": lambda a: gpuarray.fuse(lambda x: x * 2 + 1)(a),
    "copy": copy.copy,
    "deep copy": copy.deepcopy,
    "pickle": lambda a: pickle.loads(pickle.dumps(a)),
    "old pickle": lambda a: pickle.loads(pickle.dumps(a, 2)),
    "cumath": cumath.sqrt,
    "dot": lambda a: ga.dot(a, a),
    "zeros_like": ga.zeros_like,
    "empty_like": lambda a: ga.empty_like(a.get()),
    "several": lambda a: ga.concatenate([a] * 5),
    "several of two dtypes": lambda a: ga.concatenate([a, a.astype("int8")]),
    "another array's too": lambda a: ga.stack([gpuarray.ones_like(a.astype("int8")), a]),
    "stack": lambda a: ga.stack([a] * 4),
    "take": lambda a: ga.take(a, ga.to_gpu(np.array([0, 2]))),
    "arange": lambda a: ga.arange(6, dtype=np.float32),
    "zeros": lambda a: ga.zeros((2, 3), np.float32),
    "ones": lambda a: ga.ones(3, np.int8, order="F"),
    "to_gpu_async": lambda a: ga.to_gpu_async(HOST),
    "rand": lambda a: curandom.rand((2, 3)),
    "rand of integers": lambda a: curandom.rand(3, np.uint32),
    "generator": lambda a: curandom.XORWOWRandomNumberGenerator().gen_normal(4, np.float32),
    "seeds": lambda a: curandom.seed_getter_unique(4),
    "scan": lambda a: scan.InclusiveScanKernel(np.float32, "a+b")(a),
    "reduction kernel": lambda a: ReductionKernel(
        np.float32, "0", "a+b", map_expr="x[i]", arguments="float *x"
    )(a),
}


@pytest.fixture
def a(device):
    return ga.to_gpu(HOST)


@pytest.mark.parametrize("name", RESULTS)
def test_results_are_of_the_class(a, name):
    assert type(RESULTS[name](a)) is ga.GPUArray


def test_each_of_several_results_is_of_the_class(a):
    for results in (divmod(a, 2), gpuarray.split(a, 2), gpuarray.modf(a), list(a)):
        assert {type(result) for result in results} == {ga.GPUArray}


def test_other_arrays_and_results_are_not_of_the_class(a):
    plain = gpuarray.arange(6, device=a.device)
    assert type(plain) is type(plain + 1) is type(gpuarray.split(plain, 2)[0]) is gpuarray.GPUArray
    assert isinstance(a, gpuarray.GPUArray) and not isinstance(plain, ga.GPUArray)
    assert type(a.get()) is np.ndarray and type(a.sum().item()) is float


def test_an_array_that_others_hold_keeps_its_class(a):
    plain = gpuarray.zeros(6, dtype="float32", device=a.device)
    assert gpuarray.add(a, 1, out=plain) is plain
    assert type(plain) is gpuarray.GPUArray


def test_an_element_is_a_view(a):
    b = a[0]
    b += 5
    a[1] += 10
    for element in a[4:]:
        element *= 2
    c = a.reshape(2, 3)[1, 0]
    c[()] = -1
    a[3].fill(7)
    assert a.get().tolist() == [6, 12, 3, 7, 10, 12]
    assert b.item() == 6
    with pytest.raises(TypeError, match="unhashable"):
        hash(b)


def test_an_element_is_seen_by_waiting_operations(a):
    total = a * 2
    b = a[0]
    b += 1
    again = a * 2
    assert (total.get()[0], again.get()[0]) == (2, 4)


def test_elements_of_other_arrays_are_values(device):
    plain = gpuarray.arange(3, dtype="float32")
    b = plain[0]
    b += 5
    assert plain.get().tolist() == [0, 1, 2] and b.item() == 5


def test_kernels_write_to_an_element(a):
    ElementwiseKernel("float *x", "x[i] = 9", "nine")(a[2])
    assert a.get().tolist() == [1, 2, 9, 4, 5, 6]


def test_instances_leave_nothing(a):
    kind = sys.getrefcount(type(a))
    made = [a + k for k in range(100)]
    watched = weakref.ref(made[0])
    del made
    assert watched() is None
    assert sys.getrefcount(type(a)) <= kind + 1


def test_the_text_names_the_class(a):
    assert repr(a).startswith("GPUArray([1., 2.")
    assert f"{type(a).__module__}.{type(a).__qualname__}" == "gpuarray.pycuda.gpuarray.GPUArray"


def test_the_class_is_final(device):
    for base in (gpuarray.GPUArray, ga.GPUArray):
        with pytest.raises(TypeError, match="not an acceptable base type"):
            type("Sub", (base,), {})
