# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""How long the cpu device may take, in NumPy's time, and the reasons where it may take longer."""

from dataclasses import dataclass
from fnmatch import fnmatchcase

# What the project aims at, by elements. Timings of a shared machine are checked against CHECKED.
BOUNDS = {16: 1.5, 10**5: 1.0, 10**7: 1.0}
CHECKED = 1.5


@dataclass(frozen=True)
class Reason:
    pattern: str  # of names of rows, as fnmatch reads it
    bound: float  # the largest ratio that the reason explains
    text: str  # a sentence of the documentation
    sizes: tuple[int, ...] = tuple(BOUNDS)


REASONS: tuple[Reason, ...] = ()


def reason_of(name: str, size: int) -> Reason | None:
    """Return the reason why this row may be slower than NumPy; None if there is none."""
    found = (r for r in REASONS if size in r.sizes and fnmatchcase(name, r.pattern))
    return next(found, None)


def limit(name: str, size: int, least: float) -> float:
    """Return the ratio that the row must not exceed, where `least` is that without a reason."""
    reason = reason_of(name, size)
    return least if reason is None else max(least, reason.bound)
