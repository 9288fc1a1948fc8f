// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/host.hpp"
#include "backend/visit.hpp"
#include "core/error.hpp"
#include "kernels/bins.cuh"
#include "kernels/sort_key.cuh"

namespace gpuarray::host {
namespace {

template <class T>
class Searched {
 public:
  explicit Searched(const SearchPlan& plan)
      : plan_(plan), sorted_(static_cast<const stored_t<T>*>(plan.sorted)) {}

  // How many elements come before the query's place; every query takes the same steps, without
  // branches that a processor would have to guess.
  int64_t place_of(T query) const {
    const auto key = search_key(query);
    int64_t found = 0;
    for (int64_t length = plan_.length; length > 1;) {
      const int64_t half = length / 2;
      found += is_after(key, found + half - 1) ? half : 0;
      length -= half;
    }
    return found + is_after(key, found);
  }

 private:
  template <class Key>
  bool is_after(Key query, int64_t k) const {
    const auto element = search_key(T(sorted_[plan_.sorter == nullptr ? k : position(k)]));
    return plan_.right ? !key_less(query, element) : key_less(element, query);
  }

  int64_t position(int64_t k) const {
    const int64_t at = plan_.sorter[k];
    if (at < 0 || at >= plan_.length)
      throw ValueError("searchsorted: sorter holds " + std::to_string(at) + ", a has " +
                       std::to_string(plan_.length) + " elements");
    return at;
  }

  const SearchPlan& plan_;
  const stored_t<T>* sorted_;
};

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
    const Searched<T> searched(plan);
    const auto* const queries = static_cast<const stored_t<T>*>(plan.queries);
    for (int64_t i = 0; i < plan.count; ++i) plan.target[i] = searched.place_of(T(queries[i]));
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
