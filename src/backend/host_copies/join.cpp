// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>
#include <cstring>

#include "backend/host/copy.hpp"
#include "backend/host/host.hpp"

namespace gpuarray::host {
namespace {

constexpr int64_t kBlockBytes = 8 << 10;  // of the target, which stay in the first cache

struct Rows {
  int64_t begin;
  int64_t end;
};

// Calls copy(to, from) for each of the rows of a part.
template <class Copy>
void join_rows(const JoinPlan& plan, const JoinPlan::Part& part, const Rows& rows, Copy&& copy) {
  // Stores of chars could change what the plan says, so that the loop has numbers of its own.
  const int64_t pitch = plan.pitch, step = part.bytes, count = rows.end - rows.begin;
  char* const to = static_cast<char*>(plan.target) + rows.begin * pitch + part.offset;
  const char* const from = static_cast<const char*>(part.source) + rows.begin * step;
  for (int64_t row = 0; row < count; ++row) copy(to + row * pitch, from + row * step);
}

template <size_t kBytes>
void copy_word(char* to, const char* from) {
  std::memcpy(to, from, kBytes);
}

void join_part(const JoinPlan& plan, const JoinPlan::Part& part, const Rows& rows) {
  switch (part.bytes) {
    case 1:
      return join_rows(plan, part, rows, copy_word<1>);
    case 2:
      return join_rows(plan, part, rows, copy_word<2>);
    case 4:
      return join_rows(plan, part, rows, copy_word<4>);
    case 8:
      return join_rows(plan, part, rows, copy_word<8>);
    case 16:
      return join_rows(plan, part, rows, copy_word<16>);
  }
  join_rows(plan, part, rows,
            [&](char* to, const char* from) { copy_elements(to, 1, from, 1, part.bytes, 1); });
}

}  // namespace

void join(const JoinPlan& plan) {
  const int64_t block = std::max<int64_t>(1, kBlockBytes / std::max<int64_t>(1, plan.pitch));
  for (int64_t begin = 0; begin < plan.rows; begin += block)
    for (const JoinPlan::Part& part : plan.parts)
      join_part(plan, part, {begin, std::min(begin + block, plan.rows)});
}

}  // namespace gpuarray::host
