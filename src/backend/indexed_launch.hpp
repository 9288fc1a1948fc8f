// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// How indexing along one axis is cut into launches; pure functions of shape, strides and alignment.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "backend/indexing.hpp"
#include "kernels/indexing/indexed_params.hpp"
#include "kernels/tuning.hpp"

namespace gpuarray {

// A plan whose values are contiguous: planes of rows, each row contiguous in the array too. In
// words of `word` bytes.
struct RowsPlan {
  int word;
  int index_size;  // bytes
  int64_t planes, indices, row;
  int64_t array_plane, step;
  int64_t value_step;
  const char* index;
  char* array;
  char* values;
};

// nullopt where the plan is not such. `widens`: words may be several elements.
std::optional<RowsPlan> plan_rows(const IndexedPlan& plan, bool widens);
IndexedParams any_params(const IndexedPlan& plan, const IndexAxis& axis);

inline constexpr int64_t kMostIndexedWords = int64_t{1} << 30;  // of a launch

// launch(params, blocks) for parts of at most kMostIndexedWords.
template <class Launch>
void for_each_launch(const RowsPlan& rows, IndexAxis axis, Launch&& launch) {
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
    params.value_step = static_cast<int32_t>(rows.value_step);
    params.vectors = vectors > 1;
    params.index = rows.index + first * rows.index_size;
    params.array = rows.array + first_plane * rows.array_plane * rows.word;
    params.values =
        rows.values + (first_plane * rows.indices + first) * rows.row * rows.word * rows.value_step;
    const int64_t of_thread =
        vectors > 1 ? std::max<int64_t>(kIndexedLoads, width) : kIndexedRounds;
    launch(params, (words - 1) / (kIndexedBlock * of_thread) + 1);
  };
  const auto aligned = [](const char* data) { return reinterpret_cast<uintptr_t>(data) % 16 == 0; };
  const bool vectors = rows.row == 1 && width > 1 && rows.value_step == 1 && aligned(rows.values) &&
                       aligned(rows.index) && (rows.planes == 1 || rows.indices % width == 0);
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
