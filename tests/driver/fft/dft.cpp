// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The kernel of the stand-in for cuFFT: a thread for each transform, which sums over one axis after
// the other in double precision, in the work area.
#include "dft.hpp"

namespace {

struct Number {
  double re, im;
};

template <class T, class T2>
Number load_as(const DftArguments& p, int64_t offset) {
  if (p.input.is_complex == 0) return {reinterpret_cast<const T*>(p.input.data)[offset], 0};
  const T2 value = reinterpret_cast<const T2*>(p.input.data)[offset];
  return {value.x, value.y};
}

Number load(const DftArguments& p, int64_t offset) {
  return p.is_double != 0 ? load_as<double, double2>(p, offset) : load_as<float, float2>(p, offset);
}

template <class T, class T2>
void store_as(const DftSide& side, int64_t offset, Number value) {
  const T re = static_cast<T>(value.re), im = static_cast<T>(value.im);
  if (side.is_complex != 0)
    reinterpret_cast<T2*>(side.data)[offset] = {re, im};
  else
    reinterpret_cast<T*>(side.data)[offset] = re;
}

void store(const DftArguments& p, const DftSide& side, int64_t offset, Number value) {
  if (p.is_double != 0)
    store_as<double, double2>(side, offset, value);
  else
    store_as<float, float2>(side, offset, value);
}

int64_t count(const DftArguments& p, const int64_t (&extents)[3]) {
  int64_t all = 1;
  for (int64_t axis = 0; axis < p.rank; ++axis) all *= extents[axis];
  return all;
}

// Calls visit(index in C order, offset in memory) for each element of a transform.
template <class Visit>
void each(const DftArguments& p, const DftSide& side, int64_t transform, const Visit& visit) {
  for (int64_t index = 0; index < count(p, side.extents); ++index) {
    int64_t rest = index, offset = transform * side.distance;
    for (int64_t axis = p.rank - 1; axis >= 0; rest /= side.extents[axis--])
      offset += rest % side.extents[axis] * side.steps[axis];
    visit(index, offset);
  }
}

// Returns element k of the sum over a line of `extent` elements, of which those of a half spectrum
// stand for their mirror images too.
Number sum(const DftArguments& p, const Number* line, int64_t extent, int64_t step, int64_t length,
           int64_t k, bool is_half) {
  Number total = {0, 0};
  for (int64_t j = 0; j < extent; ++j) {
    const double turns = static_cast<double>(j * k % length) / static_cast<double>(length);
    const double angle = (p.forward != 0 ? -1 : 1) * 6.283185307179586476925 * turns;
    const double c = cos(angle), s = sin(angle);
    const Number x = line[j * step];
    const bool is_pair = is_half && j != 0 && 2 * j != length;
    if (is_half) {
      const double re = j == 0 || 2 * j == length ? x.re * c : x.re * c - x.im * s;
      total.re += is_pair ? 2 * re : re;
    } else {
      total.re += x.re * c - x.im * s;
      total.im += x.re * s + x.im * c;
    }
  }
  return total;
}

// Transforms one axis from `from`, with these extents, to `to`, of which the axis becomes `made`
// elements.
void transform(const DftArguments& p, const Number* from, Number* to, int64_t (&extents)[3],
               int64_t axis, int64_t made, bool is_half) {
  int64_t inner = 1, outer = 1;
  for (int64_t k = 0; k < axis; ++k) outer *= extents[k];
  for (int64_t k = axis + 1; k < p.rank; ++k) inner *= extents[k];
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i)
      for (int64_t k = 0; k < made; ++k)
        to[(o * made + k) * inner + i] = sum(p, from + o * extents[axis] * inner + i, extents[axis],
                                             inner, p.lengths[axis], k, is_half);
  extents[axis] = made;
}

void stub_dft(DftArguments p) {
  const int64_t index = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (index >= p.batch) return;
  Number* from = reinterpret_cast<Number*>(p.workspace) + 2 * index * p.workspace_elements;
  Number* to = from + p.workspace_elements;
  int64_t extents[3] = {p.input.extents[0], p.input.extents[1], p.input.extents[2]};
  each(p, p.input, index, [&](int64_t k, int64_t offset) { from[k] = load(p, offset); });
  const int64_t last = p.rank - 1;
  const bool to_real = p.output.is_complex == 0;
  // The halved axis comes first for real numbers, and last for those that become real.
  for (int64_t step = 0; step < p.rank; ++step) {
    const int64_t axis = to_real ? step : last - step;
    transform(p, from, to, extents, axis, p.output.extents[axis], to_real && axis == last);
    Number* const kept = from;
    from = to;
    to = kept;
  }
  // As cuFFT may, this overwrites what becomes real.
  if (to_real)
    each(p, p.input, index, [&](int64_t, int64_t offset) { store(p, p.input, offset, {-7, 7}); });
  each(p, p.output, index, [&](int64_t k, int64_t offset) { store(p, p.output, offset, from[k]); });
}

}  // namespace

GPUARRAY_HOST_KERNEL(stub_dft)
