# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Error messages for names that do not exist, with similar names."""

from collections.abc import Iterable

from gpuarray._common.suggestions import did_you_mean

SHOWN = 10


def unknown_name(what: str, name: str, known: Iterable[str] | None = None) -> str:
    """Return a message that the module has no `what` of this name, with names that may be meant."""
    text = f"the module has no {what} {name!r}"
    if known is None:
        return text
    names = sorted(known)
    if question := did_you_mean(name, names):
        return text + question
    shown = ", ".join(map(repr, names[:SHOWN])) + (", ..." if len(names) > SHOWN else "")
    return f"{text}; it has {shown or 'none'}"
