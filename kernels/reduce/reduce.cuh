// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The kernel of reductions. Which elements a thread adds up, and how threads combine their totals,
// follows from shape, strides and alignment alone, so that every run gives the same bits.
#pragma once

#include "kernels/element/grid.cuh"
#include "kernels/element/layout.cuh"
#include "kernels/reduce/reduce_lanes.cuh"
#include "kernels/reduce/reduce_runs.cuh"

namespace gpuarray {

// Returns the offset of an output. A kernel that is_flat serves no more than one kept axis and one
// reduced one, so that it divides no index, which would take a quarter of its compilation.
template <bool is_flat>
__device__ int64_t offset_of_output(const ReduceParams& p, int64_t output, const int64_t* strides) {
  if constexpr (is_flat)
    return p.kept_ndim > 0 ? output * strides[0] : 0;
  else
    return offset_of(output, p.outputs, p.kept_ndim, p.kept_shape, strides);
}

// Returns the elements of an output, the first of which lies at `offset`.
template <class Source>
__device__ auto elements_of(const Source& elements, int64_t output, int64_t offset) {
  if constexpr (is_computed<Source>)
    return elements.row(output);
  else
    return elements + offset;
}

// Steps `locals` over a run of elements of the source.
template <class Source, class Reducer, class Elements>
__device__ void step_run(const ReduceParams& p, Locals<Reducer>& locals, const Run<Elements>& run,
                         uint32_t lane, uint32_t lanes) {
  if constexpr (is_computed<Source>) {
    step_row(locals, run, lane, lanes);
  } else {
    if constexpr (is_memory<Source>) {
      if (p.path == ReducePath::rows) return step_row(locals, run, lane, lanes);
      if (p.path == ReducePath::columns) return step_columns(locals, run, lane, lanes);
    }
    step_strided(locals, run, lane, lanes);
  }
}

// Steps `locals` over this thread's elements: the part of its chunk that lies in each run that its
// span of lanes takes.
template <class Reducer, bool is_flat, class Source>
__device__ void gather(const ReduceParams& p, const Place& place, const Source& elements,
                       Locals<Reducer>& locals) {
  if constexpr (computes_columns<Source>) {
    step_computed_columns(locals, elements, place.output, place.begin,
                          uint32_t(place.end - place.begin), place.lane, p.lanes);
    return;
  }
  const int64_t kept = offset_of_output<is_flat>(p, place.output, p.kept_strides);
  const auto source = elements_of(elements, place.output, kept);
  using Elements = decltype(elements_of(elements, place.output, kept));
  if constexpr (is_flat) {
    const int64_t stride = p.reduced_strides[0];
    const Run<Elements> run{source + place.begin * stride, stride,
                            uint32_t(place.end - place.begin), 0};
    if (place.lane < p.span) step_run<Source>(p, locals, run, place.lane, p.span);
    return;
  }
  const uint32_t spans = p.lanes / p.span;
  const uint32_t lane = place.lane & (p.span - 1);
  const int64_t stride = p.reduced_strides[p.reduced_ndim - 1];
  const int64_t first = p.reduced_ndim == 1 ? 0 : place.begin / p.run;
#pragma unroll 1
  for (int64_t row = first + place.lane / p.span; row * p.run < place.end; row += spans) {
    const int64_t offset =
        offset_of(row, p.count, p.reduced_ndim - 1, p.reduced_shape, p.reduced_strides);
    const int64_t begin = row * p.run;
    const int64_t from = begin < place.begin ? place.begin : begin;
    const int64_t to = begin + p.run < place.end ? begin + p.run : place.end;
    const Run<Elements> run{source + (offset + (from - begin) * stride), stride,
                            uint32_t(to - from), uint32_t(from - place.begin)};
    step_run<Source>(p, locals, run, lane, p.span);
  }
}

// Stores the total of output place.output + item: to the partial results if there are several
// chunks, else its result to the target, `offset` elements from the target's begin.
template <class Reducer>
__device__ void store(const ReduceParams& p, const Place& place, int item, int64_t offset,
                      const typename Reducer::accumulator& total) {
  if (p.chunks > 1)
    static_cast<typename Reducer::accumulator*>(
        p.partials)[place.chunk * p.outputs + place.output + item] = total;
  else
    static_cast<typename Reducer::result*>(p.target)[offset] = finished<Reducer>(total, p.average);
}

// Combines this thread's share of the partial results of its output, on path `partials`.
template <class Reducer>
__device__ typename Reducer::accumulator gather_partials(const ReduceParams& p,
                                                         const Place& place) {
  auto total = Reducer::identity();
  const auto* partials = static_cast<const typename Reducer::accumulator*>(p.partials);
  for (int64_t i = place.lane; i < p.count; i += p.lanes)
    total = Reducer::combine(total, partials[i * p.outputs + place.output]);
  return total;
}

// The blocks to keep resident on a multiprocessor, which bounds the registers of a thread: fewer
// where its locals are large.
template <class Reducer>
inline constexpr int reduce_resident =
    sizeof(typename Reducer::local) > 24 ? kReduceWideResidentBlocks : kReduceResidentBlocks;

// Reduces one chunk of the elements of each output as ReduceParams describes. Blocks have
// kReduceBlock threads, and the grid has p.chunks x p.unit_blocks of them. `source` is a pointer to
// the elements, or an object with its + and [] that makes each element when it is asked for; the
// latter only on the paths `general` and `partials`, or if is_computed on its own and `partials`.
template <class Reducer, bool is_flat = false, class Source>
__device__ void reduce_kernel(const ReduceParams& p, const Source& source) {
  constexpr int pack = ColumnPack<stored_t<typename Reducer::value>>::size;
  constexpr bool may_be_columns = is_memory<Source> || computes_columns<Source>;
  const bool is_columns = may_be_columns && p.path == ReducePath::columns;
  const int items = is_columns ? pack : 1;
  wait_for_previous_grid();
  Locals<Reducer> locals;
  auto total = Reducer::identity();
  {
    const Place place = find_place(p, items);
    if (place.active && p.path == ReducePath::partials)
      total = gather_partials<Reducer>(p, place);
    else if (place.active)
      gather<Reducer, is_flat>(p, place, source, locals);
  }
  const Place place = find_place(p, items);
  const bool stores = place.lane == 0 && place.active;
  int64_t target = 0;
  if (stores && p.chunks == 1)
    target = offset_of_output<is_flat>(p, place.output, p.target_strides);
  if (is_columns) {
    const int64_t step = p.target_strides[p.kept_ndim - 1];
#pragma unroll
    for (int k = 0; k < pack; ++k) {
      total = combine_lanes<Reducer>(p, Reducer::widen(locals.local[k], place.begin));
      if (stores) store<Reducer>(p, place, k, target + k * step, total);
    }
    return;
  }
  if (p.path != ReducePath::partials) total = locals.total(place.begin);
  total = combine_lanes<Reducer>(p, total);
  if (stores) store<Reducer>(p, place, 0, target, total);
}

// Does the same over elements in memory, at p.source.
template <class Reducer>
__device__ void reduce_kernel(const ReduceParams& p) {
  reduce_kernel<Reducer>(p, static_cast<const stored_t<typename Reducer::value>*>(p.source));
}

}  // namespace gpuarray
