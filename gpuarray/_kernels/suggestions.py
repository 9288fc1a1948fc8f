# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Messages for names that do not exist."""

from collections.abc import Iterable
from difflib import get_close_matches

SHOWN = 10


def unknown_name(what: str, name: str, known: Iterable[str] | None = None) -> str:
    """That the module has no `what` of this name, and what was meant perhaps."""
    text = f"the module has no {what} {name!r}"
    if known is None:
        return text
    names = sorted(known)
    if close := get_close_matches(name, names, 3):
        return f"{text}; did you mean {' or '.join(map(repr, close))}?"
    shown = ", ".join(map(repr, names[:SHOWN])) + (", ..." if len(names) > SHOWN else "")
    return f"{text}; it has {shown or 'none'}"
