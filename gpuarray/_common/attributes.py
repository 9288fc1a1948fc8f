# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Errors for attributes that modules of the package and arrays do not have."""

__all__ = ["array_attribute_error", "unknown_attribute"]


def unknown_attribute(module: str, name: str) -> AttributeError:
    """Return the error, which says what to write instead; names with an underscore get no more."""
    if name.startswith("_"):
        return AttributeError(f"module {module!r} has no attribute {name!r}")
    from gpuarray._common import directions

    # Without the name, tracebacks add no guess of their own.
    return AttributeError(directions.of_module(name, module), name=None)


def array_attribute_error(array_type: type, name: str, error: AttributeError) -> AttributeError:
    """Return the error for a missing public attribute of an array: it says what to write instead.

    Return `error` itself where a property raised it.
    """
    if hasattr(array_type, name):
        return error
    from gpuarray._common import directions

    return AttributeError(directions.of_array(name), name=None)
