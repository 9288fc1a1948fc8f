// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <memory>

namespace gpuarray {

// A value that is made at the first use and never destroyed. Of threads that make it at the same
// time one keeps its own; none waits for another, which a forked child may not have. Thread-safe.
template <class Value>
class MadeFirst {
 public:
  template <class Make>
  const Value& get(Make&& make) {
    const Value* known = value_.load(std::memory_order_acquire);
    return known != nullptr ? *known : make_value(make);
  }

 private:
  // Not inlined, so that get() is.
  template <class Make>
  [[gnu::noinline, gnu::cold]] const Value& make_value(Make& make) {
    const Value* known = nullptr;
    auto made = std::make_unique<const Value>(make());
    if (value_.compare_exchange_strong(known, made.get())) known = made.release();
    return *known;
  }

  std::atomic<const Value*> value_ = nullptr;
};

}  // namespace gpuarray
