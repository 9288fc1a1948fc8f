# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""interp() of large arrays by two kernels: one that tabulates the points, and one that looks up."""

import functools
from typing import Any

from gpuarray import _core
from gpuarray._common import package
from gpuarray._core import GPUArray

__all__ = ["interpolated_by_table"]

# Evenly spread points leave most buckets empty, where no search is needed. Each bucket costs two
# searches, which many queries must save; more buckets than the last number would leave the caches.
_BUCKETS_PER_POINT = 4
_QUERIES_PER_BUCKET = 16
_MOST_BUCKETS = 1 << 20
_MOST_POINTS = (1 << 31) - 1  # which the tables number by 32 bits


def interpolated_by_table(
    x: GPUArray, points: GPUArray, values: GPUArray, left: Any, right: Any
) -> GPUArray | None:
    """Return interp() for numbers `left` and `right` or None; None if a table is not worth it.

    Queued on the current stream, without waiting.
    """
    count = points.size
    if count > min(x.size, _MOST_POINTS):
        return None
    limits = _BUCKETS_PER_POINT * count, x.size // _QUERIES_PER_BUCKET, _MOST_BUCKETS
    buckets = max(min(limits), 1)
    ranges = _core.empty(buckets, "uint64", device=x.device)
    segments = _core.empty((count + 2, 4), values._dtype_name, device=x.device)
    tabulate, look_up = _kernels()
    tabulate(points, values, ranges, segments, size=buckets)
    out = _core.empty(x.shape, values._dtype_name, device=x.device)  # in C order
    made: GPUArray = look_up(x, points, values, ranges, segments, *_end(left), *_end(right), out)
    return made


def _end(value: Any) -> tuple[bool, Any]:
    return (False, 0) if value is None else (True, value)


@functools.cache
def _kernels() -> tuple[Any, Any]:
    """Return the kernels, which round as the operations do, and alike in both."""
    kernel = functools.partial(
        package.module.ElementwiseKernel, preamble=_PREAMBLE, options=["--fmad=false"]
    )
    tabulate = kernel(
        "raw float64 points, raw T values",
        "raw uint64 ranges, raw T segments",
        _TABULATE,
        "interp_table",
        no_return=True,
    )
    look_up = kernel(
        "X given, raw float64 points, raw T values, raw uint64 ranges, raw T segments,"
        "bool has_left, T left, bool has_right, T right",
        "T y",
        _LOOK_UP,
        "interp",
    )
    return tabulate, look_up


_PREAMBLE = """
// What lies between a point and the next one: 16 bytes at once are the widest load.
template <class T>
struct alignas(16) Segment {
  double x0;
  T y0, slope, y1;
};

// Rounding keeps the order: of two numbers the greater one is never in the lower bucket.
__device__ inline unsigned bucket_of(double x, double first, double scale) {
  const double place = (x - first) * scale;
  return place > 0 ? unsigned(place) : 0;
}
"""

# Bucket i gets the range of points that searches in it are to look at, as two halves of a word.
# Segment k is that of k points at or before x; the scale of buckets stands behind the last one.
_TABULATE = """
const long long count = points.size(), last = count - 1;
const double first = points[0];
double scale = (ranges.size() - 1) / (points[last] - first);
if (!(scale > 0 && math::isfinite(scale))) scale = 0;  // all points are in bucket 0
const auto points_below = [&](unsigned bucket) {
  unsigned long long low = 0;
  for (unsigned long long high = count; low < high;) {
    const unsigned long long middle = (low + high) / 2;
    if (bucket_of(points[middle], first, scale) < bucket)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
};
ranges[i] = points_below(i) | points_below(i + 1) << 32;
auto* const table = reinterpret_cast<Segment<T>*>(&segments[0]);
for (long long k = i; k <= count; k += n) {
  const long long before = k > 0 ? k - 1 : 0, after = k < count ? k : last;
  const double x0 = points[before], x1 = points[after];
  const T y0 = values[before], y1 = values[after];
  table[k] = {x0, y0, math::divide(math::subtract(y1, y0), cast<T>(x1 - x0)), y1};
}
if (i == 0) table[count + 1].x0 = scale;
"""

# The search is that of searchsorted(side="right"), in whose order NaN comes last.
_LOOK_UP = """
static_assert(sizeof(Segment<T>) == 4 * sizeof(T));
const auto* const table = reinterpret_cast<const Segment<T>*>(&segments[0]);
const double x = cast<double>(given);
const long long last = points.size() - 1;
const double first = points[0];
if (last != 0 && x != x) {
  y = cast<T>(x);
} else if (x > points[last]) {
  y = has_right ? right : T(values[last]);
} else if (x < first) {
  y = has_left ? left : T(values[0]);
} else {
  const unsigned long long range = ranges[bucket_of(x, first, table[last + 2].x0)];
  unsigned after = unsigned(range);
  for (unsigned stop = range >> 32; after < stop;) {
    const unsigned middle = (after + stop) / 2;
    const double point = points[middle];
    if (x < point || (point != point && x == x))
      stop = middle;
    else
      after = middle + 1;
  }
  const Segment<T> at = table[after];
  y = at.y0;
  if (x != at.x0 && !math::equal(at.y0, at.y1)) {
    y = math::add(math::multiply(at.slope, cast<T>(x - at.x0)), at.y0);
    if (math::isnan(y)) {  // with an infinite slope, where NumPy interpolates from the other point
      const double x1 = points[after > last ? last : after];
      y = math::add(math::multiply(at.slope, cast<T>(x - x1)), at.y1);
    }
  }
}
"""
