// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>

#include "backend/host/host.hpp"
#include "backend/visit.hpp"
#include "core/error.hpp"
#include "kernels/sort/bins.cuh"
#include "kernels/sort/sort_key.cuh"

namespace gpuarray::host {
namespace {

// Compares in NumPy's order, in which NaN comes last; the sort keys of kernels have the same order.
template <class T>
bool comes_before(T a, T b) {
  if constexpr (is_native_float_v<T>)
    return a < b || (b != b && a == a);
  else
    return key_less(search_key(a), search_key(b));
}

constexpr int64_t kNearby = 16;  // elements

int64_t checked_position(int64_t position, int64_t length) {
  if (position >= 0 && position < length) return position;
  throw ValueError("searchsorted: sorter holds " + std::to_string(position) + ", a has " +
                   std::to_string(length) + " elements");
}

// Finds how many sorted elements come before the place of each query, where `is_after(query,
// element)` says that it is after one. Queries often ascend: a search begins where the one before
// it ended, and looks at the elements that are near first.
template <class T, class Element, class IsAfter>
void search_all(const SearchPlan& plan, Element element, IsAfter is_after) {
  const auto* const queries = static_cast<const stored_t<T>*>(plan.queries);
  T last(queries[0]);
  int64_t begin = 0, end = plan.length;
  for (int64_t i = 0; i < plan.count; ++i) {
    const T query(queries[i]);
    if (comes_before(last, query)) {
      const int64_t near = begin + kNearby;
      end = near < plan.length && !is_after(query, element(near)) ? near : plan.length;
    } else {
      begin = 0;
      end = std::min(end + 1, plan.length);
    }
    last = query;
    while (begin < end) {
      const int64_t middle = begin + (end - begin) / 2;
      if (is_after(query, element(middle)))
        begin = middle + 1;
      else
        end = middle;
    }
    plan.target[i] = begin;
  }
}

template <class T, class Element>
void search_side(const SearchPlan& plan, Element element) {
  if (plan.right)
    search_all<T>(plan, element, [](T query, T at) { return !comes_before(query, at); });
  else
    search_all<T>(plan, element, [](T query, T at) { return comes_before(at, query); });
}

// Adds value(i) of each element i to its bin.
template <class T, class Total, class Value>
void add_up(const HistogramPlan& plan, const Binning<T>& binning, Value value) {
  const auto* const source = static_cast<const stored_t<T>*>(plan.source);
  auto* const target = static_cast<Total*>(plan.target);
  for (int64_t i = 0; i < plan.count; ++i) {
    const int64_t bin = binning.bin(T(source[i]));
    if (bin >= 0 && bin < plan.bins) target[bin] += value(i);
  }
}

}  // namespace

void search(const SearchPlan& plan) {
  visit_dtype(plan.dtype, [&]<class T>() {
    const auto* const sorted = static_cast<const stored_t<T>*>(plan.sorted);
    const int64_t* const sorter = plan.sorter;
    const int64_t length = plan.length;
    if (sorter == nullptr)
      search_side<T>(plan, [=](int64_t k) { return T(sorted[k]); });
    else
      search_side<T>(plan,
                     [=](int64_t k) { return T(sorted[checked_position(sorter[k], length)]); });
  });
}

void histogram(const HistogramPlan& plan) {
  HistogramParams params{};
  params.bins = plan.bins;
  params.edges = plan.edges;
  params.even = plan.even;
  visit_dtype(plan.dtype, [&]<class T>() {
    if constexpr (!is_complex_v<T>) {
      const Binning<T> binning(params, plan.edges);
      if (plan.weights != nullptr)
        add_up<T, double>(plan, binning, [&](int64_t i) { return plan.weights[i]; });
      else
        add_up<T, int64_t>(plan, binning, [](int64_t) { return 1; });
    }
  });
}

}  // namespace gpuarray::host
