# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Access to the CUDA context that is current in a thread, as other libraries set it."""

import ctypes
import os

_VERSION = 12000


def _function(name):
    library = ctypes.CDLL(os.environ.get("GPUARRAY_LIBCUDA", "libcuda.so.1"))
    address, found = ctypes.c_void_p(), ctypes.c_int()
    library.cuGetProcAddress_v2(
        name.encode(), ctypes.byref(address), _VERSION, ctypes.c_uint64(0), ctypes.byref(found)
    )
    return ctypes.CFUNCTYPE(ctypes.c_int)(address.value)


def primary_context(index: int) -> int:
    """Return the context that all libraries of the process share on cuda:`index`."""
    context = ctypes.c_uint64()
    assert _function("cuDevicePrimaryCtxRetain")(ctypes.byref(context), index) == 0
    return context.value


def current_context() -> int:
    """Return the current context, 0 for none."""
    context = ctypes.c_uint64()
    assert _function("cuCtxGetCurrent")(ctypes.byref(context)) == 0
    return context.value


def set_current_context(context: int) -> None:
    assert _function("cuCtxSetCurrent")(ctypes.c_uint64(context)) == 0
