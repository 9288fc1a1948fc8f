// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/cache/dependencies.hpp"

#include <sys/stat.h>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "core/sha256.hpp"
#include "runtime/cache/length_prefixed.hpp"

namespace gpuarray {
namespace {

constexpr std::string_view kTarget = "x:";

// Returns the file names of a make rule after its target.
std::vector<std::string> names_of(std::string_view rule) {
  std::vector<std::string> names;
  if (!rule.starts_with(kTarget)) return names;
  std::string name;
  for (size_t at = kTarget.size(); at < rule.size(); ++at) {
    const char next = at + 1 < rule.size() ? rule[at + 1] : '\n';
    const bool escape =
        (rule[at] == '\\' && (next == ' ' || next == '#')) || (rule[at] == '$' && next == '$');
    const bool ends = rule[at] == ' ' || rule[at] == '\n' || (rule[at] == '\\' && next == '\n');
    if (escape) ++at;
    if (!ends) name += rule[at];
    if (ends && !name.empty()) names.push_back(std::exchange(name, {}));
  }
  if (!name.empty()) names.push_back(name);
  return names;
}

int64_t nanoseconds(const timespec& time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// Returns a text that changes with every change of the file; "" for a file without one.
std::string state_of(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) return "";
  return std::to_string(status.st_size) + ' ' + std::to_string(nanoseconds(status.st_mtim)) + ' ' +
         std::to_string(nanoseconds(status.st_ctim));
}

// Returns the digest of the file's content; "" for a file that cannot be read.
std::string content_digest(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return file && text ? digest({text.str()}) : "";
}

// Returns when the file last changed; the largest time for a file that cannot be asked about.
int64_t change_time(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 ? nanoseconds(status.st_ctim) : INT64_MAX;
}

}  // namespace

std::optional<std::string> describe_dependencies(const std::string& rule, const std::string& own,
                                                 const std::string& begin) {
  const int64_t begun = change_time(begin);
  std::vector<std::string> parts;
  for (const std::string& path : names_of(rule)) {
    if (path.starts_with(own)) continue;
    const std::string state = state_of(path), content = content_digest(path);
    if (content.empty() || change_time(path) >= begun) return std::nullopt;
    parts.insert(parts.end(), {path, state, content});
  }
  return parts.empty() ? std::nullopt : std::optional(join_length_prefixed(parts));
}

bool dependencies_hold(const std::string& description) {
  const std::optional<std::vector<std::string>> parts = split_length_prefixed(description);
  if (!parts || parts->size() % 3 != 0) return false;
  for (size_t at = 0; at < parts->size(); at += 3) {
    const std::string &path = (*parts)[at], &state = (*parts)[at + 1], &content = (*parts)[at + 2];
    if (state_of(path) != state && content_digest(path) != content) return false;
  }
  return true;
}

}  // namespace gpuarray
