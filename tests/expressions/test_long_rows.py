# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Expressions over long rows that are not aligned, as slices have them."""

import numpy as np
import pytest
from _support.window_programs import fusion

import gpuarray


def stencil(here, below, above, right, left, row, column):
    return (here * row + below - above) * 0.5 + right - left * column


def slices(u):
    return u[1:-1, 1:-1], u[2:, 1:-1], u[:-2, 1:-1], u[1:-1, 2:], u[1:-1, :-2]


def skipping(u):
    return u[1:-1, 1:-1:2], u[2:, -2:0:-2], u[:-2, 1:-1:2], u[1:-1, 2::2], u[1:-1, :-2:2]


@pytest.mark.parametrize("columns", [1023, 1024, 1025, 2051, 3000])
@pytest.mark.parametrize("operands", [slices, skipping])
def test_rows_of_slices(device, columns, operands):
    random = np.random.default_rng(columns)
    width = columns if operands is slices else 2 * columns
    hosts = [random.random(shape, dtype="f4") for shape in ((5, width + 2), (columns,), (3, 1))]
    expected = stencil(*operands(hosts[0]), *hosts[1:])
    u, *others = (gpuarray.to_device(host) for host in hosts)
    got = gpuarray.fuse(stencil)(*operands(u), *others)
    np.testing.assert_array_equal(got.get(), expected)
    with fusion("compiled"):
        np.testing.assert_array_equal(stencil(*operands(u), *others).get(), expected)


def test_slices_are_written_in_place(device):
    host = np.random.default_rng(0).random((2, 4, 1501), dtype="f4")
    u = gpuarray.to_device(host)
    with fusion("compiled"):
        u[:, 1:-1, 1:-2] += u[:, 1:-1, 1:-2] * 0.5 - 1
    host[:, 1:-1, 1:-2] += host[:, 1:-1, 1:-2] * np.float32(0.5) - 1
    np.testing.assert_array_equal(u.get(), host)
