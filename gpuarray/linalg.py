# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Linear algebra of stacks of matrices: the functions of numpy.linalg, and some of scipy.linalg.

Every function takes GPUArrays of one device, computes in float32, float64, complex64 or complex128
(integers and bools are as float64; floats of 16 bits are a TypeError in most), and queues its work
on the current stream, or on that of the keyword `stream`. docs/linalg.md says what waits for the
device.
"""

import typing as _typing

from numpy.linalg import LinAlgError

from gpuarray._common.attributes import unknown_attribute as _unknown_attribute
from gpuarray._linalg.exponentials import expm
from gpuarray._linalg.factorizations import QRResult, cholesky, qr
from gpuarray._linalg.least_squares import lstsq, matrix_rank, pinv
from gpuarray._linalg.lu_factors import lu, lu_factor, lu_solve
from gpuarray._linalg.norms import cond, matrix_norm, norm, vector_norm
from gpuarray._linalg.products import (
    cross,
    diagonal,
    matmul,
    matrix_power,
    matrix_transpose,
    multi_dot,
    outer,
    tensordot,
    trace,
    vecdot,
)
from gpuarray._linalg.solving import (
    SlogdetResult,
    det,
    inv,
    slogdet,
    solve,
    tensorinv,
    tensorsolve,
)
from gpuarray._linalg.spectra import (
    EighResult,
    EigResult,
    SVDResult,
    eig,
    eigh,
    eigvals,
    eigvalsh,
    svd,
    svdvals,
)
from gpuarray._linalg.triangular import cho_factor, cho_solve, solve_triangular

__all__ = [
    "EigResult",
    "EighResult",
    "LinAlgError",
    "QRResult",
    "SVDResult",
    "SlogdetResult",
    "cho_factor",
    "cho_solve",
    "cholesky",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "expm",
    "inv",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_solve",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "multi_dot",
    "norm",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "solve_triangular",
    "svd",
    "svdvals",
    "tensordot",
    "tensorinv",
    "tensorsolve",
    "trace",
    "vecdot",
    "vector_norm",
]


if not _typing.TYPE_CHECKING:

    def __getattr__(name):
        raise _unknown_attribute(__name__, name)
