# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""What GPUARRAY_LOG asks for, written by the logger "gpuarray" of Python's logging."""

import logging
import os

__all__ = ["write"]


def write(level: int, line: str) -> None:
    """Log a line at a level of logging, on stderr where the program has set up no handler."""
    _logger().log(level, "%s", line)


def _logger() -> logging.Logger:
    logger = logging.getLogger("gpuarray")
    if logger.level == logging.NOTSET:
        logger.setLevel((os.environ.get("GPUARRAY_LOG") or "info").upper())
    if not logger.hasHandlers():
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(asctime)s gpuarray: %(message)s"))
        logger.addHandler(handler)
        logger.propagate = False  # to handlers that the program sets up later, beside this one
    return logger
