# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The log of compilations and of the kernel cache, written by the logger "gpuarray" of logging."""

import logging
import os

__all__ = ["write"]


def write(level: int, line: str) -> bool:
    """Log a line if the logger takes its level; return whether it does.

    The level is the program's, else that of GPUARRAY_LOG. Lines go to stderr where the program has
    set up no handler.
    """
    logger = logging.getLogger("gpuarray")
    asked = os.environ.get("GPUARRAY_LOG")
    if asked and logger.level == logging.NOTSET:
        logger.setLevel(asked.upper())
    if not logger.isEnabledFor(level):
        return False
    if not logger.hasHandlers():
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(asctime)s gpuarray: %(message)s"))
        logger.addHandler(handler)
        logger.propagate = False  # to handlers that the program sets up later, beside this one
    logger.log(level, "%s", line)
    return True
