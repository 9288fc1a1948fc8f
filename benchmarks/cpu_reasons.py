# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""How long the cpu device may take, in NumPy's time, and the reasons where it may take longer."""

from dataclasses import dataclass
from fnmatch import fnmatchcase

# What the project aims at, by elements. Timings of a shared machine are checked against CHECKED.
BOUNDS = {16: 1.5, 10**5: 1.0, 10**7: 1.0}
CHECKED = 1.5
# Least times of a shared machine differ by so much from one run to the next.
SPREAD = 1.1

SMALL, LARGE = (16,), (10**5, 10**7)


@dataclass(frozen=True)
class Reason:
    text: str  # a sentence of the documentation
    sizes: tuple[int, ...]
    rows: dict[float, str]  # patterns of names as fnmatch has them, by the largest ratio

    def bound(self, name: str, size: int) -> float:
        """Return the largest ratio that the reason explains for the row, 0 for none."""
        if size not in self.sizes:
            return 0.0
        found = (b for b, rows in self.rows.items() if is_among(name, rows))
        return max(found, default=0.0)


def is_among(name: str, patterns: str) -> bool:
    """Return whether the name of a row is like one of the patterns, which '; ' separates."""
    return any(fnmatchcase(name, pattern) for pattern in patterns.split("; "))


