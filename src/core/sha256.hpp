// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace gpuarray {

// Computes a SHA-256 digest (FIPS 180-4) of bytes that are given piece by piece.
class Sha256 {
 public:
  // Adds bytes to what is hashed.
  Sha256& update(std::string_view bytes);
  // Returns the digest as 64 lower-case hex digits. It must be the last call.
  std::string hex();

 private:
  // Hashes one whole block of 64 bytes.
  void add_block(const unsigned char* block);

  std::array<uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> block_{};  // the bytes after the last whole block
  size_t pending_ = 0;                     // number of bytes in block_
  uint64_t length_ = 0;                    // number of all bytes so far
};

// Returns the SHA-256 digest of the parts, in hex. Each part is hashed after its length, so that
// moving a byte from one part to the next changes the digest.
std::string digest(std::initializer_list<std::string_view> parts);

}  // namespace gpuarray
