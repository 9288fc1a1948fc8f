// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <type_traits>
#include <utility>

#include "backend/loops/loops.hpp"
#include "kernels/reduce/reduce_leaf.hpp"
#include "kernels/reduce/reduce_params.hpp"

// The loops of reductions over the reducers of kernels/reduce.
namespace gpuarray::loops {

template <class Reducer>
const auto* elements_of(const void* source) {
  return static_cast<const stored_t<typename Reducer::value>*>(source);
}

template <class Reducer>
void start_totals(void* totals, int64_t count) {
  auto* target = static_cast<typename Reducer::accumulator*>(totals);
  for (int64_t i = 0; i < count; ++i) target[i] = Reducer::identity();
}

template <class Reducer>
void reduce_rows(const void* source, int64_t row_step, int64_t rows, int64_t count, int64_t index,
                 void* totals) {
  auto* target = static_cast<typename Reducer::accumulator*>(totals);
  const auto* row = elements_of<Reducer>(source);
  for (int64_t i = 0; i < rows; ++i, row += row_step)
    target[i] = reduce_leaf<Reducer>(row, count, index);
}

// Calls body(0), ..., body(count - 1), of which compilers make vectors more often than of a loop.
template <int count>
void each(auto&& body) {
  [&]<int... k>(std::integer_sequence<int, k...>) {
    (body(k), ...);
  }(std::make_integer_sequence<int, count>());
}

// Columns that are reduced side by side: so many that what is kept of them stays in the second
// cache, where each has `bytes`.
constexpr int64_t most_columns(size_t bytes) {
  return int64_t{1 << 16} / static_cast<int64_t>(bytes);
}

// Keeps what several columns have so far. The parts of a total lie in arrays of their own, so that
// neighbouring columns are computed by vectors. add() takes several rows at once, because keeping
// takes longer than adding.
template <class Reducer>
class Columns {
  using Local = typename Reducer::local;
  // Whether an element was met fits in a byte.
  using Kept = std::conditional_t<Decides<Reducer>, uint8_t, Local>;

 public:
  static constexpr int64_t kMost = most_columns(sizeof(Kept));

  void start(const auto*, int64_t columns) {
    for (int64_t c = 0; c < columns; ++c) kept_[c] = Kept(Reducer::start());
  }
  template <int rows>
  void add(const auto* row, int64_t step, int64_t columns, uint32_t position) {
#pragma GCC ivdep
    for (int64_t c = 0; c < columns; ++c) {
      Local local = kept_[c];
      each<rows>([&](int r) { Reducer::step(local, row[r * step + c], position + r); });
      kept_[c] = Kept(local);
    }
  }
  typename Reducer::accumulator total(int64_t c, int64_t index, int64_t) const {
    return Reducer::widen(kept_[c], index);
  }

 private:
  Kept kept_[kMost];
};

template <FindsPlace Reducer>
class Columns<Reducer> {
  using Value = typename Reducer::value_reducer::accumulator;

 public:
  static constexpr int64_t kMost = most_columns(sizeof(Value) + sizeof(uint32_t));

  void start(const auto* row, int64_t columns) {
    for (int64_t c = 0; c < columns; ++c) {
      values_[c] = cast<Value>(typename Reducer::value(row[c]));
      places_[c] = 0;
    }
  }
  template <int rows>
  void add(const auto* row, int64_t step, int64_t columns, uint32_t position) {
#pragma GCC ivdep
    for (int64_t c = 0; c < columns; ++c) {
      typename Reducer::local best{values_[c], places_[c]};
      each<rows>([&](int r) { Reducer::step(best, row[r * step + c], position + r); });
      values_[c] = best.value;
      places_[c] = best.index;
    }
  }
  typename Reducer::accumulator total(int64_t c, int64_t index, int64_t) const {
    return {values_[c], index + places_[c]};
  }

 private:
  Value values_[kMost];
  uint32_t places_[kMost];
};

// Columns take their elements one after the other, and so the first NaN.
template <TellsNansApart Reducer>
class Columns<Reducer> : public Columns<typename Reducer::any_nan> {
 public:
  typename Reducer::accumulator total(int64_t c, int64_t index, int64_t count) const {
    return {Columns<typename Reducer::any_nan>::total(c, index, count), index};
  }
};

template <class Reducer>
  requires SumsSquares<Reducer> && (!CountsNumbers<Reducer>)
class Columns<Reducer> {
  using A = typename Reducer::A;

 public:
  static constexpr int64_t kMost = most_columns(2 * sizeof(A) + sizeof(double));

  void start(const auto* row, int64_t columns) {
    for (int64_t c = 0; c < columns; ++c) {
      shifts_[c] = cast<A>(typename Reducer::value(row[c]));
      sums_[c] = A{};
      squares_[c] = 0;
    }
  }
  template <int rows>
  void add(const auto* row, int64_t step, int64_t columns, uint32_t) {
#pragma GCC ivdep
    for (int64_t c = 0; c < columns; ++c) {
      A sum = sums_[c];
      double squares = squares_[c];
      each<rows>([&](int r) {
        const A element = cast<A>(typename Reducer::value(row[r * step + c]));
        const A distance = math::subtract(element, shifts_[c]);
        sum = math::add(sum, distance);
        squares += Reducer::square(distance);
      });
      sums_[c] = sum;
      squares_[c] = squares;
    }
  }
  typename Reducer::accumulator total(int64_t c, int64_t, int64_t count) const {
    return Reducer::widen({shifts_[c], sums_[c], squares_[c], uint32_t(count)}, 0);
  }

