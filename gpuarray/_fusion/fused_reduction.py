# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The kernel of a traced function that ends with a reduction."""

from typing import Any

from gpuarray._common.dtype_table import is_half, wider
from gpuarray._fusion.reduced import COMBINED, Reduced
from gpuarray._fusion.statements import Statements
from gpuarray._fusion.trace import Signature
from gpuarray._kernels.compilation import compilation

__all__ = ["compilation_of", "fused_reduction"]


def compilation_of(trace: Statements) -> dict[str, Any]:
    """Return the arguments of _Program and _Fold with which a traced function is compiled.

    A kernel that calls device functions is linked with them; like every kernel of a traced function
    it is compiled without contraction, so that its bits are those of the operations one by one.
    """
    return compilation(("--fmad=false",), trace.functions) if trace.functions else {}


def fused_reduction(name: str, reduced: Reduced, signature: Signature) -> dict[str, Any] | None:
    """Return the arguments of the _Fold for calls of a function that returns `reduced`.

    None if only the operations one by one give the right result: for 16-bit floats, powers of
    arrays, which may have one element, and where the function reads arrays that are not reduced,
    whose shapes must not take part.
    """
    trace = reduced.trace
    if trace.written:
        raise trace.refuse("a function that ends with a reduction cannot change arguments")
    arrays = [k for k in sorted(trace.used) if signature[k][0] == "array"]
    if reduced.sources != set(arrays):
        return None
    if trace.exponents or any(is_half(signature[k][1]) for k in arrays):
        return None
    parameters = [(f"a{k}", signature[k][1], "element", False, signature[k][1]) for k in arrays]
    parameters += [(s, dtype, "scalar", False, dtype) for (_, dtype), s in trace.scalars.items()]
    is_sum = reduced.name in ("sum", "prod")
    # As in kernels/reduce/reduce_ops.cuh.
    computed = wider(reduced.dtype) if is_sum else reduced.dtype
    combine, identity = COMBINED[reduced.name]
    return dict(
        name=name,
        kind="reduction",
        map=f"[&] {{\n{reduced.body}\n}}()",
        combine=combine,
        parameters=parameters,
        type=computed,
        output=("gpuarray_result", reduced.dtype),
        identity=identity,
        arguments=(*arrays, *(k for k, _ in trace.scalars)),
        axis=reduced.axis,
        keepdims=reduced.keepdims,
        **compilation_of(trace),
    )
