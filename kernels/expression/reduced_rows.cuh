// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The walk of expressions that reduce rows and go on with the totals, as a softmax does. A row
// belongs to `lanes` neighbouring threads of one block.
#pragma once

#include "kernels/elementwise/rows.cuh"
#include "kernels/expression/expression.cuh"
#include "kernels/reduce/reduce_converted.cuh"
#include "kernels/reduce/reduce_lanes.cuh"
#include "kernels/reduce/reduce_shuffles.cuh"
#include "kernels/reduce/short_rows.cuh"

namespace gpuarray {

// Returns the value of the lane whose number differs by the bits of `mask`; all lanes of the warp
// must call it.
template <class T>
__device__ T shuffle_xor(T value, int mask) {
  if constexpr (sizeof(T) < sizeof(uint32_t)) {
    return T(__shfl_xor_sync(0xffffffffu, int(value), mask));
  } else {
    struct Words {
      uint32_t words[sizeof(T) / sizeof(uint32_t)];
    };
    auto bits = bit_cast<Words>(value);
#pragma unroll
    for (uint32_t& word : bits.words) word = __shfl_xor_sync(0xffffffffu, word, mask);
    return bit_cast<T>(bits);
  }
}

// Combines the totals of each group of `lanes` threads of a warp, for all of them in the same
// order, so that they get the same bits.
template <class Reducer, int lanes>
__device__ typename Reducer::accumulator combine_group(typename Reducer::accumulator total) {
#pragma unroll
  for (int mask = 1; mask < lanes; mask *= 2) {
    const auto other = shuffle_xor(total, mask);
    total = threadIdx.x & mask ? Reducer::combine(other, total) : Reducer::combine(total, other);
  }
  return total;
}

// Combines the totals of the threads of each row and returns the result to all of them. All threads
// of the block must call it, with `turn` 0 and 1 alternately: what the warps leave each other in
// one turn may still be read in the next.
template <class Reducer, int lanes>
__device__ typename Reducer::accumulator combine_row(typename Reducer::accumulator total,
                                                     uint32_t turn) {
  if constexpr (lanes <= 32) {
    return combine_group<Reducer, lanes>(total);
  } else {
    using Accumulator = typename Reducer::accumulator;
    constexpr int kWarps = lanes / 32;
    alignas(16) __shared__ unsigned char storage[2][32 * sizeof(Accumulator)];
    auto* totals = reinterpret_cast<Accumulator*>(storage[turn]);
    total = combine_group<Reducer, 32>(total);
    if (threadIdx.x % 32 == 0) totals[threadIdx.x / 32] = total;
    __syncthreads();
    const uint32_t first = threadIdx.x / lanes * kWarps;
    return combine_group<Reducer, kWarps>(totals[first + threadIdx.x % kWarps]);
  }
}

// The order in which the kernel of reductions (kernels/reduce/reduce.cuh) takes a row: by so many
// lanes, and by packs that begin at multiples of 16 bytes of memory, where the first element of all
// rows is so many elements from one.
struct RowOrder {
  uint32_t lanes;
  uint32_t place;
};

// Shared memory of a block: for the values of its rows that a reduction takes, and beside them for
// the totals of threads and the results of rows.
template <int bytes>
__device__ unsigned char* row_values() {
  alignas(16) __shared__ unsigned char storage[bytes];
  return storage;
}
template <int rows>
struct RowTotals {
  alignas(16) unsigned char threads[kReduceBlock * kRowTotal];
  alignas(16) unsigned char results[rows * kRowResult];
};
template <int rows>
__device__ RowTotals<rows>& row_totals() {
  __shared__ RowTotals<rows> storage;
  return storage;
}

// Reads the operands in a mask.
template <class Place>
struct SomeReader {
  Reader<Place> reader;
  uint32_t mask;

