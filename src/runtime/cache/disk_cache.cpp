// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/cache/disk_cache.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "runtime/cache/cache_folder.hpp"
#include "runtime/driver/user_log.hpp"

namespace gpuarray {
namespace {

std::atomic<int64_t> hits = 0;
std::atomic<int64_t> stores = 0;

constexpr int64_t kStaleSeconds = 3600;  // no store takes as long as this
constexpr std::array<char, 8> kMagic = {'g', 'p', 'u', 'k', 'e', 'r', 'n', '1'};

// The first bytes of an entry's file, in the machine's byte order.
struct Header {
  std::array<char, 8> magic;
  uint64_t length;    // bytes of the content
  uint64_t checksum;  // checksum of the key and the content
};

// Returns a checksum. It finds damage, not forgery: whoever can write the file can write the
// checksum too.
uint64_t checksum(uint64_t sum, std::string_view bytes) {
  for (; !bytes.empty(); bytes.remove_prefix(std::min<size_t>(8, bytes.size()))) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data(), std::min<size_t>(8, bytes.size()));
    sum = (std::rotl(sum, 29) ^ word) * 0x9e3779b97f4a7c15;
  }
  return sum ^ sum >> 32;
}

Header header_of(const std::string& key, const std::string& content) {
  return {kMagic, content.size(), checksum(checksum(content.size(), key), content)};
}

// Owns a file descriptor.
class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File() { close(); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  int descriptor() const { return descriptor_; }
  bool is_open() const { return descriptor_ >= 0; }
  // Closes the file; whether the system has taken everything, which some file systems tell only
  // now.
  bool close() {
    const int descriptor = std::exchange(descriptor_, -1);
    return descriptor >= 0 && ::close(descriptor) == 0;
  }
  bool read_all(void* data, size_t size) {
    return transfer(::read, static_cast<char*>(data), size);
  }
  bool write_all(const void* data, size_t size) {
    return transfer(::write, static_cast<const char*>(data), size);
  }

 private:
  template <class Call, class Byte>
  bool transfer(Call&& call, Byte* data, size_t size) {
    while (size > 0) {
      const ssize_t done = call(descriptor_, data, size);
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) return false;
      data += done;
      size -= static_cast<size_t>(done);
    }
    return true;
  }

  int descriptor_;
};

void check_key(const char* function, const std::string& key) {
  if (is_cache_key(key)) return;
  throw ValueError(std::string(function) + ": a key is 64 lower-case hex digits, got '" + key +
                   "'");
}

bool is_on() { return cache_settings().limit > 0 && !cache_settings().folder.empty(); }

int64_t file_bytes(const std::string& content) {
  return static_cast<int64_t>(sizeof(Header) + content.size());
}

std::optional<std::string> read_entry(File& file, const std::string& key) {
  struct stat status;
  Header header;
  if (!file.is_open() || fstat(file.descriptor(), &status) != 0) return std::nullopt;
  if (status.st_size > cache_settings().limit || !file.read_all(&header, sizeof header) ||
      header.magic != kMagic || header.length != uint64_t(status.st_size) - sizeof header)
    return std::nullopt;
  std::string content(header.length, '\0');
  if (!file.read_all(content.data(), content.size())) return std::nullopt;
  if (header.checksum != header_of(key, content).checksum) return std::nullopt;
  return content;
}

bool write_entry(const CacheFolder& folder, const std::string& key, const std::string& content) {
  const std::string temporary = temporary_name(key);
  File file(folder.make_file(temporary));
  if (!file.is_open()) return false;
  const Header header = header_of(key, content);
  const bool written = file.write_all(&header, sizeof header) &&
                       file.write_all(content.data(), content.size()) && file.close();
  if (written && folder.rename(temporary, entry_name(key))) return true;
  folder.remove(temporary);
  return false;
}

// Removes the least recently used entries until the others fit the limit, but never `newest`; and
// temporary files that are stale.
void evict(const CacheFolder& folder, const std::string& newest) {
  std::vector<CacheFile> files = folder.files();
  std::ranges::sort(files, {}, &CacheFile::used);
  const int64_t stale = (int64_t{std::time(nullptr)} - kStaleSeconds) * 1'000'000'000;
  int64_t bytes = 0;
  for (const CacheFile& file : files)
    if (!file.temporary) bytes += file.bytes;
  for (const CacheFile& file : files) {
    if (file.temporary && file.used < stale) folder.remove(file.name);
    if (file.temporary || file.name == newest || bytes <= cache_settings().limit) continue;
    // An entry that another process has removed first is gone too.
    if (folder.remove(file.name) || errno == ENOENT) bytes -= file.bytes;
  }
}

}  // namespace

std::optional<std::string> disk_cache_load(const std::string& key) {
  check_key("disk_cache_load", key);
  if (!is_on()) return std::nullopt;
  const CacheFolder folder(cache_settings().folder);
  if (!folder.is_open()) return std::nullopt;
  File file(folder.open_file(entry_name(key)));
  std::optional<std::string> content = read_entry(file, key);
  log_user(LogLevel::debug, "the kernel cache has " + std::string(content ? "" : "no ") + key);
  if (!content) return content;
  futimens(file.descriptor(), nullptr);  // sets the time of the last use
  ++hits;
  return content;
}

void disk_cache_store(const std::string& key, const std::string& bytes) {
  check_key("disk_cache_store", key);
  if (!is_on() || file_bytes(bytes) > cache_settings().limit) return;
  make_cache_folder(cache_settings().folder);
  const CacheFolder folder(cache_settings().folder);
  if (!folder.is_open() || !write_entry(folder, key, bytes)) return;
  ++stores;
  evict(folder, entry_name(key));
}

DiskCacheInfo disk_cache_info() {
  const CacheSettings& settings = cache_settings();
  DiskCacheInfo info{settings.folder, 0, 0, settings.limit, hits, stores};
  const CacheFolder folder(settings.folder);
  if (!folder.is_open()) return info;
  for (const CacheFile& file : folder.files()) {
    if (file.temporary) continue;
    ++info.entries;
    info.bytes += file.bytes;
  }
  return info;
}

Cleared disk_cache_clear() {
  Cleared cleared{0, 0};
  const CacheFolder folder(cache_settings().folder);
  if (!folder.is_open()) return cleared;
  for (const CacheFile& file : folder.files()) {
    if (!folder.remove(file.name) || file.temporary) continue;
    ++cleared.entries;
    cleared.bytes += file.bytes;
  }
  return cleared;
}

}  // namespace gpuarray
