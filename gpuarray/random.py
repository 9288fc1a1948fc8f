# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Random numbers: NumPy's Generator and older functions, with NumPy's numbers."""

import typing as _typing

from gpuarray._common.attributes import unknown_attribute as _unknown_attribute
from gpuarray._random.bit_generators import *
from gpuarray._random.generator import *
from gpuarray._random.legacy import *

if not _typing.TYPE_CHECKING:

    def __getattr__(name):
        raise _unknown_attribute(__name__, name)