  template <class T, int Count>
  __device__ void operator()(int k, Vec<T, Count>& vector) const {
    if (mask >> k & 1) reader(k, vector);
  }
};

// The threads of a block whose rows have `lanes` each.
template <int lanes>
inline constexpr int row_block = lanes > kRowsBlock ? lanes : kRowsBlock;
// The blocks of them to keep resident on a multiprocessor.
template <int lanes>
inline constexpr int row_blocks = kReducedRowsResident / row_block<lanes>;

// Writes as Writer does, but the one element of a row that an operand may have only once.
template <uint32_t written, class Place>
struct RowWriter {
  const Place& place;

  template <class T, int Count>
  __device__ void operator()(int k, const Vec<T, Count>& vector) const {
    if (!(written >> k & 1)) return;
    if (place.is_vector(k) || place.step(k) != 0)
      Writer<written, Place>{place}(k, vector);
    else if (place.column == 0)
      static_cast<T*>(place.p.operands.data[k])[place.offset(k)] = vector.items[0];
  }
};

// Sets the elements of the operands in a mask to zero.
struct Clearer {
  uint32_t mask;

  template <class T, int Count>
  __device__ void operator()(int k, Vec<T, Count>& vector) const {
    if (mask >> k & 1) splat(vector, T{});
  }
};

// How threads take rows: `lanes` threads a row, in `rounds` of one vector each. A row that is
// `held` stays in registers from its first reduction on; any other is read again for each.
// Reductions need only the operands in the mask `reduced`; those in `vectors` are accessed by
// vectors. The values that a reduction in a RowOrder takes have `staged` bytes of shared memory.
template <uint32_t vectors_, bool wide_, int lanes_, int rounds_, bool held_, uint32_t reduced_,
          int staged_ = 0>
struct RowPlan {
  static constexpr bool wide = wide_, held = held_;
  static constexpr int lanes = lanes_, rounds = rounds_, staged = staged_;
  static constexpr uint32_t vectors = vectors_, reduced = reduced_;
};

// Tells where a thread stands in a row (a Place: see Reader).
template <class Plan, class Params, int Operands>
struct RowPlace {
  const Params& p;
  const int64_t (&rows)[Operands];  // offsets of the row
  int64_t column;

  __device__ int64_t offset(int k) const {
    return rows[k] + (is_vector(k) ? column : column * step(k));
  }
  __device__ int64_t step(int k) const { return p.step(k); }
  __device__ bool is_vector(int k) const { return Plan::vectors >> k & 1; }
};

// This thread's share of one row, which it passes over once for each reduction and once to write.
// What lies beyond the row are zeros, which are computed with too: then no branch stands between
// the passes, and the compiler keeps what one of them computes for the next.
template <class Plan, class Params, class... T>
class ReducedRow {
  static constexpr int kOperands = sizeof...(T), kWidth = width_of<Plan::vectors != 0, T...>();
  static constexpr int64_t kStretch = int64_t{Plan::lanes} * Plan::rounds * kWidth;
  using Place = RowPlace<Plan, Params, kOperands>;

 public:
  template <class Number>
  __device__ ReducedRow(const Params& p, Number row)
      : p_(p),
        columns_(row < Number(p.head.rows) ? p.head.columns : 0),
        first_(int64_t(row) * p.head.columns) {
    if (columns_ > 0) add_outer<Plan::wide>(p.outer, row, offsets_);
    if (Plan::held) read(0, 0, Plan::rounds, Plan::reduced);
  }

