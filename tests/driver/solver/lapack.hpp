// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// LAPACK from the library that GPUARRAY_TEST_LAPACK names, NumPy's own, whose integers have 64
// bits.
#pragma once

#include <stdint.h>

#include <string>
#include <vector>

#include "driver_call.hpp"
#include "work.hpp"

// The types of elements, as the letters of LAPACK.
inline constexpr char kLetters[] = "sdcz";

// Returns the letter of a cudaDataType.
inline char letter_of(int type) { return kLetters[type < 2 ? type : type - 2]; }
inline bool is_complex_letter(char letter) { return letter == 'c' || letter == 'z'; }
inline int64_t item_bytes(char letter) { return letter == 's' ? 4 : letter == 'z' ? 16 : 8; }

// Returns the function; null without the library.
inline void* find_lapack(char letter, const std::string& name) {
  const char* file = std::getenv("GPUARRAY_TEST_LAPACK");
  static void* const library = file == nullptr ? nullptr : dlopen(file, RTLD_NOW);
  if (library == nullptr) return nullptr;
  return dlsym(library, ("scipy_" + std::string(1, letter) + name + "_64_").c_str());
}

// Calls a function of LAPACK, all of whose arguments are addresses. The lengths of its texts, all
// 1, follow them.
template <class... Arguments>
void lapack(char letter, const std::string& name, Arguments*... arguments) {
  using Function = void (*)(Arguments*..., size_t, size_t, size_t, size_t);
  reinterpret_cast<Function>(find_lapack(letter, name))(arguments..., 1, 1, 1, 1);
}

// Factorizes P A = L U. NaN counts as 0, because the libraries of a card find finite numbers for
// some matrices with NaN, and call others singular.
inline void factor_without_nan(char letter, int64_t rows, int64_t columns, char* a, int64_t leading,
                               int64_t* pivots, int64_t* status) {
  const auto clear = [&]<class Real>(Real*) {
    const int64_t parts = is_complex_letter(letter) ? 2 : 1;
    auto* numbers = reinterpret_cast<Real*>(a);
    for (int64_t column = 0; column < columns; ++column)
      for (int64_t k = 0; k < rows * parts; ++k) {
        Real& number = numbers[column * leading * parts + k];
        if (number != number) number = 0;
      }
  };
  if (letter == 's' || letter == 'c')
    clear(static_cast<float*>(nullptr));
  else
    clear(static_cast<double*>(nullptr));
  lapack(letter, "getrf", &rows, &columns, a, &leading, pivots, status);
}

// Memory in which LAPACK works.
struct Workspace {
  std::vector<char> bytes, real_bytes;
  int64_t length;

  Workspace(char letter, int64_t elements)
      : bytes(static_cast<size_t>((elements + 64) * item_bytes(letter))),
        real_bytes(static_cast<size_t>((elements + 64) * 8)),
        length(elements + 64) {}
};

// Queues the work on the stream. Returns 0, or the status of a failure.
inline int queue_work(Handle stream, Work work) {
  static const Handle kernel = load_kernel("gpuarray test driver: run_work", "run_work");
  auto* kept = new Work(std::move(work));
  return launch_kernel(kernel, 1, 1, stream, &kept);
}

// Returns the letter of LAPACK's argument for cublasOperation_t and cublasFillMode_t.
inline char operation_letter(int operation) { return "NTC"[operation]; }
inline char side_letter(int fill) { return fill == 0 ? 'L' : 'U'; }
