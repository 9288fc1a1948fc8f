// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpuarray {

// The settings of the disk cache.
struct CacheSettings {
  std::string folder;  // an absolute path; empty if the environment names none
  int64_t limit;       // bytes of all entries; 0 turns the cache off
};

// Returns the settings of the environment, which is read once. Throws ValueError for a limit that
// is not a number of bytes.
const CacheSettings& cache_settings();

// Makes the folder and its parents where they are missing, for this user alone. Fails silently.
void make_cache_folder(const std::string& folder);

// A file of the cache.
struct CacheFile {
  std::string name;
  int64_t bytes;
  int64_t used;    // time of the last use, nanoseconds since 1970
  bool temporary;  // a store under way, or what a broken one has left
};

// Returns whether `key` is a key of the cache: 64 lower-case hex digits.
bool is_cache_key(std::string_view key);
// Returns the name of the key's file.
std::string entry_name(const std::string& key);
// Returns a new name for a store of the key, another one at each call.
std::string temporary_name(const std::string& key);

// An open cache folder; its files stay those of one folder even if another takes its name. The
// cache's content is run as machine code, so that folders and files to which others than this
// process's user and root can write are treated as missing; the user is warned of the first.
class CacheFolder {
 public:
  // Opens the folder; is_open() is false if it is missing or not trusted. May throw what a warning
  // throws.
  explicit CacheFolder(const std::string& path);
  ~CacheFolder();
  CacheFolder(const CacheFolder&) = delete;
  CacheFolder& operator=(const CacheFolder&) = delete;

  bool is_open() const { return descriptor_ >= 0; }
  // Returns a descriptor to read from, which the caller closes; -1 if the file is missing, no
  // regular file or not trusted.
  int open_file(const std::string& name) const;
  // Returns a descriptor to write a new file, which the caller closes; -1 if there can be none.
  int make_file(const std::string& name) const;
  // Returns whether the file was renamed, which replaces a file of the new name at once.
  bool rename(const std::string& from, const std::string& to) const;
  // Returns whether this call removed the file; if not, errno says why.
  bool remove(const std::string& name) const;
  // Returns the files of the cache, which are known by their names; others in the folder are left
  // out.
  std::vector<CacheFile> files() const;

 private:
  explicit CacheFolder(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

}  // namespace gpuarray
