# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Diagnosis of launches: the recent ones are remembered, to find the one that failed."""

from gpuarray._core import (
    launch_blocking,
    launch_lines,
    pending_launches,
    set_launch_blocking,
    set_launch_lines,
)
from gpuarray.errors import Launch

__all__ = [
    "Launch",
    "launch_blocking",
    "launch_lines",
    "pending_launches",
    "set_launch_blocking",
    "set_launch_lines",
]
