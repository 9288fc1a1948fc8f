// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <cstring>

#include "backend/host/host.hpp"

namespace gpuarray::host {
namespace {

// Copies a part whose rows have `kBytes` bytes each, which the compiler makes loads and stores of.
template <size_t kBytes>
void join_narrow(const JoinPlan& plan, const JoinPlan::Part& part) {
  char* to = static_cast<char*>(plan.target) + part.offset;
  const char* from = static_cast<const char*>(part.source);
  for (int64_t row = 0; row < plan.rows; ++row, to += plan.pitch, from += kBytes)
    std::memcpy(to, from, kBytes);
}

void join_part(const JoinPlan& plan, const JoinPlan::Part& part) {
  switch (part.bytes) {
    case 1:
      return join_narrow<1>(plan, part);
    case 2:
      return join_narrow<2>(plan, part);
    case 4:
      return join_narrow<4>(plan, part);
    case 8:
      return join_narrow<8>(plan, part);
    case 16:
      return join_narrow<16>(plan, part);
  }
  for (int64_t row = 0; row < plan.rows; ++row)
    std::memcpy(static_cast<char*>(plan.target) + row * plan.pitch + part.offset,
                static_cast<const char*>(part.source) + row * part.bytes,
                static_cast<size_t>(part.bytes));
}

}  // namespace

void join(const JoinPlan& plan) {
  for (const JoinPlan::Part& part : plan.parts) join_part(plan, part);
}

}  // namespace gpuarray::host
