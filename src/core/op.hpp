// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/dtype.hpp"

namespace gpuarray {

// Element-wise operations, one a row of kernels/ops.def.
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

enum class OpRule : uint8_t { SAME, BOOL, REAL, INT32, UINT8, NOBOOL, DIVIDE, SELECT };

struct OpInfo {
  const char* name;
  int arity;        // operands read
  uint32_t dtypes;  // bit d: a loop for DType d exists
  OpRule rule;
  const char* doc;
};

const OpInfo& info(Op op);

struct LoopTypes {
  DType loop;  // operands are converted to this (the first of `where` to bool)
  DType result;
};

// The loop for operands of these dtypes, chosen as NumPy does: that of the promoted dtype, else the
// first that each operand casts to safely. Throws TypeError when there is none.
LoopTypes resolve(Op op, std::span<const DType> operands);
inline LoopTypes resolve(Op op, DType dtype) { return resolve(op, std::span(&dtype, 1)); }
// The same for operands of one dtype, from a table; null when there is none.
const LoopTypes* loop_of(Op op, DType dtype);

// Reductions, one a row of kernels/reductions.def.
enum class Reduction : uint8_t {
#define GPUARRAY_REDUCTION(name, ...) name,
#include "kernels/reductions.def"
};

inline constexpr int kReductionCount = 0
#define GPUARRAY_REDUCTION(...) +1
#include "kernels/reductions.def"
    ;

enum class ReductionResult : uint8_t { SAME, BOOL, INDEX, SUM, MEAN, REAL };
enum class ReductionEmpty : uint8_t { IDENTITY, ERROR };

struct ReductionInfo {
  const char* name;
  ReductionResult result;
  ReductionEmpty empty;
  const char* doc;
};

const ReductionInfo& info(Reduction reduction);
// mean, var and std.
inline bool is_average(const ReductionInfo& reduction) {
  return reduction.result == ReductionResult::MEAN || reduction.result == ReductionResult::REAL;
}

// Operations that accumulate along an axis, one a row of kernels/scans.def.
enum class Scan : uint8_t {
#define GPUARRAY_SCAN(name, ...) name,
#include "kernels/scans.def"
};

inline constexpr int kScanCount = 0
#define GPUARRAY_SCAN(...) +1
#include "kernels/scans.def"
    ;

struct ScanInfo {
  const char* name;
  uint32_t dtypes;  // bit d: a loop for DType d exists
  bool widens;      // integers to default_sum_dtype
};

const ScanInfo& info(Scan scan);
std::optional<Scan> scan_from_name(std::string_view name);
std::optional<Op> op_from_name(std::string_view name);

// The dtype that `sum` and `prod` compute in when none is asked for: integers widen to 64 bits.
DType default_sum_dtype(DType dtype);
// The same for averages: float64 for integers and bool.
DType default_mean_dtype(DType dtype);
// For a reduction: the dtype itself where it has no other.
DType default_loop_dtype(const ReductionInfo& reduction, DType dtype);

}  // namespace gpuarray
