# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""NumPy's names for the warnings of arithmetic, of which there are none here."""

import contextlib
from typing import Any

import numpy as np

__all__ = ["errstate", "geterr", "seterr"]


class errstate(contextlib.ContextDecorator):  # noqa: N801, NumPy's name
    """Accept the modes of numpy.errstate, and change nothing: arithmetic here gives no warnings.

    A context manager and a decorator. Division by zero, overflow and invalid values give inf, NaN
    or, for integers, 0 in every mode; "raise" raises nothing. The modes are checked as NumPy does:
    ValueError for an unknown one, TypeError for a `call` that cannot be called.
    """

    def __init__(
        self,
        *,
        call: Any = None,
        all: Any = None,
        divide: Any = None,
        over: Any = None,
        under: Any = None,
        invalid: Any = None,
    ) -> None:
        self._modes = {"all": all, "divide": divide, "over": over, "under": under}
        self._modes |= {"invalid": invalid, "call": call}

    def __enter__(self) -> None:
        """Check the modes."""
        _check(**self._modes)

    def __exit__(self, *error: Any) -> None:
        """Change nothing."""


def geterr() -> dict[str, str]:
    """Return how floating-point errors are treated: "ignore" for each kind, whatever was set."""
    return dict.fromkeys(("divide", "over", "under", "invalid"), "ignore")


def seterr(
    all: Any = None, divide: Any = None, over: Any = None, under: Any = None, invalid: Any = None
) -> dict[str, str]:
    """Check the modes as numpy.seterr does, change nothing and return geterr()."""
    _check(all=all, divide=divide, over=over, under=under, invalid=invalid)
    return geterr()


def _check(**modes: Any) -> None:
    with np.errstate(**modes):
        pass
