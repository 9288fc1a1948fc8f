# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Discrete Fourier transforms, as numpy.fft.

gpuarray imports this module when it is first used as gpuarray.fft.
"""

import typing as _typing

from gpuarray._common.attributes import unknown_attribute as _unknown_attribute
from gpuarray._fourier.frequencies import *
from gpuarray._fourier.plans import *
from gpuarray._fourier.transforms import *

if not _typing.TYPE_CHECKING:

    def __getattr__(name):
        raise _unknown_attribute(__name__, name)
