# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Control over implicit copies from a device to the host."""

import contextlib
from collections.abc import Iterator
from typing import Literal

from gpuarray import _core

__all__ = ["transfer_guard"]


@contextlib.contextmanager
def transfer_guard(mode: Literal["allow", "log", "disallow"]) -> Iterator[None]:
    """Govern implicit copies from CUDA devices to the host in this thread.

    Implicit are those that no transfer function was called for: ``numpy.asarray(a)``,
    ``memoryview(a)``, ``file.write(a)`` and the like. "allow" lets them pass, "log" reports each
    with its shape and dtype to the logger "gpuarray", "disallow" raises ``BufferError``. Arrays of
    the cpu device are shared without a copy and never concerned; nor are ``a.get()`` and
    ``gpuarray.asnumpy``.
    """
    before = _core._set_transfer_guard(mode)
    try:
        yield
    finally:
        _core._set_transfer_guard(before)


def log_transfer(message: str) -> None:
    """Report one implicit copy."""
    import logging  # slow to import, and seldom needed

    logging.getLogger("gpuarray").warning(message)
