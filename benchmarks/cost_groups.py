# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The groups of operations that cost.py measures."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

ITEMSIZE = 4  # float32
COUNTS = [2, 3, 4, 6, 8, 12]
SIZES = [1 << k for k in (8, 10, 12, 14, 15, 16, 17, 18, 20, 22, 23)]

# The functions of each kind, in turns. Each keeps its values within range.
FUNCTIONS: dict[str, list[Callable[[Any, Any, Any, Any], Any]]] = {
    "simple": [lambda xp, x, a, b: x * b, lambda xp, x, a, b: x + b],
    "division": [lambda xp, x, a, b: b / x, lambda xp, x, a, b: xp.sqrt(x)],
    "function": [lambda xp, x, a, b: xp.exp(x), lambda xp, x, a, b: xp.log(x)],
    "mixed": [
        lambda xp, x, a, b: x * b,
        lambda xp, x, a, b: xp.maximum(x, a),
        lambda xp, x, a, b: xp.tanh(x),
        lambda xp, x, a, b: x - b,
    ],
}
# For each function: its kind, and how many of x, a and b it reads.
READS = {
    "simple": [("simple", 1, 0, 1)] * 2,
    "division": [("division", 1, 0, 1), ("division", 1, 0, 0)],
    "function": [("function", 1, 0, 0)] * 2,
    "mixed": [
        ("simple", 1, 0, 1),
        ("simple", 1, 1, 0),
        ("function", 1, 0, 0),
        ("simple", 1, 0, 1),
    ],
}
# The length of rows of an operand that has some.
OPERANDS = {"whole": 0, "row": 256, "column": 256, "number": 0, "view 16": 16, "view 256": 256}


@dataclass(frozen=True)
class Step:
    """An operation: its kind, the bytes that it moves for an element by itself and in one pass,
    which finds in the cache what an earlier one read, and whether it reads memory by rows."""

    kind: str
    bytes_alone: int
    bytes_together: int
    by_rows: bool


@dataclass(frozen=True)
class Group:
    """Operations in a row, the first of which reads a and b."""

    kind: str
    count: int
    size: int
    several: bool = False  # whether every second result is kept, too
    operand: str = "whole"  # what b is; a has its layout if that is a view

    def arrays(self, gpuarray: Any, device: str) -> list[Any]:
        rng = np.random.default_rng(2026)
        width = OPERANDS[self.operand]
        shape = (self.size // width, width) if width else (self.size,)
        wide = (*shape[:-1], shape[-1] + 1) if self.operand.startswith("view") else shape
        hosts = [rng.random(wide, "float32") + np.float32(0.5) for _ in "ab"]
        a, b = (gpuarray.to_device(host, device=device) for host in hosts)
        if wide != shape:
            a, b = a[:, :-1], b[:, 1:]
        places = {"row": np.s_[0], "column": np.s_[:, :1]}
        if self.operand in places:
            b = b[places[self.operand]].copy()
        return [a, 1.25 if self.operand == "number" else b]

    def run(self, gpuarray: Any, a: Any, b: Any) -> list[Any]:
        functions = FUNCTIONS[self.kind]
        x, kept = a, []
        for k in range(self.count):
            x = functions[k % len(functions)](gpuarray, x, a, b)
            if k == self.count - 1 or (self.several and k % 2 == 0):
                kept.append(x)
        return kept

    def steps(self) -> Iterator[Step]:
        is_view = self.operand.startswith("view")
        is_whole = self.operand == "whole" or is_view
        seen: set[str] = set()
        for k in range(self.count):
            kind, _, a, b = READS[self.kind][k % len(READS[self.kind])]
            reads = ({"a"} if a or k == 0 else set()) | ({"b"} if b and is_whole else set())
            kept = k == self.count - 1 or (self.several and k % 2 == 0)
            alone = 2 + a + (b and is_whole)  # with x and the result
            by_rows = (bool(b) and OPERANDS[self.operand] > 0) or (is_view and "a" in reads)
            yield Step(kind, alone * ITEMSIZE, (len(reads - seen) + kept) * ITEMSIZE, by_rows)
            seen |= reads

    def title(self) -> str:
        kept = "several" if self.several else "one"
        exponent = self.size.bit_length() - 1
        return f"{self.kind:<9}{self.count:>3} {kept:<8}{self.operand:<9} 2^{exponent:<3}"


def groups(device: str) -> list[Group]:
    """Return what is measured, in an order in which any begin has something of everything."""
    found = [Group("simple", n, size) for n in COUNTS for size in SIZES]
    found += [Group(kind, 4, size) for kind in ("division", "function", "mixed") for size in SIZES]
    found += [
        Group(kind, n, size)
        for kind in ("division", "function", "mixed")
        for n in (2, 12)
        for size in SIZES
    ]
    found += [Group("simple", n, size, several=True) for n in (4, 12) for size in SIZES]
    found += [Group("mixed", 8, size, several=True) for size in SIZES]
    found += [
        Group(kind, 4, size, operand=operand)
        for kind in ("simple", "mixed")
        for operand in OPERANDS
        if operand != "whole"
        for size in SIZES[1:]
    ]
    return found if device == "cpu" else found[::2] + found[1::2]
