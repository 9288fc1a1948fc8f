# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The groups that programs run as: without a card they show an operation that joins no more."""

import os

import pytest
from _support.modules import load


def by_program(text):
    return dict(part.split("\n", 1) if "\n" in part else (part, "") for part in text.split("\n\n"))


def test_programs_run_as_the_groups_that_are_stored(device):
    """`tools/log_groups.py --write` stores others, for a reader to compare."""
    tool = load("tools/log_groups.py")
    name = "cpu" if device == "cpu" else "stub"
    if name == "stub" and "GPUARRAY_TEST_DRIVER" not in os.environ:
        pytest.skip("on the test driver alone")
    expected = by_program((tool.EXPECTED / f"{name}.txt").read_text())
    assert by_program(tool.groups(name, [])) == expected
