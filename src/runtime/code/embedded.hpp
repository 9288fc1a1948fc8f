// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <span>

namespace gpuarray {

// The device code of one kernels/aot/<name>.cu: a fat binary with an image for each architecture of
// the build.
struct EmbeddedModule {
  const char* name;
  const unsigned char* begin;
  const unsigned char* end;
};

// Written at build time by tools/embed.py; empty in a build without CUDA. Lives for the process.
std::span<const EmbeddedModule> embedded_modules();

// A file of kernels/ for the run-time compiler; its text ends with a zero byte, at `end`.
struct EmbeddedText {
  const char* name;  // "kernels/elementwise/flat.cuh"
  const char* begin;
  const char* end;
};

// All headers of kernels/, in every build.
std::span<const EmbeddedText> embedded_headers();

}  // namespace gpuarray
