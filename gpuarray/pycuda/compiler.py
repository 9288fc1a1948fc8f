# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""PyCUDA's compilation of CUDA C++, by NVRTC."""

from collections.abc import Iterable
from typing import Any

import gpuarray
from gpuarray._kernels.building import option_tuple, path_tuple
from gpuarray.pycuda._functions import Module
from gpuarray.pycuda._headers import HEADERS, PRE_INCLUDE

__all__ = ["DEFAULT_NVCC_FLAGS", "SourceModule", "compile"]

DEFAULT_NVCC_FLAGS: list[str] = []


def _compiled(source: Any, options: Any, include_dirs: Any, **kwargs: Any) -> gpuarray.SourceModule:
    options = option_tuple(DEFAULT_NVCC_FLAGS if options is None else options)
    # What is no source at all is refused there.
    text: Any = source if isinstance(source, str | bytes | None) else str(source)
    return gpuarray.SourceModule(
        text,
        options=(*options, PRE_INCLUDE),
        include_dirs=(*path_tuple(include_dirs), HEADERS),
        **kwargs,
    )


class SourceModule(Module):
    """A module of CUDA C++, in extern "C" unless `no_extern_c`; compiled and loaded at once.

    `source` is a str, or what str() makes a source of, such as a template. It may include the
    headers of C and C++ that device code needs, and pycuda-complex.hpp. The other arguments
    are those of gpuarray.SourceModule, and so are the errors.
    """

    def __init__(
        self,
        source: Any,
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
            _compiled(
                source,
                options=options,
                no_extern_c=no_extern_c,
                arch=arch,
                code=code,
                include_dirs=include_dirs,
            )
        )


def compile(
    source: Any,
    nvcc: str | None = "nvcc",
    options: Iterable[str] | str | None = None,
    keep: bool = False,
    no_extern_c: bool = False,
    arch: str | None = None,
    code: str | None = None,
    cache_dir: Any = None,
    include_dirs: Iterable[Any] = (),
    target: str = "cubin",
) -> bytes:
    """Return the cubin of a source, or its PTX with `target="ptx"`, as bytes.

    Needs no device where `arch` is given. Raises as gpuarray.SourceModule; ValueError for other
    targets.
    """
    if target not in ("cubin", "ptx"):
        raise ValueError(f"compile: expected the target 'cubin' or 'ptx', got {target!r}")
    module = _compiled(
        source,
        options=options,
        no_extern_c=no_extern_c,
        arch=arch,
        code=code,
        include_dirs=include_dirs,
    )
    return module.image if target == "cubin" else module.ptx.encode()
