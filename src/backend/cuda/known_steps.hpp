// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "backend/expression.hpp"
#include "backend/steps.hpp"
#include "core/fork.hpp"

namespace gpuarray {

// Steps that nobody prepared get a kernel of their own when they run so often.
inline constexpr int kRunsBeforeCompiling = 2;
// A reduction of fewer elements does not compute them.
inline constexpr int64_t kCompileFrom = int64_t{1} << 16;

// Two independent hashes of what steps are: their operations, dtypes and the places of their
// operands, but not shapes, addresses and the values of scalars.
struct StepsKey {
  uint64_t a = 0, b = 0;
  bool operator==(const StepsKey&) const = default;

  void add(uint64_t word) {
    a = (a ^ word) * 0x9e3779b97f4a7c15u;
    a ^= a >> 32;
    b = (b + word) * 0xff51afd7ed558ccdu;
    b ^= b >> 29;
  }
};
StepsKey key_of(const Steps& steps);
// Returns their names, "multiply+add+divide".
std::string label_of(const Steps& steps);
// Returns the C++ statements that compute the results t0, t1, ... from elements m0, ... of the
// memory and scalars s0, ...
std::string text_of(const Steps& steps);

// What is known of steps by their keys. When it becomes too much, all is forgotten. Thread-safe.
template <class Known>
class KnownTable {
 public:
  // Returns what is known, made of the arguments at first.
  template <class... Arguments>
  std::shared_ptr<Known> find(const StepsKey& key, const Arguments&... arguments) {
    if (std::shared_ptr<Known> found = find(key)) return found;
    auto made = std::make_shared<Known>(arguments...);  // without the mutex
    const std::lock_guard lock(mutex_);
    if (known_.size() >= kMost) known_.clear();
    return known_.try_emplace(key, std::move(made)).first->second;
  }

 private:
  std::shared_ptr<Known> find(const StepsKey& key) {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(key);
    return found == known_.end() ? nullptr : found->second;
  }

  static constexpr size_t kMost = 4096;
  struct Hash {
    size_t operator()(const StepsKey& key) const { return key.a; }
  };
  HeldAtFork mutex_;
  std::unordered_map<StepsKey, std::shared_ptr<Known>, Hash> known_;
};

// What is kept of steps that ran: all that follows from their operations, dtypes and the places of
// their operands, but not from shapes, addresses and the values of scalars.
struct KnownSteps {
  explicit KnownSteps(const Steps& steps);

  std::atomic<int> runs = 0;
  const std::shared_ptr<Expression> expression;  // null if it has too many parameters
};

// Returns what is known of the steps. Thread-safe.
std::shared_ptr<KnownSteps> known_steps(const Steps& steps);

// Writes the arrays and scalars of the steps to a plan of their expression.
void fill_plan(ExpressionPlan& plan, const Steps& steps);

}  // namespace gpuarray
