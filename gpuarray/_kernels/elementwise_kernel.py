# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""ElementwiseKernel, which makes an element-wise kernel of a user's C++ text."""

import re
from collections.abc import Iterable
from typing import Any

from gpuarray import _core
from gpuarray._common.arguments import require_text
from gpuarray._common.rebuilding import keeps_arguments, reduce_by_arguments
from gpuarray._kernels.building import option_tuple
from gpuarray._kernels.compilation import compilation, definitions, located
from gpuarray._kernels.device_functions import declared
from gpuarray._kernels.parameters import Argument, Parameter, TypeNames, joined, parse_parameters

__all__ = ["ElementwiseKernel"]

# This pattern finds the index `i` in a text. A text that uses it has its axes walked in C order.
INDEX = re.compile(r"\bi\b")


class ElementwiseKernel(_core._Dispatcher):
    """A kernel that computes each element of its outputs from those of its inputs.

    Parameters
    ----------
    in_params, out_params
        Lists as ``"float32 x, T y, raw T z"``: NumPy's dtypes or C++ types, or capital letters for
        generic types, which the arrays of a call bind. ``raw`` arrays are not broadcast but indexed
        by the text: ``z[j]`` in C order, ``z.at(j, k)``, ``z.size()``, ``z.shape()[k]``.
    operation
        C++ over these names. Outputs are references: to the old elements of arrays that the caller
        gives, else to zeros. ``i`` is the index of the element in C order, ``n`` the number of
        elements, ``T`` the generic type, ``math::`` has the functions of the built-in operations.
    name
        For reports and errors.
    reduce_dims
        Accepted because CuPy has it; axes are merged wherever that does not change the result.
    preamble
        C++ before the kernel: includes and ``__device__`` functions.
    no_return, return_tuple
        Whether a call returns nothing, or a tuple where there is one output.
    options, functions
        NVRTC's options, of which ``-D``, ``-U`` and ``-I`` go to the host's compiler too, and
        device functions of `declare_device`, linked with link-time optimization, on cuda only.
    loop_prep, after_loop
        C++ that each thread runs before and after its elements.

    With pointers in ``in_params`` the arguments are PyCUDA's: ``ElementwiseKernel("float *x, float
    a, float *y", "y[i] = a * x[i]", "axpy")`` takes all arrays, which are contiguous, and returns
    nothing. The loop is as long as the first, or as ``range=`` or ``slice=`` of a call says.

    Calls ``kernel(*inputs, *outputs, out=None, size=None, stream=None)``: inputs are arrays of one
    device and scalars, broadcast with each other and converted where casting 'same_kind' allows
    it. Outputs that are not given are new arrays, in the order of axes of the inputs. ``size`` is
    the length of the loop where all arrays are raw. Work is queued on ``stream``, by default the
    device's current one. A kernel is compiled once for each signature of dtypes and kind of layout,
    on cuda by NVRTC and on cpu by the host's C++ compiler (``CXX``).

    Raises ValueError for malformed parameters and shapes, TypeError for arguments of another number
    or type, CompileError for texts that do not compile, DeviceError without a compiler.
    """

    @keeps_arguments
    def __init__(
        self,
        in_params: str,
        out_params: str,
        operation: str | None = None,
        name: str = "kernel",
        reduce_dims: bool = True,
        preamble: str = "",
        no_return: bool = False,
        return_tuple: bool = False,
        *,
        options: Iterable[str] | str = (),
        functions: Any = (),
        loop_prep: str = "",
        after_loop: str = "",
    ) -> None:
        texts = {"preamble": preamble, "loop_prep": loop_prep, "after_loop": after_loop}
        require_text("ElementwiseKernel", in_params=in_params, out_params=out_params, name=name)
        require_text("ElementwiseKernel", **texts)
        if operation is not None:
            require_text("ElementwiseKernel", operation=operation)
        self._inputs = parse_parameters(in_params)
        if pointers := any(parameter.pointer for parameter in self._inputs):
            name, operation, out_params = operation or name, out_params, ""
        if operation is None:
            raise TypeError("ElementwiseKernel: missing argument 'operation'")
        self._outputs = parse_parameters(joined(in_params, out_params))[len(self._inputs) :]
        if any(parameter.pointer for parameter in self._outputs):
            raise ValueError(f"{name}: pointers are for a list of all parameters, outputs too")
        self.name = name
        self.operation = operation
        self.no_return = no_return or pointers
        self.return_tuple = return_tuple
        self._texts: dict[str, Any] = {
            part: located(f"{name}:{part}", text) for part, text in texts.items()
        }
        self._texts["preamble"] = definitions(option_tuple(options)) + self._texts["preamble"]
        self._is_ordered = INDEX.search(" ".join([operation, *texts.values()])) is not None
        self._compilation = compilation(option_tuple(options), declared(functions, "functions"))
        self._programs: list[_core._Program] = []
        super().__init__(name, [p.name for p in self._inputs], len(self._outputs))

    __reduce__ = reduce_by_arguments

    def _specialize(self, signature: tuple[Argument, ...]) -> _core._Program:
        count = len(self._inputs)
        inputs, outputs = signature[:count], signature[count:]
        types = TypeNames(self.name)
        types.bind((*self._outputs[: len(outputs)], *self._inputs), (*outputs, *inputs))
        for parameter, argument in zip(self._inputs, inputs, strict=True):
            types.check_input(parameter, argument)
        for parameter, argument in zip(self._outputs[: len(outputs)], outputs, strict=True):
            types.check_output(parameter, argument)
        program = _core._Program(
            self.name,
            located(self.name, self.operation),
            [
                *(self._input(p, types, a) for p, a in zip(self._inputs, inputs, strict=True)),
                *(
                    self._output(p, types, outputs[k] if k < len(outputs) else None)
                    for k, p in enumerate(self._outputs)
                ),
            ],
            results=self._results(),
            types=tuple(types.items()),
            ordered=self._is_ordered,
            **self._texts,
            **self._compilation,
        )
        self._programs.append(program)
        return program

    def _input(self, parameter: Parameter, types: TypeNames, argument: Argument) -> Any:
        dtype = types.dtype_of(parameter)
        if argument[0] != "array":
            return parameter.name, dtype, "scalar", False, dtype
        if parameter.pointer:
            return parameter.name, dtype, "pointer", not parameter.const, dtype
        role = "raw" if parameter.raw else "element"
        return parameter.name, dtype, role, False, argument[1]

    def _output(self, parameter: Parameter, types: TypeNames, argument: Argument | None) -> Any:
        dtype = types.dtype_of(parameter)
        role = "raw" if parameter.raw else "element"
        return parameter.name, dtype, role, True, dtype if argument is None else argument[1]

    def _results(self) -> int | tuple[int, ...] | None:
        first = len(self._inputs)
        if self.no_return or not self._outputs:
            return None
        if len(self._outputs) == 1 and not self.return_tuple:
            return first
        return tuple(range(first, first + len(self._outputs)))

    @property
    def source(self) -> str:
        """The text for contiguous arrays that the last new signature compiled; "" before a call."""
        device = str(_core.default_device())
        return self._programs[-1].source(device) if self._programs else ""

    def __repr__(self) -> str:
        return f"<gpuarray.ElementwiseKernel {self.name}>"
