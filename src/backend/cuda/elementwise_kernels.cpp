// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The family of element-wise kernels. Which of them kernels/aot/{flat,rows,copy}.cu hold is read
// from the rows that those are made from.
#define GPUARRAY_ONLY_HOT
#include "backend/cuda/elementwise_kernels.hpp"

#include <algorithm>
#include <atomic>
#include <memory>

#include "backend/cuda/kernel_table.hpp"
#include "backend/cuda/known_steps.hpp"
#include "backend/kernel_source.hpp"
#include "kernels/dtype_classes.def"

namespace gpuarray {
namespace {

constexpr const char* kPaths[] = {"", "flat", "rows", "tile", "merged"};
constexpr const char* kParams[] = {"", "FlatParams", "RowsParams", "TileParams", "MergedParams"};

constexpr size_t number(DType dtype) { return static_cast<size_t>(dtype); }

std::string name_of(const ElementwiseLoop& what) { return what.op ? info(*what.op).name : "cast"; }

struct ElementwiseKernel {
  // The table holds, for each path, every operation in each dtype and then every cast.
  static constexpr size_t kLoops = kOpCount * kDTypeCount;
  static constexpr size_t kCasts = kDTypeCount * kDTypeCount;
  static constexpr size_t kCount = 5 * (kLoops + kCasts);

  const Variant& variant;
  const ElementwiseLoop& what;
  Path path = variant.path;

  // Returns what tells the variants of a path apart.
  uint32_t number_of_variant() const {
    return path == Path::rows ? variant.vectors : variant.turned | variant.vector_operands;
  }
  bool casts() const { return !what.op; }

  size_t index() const {
    const size_t place =
        casts() ? kLoops + number(what.dtypes[1]) * kDTypeCount + number(what.dtypes[0])
                : static_cast<size_t>(*what.op) * kDTypeCount + number(what.loop);
    return static_cast<size_t>(path) * (kLoops + kCasts) + place;
  }

  BuiltKernel built() const {
    std::string name = name_of(what) + "_";
    if (casts()) name += std::string(source::identifier(what.dtypes[1])) + "_";
    name += source::identifier(casts() ? what.dtypes[0] : what.loop);
    if (path == Path::any)
      return {casts() ? "cast" : std::string("elementwise_") + source::class_of(what.loop), name};
    const std::string prefix = kPaths[static_cast<int>(path)];
    return {casts() ? "copy" : prefix, prefix + "_" + name};
  }

  std::string text() const { return path == Path::any ? any_strides() : fast_path(); }

 private:
  std::string any_strides() const {
    using namespace source;
    const std::string params = by_value("ElementwiseParams<" + std::to_string(what.operands) + ">");
    const std::string header = include("elementwise/elementwise.cuh");
    if (casts())
      return kernel(header, params,
                    std::string("cast_kernel<") + cpp_type(what.dtypes[0]) + ", " +
                        cpp_type(what.dtypes[1]) + ">(params)");
    static const char* const arities[] = {"", "", "unary", "binary", "ternary"};
    const std::string body = std::string(arities[what.operands]) + "_kernel<" + name_of(what) +
                             "_functor<" + cpp_type(what.loop) + ">, " + cpp_type(what.loop) +
                             ">(params)";
    return kernel(header + functors(body), params, body);
  }

  std::string fast_path() const {
    using namespace source;
    const std::string name = kPaths[static_cast<int>(path)];
    const std::string out = cpp_type(what.dtypes[0]);
    std::string types = out;
    for (int k = 1; k < what.operands; ++k) types += std::string(", ") + cpp_type(what.dtypes[k]);
    std::string arguments = "params", mask;
    if (path == Path::rows) arguments += variant.vectors ? ", true" : ", false";
    if (path == Path::tile || path == Path::merged)
      mask = std::to_string(number_of_variant()) + ", ";
    const std::string body = name + "_kernel<" + mask + "Converting<" + name_of(what) +
                             "_functor<" + cpp_type(what.loop) + ">, " + cpp_type(what.loop) +
                             ", " + out + ">, " + types + ">(" + arguments + ")";
    return kernel(
        include("elementwise/" + name + ".cuh") + functors(body),
        by_value(kParams[static_cast<int>(path)] + ("<" + std::to_string(what.operands)) + ">"),
        body);
  }
};

constinit KernelFamily<ElementwiseKernel> kernels;

struct CompiledEntry {
  const uint64_t key;
  CompiledEntry* next;
  KernelEntry kernel = {};
  std::atomic<int> asked = 0;  // how often a kernel of merged rows could have served
};

// The kernels that are compiled at run time. Their operands may have any dtypes, which are too many
// combinations for a table, so that they are in lists, which only grow. Takes no lock.
class Compiled {
 public:
  CompiledEntry& entry(uint64_t key) {
    std::atomic<CompiledEntry*>& first = lists_[key * 0x9e3779b97f4a7c15u >> 56];
    std::unique_ptr<CompiledEntry> made;
    for (CompiledEntry* known = first.load(std::memory_order_acquire);;) {
      for (CompiledEntry* entry = known; entry != nullptr; entry = entry->next)
        if (entry->key == key) return *entry;
      if (made == nullptr) made = std::make_unique<CompiledEntry>(key, nullptr);
      made->next = known;
      if (first.compare_exchange_strong(known, made.get())) return *made.release();
    }
  }