  // Returns the reduction of what body(index, element...) returns for each element of the row. All
  // threads of the block must call it.
  template <class Reducer, class Body>
  __device__ typename Reducer::result reduce(Body body, double correction, bool root) {
    typename Reducer::local local = Reducer::start();
    auto step = [&](int64_t i, auto&... element) {
      Reducer::step(local, typename Reducer::value(body(i, element...)), 0);
    };
    for_each_stretch([&](int64_t begin) {
      if (!Plan::held) read(begin, 0, Plan::rounds, Plan::reduced);
#pragma unroll
      for (int round = 0; round < Plan::rounds; ++round) {
        const auto before = local;
        visit(begin, round, step);
        if (column(begin, round) >= columns_) local = before;
      }
    });
    const auto total = combine_row<Reducer, Plan::lanes>(Reducer::widen(local, 0), turn_);
    turn_ ^= 1;
    return finished<Reducer>(total, average_of(p_.head.columns, correction, root));
  }

  // Returns the same to the bits that the kernel of reductions gives in that order, which also
  // tells places. The values are left in shared memory, where they are reduced as there.
  template <class Reducer, class Body>
  __device__ typename Reducer::result reduce(Body body, double correction, bool root,
                                             const RowOrder& order) {
    using Value = stored_t<typename Reducer::value>;
    using Result = typename Reducer::result;
    constexpr uint32_t kRows = row_block<Plan::lanes> / Plan::lanes;
    constexpr bool kHasMore = row_block<Plan::lanes> > kReduceBlock;
    constexpr uint32_t kPitch = staged_row(kStretch * sizeof(Value));
    static_assert(Plan::held && kRows * kPitch <= Plan::staged &&
                  sizeof(typename Reducer::accumulator) <= kRowTotal &&
                  sizeof(Result) <= kRowResult);
    unsigned char* const values = row_values<Plan::staged>();
    RowTotals<kRows>& totals = row_totals<kRows>();
    auto* const results = reinterpret_cast<Result*>(totals.results);
    const uint32_t own = threadIdx.x / Plan::lanes, columns = uint32_t(p_.head.columns);
    const uint32_t before = uint32_t(first_) - own * columns + order.place;
    // Returns where a row of the block begins: as far behind a multiple of 16 bytes as in memory.
    const auto begin = [=](uint32_t row) {
      return row * kPitch + (before + row * columns) * uint32_t(sizeof(Value)) % 16;
    };
    stage(reinterpret_cast<Value*>(values + begin(own)), body);
    __syncthreads();
    // A few warps reduce: others in each block, so that they do not meet on one scheduler.
    constexpr uint32_t kWarps = row_block<Plan::lanes> / 32;
    const uint32_t turn = blockIdx.x * 0x9e3779b1u >> 24;
    const uint32_t thread = (threadIdx.x + turn % kWarps * 32) % (kWarps * 32);
    const uint32_t lane = thread & (order.lanes - 1);
#pragma unroll 1
    for (uint32_t first = 0; first < kRows; first += row_block<Plan::lanes> / order.lanes) {
      const uint32_t row = first + thread / order.lanes;
      Locals<Reducer> locals;
      using Row = StagedRow<Value, false>;
      if (row < kRows)
        gpuarray::step_row(locals, Run<Row>{Row{values, begin(row), 0}, 1, columns, 0}, lane,
                           order.lanes);
      const auto total = combine_lanes<Reducer, kHasMore>(
          thread, order.lanes, 1, locals.total(0),
          reinterpret_cast<typename Reducer::accumulator*>(totals.threads));
      if (row < kRows && lane == 0)
        results[row] = finished<Reducer>(total, average_of(columns, correction, root));
    }
    __syncthreads();
    return results[own];
  }

  // Calls body(index, element...) for each element of the row, and writes what it assigns.
  template <class Body>
  __device__ void write(Body body) {
    for_each_stretch([&](int64_t begin) {
#pragma unroll
      for (int first = 0; first < Plan::rounds; first += kReducedRowsWritten) {
        const int last = min(first + kReducedRowsWritten, Plan::rounds);
        read(begin, first, last, Plan::held ? ~Plan::reduced : ~0u);
#pragma unroll
        for (int round = first; round < last; ++round) visit(begin, round, body);
        access(begin, first, last, [&](int round, const Place& place) {
          elements_[round].for_each(RowWriter<written_operands<T...>(), Place>{place});
        });
      }
    });
  }

