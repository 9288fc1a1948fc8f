# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""GPUARRAY_FUSION_LOG says of each group what it had, cost and saved, and why it ended."""

import re
import textwrap

import pytest
from _support.process import inherited_driver, run_python

GROUP = re.compile(
    r"gpuarray: window (?P<number>\d+) on (?P<device>\S+) of \((?P<shape>[\d, ]*)\): "
    r"(?P<operations>\d+) operations, (?P<unneeded>\d+) unneeded, (?P<temporary>\d+) not stored "
    r"\((?P<names>[\w ]*)\), (?P<way>one pass|one by one); (?P<alone>[\d.]+) us alone, "
    r"(?P<together>[\d.]+) us together, (?P<bytes>\d+) bytes not moved; ended by (?P<reason>\w+)"
)
REDUCTION = re.compile(
    r"gpuarray: (?P<name>\w+) on \S+ of \([\d, ]*\) computes (?P<operations>\d+) operations that "
    r"wait \((?P<names>[\w ]*)\); (?P<alone>[\d.]+) us alone, (?P<together>[\d.]+) us together, "
    r"(?P<bytes>\d+) bytes not moved"
)
WORDS = ("device", "shape", "names", "way", "reason", "name")

SET_UP = """
import os, sys, threading, time
os.dup2(1, 2)  # the log is what the script prints
import gpuarray
from gpuarray import _core
device, mode = {device!r}, {mode!r}
on = gpuarray.device(device)
on.__enter__()
gpuarray.fusion("off")
n, m = {shape}
a, b = (gpuarray.full((n, m), x, dtype="float32") for x in (2.0, 3.0))
if not {device!r}.startswith("cpu"):
    _core._finish_compilations()
gpuarray.synchronize()
gpuarray.fusion(mode)
before = gpuarray.fusion_stats()

def chain(a, b):
    return ((a * b + a) * b - a) / b

"""
COUNTED = """
after = gpuarray.fusion_stats()
print("counted", *(x - y for x, y in zip(after, before)), flush=True)
"""


def parsed(found: re.Match) -> dict:
    return {
        key: value if key in WORDS else float(value) if "." in value else int(value)
        for key, value in found.groupdict().items()
    }


def logged(device, code, *, mode="always", shape=(300, 401)):
    """Run the code; return its groups, its reductions, and what fusion_stats() counted."""
    script = SET_UP.format(device=str(device), mode=mode, shape=shape)
    script += textwrap.dedent(code) + COUNTED
    printed = run_python(script, **inherited_driver(), GPUARRAY_FUSION_LOG="1")
    lines = [line for line in printed.splitlines() if line.startswith("gpuarray: ")]
    groups = [parsed(found) for line in lines if (found := GROUP.fullmatch(line))]
    reductions = [parsed(found) for line in lines if (found := REDUCTION.fullmatch(line))]
    assert len(groups) + len(reductions) == len(lines), printed
    (counted,) = (line for line in printed.splitlines() if line.startswith("counted "))
    return groups, reductions, tuple(map(int, counted.split()[1:]))


DOORS = {
    "read": "chain(a, b).get()",
    "access": "a.ptr; x = b * b; y = a + a",
    "needed": """
        x = b * b
        thread = threading.Thread(target=lambda: (x + b).get())
        thread.start(); thread.join()
    """,
    "wait": "x = a * b; gpuarray.synchronize()",
    "thread": """
        kept = []
        thread = threading.Thread(target=lambda: kept.append(a * b))
        thread.start(); thread.join()
        for _ in range(50):  # Python has joined the thread before the system ends it
            a.get(); time.sleep(0.01)
    """,
    "shape": "x = a * b; y = a[1:] * 2",
    "conflict": "x = a[:-1] * 2; a[1:] += 1",
    "full": """
        x = a
        for _ in range(300):
            x = x + b
    """,
    "memory": """
        large = [gpuarray.ones((4, 1 << 20), "float32") for _ in range(8)]
        gpuarray.synchronize()
        wide = []
        while large:
            wide.append(large.pop().astype("float64"))
    """,
}


