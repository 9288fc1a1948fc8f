# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The log of compilations and of the kernel cache, written by the logger "gpuarray" of logging."""

import logging
import os

__all__ = ["write"]

_FORMAT = logging.Formatter("%(asctime)s gpuarray: %(message)s")


def write(level: int, line: str) -> bool:
    """Log a line if the logger takes its level; return whether it does.

    The level is the program's, else that of GPUARRAY_LOG. Lines go to stderr while the program has
    set up no handler. Configures nothing: loggers and handlers stay as the program leaves them.
    """
    logger = logging.getLogger("gpuarray")
    asked = os.environ.get("GPUARRAY_LOG")
    if asked and logger.level == logging.NOTSET:
        is_taken = level >= logging.getLevelName(asked.upper()) and logger.manager.disable < level
    else:
        is_taken = logger.isEnabledFor(level)
    if not is_taken:
        return False
    record = logger.makeRecord("gpuarray", level, __file__, 0, line, (), None, "write")
    if logger.hasHandlers():
        logger.handle(record)
    else:
        handler = logging.StreamHandler()
        handler.setFormatter(_FORMAT)
        handler.handle(record)
    return True
