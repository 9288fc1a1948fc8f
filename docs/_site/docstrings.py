# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""A Sphinx extension: docstrings are plain text with code between backticks, no markup."""

import re
from typing import Any

# Code between backticks, which may go on in the next line, stays as it is.
CODE = re.compile(r"(``.+?``|`[^`]+`)", re.DOTALL)
MARKUP = re.compile(r"[*|\\]|_(?!\w)")


def escaped(text: str) -> str:
    """Return the text without a character that reStructuredText would read as markup."""
    parts = CODE.split(text)
    parts[::2] = [MARKUP.sub(r"\\\g<0>", part) for part in parts[::2]]
    return "".join(parts)


def paragraphs(lines: list[str]) -> list[str]:
    """Return the lines with their text escaped; doctests and indented code stay."""
    blocks = re.split(r"(\n\s*\n)", "\n".join(lines))
    kept = [
        block if re.match(r"\s*>>> |    ", block) or not block.strip() else escaped(block)
        for block in blocks
    ]
    return "".join(kept).split("\n")


def process_docstring(
    app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]
) -> None:
    lines[:] = paragraphs(lines)


def process_signature(
    app: Any, what: str, name: str, obj: Any, options: Any, signature: str | None, result: Any
) -> tuple[str | None, Any]:
    """Show what a reader writes: `...` for Ellipsis, and no module before our own types."""
    if signature is not None:
        signature = signature.replace("=Ellipsis", "=...")
    return signature, result


def setup(app: Any) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", process_docstring)
    app.connect("autodoc-process-signature", process_signature)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
