// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The order in which the host reduces. The elements of a result are cut into leaves, stretches of
// one run of at most leaf_length() elements, whose totals a TotalTree combines. The order depends
// on shapes and strides alone, not on the number of threads, and rounding errors grow with the
// logarithm of the number of leaves (pairwise summation: Higham, 1993).
#pragma once

#include "kernels/element/element.cuh"
#include "kernels/reduce/reduce_ops.cuh"

namespace gpuarray {

inline constexpr int64_t kRowLeaf = 4096;    // elements
inline constexpr int64_t kColumnLeaf = 128;  // elements of each column

// The independent totals among which the elements of a leaf are dealt out: enough to hide the
// latency of an addition, in as many bytes as some vector registers have.
template <class Reducer>
inline constexpr int kReduceLanes = sizeof(typename Reducer::local) > 16   ? 4
                                    : sizeof(typename Reducer::local) >= 8 ? 32
                                                                           : 64;

// A reducer of indices, whose leaf finds the value first and then its place.
template <class Reducer>
concept FindsPlace = requires { typename Reducer::value_reducer; };
// A reducer whose leaf finds the value first, and then which NaN that is.
template <class Reducer>
concept TellsNansApart = requires { typename Reducer::any_nan; };
// A reducer of variances, whose leaf has one shift for all its elements.
template <class Reducer>
concept SumsSquares = requires(typename Reducer::accumulator a) { a.squares; };

// A reducer of means or variances of what is not NaN, of which a leaf counts the elements apart.
template <class Reducer>
concept CountsNumbers = requires { requires Reducer::counts_numbers; };

// A reducer of any or all, whose leaf is decided by one element.
template <class Reducer>
concept Decides = requires { requires Reducer::one_decides; };

// Whether a reducer adds complex numbers, whose parts are added apart.
template <class Reducer>
inline constexpr bool adds_complex_v = false;
template <class Source, class Loop>
inline constexpr bool adds_complex_v<sum_reducer<Source, Loop>> = is_complex_v<Source>;

namespace detail {

// Combines lanes in pairs, those that are far apart first. The last few are combined as vectors
// too, of which only the first lane counts: their branches would be mispredicted.
template <int count, class T, class Combine>
T combine_lanes(T* lanes, Combine&& combine) {
  constexpr int kFewest = count < 8 ? 1 : 4;
  for (int span = count / 2; span > 0; span /= 2) {
    const int width = span < kFewest ? kFewest : span;
    for (int lane = 0; lane < width; ++lane) lanes[lane] = combine(lanes[lane], lanes[lane + span]);
  }
  return lanes[0];
}

// Deals out `count` elements to lanes: calls step(lane, element, position).
template <int lanes, class Source, class Step>
void deal_out(const Source& source, int64_t count, Step&& step) {
  // Indices of 64 bits do not wrap, so that the compiler sees neighbouring elements.
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    for (int64_t lane = 0; lane < lanes; ++lane) step(lane, source[i + lane], uint32_t(i + lane));
  for (int64_t lane = 0; i + lane < count; ++lane) step(lane, source[i + lane], uint32_t(i + lane));
}

template <class Reducer, int lanes, class Source>
typename Reducer::accumulator leaf_total(const Source& source, int64_t count, int64_t index) {
  using Value = typename Reducer::value;
  if (count < lanes) {
    typename Reducer::local local = Reducer::start();
    for (int64_t i = 0; i < count; ++i) Reducer::step(local, source[i], uint32_t(i));
    return Reducer::widen(local, index);
  }
  typename Reducer::local locals[lanes];
  for (auto& local : locals) local = Reducer::start();
  deal_out<lanes>(source, count, [&](int64_t lane, Value element, uint32_t position) {
    Reducer::step(locals[lane], element, position);
  });
  typename Reducer::accumulator totals[lanes];
  for (int lane = 0; lane < lanes; ++lane) totals[lane] = Reducer::widen(locals[lane], index);
  return combine_lanes<lanes>(totals, Reducer::combine);
}

// Does as leaf_total(), with a lane for each part, of which compilers make vectors.
template <class Reducer, int lanes>
typename Reducer::accumulator leaf_total_of_parts(const typename Reducer::value* source,
                                                  int64_t count) {
  using Total = typename Reducer::accumulator;
  real_t<Total> parts[2 * lanes] = {};
  deal_out<2 * lanes>(
      reinterpret_cast<const real_t<typename Reducer::value>*>(source), 2 * count,
      [&](int64_t lane, auto part, uint32_t) { parts[lane] += cast<real_t<Total>>(part); });
  Total totals[lanes];
  for (int lane = 0; lane < lanes; ++lane) totals[lane] = {parts[2 * lane], parts[2 * lane + 1]};
  return combine_lanes<lanes>(totals, Reducer::combine);
}

template <class Reducer, class Source>
bool leaf_decision(const Source& source, int64_t count, int64_t index) {
  constexpr int64_t kGroup = 256;
  uint8_t met = 0;
  for (int64_t begin = 0; begin < count && met == 0; begin += kGroup) {
    const int64_t end = begin + kGroup < count ? begin + kGroup : count;
    for (int64_t i = begin; i < end; ++i) {
      typename Reducer::local local = Reducer::start();
      Reducer::step(local, source[i], uint32_t(i));
      met |= uint8_t(local);
    }
  }
  return Reducer::widen(met, index);
}

// Returns the position of the first of `count` elements for which is_it(element) holds, that of the
// last one if there is none.
template <class Source, class IsIt>
int64_t find_first(const Source& source, int64_t count, IsIt&& is_it) {
  constexpr int64_t kGroup = 64;
  int64_t i = 0;
  for (; i + kGroup <= count; i += kGroup) {
    uint32_t found = 0;
    for (int64_t k = 0; k < kGroup; ++k) found |= is_it(source[i + k]);
    if (found != 0) break;
  }
  while (i < count && !is_it(source[i])) ++i;
  return i < count ? i : count - 1;
}

// Returns the place of the first bool that differs from `start`, else that of the first one.
template <class Source>
Indexed<bool, int64_t> leaf_place_of_bool(const Source& source, int64_t count, int64_t index,
                                          bool start) {
  const int64_t place =
      find_first(source, count, [start](bool element) { return element != start; });
  const bool found = source[place] != start;
  return {found ? !start : start, index + (found ? place : 0)};
}

template <class Reducer, class Source>
typename Reducer::accumulator leaf_place(const Source& source, int64_t count, int64_t index) {
  if constexpr (is_bool_v<typename Reducer::value>)
    return leaf_place_of_bool(source, count, index, Reducer::start().value);
  using ValueReducer = typename Reducer::value_reducer;
  using Value = typename Reducer::value;
  const auto best = leaf_total<ValueReducer, kReduceLanes<ValueReducer>>(source, count, index);
  if (math::isnan(best))
    return {best, index + find_first(source, count, [](Value element) {
                    return math::isnan(cast<compute_t<Value>>(element));
                  })};
  return {best, index + find_first(source, count, [&](Value element) {
                  return math::equal(cast<compute_t<Value>>(element), best);
                })};
}

template <class Reducer, class Source>
typename Reducer::accumulator leaf_extreme(const Source& source, int64_t count, int64_t index) {
  using AnyNan = typename Reducer::any_nan;
  using Value = typename AnyNan::accumulator;
  const Value best = leaf_total<AnyNan, kReduceLanes<AnyNan>>(source, count, index);
  if (!math::isnan(best)) return {best, index};
  const int64_t place = find_first(source, count, [](typename Reducer::value element) {
    return math::isnan(cast<Value>(element));
  });
  return {cast<Value>(typename Reducer::value(source[place])), index + place};
}

// Returns how many of the elements are not NaN.
template <class Value, class Source>
uint32_t count_numbers(const Source& source, int64_t count) {
  uint32_t numbers = 0;
  for (int64_t i = 0; i < count; ++i) numbers += !is_nan(Value(source[i]));
  return numbers;
}

template <class Reducer, int lanes, class Source>
typename Reducer::accumulator leaf_mean(const Source& source, int64_t count, int64_t index) {
  using Sum = typename Reducer::sum_reducer;
  return {leaf_total<Sum, lanes == 1 ? 1 : kReduceLanes<Sum>>(source, count, index),
          double(count_numbers<typename Reducer::value>(source, count))};
}

template <class Reducer, int lanes, class Source>
typename Reducer::accumulator leaf_moments(const Source& source, int64_t count) {
  using A = typename Reducer::A;
  using Value = typename Reducer::value;
  int64_t first = 0;
  auto counted = uint32_t(count);
  if constexpr (CountsNumbers<Reducer>) {
    counted = count_numbers<Value>(source, count);
    if (counted == 0) return Reducer::identity();
    first = find_first(source, count, [](Value element) { return !is_nan(element); });
  }
  const A shift = cast<A>(Value(source[first]));
  A sums[lanes] = {};
  double squares[lanes] = {};
  deal_out<lanes>(source, count, [&](int64_t lane, Value element, uint32_t) {
    A distance = math::subtract(cast<A>(element), shift);
    if constexpr (CountsNumbers<Reducer>) distance = is_nan(element) ? A{} : distance;
    sums[lane] = math::add(sums[lane], distance);
    squares[lane] += Reducer::square(distance);
  });
  const A sum = combine_lanes<lanes>(sums, [](A a, A b) { return math::add(a, b); });
  const double square = combine_lanes<lanes>(squares, [](double a, double b) { return a + b; });
  return Reducer::widen({shift, sum, square, counted}, 0);
}

}  // namespace detail

// Reduces the `count` elements of a leaf, at least one, of which the first has index `index`.
// `source` is a pointer, or an object with its []. With one lane the elements are added one after
// the other.
template <class Reducer, int lanes = kReduceLanes<Reducer>, class Source>
typename Reducer::accumulator reduce_leaf(const Source& source, int64_t count, int64_t index) {
  if constexpr (FindsPlace<Reducer>)
    return detail::leaf_place<Reducer>(source, count, index);
  else if constexpr (TellsNansApart<Reducer>)
    return detail::leaf_extreme<Reducer>(source, count, index);
  else if constexpr (SumsSquares<Reducer>)
    return detail::leaf_moments<Reducer, lanes == 1 ? 1 : 32>(source, count);
  else if constexpr (CountsNumbers<Reducer>)
    return detail::leaf_mean<Reducer, lanes>(source, count, index);
  else if constexpr (Decides<Reducer>)
    return detail::leaf_decision<Reducer>(source, count, index);
  else if constexpr (adds_complex_v<Reducer> && is_same_v<Source, const typename Reducer::value*>)
    return count < lanes ? detail::leaf_total<Reducer, 1>(source, count, index)
                         : detail::leaf_total_of_parts<Reducer, lanes>(source, count);
  else
    return detail::leaf_total<Reducer, lanes>(source, count, index);
}

// Returns whether neighbouring results are reduced side by side, each from its first element to its
// last, because their elements are neighbours and those of one result are not.
inline bool reduces_columns(int64_t kept_step, int64_t reduced_step) {
  return kept_step == 1 && reduced_step != 1;
}
inline int64_t leaf_length(bool columns) { return columns ? kColumnLeaf : kRowLeaf; }

}  // namespace gpuarray
