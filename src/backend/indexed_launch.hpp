// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Cuts indexing along one axis into launches, by pure functions of shape, strides and alignment.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "backend/indexing.hpp"
#include "core/divide.hpp"
#include "kernels/indexing/indexed_params.hpp"
#include "kernels/tuning.hpp"

namespace gpuarray {

// An IndexedPlan seen as planes of rows, each of which is contiguous in the array and, unless one
// value stands for all, in the values: row i of a plane is the one that index i means. Planes share
// their indices, or have their own for rows of one word, which may then lie array_step apart. All
// lengths and strides count words of `word` bytes.
struct RowsPlan {
  int word;
  int index_size;                // bytes of one index
  int64_t planes, indices, row;  // planes; rows of a plane; words of a row
  int64_t array_plane, step;     // the array's strides between planes and along the indexed axis
  int64_t array_step;            // and along the rows of a plane
  int64_t index_plane;           // the indices of a plane, or 0 if planes share them
  int64_t value_step;            // 1, or 0 if one value stands for all
  const char* index;
  char* array;
  char* values;
};

// Returns the plan as rows, or nullopt if it does not consist of such. If `widens`, a word may be
// several elements.
std::optional<RowsPlan> plan_rows(const IndexedPlan& plan, bool widens);
// Returns the kernel's parameters of a plan with any strides. Throws ShapeError for too many axes.
IndexedParams any_params(const IndexedPlan& plan, const IndexAxis& axis);

inline constexpr int64_t kMostIndexedWords = int64_t{1} << 30;  // words of one launch

// Calls launch(params, blocks) for each part of the plan; a part has at most kMostIndexedWords.
// With `may_vector`, those elements that cannot be moved as vectors are a part of their own.
template <class Launch>
void for_each_launch(const RowsPlan& rows, IndexAxis axis, bool may_vector, Launch&& launch) {
  axis.stride = rows.step;
  const int64_t width = 16 / rows.word;
  const auto run = [&](int64_t first_plane, int64_t planes, int64_t first, int64_t indices,
                       int64_t vectors) {
    const int64_t words = planes * indices * rows.row;
    if (words == 0) return;
    IndexedRowsParams params;
    params.axis = axis;
    params.size = static_cast<uint32_t>(words);
    params.plane = Divisor::of(static_cast<uint32_t>(indices * rows.row));
    params.row = Divisor::of(static_cast<uint32_t>(rows.row));
    params.array_plane = rows.array_plane;
    params.array_step = rows.array_step;
    params.index_plane = static_cast<uint32_t>(rows.index_plane);
    params.value_step = static_cast<int32_t>(rows.value_step);
    params.vectors = vectors > 1;
    params.index = rows.index + (first_plane * rows.index_plane + first) * rows.index_size;
    params.array =
        rows.array + (first_plane * rows.array_plane + first * rows.array_step) * rows.word;
    params.values =
        rows.values + (first_plane * rows.indices + first) * rows.row * rows.word * rows.value_step;
    const int64_t of_thread =
        vectors > 1 ? std::max<int64_t>(kIndexedLoads, width) : kIndexedRounds;
    // Long rows are moved a piece at a time, so that one that is read again is in the cache still:
    // H100, 2026-11, 16384 random rows of as many, 64 KiB each, take 0.71 ms instead of 0.75.
    const int64_t pieces = rows.row / kIndexedBlock;
    const bool cuts =
        pieces > 1 && rows.row % kIndexedBlock == 0 && planes * indices >= kIndexedRounds;
    params.cut = cuts ? static_cast<uint32_t>(divide_up(planes * indices, kIndexedRounds)) : 0;
    launch(params, cuts ? pieces * params.cut : divide_up(words, kIndexedBlock * of_thread));
  };
  const auto aligned = [](const char* data) { return reinterpret_cast<uintptr_t>(data) % 16 == 0; };
  const bool vectors = may_vector && rows.row == 1 && width > 1 && rows.value_step == 1 &&
                       aligned(rows.values) && aligned(rows.index) &&
                       (rows.planes == 1 || rows.indices % width == 0);
  const int64_t most_rows = std::max<int64_t>(1, kMostIndexedWords / rows.row);
  const int64_t part = std::min(rows.indices, most_rows);
  const int64_t planes = part < rows.indices ? 1 : std::max<int64_t>(1, most_rows / part);
  for (int64_t plane = 0; plane < rows.planes; plane += planes)
    for (int64_t first = 0; first < rows.indices; first += part) {
      const int64_t count = std::min(part, rows.indices - first);
      const int64_t whole = vectors ? count - count % width : 0;
      const int64_t several = std::min(planes, rows.planes - plane);
      run(plane, several, first, whole, width);
      run(plane, several, first + whole, count - whole, 1);
    }
}

}  // namespace gpuarray
