# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Arrays on GPUs with NumPy's semantics; without a GPU the same programs run on the cpu device."""

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from numpy import (
    bool_,
    complex64,
    complex128,
    e,
    float16,
    float32,
    float64,
    inf,
    int8,
    int16,
    int32,
    int64,
    nan,
    newaxis,
    pi,
    uint8,
    uint16,
    uint32,
    uint64,
)

if find_spec("gpuarray._core") is None:
    raise ImportError("this source folder is not built: start Python elsewhere, or with -P")

from gpuarray import (
    _import_hook,
    _kernel_names,
    creation,
    exchange,
    graphs,
    indexing,
    launches,
    manipulation,
    math,
    memory_kinds,
    memory_tools,
    scans,
    sharing,
    streams,
)
from gpuarray._core import (
    Device,
    Event,
    GPUArray,
    Stream,
    absolute,
    add,
    all,
    any,
    arccos,
    arccosh,
    arcsin,
    arcsinh,
    arctan,
    arctan2,
    arctanh,
    argmax,
    argmin,
    asnumpy,
    bitwise_and,
    bitwise_or,
    bitwise_xor,
    can_access_peer,
    cbrt,
    ceil,
    conjugate,
    copysign,
    cos,
    cosh,
    cumprod,
    cumsum,
    current_stream,
    degrees,
    divide,
    empty,
    empty_like,
    equal,
    exp,
    exp2,
    expm1,
    fabs,
    floor,
    floor_divide,
    fmax,
    fmin,
    fmod,
    from_dlpack,
    full,
    gcd,
    greater,
    greater_equal,
    heaviside,
    hypot,
    invert,
    isfinite,
    isinf,
    isnan,
    lcm,
    left_shift,
    less,
    less_equal,
    log,
    log1p,
    log2,
    log10,
    logaddexp,
    logaddexp2,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    max,
    maximum,
    min,
    minimum,
    multiply,
    negative,
    nextafter,
    not_equal,
    ones,
    positive,
    power,
    prod,
    radians,
    reciprocal,
    remainder,
    right_shift,
    rint,
    set_staging,
    sign,
    signbit,
    sin,
    sinh,
    spacing,
    sqrt,
    square,
    subtract,
    sum,
    synchronize,
    tan,
    tanh,
    to_device,
    trunc,
    where,
    zeros,
)
from gpuarray._core import build_config as _build_config
from gpuarray.cache import cache_info, clear_cache
from gpuarray.config import get_include, show_config
from gpuarray.creation import *
from gpuarray.device import default_device, device, devices, memory_stats, set_default_device
from gpuarray.errors import CompileError, CudaError, DeviceError, OutOfMemoryError
from gpuarray.exchange import *
from gpuarray.graphs import *
from gpuarray.indexing import *
from gpuarray.launches import *
from gpuarray.manipulation import *
from gpuarray.math import *
from gpuarray.memory import memory_info, set_memory_limit, using_allocator
from gpuarray.memory_kinds import *
from gpuarray.memory_tools import *
from gpuarray.scans import *
from gpuarray.sharing import *
from gpuarray.streams import *
from gpuarray.transfer import Transfer, transfer_guard

if TYPE_CHECKING:
    from gpuarray.kernels import *

_import_hook.register()

__version__: str = _build_config()["version"]

# Other names of NumPy, of the array API and of PyCUDA for the same functions.
abs = absolute
acos, acosh = arccos, arccosh
amax, amin = max, min
asin, asinh = arcsin, arcsinh
atan, atan2, atanh = arctan, arctan2, arctanh
bitwise_invert = bitwise_not = invert
bitwise_left_shift = left_shift
bitwise_right_shift = right_shift
concat = concatenate
conj = conjugate
deg2rad = radians
fix = trunc
mod = remainder
permute_dims = transpose
pow = power
rad2deg = degrees
to_gpu = to_device
true_divide = divide


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> Any:
    if name in _kernel_names.NAMES:
        from gpuarray import kernels

        globals().update((known, getattr(kernels, known)) for known in _kernel_names.NAMES)
        return globals()[name]
    if name == "bfloat16":  # of ml_dtypes, which is imported only when it is needed
        return empty(0, name, device="cpu").dtype.type
    raise AttributeError(f"module 'gpuarray' has no attribute {name!r}")


__all__ = [
    "CompileError",
    "CudaError",
    "Device",
    "DeviceError",
    "Event",
    "GPUArray",
    "OutOfMemoryError",
    "Stream",
    "Transfer",
    "abs",
    "absolute",
    "acos",
    "acosh",
    "add",
    "all",
    "amax",
    "amin",
    "any",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "argmax",
    "argmin",
    "asin",
    "asinh",
    "asnumpy",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "bool_",
    "cache_info",
    "can_access_peer",
    "cbrt",
    "ceil",
    "clear_cache",
    "complex64",
    "complex128",
    "concat",
    "conj",
    "conjugate",
    "copysign",
    "cos",
    "cosh",
    "cumprod",
    "cumsum",
    "current_stream",
    "default_device",
    "deg2rad",
    "degrees",
    "device",
    "devices",
    "divide",
    "e",
    "empty",
    "empty_like",
    "equal",
    "exp",
    "exp2",
    "expm1",
    "fabs",
    "fix",
    "float16",
    "float32",
    "float64",
    "floor",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "from_dlpack",
    "full",
    "gcd",
    "get_include",
    "greater",
    "greater_equal",
    "heaviside",
    "hypot",
    "inf",
    "int8",
    "int16",
    "int32",
    "int64",
    "invert",
    "isfinite",
    "isinf",
    "isnan",
    "lcm",
    "left_shift",
    "less",
    "less_equal",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logaddexp2",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "max",
    "maximum",
    "memory_info",
    "memory_stats",
    "min",
    "minimum",
    "mod",
    "multiply",
    "nan",
    "negative",
    "newaxis",
    "nextafter",
    "not_equal",
    "ones",
    "permute_dims",
    "pi",
    "positive",
    "pow",
    "power",
    "prod",
    "rad2deg",
    "radians",
    "reciprocal",
    "remainder",
    "right_shift",
    "rint",
    "set_default_device",
    "set_memory_limit",
    "set_staging",
    "show_config",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "spacing",
    "sqrt",
    "square",
    "subtract",
    "sum",
    "synchronize",
    "tan",
    "tanh",
    "to_device",
    "to_gpu",
    "transfer_guard",
    "true_divide",
    "trunc",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "using_allocator",
    "where",
    "zeros",
]
__all__ += creation.__all__
__all__ += exchange.__all__
__all__ += manipulation.__all__
__all__ += math.__all__
__all__ += memory_kinds.__all__
__all__ += memory_tools.__all__
__all__ += scans.__all__
__all__ += sharing.__all__
__all__ += streams.__all__
__all__ += launches.__all__
__all__ += graphs.__all__
__all__ += indexing.__all__
__all__ += _kernel_names.NAMES
