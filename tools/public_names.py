# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The public names of the package: of its modules, and of the classes of gpuarray.

    python -P tools/public_names.py    # at a release: writes tests/project/public_names.txt

tests/project/test_public_names.py compares that list of the last release with the names that there
are; tools/generate_docs.py puts those that there are into docs/deprecation.md.
"""

import importlib
import pkgutil
import types
from pathlib import Path

import gpuarray

LIST = Path(__file__).resolve().parents[1] / "tests" / "project" / "public_names.txt"
# Modules that do something when they are imported, with what they have.
NOT_IMPORTED = {"gpuarray.pycuda.autoinit": ("context", "device")}


def modules() -> list[str]:
    """Return the names of the modules none of whose parts begins with an underscore."""
    found = [module.name for module in pkgutil.walk_packages(gpuarray.__path__, "gpuarray.")]
    return ["gpuarray", *sorted(name for name in found if "._" not in name)]


def names_of(name: str) -> tuple[str, ...] | None:
    """Return the public names of a module; None if it needs a package that is not installed."""
    if name in NOT_IMPORTED:
        return NOT_IMPORTED[name]
    try:
        module = importlib.import_module(name)
    except ImportError:
        return None
    listed = getattr(module, "__all__", None)
    if listed is not None:
        return tuple(sorted(listed))
    return tuple(found for found in members(module) if _is_own(getattr(module, found)))


def _is_own(value: object) -> bool:
    """Return False for what a module has only imported."""
    own = getattr(value, "__module__", "gpuarray") or "gpuarray"
    return not isinstance(value, types.ModuleType) and own.split(".")[0] in ("gpuarray", "numpy")


def _has_members_of_its_own(value: type, name: str) -> bool:
    """Return False for an exception, a tuple, a class of NumPy's and another name of a class."""
    return (
        value.__module__.startswith("gpuarray")
        and value.__name__ == name
        and not issubclass(value, (BaseException, tuple))
    )


def members(thing: object) -> tuple[str, ...]:
    return tuple(sorted(name for name in dir(thing) if not name.startswith("_")))


def public_names() -> dict[str, tuple[str, ...]]:
    """Return the names by module, and by class of gpuarray itself."""
    found = {name: names for name in modules() if (names := names_of(name)) is not None}
    for name in found["gpuarray"]:
        value = getattr(gpuarray, name)
        if isinstance(value, type) and _has_members_of_its_own(value, name):
            found[f"gpuarray.{name}"] = members(value)
    return {name: names for name, names in found.items() if names}


def lines() -> list[str]:
    """Return the names as docs/deprecation.md shows them."""
    return [f"- `{name}`: {', '.join(found)}" for name, found in public_names().items()]


def released() -> dict[str, tuple[str, ...]]:
    """Return the names of the last release."""
    rows = [line.split() for line in LIST.read_text().splitlines()]
    return {name.rstrip(":"): tuple(names) for name, *names in rows}


if __name__ == "__main__":
    LIST.write_text("".join(f"{k}: {' '.join(v)}\n" for k, v in public_names().items()))
