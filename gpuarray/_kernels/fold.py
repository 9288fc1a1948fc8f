# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The base class of ReductionKernel and ScanKernel: it makes one program for each signature."""

from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.arguments import require_text
from gpuarray._common.rebuilding import reduce_by_arguments
from gpuarray._core import GPUArray
from gpuarray._creation import creation
from gpuarray._kernels.building import option_tuple
from gpuarray._kernels.compilation import compilation, definitions, located
from gpuarray._kernels.device_functions import declared
from gpuarray._kernels.literals import kind_of, literal
from gpuarray._kernels.parameters import Argument, Parameter, TypeNames, joined, parse_parameters

__all__ = ["FoldKernel", "as_operand", "described", "dtype_name"]


class FoldKernel:
    """A kernel that maps elements by one text, combines them by another and finishes by a third.

    `kind` is that of a _Fold, `texts` are the three texts, `fold_type` is the dtype in which
    elements are combined, None for that of the output. The other arguments are those of
    ReductionKernel.
    """

    def __init__(
        self,
        kind: str,
        in_params: str,
        out_params: str,
        texts: tuple[str, str, str],
        identity: Any,
        name: str,
        fold_type: Any,
        preamble: str,
        options: Any,
        functions: Any = (),
    ) -> None:
        kernel = type(self).__name__
        require_text(kernel, in_params=in_params, out_params=out_params, name=name)
        require_text(kernel, preamble=preamble)
        self.name = name
        self._kind = kind
        self._inputs = parse_parameters(in_params)
        outputs = parse_parameters(joined(in_params, out_params))[len(self._inputs) :]
        if len(outputs) != 1 or outputs[0].raw or outputs[0].pointer:
            raise ValueError(f"{name}: expected one output parameter, as 'T y', got {out_params!r}")
        self._output = outputs[0]
        parts = "map_expr", "scan_expr" if "scan" in kind else "reduce_expr", "post_map_expr"
        self._map, self._combine, self._finish = (
            located(f"{name}:{part}", text) for part, text in zip(parts, texts, strict=True)
        )
        self._identity = _identity_text(identity)
        self._type = (
            None if fold_type is None else parse_parameters(f"{_type_text(fold_type)} _")[0]
        )
        self._preamble = definitions(option_tuple(options)) + located(f"{name}:preamble", preamble)
        self._compilation = compilation(option_tuple(options), declared(functions, "functions"))
        self._programs: dict[Any, _core._Fold] = {}
        self._last: _core._Fold | None = None

    __reduce__ = reduce_by_arguments

    def _run(
        self, args: tuple[Any, ...], axis: Any, keepdims: bool, out: GPUArray | None, stream: Any
    ) -> GPUArray:
        count = len(self._inputs)
        if len(args) == count + 1 and out is None:
            *args, out = args  # type: ignore[assignment]
        if len(args) != count:
            raise TypeError(f"{self.name}: expected {count} arguments, got {len(args)}")
        values = tuple(map(as_operand, args))
        signature = tuple(described(self.name, value) for value in values)
        key = signature, None if out is None else getattr(out, "_dtype_name", None)
        program = self._programs.get(key)
        if program is None:
            program = self._programs[key] = self._specialize(signature, out)
        self._last = program
        return program.run(values, axis, keepdims, out, stream)

    def _specialize(self, signature: tuple[Argument, ...], out: Any) -> _core._Fold:
        types = TypeNames(self.name)
        types.bind(self._inputs, signature)
        if isinstance(out, GPUArray) and self._output.dtype is None:
            types.setdefault(self._output.type_name, out._dtype_name)
        for parameter, argument in zip(self._inputs, signature, strict=True):
            types.check_input(parameter, argument)
        output = types.dtype_of(self._output)
        return _core._Fold(
            self.name,
            self._kind,
            self._map,
            self._combine,
            [_input(p, types, a) for p, a in zip(self._inputs, signature, strict=True)],
            output if self._type is None else types.dtype_of(self._type),
            (self._output.name, output),
            finish=self._finish,
            identity=self._identity,
            types=tuple(types.items()),
            preamble=self._preamble,
            **self._compilation,
        )

    @property
    def source(self) -> str:
        """The text that the last call compiled for contiguous arrays; "" before a call."""
        return "" if self._last is None else self._last.source(str(_core.default_device()))

    def __repr__(self) -> str:
        return f"<gpuarray.{type(self).__name__} {self.name}>"


def _identity_text(identity: Any) -> str:
    if identity is None or isinstance(identity, str):
        return identity or ""
    dtypes = {"bool": "bool", "int": "int64", "float": "float64", "complex": "complex128"}
    kind = kind_of(identity)
    if kind is None:
        got = type(identity).__name__
        raise TypeError(f"identity: expected a number, a str of C++ or None, got {got}")
    return literal(identity, dtypes.get(kind, kind))


def _type_text(fold_type: Any) -> str:
    return fold_type if isinstance(fold_type, str) else dtype_name("type", fold_type)


def dtype_name(what: str, dtype: Any) -> str:
    """Return the name of a dtype; a TypeError for anything else names the argument `what`."""
    try:
        return str(_core._dtype(dtype).name)
    except TypeError as error:
        raise TypeError(f"{what}: expected a dtype, got {type(dtype).__name__}: {error}") from None


def _input(parameter: Parameter, types: TypeNames, argument: Argument) -> Any:
    dtype = types.dtype_of(parameter)
    if argument[0] != "array":
        return parameter.name, dtype, "scalar", False, dtype
    role = "pointer" if parameter.pointer else "raw" if parameter.raw else "element"
    return parameter.name, dtype, role, False, argument[1]


def as_operand(value: Any) -> Any:
    """Return a view of another library's array, and any other value as it is."""
    foreign = not isinstance(value, (GPUArray, np.ndarray, np.generic))
    if foreign and (hasattr(value, "__cuda_array_interface__") or hasattr(value, "__dlpack__")):
        return creation.asarray(value)
    return value


def described(name: str, value: Any) -> Argument:
    """Return an argument as a signature has it; TypeError if it is neither array nor scalar."""
    if isinstance(value, GPUArray):
        return "array", value._dtype_name
    if isinstance(value, (bool, np.generic)) or (isinstance(value, np.ndarray) and not value.ndim):
        return "scalar", np.asarray(value).dtype.name
    for kind in (int, float, complex):
        if isinstance(value, kind):
            return "weak", kind.__name__
    module = "numpy." if isinstance(value, np.ndarray) else ""
    raise TypeError(
        f"{name}: expected a GPUArray or a scalar, got {module}{type(value).__name__}; "
        "convert with gpuarray.to_device(x)"
    )
