// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <optional>
#include <string>

// The disk cache of compiled kernels, shared by all processes of a user. A key is 64 lower-case hex
// digits, the digest of everything that the content depends on. The functions are thread-safe, and
// processes need no locks between them: a file appears as a whole or not at all, and any file may
// vanish at any time. They throw ValueError for a malformed key and a malformed setting of the
// environment.
namespace gpuarray {

// Returns the content stored under `key`; nullopt if there is none, or it is damaged or unreadable.
std::optional<std::string> disk_cache_load(const std::string& key);

// Stores `bytes` under `key`, and then removes the least recently used entries beyond the limit.
// Does nothing if the folder cannot be written, or the content exceeds the limit.
void disk_cache_store(const std::string& key, const std::string& bytes);

// The state of the cache.
struct DiskCacheInfo {
  std::string folder;  // empty if the environment names none
  int64_t entries;
  int64_t bytes;   // of the entries' files
  int64_t limit;   // most bytes that are kept; 0 turns the cache off
  int64_t hits;    // loads of this process that found content
  int64_t stores;  // stores of this process
};
// Returns the state of the cache; reads the folder.
DiskCacheInfo disk_cache_info();

// What disk_cache_clear() has removed.
struct Cleared {
  int64_t entries;
  int64_t bytes;  // of the entries' files
};
// Removes all entries and temporary files, including those of other processes.
Cleared disk_cache_clear();

}  // namespace gpuarray
