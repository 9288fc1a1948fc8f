# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Programs whose reductions compute what waits, run with and without that."""

import numpy as np

import gpuarray
from _support.window_programs import bits


def values(shape, dtype="float32", seed=0):
    random = np.random.default_rng(seed)
    made = random.integers(-3, 4, shape).astype(dtype)
    if made.dtype.kind == "f":
        made += random.random(shape).astype(dtype)
    return made


def found(program, hosts, device, mode):
    """Return the bits of the arrays of a program, and how many reductions computed what waited."""
    arrays = [gpuarray.to_device(host, device=device) for host in hosts]
    with gpuarray.fusion(mode):
        before = gpuarray.fusion_stats()
        results = program(*arrays)
        after = gpuarray.fusion_stats()
        results = results if isinstance(results, tuple) else (results,)
        kept = [(a.shape, str(a.dtype), bits(a)) for a in (*results, *arrays)]
    return kept, after.reductions - before.reductions


def check(program, *hosts, device, reductions=1):
    """Run the program with fusion off and compiled, which computes that many by the way."""
    expected, _ = found(program, hosts, device, "off")
    got, count = found(program, hosts, device, "compiled")
    assert got == expected
    if gpuarray.Device(device).kind != "cpu":
        assert count == reductions
