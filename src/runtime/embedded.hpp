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

}  // namespace gpuarray
