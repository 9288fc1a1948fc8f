# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Modules and kernels under the names and with the arguments that PyCUDA and CuPy give them."""

from collections.abc import Iterable
from typing import Any

from gpuarray._common.arguments import require_text
from gpuarray._kernels.building import option_tuple
from gpuarray._kernels.module import Module

__all__ = ["RawKernel", "RawModule", "SourceModule"]

# These options of nvcc concern host code, so they are dropped.
HOST_OPTIONS = {"-O0", "-O1", "-O2", "-O3"}


class SourceModule(Module):
    """PyCUDA's name of a Module from CUDA C++, in extern "C" unless `no_extern_c`.

    `code` is its name of an architecture of machine code, before `arch`. `nvcc`, `keep`,
    `cache_dir` and the options -O0 to -O3, for host code, are taken and have no effect: NVRTC
    compiles, `source` and `image` are attributes, and GPUARRAY_CACHE_DIR is the cache.
    `get_global` returns a GPUArray. Raises as Module does.
    """

    def __init__(
        self,
        source: str,
        nvcc: str | None = "nvcc",
        options: Iterable[str] | str | None = None,
        keep: bool = False,
        no_extern_c: bool = False,
        arch: str | None = None,
        code: str | None = None,
        cache_dir: Any = None,
        include_dirs: Iterable[Any] = (),
    ) -> None:
        super().__init__(
            source,
            options=[option for option in option_tuple(options) if option not in HOST_OPTIONS],
            include_dirs=include_dirs,
            arch=code or arch,
            extern_c=not no_extern_c,
        )


class RawModule(Module):
    """CuPy's name of a Module; its further arguments are taken for "nvrtc" and False only.

    Headers that cooperative groups need are always there. `get_global` returns a GPUArray. Raises
    as Module does, ValueError for what CuPy would leave to nvcc, cuComplex's translation or jitify.
    """

    def __init__(
        self,
        *,
        code: str | None = None,
        path: Any = None,
        options: Iterable[str] = (),
        backend: str = "nvrtc",
        translate_cucomplex: bool = False,
        enable_cooperative_groups: bool = False,
        name_expressions: Iterable[str] | None = None,
        jitify: bool = False,
    ) -> None:
        if backend != "nvrtc" or translate_cucomplex or jitify:
            raise ValueError("RawModule: only backend='nvrtc' as it is, without translation")
        super().__init__(code, path=path, options=options, name_expressions=name_expressions or ())


class RawKernel:
    """CuPy's name of one Kernel: RawKernel(code, name) is Module(code).get_function(name)."""

    def __new__(
        cls,
        code: str,
        name: str,
        options: Iterable[str] = (),
        backend: str = "nvrtc",
        **others: Any,
    ) -> Any:
        """Compile it at once; raises as RawModule and `get_function` do."""
        require_text("RawKernel", name=name)
        module = RawModule(code=code, options=options, backend=backend, **others)
        return module.get_function(name)