 private:
  // Writes what body(index, element...) returns for each element of this thread to its place in a
  // row of shared memory, by vectors where these are aligned.
  template <class Value, class Body>
  __device__ void stage(Value* row, Body& body) {
    constexpr int kPart = kWidth * int(sizeof(Value)) <= 16 ? kWidth : 16 / int(sizeof(Value));
    using Part = Vec<Value, kPart>;
    const bool is_aligned = reinterpret_cast<uint64_t>(row) % sizeof(Part) == 0;
#pragma unroll
    for (int round = 0; round < Plan::rounds; ++round) {
      Part made[kWidth / kPart];
      int j = 0;
      auto keep = [&](int64_t i, auto&... element) {
        made[j / kPart].items[j % kPart] = Value(body(i, element...));
        ++j;
      };
      visit(0, round, keep);
      const int64_t at = column(0, round);
      if (at >= columns_) continue;
#pragma unroll
      for (int k = 0; k < kWidth / kPart; ++k) {
        Value* const to = row + at + k * kPart;
        if (is_aligned)
          *reinterpret_cast<Part*>(to) = made[k];
        else
#pragma unroll
          for (int i = 0; i < kPart; ++i) to[i] = made[k].items[i];
      }
    }
  }

  template <class Body>
  __device__ void for_each_stretch(Body body) {
    if constexpr (Plan::held)
      body(int64_t{0});
    else
      for (int64_t begin = 0; begin < columns_; begin += kStretch) body(begin);
  }

  // Returns the column of this thread's vector in a round of the stretch that begins at `begin`.
  __device__ int64_t column(int64_t begin, int round) const {
    return begin + (int64_t{round} * Plan::lanes + threadIdx.x % Plan::lanes) * kWidth;
  }

  // Calls body(round, place) for each vector of this thread in rounds [first, last) that lies in
  // the row.
  template <class Body>
  __device__ void access(int64_t begin, int first, int last, Body body) {
#pragma unroll
    for (int round = first; round < last; ++round) {
      const int64_t at = column(begin, round);
      if (at < columns_) body(round, Place{p_, offsets_, at});
    }
  }

  __device__ void read(int64_t begin, int first, int last, uint32_t mask) {
#pragma unroll
    for (int round = first; round < last; ++round) elements_[round].for_each(Clearer{mask});
    access(begin, first, last, [&](int round, const Place& place) {
      elements_[round].for_each(SomeReader<Place>{{place}, mask});
    });
  }

  // Calls body(index, element...) for each element of this thread in a round.
  template <class Body>
  __device__ void visit(int64_t begin, int round, Body& body) {
#pragma unroll
    for (int j = 0; j < kWidth; ++j)
      elements_[round].visit(j, first_ + column(begin, round) + j, body);
  }

  const Params& p_;
  int64_t columns_;  // of the row, 0 if there is no such row
  int64_t first_;    // index of the row's first element
  int64_t offsets_[kOperands] = {};
  uint32_t turn_ = 0;
  Elements<kWidth, 0, T...> elements_[Plan::rounds];
};

// Calls body(row) for the row of each group of threads. Blocks have row_block<Plan::lanes> threads.
template <class Plan, class... T, class Params, class Body>
__device__ void walk_reduced_rows(const Params& p, Body body) {
  using Number = choose_t<Plan::wide, int64_t, uint32_t>;
  constexpr uint32_t kRows = row_block<Plan::lanes> / Plan::lanes;
  Number block = blockIdx.x;
  do {
    ReducedRow<Plan, Params, T...> row(p, block * kRows + threadIdx.x / Plan::lanes);
    body(row);
    if constexpr (Plan::wide) {
      block += gridDim.x;
      __syncthreads();
    }
  } while (Plan::wide && block < p.head.blocks);
}

}  // namespace gpuarray
