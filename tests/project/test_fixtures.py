# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The test suite's own promises."""

from pathlib import Path

from _support.process import run_python
from _support.tables import BINARY, IN_PLACE, OPERATIONS, SYMBOLS, UNARY

import gpuarray

NO_DRIVER = {"GPUARRAY_LIBCUDA": "/nowhere/libcuda.so.1"}


def collect(**environment):
    """The exit status of pytest and what it says, for one small file without a driver."""
    file = Path(__file__).resolve()
    folder = file.parents[2] / "tests"
    return run_python(
        f"""
        import pytest
        args = ["--collect-only", "-q", "-p", "no:cacheprovider", "--import-mode=importlib"]
        args += ["-o", "pythonpath={folder}", "--rootdir={folder}", "-c", "/dev/null"]
        print("status", int(pytest.main([*args, "{file}"])))
        """,
        **NO_DRIVER,
        **environment,
    )


def test_a_required_cuda_device_that_is_missing_fails_the_run():
    assert "status 4" in collect(GPUARRAY_REQUIRE_CUDA="1")
    assert "status 0" in collect(GPUARRAY_REQUIRE_CUDA="0")


def test_every_operation_is_tested():
    """Each row is unary, binary, or one of the two that have tests of their own."""
    others = {op.name for op in OPERATIONS} - {op.name for op in [*UNARY, *BINARY]}
    assert others == {"where", "clip"}
    assert set(SYMBOLS) <= {op.name for op in OPERATIONS}
    assert set(IN_PLACE) <= set(SYMBOLS)


def test_every_slot_has_its_operator():
    """A row with a Python slot must be in the table of operators that the tests go through."""
    slots = {name for name, _, slot, *_ in gpuarray._core.op_table() if slot != "none"}
    assert slots == set(SYMBOLS)


def test_every_reduction_is_tested():
    names = {name for name, *_ in gpuarray._core.reduction_table()}
    assert names == {"sum", "prod", "max", "min", "any", "all", "argmax", "argmin"} | {
        "mean",
        "var",
        "std",
    }
