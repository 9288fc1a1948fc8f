# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The rows of the benchmark: an expression, its form in other libraries, and the target time.

In expressions `xp` is the library, `up` copies from NumPy to the device. Small letters are arrays
of 16 elements (`m` has 4 x 4, `k` 32 x 32), capital ones of `n`: the size of the run, a power of 4.
`x`, `X` and `Y` are NumPy's. Every operand holds random numbers, never zeros.
"""

from dataclasses import dataclass, field

HOST = "Host time of one call on 16 elements"
DEVICE = "Time on 2^28 float32, or as many bytes"
OTHER = "Other costs"
UNITS = {HOST: "us", DEVICE: "ms", OTHER: ""}


@dataclass(frozen=True)
class Target:
    """A target time of at most `factor` times `of`.

    `of` is "launch", "bytes" (the time of moving the bytes), "peer" (the best peer), a library's
    name, or "" for an absolute value in the unit of the row.
    """

    factor: float
    of: str = ""

    def __str__(self) -> str:
        if not self.of:
            return f"<= {self.factor:g}"
        name = {"peer": "best peer", "bytes": "bytes moved", "launch": "cuLaunchKernel"}
        factor = "" if self.factor == 1 else f"{self.factor:.3g} x "
        return f"<= {factor}{name.get(self.of, self.of)}"


@dataclass(frozen=True)
class Row:
    name: str
    group: str
    expression: str  # an expression or a statement
    target: Target | None = None
    moved: float = 0  # bytes read and written on the device, for each of `n`
    bus: str = ""  # "in" or "out" if the bytes go over the bus, else ""
    # None stands for a library that has no such form.
    others: dict[str, str | None] = field(default_factory=dict)

    def of(self, library: str) -> str | None:
        return self.others.get(library, self.expression)


def host(name, expression=None, target=None, **others):
    return Row(name, HOST, expression or name, target, others=others)


def device(name, expression=None, target=None, moved=0.0, bus="", **others):
    return Row(name, DEVICE, expression or name, target, moved, bus, others)


PEER = Target(1, "peer")
ONE = Target(1.25, "launch")  # for calls that need one kernel
BYTES = Target(1.1, "bytes")
SHORT = Target(1.2, "bytes")  # for short rows and one pass of several operations
MUTABLE = {"jax": None}  # JAX has no such rows, since its arrays never change.

# Each library compiles each of these functions to one kernel.
FUSED = {
    "fused": lambda a, b: ((a * b + a) * b - a) / b,
    "series": lambda a, b: (a * b + a) * b - a / b,
    "add_twice": lambda a, b: a + 2 * b,
}
# The user's kernels, for the libraries that have ElementwiseKernel.
KERNELS = {"add_twice_kernel": ("T x, T y", "T z", "z = x + 2 * y", "add_twice")}

HOST_ROWS = [
    host("a + b", None, Target(1.15, "launch")),
    host("a * 2.0", None, Target(1.2, "launch")),
    host("m + b[:1]", "m + b[:1]", Target(1.6, "launch")),
    host("((a*b + a)*b - a)/b", None, Target(6, "launch")),
    host("the same, fused", "fused(a, b)", Target(1.5, "launch"), numpy=None),
    host("a[2:9]", None, Target(0.25)),
    host("a.reshape(4, 4)", None, Target(0.25)),
    host("a.sum()", None, ONE),
    host("exp(a)", "xp.exp(a)", Target(1.3, "launch")),
    host("a += b", "c += b", Target(1.2, "launch"), **MUTABLE),
    host("host -> device, 64 B", "up(x)", Target(0.6, "peer")),
    host("device -> host, 64 B", "a.get()", Target(0.8, "peer"), torch="a.cpu().numpy()", jax=None,
         numpy="a.copy()"),
    # The rows below cover further operations.
    host("add(a, b, out=c)", "xp.add(a, b, out=c)", **MUTABLE),
    host("a > b"),
    host("m + m.T"),
    host("a + d (float64)", "a + d", ONE),
    host("m.sum(axis=0)"),
    host("a.cumsum()", torch="a.cumsum(0)"),
    host("a.argmax()"),
    host("where(a > b, a, b)", "xp.where(a > b, a, b)", Target(2.5, "launch")),
    host("a[i]", None, ONE),
    host("a[q]", jax=None),
    host("float32 -> float64, 16", "a.astype(xp.float64)", torch="a.to(xp.float64)"),
    host("a[2:9] = b[2:9]", "c[2:9] = b[2:9]", **MUTABLE),
    host("concatenate of 2", "xp.concatenate([a, b])", ONE),
    host("empty(16)", "xp.empty(16, dtype=xp.float32)"),
    host("a.T", "m.T"),
    host("k @ k", None, Target(2.2, "launch")),
    host("replay of a graph of 20", "replay()", **dict.fromkeys(["numpy", "cupy", "torch", "jax"])),
]  # fmt: skip

DEVICE_ROWS = [
    device("copy", "A.copy()", PEER, 8, torch="A.clone()"),
    device("A + B", None, PEER, 12),
    device("(A*B + A)*B - A/B", None, Target(1, "torch")),
    device("the same, fused (large)", "series(A, B)", Target(1, "torch"), 12, numpy=None),
    device("exp(A)", "xp.exp(A)", PEER, 8),
    device("A[::2] + B[::2]", None, PEER, 10),
    device("A2.T + B2", None, Target(0.95 / 0.75, "bytes"), 12),
    device("A2 + row", None, Target(0.56 / 0.50, "bytes"), 8),
    device("A2 + col", None, Target(0.56 / 0.50, "bytes"), 8),
    device("A.sum()", None, PEER, 4),
    device("A2.sum(axis=0)", None, PEER, 4),
    device("A2.sum(axis=1)", None, PEER, 4),
    device("A.argmax()", None, PEER, 4),
    device("where(A > B, A, B)", "xp.where(A > B, A, B)", Target(1.2 / 0.75, "bytes"), 12),
    device("cumsum(A)", "A.cumsum()", Target(0.70 / 0.50, "bytes"), 8, torch="A.cumsum(0)"),
    device("float32 -> float64", "A.astype(xp.float64)", PEER, 12, torch="A.to(xp.float64)"),
    device("host -> device, pageable", "up(X)", Target(30 / 19.4, "bytes"), 4, "in"),
    device("device -> host, new array", "A.get()", Target(55 / 19.6, "bytes"), 4, "out",
           torch="A.cpu().numpy()", jax=None, numpy="A.copy()"),
    device("device -> host, out=", "A.get(out=Y)", Target(30 / 19.6, "bytes"), 4, "out",
           torch="xp.from_numpy(Y).copy_(A)", jax=None, numpy="xp.copyto(Y, A)"),
    device("A[A > 0.75], half of it", "A[A > 0.75]", Target(1.2 / 0.75, "bytes"), 12, jax=None),
    device("A[K], n/4 random indices", "A[K]", PEER),
    # The rows below cover further operations.
    device("take rows", "xp.take(A2, R, axis=0)", PEER, 8, torch="A2.index_select(0, R)"),
    device("take columns", "xp.take(A2, R, axis=1)", PEER, 8, torch="A2.index_select(1, R)"),
    device("take along axis 0", "xp.take_along_axis(A2, K2, axis=0)", PEER,
           torch="xp.take_along_dim(A2, K2, 0)"),
    device("take along axis 1", "xp.take_along_axis(A2, K3, axis=1)", PEER,
           torch="xp.take_along_dim(A2, K3, 1)"),
    device("C[A > 0.75] = 1.5", None, PEER, 9, **MUTABLE),
    device("C[K] = G, n/4 random indices", "C[K] = G", Target(0.6, "peer"), **MUTABLE),
    device("C[K] = G, sorted", "C[T] = G", PEER, **MUTABLE),
    *(device(f"{name}, {of}", f"xp.{name}(C, {key}, G)", Target(factor, "peer"), jax=None,
             torch=f"C.{torch.format(key)}")
      for name, torch in [("add.at", "index_add_(0, {}, G)"),
                          ("maximum.at", "index_reduce_(0, {}, G, 'amax')")]
      for of, key, factor in [("n/4 random indices", "K", 0.6), ("1024 distinct", "O", 0.3),
                              ("sorted", "T", 0.7)]),
    device("nonzero, half of it", "xp.nonzero(N)", PEER, 5, jax=None),
    device("A.mean()", None, PEER, 4),
    device("A.sum(dtype=float64)", "A.sum(dtype=xp.float64)", PEER, 4, jax=None),
    device("A.var()", None, PEER, 4, torch="A.var(correction=0)"),
    device("A2.std(axis=0)", None, PEER, 4, torch="A2.std(0, correction=0)"),
    device("A2.std(axis=1)", None, PEER, 4, torch="A2.std(1, correction=0)"),
    device("int32 var", "I.var()", PEER, 4, torch=None),
    device("sort of n/4", "xp.sort(A[: n // 4])", PEER, torch="xp.sort(A[: n // 4]).values"),
    device("argsort of n/4", "xp.argsort(A[: n // 4])", PEER),
    device("sort of rows, n/4", "xp.sort(A2[: side // 4])", PEER,
           torch="xp.sort(A2[: side // 4]).values"),
    device("float64 sort of n/8", "xp.sort(D[: n // 8])", PEER,
           torch="xp.sort(D[: n // 8]).values"),
    device("int32 argsort of rows, n/4", "xp.argsort(I2[: side // 4], axis=0)", PEER),
    device("top 100 of n/4", "xp.top_k(A[: n // 4], 100)", PEER, 1,
           torch="xp.topk(A[: n // 4], 100)", jax=None,
           numpy="xp.partition(A[: n // 4], -100)[-100:]",
           cupy="xp.partition(A[: n // 4], -100)[-100:]"),
    device("top 10 of rows, n/4", "xp.top_k(A[: n // 4].reshape(side // 16, 4 * side), 10)", PEER,
           1, torch="xp.topk(A[: n // 4].reshape(side // 16, 4 * side), 10)", jax=None,
           numpy="xp.partition(A[: n // 4].reshape(side // 16, 4 * side), -10)[:, -10:]",
           cupy="xp.partition(A[: n // 4].reshape(side // 16, 4 * side), -10)[:, -10:]"),
    device("partition of n/4", "xp.partition(A[: n // 4], n // 8)", PEER, 2,
           torch="xp.kthvalue(A[: n // 4], n // 8 + 1)"),
    device("argpartition of n/4", "xp.argpartition(A[: n // 4], n // 8)", PEER, 3, torch=None),
    device("unique of n/4", "xp.unique(A[: n // 4])", PEER),
    device("unique of n/4, inverse and counts",
           "xp.unique(A[: n // 4], return_inverse=True, return_counts=True)", PEER),
    device("searchsorted, n/4 in n/256", "xp.searchsorted(S, A[: n // 4])", PEER),
    device("median of n/4", "xp.median(A[: n // 4])", PEER),
    device("quartiles of n/4", "xp.percentile(A[: n // 4], 25.0)", PEER,
           torch="xp.quantile(A[: n // 4], 0.25)"),
    device("histogram of n/4", "xp.histogram(A[: n // 4], 100)", PEER,
           torch="xp.histc(A[: n // 4], 100)"),
    device("bincount of n/4", "xp.bincount(I[: n // 4])", PEER),
    device("A * 2.0", None, PEER, 8),
    device("A += B", "C += B", PEER, 12, **MUTABLE),
    device("add(A, B, out=C)", "xp.add(A, B, out=C)", PEER, 12, **MUTABLE),
    device("A > B", None, PEER, 9),
    device("sin(A)", "xp.sin(A)", PEER, 8),
    device("float16 add", "H + H", PEER, 4),
    device("bfloat16 add", "W + W", PEER, 4, cupy=None, numpy=None),
    device("int32 multiply", "I * J", PEER, 12),
    device("complex64 multiply, n/2", "Z * Z", PEER, 8),
    device("float64 add, n/2", "D + D", PEER, 8),
    device("float32 + float64, n/2", "A[: n // 2] + D", PEER, 10),
    device("float16 + float32", "H + A", PEER, 10),
    device("float32 -> float16", "A.astype(xp.float16)", PEER, 6, torch="A.to(xp.float16)"),
    device("A[1:] + B[:-1] (unaligned)", "A[1:] + B[:-1]", PEER, 12),
    device("A2.T copied", "xp.ascontiguousarray(A2.T)", PEER, 8, torch="A2.T.contiguous()",
           jax="xp.copy(A2.T)"),
    device("3-d permuted copy", "xp.ascontiguousarray(A3.transpose(2, 0, 1))", PEER, 8,
           torch="A3.permute(2, 0, 1).contiguous()", jax="xp.copy(A3.transpose(2, 0, 1))"),
    device("A2.T + 2*B2, fused", "add_twice(A2.T, B2)", PEER, 12, numpy=None),
    device("A2.T + 2*B2, ElementwiseKernel", "add_twice_kernel(A2.T, B2)", PEER, 12,
           **dict.fromkeys(["numpy", "torch", "jax"])),
    device("3-d reversed axes, ElementwiseKernel",
           "add_twice_kernel(A3.transpose(2, 1, 0), A3)", PEER, 12,
           **dict.fromkeys(["numpy", "torch", "jax"])),
    device("A3.sum(axis=1)", None, PEER, 4),
    device("A3.sum(axis=(0, 2))", None, PEER, 4),
    device("A2.T.sum(axis=0)", None, PEER, 4),
    device("sum of rows of 2", "A.reshape(-1, 2).sum(axis=1)", SHORT, 6),
    device("sum of rows of 3", "A[: n // 3 * 3].reshape(-1, 3).sum(axis=1)", SHORT, 16 / 3),
    device("sum of rows of 4", "A.reshape(-1, 4).sum(axis=1)", SHORT, 5),
    device("sum of rows of 8", "A.reshape(-1, 8).sum(axis=1)", SHORT, 4.5),
    device("sum of rows of 16", "A.reshape(-1, 16).sum(axis=1)", SHORT, 4.25),
    device("sum of rows of 32", "A.reshape(-1, 32).sum(axis=1)", SHORT, 4.125),
    device("argmax of rows of 4", "A.reshape(-1, 4).argmax(axis=1)", SHORT, 6),
    device("std of rows of 8", "A.reshape(-1, 8).std(axis=1)", SHORT, 4.5,
           torch="A.reshape(-1, 8).std(1, correction=0)"),
    device("float16 max of rows of 4", "H.reshape(-1, 4).max(axis=1)", SHORT, 2.5,
           torch="H.reshape(-1, 4).amax(axis=1)"),
    device("bool any of rows of 8", "F.reshape(-1, 8).any(axis=1)", SHORT, 1.125),
    device("points, side / 4: differences", "Q[None] - Q[:, None]", Target(1.4, "bytes"), 0.75),
    device("vectors * numbers, n/16", "V * U[:, :, None]", SHORT, 1.75),
    device("A2[1:-1, 1:-1] * 2", "A2[1:-1, 1:-1] * 2.0", BYTES, 8),
    device("diff(A2)", "xp.diff(A2)", BYTES, 8),
    device("tril(A2)", "xp.tril(A2)", BYTES, 6),
    device("eye", "xp.eye(side, dtype=xp.float32)", BYTES, 4),
    device("linspace", "xp.linspace(0.0, 1.0, n, dtype=xp.float32)", BYTES, 4),
    device("pad", "xp.pad(A2, 1)", BYTES, 8, torch="xp.nn.functional.pad(A2, (1, 1, 1, 1))"),
    device("pad with edges", "xp.pad(A2, 1, mode='edge')", BYTES, 8,
           torch="xp.nn.functional.pad(A2[None], (1, 1, 1, 1), mode='replicate')"),
    device("tile of n/4", "xp.tile(A2[: side // 2, : side // 2], (2, 2))", BYTES, 5),
    device("repeat of n/4", "xp.repeat(A2[:, : side // 4], 3, axis=1)", BYTES, 4,
           torch="xp.repeat_interleave(A2[:, : side // 4], 3, dim=1)"),
    device("isclose(A, B)", "xp.isclose(A, B)", SHORT, 9),
    device("allclose(A, B)", "xp.allclose(A, B)", SHORT, 8),
    device("nansum(A)", "xp.nansum(A)", SHORT, 4),
    device("nanmean(A)", "xp.nanmean(A)", SHORT, 4),
    device("nanmax(A)", "xp.nanmax(A)", SHORT, 4, torch=None),
    device("nanstd(A)", "xp.nanstd(A)", SHORT, 4, torch=None),
    device("nanstd(A2, axis=0)", "xp.nanstd(A2, axis=0)", SHORT, 4, torch=None),
    device("average(A, weights=B)", "xp.average(A, weights=B)", SHORT, 8, torch=None),
    device("interp of n/2 in 1024", "xp.interp(A[: n // 2], X1, Y1)", Target(0.6, "peer"), 6,
           torch=None),
    device("int32 sum", "I.sum()", PEER, 4),
    device("float16 sum", "H.sum()", PEER, 2),
    device("A2.cumsum(axis=0)", None, PEER, 8, torch="A2.cumsum(0)"),
    device("A2.cumsum(axis=1)", None, PEER, 8, torch="A2.cumsum(1)"),
    device("int32 cumsum", "I.cumsum()", PEER, 12, torch="I.cumsum(0)",
           jax="I.cumsum(dtype=xp.int64)"),
    device("A.max()", None, PEER, 4),
    device("A2.argmin(axis=1)", None, PEER, 4),
    device("bool any (none true)", "F.any()", PEER, 1),
    device("concatenate of 8", "xp.concatenate([E] * 8)", PEER, 8),
    device("stack of 8", "xp.stack([E] * 8)", PEER, 8),
    device("fill", "xp.full((n,), 1.5, dtype=xp.float32)", PEER, 4),
    device("arange", "xp.arange(n, dtype=xp.float32)", PEER, 4),
    device("A[:] = 1.5", "C[:] = 1.5", PEER, 4, **MUTABLE),
    device("C[::2] = A[::2]", None, PEER, 8, **MUTABLE),
    device("float32 matmul, side / 2", "M @ M", PEER, numpy=None),
    device("the same, transposed", "M.T @ M", PEER, numpy=None),
    device("float16 matmul, side / 2", "L @ L", PEER, numpy=None),
    device("64 matmuls, side / 32", "P @ P", PEER, numpy=None),
    device("matrix @ vector", "A2 @ row", PEER, 4),
    device("dot of vectors", "A @ B", PEER, 8),
    device("host -> device, strided ndarray", "up(X[::2])", PEER, 2, "in"),
]  # fmt: skip

IMPORT = Row("import, over bare Python (s)", OTHER, "")
BEYOND_NUMPY = Row("import, beyond NumPy (s)", OTHER, "", Target(0.015))
INSTALLED = Row("installed package (MB)", OTHER, "", Target(20))
OTHER_ROWS = [IMPORT, BEYOND_NUMPY, INSTALLED]

ROWS = HOST_ROWS + DEVICE_ROWS + OTHER_ROWS

# NumPy makes these operands: `sample(dtype)` has 16 elements, `block(dtype, count)` has `count`.
NUMPY_OPERANDS = {
    "x": "sample('float32')",
    "a": "sample('float32')",
    "b": "sample('float32')",
    "c": "sample('float32')",
    "d": "sample('float64')",
    "i": "indices(16, 16)",
    "q": "sample('float32') > 0.75",
    "m": "sample('float32').reshape(4, 4)",
    "k": "block('float32', 1024).reshape(32, 32)",
    "X": "block('float32', n)",
    "Y": "block('float32', n)",
    "A": "block('float32', n)",
    "B": "block('float32', n)",
    "C": "block('float32', n)",
    "D": "block('float64', n // 2)",
    "E": "block('float32', n // 8)",
    "F": "block('float32', n) > 2",
    "G": "block('float32', n // 4)",
    "K": "indices(n // 4, n)",
    "K2": "indices(n // 4, side).reshape(side // 4, side)",
    "K3": "indices(n // 4, side).reshape(side, side // 4)",
    "N": "block('float32', n) > 0.75",
    "O": "indices(n // 4, 1024)",
    "T": "np.sort(indices(n // 4, n))",
    "R": "indices(side, side)",
    "X1": "np.sort(block('float32', 1024))",
    "Y1": "block('float32', 1024)",
    "H": "block('float16', n)",
    "I": "block('int32', n)",
    "J": "block('int32', n)",
    "S": "np.sort(block('float32', n // 256))",
    "Z": "block('complex64', n // 2)",
    "row": "block('float32', side)",
    "col": "block('float32', side).reshape(side, 1)",
}
ON_HOST = "xXY"  # These operands are not copied to the device.
# These operands are made on the device from others.
DEVICE_OPERANDS = {
    "A2": "A.reshape(side, side)",
    "B2": "B.reshape(side, side)",
    "A3": "A.reshape(edge, n // edge**2, edge)",
    "I2": "I.reshape(side, side)",
    "W": "A.astype('bfloat16')",
    "L": "H[: n // 4].reshape(side // 2, side // 2)",
    "M": "A[: n // 4].reshape(side // 2, side // 2)",
    "P": "A[: n // 16].reshape(64, side // 32, side // 32)",
    "Q": "A[: side // 4 * 3].reshape(side // 4, 3)",
    "U": "B[: n // 16].reshape(side // 4, side // 4)",
    "V": "A[: n // 16 * 3].reshape(side // 4, side // 4, 3)",
}
