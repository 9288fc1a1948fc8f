// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The threads of the cpu device: which pieces run, on how many threads at once, and what becomes of
// errors.
#include "backend/host/threads.hpp"

#include <atomic>
#include <cstdlib>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"

namespace {

using gpuarray::host::parallel_for;
using gpuarray::host::thread_count;

constexpr int kThreads = 4;

// Counts how many threads are within its scopes at once.
class Meter {
 public:
  class Scope {
   public:
    explicit Scope(Meter& meter) : meter_(meter) {
      const int now = ++meter_.now_;
      int peak = meter_.peak_;
      while (peak < now && !meter_.peak_.compare_exchange_weak(peak, now)) continue;
    }
    ~Scope() { --meter_.now_; }

   private:
    Meter& meter_;
  };
  int peak() const { return peak_; }

 private:
  std::atomic<int> now_ = 0, peak_ = 0;
};

// Returns the sum of [0, size), of which parallel_for adds the parts.
int64_t sum_below(int64_t size, int64_t grain) {
  std::atomic<int64_t> sum = 0;
  parallel_for(size, grain, [&](int64_t begin, int64_t end) {
    int64_t part = 0;
    for (int64_t i = begin; i < end; ++i) part += i;
    sum += part;
  });
  return sum;
}

void test_each_item_runs_once() {
  for (int64_t size : {0, 1, 7, 64, 65, 1000})
    for (int64_t grain : {1, 7, 64, 2000}) {
      std::atomic<int> strays = 0;
      std::vector<int> runs(static_cast<size_t>(size));  // no two threads write to one element
      parallel_for(size, grain, [&](int64_t begin, int64_t end) {
        strays += begin % grain != 0 || end - begin > grain;
        for (int64_t i = begin; i < end; ++i) ++runs[static_cast<size_t>(i)];
      });
      CHECK(strays == 0);
      CHECK(runs == std::vector<int>(static_cast<size_t>(size), 1));
    }
}

void test_what_the_pieces_wrote_is_seen_after_the_call() {
  std::vector<int64_t> values(10000);
  for (int round = 0; round < 50; ++round)
    parallel_for(10000, 100, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) values[static_cast<size_t>(i)] += i;
    });
  CHECK(std::accumulate(values.begin(), values.end(), int64_t{0}) == int64_t{50} * 9999 * 5000);
}

void test_several_threads_help() {
  // Two pieces that wait for each other end only if two threads run them.
  std::atomic<int> arrived = 0;
  parallel_for(2, 1, [&](int64_t, int64_t) {
    ++arrived;
    while (arrived < 2) std::this_thread::yield();
  });
  CHECK(arrived == 2);
}

void test_calls_within_a_piece_run_on_its_thread() {
  std::atomic<int64_t> sum = 0;
  std::atomic<int> strangers = 0;
  parallel_for(20, 1, [&](int64_t, int64_t) {
    const auto self = std::this_thread::get_id();
    parallel_for(100, 1, [&](int64_t begin, int64_t) {
      strangers += std::this_thread::get_id() != self;
      sum += begin;
    });
  });
  CHECK(sum == 20 * 4950);
  CHECK(strangers == 0);
}

void test_an_error_is_thrown_once_and_the_threads_go_on() {
  for (int round = 0; round < 20; ++round) {
    std::string text;
    try {
      parallel_for(100, 1, [&](int64_t begin, int64_t) {
        if (begin % 3 == 1) throw std::runtime_error("piece");
      });
    } catch (const std::runtime_error& error) {
      text += error.what();
    }
    CHECK(text == "piece");
    CHECK(sum_below(1000, 10) == 499500);
  }
}

// `callers` threads compute at once; returns the most threads that worked on pieces at one time.
int peak_of(int callers) {
  Meter meter;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int k = 0; k < callers; ++k)
    threads.emplace_back([&] {
      for (int round = 0; round < 100; ++round) {
        std::atomic<int64_t> sum = 0;
        parallel_for(64, 1, [&](int64_t begin, int64_t) {
          const Meter::Scope scope(meter);
          sum += begin;
          std::this_thread::yield();
        });
        wrong += sum != 2016;
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  return meter.peak();
}

void test_callers_share_the_threads() {
  // A caller works itself, though others have called all threads.
  for (int callers : {1, 2, 3, 9}) CHECK(peak_of(callers) <= callers + kThreads - 1);
}

}  // namespace

int main() {
  setenv("GPUARRAY_NUM_THREADS", std::to_string(kThreads).c_str(), 1);
  CHECK(thread_count() == kThreads);
  test_each_item_runs_once();
  test_what_the_pieces_wrote_is_seen_after_the_call();
  test_several_threads_help();
  test_calls_within_a_piece_run_on_its_thread();
  test_an_error_is_thrown_once_and_the_threads_go_on();
  test_callers_share_the_threads();
  return check_report();
}
