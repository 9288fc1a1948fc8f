// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What the compiled source of an expression that reduces rows includes on the cpu device.
#pragma once

#include "kernels/expression/fold_host.hpp"

namespace gpuarray {

// One row, over which the expression passes once for each reduction and once to write. If `unit`,
// all steps are 1.
template <bool unit, class... T>
class ReducedRow {
 public:
  explicit ReducedRow(const ExpressionRow& row) : row_(row) {}

  // Returns the reduction of what body(index, element...) returns for each element of the row. A
  // leaf is computed before it is reduced, so that compilers make vectors of both loops.
  template <class Reducer, class Body>
  typename Reducer::result reduce(Body body, double correction, bool root) const {
    using Value = typename Reducer::value;
    Value values[kRowLeaf];
    LeafTotals<Reducer> totals;
    for (int64_t begin = 0; begin < row_.count; begin += kRowLeaf) {
      const int64_t end = std::min(begin + kRowLeaf, row_.count);
      const int64_t first = row_.first + begin;
      run(begin, end, [=, &values](int64_t i, auto&&... element) {
        values[i - first] = Value(body(i, element...));
      });
      totals.add(reduce_leaf<Reducer>(static_cast<const Value*>(values), end - begin, begin));
    }
    return finished<Reducer>(totals.total(), average_of(row_.count, correction, root));
  }

  // Calls body(index, element...) for each element of the row.
  template <class Body>
  void write(Body body) const {
    run(0, row_.count, body);
  }

 private:
  template <class Body>
  void run(int64_t begin, int64_t end, Body body) const {
    detail::run_row<unit, T...>(row_, std::index_sequence_for<T...>(), begin, end, body);
  }

  const ExpressionRow& row_;
};

// Calls body(ReducedRow) for a row of the operands T....
template <class... T, class Body>
void reduced_row(const ExpressionRow& row, Body body) {
  bool unit = true;
  for (size_t k = 0; k < sizeof...(T); ++k) unit = unit && row.steps[k] == 1;
  if (unit)
    body(ReducedRow<true, T...>(row));
  else
    body(ReducedRow<false, T...>(row));
}

}  // namespace gpuarray
