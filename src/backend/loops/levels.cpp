// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/loops/levels.hpp"

#include <memory>
#include <string>

#include "core/environment.hpp"
#include "core/error.hpp"
#include "core/made_first.hpp"

#ifdef GPUARRAY_X86_LEVELS
extern "C" void gpuarray_fill_v2(void* loops);
extern "C" void gpuarray_fill_v3(void* loops);
extern "C" void gpuarray_fill_v4(void* loops);
#else
extern "C" void gpuarray_fill_baseline(void* loops);
#endif

namespace gpuarray::loops {
namespace {

#ifdef GPUARRAY_X86_LEVELS
bool has_v2() { return __builtin_cpu_supports("x86-64-v2") != 0; }
bool has_v3() { return __builtin_cpu_supports("x86-64-v3") != 0; }
bool has_v4() { return __builtin_cpu_supports("x86-64-v4") != 0; }

// Without instructions that multiply and add, of which GCC 12 makes sums that are rounded once.
constexpr const char* kAvx2 = "-mavx2 -mno-fma -mf16c -mbmi -mbmi2 -mlzcnt -mmovbe";

constexpr Level kLevels[] = {
    {"v2", "-msse4.2 -mpopcnt", has_v2, gpuarray_fill_v2},
    {"v3", kAvx2, has_v3, gpuarray_fill_v3},
    {"v4", kAvx2, has_v4, gpuarray_fill_v4},
};
#else
constexpr Level kLevels[] = {
    {"baseline", "", [] { return true; }, gpuarray_fill_baseline},
};
#endif

const Level* highest() {
  const Level* found = nullptr;
  for (const Level& each : kLevels)
    if (each.is_supported()) found = &each;
  return found;
}

std::string names() {
  std::string text;
  for (const Level& each : kLevels) {
    const bool is_first = text.empty();
    if (each.is_supported()) text += std::string(is_first ? "" : ", ") + each.name;
  }
  return text;
}

const Level& choose() {
  const Level* best = highest();
  if (best == nullptr)
    throw DeviceError("the cpu device needs a processor with SSE4.2 and POPCNT (x86-64-v2)");
  const std::string wanted = text_variable("GPUARRAY_CPU_LEVEL");
  if (wanted.empty()) return *best;
  for (const Level& each : kLevels)
    if (wanted == each.name && each.is_supported()) return each;
  throw ValueError("GPUARRAY_CPU_LEVEL: expected one of this processor's levels " + names() +
                   ", got '" + wanted + "'");
}

}  // namespace

std::span<const Level> levels() { return kLevels; }

const Level& level() {
  static constinit MadeFirst<const Level*> chosen;
  return *chosen.get([] { return &choose(); });
}

const Loops& table() {
  static constinit MadeFirst<Loops> filled;
  return filled.get([] {
    Loops made;
    level().fill(&made);
    return made;
  });
}

}  // namespace gpuarray::loops
