// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/cache_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>

#include "core/environment.hpp"
#include "core/error.hpp"

namespace gpuarray {
namespace {

constexpr int64_t kDefaultLimit = int64_t{256} << 20;
constexpr size_t kKeyDigits = 64;
constexpr std::string_view kEntryEnd = ".bin";
constexpr std::string_view kUnique = "XXXXXX";

std::string text_variable(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? "" : text;
}

std::string find_folder() {
  std::string named = text_variable("GPUARRAY_CACHE_DIR");
  if (!named.empty()) {
    std::error_code no_working_folder;
    return std::filesystem::absolute(named, no_working_folder).string();
  }
  // The base directory specification has relative paths ignored.
  std::string caches = text_variable("XDG_CACHE_HOME");
  if (caches.starts_with('/')) return caches + "/gpuarray";
  std::string home = text_variable("HOME");
  return home.starts_with('/') ? home + "/.cache/gpuarray" : "";
}

CacheSettings read_settings() {
  constexpr const char* kLimit = "GPUARRAY_CACHE_BYTES";
  const int64_t limit = integer_variable(kLimit, kDefaultLimit);
  if (limit >= 0) return {find_folder(), limit};
  throw ValueError(std::string(kLimit) + " must be at least 0, got " + std::to_string(limit));
}

bool is_entry(std::string_view name) {
  return name.size() == kKeyDigits + kEntryEnd.size() && name.ends_with(kEntryEnd) &&
         is_cache_key(name.substr(0, kKeyDigits));
}

bool is_temporary(std::string_view name) {
  return name.size() == kKeyDigits + 1 + kUnique.size() + kTemporaryEnd.size() &&
         name[kKeyDigits] == '.' && name.ends_with(kTemporaryEnd) &&
         is_cache_key(name.substr(0, kKeyDigits));
}

}  // namespace

const CacheSettings& cache_settings() {
  static const CacheSettings& settings = *new CacheSettings(read_settings());
  return settings;
}

void make_cache_folder(const std::string& folder) {
  for (size_t end = folder.find('/', 1); end != std::string::npos; end = folder.find('/', end + 1))
    mkdir(folder.substr(0, end).c_str(), S_IRWXU);
  mkdir(folder.c_str(), S_IRWXU);
}

bool is_cache_key(std::string_view key) {
  return key.size() == kKeyDigits && std::ranges::all_of(key, [](char digit) {
           return (digit >= '0' && digit <= '9') || (digit >= 'a' && digit <= 'f');
         });
}

std::string entry_name(const std::string& key) { return key + std::string(kEntryEnd); }

std::string temporary_name(const std::string& key) {
  return key + '.' + std::string(kUnique) + std::string(kTemporaryEnd);
}

std::vector<CacheFile> list_cache_files(const std::string& folder) {
  std::vector<CacheFile> files;
  const std::unique_ptr<DIR, int (*)(DIR*)> open(opendir(folder.c_str()), closedir);
  if (!open) return files;
  while (const dirent* item = readdir(open.get())) {
    const std::string name = item->d_name;
    const bool temporary = is_temporary(name);
    struct stat status;
    if (!temporary && !is_entry(name)) continue;
    if (fstatat(dirfd(open.get()), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (!S_ISREG(status.st_mode)) continue;
    const int64_t used = int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
    files.push_back({name, status.st_size, used, temporary});
  }
  return files;
}

}  // namespace gpuarray
