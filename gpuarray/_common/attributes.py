# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The error for an attribute that a module of the package has not."""

__all__ = ["unknown_attribute"]


def unknown_attribute(module: str, name: str) -> AttributeError:
    """Return the error, which says what to write instead; names with an underscore get no more."""
    if name.startswith("_"):
        return AttributeError(f"module {module!r} has no attribute {name!r}")
    from gpuarray._common import directions

    # Without the name, tracebacks add no guess of their own.
    return AttributeError(directions.of_module(name, module), name=None)
