# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The functions by which the array API standard lets libraries inspect a namespace."""

from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common import package
from gpuarray._common.dtype_table import is_half
from gpuarray._core import Device
from gpuarray._dtypes.dtype_functions import KINDS

__array_api_version__ = "2025.12"
VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")
_KINDS = ("bool", "numeric")


class __array_namespace_info__:  # noqa: N801
    """What this namespace offers, as the array API standard asks for it; see docs/array-api.md."""

    def capabilities(self) -> dict[str, Any]:
        """Return the optional features of the standard, all of which are supported."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> Device:
        """Return the device of new arrays."""
        return _core.default_device()

    def devices(self) -> list[Device]:
        """Return the devices there are."""
        return [*_core.devices()]

    def default_dtypes(self, *, device: Any = None) -> dict[str, np.dtype[Any]]:
        """Return the dtypes of new arrays for which none is given, the same on all devices."""
        Device(device)
        names = {
            "real floating": "float64",
            "complex floating": "complex128",
            "integral": "int64",
            "indexing": "int64",
        }
        return {kind: np.dtype(name) for kind, name in names.items()}

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, np.dtype[Any]]:
        """Return the standard's dtypes by name: all, or those of a kind or of a tuple of kinds.

        The kinds are those of `isdtype`; ValueError for others.
        """
        Device(device)
        kinds = _KINDS if kind is None else kind if isinstance(kind, tuple) else (kind,)
        unknown = [one for one in kinds if one not in KINDS]
        if unknown:
            raise ValueError(f"dtypes: expected kinds of {list(KINDS)}, got {unknown}")
        names = (name for one in kinds for name in KINDS[one] if not is_half(name))
        return {name: np.dtype(name) for name in names}


def array_namespace(api_version: Any) -> Any:
    """Return this package; ValueError for a version of the standard that it does not follow."""
    if api_version is not None and api_version not in VERSIONS:
        raise ValueError(f"api_version: expected one of {', '.join(VERSIONS)}, got {api_version!r}")
    return package.module
