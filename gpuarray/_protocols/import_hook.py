# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""A hook that registers GPUArray with other libraries, whether they are imported first or later."""

import contextlib
import importlib
import sys
import warnings
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, NamedTuple


class Registration(NamedTuple):
    """The module of this package whose import registers, and what is amiss without."""

    module: str
    otherwise: str


_OF = {
    "dask.array": Registration("dask_array", "dask.array will not know GPUArrays"),
    "dask_cuda.is_device_object": Registration(
        "dask_cuda",
        "each operation on an array that a worker of dask-cuda keeps will run by itself",
    ),
    "distributed.protocol": Registration("distributed", "distributed will pickle GPUArrays"),
}


class _Finder:
    """Finds one module by the other finders, and adds the registration to its loader."""

    def __init__(self, name: str) -> None:
        self.name = name

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != self.name:
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
        _register_now(self._finder.name)


def _register_now(name: str) -> None:
    try:
        importlib.import_module(f"gpuarray._protocols.{_OF[name].module}")
    except Exception as error:
        # The library still works without the registration, so no error may pass on to its import.
        warnings.warn(
            f"gpuarray: {_OF[name].otherwise}: {type(error).__name__}: {error}",
            RuntimeWarning,
            stacklevel=2,
        )


def register() -> None:
    """Register now with the libraries that are imported, with others when they are."""
    for name in _OF:
        if name in sys.modules:
            _register_now(name)
        else:
            sys.meta_path.insert(0, _Finder(name))
