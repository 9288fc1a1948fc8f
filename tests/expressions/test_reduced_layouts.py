# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Reductions that compute what waits, of operands of any layout and dtype."""

import itertools

import numpy as np
import pytest
from _support.window_programs import check, values

import gpuarray


@pytest.mark.parametrize("shape", [(6, 1), (103,), (1, 103), (1, 1), ()])
def test_operands_that_broadcast(device, shape):
    check(lambda x, y: (x - y).sum(-1), values((6, 103)), values(shape, "float64"), device=device)


@pytest.mark.parametrize(
    ("view", "reductions"),
    [
        (lambda y: y[1:], 1),
        (lambda y: y[1:, :1], 1),
        (lambda y: y[::-1][1:], 1),
        (lambda y: y[:1], 1),
        (lambda y: y[1:, ::-1], 0),
        (lambda y: gpuarray.broadcast_to(y[1:, :1], (6, 64)), 1),
        (lambda y: gpuarray.ascontiguousarray(y[1:].T).T, 0),
    ],
)
def test_views(device, view, reductions):
    check(
        lambda x, y: (x * view(y)).max(-1),
        values((6, 64)),
        values((7, 64), "int32"),
        device=device,
        reductions=reductions,
    )


def test_operands_that_broadcast_over_several_axes(device):
    for whole, shape, axis, count in [
        ((4, 6, 50), (4, 1, 1), -1, 1),
        ((4, 6, 50), (4, 1, 1), (1, 2), 1),
        ((4, 6, 50), (4, 6, 1), 2, 1),
        ((4, 6, 50), (6, 50), (1, 2), 1),
        ((4, 6, 50), (6, 50), 2, 1),
        ((4, 6, 50), (50,), 2, 1),
        ((4, 6, 50), (1, 6, 1), 2, 1),
        ((4, 6, 50), (4, 6, 1), None, 0),
        ((50, 6, 8), (50, 1, 1), 0, 1),
        ((50, 6, 8), (6, 8), 0, 1),
        ((50, 6, 8), (1, 8), 0, 0),
        ((50, 6, 8), (8,), (0, 1), 1),
        ((50, 6, 8), (50, 6, 1), (0, 1), 1),
        ((50, 6, 8), (), (0, 1), 1),
    ]:
        hosts = values(whole), values(shape, "int32")
        check(lambda x, y, k=axis: (x - y).mean(k), *hosts, device=device, reductions=count)


@pytest.mark.parametrize("name", ["any", "all", "sum", "argmax", "argmin"])
@pytest.mark.parametrize(
    "dtypes",
    [
        ("float32", "float32"),
        ("float64", "int8"),
        ("complex64", "bool"),
        ("complex128", "complex128"),
        ("uint8", "bool"),
    ],
)
def test_rows_of_comparisons(device, name, dtypes):
    """What is reduced is narrower than the operands, by which the loads are cut."""
    for first, differs, length in ((0, 0, 5000), (1, 4711, 4999), (3, 17, 1040), (6, 1200, 1203)):
        hosts = [np.ones((2, 5010), dtype) for dtype in dtypes]
        hosts[0][:, first + differs] = 0

        def program(x, y, first=first, length=length):
            x, y = x[:, first : first + length], y[:, first : first + length]
            return getattr(x == y, name)(-1), getattr(x[1] != y[1], name)()

        check(program, *hosts, device=device, reductions=2)


@pytest.mark.parametrize("other", ["int8", "float16", "float64"])
def test_columns_of_operands_at_any_address(device, other):
    for k, j in itertools.product((0, 1, 4), (0, 3)):
        hosts = values((33, 24 + k)), values((34, 24 + j), other)
        check(lambda x, y, k=k, j=j: (x[:, k:] * y[1:, j:]).sum(0), *hosts, device=device)


@pytest.mark.parametrize("name", ["sum", "any", "max"])
def test_results_of_strides_that_do_not_merge(device, name):
    def program(x, y, out):
        getattr(x - y, name)(-1, out=out[1:, ::2])
        return out

    dtype = "bool" if name == "any" else "float32"
    hosts = values((4, 6, 50)), values((4, 6, 50), seed=1), values((5, 12), dtype)
    check(program, *hosts, device=device, reductions=0)
