// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/host/threads.hpp"

#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include "core/environment.hpp"
#include "core/error.hpp"
#include "core/made_first.hpp"
#include "core/thread_safety.hpp"
#include "runtime/device/host_info.hpp"

namespace gpuarray::host {
namespace {

// Returns the number that a variable begins with, 0 if it begins with none. Those of other
// libraries may hold lists.
int64_t leading_number(const char* variable) { return std::atoll(text_variable(variable).c_str()); }

int count_threads() {
  constexpr int64_t kMost = 1024;
  if (!text_variable("GPUARRAY_NUM_THREADS").empty()) {
    const int64_t given = integer_variable("GPUARRAY_NUM_THREADS", 1);
    if (given < 1)
      throw ValueError("GPUARRAY_NUM_THREADS: expected a positive number, got " +
                       std::to_string(given));
    return static_cast<int>(std::min(given, kMost));
  }
  int64_t count = usable_cores();
  if (const int64_t most = leading_number("OMP_NUM_THREADS"); most > 0)
    count = std::min(count, most);
  if (const int64_t workers = leading_number("PYTEST_XDIST_WORKER_COUNT"); workers > 0)
    count /= workers;
  return static_cast<int>(std::clamp<int64_t>(count, 1, kMost));
}

// Whether this thread works on a piece, whose calls run on this thread alone.
thread_local bool is_within_piece = false;

// The pieces of one call, on the stack of the thread that made it.
class Job {
 public:
  Job(void (*run)(void*, int64_t), void* context, int64_t count)
      : pieces(count), run_(run), context_(context) {}

  const int64_t pieces;
  int helpers = 0;             // besides the caller; guarded by the pool's mutex
  std::exception_ptr failure;  // of the first piece that failed; read when all are done

  void work() noexcept {
    is_within_piece = true;
    take_pieces();
    is_within_piece = false;
  }

 private:
  void take_pieces() noexcept {
    for (;;) {
      const int64_t piece = next_.fetch_add(1, std::memory_order_relaxed);
      if (piece >= pieces) return;
      try {
        run_(context_, piece);
      } catch (...) {  // thrown again by the calling thread
        next_.store(pieces, std::memory_order_relaxed);
        const LockGuard lock(mutex_);
        if (!failure) failure = std::current_exception();
      }
    }
  }

  void (*const run_)(void*, int64_t);
  void* const context_;
  std::atomic<int64_t> next_ = 0;
  Mutex mutex_;
};

// The threads that help others. They are started when they are first of use, and sleep until the
// process ends.
class Pool {
 public:
  // Counts the calling thread as busy, and calls helpers for all pieces but the first, as far as
  // threads are left.
  void begin(Job& job) {
    const LockGuard lock(mutex_);
    jobs_.reserve(static_cast<size_t>(thread_count()));  // so that nothing below throws
    ++busy_;
    const int64_t idle = std::max(thread_count() - busy_, 0);
    const int wanted = static_cast<int>(std::min(job.pieces - 1, idle));
    while (asleep_ < wanted && start()) ++asleep_;
    job.helpers = std::min(wanted, asleep_);
    for (int k = 0; k < job.helpers; ++k) {
      jobs_.push_back(&job);
      wake_.notify_one();
    }
    asleep_ -= job.helpers;
    busy_ += job.helpers;
  }

  // Waits for the helpers of a job whose pieces are all taken; those who have not woken yet need
  // not come.
  void end(Job& job) {
    UniqueLock lock(mutex_);
    for (auto late = std::erase(jobs_, &job); late > 0; --late) release(job);
    while (job.helpers > 0) lock.wait(done_);
    --busy_;
  }

  // The lock is held while fork() copies the process: each of these does a half of it, which
  // clang's check does not know.
  void hold() NO_THREAD_SAFETY_ANALYSIS { mutex_.lock(); }
  void give_back() NO_THREAD_SAFETY_ANALYSIS { mutex_.unlock(); }

 private:
  // Starts a thread; returns false if the system gives none.
  bool start() REQUIRES(mutex_) try {
    std::thread([this] { help(); }).detach();
    return true;
  } catch (const std::exception&) {  // the work is done by fewer threads
    return false;
  }

  void release(Job& job) REQUIRES(mutex_) {
    --job.helpers;
    --busy_;
    ++asleep_;
  }

  void help() {
    UniqueLock lock(mutex_);
    for (;;) {
      while (jobs_.empty()) lock.wait(wake_);
      Job& job = *jobs_.back();
      jobs_.pop_back();
      lock.unlock();
      job.work();
      lock.lock();
      release(job);
      if (job.helpers == 0) done_.notify_all();
    }
  }

  Mutex mutex_;
  std::condition_variable wake_, done_;
  std::vector<Job*> jobs_ GUARDED_BY(mutex_);  // one entry for each helper that is to come
  int busy_ GUARDED_BY(mutex_) = 0;            // threads that compute or help, or are called to
  int asleep_ GUARDED_BY(mutex_) = 0;          // threads of the pool that are not called
};

// Never destroyed: its threads wait in it until the process ends.
Pool* the_pool = new Pool;

// None of the pool's threads lives on in the child of a fork, which begins with a new one.
[[maybe_unused]] const int at_fork =
    pthread_atfork([] { the_pool->hold(); }, [] { the_pool->give_back(); },
                   [] {
                     the_pool->give_back();
                     the_pool = new Pool;
                   });

}  // namespace

int thread_count() {
  static constinit MadeFirst<int> count;
  return count.get(count_threads);
}

void run_pieces(int64_t pieces, void (*run)(void* context, int64_t piece), void* context) {
  if (pieces <= 1 || is_within_piece || thread_count() == 1) {
    for (int64_t piece = 0; piece < pieces; ++piece) run(context, piece);
    return;
  }
  Job job(run, context, pieces);
  the_pool->begin(job);
  job.work();
  the_pool->end(job);
  if (job.failure) std::rethrow_exception(job.failure);
}

}  // namespace gpuarray::host
