// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>

#include "backend/backend.hpp"
#include "backend/expression.hpp"
#include "backend/host/threads.hpp"
#include "backend/loops/levels.hpp"
#include "runtime/buffer/buffer.hpp"
#include "runtime/stream/main_stream.hpp"

namespace gpuarray {

// Returns the backend of the cpu device, which lives for the process.
Backend& host_backend();

// Compiles a source that was made of the text by the host's compiler, and returns the address of
// its function kSymbol, which lives for the process. Throws CompileError if the source does not
// compile, and DeviceError if there is no compiler or the text is for CUDA only.
void* compile_for_host(const ExpressionText& text, const std::string& source);

// Backend's functions on the cpu device: each runs its plan on the calling thread before it
// returns. Those of indexing throw IndexError, and search() ValueError, for an index that is out of
// bounds.
namespace host {

// Returns the loop that converts operand 1 of dtype `from` into operand 0 of dtype `to`.
inline loops::RowLoop cast_loop(DType from, DType to) {
  return loops::table().casts[static_cast<int>(from)][static_cast<int>(to)];
}

void run_expression(Expression& expression, const ExpressionPlan& plan);
// Writes the scalar that is the plan's second operand to all elements of the first, if that is
// contiguous. Returns whether it did.
bool fill(const ElementwisePlan& plan);
void join(const JoinPlan& plan);
void matmul(DType dtype, const MatmulPlan& plan);
void gather(const IndexedPlan& plan);
void scatter(const IndexedPlan& plan);
void combine(Op op, const IndexedPlan& plan);
void count_true(const bool* mask, int64_t size, const MaskFlags& found);
void select(const SelectPlan& plan, bool spreads);  // or Backend::spread, if `spreads`
void nonzero(const NonzeroPlan& plan);
void sort(const SortPlan& plan);
void argsort(const SortPlan& plan);
void count_runs(const RunsPlan& plan);
void search(const SearchPlan& plan);
void histogram(const HistogramPlan& plan);
void draw(const DistributionPlan& plan);

// Returns memory of the cpu device for `count` elements, which a library may see.
template <class T>
BufferPtr new_memory(int64_t count) {
  return Buffer::allocate(count * static_cast<int64_t>(sizeof(T)), main_stream(Device::cpu()));
}

// Contiguous rows that a library sorts. Their dtype is never bfloat16, and bools are 0 or 1.
struct SortedRows {
  DType dtype;
  void* data;
  int64_t rows;
  int64_t length;
  Buffer* buffer;  // holds the data
};

// The functions of a library that sorts for the cpu device.
struct SortLibrary {
  // Sorts each row in place, NaN last.
  void (*sort)(const SortedRows& keys);
  // Partitions each row in place: what a sort puts at the positions `kth` is there, with nothing
  // greater before it and nothing smaller behind.
  void (*partition)(const SortedRows& keys, const Dims& kth);
  // Writes the positions that sort each row, one row after the other, without writing the keys.
  // Equal elements keep their order.
  void (*argsort)(const SortedRows& keys, int64_t* positions);
  // Writes the positions that partition each row, without writing the keys.
  void (*argpartition)(const SortedRows& keys, const Dims& kth, int64_t* positions);
};
// Sets the library that sorts. `py` calls it once, before anything is sorted.
void set_sort_library(const SortLibrary& library);
const SortLibrary& library_that_sorts();

// Sets the library function that computes large products of float32, float64 and complex dtypes
// that are not scaled. `py` calls it once, before anything is multiplied.
void set_matmul_library(void (*multiply)(DType dtype, const MatmulPlan& plan));

}  // namespace host
}  // namespace gpuarray