 private:
  std::atomic<CompiledEntry*> lists_[256] = {};
};

CompiledEntry& compiled_entry(const ElementwiseKernel& key, Device device) {
  static constinit PerDevice<Compiled> all;
  const ElementwiseLoop& what = key.what;
  const auto op = what.op ? static_cast<uint64_t>(*what.op) : kOpCount;
  uint64_t bits = static_cast<uint64_t>(key.path) << 40 | op << 32 |
                  static_cast<uint64_t>(what.loop) << 24 |
                  static_cast<uint64_t>(key.number_of_variant()) << 48;
  static_assert(kOpCount < 1 << 8 && kDTypeCount <= 1 << 5 && kMaxOperands == 4);
  for (int k = 0; k < what.operands; ++k) bits |= static_cast<uint64_t>(what.dtypes[k]) << (5 * k);
  return all.get(device.index, [](int) { return Compiled(); }).entry(bits);
}

constexpr uint32_t bit(DType dtype) { return 1u << static_cast<int>(dtype); }

constexpr bool with_rows_FLAT = false;
constexpr bool with_rows_BOTH = true;

// The kernels that are built ahead. Bit d of a mask stands for DType d.
struct BuiltTable {
  uint32_t flat[kOpCount] = {};
  uint32_t rows[kOpCount] = {};
  uint32_t copies = 0;
  uint32_t casts[kDTypeCount] = {};  // the targets, for each source

  constexpr BuiltTable() {
#define GPUARRAY_BIT(name, ...) | bit(DType::name)
#define GPUARRAY_HOT(name, arity, dtypes, paths)                               \
  flat[static_cast<int>(Op::name)] = 0u GPUARRAY_FOR_##dtypes(GPUARRAY_BIT, ); \
  if (with_rows_##paths) rows[static_cast<int>(Op::name)] = flat[static_cast<int>(Op::name)];
#define GPUARRAY_HOT_COPY(dtype, ...) copies |= bit(DType::dtype);
#define GPUARRAY_HOT_CAST(from, From, to, ...) \
  casts[static_cast<int>(DType::from)] |= bit(DType::to);
#include "kernels/hot.def"
  }
};

constexpr BuiltTable kBuilt;

}  // namespace

bool is_built_ahead(Path path, const ElementwiseLoop& what) {
  if (path == Path::any) return true;
  if (path == Path::merged) return false;
  if (!what.op) {
    const DType from = what.dtypes[1], to = what.dtypes[0];
    if (from == to) return (kBuilt.copies & bit(to)) != 0;
    return path == Path::flat && (kBuilt.casts[static_cast<int>(from)] & bit(to)) != 0;
  }
  if (path == Path::tile || what.converts()) return false;
  return ((path == Path::flat ? kBuilt.flat : kBuilt.rows)[static_cast<int>(*what.op)] &
          bit(what.loop)) != 0;
}

DType ElementwiseLoop::natural(int k) const {
  if (!op) return dtypes[k];
  if (k == 0) return loop_of(*op, loop)->result;
  return k == 1 && info(*op).rule == OpRule::SELECT ? DType::bool_ : loop;
}

bool ElementwiseLoop::converts() const {
  if (!op) return false;
  const bool selects = info(*op).rule == OpRule::SELECT;
  if (dtypes[0] != natural(0) || (selects && dtypes[1] != DType::bool_)) return true;
  return std::any_of(dtypes + (selects ? 2 : 1), dtypes + operands,
                     [&](DType dtype) { return dtype != loop; });
}

KernelHandle elementwise_kernel(const Variant& variant, const ElementwiseLoop& what, Device device,
                                bool compile) {
  const Path path = variant.path;
  const ElementwiseKernel key{variant, what};
  if (path == Path::any) return kernels.find(key, device);
  if (is_built_ahead(path, what))
    if (KernelHandle built = kernels.entry(key, device).find_built(key, device);
        built.kernel != nullptr)
      return built;
  CompiledEntry& entry = compiled_entry(key, device);
  // Merged rows take a kernel of rows that is there until a compilation is likely to pay.
  if (path == Path::merged && is_built_ahead(Path::rows, what) &&
      entry.asked.load(std::memory_order_relaxed) < kRunsBeforeCompiling &&
      entry.asked++ < kRunsBeforeCompiling)
    return {};
  return entry.kernel.find_compiled(key, device, compile);
}

}  // namespace gpuarray
