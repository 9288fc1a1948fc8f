# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Subscripts of einsum, beside NumPy."""

import numpy as np
from fuzzing.choices import Choices
from fuzzing.outcomes import check_both, outcome

import gpuarray

OPTIMIZE = [False, "greedy", True, ["einsum_path", (0, 1)], "optimal", ["einsum_path", (0, 5)]]


def operand(choices):
    extents = tuple(choices.several(4, lambda: choices.number(0, 3)))
    return np.arange(np.prod(extents, dtype=int)).astype("int64").reshape(extents) % 5


def labels(choices):
    return choices.several(4, lambda: choices.choice([0, 1, 2, ..., 51, 52, -1, 2**40]))


def run(data):
    choices = Choices(data)
    hosts = choices.several(3, lambda: operand(choices))
    arrays = [gpuarray.to_device(host) for host in hosts]
    if choices.byte() < 200:
        # To NumPy a null character is the end.
        text = choices.text("ij,.->k aB", 24).replace("\0", "i")
        given, expected = [text, *arrays], [text, *hosts]
    else:
        lists = [labels(choices) for _ in hosts]
        given = [item for pair in zip(arrays, lists, strict=True) for item in pair]
        expected = [item for pair in zip(hosts, lists, strict=True) for item in pair]
    optimize = choices.choice(OPTIMIZE)
    # NumPy goes from the left to the right, whatever order is asked for here.
    found = outcome(np.einsum, *expected)
    got = outcome(gpuarray.einsum, *given, optimize=optimize)
    if isinstance(optimize, list) and got[1] is not None:
        return  # a path that does not fit the operands
    check_both(got, found, (expected, optimize))
