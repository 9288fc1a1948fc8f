# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Random numbers: NumPy's Generator and older functions, with NumPy's numbers."""

from gpuarray._random.bit_generators import *
from gpuarray._random.generator import *
from gpuarray._random.legacy import *
