# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Functions that are put together from operations, and functions of numbers, in fused functions."""

import numpy as np
import pytest
from _support.fused import array, check, same

import gpuarray
from gpuarray import _core

SCALAR_FUNCTIONS = [row[0] for row in _core.op_table() if row[1] == 1]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int16", "complex64"])
def test_functions_of_numbers(device, dtype):
    v = array(dtype)
    check(lambda v: gpuarray.sqrt(2) * v, v)
    check(lambda v: v + gpuarray.exp(1.5) - gpuarray.multiply(2, 3) / gpuarray.hypot(3, 4), v)
    check(lambda v: v * gpuarray.where(True, 2, 3) + gpuarray.clip(7, 0, 1.5), v)
    check(lambda v: gpuarray.power(2.0, 0.5) * v + gpuarray.power(2, 3), v)
    check(lambda v: v * gpuarray.sqrt(gpuarray.add(1, np.float32(2))), v)


@pytest.mark.parametrize("number", [2, 0.3, -1.5, True, np.float32(0.1), np.int8(3), 1 + 2j])
def test_every_function_of_a_number(device, number):
    v = array("float32")
    names = []
    for name in SCALAR_FUNCTIONS:
        try:
            getattr(_core, name)(number)
        except TypeError:
            continue
        names.append(name)
    for at in range(0, len(names), 12):
        check(sums(names[at : at + 12], number), v)


def sums(names, number):
    return lambda v: tuple(getattr(_core, name)(number) + v for name in names)


def test_functions_of_numbers_are_as_ever_outside(device):
    fused = gpuarray.fuse(lambda v: gpuarray.sqrt(2) * v)
    fused(array("float32"))
    assert gpuarray.sqrt(4).item() == 2
    with pytest.raises(gpuarray.FusionError):
        gpuarray.fuse(lambda v: v if v > 0 else -v)(array("float32"))
    assert isinstance(gpuarray.sqrt(4), gpuarray.GPUArray)


def test_numbers_that_leave_are_computed(device):
    v = array("float32")
    same(gpuarray.fuse(lambda v: float(gpuarray.sqrt(2)) * v)(v), float(np.sqrt(2)) * v)
    same(gpuarray.fuse(lambda v: gpuarray.sqrt(2).item() * v)(v), float(np.sqrt(2)) * v)
    with pytest.raises(ValueError, match="negative integer powers"):
        gpuarray.fuse(lambda v: gpuarray.power(2, -1) * v)(v)


def test_functions_of_numbers_in_vectorize(device):
    v = array("float32")
    made = gpuarray.vectorize(lambda x: gpuarray.sqrt(2) * gpuarray.real(x))(v)
    same(made, gpuarray.sqrt(2) * v)


COMPOSED = {
    "abs": lambda v: gpuarray.abs(v),
    "angle": lambda v: gpuarray.angle(v),
    "angle in degrees": lambda v: gpuarray.angle(v, deg=True),
    "astype": lambda v: gpuarray.astype(v, "complex128"),
    "conj": lambda v: gpuarray.conj(v),
    "copy": lambda v: gpuarray.copy(v) + 1,
    "float_power": lambda v: gpuarray.float_power(v, 2),
    "imag": lambda v: gpuarray.imag(v) + v,
    "isclose": lambda v: gpuarray.isclose(v, v + 1e-9),
    "isclose to a number": lambda v: gpuarray.isclose(v, 1),
    "real": lambda v: gpuarray.real(v) + v,
    "sinc": lambda v: gpuarray.sinc(v),
}
OF_REAL_NUMBERS = {
    "fix": lambda v: gpuarray.fix(v),
    "isneginf": lambda v: gpuarray.isneginf(v),
    "isposinf": lambda v: gpuarray.isposinf(v),
    "nan_to_num": lambda v: gpuarray.nan_to_num(v / 0),
    "nan_to_num with numbers": lambda v: gpuarray.nan_to_num(v / 0, nan=1, posinf=2, neginf=3),
    "round": lambda v: gpuarray.round(v, 1),
}
ONE_BY_ONE = {
    "concatenate": lambda v: gpuarray.concatenate([v, v]) + 1,
    "full_like": lambda v: v + gpuarray.full_like(v, 3),
    "iscomplex": lambda v: gpuarray.iscomplex(v) | gpuarray.isreal(v),
    "nan_to_num": lambda v: gpuarray.nan_to_num(v / 0),
    "piecewise": lambda v: gpuarray.piecewise(v, [v > 0, v < 0], [1, -1]),
    "polyval": lambda v: gpuarray.polyval([1, 2, 3], v),
    "round": lambda v: gpuarray.round(v, 1),
    "select": lambda v: gpuarray.select([v > 0, v < 0], [v, -v]),
    "stack": lambda v: gpuarray.stack([v, v + 1]),
    "zeros_like": lambda v: gpuarray.where(v > 0, v, gpuarray.zeros_like(v)),
}


@pytest.mark.parametrize("name", COMPOSED)
def test_composed_functions(device, name):
    for dtype in ("float32", "complex64", "int32"):
        check(COMPOSED[name], array(dtype))


@pytest.mark.parametrize("name", OF_REAL_NUMBERS)
def test_composed_functions_of_real_numbers(device, name):
    for dtype in ("float32", "float64"):
        check(OF_REAL_NUMBERS[name], array(dtype))


@pytest.mark.parametrize("name", ONE_BY_ONE)
def test_what_no_loop_can_do_is_done_one_by_one(device, name):
    for dtype in ("float32", "complex64"):
        v = array(dtype)
        same(gpuarray.fuse(ONE_BY_ONE[name])(v), ONE_BY_ONE[name](v))


def test_mistakes_are_those_of_the_operations(device):
    v = array("float32")
    for function in (
        lambda v: gpuarray.add(v, np.ones(3)),
        lambda v: gpuarray.add(v, ["one"]),
        lambda v: gpuarray.real(np.ones(3)),
        lambda v: v & v,
        lambda v: gpuarray.add(v),
    ):
        with pytest.raises(TypeError) as expected:
            function(v)
        with pytest.raises(TypeError) as found:
            gpuarray.fuse(function)(v)
        assert "Traced" not in str(found.value)
        if not isinstance(found.value, gpuarray.FusionError):
            assert str(found.value) == str(expected.value)


def test_lists_are_not_fused(device):
    v = array("float32")
    for function in (lambda v: gpuarray.add(v, [1]), lambda v: gpuarray.real([1])):
        function(v)
        with pytest.raises(
            gpuarray.FusionError, match=r"test_fuse_composed\.py: .*expected arrays"
        ):
            gpuarray.fuse(function)(v)


def test_shapes_of_the_callers_own_are_refused(device):
    with pytest.raises(gpuarray.FusionError, match=r"line \d+ of .*\.shape cannot be fused"):
        gpuarray.fuse(lambda v: v + v.shape[0])(array("float32"))