@pytest.mark.parametrize("reason", DOORS)
def test_the_reason_that_a_group_ended(device, reason):
    groups, _, _ = logged(device, DOORS[reason])
    assert reason in [group["reason"] for group in groups]
    # What else the program leaves waiting is seen by the last call.
    assert {group["reason"] for group in groups} <= {reason, "wait", "read"}


def test_another_stream_ends_a_group(device):
    """Each device has a stream, and `with stream:` is a call that may see results."""
    if str(device).startswith("cpu"):
        pytest.skip("there is one device")
    code = """
        c = gpuarray.ones(a.shape, "float32", device="cpu")
        gpuarray.synchronize("cpu")
        x = a * b
        y = c * 2
    """
    groups, _, _ = logged(device, code)
    assert "stream" in [group["reason"] for group in groups]


def test_a_reduction_without_a_kernel_ends_a_group(device):
    groups, _, _ = logged(device, "x = (a * b).sum()")
    assert groups[0]["reason"] == ("read" if str(device).startswith("cpu") else "reduction")


LEARNED = """
for _ in range(6):
    x = chain(a, b)
    gpuarray.synchronize()
    _core._finish_compilations()
"""


def test_a_learned_group_ends_where_it_is_predicted_to(device):
    groups, _, _ = logged(device, LEARNED, mode="auto")
    assert groups
    assert {group["reason"] for group in groups} == {"predicted"}


def test_another_operation_than_was_learned_ends_a_group(device):
    code = LEARNED + "x = (a * b + a) * b; y = gpuarray.sqrt(x)"
    groups, _, _ = logged(device, code, mode="auto")
    assert groups[-1]["reason"] == "unplanned"


def test_the_numbers_of_a_group_add_up(device):
    code = """
        for _ in range(4):
            x = chain(a, b)
            unneeded = x * 2
            del unneeded
            kept = x + 1, x - 1
            gpuarray.synchronize()
            _core._finish_compilations()
    """
    groups, _, counted = logged(device, code, shape=(1000, 1001))
    totals = [
        sum(group[key] for group in groups) for key in ("operations", "unneeded", "temporary")
    ]
    assert (len(groups), *totals) == counted[:4]
    for group in groups:
        names = group["names"].split()
        assert len(names) == group["operations"] - group["unneeded"] == 7
        assert group["shape"] == "1000, 1001"
        assert group["alone"] > 0
        assert group["together"] > 0
    # Alone seven operations move 19 arrays, together they read two and store three.
    last = groups[-1]
    assert last["way"] == "one pass"
    assert last["bytes"] == (5 * 3 + 2 * 2 - 5) * 1000 * 1001 * 4
    assert last["alone"] > last["together"]


def test_operations_that_run_one_by_one_save_nothing(device):
    groups, _, _ = logged(device, "x = chain(a, b); gpuarray.synchronize()")
    (group,) = groups
    if not str(device).startswith("cpu"):
        assert group["way"] == "one by one"
    if group["way"] == "one by one":
        assert group["together"] == group["alone"]
        assert group["bytes"] == 0


def test_operands_that_broadcast_move_no_bytes(device):
    code = """
        for _ in range(4):
            x = (a * b[0] + 1) * b[:, :1]
            gpuarray.synchronize()
            _core._finish_compilations()
    """
    groups, _, _ = logged(device, code)
    assert groups[-1]["bytes"] == (3 * 2 - 2) * 300 * 401 * 4


def test_a_group_that_nothing_needs_costs_nothing(device):
    groups, _, _ = logged(device, "a * b + a; gpuarray.synchronize()")
    assert [group["names"] for group in groups] == [""]
    assert groups[0]["alone"] == groups[0]["together"] == groups[0]["bytes"] == 0


def test_a_reduction_says_what_it_computes(device):
    code = """
        for _ in range(6):
            x = (a * b + a).sum()
            gpuarray.synchronize()
            _core._finish_compilations()
    """
    _, reductions, counted = logged(device, code, shape=(300, 1024))
    assert len(reductions) == counted[4]
    if not str(device).startswith("cpu"):
        assert reductions
    for reduction in reductions:
        assert (reduction["name"], reduction["operations"]) == ("sum", 2)
        # The product and the sum are neither stored nor read, once and twice.
        assert reduction["bytes"] == 5 * 300 * 1024 * 4
