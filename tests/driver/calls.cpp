// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "calls.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <random>
#include <sstream>
#include <string>

namespace model {
namespace {

Function* first = nullptr;  // null before any constructor runs

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

struct Settings {
  Mode mode = Mode::fast;
  int devices = 1;
  std::mt19937_64 random;

  Settings() {
    std::string named = setting("GPUARRAY_TEST_DRIVER");
    std::string kind = named.substr(0, named.find(':'));
    if (kind == "late") mode = Mode::late;
    if (kind == "random") mode = Mode::random;
    if (kind.size() < named.size())
      random.seed(std::strtoull(named.c_str() + kind.size() + 1, nullptr, 10));
    if (std::string count = setting("GPUARRAY_TEST_DRIVER_DEVICES"); !count.empty())
      devices = std::clamp(std::atoi(count.c_str()), 0, 8);
    // The setting lists name:n:status, separated by commas.
    std::istringstream all(setting("GPUARRAY_TEST_DRIVER_FAIL"));
    for (std::string one; std::getline(all, one, ',');) {
      std::istringstream parts(one);
      std::string name, n, status;
      std::getline(parts, name, ':') && std::getline(parts, n, ':') && std::getline(parts, status);
      fail(name.c_str(), std::atoll(n.c_str()), std::atoi(status.c_str()));
    }
  }
};

Settings& settings() {
  static Settings& read = *new Settings;
  return read;
}

}  // namespace

Function::Function(const char* name, void* address) : name(name), address(address), next(first) {
  first = this;
}

Function* find_function(const char* name) {
  for (Function* function = first; function != nullptr; function = function->next)
    if (std::strcmp(function->name, name) == 0) return function;
  return nullptr;
}

uint64_t calls_of(const char* name) {
  uint64_t calls = 0;
  for (Function* function = first; function != nullptr; function = function->next)
    if (*name == 0 || std::strcmp(function->name, name) == 0) calls += function->calls;
  return calls;
}

size_t list(char* text, size_t size) {
  std::string all;
  for (Function* function = first; function != nullptr; function = function->next)
    all += std::string(function->name) + "\n";
  std::memcpy(text, all.data(), std::min(size, all.size()));
  return all.size();
}

bool fail(const char* name, int64_t n, Status status) {
  Function* function = find_function(name);
  if (function == nullptr) return false;
  function->fails_with = status;
  function->fails_in = n;
  return true;
}

Mode mode() { return settings().mode; }
int device_count() { return settings().devices; }

uint64_t random_number() {
  static std::mutex& mutex = *new std::mutex;
  std::lock_guard lock(mutex);
  return settings().random();
}

}  // namespace model
