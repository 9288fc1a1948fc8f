# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Sums, copies and exchanges of arrays between processes, each with a GPU, over NVIDIA's NCCL.

gpuarray imports this module when it is first used as gpuarray.collectives, and nccl4py when the
first communicator is made.
"""

import typing as _typing

from gpuarray._collectives.communicator import *
from gpuarray._collectives.starting import *
from gpuarray._common.attributes import unknown_attribute as _unknown_attribute

if not _typing.TYPE_CHECKING:

    def __getattr__(name):
        raise _unknown_attribute(__name__, name)
