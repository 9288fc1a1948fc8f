# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""vectorize(), which makes element-wise operations of Python functions of numbers."""

import functools
from collections.abc import Callable
from typing import Any, overload

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import broadcast_shapes
from gpuarray._core import GPUArray
from gpuarray._creation.creation import asarray
from gpuarray._fusion.fusion import FusedFunction
from gpuarray._fusion.python_functions import compile_by_numba
from gpuarray._fusion.trace import Signature
from gpuarray._kernels.compilation import compilation
from gpuarray._kernels.device_functions import TYPES, DeviceFunction, oldest_architecture
from gpuarray._kernels.fold import described
from gpuarray._runtime.device import devices
from gpuarray.errors import FusionError

__all__ = ["VectorizedFunction", "vectorize"]


class VectorizedFunction(FusedFunction):
    """A function that vectorize() made; called with arrays and scalars, and with `stream=`."""

    _of_numbers = True

    def __init__(self, function: Callable[..., Any], kernel_name: str | None = None) -> None:
        super().__init__(function, kernel_name)
        # The reason why tracing failed, by signature.
        self._untraced: dict[Signature, FusionError] = {}

    def _key(self, value: Any, owner: Any = None) -> int | None:
        # The function takes numbers only, so no object gets a key.
        return None

    def _specialize(self, signature: Signature) -> Any:
        try:
            return super()._specialize(signature)
        except (TypeError, AttributeError) as error:
            why = error if isinstance(error, FusionError) else FusionError(f"{self._name}: {error}")
            self._untraced[signature] = why
            self._note_unsaved(signature)
        if len(devices()) == 1:
            return None
        try:
            return self._by_numba(signature, why)
        except FusionError as error:
            # On the cpu device Numba's compiler for the CPU may still compile the function.
            self._untraced[signature] = error
            return None

    def _by_numba(self, signature: Signature, why: FusionError) -> _core._Program:
        dtypes = _number_types(signature)
        name = f"{self._name}_of_numbers"
        architecture = oldest_architecture()
        result, code = compile_by_numba(self._function, name, dtypes, None, architecture, why)
        types = tuple(TYPES[dtype] for dtype in dtypes)
        function = DeviceFunction(name, TYPES[result], types, code, "c")
        names = [f"a{k}" for k in range(len(dtypes))]
        roles = ["element" if role == "array" else "scalar" for role, _ in signature]
        parameters = [
            (text, dtype, role, False, dtype)
            for text, dtype, role in zip(names, dtypes, roles, strict=True)
        ]
        self._newest = program = _core._Program(
            self._name,
            f"result = {name}({', '.join(names)});",
            [*parameters, ("result", result, "element", True, result)],
            results=len(parameters),
            ordered=False,
            arguments=range(len(parameters)),
            **compilation((), (function,)),
        )
        return program

    def _unfused(self, arguments: tuple[Any, ...]) -> Any:
        signature = tuple(described(self._name, argument) for argument in arguments)
        why = self._untraced.get(signature)
        if why is None:
            return super()._unfused(tuple(map(_unchangeable, arguments)))
        broadcast_shapes(*(a.shape for a in arguments if isinstance(a, GPUArray)))
        if any(isinstance(a, GPUArray) and a.device.kind == "cuda" for a in arguments):
            raise why
        return self._on_host(arguments, signature, why)

    def _on_host(self, arguments: tuple[Any, ...], signature: Signature, why: FusionError) -> Any:
        """Return the result of the call by Numba's compiler for the CPU."""
        try:
            import numba
        except Exception as error:
            # Importing Numba fails in various ways where it does not fit the NumPy that is
            # installed.
            raise FusionError(
                f"{why}; numba, which could compile it, cannot be imported: {error}"
            ) from why
        function = numba.vectorize(self._function)
        dtypes = _number_types(signature)
        values = [
            np.asarray(argument)
            if isinstance(argument, GPUArray)
            else np.dtype(dtype).type(argument)
            for argument, dtype in zip(arguments, dtypes, strict=True)
        ]
        return asarray(np.asarray(function(*values)), device="cpu")


def _unchangeable(argument: Any) -> Any:
    """Return a read-only view of an array, so that a function of numbers cannot change it."""
    if not isinstance(argument, GPUArray):
        return argument
    view = argument[...]
    view.flags.writeable = False
    return view


def _number_types(signature: Any) -> list[str]:
    """Return the dtypes of the arguments; those of Python's scalars follow NumPy's promotion."""
    zeros = {"int": 0, "float": 0.0, "complex": 0j}
    strong = [_core._dtype(dtype) for role, dtype in signature if role != "weak"]
    return [
        np.result_type(*strong, zeros[dtype]).name if role == "weak" else dtype
        for role, dtype in signature
    ]


@overload
def vectorize(function: Callable[..., Any], /) -> VectorizedFunction: ...
@overload
def vectorize(
    *, kernel_name: str | None = None
) -> Callable[[Callable[..., Any]], VectorizedFunction]: ...
def vectorize(function: Any = None, /, *, kernel_name: str | None = None) -> Any:
    """Return an element-wise operation from a function of numbers.

    A function of operators and gpuarray's element-wise functions is traced, as fuse() does, with
    NumPy's dtypes. Another, with conditions and loops, is compiled by numba-cuda, where that is
    installed, and inlined in the kernel; on cpu by Numba. Its arguments are then numbers of the
    arrays' dtypes, bool, integers, float32 or float64, those of Python scalars as in NumPy, and its
    result is one number of the dtype that Numba gives it.

    Compiled once for each combination of dtypes. Results are new arrays of the broadcast shape.
    FusionError, naming the line that cannot be traced, without Numba; CompileError for what Numba
    cannot compile. Queued on `stream=`, or the current stream.
    """
    if function is None:
        return functools.partial(VectorizedFunction, kernel_name=kernel_name)
    if not callable(function):
        raise TypeError(f"vectorize: expected a function, got {type(function).__name__}")
    return VectorizedFunction(function, kernel_name)
