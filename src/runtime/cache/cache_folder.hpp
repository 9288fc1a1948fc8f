// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpuarray {

struct CacheSettings {
  std::string folder;  // an absolute path; empty where the environment names none
  int64_t limit;       // in bytes, of all entries; 0 is no cache
};

// From the environment, read once. Throws ValueError for a limit that is no number of bytes.
const CacheSettings& cache_settings();

// Makes the folder and those above it, for this user alone; those that are there stay as they are.
void make_cache_folder(const std::string& folder);

struct CacheFile {
  std::string name;
  int64_t bytes;
  int64_t used;    // the time of the last use, in nanoseconds since 1970
  bool temporary;  // a store under way, or what is left of one
};

// Whether `key` can name an entry: 64 lower-case hex digits.
bool is_cache_key(std::string_view key);
std::string entry_name(const std::string& key);
// Another one at each call.
std::string temporary_name(const std::string& key);

// The folder, opened: its files stay those of one folder, whatever takes its name meanwhile. What
// it gives is loaded as machine code, so that folders and files to which others than this process's
// user and root can write are as good as missing; a notice tells so once.
class CacheFolder {
 public:
  // Not open where the folder is missing or not to be trusted.
  explicit CacheFolder(const std::string& path);
  ~CacheFolder();
  CacheFolder(const CacheFolder&) = delete;
  CacheFolder& operator=(const CacheFolder&) = delete;

  bool is_open() const { return descriptor_ >= 0; }
  // A descriptor to read from, the caller's; -1 for what is missing, no file or not to be trusted.
  int open_file(const std::string& name) const;
  // A descriptor to write a new file through, the caller's; -1 if that cannot be.
  int make_file(const std::string& name) const;
  bool rename(const std::string& from, const std::string& to) const;
  // Whether this removed it; errno says why not.
  bool remove(const std::string& name) const;
  // The files of the cache, told from others by their names.
  std::vector<CacheFile> files() const;

 private:
  explicit CacheFolder(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

}  // namespace gpuarray
