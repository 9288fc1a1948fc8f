// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "core/sha256.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace gpuarray {
namespace {

constexpr size_t kBlock = 64;       // bytes
constexpr size_t kLengthBytes = 8;  // the length in bits at the end of the last block

constexpr std::array<uint32_t, 64> kRounds = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::array<unsigned char, 8> big_endian(uint64_t value) {
  std::array<unsigned char, 8> bytes;
  for (int i = 7; i >= 0; --i, value >>= 8) bytes[i] = static_cast<unsigned char>(value);
  return bytes;
}

template <size_t N>
std::string_view text(const std::array<unsigned char, N>& bytes, size_t size = N) {
  return {reinterpret_cast<const char*>(bytes.data()), size};
}

}  // namespace

void Sha256::add_block(const unsigned char* block) {
  std::array<uint32_t, 64> w;
  for (int i = 0; i < 16; ++i)
    w[i] = uint32_t{block[4 * i]} << 24 | uint32_t{block[4 * i + 1]} << 16 |
           uint32_t{block[4 * i + 2]} << 8 | uint32_t{block[4 * i + 3]};
  for (int i = 16; i < 64; ++i) {
    uint32_t low = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    uint32_t high = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + low + w[i - 7] + high;
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (int i = 0; i < 64; ++i) {
    uint32_t sum1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    uint32_t t1 = h + sum1 + ((e & f) ^ (~e & g)) + kRounds[i] + w[i];
    uint32_t sum0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    uint32_t t2 = sum0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  const std::array<uint32_t, 8> added = {a, b, c, d, e, f, g, h};
  for (int i = 0; i < 8; ++i) state_[i] += added[i];
}

Sha256& Sha256::update(std::string_view bytes) {
  length_ += bytes.size();
  while (!bytes.empty()) {
    if (pending_ == 0 && bytes.size() >= kBlock) {
      add_block(reinterpret_cast<const unsigned char*>(bytes.data()));
      bytes.remove_prefix(kBlock);
      continue;
    }
    size_t count = std::min(kBlock - pending_, bytes.size());
    std::memcpy(block_.data() + pending_, bytes.data(), count);
    bytes.remove_prefix(count);
    pending_ = (pending_ + count) % kBlock;
    if (pending_ == 0) add_block(block_.data());
  }
  return *this;
}

std::string Sha256::hex() {
  const auto bits = big_endian(length_ * 8);
  const std::array<unsigned char, kBlock> padding = {0x80};
  size_t zeros = (2 * kBlock - kLengthBytes - 1 - pending_) % kBlock;
  update(text(padding, 1 + zeros)).update(text(bits));
  std::string digits;
  for (uint32_t word : state_)
    for (int shift = 28; shift >= 0; shift -= 4) digits += "0123456789abcdef"[word >> shift & 15];
  return digits;
}

std::string digest(std::initializer_list<std::string_view> parts) {
  Sha256 hash;
  for (std::string_view part : parts) hash.update(text(big_endian(part.size()))).update(part);
  return hash.hex();
}

}  // namespace gpuarray
