# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Aliases of functions: other names in NumPy, in the array API and in PyCUDA."""

from gpuarray import _core
from gpuarray._manipulation import manipulation

__all__ = [
    "abs",
    "acos",
    "acosh",
    "amax",
    "amin",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_right_shift",
    "concat",
    "conj",
    "deg2rad",
    "fix",
    "mod",
    "ndarray",
    "permute_dims",
    "pow",
    "rad2deg",
    "to_gpu",
    "true_divide",
]

abs = _core.absolute
acos, acosh = _core.arccos, _core.arccosh
amax, amin = _core.max, _core.min
asin, asinh = _core.arcsin, _core.arcsinh
atan, atan2, atanh = _core.arctan, _core.arctan2, _core.arctanh
bitwise_invert = bitwise_not = _core.invert
bitwise_left_shift = _core.left_shift
bitwise_right_shift = _core.right_shift
concat = manipulation.concatenate
conj = _core.conjugate
deg2rad = _core.radians
fix = _core.trunc
mod = _core.remainder
ndarray = _core.GPUArray
permute_dims = manipulation.transpose
pow = _core.power
rad2deg = _core.degrees
to_gpu = _core.to_device
true_divide = _core.divide
