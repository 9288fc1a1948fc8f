// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "core/op.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

#include "core/error.hpp"
#include "core/made_first.hpp"
#include "core/promote.hpp"
#include "kernels/dtype_classes.def"

namespace gpuarray {
namespace {

constexpr uint32_t bit(DType dtype) { return 1u << static_cast<int>(dtype); }

// Turns the dtype class of a row into a mask with a bit for each dtype.
#define GPUARRAY_BIT(name, ...) | bit(DType::name)
#define GPUARRAY_MASK(dtypes) (0u GPUARRAY_FOR_##dtypes(GPUARRAY_BIT, ))

constexpr OpInfo kOps[] = {
#define GPUARRAY_UNARY(name, slot, dtypes, rule, expression, doc) \
  {#name, 1, GPUARRAY_MASK(dtypes), OpRule::rule, doc},
#define GPUARRAY_BINARY(name, slot, dtypes, rule, expression, doc) \
  {#name, 2, GPUARRAY_MASK(dtypes), OpRule::rule, doc},
#define GPUARRAY_TERNARY(name, slot, dtypes, rule, expression, doc) \
  {#name, 3, GPUARRAY_MASK(dtypes), OpRule::rule, doc},
#include "kernels/ops.def"
};

constexpr ReductionInfo kReductions[] = {
#define GPUARRAY_REDUCTION(name, dtypes, result, empty, doc) \
  {#name, ReductionResult::result, ReductionEmpty::empty, doc},
#include "kernels/reductions.def"
};

// The rows without dtypes are those that the loops of another row serve.
#define GPUARRAY_REDUCTION(name, dtypes, ...) \
  static_assert((GPUARRAY_MASK(dtypes) == 0) == (loops_of(Reduction::name) != Reduction::name));
#include "kernels/reductions.def"

constexpr bool widens_SUM = true;
constexpr bool widens_SAME = false;
constexpr ScanInfo kScans[] = {
#define GPUARRAY_SCAN(name, dtypes, accumulator) \
  {#name, GPUARRAY_MASK(dtypes), widens_##accumulator},
#include "kernels/scans.def"
};

// Where a dtype stands in NumPy's order of loops: bools, integers, floats and complex numbers, each
// from the smallest on, signed before unsigned.
constexpr int loop_rank(DType dtype) {
  const char kind = info(dtype).kind;
  const int group = kind == 'b' ? 0 : kind == 'f' ? 2 : kind == 'c' ? 3 : 1;
  return 1000 * group + 10 * info(dtype).itemsize + (kind == 'u');
}

// The dtypes in which NumPy has loops, in its order.
constexpr auto kLoopOrder = [] {
  std::array<DType, std::ranges::count_if(kDTypes, &DTypeInfo::is_numpys)> order{};
  size_t count = 0;
  for (int index = 0; index < kDTypeCount; ++index)
    if (kDTypes[index].is_numpys()) order[count++] = static_cast<DType>(index);
  std::ranges::sort(order, {}, loop_rank);
  return order;
}();

DType result_of(OpRule rule, DType loop) {
  if (rule == OpRule::BOOL) return DType::bool_;
  if (rule == OpRule::REAL) return real_dtype(loop);
  if (rule == OpRule::UINT8) return DType::uint8;
  return rule == OpRule::INT32 ? DType::int32 : loop;
}

[[noreturn]] void throw_no_loop(const OpInfo& row, DType promoted) {
  std::string text = std::string(row.name) + ": dtype " + name(promoted) + " is not supported";
  if (row.rule == OpRule::NOBOOL && promoted == DType::bool_)
    text += "; convert with astype, or use the operators of bools: ~ & | ^";
  const std::string_view operation = row.name;
  if (operation == "bitwise_and" || operation == "bitwise_or")
    text += "; comparisons that it joins stand in parentheses: (a > 1) & (b < 3)";
  throw TypeError(text);
}

}  // namespace

const OpInfo& info(Op op) { return kOps[static_cast<int>(op)]; }
const ReductionInfo& info(Reduction reduction) { return kReductions[static_cast<int>(reduction)]; }

const ScanInfo& info(Scan scan) { return kScans[static_cast<int>(scan)]; }

std::optional<Scan> scan_from_name(std::string_view name) {
  for (size_t row = 0; row < std::size(kScans); ++row)
    if (name == kScans[row].name) return static_cast<Scan>(row);
  return std::nullopt;
}

std::optional<Op> op_from_name(std::string_view name) {
  for (int op = 0; op < kOpCount; ++op)
    if (name == info(static_cast<Op>(op)).name) return static_cast<Op>(op);
  return std::nullopt;
}

LoopTypes resolve(Op op, std::span<const DType> operands) {
  const OpInfo& row = info(op);
  const DType promoted = promote(operands);
  if (row.rule == OpRule::NOBOOL && promoted == DType::bool_) throw_no_loop(row, promoted);
  if (row.rule == OpRule::DIVIDE && (is_integer(promoted) || promoted == DType::bool_))
    return {DType::float64, DType::float64};
  if (row.dtypes == bit(DType::bool_)) return {DType::bool_, DType::bool_};
  if (row.dtypes & bit(promoted)) return {promoted, result_of(row.rule, promoted)};
  for (DType loop : kLoopOrder) {
    auto casts = [loop](DType operand) { return can_cast(operand, loop, Casting::safe); };
    if ((row.dtypes & bit(loop)) && std::all_of(operands.begin(), operands.end(), casts))
      return {loop, result_of(row.rule, loop)};
  }
  throw_no_loop(row, promoted);
}

const LoopTypes* loop_of(Op op, DType dtype) {
  struct Entry {
    bool exists = false;
    LoopTypes types;
  };
  using Table = std::array<std::array<Entry, kDTypeCount>, std::size(kOps)>;
  static constinit MadeFirst<Table> table;
  const Table& all = table.get([] {
    Table made;
    for (size_t row = 0; row < made.size(); ++row)
      for (int i = 0; i < kDTypeCount; ++i) {
        try {
          made[row][i] = {true, resolve(static_cast<Op>(row), static_cast<DType>(i))};
        } catch (const TypeError&) {  // the operation has no loop for the dtype
        }
      }
    return made;
  });
  const Entry& entry = all[static_cast<size_t>(op)][static_cast<size_t>(dtype)];
  return entry.exists ? &entry.types : nullptr;
}

DType default_sum_dtype(DType dtype) {
  if (kind(dtype) == 'b' || kind(dtype) == 'i') return DType::int64;
  return kind(dtype) == 'u' ? DType::uint64 : dtype;
}

DType default_mean_dtype(DType dtype) {
  return is_integer(dtype) || dtype == DType::bool_ ? DType::float64 : dtype;
}

DType default_loop_dtype(const ReductionInfo& reduction, DType dtype) {
  if (reduction.result == ReductionResult::SUM) return default_sum_dtype(dtype);
  return is_average(reduction) ? default_mean_dtype(dtype) : dtype;
}

}  // namespace gpuarray
