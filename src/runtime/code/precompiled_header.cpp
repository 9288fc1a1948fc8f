// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/code/precompiled_header.hpp"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/sha256.hpp"
#include "runtime/cache/cache_folder.hpp"
#include "runtime/driver/nvrtc.hpp"

namespace gpuarray {
namespace {

// A header takes 200 to 320 MB with CUDA 13.5, as a file and in the heap, of which the process
// keeps 110 MB. Four of them cover a program that has sources with each of the slow headers.
constexpr int kMostHeaders = 4;
constexpr size_t kHeapBytes = size_t{512} << 20;
constexpr uint64_t kLeastDiskBytes = 8 * kHeapBytes;
// cuda_fp16.h takes 0.05 s and gains 0.02; the slow headers below take 1.2 to 2.5 s, of which 0.3
// to 0.7 are left. Making a header adds a fifth to a compilation (NVRTC 13.5, 2 cores).
constexpr double kSlowSeconds = 0.8;
constexpr std::string_view kSlowHeaders[] = {"cooperative_groups", "cub/", "cuda/",
                                             "curand_kernel.h", "thrust/"};
constexpr size_t kMostStates = 64;

// Returns the end of the last #include line before the code, outside of all conditions; 0 if there
// is none. NVRTC precompiles nothing after a #line.
size_t end_of_includes(const std::string& source) {
  size_t end = 0;
  int depth = 0;
  bool in_comment = false;
  for (size_t begin = 0, next = 0; begin < source.size(); begin = next) {
    next = std::min(source.find('\n', begin), source.size() - 1) + 1;
    std::string_view text = std::string_view(source).substr(begin, next - begin);
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    if (in_comment || text.starts_with("/*")) {
      const size_t close = text.find("*/");
      in_comment = close == text.npos;
      if (!in_comment && text.find_first_not_of(" \t\r\n", close + 2) != text.npos) break;
      continue;
    }
    if (text.empty() || text.starts_with("//")) continue;
    if (text[0] != '#' || text.find('\\') != text.npos || text.find("/*") != text.npos) break;
    text.remove_prefix(std::min(text.find_first_not_of(" \t", 1), text.size()));
    if (text.starts_with("line")) break;
    depth += text.starts_with("if") ? 1 : text.starts_with("endif") ? -1 : 0;
    if (text.starts_with("include") && depth == 0) end = next;
  }
  return end;
}

// Returns whether a line includes a header that is known to be slow.
bool has_slow_header(std::string_view lines) {
  return std::ranges::any_of(kSlowHeaders, [&](std::string_view name) {
    for (const char open : {'<', '"'})
      if (lines.find(open + std::string(name)) != lines.npos) return true;
    return false;
  });
}

bool has_room(const std::string& folder) {
  struct statvfs found;
  return statvfs(folder.c_str(), &found) == 0 &&
         uint64_t{found.f_bavail} * found.f_frsize >= kLeastDiskBytes;
}

// Sets the size of NVRTC's heap at the first call. Returns whether NVRTC can precompile headers.
bool prepare_heap() {
  static const bool ready = nvrtc_library.version().cuda_number() >= 12080 &&
                            nvrtc_heap.nvrtcSetPCHHeapSize != nullptr &&
                            nvrtc_heap.nvrtcSetPCHHeapSize(kHeapBytes) == kNvrtcSuccess;
  return ready;
}

std::mutex& compiling = *new std::mutex;  // never destroyed: a thread may still compile

}  // namespace

// What is known of the sources that begin with the same lines.
struct PrecompiledHeader::State {
  std::string name;  // digest of the lines and of all that they depend on
  bool is_slow = false;
  bool is_refused = false;
  int file = -1;  // descriptor of the header's file, which has no name any more; -1 if none
};

std::vector<PrecompiledHeader::State>& PrecompiledHeader::states() {
  static auto& states = *new std::vector<State>;  // the last used one is at the end
  return states;
}

PrecompiledHeader::PrecompiledHeader(const std::string& source, const std::string& key)
    : lock_(compiling, std::defer_lock) {
  const CacheSettings& settings = cache_settings();
  if (key.empty() || settings.limit == 0 || settings.folder.empty()) return;
  end_ = end_of_includes(source);
  // NVRTC has one heap for all threads. In a child of fork the mutex stays locked if another thread
  // of the parent was compiling.
  if (end_ == 0 || !lock_.try_lock()) return;
  source_ = source;
  const std::string lines = source.substr(0, end_);
  const std::string name = digest({"begin", key, lines});
  std::vector<State>& known = states();
  const auto found = std::ranges::find(known, name, &State::name);
  if (found == known.end())
    known.push_back({.name = name, .is_slow = has_slow_header(lines)});
  else
    std::rotate(found, found + 1, known.end());
  if (known.size() > kMostStates)  // the oldest without a file; few have one
    known.erase(std::ranges::find_if(known, [](const State& state) { return state.file < 0; }));
  state_ = &known.back();
  if (state_->file >= 0 || !state_->is_slow || state_->is_refused) return;
  make_cache_folder(settings.folder);
  if (CacheFolder(settings.folder).is_open() && has_room(settings.folder) && prepare_heap())
    // The cache removes the file of a process that is killed meanwhile, as that of a broken store.
    made_ = settings.folder + '/' + temporary_name(name);
}

bool PrecompiledHeader::is_ready() const { return state_ != nullptr && state_->file >= 0; }

std::string PrecompiledHeader::source() const {
  if (is_ready()) return source_;
  const std::string lines = source_.substr(0, end_);
  const auto next = std::to_string(std::ranges::count(lines, '\n') + 1);
  const char* end = lines.ends_with('\n') ? "" : "\n";
  return lines + end + "#pragma nv_hdrstop\n#line " + next + '\n' + source_.substr(end_);
}

std::vector<std::string> PrecompiledHeader::options() const {
  return {is_ready() ? "--use-pch=/proc/self/fd/" + std::to_string(state_->file)
                     : "--create-pch=" + made_,
          "-pch-messages=false",
          // Warns that no header is made after a #line. All options must be those of the header.
          "-diag-suppress=20283"};
}

void PrecompiledHeader::ended(bool has_error) {
  if (is_ready()) return;
  const int file = ::open(made_.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0 && !has_error) return refused();
  ::unlink(made_.c_str());
  made_.clear();
  state_->file = file;
  const auto has_file = [](const State& state) { return state.file >= 0; };
  std::vector<State>& known = states();
  if (std::ranges::count_if(known, has_file) > kMostHeaders)
    ::close(std::exchange(std::ranges::find_if(known, has_file)->file, -1));
}

void PrecompiledHeader::compiled(double seconds) {
  if (state_ != nullptr) state_->is_slow = state_->is_slow || seconds >= kSlowSeconds;
}

void PrecompiledHeader::refused() {
  if (!made_.empty()) ::unlink(made_.c_str());
  made_.clear();
  if (state_->file >= 0) ::close(std::exchange(state_->file, -1));
  state_->is_refused = true;
}

}  // namespace gpuarray
