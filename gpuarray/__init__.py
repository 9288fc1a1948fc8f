# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Arrays on GPUs with NumPy's semantics; without a GPU the same programs run on the cpu device."""

import os as _os
import sys as _sys
import typing as _typing
from importlib import import_module as _import_module
from types import ModuleType as _ModuleType

try:
    from gpuarray import _core
except ImportError as _error:
    if _error.name != __name__:  # something that _core needs is missing
        raise
    raise ImportError(
        "this source folder is not built: start Python elsewhere, or with -P"
    ) from None

from gpuarray._common import core_names as _core_names
from gpuarray._common import fork_locks as _fork_locks  # noqa: F401, its handlers see each fork
from gpuarray._common import later_names as _later_names
from gpuarray._common import package as _package
from gpuarray._common.attributes import unknown_attribute as _unknown_attribute
from gpuarray._protocols import import_hook as _import_hook

# Every public name is bound in this module, most of them by one star import for each module.
if _typing.TYPE_CHECKING:
    from gpuarray import collectives as collectives
    from gpuarray import cuda as cuda
    from gpuarray import dask as dask
    from gpuarray import fft as fft
    from gpuarray import lib as lib
    from gpuarray import linalg as linalg
    from gpuarray import memory as memory
    from gpuarray import profiler as profiler
    from gpuarray import pycuda as pycuda
    from gpuarray import random as random
    from gpuarray import testing as testing
    from gpuarray import zarr as zarr
    from gpuarray._core import *
    from gpuarray._creation.files import *
    from gpuarray._creation.matrices import *
    from gpuarray._creation.ranges import *
    from gpuarray._creation.texts import *
    from gpuarray._creation.windows import *
    from gpuarray._dtypes.dtype_functions import *
    from gpuarray._dtypes.inspection import *
    from gpuarray._indexing.concatenators import *
    from gpuarray._indexing.grids import *
    from gpuarray._indexing.index_arrays import *
    from gpuarray._indexing.indexing import *
    from gpuarray._linalg.fits import *
    from gpuarray._manipulation.broadcasting import *
    from gpuarray._manipulation.editing import *
    from gpuarray._manipulation.functional import *
    from gpuarray._manipulation.manipulation import *
    from gpuarray._manipulation.padding import *
    from gpuarray._manipulation.rearranging import *
    from gpuarray._manipulation.splitting import *
    from gpuarray._manipulation.stacking import *
    from gpuarray._manipulation.strides import *
    from gpuarray._math.aliases import *
    from gpuarray._math.bits import *
    from gpuarray._math.comparisons import *
    from gpuarray._math.differences import *
    from gpuarray._math.einsums import *
    from gpuarray._math.error_state import *
    from gpuarray._math.gradients import *
    from gpuarray._math.math import *
    from gpuarray._math.polynomials import *
    from gpuarray._math.products import *
    from gpuarray._math.rounding import *
    from gpuarray._math.scans import *
    from gpuarray._math.signal import *
    from gpuarray._math.special import *
    from gpuarray._protocols.mpi import *
    from gpuarray._protocols.printing import *
    from gpuarray._runtime.cache import cache_info as cache_info
    from gpuarray._runtime.cache import clear_cache as clear_cache
    from gpuarray._runtime.config import get_include as get_include
    from gpuarray._runtime.config import show_config as show_config
    from gpuarray._runtime.graphs import *
    from gpuarray._runtime.memory_kinds import *
    from gpuarray._runtime.memory_tools import *
    from gpuarray._runtime.prefetch import *
    from gpuarray._runtime.sharing import *
    from gpuarray._runtime.transfer import Transfer as Transfer
    from gpuarray._runtime.transfer import transfer_guard as transfer_guard
    from gpuarray._runtime.windows import FusionStats as FusionStats
    from gpuarray._runtime.windows import fusion as fusion
    from gpuarray._runtime.windows import fusion_stats as fusion_stats
    from gpuarray._sorting.distinct import *
    from gpuarray._sorting.searching import *
    from gpuarray._sorting.selection import *
    from gpuarray._sorting.sets import *
    from gpuarray._sorting.sorting import *
    from gpuarray._statistics.histograms import *
    from gpuarray._statistics.interpolation import *
    from gpuarray._statistics.nanfunctions import *
    from gpuarray._statistics.nanquantiles import *
    from gpuarray._statistics.quantiles import *
    from gpuarray._statistics.statistics import *
    from gpuarray._ufuncs.assignment import *
    from gpuarray.cuda._namespace import *
    from gpuarray.kernels import *
    from gpuarray.memory import memory_info as memory_info
    from gpuarray.memory import set_memory_limit as set_memory_limit
    from gpuarray.memory import using_allocator as using_allocator
else:
    globals().update((name, getattr(_core, name)) for name in _core_names.NAMES)

from gpuarray._common.constants import *
from gpuarray._common.dtypes import *
from gpuarray._creation.creation import *
from gpuarray._protocols.namespace import __array_api_version__ as __array_api_version__
from gpuarray._protocols.namespace import __array_namespace_info__ as __array_namespace_info__
from gpuarray._runtime.device import *
from gpuarray._runtime.streams import *
from gpuarray.errors import CompileError as CompileError
from gpuarray.errors import CudaError as CudaError
from gpuarray.errors import DeviceError as DeviceError
from gpuarray.errors import Launch as Launch
from gpuarray.errors import OutOfMemoryError as OutOfMemoryError

_MODULE_OF = {name: module for module, names in _later_names.NAMES.items() for name in names}

__all__ = [  # pyright: ignore[reportUnsupportedDunderAll]
    *(
        name
        for name, value in globals().items()
        if not name.startswith("_") and not isinstance(value, _ModuleType)
    ),
    "driver",
    *_MODULE_OF,
]
__version__: str = _core.build_config()["version"]

_package.module = _sys.modules[__name__]
if _os.environ.get("GPUARRAY_RECORD_MEMORY", "") not in ("", "0"):
    _core._record_memory(True)


# Modules that are imported when they are first used as an attribute of this one.
_MODULES = (
    *("collectives", "cuda", "driver", "fft", "kernels", "lib", "linalg", "memory", "profiler"),
    *("pycuda", "random", "testing"),
)
# These need another library, and are not listed by dir().
_OPTIONAL = ("dask", "zarr")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})


if _typing.TYPE_CHECKING:
    bfloat16: type[_typing.Any]
else:
    # Type checkers do not see this: for them a module with __getattr__ would have every name.

    def __getattr__(name):
        if name in _MODULES or name in _OPTIONAL:
            return _import_module(f"gpuarray.{name}")
        if name in _MODULE_OF:
            module = _import_module(f"gpuarray.{_MODULE_OF[name]}")
            for known in _later_names.NAMES[_MODULE_OF[name]]:
                globals().setdefault(known, getattr(module, known))
            return globals()[name]
        # bfloat16 is a type of ml_dtypes, which is imported only when it is needed.
        if name == "bfloat16":
            return _core.empty(0, name, device="cpu").dtype.type
        raise _unknown_attribute(__name__, name)


# Last, because what it imports now may use any name above.
_import_hook.register()
