// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/code/compile_progress.hpp"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>

#include "runtime/driver/user_log.hpp"

namespace gpuarray {
namespace {

using Milliseconds = std::chrono::milliseconds;

constexpr Milliseconds kLong{2000};  // that a person waits without a word

constinit thread_local bool is_off = false;
// Of the compilations with no long pause between them: when the first began, when the last ended,
// and how many ended. Atomic and not exact, as a child of fork may find a lock held for ever.
constinit std::atomic<Milliseconds> first_began{Milliseconds{0}};
constinit std::atomic<Milliseconds> last_ended{-kLong};
constinit std::atomic<int> ended = 0;

Milliseconds now() {
  return std::chrono::duration_cast<Milliseconds>(
      std::chrono::steady_clock::now().time_since_epoch());
}

}  // namespace

CompileProgress::CompileProgress() {
  if (is_off) return;
  const Milliseconds began = now();
  if (began - last_ended.load() >= kLong) {
    first_began = began;
    ended = 0;
  }
  const Milliseconds waited = began - first_began.load();
  if (waited < kLong || isatty(STDERR_FILENO) == 0 || is_logged(LogLevel::info)) return;
  is_shown_ = true;
  std::fprintf(stderr, "\rgpuarray: compiling kernels: %d done in %lld s", ended.load(),
               static_cast<long long>(waited / std::chrono::seconds(1)));
  std::fflush(stderr);
}

CompileProgress::~CompileProgress() {
  if (is_off) return;
  last_ended = now();
  ++ended;
  if (!is_shown_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
}

void CompileProgress::turn_off_here() { is_off = true; }

}  // namespace gpuarray
