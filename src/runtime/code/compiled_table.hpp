// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <iterator>
#include <map>

#include "core/thread_safety.hpp"

namespace gpuarray {

// What was compiled and loaded, by key. Thread-safe.
template <class Key, class Value>
class CompiledTable {
 public:
  struct Entry {
    Mutex mutex;  // guards the value, and is held while it is compiled
    Value value{};
  };

  // Returns the entry of a key, whose value is Value{} at first. It lives as long as the table and
  // does not move.
  Entry& entry(const Key& key) {
    const LockGuard lock(mutex_);
    return entries_[key];
  }

  // Call these before a fork, and after it in the parent. In the child call forget_locked(), which
  // drops the entries that another thread was making: nobody there ends that.
  void lock() ACQUIRE(mutex_) { mutex_.lock(); }
  void unlock() RELEASE(mutex_) { mutex_.unlock(); }
  void forget_locked() RELEASE(mutex_) {
    for (auto entry = entries_.begin(); entry != entries_.end();) {
      const auto next = std::next(entry);
      if (Mutex& mutex = entry->second.mutex; mutex.try_lock())
        mutex.unlock();
      else
        new auto(entries_.extract(entry));  // a locked mutex cannot be destroyed
      entry = next;
    }
    unlock();
  }

 private:
  Mutex mutex_;
  std::map<Key, Entry> entries_ GUARDED_BY(mutex_);
};

}  // namespace gpuarray
