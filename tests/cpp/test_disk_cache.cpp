// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "check.hpp"
#include "core/sha256.hpp"

using namespace gpuarray;

namespace {

// Tests the examples of FIPS 180-4, and the lengths around a block's end.
void test_sha256() {
  CHECK(Sha256().hex() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(Sha256().update("abc").hex() ==
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(Sha256().update("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq").hex() ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(Sha256().update(std::string(1'000'000, 'a')).hex() ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

void test_sha256_in_pieces() {
  for (size_t size : {55, 56, 63, 64, 65, 119, 120, 128, 200}) {
    const std::string bytes(size, 'x');
    const std::string whole = Sha256().update(bytes).hex();
    for (size_t cut = 0; cut <= size; ++cut)
      CHECK(Sha256().update(bytes.substr(0, cut)).update(bytes.substr(cut)).hex() == whole);
  }
}

void test_digest_keeps_parts_apart() {
  CHECK(digest({"ab", "c"}) != digest({"a", "bc"}));
  CHECK(digest({"abc"}) != digest({"abc", ""}));
  CHECK(digest({"ab", "c"}) == digest({"ab", "c"}));
  CHECK(digest({"ab", "c"}) == Sha256()
                                   .update({"\0\0\0\0\0\0\0\2", 8})
                                   .update("ab")
                                   .update({"\0\0\0\0\0\0\0\1", 8})
                                   .update("c")
                                   .hex());
}

}  // namespace

int main() {
  test_sha256();
  test_sha256_in_pieces();
  test_digest_keeps_parts_apart();
  return check_report();
}
