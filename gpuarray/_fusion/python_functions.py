# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Compilation of Python functions of numbers to device functions, by tracing or by numba-cuda."""

import re
from collections.abc import Callable, Sequence
from typing import Any

from gpuarray._common.dtype_table import CTYPES, names_of
from gpuarray._fusion.trace import Trace
from gpuarray._fusion.traced import TracedArray
from gpuarray._kernels.device_functions import set_function_compiler
from gpuarray._kernels.linkables import LTOIR, CUSource
from gpuarray.errors import CompileError, FusionError

__all__ = ["compile_by_numba", "compile_function"]

# The sources that traced functions become begin with these includes.
_INCLUDES = "".join(
    f'#include "kernels/{name}.cuh"\n'
    for name in ("element/cast", "element/functors", "expression/opaque")
)

# numba-cuda accepts these dtypes in functions with C linkage; the values are Numba's names.
_NUMBA_TYPES = {"bool": "boolean"} | {
    name: name for name in (*names_of("iu"), "float32", "float64")
}


def compile_function(
    function: Callable[..., Any],
    name: str,
    dtypes: Sequence[str],
    result: str | None,
    architecture: str,
) -> tuple[str, CUSource | LTOIR]:
    """Return the dtype of the result, and the code of a function `name` with the ABI of C.

    `dtypes` are those of the arguments; `result` is the dtype to return, or None for the one that
    the function itself gives. A function that is made of operators and gpuarray's functions is
    traced, any other is compiled by numba-cuda. FusionError if neither works.
    """
    try:
        return _traced(function, name, dtypes, result)
    except (TypeError, AttributeError) as error:
        why = error if isinstance(error, FusionError) else FusionError(f"{name}: {error}")
    return compile_by_numba(function, name, dtypes, result, architecture, why)


def _traced(
    function: Callable[..., Any], name: str, dtypes: Sequence[str], result: str | None
) -> tuple[str, CUSource]:
    signature = tuple(("array", dtype) for dtype in dtypes)
    trace = Trace(function, signature, of_numbers=True)
    returned = trace.run(function)
    if trace.functions:
        raise trace.refuse("it calls device functions, which are for fused functions")
    if not isinstance(returned, TracedArray):
        raise trace.refuse(f"expected one number, got {type(returned).__name__}")
    dtype = result or returned._dtype_name
    text = trace.cast(returned, dtype)
    parameters = ", ".join(f"{CTYPES[dtype]} a{k}" for k, dtype in enumerate(dtypes))
    body = "".join(f"  {statement}\n" for statement in trace.statements)
    source = (
        f"{_INCLUDES}using namespace gpuarray;\n"
        f'extern "C" __device__ {CTYPES[dtype]} {name}({parameters}) {{\n{body}'
        f"  return {text};\n}}\n"
    )
    return dtype, CUSource(source, name=f"{name}.cu")


def compile_by_numba(
    function: Callable[..., Any],
    name: str,
    dtypes: Sequence[str],
    result: str | None,
    architecture: str,
    why: FusionError,
) -> tuple[str, LTOIR]:
    """Compile the function by numba-cuda, and return what compile_function returns.

    `why` says why the function was not traced.
    """
    try:
        from numba import cuda, types
        from numba.core.errors import NumbaError
    except Exception as error:
        # Importing Numba fails in various ways where it does not fit the NumPy that is installed.
        raise FusionError(
            f"{why}; numba-cuda, which could compile it, cannot be imported: {error}"
        ) from why
    wanted = [*dtypes, *([result] if result else [])]
    unknown = [dtype for dtype in wanted if dtype not in _NUMBA_TYPES]
    if unknown:
        raise FusionError(f"{why}; and numba-cuda cannot compile it for {unknown[0]}") from why
    given = tuple(getattr(types, _NUMBA_TYPES[dtype]) for dtype in dtypes)
    signature = getattr(types, _NUMBA_TYPES[result])(*given) if result else given
    digits = re.sub(r"\D", "", architecture)
    try:
        code, made = cuda.compile(
            function,
            signature,
            device=True,
            abi="c",
            abi_info={"abi_name": name},
            cc=(int(digits[:-1]), int(digits[-1])),
            output="ltoir",
        )
    except NumbaError as error:
        raise CompileError(f"{name}: numba-cuda cannot compile it: {error}") from error
    except Exception as error:
        # Numba fails with other exceptions where it does not fit the NumPy that is installed.
        raise FusionError(f"{why}; and numba-cuda fails: {error}") from why
    if str(made) not in _NUMBA_TYPES:
        raise FusionError(f"{name}: numba-cuda gives {made}, expected a number")
    return str(made), LTOIR(code, name=f"{name}.ltoir")


set_function_compiler(compile_function)