 private:
  A shifts_[kMost];
  A sums_[kMost];
  double squares_[kMost];
};

template <class Reducer>
  requires SumsSquares<Reducer> && CountsNumbers<Reducer>
class Columns<Reducer> {
  using A = typename Reducer::A;

 public:
  static constexpr int64_t kMost = most_columns(2 * sizeof(A) + sizeof(double) + sizeof(uint32_t));

  void start(const auto*, int64_t columns) {
    for (int64_t c = 0; c < columns; ++c) {
      shifts_[c] = sums_[c] = A{};
      squares_[c] = 0;
      counts_[c] = 0;
    }
  }
  template <int rows>
  void add(const auto* row, int64_t step, int64_t columns, uint32_t position) {
#pragma GCC ivdep
    for (int64_t c = 0; c < columns; ++c) {
      typename Reducer::local local{shifts_[c], sums_[c], squares_[c], counts_[c]};
      each<rows>([&](int r) { Reducer::step(local, row[r * step + c], position + r); });
      shifts_[c] = local.shift;
      sums_[c] = local.sum;
      squares_[c] = local.squares;
      counts_[c] = local.count;
    }
  }
  typename Reducer::accumulator total(int64_t c, int64_t index, int64_t) const {
    return Reducer::widen({shifts_[c], sums_[c], squares_[c], counts_[c]}, index);
  }

 private:
  A shifts_[kMost];
  A sums_[kMost];
  double squares_[kMost];
  uint32_t counts_[kMost];
};

// The rows that Columns takes at once. Of the largest of several complex numbers compilers make no
// vectors.
template <class Reducer>
inline constexpr int kRowsAtOnce = 4;
template <TellsNansApart Reducer>
inline constexpr int kRowsAtOnce<Reducer> = 1;

template <class Reducer>
void reduce_columns(const void* source, int64_t columns, int64_t step, int64_t count, int64_t index,
                    void* totals) {
  constexpr int64_t kMost = Columns<Reducer>::kMost;
  constexpr int kRows = kRowsAtOnce<Reducer>;
  auto* target = static_cast<typename Reducer::accumulator*>(totals);
  for (int64_t begin = 0; begin < columns; begin += kMost) {
    const int64_t width = columns - begin < kMost ? columns - begin : kMost;
    const auto* row = elements_of<Reducer>(source) + begin;
    Columns<Reducer> running;
    running.start(row, width);
    int64_t i = 0;
    for (; i + kRows <= count; i += kRows, row += kRows * step)
      running.template add<kRows>(row, step, width, uint32_t(i));
    for (; i < count; ++i, row += step) running.template add<1>(row, step, width, uint32_t(i));
    for (int64_t c = 0; c < width; ++c) target[begin + c] = running.total(c, index, count);
  }
}

template <class Reducer>
void combine_totals(void* totals, const void* others, int64_t count) {
  auto* target = static_cast<typename Reducer::accumulator*>(totals);
  const auto* source = static_cast<const typename Reducer::accumulator*>(others);
  for (int64_t i = 0; i < count; ++i) target[i] = Reducer::combine(target[i], source[i]);
}

template <class Reducer>
void finish_totals(const void* totals, int64_t count, const Finish& how, void* target,
                   int64_t step) {
  const auto* from = static_cast<const typename Reducer::accumulator*>(totals);
  auto* to = static_cast<typename Reducer::result*>(target);
  for (int64_t i = 0; i < count; ++i) {
    if constexpr (Averaging<Reducer>)
      to[i * step] = Reducer::finish(from[i], {how.divisor, how.root, how.correction});
    else
      to[i * step] = Reducer::finish(from[i]);
  }
}

// The reducer that makes the same totals as Reducer.
template <class Reducer>
struct TotalsOf {
  using type = Reducer;
};
template <class Reducer>
  requires requires { typename Reducer::total_reducer; }
struct TotalsOf<Reducer> {
  using type = typename Reducer::total_reducer;
};

template <class Reducer>
constexpr ReduceLoops reduce_loops() {
  using Totals = typename TotalsOf<Reducer>::type;
  return {sizeof(typename Reducer::accumulator),
          start_totals<Totals>,
          reduce_rows<Totals>,
          reduce_columns<Totals>,
          combine_totals<Totals>,
          finish_totals<Reducer>};
}

// Loops that only finish: elements are converted to float32 or float64, whose loops reduce them.
template <class Reducer>
constexpr ReduceLoops converting_loops() {
  ReduceLoops loops;
  loops.finish = finish_totals<Reducer>;
  return loops;
}

}  // namespace gpuarray::loops
