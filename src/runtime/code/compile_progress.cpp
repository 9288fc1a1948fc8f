// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/code/compile_progress.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdio>

#include "runtime/driver/user_log.hpp"

namespace gpuarray {
namespace {

constinit thread_local bool is_off = false;
constinit std::atomic<int> count = 0;
constinit std::atomic<double> seconds = 0;
constinit std::atomic<double> next_told = 2;  // seconds

}  // namespace

CompileProgress::CompileProgress()
    : tells_(!is_off && isatty(STDERR_FILENO) != 0 && !is_logged(LogLevel::info)) {}

CompileProgress::~CompileProgress() {
  if (is_off) return;
  ++count;
  seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  const double waited = seconds;
  double least = next_told;
  if (!tells_ || waited < least || !next_told.compare_exchange_strong(least, 2 * waited)) return;
  const int compiled = count;
  std::fprintf(stderr, "gpuarray: compiled %d kernel%s in %.1f s so far\n", compiled,
               compiled == 1 ? "" : "s", waited);
}

void CompileProgress::turn_off_here() { is_off = true; }

}  // namespace gpuarray
