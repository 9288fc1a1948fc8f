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
// Ends in the six X that mkostemps replaces and kTemporaryEnd.
std::string temporary_name(const std::string& key);
inline constexpr std::string_view kTemporaryEnd = ".tmp";

// The files of the cache, told from others by their names. Empty where the folder cannot be read.
std::vector<CacheFile> list_cache_files(const std::string& folder);

}  // namespace gpuarray
