# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Error messages for names that do not exist, with similar names."""

from collections.abc import Iterable
from difflib import get_close_matches

SHOWN = 10


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a question that names the known names closest to `name`, or ""."""
    close = get_close_matches(name, sorted(known), 3)
    return f"; did you mean {' or '.join(map(repr, close))}?" if close else ""


def unknown_name(what: str, name: str, known: Iterable[str] | None = None) -> str:
    """Return a message that the module has no `what` of this name, with names that may be meant."""
    text = f"the module has no {what} {name!r}"
    if known is None:
        return text
    names = sorted(known)
    if close := did_you_mean(name, names):
        return text + close
    shown = ", ".join(map(repr, names[:SHOWN])) + (", ..." if len(names) > SHOWN else "")
    return f"{text}; it has {shown or 'none'}"
