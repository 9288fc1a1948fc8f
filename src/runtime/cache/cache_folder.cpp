// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/cache/cache_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <system_error>

#include "core/environment.hpp"
#include "core/error.hpp"
#include "core/made_first.hpp"
#include "runtime/driver/user_warning.hpp"

namespace gpuarray {
namespace {

constexpr int64_t kDefaultLimit = int64_t{256} << 20;
constexpr size_t kKeyDigits = 64;
constexpr std::string_view kEntryEnd = ".bin";
constexpr std::string_view kTemporaryEnd = ".tmp";
constexpr size_t kUniqueLetters = 6;

std::string find_folder() {
  std::string named = text_variable("GPUARRAY_CACHE_DIR");
  if (!named.empty()) {
    std::error_code no_working_folder;
    return std::filesystem::absolute(named, no_working_folder).string();
  }
  // The XDG base directory specification says to ignore relative paths.
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
  return name.size() == kKeyDigits + 1 + kUniqueLetters + kTemporaryEnd.size() &&
         name[kKeyDigits] == '.' && name.ends_with(kTemporaryEnd) &&
         is_cache_key(name.substr(0, kKeyDigits));
}

void distrust(const std::string& what, const std::string& why) {
  static std::atomic<bool> told = false;
  if (!told.exchange(true))
    warn_user("the kernel cache does without " + what + ", which " + why +
              ": see GPUARRAY_CACHE_DIR in docs/kernel-cache.md");
}

// Returns whether only this process's user and root can write to it; warns the user if not.
bool is_trusted(const struct stat& status, const std::string& what) {
  if (status.st_uid != geteuid() && status.st_uid != 0)
    distrust(what, "belongs to user " + std::to_string(status.st_uid) + ", not to user " +
                       std::to_string(geteuid()));
  else if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    distrust(what, "its group or others may write to (chmod go-w)");
  else
    return true;
  return false;
}

}  // namespace

const CacheSettings& cache_settings() {
  static constinit MadeFirst<CacheSettings> settings;
  return settings.get(read_settings);
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
  std::string name = key + '.';
  unsigned random = std::random_device()();
  for (size_t letter = 0; letter < kUniqueLetters; ++letter, random >>= 4)
    name += static_cast<char>('a' + random % 16);
  return name.append(kTemporaryEnd);
}

// Delegates to another constructor, so that the destructor closes the folder if the warning throws.
CacheFolder::CacheFolder(const std::string& path)
    : CacheFolder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  struct stat status;
  if (!is_open() || (fstat(descriptor_, &status) == 0 && is_trusted(status, path))) return;
  ::close(descriptor_);
  descriptor_ = -1;
}

CacheFolder::~CacheFolder() {
  if (is_open()) ::close(descriptor_);
}

int CacheFolder::open_file(const std::string& name) const {
  // O_NONBLOCK, so that opening a named pipe of this name does not block.
  const int file =
      openat(descriptor_, name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  struct stat status;
  if (file < 0 ||
      (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && is_trusted(status, name)))
    return file;
  ::close(file);
  return -1;
}

int CacheFolder::make_file(const std::string& name) const {
  return openat(descriptor_, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                S_IRUSR | S_IWUSR);
}

bool CacheFolder::rename(const std::string& from, const std::string& to) const {
  return renameat(descriptor_, from.c_str(), descriptor_, to.c_str()) == 0;
}

bool CacheFolder::remove(const std::string& name) const {
  return unlinkat(descriptor_, name.c_str(), 0) == 0;
}

std::vector<CacheFile> CacheFolder::files() const {
  std::vector<CacheFile> files;
  const int again = openat(descriptor_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> list(again < 0 ? nullptr : fdopendir(again), closedir);
  if (!list) return files;
  while (const dirent* item = readdir(list.get())) {
    const std::string name = item->d_name;
    const bool temporary = is_temporary(name);
    struct stat status;
    if (!temporary && !is_entry(name)) continue;
    if (fstatat(descriptor_, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (!S_ISREG(status.st_mode)) continue;
    const int64_t used = int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
    files.push_back({name, status.st_size, used, temporary});
  }
  return files;
}

}  // namespace gpuarray
