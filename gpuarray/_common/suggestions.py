# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Names like one that does not exist, for error messages."""

from collections.abc import Iterable

__all__ = ["did_you_mean"]


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a question that names the known names closest to `name`, or ""."""
    from difflib import get_close_matches  # takes a millisecond

    close = get_close_matches(name, sorted(known), 3)
    return f"; did you mean {' or '.join(map(repr, close))}?" if close else ""
