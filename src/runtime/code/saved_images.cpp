// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/code/saved_images.hpp"

#include <atomic>
#include <charconv>
#include <map>
#include <utility>

#include "core/error.hpp"
#include "core/fork.hpp"
#include "core/sha256.hpp"
#include "runtime/code/compile.hpp"

namespace gpuarray {
namespace {

struct SavedImages {
  HeldAtFork mutex;
  // By digest, and then by whether it is machine code, and the compute capability: 90 for 9.0.
  std::map<std::string, std::map<std::pair<bool, int>, std::string>> images GUARDED_BY(mutex);
};

auto& saved = *new SavedImages;  // never destroyed, as threads may use it
std::atomic<bool> has_images = false;

// Whether a device runs the code: machine code that of its own generation, up to its own number.
bool suits(std::pair<bool, int> image, int capability) {
  const auto [is_machine_code, number] = image;
  return number <= capability && (!is_machine_code || number / 10 == capability / 10);
}

}  // namespace

std::string saved_digest(const std::string& source) {
  return digest({"saved", embedded_digest(), source});
}

void keep_saved_image(const std::string& digest, const std::string& architecture,
                      std::string image) {
  const bool is_machine_code = architecture.starts_with("sm_");
  const size_t begin = architecture.find('_') + 1;
  const char* const end = architecture.data() + architecture.size();
  int number = 0;
  const auto [stop, error] = std::from_chars(architecture.data() + begin, end, number);
  if ((!is_machine_code && !architecture.starts_with("compute_")) || error != std::errc() ||
      stop != end)
    throw ValueError("architecture: expected one as sm_90 or compute_90, got '" + architecture +
                     "'");
  const LockGuard lock(saved.mutex);
  saved.images[digest].insert_or_assign({is_machine_code, number}, std::move(image));
  has_images.store(true, std::memory_order_release);
}

std::optional<std::string> saved_image(const std::string& source, int compute_major,
                                       int compute_minor) {
  if (!has_images.load(std::memory_order_acquire)) return std::nullopt;
  const std::string digest = saved_digest(source);
  const LockGuard lock(saved.mutex);
  const auto found = saved.images.find(digest);
  if (found == saved.images.end()) return std::nullopt;
  const auto& images = found->second;
  for (auto image = images.rbegin(); image != images.rend(); ++image)
    if (suits(image->first, 10 * compute_major + compute_minor)) return image->second;
  return std::nullopt;
}

}  // namespace gpuarray
