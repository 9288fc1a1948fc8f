// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/host/reduce.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "backend/host/copy.hpp"
#include "backend/host/threads.hpp"
#include "backend/host/walk.hpp"
#include "backend/loops/levels.hpp"
#include "core/layout.hpp"
#include "kernels/reduce/reduce_leaf.hpp"
#include "kernels/reduce/total_tree.hpp"

namespace gpuarray::host {
namespace {

constexpr int64_t kMostResults = 4096;             // that are reduced side by side
constexpr int64_t kMostConverted = 256;            // that are converted before
constexpr int64_t kPieceBytes = int64_t{1} << 18;  // of the source that a thread takes at a time

// Combines the totals of several results side by side, in the order of a TotalTree.
class ResultsTree {
 public:
  ResultsTree(const loops::ReduceLoops& loops, int64_t results)
      : loops_(loops),
        results_(results),
        bytes_(static_cast<size_t>(results * loops.total_bytes)) {}

  // Adds totals of 2^level leaves, which it overwrites.
  void add(int level, char* totals) {
    tree_.add(
        level, [&](int k) { std::copy_n(totals, bytes_, at(k)); },
        [&](int k) { carry(k, totals); });
  }
  // Combines all that was added, and then `totals` if `has_last`; writes the result to `totals`.
  void finish(char* totals, bool has_last) {
    tree_.finish([&](int k) {
      if (has_last)
        carry(k, totals);
      else
        std::copy_n(at(k), bytes_, totals);
      has_last = true;
    });
  }

 private:
  void carry(int k, char* totals) {
    loops_.combine(at(k), totals, results_);
    std::copy_n(at(k), bytes_, totals);
  }
  char* at(int k) {
    while (levels_.size() <= static_cast<size_t>(k))
      levels_.push_back(std::make_unique_for_overwrite<char[]>(bytes_));
    return levels_[static_cast<size_t>(k)].get();
  }

  const loops::ReduceLoops& loops_;
  const int64_t results_;
  const size_t bytes_;
  TotalTree tree_;
  std::vector<std::unique_ptr<char[]>> levels_;
};

// Results that lie side by side, from `first` on: those of a piece of the kept axes' last one.
struct Results {
  int64_t source;  // offset of the first one's elements, in elements
  int64_t target;  // offset of the first one, in elements
  int64_t count;
};

class Reducing {
 public:
  Reducing(Reduction reduction, DType loop, const ReducePlan& plan);
  void run();

 private:
  // Memory of one thread for a leaf of each of several results, made at its first use.
  struct Scratch {
    std::unique_ptr<char[]> packed, rounded, cast;
  };
  char* scratch_of(std::unique_ptr<char[]>& memory, int itemsize) const {
    if (!memory)
      memory = std::make_unique_for_overwrite<char[]>(
          static_cast<size_t>(chunk_ * std::min(run_, leaf_) * itemsize));
    return memory.get();
  }

  char* rounded_of(Scratch& scratch) const {
    return rounding_ != nullptr ? scratch_of(scratch.rounded, rounded_itemsize_) : nullptr;
  }

  void choose_loops(Reduction reduction, DType loop);
  Results results_of(int64_t chunk) const;
  std::unique_ptr<char[]> totals_of_chunk() const {
    return std::make_unique_for_overwrite<char[]>(static_cast<size_t>(chunk_ * loops_.total_bytes));
  }
  // Reduces one leaf of each of the results to `totals`.
  void make_leaf(const Results& results, int64_t run_offset, int64_t leaf, void* totals,
                 Scratch& scratch) const;
  // Converts `count` neighbouring elements to the dtype of the loops. `rounded` has room for them
  // in the dtype of the reduction.
  void convert(const char* source, int64_t count, char* rounded, char* to) const;
  const char* natural_rows(const char* source, int64_t rows, int64_t count, Scratch& scratch) const;
  const char* natural_columns(const char* source, int64_t columns, int64_t count,
                              Scratch& scratch) const;
  // Reduces leaves [begin, end) of each of the results to `totals`.
  void reduce_leaves(const Results& results, int64_t begin, int64_t end, char* totals,
                     Scratch& scratch) const;
  // Reduces all leaves of each of the results, on several threads.
  void reduce_in_pieces(const Results& results, char* totals) const;
  bool is_decided(const Results& results, const char* totals) const {
    return decides_ && results.count == 1 && reinterpret_cast<const bool&>(*totals) == deciding_;
  }
  int64_t leaf_bytes() const { return std::min(leaf_, run_) * (columns_ ? chunk_ : 1) * itemsize_; }
  void finish(const Results& results, const char* totals) const;

