# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""A hook that registers GPUArray with distributed, whether that is imported first or later."""

import contextlib
import importlib
import sys
import warnings
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

_NAME = "distributed.protocol"


class _Finder:
    """Finds distributed.protocol by the other finders, and adds the registration to its loader."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != _NAME:
            return None
        others = [f for f in sys.meta_path if f is not self and hasattr(f, "find_spec")]
        found = (finder.find_spec(name, path, target) for finder in others)
        spec = next((spec for spec in found if spec is not None), None)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, self)  # type: ignore[assignment]
        return spec


class _Loader:
    def __init__(self, loader: Any, finder: _Finder) -> None:
        self._loader = loader
        self._finder = finder

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        with contextlib.suppress(ValueError):
            sys.meta_path.remove(self._finder)
        _register_now()


def _register_now() -> None:
    try:
        importlib.import_module("gpuarray._protocols.distributed")
    except Exception as error:
        # Without the registration distributed still works, so no error may pass on to its import.
        warnings.warn(
            f"gpuarray: distributed will pickle GPUArrays: {type(error).__name__}: {error}",
            RuntimeWarning,
            stacklevel=2,
        )


def register() -> None:
    """Register now if distributed is imported, else when it is."""
    if _NAME in sys.modules:
        _register_now()
    else:
        sys.meta_path.insert(0, _Finder())
