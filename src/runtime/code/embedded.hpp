// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <span>

namespace gpuarray {

// The device code of one kernels/aot/<name>.cu: a fat binary with an image for each architecture of
// the build. Its bytes live for the process.
struct EmbeddedModule {
  const char* name;
  const unsigned char* begin;
  const unsigned char* end;
};

// Returns the device code of the build, none in a build without CUDA. tools/embed.py writes the
// table at build time.
std::span<const EmbeddedModule> embedded_modules();

// A header of kernels/ for the run-time compiler. Its text ends with a zero byte at `end`, and
// lives for the process.
struct EmbeddedText {
  const char* name;  // as it is included: "kernels/elementwise/flat.cuh"
  const char* begin;
  const char* end;
};

// Returns all headers of kernels/, which every build has.
std::span<const EmbeddedText> embedded_headers();
// Returns the SHA-256 of their names and texts, which the build computes.
const char* embedded_headers_digest();

}  // namespace gpuarray