  const ReducePlan& plan_;
  loops::ReduceLoops loops_;
  // Converts the source's dtype to that of the reduction, where the loops take a third one.
  loops::RowLoop rounding_ = nullptr;
  loops::RowLoop cast_ = nullptr;
  int itemsize_, rounded_itemsize_, natural_itemsize_, target_itemsize_;
  // Whether a total that begins with `deciding_` is the result, whatever follows. Of bools that is
  // so for the first place of one, too.
  bool decides_ = false, deciding_ = false, finds_place_ = false;
  int64_t run_, step_;                       // along the innermost reduced axis
  int64_t width_, kept_step_, target_step_;  // along the innermost kept axis
  Shape outer_reduced_, outer_kept_;
  bool columns_;
  int64_t leaf_, leaves_of_run_, leaves_;
  int64_t chunk_;  // results that are reduced side by side
};

// Returns the reduction that gives the same of bools and is decided by one of them.
Reduction decided_by_one(Reduction reduction, DType dtype) {
  if (dtype != DType::bool_) return reduction;
  if (reduction == Reduction::max) return Reduction::any;
  return reduction == Reduction::min ? Reduction::all : reduction;
}

Reducing::Reducing(Reduction reduction, DType loop, const ReducePlan& plan) : plan_(plan) {
  choose_loops(reduction, loop);
  const int reduced = plan.reduced.size() - 1, kept = plan.kept.size() - 1;
  run_ = reduced < 0 ? 1 : plan.reduced[reduced];
  step_ = reduced < 0 ? 0 : plan.reduced_strides[reduced];
  width_ = kept < 0 ? 1 : plan.kept[kept];
  kept_step_ = kept < 0 ? 0 : plan.kept_strides[kept];
  target_step_ = kept < 0 ? 0 : plan.target_strides[kept];
  outer_reduced_ = plan.reduced;
  outer_kept_ = plan.kept;
  if (reduced >= 0) outer_reduced_.erase(reduced);
  if (kept >= 0) outer_kept_.erase(kept);
  columns_ = reduces_columns(kept_step_, step_);
  leaf_ = leaf_length(columns_);
  leaves_of_run_ = divide_up(run_, leaf_);
  leaves_ = leaves_of_run_ * element_count(outer_reduced_);
  // Chunks of about the same width, in whole lines of the cache.
  const int64_t chunks = divide_up(width_, cast_ == nullptr ? kMostResults : kMostConverted);
  chunk_ = std::min(round_up(divide_up(width_, std::max<int64_t>(chunks, 1)), int64_t{64}), width_);
  if (!columns_) chunk_ = std::clamp<int64_t>(leaf_ / std::max<int64_t>(run_, 1), 1, chunk_);
}

void Reducing::choose_loops(Reduction reduction, DType loop) {
  const DType source = plan_.source_dtype;
  const bool is_direct = has_direct_reduction(reduction, source, loop);
  const DType rounded = is_direct ? source : loop;
  reduction = decided_by_one(reduction, rounded);
  const auto row = static_cast<int>(loops_of(reduction));
  loops_ = loops::table().reductions[rounded != loop][row][static_cast<int>(rounded)];
  DType natural = rounded;
  if (loops_.rows == nullptr) {
    natural = is_average(info(reduction)) ? DType::float64 : DType::float32;
    const auto finish = loops_.finish;
    loops_ = loops::table().reductions[0][row][static_cast<int>(natural)];
    if (finish != nullptr) loops_.finish = finish;
  }
  const auto cast = [](DType from, DType to) {
    return loops::table().casts[static_cast<int>(from)][static_cast<int>(to)];
  };
  if (source != rounded && rounded != natural) rounding_ = cast(source, rounded);
  if (source != natural) cast_ = cast(rounding_ != nullptr ? rounded : source, natural);
  itemsize_ = itemsize(source);
  rounded_itemsize_ = itemsize(rounded);
  natural_itemsize_ = itemsize(natural);
  const ReductionResult result = info(reduction).result;
  target_itemsize_ = result == ReductionResult::BOOL    ? 1
                     : result == ReductionResult::INDEX ? 8
                     : result == ReductionResult::REAL  ? itemsize(real_dtype(loop))
                                                        : itemsize(loop);
  finds_place_ = result == ReductionResult::INDEX && rounded == DType::bool_;
  decides_ = finds_place_ || reduction == Reduction::any || reduction == Reduction::all;
  deciding_ = reduction == Reduction::any || reduction == Reduction::argmax;
}

Results Reducing::results_of(int64_t chunk) const {
  const int64_t chunks_of_row = divide_up(width_, chunk_);
  OffsetWalk walk(outer_kept_, &plan_.kept_strides, &plan_.target_strides);
  walk.seek(chunk / chunks_of_row);
  const int64_t begin = chunk % chunks_of_row * chunk_;
  return {walk.offset(0) + begin * kept_step_, walk.offset(1) + begin * target_step_,
          std::min(chunk_, width_ - begin)};
}

void Reducing::convert(const char* source, int64_t count, char* rounded, char* to) const {
  constexpr int64_t kSteps[] = {1, 1};
  if (rounding_ != nullptr) {
    char* const data[] = {rounded, const_cast<char*>(source)};
    rounding_(data, kSteps, count);
    source = rounded;
  }
  char* const data[] = {to, const_cast<char*>(source)};
  cast_(data, kSteps, count);
}

// Returns runs of `count` elements one after the other, in the dtype of the loops.
const char* Reducing::natural_rows(const char* source, int64_t rows, int64_t count,
                                   Scratch& scratch) const {
  if (step_ != 1 || (kept_step_ != count && rows > 1)) {
    char* const packed = scratch_of(scratch.packed, itemsize_);
    for (int64_t row = 0; row < rows; ++row)
      copy_elements(packed + row * count * itemsize_, 1, source + row * kept_step_ * itemsize_,
                    step_, count, itemsize_);
    source = packed;
  }
  if (cast_ == nullptr) return source;
  char* const cast = scratch_of(scratch.cast, natural_itemsize_);
  convert(source, rows * count, rounded_of(scratch), cast);
  return cast;
}

// Returns `count` rows of neighbouring columns one after the other, in the dtype of the loops.
const char* Reducing::natural_columns(const char* source, int64_t columns, int64_t count,
                                      Scratch& scratch) const {
  char* const cast = scratch_of(scratch.cast, natural_itemsize_);
  char* const rounded = rounded_of(scratch);
  for (int64_t i = 0; i < count; ++i)
    convert(source + i * step_ * itemsize_, columns, rounded,
            cast + i * columns * natural_itemsize_);
  return cast;
}

void Reducing::make_leaf(const Results& results, int64_t run_offset, int64_t leaf, void* totals,
                         Scratch& scratch) const {
  const int64_t run = leaf / leaves_of_run_, begin = leaf % leaves_of_run_ * leaf_;
  const int64_t count = std::min(leaf_, run_ - begin), index = run * run_ + begin;
  const char* source = static_cast<const char*>(plan_.source) +
                       (results.source + run_offset + begin * step_) * itemsize_;
  if (columns_ && cast_ == nullptr)
    loops_.columns(source, results.count, step_, count, index, totals);
  else if (columns_)
    loops_.columns(natural_columns(source, results.count, count, scratch), results.count,
                   results.count, count, index, totals);
  else if (cast_ == nullptr && step_ == 1)
    loops_.rows(source, kept_step_, results.count, count, index, totals);
  else
    loops_.rows(natural_rows(source, results.count, count, scratch), count, results.count, count,
                index, totals);
}

void Reducing::reduce_leaves(const Results& results, int64_t begin, int64_t end, char* totals,
                             Scratch& scratch) const {
  if (begin == end) return loops_.start(totals, results.count);
  OffsetWalk runs(outer_reduced_, &plan_.reduced_strides);
  if (begin > 0) runs.seek(begin / leaves_of_run_);
  ResultsTree tree(loops_, results.count);
  for (int64_t leaf = begin; leaf < end; ++leaf) {
    make_leaf(results, runs.offset(0), leaf, totals, scratch);
    if (end - begin == 1 || is_decided(results, totals)) return;
    tree.add(0, totals);
    if ((leaf + 1) % leaves_of_run_ == 0 && leaf + 1 < end) runs.next();
  }
  tree.finish(totals, false);
}

void Reducing::reduce_in_pieces(const Results& results, char* totals) const {
  int level = 0;
  while (leaf_bytes() << level < kPieceBytes) ++level;
  const int64_t piece = int64_t{1} << level, pieces = divide_up(leaves_, piece);
  const int64_t bytes = results.count * loops_.total_bytes;
  const auto made = std::make_unique_for_overwrite<char[]>(static_cast<size_t>(pieces * bytes));
  std::atomic<bool> decided = false;
  parallel_for(leaves_, piece, [&](int64_t begin, int64_t end) {
    if (decided.load(std::memory_order_relaxed)) return;
    Scratch scratch;
    char* const of_piece = made.get() + begin / piece * bytes;
    reduce_leaves(results, begin, end, of_piece, scratch);
    if (!finds_place_ && is_decided(results, of_piece)) decided = true;
  });
  if (decided) {
    reinterpret_cast<bool&>(*totals) = deciding_;
    return;
  }
  // The last piece may have fewer leaves than the others, as the last levels of one tree would.
  ResultsTree tree(loops_, results.count);
  for (int64_t p = 0; p + 1 < pieces; ++p) tree.add(level, made.get() + p * bytes);
  std::copy_n(made.get() + (pieces - 1) * bytes, bytes, totals);
  tree.finish(totals, true);
}

void Reducing::finish(const Results& results, const char* totals) const {
  loops_.finish(totals, results.count, {plan_.divisor, plan_.root, plan_.correction},
                static_cast<char*>(plan_.target) + results.target * target_itemsize_, target_step_);
}

void Reducing::run() {
  const int64_t chunks = element_count(outer_kept_) * divide_up(width_, chunk_);
  const int64_t bytes = std::max<int64_t>(leaves_ * leaf_bytes(), 1);  // of a chunk
  if (chunks < 4 * thread_count() && bytes >= 4 * kPieceBytes) {
    const auto totals = totals_of_chunk();
    for (int64_t chunk = 0; chunk < chunks; ++chunk) {
      const Results results = results_of(chunk);
      reduce_in_pieces(results, totals.get());
      finish(results, totals.get());
    }
    return;
  }
  const int64_t grain = bytes * chunks < 4 * kPieceBytes ? chunks : divide_up(kPieceBytes, bytes);
  parallel_for(chunks, grain, [&](int64_t begin, int64_t end) {
    Scratch scratch;
    const auto totals = totals_of_chunk();
    for (int64_t chunk = begin; chunk < end; ++chunk) {
      const Results results = results_of(chunk);
      reduce_leaves(results, 0, leaves_, totals.get(), scratch);
      finish(results, totals.get());
    }
  });
}

}  // namespace

void reduce(Reduction reduction, DType loop, const ReducePlan& plan) {
  Reducing(reduction, loop, plan).run();
}

}  // namespace gpuarray::host
