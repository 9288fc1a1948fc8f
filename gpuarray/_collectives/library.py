# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""NCCL through the low-level module of nccl4py, with its errors as CudaError."""

import contextlib
import functools
from collections.abc import Iterator
from typing import Any

from gpuarray import _core
from gpuarray._core import Device
from gpuarray.errors import CudaError

__all__ = [
    "DTYPES",
    "NO_ERROR",
    "OPS",
    "bindings",
    "current_device",
    "error_of",
    "raising",
    "status_name",
]

# NCCL's numbers: ncclDataType_t, ncclRedOp_t and ncclResult_t.
DTYPES = {
    "int8": 0,
    "uint8": 1,
    "int32": 2,
    "uint32": 3,
    "int64": 4,
    "uint64": 5,
    "float16": 6,
    "float32": 7,
    "float64": 8,
    "bfloat16": 9,
}
OPS = {"sum": 0, "prod": 1, "max": 2, "min": 3, "avg": 4}
_STATUSES = (
    *("ncclSuccess", "ncclUnhandledCudaError", "ncclSystemError", "ncclInternalError"),
    *("ncclInvalidArgument", "ncclInvalidUsage", "ncclRemoteError", "ncclInProgress"),
    "ncclTimeout",
)
NO_ERROR = (0, 7)  # ncclSuccess and ncclInProgress


@functools.cache
def bindings() -> Any:
    """Return the module nccl.bindings.nccl; ImportError where it or NCCL itself is missing."""
    try:
        from nccl.bindings import nccl

        nccl.get_version()
    except (ImportError, RuntimeError) as error:
        raise ImportError(
            f"gpuarray.collectives needs nccl4py and NCCL, which pip install 'gpuarray-cuda[nccl]'"
            f" brings: {error}"
        ) from error
    return nccl


@contextlib.contextmanager
def current_device(device: Device) -> Iterator[None]:
    """Make the device current for other libraries in the block: NCCL takes that one, else 0."""
    previous = _core._set_context(_core._context(device))
    try:
        yield
    finally:
        _core._set_context(previous)


def status_name(status: int) -> str:
    """Return NCCL's name of a status."""
    return _STATUSES[status] if 0 <= status < len(_STATUSES) else f"ncclResult {status}"


def error_of(what: str, status: int, comm: Any = None) -> CudaError:
    """Return the CudaError of a status that a call or a communicator has given."""
    nccl, name = bindings(), status_name(status)
    text = nccl.get_error_string(status)
    with contextlib.suppress(nccl.NCCLError):
        last = nccl.get_last_error(comm) if comm is not None else ""
        text = f"{text}: {last.strip()}" if last.strip() else text
    return CudaError(f"{what}: {name}: {text}", status, name)


@contextlib.contextmanager
def raising(what: str, comm: Any = None) -> Iterator[None]:
    """Turn NCCL's errors in the block into CudaError."""
    try:
        yield
    except bindings().NCCLError as error:
        raise error_of(what, error.status, comm) from error
