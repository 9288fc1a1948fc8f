// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <optional>
#include <string>

// Compiled kernels on disk, shared by all processes of a user. A key is 64 lower-case hex digits,
// the digest of everything that the content depends on. Thread-safe, without locks between
// processes: a file appears whole or not at all, and any may vanish at any time.
namespace gpuarray {

// The content stored under `key`; nullopt where there is none, it is damaged or it cannot be read.
// Throws ValueError for a malformed key or setting, as the others do.
std::optional<std::string> disk_cache_load(const std::string& key);

// Keeps `bytes` under `key`, then removes the least recently used entries beyond the limit. Does
// nothing where the folder cannot be written, or for content beyond the limit.
void disk_cache_store(const std::string& key, const std::string& bytes);

struct DiskCacheInfo {
  std::string folder;  // empty where the environment names none
  int64_t entries;
  int64_t bytes;   // of the entries' files
  int64_t limit;   // of bytes; 0 is no cache
  int64_t hits;    // loads of this process that found content
  int64_t stores;  // of this process
};
DiskCacheInfo disk_cache_info();

struct Cleared {
  int64_t entries;
  int64_t bytes;  // of the entries' files
};
// Removes all entries and temporary files, those of other processes too.
Cleared disk_cache_clear();

}  // namespace gpuarray
