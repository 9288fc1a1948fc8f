// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <iterator>
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

  // Call these before a fork, and after it in the parent. In the child call forget_locked(), which
  // drops the entries that another thread was making: nobody there ends that.
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }
  void forget_locked() {
    for (auto entry = entries_.begin(); entry != entries_.end();) {
      const auto next = std::next(entry);
      if (std::mutex& mutex = entry->second.mutex; mutex.try_lock())
        mutex.unlock();
      else
        new auto(entries_.extract(entry));  // a locked mutex cannot be destroyed
      entry = next;
    }
    unlock();
  }

 private:
  std::mutex mutex_;
  std::map<Key, Entry> entries_;
};

}  // namespace gpuarray
