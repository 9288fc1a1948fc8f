# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Traced functions that end with a reduction."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from gpuarray import _core
from gpuarray._common.dtype_table import dtype_kind
from gpuarray._kernels.literals import PREAMBLE

if TYPE_CHECKING:
    from gpuarray._core import GPUArray
    from gpuarray._fusion.trace import Signature, Trace
    from gpuarray._fusion.traced import Value

__all__ = ["FusedReduction", "Reduced", "called", "fused_reduction"]

# The combination of two elements, and what begins it.
COMBINED = {
    "sum": ("math::add(a, b)", "0"),
    "prod": ("math::multiply(a, b)", "1"),
    "max": ("math::maximum(a, b)", ""),
    "min": ("math::minimum(a, b)", ""),
    "any": ("a || b", "false"),
    "all": ("a && b", "true"),
}
# What sums are computed in, as kernels/reduce/reduce_ops.cuh has it.
WIDER = {"float32": "float64", "complex64": "complex128"}


class Reduced:
    """The end of a traced function: what is reduced, and how."""

    def __init__(
        self, trace: "Trace", name: str, value: "Value", dtype: Any, options: dict[str, Any]
    ) -> None:
        if name not in COMBINED:
            raise trace.refuse(f"{name} cannot be fused")
        for option, given in options.items():
            if option not in ("axis", "keepdims") and given is not True:
                raise trace.refuse(f"{name}: {option}= cannot be fused")
        self.trace, self.name, self.value, self.options = trace, name, value, options
        element = value._dtype_name
        self.dtype = element
        if name in ("sum", "prod"):
            self.dtype = _core._dtype(dtype).name if dtype is not None else _sum_dtype(element)
        elif name in ("any", "all"):
            self.dtype = "bool"

    def refuse(self, *other: Any) -> Any:
        raise self.trace.refuse("a reduction can only be what a fused function returns")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = refuse
    __rtruediv__ = __pow__ = __neg__ = __bool__ = __float__ = __int__ = __array__ = refuse
    __lt__ = __le__ = __gt__ = __ge__ = __getitem__ = __gpuarray_function__ = refuse
    __array_ufunc__ = __array_function__ = refuse

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self.refuse()


def called(trace: "Trace") -> dict[str, Any]:
    """Return how a kernel with device functions is compiled, without contraction as others."""
    from gpuarray._kernels.elementwise_kernel import compilation

    return compilation(("--fmad=false",), trace.functions) if trace.functions else {}


class FusedReduction(NamedTuple):
    """What one call runs: the arguments, by their place, of the kernel."""

    fold: _core._Fold
    arguments: tuple[int, ...]
    axis: Any
    keepdims: bool

    def run(self, arguments: Sequence[Any], stream: Any) -> "GPUArray":
        given = tuple(arguments[k] for k in self.arguments)
        return self.fold.run(given, self.axis, self.keepdims, None, stream)


def fused_reduction(name: str, reduced: Reduced, signature: "Signature") -> FusedReduction | None:
    """Return the kernel of a traced function.

    None where there is none: for 16-bit floats, and where more arrays were looked at than are
    reduced, which would broadcast with them.
    """
    trace = reduced.trace
    if trace.written:
        raise trace.refuse("a function that ends with a reduction cannot change arguments")
    arrays = [k for k in sorted(trace.used) if signature[k][0] == "array"]
    if reduced.value._sources != set(arrays):
        return None
    if any(signature[k][1] in ("float16", "bfloat16") for k in arrays):
        return None
    parameters = [(f"a{k}", signature[k][1], "element", False, signature[k][1]) for k in arrays]
    parameters += [(s, dtype, "scalar", False, dtype) for (_, dtype), s in trace.scalars.items()]
    is_sum = reduced.name in ("sum", "prod")
    computed = WIDER.get(reduced.dtype, reduced.dtype) if is_sum else reduced.dtype
    combine, identity = COMBINED[reduced.name]
    value = trace.cast(reduced.value, reduced.dtype)
    fold = _core._Fold(
        name,
        "reduction",
        "\n".join(["[&] {", *trace.statements, f"return {value};", "}()"]),
        combine,
        parameters,
        computed,
        ("gpuarray_result", reduced.dtype),
        identity=identity,
        preamble=PREAMBLE,
        **called(trace),
    )
    places = (*arrays, *(k for k, _ in trace.scalars))
    return FusedReduction(
        fold, places, reduced.options.get("axis"), bool(reduced.options.get("keepdims"))
    )


def _sum_dtype(dtype: str) -> str:
    return {"b": "int64", "i": "int64", "u": "uint64"}.get(dtype_kind(dtype), dtype)
