// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <map>
#include <mutex>

namespace gpuarray {

// What was compiled and loaded, by key. Thread-safe.
template <class Key, class Value>
class CompiledTable {
 public:
  struct Entry {
    std::mutex mutex;  // guards the value, and is held while it is compiled
    Value value{};
  };

  // Returns the entry of a key, whose value is Value{} at first. It lives as long as the table and
  // does not move.
  Entry& entry(const Key& key) {
    const std::lock_guard lock(mutex_);
    return entries_[key];
  }

 private:
  std::mutex mutex_;
  std::map<Key, Entry> entries_;
};

}  // namespace gpuarray
