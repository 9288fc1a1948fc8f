// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What clang's -Wthread-safety checks: the lock of each shared field, and the locks that a function
// needs. tools/check_thread_safety.py runs it; other compilers ignore the annotations.
#pragma once

#include <condition_variable>
#include <mutex>

#ifdef __clang__
#define GPUARRAY_THREAD_SAFETY(...) __attribute__((__VA_ARGS__))
#else
#define GPUARRAY_THREAD_SAFETY(...)
#endif

#define CAPABILITY(name) GPUARRAY_THREAD_SAFETY(capability(name))
#define SCOPED_CAPABILITY GPUARRAY_THREAD_SAFETY(scoped_lockable)
// A field that is read and written only under the lock; of a pointer, what it points to.
#define GUARDED_BY(...) GPUARRAY_THREAD_SAFETY(guarded_by(__VA_ARGS__))
#define PT_GUARDED_BY(...) GPUARRAY_THREAD_SAFETY(pt_guarded_by(__VA_ARGS__))
// A function whose caller holds the lock.
#define REQUIRES(...) GPUARRAY_THREAD_SAFETY(requires_capability(__VA_ARGS__))
// A function that takes the lock, or gives it back.
#define ACQUIRE(...) GPUARRAY_THREAD_SAFETY(acquire_capability(__VA_ARGS__))
#define TRY_ACQUIRE(...) GPUARRAY_THREAD_SAFETY(try_acquire_capability(__VA_ARGS__))
#define RELEASE(...) GPUARRAY_THREAD_SAFETY(release_capability(__VA_ARGS__))
// A function that is not checked; a comment beside it says why.
#define NO_THREAD_SAFETY_ANALYSIS GPUARRAY_THREAD_SAFETY(no_thread_safety_analysis)

namespace gpuarray {

// A std::mutex that clang knows.
class CAPABILITY("mutex") Mutex : public std::mutex {
 public:
  void lock() ACQUIRE() { std::mutex::lock(); }
  bool try_lock() TRY_ACQUIRE(true) { return std::mutex::try_lock(); }
  void unlock() RELEASE() { std::mutex::unlock(); }
};

// A std::lock_guard that clang knows.
template <class Lockable>
class SCOPED_CAPABILITY LockGuard {
 public:
  explicit LockGuard(Lockable& mutex) ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  // Takes over a mutex that is locked.
  LockGuard(Lockable& mutex, std::adopt_lock_t) REQUIRES(mutex) : mutex_(mutex) {}
  ~LockGuard() RELEASE() { mutex_.unlock(); }
  LockGuard(const LockGuard&) = delete;
  LockGuard& operator=(const LockGuard&) = delete;

 private:
  Lockable& mutex_;
};

// Releases a lock for the scope, at whose end it takes it again, also after an exception.
template <class Lockable>
class SCOPED_CAPABILITY Unlocked {
 public:
  explicit Unlocked(Lockable& mutex) RELEASE(mutex) : mutex_(mutex) { mutex_.unlock(); }
  ~Unlocked() RELEASE() { mutex_.lock(); }  // clang's word for the end of any such scope
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  Lockable& mutex_;
};

// A std::unique_lock that clang knows, with the wait for a condition variable.
class SCOPED_CAPABILITY UniqueLock {
 public:
  explicit UniqueLock(Mutex& mutex) ACQUIRE(mutex) : lock_(mutex) {}
  ~UniqueLock() RELEASE() {}
  void lock() ACQUIRE() { lock_.lock(); }
  void unlock() RELEASE() { lock_.unlock(); }
  // Blocks until `changed` is notified; the lock is free during that.
  void wait(std::condition_variable& changed) { changed.wait(lock_); }

 private:
  std::unique_lock<std::mutex> lock_;
};

}  // namespace gpuarray