REASONS = (
    Reason(
        "A call is checked and planned for any device and dtype, which costs some hundred "
        "nanoseconds.",
        SMALL,
        {
            2: ("exp(*; sqrt(*; * -> *"),
            3: (
                "2 [*][*] a *; a.argmax() *; a.argmin() *; a.copy() *; copy(*; empty(*; "
                "flip(*; float32 -> float32; imag(*; iscomplex(*; real_if_close(*; zeros(*"
            ),
            5: ("a [*][*] b *; c [*][*]= b *; float_power(*; modf(*; nonzero(*; power(*"),
            10: ("a.round() *; count_nonzero(*; where(*"),
            50: ("arange(*; may_share_memory(*; shares_memory(*"),
        },
    ),
    Reason(
        "It is composed of several operations in Python, each of which costs about half a "
        "microsecond.",
        SMALL,
        {
            2: (
                "fromfunction(*; gradient(*; histogram2d(*; isfinite(*; isfortran(*; isnan(*; "
                "ix_(*; log1p(*; ogrid[[]0:rows, 0:cols]"
            ),
            3: (
                "atleast_2d(*; atleast_3d(*; bartlett(*; blackman(*; broadcast_shapes(*; "
                "cross(*; diagflat(*; histogram_bin_edges(*; histogramdd(*; indices(*; "
                "nanmean(*; nanstd(*; nanvar(*; pad(*; percentile(*"
            ),
            5: (
                "atleast_1d(*; diag_indices(*; eye(*; geomspace(*; hamming(*; hanning(*; "
                "identity(*; linspace(*; logspace(*; polyadd(*; polysub(*; trace(*"
            ),
            10: ("diag(*; diagonal(*; mgrid[[]0:rows, 0:cols]; stack(*"),
            20: ("choose(*; einsum(*; ldexp(*"),
        },
    ),
    Reason(
        "It makes an array of a device of what NumPy has as its own object already.",
        SMALL,
        {
            2: ("list(*"),
            5: ("fromiter(*"),
            10: ("a.tolist() *; asanyarray(*; asarray(*; ascontiguousarray(*; asfortranarray(*"),
            20: ("array(*"),
        },
    ),
    Reason(
        "Keys are resolved for any device: indices become a plan before an element moves.",
        SMALL,
        {
            2: (
                "A[[]:, ::-1] *; A[[]M] *; A[[]down[[]:, None], along] *; "
                "C[[]1:-1, 1:-1] = A[[]1:-1, 1:-1] *; a[[]::2].astype('int32') *"
            ),
            3: (
                "A[[]..., None] *; A[[]1, 2] *; a[[]m] *; c[[]m] = a[[]m] *; compress(*; "
                "put(*; take(*"
            ),
            5: ("place(*; putmask(*"),
            10: ("a[[]j] *; a[[]k] *"),
            20: ("c[[]j] = t *; c[[]k] = b *"),
            50: ("copyto(*"),
        },
    ),
    Reason(
        "NumPy's function reaches the array by NumPy's protocol, through Python.",
        SMALL,
        {
            3: ("np.sum(*"),
            10: ("np.add.at(*; np.exp(*"),
            20: ("np.add(*; np.add.reduce(*; np.maximum.reduce(*; vectorize(*"),
            50: ("np.maximum.accumulate(*"),
            200: ("np.add.reduceat(*"),
        },
    ),
    Reason(
        "NumPy's own function computes it, called through Python on a view of the memory.",
        SMALL,
        {
            2: (
                "argsort(*; array_equiv(*; column_stack(*; diff(*; fill_diagonal(*; hstack(*; "
                "vstack(*"
            ),
            3: (
                "append(*; argpartition(*; array_equal(*; concat(*; convolve(*; dot(*; "
                "dstack(*; interp(*; lexsort(*; matvec(*; partition(*; sort(*; "
                "sort_complex(*; unpackbits(*; unravel_index(*"
            ),
            5: (
                "bincount(*; concatenate(*; correlate(*; inner(*; repeat(*; vdot(*; vecdot(*; "
                "vecmat(*"
            ),
            10: ("a.argsort() *; rollaxis(*"),
            20: ("c.sort() *; packbits(*"),
        },
    ),
    Reason(
        "NumPy's own function computes it, called through Python on a view of the memory.",
        LARGE,
        {
            1.5: (
                "S64 @ S64 *; append(*; argpartition(*; concat(*; correlate(*; delete(*; "
                "insert(*; median(*; nanpercentile(*; nanquantile(*; partition(*; "
                "percentile(*; quantile(*; roll(*; searchsorted(*; union1d(*; unique_counts(*"
            ),
            2: ("concatenate(*; inner(*; repeat(*; setxor1d(*; vdot(*"),
            3: (
                "A @ r *; P @ Q *; Q @ q *; argsort(*; dot(*; matvec(*; sort(*; vecdot(*; vecmat(*"
            ),
            10: ("einsum(*"),
            20: ("c.sort() *"),
            200: ("packbits(*"),
        },
    ),
    Reason(
        "It is composed of several operations, each of which goes over memory.",
        LARGE,
        {
            1.5: (
                "a & b *; a + a *; a + b *; a - b *; a / b *; a [*] b *; a | b *; "
                "a.clip(-1, 1) *; absolute(*; arange(*; around(*; array_equiv(*; astype(*; "
                "bitwise_xor(*; c [*]= b *; c.fill(2.5) *; conjugate(*; copy(*; cov(*; "
                "diff(*; divide(*; equal(*; fill_diagonal(*; fix(*; float32 -> float64; "
                "float64 -> float32; float64 -> float64; histogram2d(*; hstack(*; invert(*; "
                "isclose(*; less_equal(*; logical_and(*; nancumprod(*; negative(*; sign(*; "
                "tril_indices(*; tril_indices_from(*; triu_indices(*"
            ),
            2: (
                "((a[*]b + a)[*]b - a)/b *; A[[]:, along] *; a.copy() *; a.round() *; add(*; "
                "array_equal(*; bitwise_and(*; bitwise_count(*; bitwise_or(*; block(*; "
                "c &= b *; c += b *; c -= b *; c /= b *; c <<= b *; c >>= b *; c ^= b *; "
                "c |= b *; c[[]:] = a *; ceil(*; clip(*; corrcoef(*; cross(*; ediff1d(*; "
                "empty(*; floor(*; fmax(*; fmin(*; gradient(*; iscomplex(*; left_shift(*; "
                "less(*; logical_or(*; logical_xor(*; mgrid[[]0:rows, 0:cols]; multiply(*; "
                "nancumsum(*; np.add(*; ogrid[[]0:rows, 0:cols]; resize(*; right_shift(*; "
                "rint(*; round(*; square(*; subtract(*; tile(*; trapezoid(*; "
                "triu_indices_from(*; trunc(*; vstack(*"
            ),
            3: (
                "array(*; fromfunction(*; histogram_bin_edges(*; linspace(*; logical_not(*; "
                "pad(*; polyval(*; real_if_close(*"
            ),
            5: ("diag_indices(*; examples/hillshade.py, a tile; indices(*; stack(*"),
        },
    ),
    Reason(
        "NumPy's zeros are pages that the system clears when they are first used; gpuarray's "
        "are written.",
        LARGE,
        {
            3: ("diag(*; diagflat(*; eye(*; identity(*"),
            100: ("zeros(*"),
        },
    ),
    Reason(
        "What is out of range saturates, as on every device, where NumPy takes what the "
        "processor gives.",
        LARGE,
        {
            1.5: (
                "A[[]:, ::2].astype('int32') *; a[[]::2].astype('int32') *; bool -> bool; "
                "int32 -> bool; int64 -> bool; int64 -> int64; uint8 -> uint8"
            ),
            2: ("a[[]::-1].astype('int32') *; int64 -> int32"),
            3: (
                "A.T.astype('int32') *; T3.transpose(2, 0, 1).astype('int32') *; "
                "float32 -> int32; float32 -> uint8; float64 -> int32"
            ),
            5: ("A[[]1:-1, 1:-1].astype('int32') *; float64 -> uint8"),
        },
    ),
    Reason(
        "The same bits on every processor need code without fused multiplications, with "
        "float64 for powers and angles of float32.",
        LARGE,
        {
            1.5: ("2 [*][*] a *; c [*][*]= b *"),
            2: (
                "a [*][*] 2 *; arccosh(*; arctan(*; arctan2(*; cos(*; exp(*; exp2(*; expm1(*; "
                "log(*; log1p(*; sin(*"
            ),
            3: ("arcsinh(*; arctanh(*; cosh(*; sinh(*; tan(*; tanh(*"),
            5: ("a [*][*] b *; cbrt(*; i0(*; log10(*; log2(*; power(*"),
        },
    ),
    Reason(
        "Results of float16 are looked up in tables, where NumPy converts by the processor's "
        "instructions.",
        LARGE,
        {
            1.5: ("sinh(*"),
            2: ("cbrt(*; cosh(*; exp(*; expm1(*; log(*; log10(*; log2(*; sin(*"),
            3: ("exp2(*"),
        },
    ),
    Reason(
        "Loops of complex numbers use vectors of 256 bits, without instructions that round "
        "twice as one.",
        LARGE,
        {
            1.5: (
                "add(*; arctan(*; complex64 -> complex64; float32 -> complex128; "
                "float64 -> complex64; sort_complex(*; square(*; vdot(*"
            ),
            2: (
                "conjugate(*; dot(*; float32 -> complex64; log(*; log10(*; log1p(*; log2(*; "
                "min(*; nan_to_num(*; power(*"
            ),
            3: ("absolute(*; max(*"),
            5: ("all(*; any(*; mean(*; prod(*; sum(*"),
        },
    ),
    Reason(
        "Elements that do not lie side by side are gathered into blocks of the first cache "
        "before they are computed.",
        LARGE,
        {
            1.5: ("sqrt(*"),
            2: ("C[[]1:-1, 1:-1] = A[[]1:-1, 1:-1] *; c[[]::2] = a[[]::2] *"),
            3: ("add(*; less(*; multiply(*"),
            5: ("trace(*"),
        },
    ),
    Reason(
        "Transposes move single elements of tiles, where NumPy's loop reads a column at a "
        "time from the caches.",
        LARGE,
        {
            1.5: ("-A.T *"),
            2: ("add(*; less(*; multiply(*"),
            3: ("A.T.ravel() *; ascontiguousarray(*; asfortranarray(*; copy(*"),
            5: ("C[[]...] = A.T *"),
        },
    ),
    Reason(
        "The value is found first, and then its place.",
        LARGE,
        {
            5: ("argmax(*"),
            10: ("argmin(*"),
        },
    ),
    Reason(
        "Columns are reduced side by side in groups that stay in the first cache, in an order "
        "that no number of threads changes.",
        LARGE,
        {
            1.5: ("nanmean(*"),
            2: ("any(*; nansum(*"),
            3: (
                "all(*; apply_over_axes(*; max(*; mean(*; min(*; np.maximum.reduce(*; prod(*; "
                "ptp(*; sum(*"
            ),
        },
    ),
    Reason(
        "Sums have an order that vectors of any width and any number of threads keep.",
        LARGE,
        {
            1.5: ("average(*; cumulative_prod(*; max(*; nanmedian(*; nanstd(*"),
            2: (
                "a.max() *; allclose(*; count_nonzero(*; cumprod(*; cumulative_sum(*; "
                "maximum(*; min(*; minimum(*; nanmax(*; nanmin(*; nanvar(*; ptp(*; sum(*"
            ),
            3: ("cumsum(*"),
            5: ("np.add.reduce(*"),
            10: ("np.add.reduceat(*"),
        },
    ),
    Reason(
        "Each element takes a loop of its own length, of which compilers make no vectors.",
        LARGE,
        {
            1.5: ("a // 2 *; a // 7 *; copysign(*; spacing(*"),
            2: ("a // -10 *; modf(*"),
            3: ("frexp(*"),
            10: ("ldexp(*"),
        },
    ),
    Reason(
        "Accumulators of bytes are wider than the elements.",
        LARGE,
        {
            3: ("any(*; min(*; ptp(*"),
            5: ("count_nonzero(*; max(*"),
            10: ("all(*"),
        },
    ),
    Reason(
        "Indices are checked against the extent as they are used.",
        LARGE,
        {
            2: (
                "a[[]j] *; a[[]k] *; c[[]j] = t *; c[[]k] = b *; compress(*; extract(*; "
                "flatnonzero(*; nonzero(*; where(*"
            ),
            3: ("take(*"),
        },
    ),
)


def reason_of(name: str, size: int) -> Reason | None:
    """Return the reason that lets this row take longest; None if there is none."""
    reason = max(REASONS, key=lambda each: each.bound(name, size))
    return reason if reason.bound(name, size) else None


def limit(name: str, size: int, least: float) -> float:
    """Return the ratio that the row must not exceed, where `least` is that without a reason."""
    return max([least, *(reason.bound(name, size) for reason in REASONS)])
