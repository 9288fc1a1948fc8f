// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/memory/debug.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/thread_safety.hpp"
#include "runtime/driver/call_site.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/stream/device_memory.hpp"
#include "runtime/stream/main_stream.hpp"

namespace gpuarray {
namespace {

// Guard bytes before a block, and at least as many after it; keeps the alignment.
constexpr int64_t kGuard = 256;
constexpr unsigned char kCanary = 0xFD;
constexpr unsigned char kPoison = 0xCB;
constexpr size_t kFreedKept = 4096;
constexpr int64_t kKeptBytes = int64_t{16} << 20;

int64_t tail_bytes(int64_t nbytes) { return kGuard + (kGuard - nbytes % kGuard) % kGuard; }
int64_t padded(int64_t nbytes) { return kGuard + nbytes + tail_bytes(nbytes); }

char* advance(const void* data, int64_t nbytes) {
  return static_cast<char*>(const_cast<void*>(data)) + nbytes;
}

std::string block_text(const GuardedBlock& block) {
  std::string text = "a block of " + std::to_string(block.nbytes) + " bytes";
  return block.site.empty() ? text : text + " allocated at " + block.site;
}

struct Damage {
  int64_t bytes = 0;
  int64_t first = 0;
};

Damage damage(const void* data, int64_t nbytes, unsigned char expected, const Stream& stream) {
  std::vector<unsigned char> found(static_cast<size_t>(nbytes));
  read_device(found.data(), data, nbytes, stream);
  Damage seen;
  for (int64_t i = nbytes - 1; i >= 0; --i)
    if (found[static_cast<size_t>(i)] != expected) seen = {seen.bytes + 1, i};
  return seen;
}

std::string at_text(const std::string& site) { return site.empty() ? "" : " at " + site; }

void report(const std::string& text) { report_memory_error(("memory debug: " + text).c_str()); }

}  // namespace

DebugResource::~DebugResource() { release_all_kept(); }

void* DebugResource::allocate_upstream(int64_t nbytes, const Stream& stream) {
  try {
    return upstream_->allocate(nbytes, stream);
  } catch (const OutOfMemory&) {
    if (!release_kept(0, stream)) throw;
  }
  return upstream_->allocate(nbytes, stream);
}

void* DebugResource::allocate(int64_t nbytes, const Stream& stream) {
  if (nbytes > INT64_MAX / 2) return upstream_->allocate(nbytes, stream);  // upstream refuses it
  void* start = allocate_upstream(padded(nbytes), stream);
  try {
    fill_device(start, kCanary, kGuard, stream);
    fill_device(advance(start, kGuard + nbytes), kCanary, tail_bytes(nbytes), stream);
    remember({advance(start, kGuard), nbytes, stream.handle(), to_string(call_site())});
  } catch (...) {
    upstream_->deallocate(start, padded(nbytes), stream);
    throw;
  }
  return advance(start, kGuard);
}

void DebugResource::remember(GuardedBlock block) {
  const LockGuard lock(mutex_);
  live_[block.data] = std::move(block);
}

GuardedBlock DebugResource::take(void* data, int64_t nbytes, const std::string& site) {
  GuardedBlock block{data, 0, 0, ""};
  std::string earlier;
  {
    const LockGuard lock(mutex_);
    auto found = live_.find(data);
    if (found != live_.end()) {
      block = std::move(found->second);
      live_.erase(found);
      freed_.push_back({data, block.nbytes, 0, site});
      if (freed_.size() > kFreedKept) freed_.pop_front();
    } else {
      auto known = std::find_if(freed_.rbegin(), freed_.rend(),
                                [&](const GuardedBlock& freed) { return freed.data == data; });
      if (known != freed_.rend()) earlier = known->site.empty() ? "an unknown line" : known->site;
    }
  }
  const std::string at = at_text(site);
  if (block.nbytes == 0 && !earlier.empty())
    report("a block of " + std::to_string(nbytes) + " bytes was freed twice: first at " + earlier +
           ", then" + at);
  else if (block.nbytes == 0)
    report("memory that was not allocated here was freed" + at);
  else if (block.nbytes != nbytes)
    report(block_text(block) + " was freed as one of " + std::to_string(nbytes) + at);
  return block;
}

void DebugResource::check_guards(const GuardedBlock& block, const Stream& stream) const {
  const Damage before = damage(advance(block.data, -kGuard), kGuard, kCanary, stream);
  if (before.bytes != 0)
    report(std::to_string(before.bytes) + " bytes before " + block_text(block) +
           " were overwritten, the first at offset " + std::to_string(before.first - kGuard));
  const Damage after =
      damage(advance(block.data, block.nbytes), tail_bytes(block.nbytes), kCanary, stream);
  if (after.bytes != 0)
    report(std::to_string(after.bytes) + " bytes after " + block_text(block) +
           " were overwritten, the first at offset " + std::to_string(block.nbytes + after.first));
}

void DebugResource::deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept {
  GuardedBlock block{};
  try {
    std::string site = to_string(call_site());
    block = take(data, nbytes, site);
    if (block.nbytes == 0) return;  // not allocated here, so not to be freed upstream
    check_guards(block, stream);
    fill_device(advance(data, -kGuard), kPoison, padded(block.nbytes), stream);
    if (keep_from_reuse({block, std::move(site)}, stream)) {
      release_kept(kKeptBytes, stream);
      return;
    }
  } catch (...) {  // the driver is gone
  }
  if (block.nbytes > 0) upstream_->deallocate(advance(data, -kGuard), padded(block.nbytes), stream);
}

bool DebugResource::keep_from_reuse(FreedBlock freed, const Stream& stream) {
  const int64_t nbytes = padded(freed.block.nbytes);
  if (nbytes > kKeptBytes) return false;
  stream.finish();  // because the block may be freed on another stream later
  const LockGuard lock(mutex_);
  kept_.push_back(std::move(freed));
  kept_bytes_ += nbytes;
  return true;
}

bool DebugResource::release_kept(int64_t most, const Stream& stream) noexcept {
  bool any = false;
  // Checking a block waits for the stream, which a capture forbids.
  while (!stream.is_capturing()) {
    FreedBlock freed;
    {
      const LockGuard lock(mutex_);
      if (kept_bytes_ <= most) break;
      freed = std::move(kept_.front());
      kept_.pop_front();
      kept_bytes_ -= padded(freed.block.nbytes);
    }
    const int64_t nbytes = padded(freed.block.nbytes);
    void* start = advance(freed.block.data, -kGuard);
    quietly([&] {
      const Damage seen = damage(start, nbytes, kPoison, stream);
      if (seen.bytes != 0)
        report(std::to_string(seen.bytes) + " bytes of " + block_text(freed.block) +
               " were written after it was freed" + at_text(freed.freed_at) +
               ", the first at offset " + std::to_string(seen.first - kGuard));
    });
    upstream_->deallocate(start, nbytes, stream);
    any = true;
  }
  return any;
}

void DebugResource::release_all_kept() noexcept {
  {
    const LockGuard lock(mutex_);
    if (kept_.empty()) return;
  }
  quietly([&] { release_kept(0, *main_stream(device())); });
}

void DebugResource::release_cached() noexcept {
  release_all_kept();
  upstream_->release_cached();
}

void DebugResource::add_usage(MemoryUsage& usage) const {
  upstream_->add_usage(usage);
  const LockGuard lock(mutex_);
  usage.used -= kept_bytes_;
  usage.cached += kept_bytes_;
  usage.free_blocks += static_cast<int64_t>(kept_.size());
}

std::vector<GuardedBlock> DebugResource::live_blocks() const {
  const LockGuard lock(mutex_);
  std::vector<GuardedBlock> blocks;
  for (const auto& [data, block] : live_) blocks.push_back(block);
  return blocks;
}

}  // namespace gpuarray
