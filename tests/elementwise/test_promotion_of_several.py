# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Functions of three arrays promote all dtypes at once, and joining casts by NumPy's rules."""

import itertools

import numpy as np
import pytest
from _support.compare import assert_same
from _support.dtypes import DTYPES

import gpuarray

NUMPY_DTYPES = [dtype for dtype in DTYPES if dtype.name != "bfloat16"]
TRIPLES = [t for t in itertools.product(NUMPY_DTYPES, repeat=3) if len(set(t)) == 3]
# Three dtypes whose pairs promote higher than all of them do, in any order.
HARD = [
    ("uint16", "int16", "float32"),
    ("int8", "uint8", "float16"),
    ("int8", "uint16", "complex64"),
    ("bool", "uint16", "int16", "float16"),
    ("uint64", "int64", "float32"),
    ("uint32", "int32", "int64"),
]
ORDERS = [order for dtypes in HARD for order in itertools.permutations(dtypes)]

JOINS = {
    "concatenate": lambda xp, arrays: xp.concatenate(arrays),
    "stack": lambda xp, arrays: xp.stack(arrays),
    "hstack": lambda xp, arrays: xp.hstack(arrays),
    "vstack": lambda xp, arrays: xp.vstack(arrays),
    "dstack": lambda xp, arrays: xp.dstack(arrays),
    "column_stack": lambda xp, arrays: xp.column_stack(arrays),
    "block": lambda xp, arrays: xp.block(arrays),
    "clip": lambda xp, arrays: xp.clip(*arrays[-3:]),
    "choose": lambda xp, arrays: xp.choose(numbers(xp), arrays),
    "select": lambda xp, arrays: xp.select([numbers(xp) > 0] * len(arrays), arrays),
    "einsum": lambda xp, arrays: xp.einsum(",".join("i" * len(arrays)) + "->i", *arrays),
    "result_type": lambda xp, arrays: xp.ones(2, xp.result_type(*arrays)),
}


def numbers(xp):
    return np.array([0, 1]) if xp is np else gpuarray.to_device([0, 1])


@pytest.mark.parametrize("join", JOINS.values(), ids=JOINS)
def test_all_dtypes_at_once(device, join):
    for dtypes in ORDERS:
        hosts = [np.array([1, 2]).astype(dtype) for dtype in dtypes]
        expected = join(np, hosts)
        assert_same(join(gpuarray, [gpuarray.to_device(host) for host in hosts]), expected)


def test_concatenate_promotes_all_triples(device):
    arrays = {dtype: gpuarray.ones(1, dtype) for dtype in NUMPY_DTYPES}
    for triple in TRIPLES:
        got = gpuarray.concatenate([arrays[dtype] for dtype in triple])
        assert got.dtype == np.result_type(*triple), triple


@pytest.mark.parametrize("others", [("int8", "uint8"), ("int16", "uint8"), ("bool", "int8")])
def test_bfloat16_among_several(device, others):
    expected = "float32" if "int16" in others else "bfloat16"
    for order in itertools.permutations([*others, "bfloat16"]):
        arrays = [gpuarray.ones(1, dtype) for dtype in order]
        assert gpuarray.concatenate(arrays).dtype.name == expected
        assert gpuarray.choose(gpuarray.zeros(1, int), arrays).dtype.name == expected
        assert gpuarray.clip(*arrays).dtype.name == expected


CASTINGS = ["no", "equiv", "safe", "same_kind", "unsafe"]
STACKS = ["concatenate", "stack", "hstack", "vstack"]


@pytest.mark.parametrize("casting", CASTINGS)
@pytest.mark.parametrize("name", STACKS)
def test_casting_of_joins(device, name, casting):
    hosts = [np.ones(2, "int32"), np.array([1.5, 2.5], "float32")]
    arrays = [gpuarray.to_device(host) for host in hosts]
    ways = [{"dtype": dtype} for dtype in (None, *NUMPY_DTYPES)]
    if name in ("concatenate", "stack"):
        ways += [{"out": dtype} for dtype in NUMPY_DTYPES]
    for options in ways:
        check_join(name, hosts, arrays, {**options, "casting": casting})
    check_join(name, hosts[:1] * 2, arrays[:1] * 2, {"casting": casting})


def check_join(name, hosts, arrays, options):
    def into(xp):
        if "out" not in options:
            return options
        return {**options, "out": xp.zeros(getattr(np, name)(hosts).shape, options["out"])}

    try:
        expected = getattr(np, name)(hosts, **into(np))
    except TypeError:
        with pytest.raises(TypeError, match="according to the rule"):
            getattr(gpuarray, name)(arrays, **into(gpuarray))
    else:
        assert_same(getattr(gpuarray, name)(arrays, **into(gpuarray)), expected)


@pytest.mark.parametrize("name", STACKS)
def test_unknown_casting(device, name):
    arrays = [gpuarray.ones(2), gpuarray.ones(2, "float32")]
    with pytest.raises(ValueError, match="casting must be one of"):
        getattr(gpuarray, name)(arrays, casting="any")


def test_choose_refuses_what_are_no_integers(device):
    for dtype in ("float32", "uint64", "complex64"):
        with pytest.raises(TypeError, match="choose"):
            gpuarray.choose(gpuarray.ones(2, dtype), [1, 2])


def test_choose_takes_scalars_and_lists(device):
    index, host = np.array([0, 1]), np.array([1, 2], "float32")
    x, a = gpuarray.to_device(index), gpuarray.to_device(host)
    for choices in ([1.5, 2], [1, True], [[1, 2], [3, 4]]):
        assert_same(gpuarray.choose(x, choices), np.choose(index, choices))
        assert_same(gpuarray.choose(x, [a, *choices]), np.choose(index, [host, *choices]))
    bytes_ = np.ones(2, "uint8")
    wrapped = np.choose(index, [bytes_, 300])
    assert_same(gpuarray.choose(x, [gpuarray.to_device(bytes_), 300]), wrapped)
    with pytest.raises(TypeError, match="to_device"):
        gpuarray.choose(x, [host, host])
