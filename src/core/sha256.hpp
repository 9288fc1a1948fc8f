// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace gpuarray {

// SHA-256 of FIPS 180-4, fed piece by piece.
class Sha256 {
 public:
  Sha256& update(std::string_view bytes);
  // The digest as 64 lower-case hex digits. Call it once, last.
  std::string hex();

 private:
  void add_block(const unsigned char* block);

  std::array<uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> block_{};  // the bytes that fill no whole block yet
  size_t pending_ = 0;                     // their number
  uint64_t length_ = 0;                    // of all bytes
};

// SHA-256 of the parts, each after its length: moving a byte from one to the next changes it.
std::string digest(std::initializer_list<std::string_view> parts);

}  // namespace gpuarray
