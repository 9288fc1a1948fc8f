# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The rows of the cpu device's benchmark that are no operations, casts, reductions or scans.

A public name of NumPy that gpuarray has is in a row here or in cpu_rows.py, or has a reason in
WITHOUT_ROWS.
"""

from cpu_operands import SIZES

F32 = ("float32",)
F64 = ("float64",)
FLOATS = ("float32", "float64")
NUMBERS = ("int32", "float32", "float64")
INEXACT = ("float16", "float32", "float64", "complex64")
SOME = ("uint8", "int32", "float32", "float64")
MOST = ("bool", "uint8", "int32", "int64", "float16", "float32", "float64", "complex64")
REAL = ("bool", "uint8", "int32", "int64", "float16", "float32", "float64")

# Views, questions about shapes and what Python does by itself take the same time for every size.
TINY = (16,)
# The work of these rows grows faster than their number of elements, or Python does it.
MODERATE = SIZES[:2]


def of(dtypes, *codes, sizes=SIZES):
    return [(code, dtypes, sizes) for code in codes]


FUNCTIONS = {
    "creation": [
        *of(FLOATS, "xp.empty_like(a)", "xp.zeros_like(a)", "xp.ones_like(a)"),
        *of(FLOATS, "xp.full_like(a, 1.5)"),
        *of(F32, "xp.empty(n)", "xp.zeros(n)", "xp.ones(n)", "xp.full(n, 1.5)", "xp.arange(n)"),
        *of(F32, "xp.zeros((rows, cols), dtype='float32')", "xp.ones(n, dtype='uint8')"),
        *of(F32, "xp.full(n, 7, dtype='int32')", "xp.arange(n, dtype='float32')"),
        *of(F32, "xp.arange(0.0, 1.0, 1 / n)", "xp.linspace(0.0, 1.0, n)"),
        *of(F32, "xp.linspace(0.0, 1.0, n, dtype='float32')", "xp.logspace(0.0, 1.0, n)"),
        *of(F32, "xp.geomspace(1.0, 10.0, n)", "xp.eye(side)", "xp.identity(side)", "xp.tri(side)"),
        *of(F32, "xp.indices((rows, cols))", "xp.mgrid[0:rows, 0:cols]"),
        *of(F32, "xp.ogrid[0:rows, 0:cols]", "xp.meshgrid(r, q)", "xp.diag(q)", "xp.diagflat(q)"),
        *of(F32, "xp.vander(q, 8)", "xp.fromfunction(lambda y, x: y + x, (rows, cols))"),
        *of(F32, "xp.bartlett(n)", "xp.blackman(n)", "xp.hamming(n)", "xp.hanning(n)"),
        *of(F32, "xp.kaiser(n, 14.0)", "xp.tril_indices(side)", "xp.triu_indices(side)"),
        *of(F32, "xp.tril_indices_from(Q)", "xp.triu_indices_from(Q)", "xp.diag_indices(side)"),
        *of(F32, "xp.diag_indices_from(Q)", "xp.mask_indices(side, xp.triu)"),
        *of(F32, "xp.array(numbers)", "xp.asarray(numbers)", sizes=MODERATE),
        *of(F32, "xp.fromiter(numbers, 'float64')", sizes=MODERATE),
        *of(F32, "xp.asarray(a)", "xp.asanyarray(a)", "xp.from_dlpack(a)", sizes=TINY),
        *of(SOME, "xp.copy(a)", "xp.array(a)", "a.copy()", "xp.ascontiguousarray(A.T)"),
        *of(FLOATS, "xp.asfortranarray(A)", "xp.tril(Q)", "xp.triu(Q)", "xp.astype(a, 'float64')"),
        *of(F32, "xp.diagonal(A)", "xp.diag(Q)", sizes=TINY),
    ],
    "views": [
        *of(F32, "a[2:9]", "a[3]", "A[1]", "A[1, 2]", "A[..., None]", "A[:, ::-1]", sizes=TINY),
        *of(F32, "a.reshape(4, 4)", "xp.reshape(a, (4, 4))", "A.T", "A.ravel()", sizes=TINY),
        *of(F32, "xp.ravel(A)", "xp.transpose(A)", "xp.swapaxes(T3, 0, 2)", sizes=TINY),
        *of(F32, "xp.moveaxis(T3, 0, 2)", "xp.rollaxis(T3, 2)", sizes=TINY),
        *of(F32, "xp.matrix_transpose(A)", "xp.expand_dims(a, 0)", sizes=TINY),
        *of(F32, "xp.squeeze(a[None])", "xp.atleast_1d(a)", "xp.atleast_2d(a)", sizes=TINY),
        *of(F32, "xp.atleast_3d(a)", "xp.broadcast_to(r, (rows, cols))", sizes=TINY),
        *of(F32, "xp.broadcast_arrays(A, r)", "xp.broadcast_shapes((4, 1), (1, 5))", sizes=TINY),
        *of(F32, "xp.flip(a)", "xp.fliplr(A)", "xp.flipud(A)", "xp.rot90(A)", sizes=TINY),
        *of(F32, "xp.split(a, 4)", "xp.array_split(a, 3)", "xp.hsplit(A, 2)", sizes=TINY),
        *of(F32, "xp.vsplit(A, 2)", "xp.dsplit(T3, 2)", "xp.unstack(A)", sizes=TINY),
        *of(("float32", "complex64"), "xp.real(a)", "xp.imag(a)", "a.real", sizes=TINY),
        *of(F32, "xp.shape(A)", "xp.size(A)", "xp.ndim(A)", "len(a)", "a.shape", sizes=TINY),
        *of(F32, "a.dtype", "xp.iterable(a)", "xp.isscalar(a)", "xp.isfortran(A)", sizes=TINY),
        *of(F32, "xp.iscomplexobj(a)", "xp.isrealobj(a)", "xp.shares_memory(a, b)", sizes=TINY),
        *of(F32, "xp.may_share_memory(a, b)", "list(a)", "a.view('int32')", sizes=TINY),
        *of(F32, "xp.ix_(down, along)", sizes=TINY),
    ],
    "manipulation": [
        *of(SOME, "xp.concatenate([a, b])", "xp.stack([a, b])", "xp.stack([a, b], axis=1)"),
        *of(SOME, "xp.roll(a, 3)", "xp.repeat(a, 2)", "xp.tile(a, 2)", "xp.pad(A, 1)"),
        *of(F32, "xp.concatenate([A, B], axis=1)", "xp.concatenate([a] * 8)", "xp.concat([a, b])"),
        *of(F32, "xp.vstack([a, b])", "xp.hstack([a, b])", "xp.dstack([A, B])"),
        *of(F32, "xp.column_stack([a, b])", "xp.block([[A, B], [B, A]])", "xp.append(a, b)"),
        *of(F32, "xp.insert(a, 3, 1.0)", "xp.insert(a, j, 1.0)", "xp.delete(a, 3)"),
        *of(F32, "xp.delete(a, slice(2, 9))", "xp.delete(a, j)", "xp.roll(A, 1, axis=1)"),
        *of(F32, "xp.repeat(A, 2, axis=0)", "xp.repeat(A, 2, axis=1)", "xp.repeat(a, i)"),
        *of(F32, "xp.tile(A, (2, 2))", "xp.pad(A, 2, mode='edge')", "xp.pad(A, 2, mode='wrap')"),
        *of(F32, "xp.pad(A, 2, mode='reflect')", "xp.resize(a, 2 * n)", "xp.trim_zeros(a)"),
        *of(F32, "xp.copy(xp.flip(A, axis=1))", "A.flatten()", "A.T.ravel()", "a.tobytes()"),
        *of(F32, "xp.apply_over_axes(xp.sum, T3, [0, 2])"),
        *of(F32, "xp.apply_along_axis(xp.sum, 1, A)", "xp.vectorize(abs)(a)", sizes=TINY),
        *of(F32, "a.tolist()", sizes=MODERATE),
    ],
    "indexing": [
        *of(SOME, "xp.take(a, k)", "a[k]", "a[m]", "c[k] = b", "c[m] = 3"),
        *of(F32, "xp.take(A, down, axis=0)", "xp.take(A, along, axis=1)", "A[down]", "A[:, along]"),
        *of(F32, "A[down[:, None], along]", "A[M]", "a[j]", "c[j] = t", "C[down] = A"),
        *of(FLOATS, "xp.take_along_axis(A, K0, axis=0)", "xp.take_along_axis(A, K1, axis=1)"),
        *of(F32, "xp.compress(m, a)", "xp.extract(m, a)", "xp.choose(i, [a, b, c, d])"),
        *of(F32, "xp.select([m, g], [a, b], 0.0)", "xp.piecewise(a, [m, ~m], [1.0, 2.0])"),
        *of(F32, "xp.place(c, m, t)", "xp.put(c, j, t)", "xp.putmask(c, m, b)"),
        *of(F32, "xp.put_along_axis(C, K1, 1.0, axis=1)", "xp.copyto(c, a)"),
        *of(F32, "xp.copyto(c, a, where=m)", "xp.fill_diagonal(C, 1.0)", "c.fill(2.5)"),
        *of(F32, "xp.where(m, a, 0.0)", "xp.where(M, A, r)", "xp.where(m)", "xp.nonzero(m)"),
        *of(F32, "xp.nonzero(M)", "xp.flatnonzero(m)", "xp.argwhere(M)", "c[m] = a[m]"),
        *of(F32, "xp.ravel_multi_index((K0 % rows, K1 % cols), (rows, cols))"),
        *of(F32, "xp.unravel_index(k, (rows, cols))", "c[2:9] = 1.5", "np.add.at(c, j, 1.0)"),
    ],
    "products": [
        *of(("float32", "float64", "complex64"), "P @ Q"),
        *of(F32, "P.T @ Q", "xp.matmul(P, Q)", "xp.dot(P, Q)", "xp.inner(P, Q)"),
        *of(F32, "xp.tensordot(P, Q, 1)", "xp.einsum('ij,jk->ik', P, Q)", "S64 @ S64"),
        *of(("float16", "int32", "bool"), "P @ Q", sizes=MODERATE),
        *of(FLOATS, "xp.dot(a, b)", "xp.vdot(a, b)", "xp.inner(a, b)", "A @ r", "Q @ q"),
        *of(FLOATS, "xp.outer(q, q)", "xp.matvec(A, r)", "xp.vecmat(q, Q)", "xp.vecdot(A, B)"),
        *of(FLOATS, "xp.einsum('i,i', a, b)", "xp.einsum('ij->j', A)"),
        *of(FLOATS, "xp.einsum('ij,ij->i', A, B)"),
        *of(FLOATS, "xp.kron(q, q)", "xp.cross(V3, W3)", "xp.trace(Q)", "xp.einsum('ii', Q)"),
        *of(("int32", "complex64"), "xp.dot(a, b)", "xp.vdot(a, b)"),
        *of(F32, "xp.einsum_path('ij,jk,kl->il', P, Q, P)", sizes=TINY),
    ],
    "mathematics": [
        *of(NUMBERS, "xp.diff(a)", "xp.diff(A, axis=0)", "xp.diff(A, axis=1)"),
        *of(FLOATS, "xp.ediff1d(a)", "xp.gradient(a)", "xp.gradient(A)", "xp.trapezoid(a)"),
        *of(FLOATS, "xp.convolve(a, p)", "xp.correlate(a, p)", "xp.interp(a, edges, f)"),
        *of(FLOATS, "xp.polyval(p, a)", "xp.unwrap(a)", "xp.sinc(a)", "xp.nan_to_num(a)"),
        *of(F64, "xp.polyadd(p, p)", "xp.polysub(p, p)", "xp.polymul(p, p)", sizes=TINY),
        *of(F64, "xp.polyder(p)", "xp.polyint(p)", sizes=TINY),
        *of(FLOATS, "xp.round(a, 2)", "xp.around(a)", "xp.fix(a)", "xp.modf(a)"),
        *of(FLOATS, "xp.float_power(x, b)", "xp.divmod(a, b)", "xp.isclose(a, b)"),
        *of(FLOATS, "xp.allclose(a, b)", "xp.array_equal(a, a.copy())", "xp.array_equiv(a, b)"),
        *of(("float32", "complex64"), "xp.isreal(a)", "xp.iscomplex(a)", "xp.angle(a)"),
        *of(("float32", "complex64"), "xp.real_if_close(a)", "xp.nan_to_num(a)"),
        *of(F32, "xp.isneginf(a)", "xp.isposinf(a)", "xp.angle(a, deg=True)", "xp.clip(a, -1, 1)"),
        *of(F32, "xp.clip(a, None, 1)", "a ** 2", "a ** 0.5", "a ** 3", "a.clip(-1, 1)"),
        *of(F32, "a * np.float32(2)", "a + 1j", "xp.frexp(a)", "a.round()"),
        *of(("int32", "int64"), "a // 7", "a % 7", "a / 7", "a // -10", "a ** 2"),
        *of(("int32", "int64"), "xp.divmod(a, 7)"),
        *of(("uint8", "bool"), "xp.packbits(a)", "xp.unpackbits(a.view('uint8'))"),
    ],
    "sorting": [
        *of(REAL, "xp.sort(a)", "xp.argsort(a)"),
        *of(SOME, "xp.sort(A, axis=0)", "xp.sort(A, axis=1)", "xp.partition(a, n // 2)"),
        *of(SOME, "xp.argpartition(a, n // 2)", "xp.searchsorted(s, a)", "xp.unique(a)"),
        *of(FLOATS, "xp.argsort(A, axis=1)", "xp.argsort(A, axis=0)", "xp.lexsort((a, b))"),
        *of(FLOATS, "xp.sort(a, kind='stable')", "xp.argsort(a, kind='stable')", "xp.sort(s)"),
        *of(("float32", "complex64"), "xp.sort_complex(a)"),
        *of(F32, "xp.unique(few)", "xp.unique(few, return_inverse=True, return_counts=True)"),
        *of(F32, "xp.unique(A, axis=0)", sizes=MODERATE),
        *of(FLOATS, "xp.unique_all(a)", "xp.unique_counts(a)", "xp.unique_values(a)"),
        *of(FLOATS, "xp.unique_inverse(a)"),
        *of(("int32", "float64"), "xp.intersect1d(a, b)", "xp.union1d(a, b)"),
        *of(("int32", "float64"), "xp.setdiff1d(a, b)", "xp.setxor1d(a, b)", "xp.isin(a, b)"),
        *of(F32, "xp.digitize(a, edges)", "xp.searchsorted(edges, a)"),
        *of(F32, "a.argsort()", "a.copy().sort()"),
    ],
    "stacks of 256 small matrices": [
        *(
            entry
            for name in ("D4", "D8", "D16")
            for codes in ((f"{name} @ {name}", f"xp.linalg.det({name})"),)
            for entry in of(FLOATS, *codes, sizes=TINY)
        ),
    ],
    "random orders of 1000 and 10^6 elements": [
        *of(F64, "xp.random.permutation(1000)", "xp.random.permutation(10**6)", sizes=TINY),
        *of(F64, "xp.random.permutation(e3)", "xp.random.permutation(e6)", sizes=TINY),
        *of(F64, "xp.random.shuffle(e3)", "xp.random.shuffle(e6)", sizes=TINY),
    ],
    "statistics": [
        *of(FLOATS, "xp.median(a)", "xp.median(A, axis=0)", "xp.median(A, axis=1)"),
        *of(FLOATS, "xp.percentile(a, 25)", "xp.percentile(a, [25, 50, 75])"),
        *of(FLOATS, "xp.nanmedian(a)", "xp.nanpercentile(a, 25)", "xp.nanquantile(a, 0.9)"),
        *of(FLOATS, "xp.quantile(a, 0.9)"),
        *of(FLOATS, "xp.nanmax(a)", "xp.nanmin(a)", "xp.nansum(a)", "xp.nanmean(a)"),
        *of(FLOATS, "xp.nanstd(a)", "xp.nanvar(a)", "xp.nanargmax(a)", "xp.nanargmin(a)"),
        *of(FLOATS, "xp.nansum(A, axis=0)", "xp.nansum(A, axis=1)", "xp.nanmean(A, axis=0)"),
        *of(FLOATS, "xp.nanprod(x)", "xp.average(a)", "xp.average(a, weights=w)"),
        *of(SOME, "xp.ptp(a)", "xp.count_nonzero(a)", "xp.ptp(A, axis=0)"),
        *of(("bool", "int32"), "xp.count_nonzero(a)", "xp.count_nonzero(A, axis=0)"),
        *of(FLOATS, "xp.cov(Q)", "xp.corrcoef(Q)", "xp.cov(a, b)"),
        *of(NUMBERS, "xp.histogram(a, 100)", "xp.histogram_bin_edges(a, 100)"),
        *of(F32, "xp.histogram(a, edges)", "xp.histogram2d(a, b, 10)"),
        *of(F32, "xp.bincount(few)", "xp.bincount(few, weights=w)"),
        *of(F32, "xp.bincount(few, minlength=99)", "xp.histogramdd(points, 10)"),
    ],
}  # fmt: skip

WITHOUT_ROWS = {
    "Numbers, dtypes and classes, which compute nothing": (
        "False_ True_ bool bool_ byte cdouble complex128 complex64 complexfloating csingle double "
        "dtype e euler_gamma finfo float16 float32 float64 floating generic half iinfo inexact inf "
        "int16 int32 int64 int8 int_ intc integer intp long longlong nan ndarray newaxis number pi "
        "short signedinteger single ubyte ufunc uint uint16 uint32 uint64 uint8 uintc uintp ulong "
        "ulonglong unsignedinteger ushort"
    ),
    "Questions about dtypes, answered by NumPy's own functions or without an array": (
        "can_cast common_type isdtype issubdtype min_scalar_type mintypecode promote_types "
        "result_type typename"
    ),
    "About the installation": "get_include show_config",
    "Modes of warnings, which change nothing here": "errstate geterr seterr",
    "Modules, and fits; on the cpu device they are NumPy's own": (
        "fft lib testing poly polydiv polyfit roots"
    ),
    "Helpers of indexing that only hold what they are given": "index_exp ndindex s_",
    "Files and text, which NumPy reads and writes": (
        "array2string array_repr array_str base_repr binary_repr format_float_positional "
        "format_float_scientific frombuffer fromfile fromstring genfromtxt get_printoptions load "
        "loadtxt printoptions save savetxt savez savez_compressed set_printoptions"
    ),
    "Made of functions that have rows": "asarray_chkfinite c_ r_ require",
}
