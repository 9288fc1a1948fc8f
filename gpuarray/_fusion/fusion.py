# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Functions of arrays as one kernel."""

import contextlib
import functools
import inspect
from collections.abc import Callable
from typing import Any, overload

from gpuarray import _core
from gpuarray._common.arguments import require_text
from gpuarray._fusion.fused_reduction import FusedReduction, Reduced, called, fused_reduction
from gpuarray._fusion.python_functions import identifier
from gpuarray._fusion.trace import Signature, Trace, UnfusedError
from gpuarray._fusion.traced import Value
from gpuarray._kernels.fold import described
from gpuarray._kernels.literals import PREAMBLE
from gpuarray._runtime.streams import takes_stream
from gpuarray.errors import DeviceError, FusionError

__all__ = ["FusedFunction", "fuse"]


class FusedFunction(_core._Dispatcher):
    """A function that fuse() made; called as the function itself, and with `stream=`."""

    _of_numbers = False

    def __init__(self, function: Callable[..., Any], kernel_name: str | None = None) -> None:
        if kernel_name is not None:
            require_text("fuse", kernel_name=kernel_name)
        name = kernel_name or str(getattr(function, "__name__", "fused"))
        self._name = identifier(name)
        super().__init__(self._name, _parameters(function))
        self._function = function
        functools.update_wrapper(self, function)
        self._newest: _core._Program | _core._Fold | None = None
        self._reductions: dict[Signature, FusedReduction] = {}

    @property
    def source(self) -> str:
        """The C++ of the newest kernel, for contiguous arrays; "" before the first call."""
        return self._newest.source("cuda") if self._newest is not None else ""

    def _specialize(self, signature: Signature) -> _core._Program | None:
        if all(role != "array" for role, _ in signature):
            return None
        trace = Trace(self._function, signature, of_numbers=self._of_numbers)
        try:
            returned = trace.run(self._function)
        except (TypeError, OverflowError) as error:
            refused = isinstance(error, FusionError) and not isinstance(error, UnfusedError)
            if refused or self._of_numbers:
                raise
            return None  # the operations one by one do it, or say what is wrong
        if isinstance(returned, Reduced):
            reduction = fused_reduction(self._name, returned, signature)
            if reduction is not None:
                self._reductions[signature] = reduction
                self._newest = reduction.fold
            return None
        self._newest = program = _program(trace, returned, self._name, signature)
        return program

    def _unfused(self, arguments: tuple[Any, ...], stream: Any) -> Any:
        if self._reductions:
            signature = tuple(described(self._name, argument) for argument in arguments)
            if reduction := self._reductions.get(signature):
                with contextlib.suppress(ValueError, OverflowError, DeviceError):
                    return reduction.run(arguments, stream)
        return takes_stream(self._function)(*arguments, stream=stream)


def _parameters(function: Callable[..., Any]) -> list[str]:
    parameters = inspect.signature(function).parameters.values()
    for parameter in parameters:
        plain = parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
        if not plain or parameter.default is not parameter.empty:
            raise TypeError(
                f"fuse: {parameter}: expected positional parameters without default values"
            )
    return [parameter.name for parameter in parameters]


def _program(trace: Trace, returned: Any, name: str, signature: Signature) -> _core._Program:
    results = returned if isinstance(returned, tuple) else (returned,)
    outputs = [] if returned is None else [_output(trace, result) for result in results]
    if not outputs and not trace.written:
        raise trace.refuse("it returns no array and changes none")
    arrays = sorted(k for k in trace.used if signature[k][0] == "array")
    places = {k: place for place, k in enumerate(arrays)}
    parameters = [
        _parameter(f"a{k}", signature[k][1], "element", k in trace.written) for k in arrays
    ]
    for (_, dtype), text in trace.scalars.items():
        parameters.append(_parameter(text, dtype, "scalar", False))
    given = [*arrays, *(k for k, _ in trace.scalars)]
    statements = list(trace.statements)
    indices = []
    for value in outputs:
        if value._argument is not None:
            indices.append(places[value._argument])
            continue
        indices.append(len(parameters))
        output = f"out{len(parameters)}"
        parameters.append(_parameter(output, value._dtype_name, "element", True))
        statements.append(f"{output} = {value._text};")
    for k in sorted(trace.written):
        statements.append(f"a{k} = {trace.arguments[k]._text};")
    return _core._Program(
        name,
        "\n".join(statements),
        parameters,
        results=None if returned is None else tuple(indices) if results is returned else indices[0],
        preamble=PREAMBLE,
        ordered=False,
        arguments=given,
        whole=[[places[k] for k in sources] for sources in trace.whole],
        **called(trace),
    )


def _parameter(name: str, dtype: str, role: str, written: bool) -> tuple[str, str, str, bool, str]:
    return name, dtype, role, written, dtype


def _output(trace: Trace, result: Any) -> Value:
    if not isinstance(result, Value):
        raise trace.refuse(
            f"it returns {type(result).__name__}, expected arrays or a tuple of them"
        )
    if result._role != "array" or not result._sources:
        raise trace.refuse("it returns a scalar, expected arrays")
    trace.used |= result._sources
    trace.whole.add(result._sources)
    return result


@overload
def fuse(function: Callable[..., Any], /) -> FusedFunction: ...
@overload
def fuse(*, kernel_name: str | None = None) -> Callable[[Callable[..., Any]], FusedFunction]: ...
def fuse(function: Any = None, /, *, kernel_name: str | None = None) -> Any:
    """Return a function of arrays and scalars that runs as one kernel, or one loop on cpu.

    The function may be made of operators, in place too, gpuarray's element-wise functions (NumPy's
    names of them too, and of numbers), where, clip and astype, and return an array, a tuple of them
    or None, or end with one reduction: sum, prod, max, min, any or all. It is
    run once for each combination of dtypes on values that write down what is done to them, so that
    scalars are parameters of the kernel, and what does not depend on arguments is constant.
    The results are to the last bit those of the operations one by one, in new arrays, but for sums
    and products of floats, whose elements may be grouped in another way. Arrays
    broadcast and may have any strides. `kernel_name` is what the kernel is called in reports.

    FusionError for what depends on elements: conditions, loops over them, numbers, shapes; it names
    the line. Calls that no single loop can serve run the operations one by one: results of several
    shapes, arrays that overlap one that is written, no array at all, other functions of gpuarray;
    so do all without a compiler.
    Queued on `stream=`, or the current stream.
    """
    if function is None:
        return functools.partial(FusedFunction, kernel_name=kernel_name)
    if not callable(function):
        raise TypeError(f"fuse: expected a function, got {type(function).__name__}")
    return FusedFunction(function, kernel_name)
