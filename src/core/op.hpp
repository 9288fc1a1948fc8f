// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/dtype.hpp"

namespace gpuarray {

// The element-wise operations, one a row of kernels/ops.def.
enum class Op : uint8_t {
#define GPUARRAY_UNARY(name, ...) name,
#define GPUARRAY_BINARY(name, ...) name,
#define GPUARRAY_TERNARY(name, ...) name,
#include "kernels/ops.def"
};

inline constexpr int kOpCount = 0
#define GPUARRAY_UNARY(...) +1
#define GPUARRAY_BINARY(...) +1
#define GPUARRAY_TERNARY(...) +1
#include "kernels/ops.def"
    ;

// The rules of ops.def by which the dtype of the result follows from that of the loop.
enum class OpRule : uint8_t { SAME, BOOL, REAL, INT32, UINT8, NOBOOL, DIVIDE, SELECT };

// A row of kernels/ops.def.
struct OpInfo {
  const char* name;
  int arity;        // number of operands
  uint32_t dtypes;  // bit d: a loop for DType d exists
  OpRule rule;
  const char* doc;
};

// Returns the row of an operation.
const OpInfo& info(Op op);

// The dtypes in which an operation is computed.
struct LoopTypes {
  DType loop;  // operands are converted to this (but the first one of `where` to bool)
  DType result;
};

// Returns the loop for operands of these dtypes, chosen as NumPy does: that of the promoted dtype,
// else the first one that each operand casts to safely. Throws TypeError if there is none.
LoopTypes resolve(Op op, std::span<const DType> operands);
inline LoopTypes resolve(Op op, DType dtype) { return resolve(op, std::span(&dtype, 1)); }
// Returns the loop for operands of one dtype, from a table; null if there is none.
const LoopTypes* loop_of(Op op, DType dtype);

// The reductions, one a row of kernels/reductions.def.
enum class Reduction : uint8_t {
#define GPUARRAY_REDUCTION(name, ...) name,
#include "kernels/reductions.def"
};

inline constexpr int kReductionCount = 0
#define GPUARRAY_REDUCTION(...) +1
#include "kernels/reductions.def"
    ;

// The columns of reductions.def: how the dtype of the result follows from the array's, and what an
// empty axis gives.
enum class ReductionResult : uint8_t { SAME, BOOL, INDEX, SUM, MEAN, REAL };
enum class ReductionEmpty : uint8_t { IDENTITY, ERROR };

// A row of kernels/reductions.def.
struct ReductionInfo {
  const char* name;
  ReductionResult result;
  ReductionEmpty empty;
  const char* doc;
};

// Returns the row of a reduction.
const ReductionInfo& info(Reduction reduction);
// Returns the reduction whose loops and kernels compute it: those of var serve std too.
constexpr Reduction loops_of(Reduction reduction) {
  if (reduction == Reduction::nanstd) return Reduction::nanvar;
  return reduction == Reduction::std ? Reduction::var : reduction;
}
// Returns the reduction that gives the same where nothing is NaN and does not look for it.
constexpr Reduction plain_of(Reduction reduction) {
  switch (reduction) {
#define GPUARRAY_REDUCTION(...)
#define GPUARRAY_NAN_REDUCTION(name, plain, ...) \
  case Reduction::name:                          \
    return Reduction::plain;
#include "kernels/reductions.def"
    default:
      return reduction;
  }
}
// Whether the reduction passes over NaN.
constexpr bool passes_nan(Reduction reduction) { return plain_of(reduction) != reduction; }
// Whether the reduction is mean, var or std.
inline bool is_average(const ReductionInfo& reduction) {
  return reduction.result == ReductionResult::MEAN || reduction.result == ReductionResult::REAL;
}

// The scans, which accumulate along an axis, one a row of kernels/scans.def.
enum class Scan : uint8_t {
#define GPUARRAY_SCAN(name, ...) name,
#include "kernels/scans.def"
};

inline constexpr int kScanCount = 0
#define GPUARRAY_SCAN(...) +1
#include "kernels/scans.def"
    ;

// A row of kernels/scans.def.
struct ScanInfo {
  const char* name;
  uint32_t dtypes;  // bit d: a loop for DType d exists
  bool widens;      // whether integers are accumulated in default_sum_dtype()
};

// Returns the row of a scan.
const ScanInfo& info(Scan scan);
// Return the scan or operation of this name; nullopt if there is none.
std::optional<Scan> scan_from_name(std::string_view name);
std::optional<Op> op_from_name(std::string_view name);

// Returns the dtype that `sum` and `prod` compute in when none is asked for: integers widen to 64
// bits.
DType default_sum_dtype(DType dtype);
// Returns the dtype that averages are computed in when none is asked for: float64 for integers and
// bool.
DType default_mean_dtype(DType dtype);
// Returns the dtype that a reduction computes in when none is asked for; the dtype itself for most.
DType default_loop_dtype(const ReductionInfo& reduction, DType dtype);

}  // namespace gpuarray
