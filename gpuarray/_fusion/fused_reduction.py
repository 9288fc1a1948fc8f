# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The kernel of a traced function that ends with a reduction."""

from typing import Any

from gpuarray import _core
<<<<<<< HEAD:gpuarray/_fused_reduction.py
from gpuarray._compilation import compilation
from gpuarray._literals import PREAMBLE
from gpuarray._reduced import COMBINED, Reduced
from gpuarray._statements import Statements
from gpuarray._trace import Signature

__all__ = ["compilation_of", "fused_reduction"]

# The dtype in which a sum or product of a narrower dtype is computed, as in kernels/reduce_ops.cuh.
WIDER = {"float32": "float64", "complex64": "complex128"}


def compilation_of(trace: Statements) -> dict[str, Any]:
    """Return the arguments of _Program and _Fold with which a traced function is compiled.
=======
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
>>>>>>> main:gpuarray/_fusion/fused_reduction.py

    A kernel that calls device functions is linked with them; like every kernel of a traced function
    it is compiled without contraction, so that its bits are those of the operations one by one.
    """
    return compilation(("--fmad=false",), trace.functions) if trace.functions else {}


def fused_reduction(name: str, reduced: Reduced, signature: Signature) -> _core._Fold | None:
    """Return the kernel of a traced function that returns `reduced`, for calls of the signature.

    None if only the operations one by one give the right result: for 16-bit floats, and where the
    function reads arrays that are not reduced, whose shapes must not take part.
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
    return _core._Fold(
        name,
        "reduction",
        "\n".join(["[&] {", *trace.statements, f"return {value};", "}()"]),
        combine,
        parameters,
        computed,
        ("gpuarray_result", reduced.dtype),
        identity=identity,
        preamble=PREAMBLE,
        arguments=(*arrays, *(k for k, _ in trace.scalars)),
        axis=reduced.axis,
        keepdims=reduced.keepdims,
        **compilation_of(trace),
    )
