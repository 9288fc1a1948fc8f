// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "array/windows/fusion.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <utility>

#include "array/windows/recorders.hpp"
#include "core/environment.hpp"
#include "core/error.hpp"
#include "runtime/buffer/deferred.hpp"

namespace gpuarray::ops {
namespace {

constexpr const char* kModes[] = {"off", "auto", "always"};
constexpr const char* kTested[] = {"no", "replay", "compiled", "adversary"};

constinit std::atomic<TestedWindows> wanted_by_tests = TestedWindows::no;

void update_tested() {
  tested = mode == Fusion::always ? wanted_by_tests.load() : TestedWindows::no;
}

void end_own() { Recorders::end_own(EndReason::read); }

void run_own() {
  if (InWindow::here()) return;
  if (Recorder* const own = Recorder::here(); own != nullptr && own->is_work_pending())
    own->run_all(EndReason::access);
  recorders.run_left();
}

void run_all() {
  Recorders::end_own(EndReason::wait);
  if (InWindow::here()) return;
  recorders.for_each([](Recorder& each) {
    if (each.is_work_pending()) each.run_all(EndReason::wait);
  });
}

void run_readers(const Buffer& buffer) {
  recorders.for_each([&](Recorder& each) {
    if (each.is_work_pending() && each.reads(buffer)) each.run_all();
  });
}

}  // namespace

const char* name(Fusion mode) { return kModes[static_cast<int>(mode)]; }

void set_fusion(const std::string& name, const char* what) {
  const auto found = std::ranges::find(kModes, name);
  if (found == std::end(kModes))
    throw ValueError(std::string(what) + ": expected auto, off or always, got '" + name + "'");
  run_all_deferred();
  mode = static_cast<Fusion>(found - std::begin(kModes));
  update_tested();
}

const char* test_windows(const std::string& name) {
  const std::string prefix = name.substr(0, name.find(':'));
  const auto found = std::ranges::find(kTested, prefix);
  if (found == std::end(kTested)) throw ValueError("no way of windows: '" + name + "'");
  run_all_deferred();
  if (prefix != name) {
    const auto seed =
        static_cast<unsigned>(std::strtoul(name.c_str() + prefix.size() + 1, nullptr, 10));
    if (Recorder* const own = Recorder::made_here()) own->seed(seed);
  }
  const auto wanted = static_cast<TestedWindows>(found - std::begin(kTested));
  const TestedWindows before = wanted_by_tests.exchange(wanted);
  update_tested();
  return kTested[static_cast<int>(before)];
}

void set_up_fusion() {
  pthread_atfork([] { recorders.lock_all(); }, [] { recorders.unlock_all(); },
                 [] { recorders.forget_threads(); });
  logs_groups = bool_variable("GPUARRAY_FUSION_LOG", false);
  set_deferred_hooks({end_own, run_own, run_all, run_readers});
  const std::string wanted = text_variable("GPUARRAY_FUSION");
  set_fusion(wanted.empty() ? name(Fusion::automatic) : wanted, "GPUARRAY_FUSION");
}

void forget_sequences() {
  run_all_deferred();
  recorders.for_each([](Recorder& each) { each.forget_sequences(); });
}

FusionStats fusion_stats() {
  FusionStats sum;
  recorders.for_each([&](Recorder& each) {
    const FusionStats found = each.stats();
    sum.windows += found.windows;
    sum.operations += found.operations;
    sum.unneeded += found.unneeded;
    sum.temporary += found.temporary;
    sum.reductions += found.reductions;
  });
  return sum;
}

}  // namespace gpuarray::ops
