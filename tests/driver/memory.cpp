// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "calls.hpp"

namespace model {
namespace {

constexpr int kDevices = 8;

// Memory that was freed in the order of a stream which has not come to the free yet.
struct Pending {
  Address begin;
  size_t room;
  int device;
  uint64_t stream, ticket;
};

struct State {
  size_t total = size_t{4} << 30;
  int file = -1;
  char* base = nullptr;                           // the mapping whose addresses are handed out
  char* own = nullptr;                            // the driver's mapping of the same memory
  std::atomic<size_t> opened[kDevices] = {};      // bytes ever used, from each device's begin on
  std::map<Address, size_t> free_room[kDevices];  // by address, neighbours merged
  std::map<Address, Allocation> live;
  std::vector<Pending> pending;
  size_t in_use[kDevices] = {};
  uint64_t ticket = 0;

  State() {
    if (const char* value = std::getenv("GPUARRAY_TEST_DRIVER_MEMORY"))
      total = std::strtoull(value, nullptr, 10) / kPage * kPage;
    file = memfd_create("device memory", MFD_CLOEXEC);
    const size_t all = total * kDevices;
    if (file < 0 || ftruncate(file, static_cast<off_t>(all)) != 0) throw std::bad_alloc();
    base = map(file, all, PROT_NONE);
    own = map(file, all, PROT_READ | PROT_WRITE);
    for (int device = 0; device < kDevices; ++device) free_room[device][begin_of(device)] = total;
  }
  static char* map(int file, size_t nbytes, int access) {
    void* made = mmap(nullptr, nbytes, access, MAP_SHARED | MAP_NORESERVE, file, 0);
    if (made == MAP_FAILED) throw std::bad_alloc();
    return static_cast<char*>(made);
  }
  Address begin_of(int device) const {
    return reinterpret_cast<Address>(base) + static_cast<Address>(device) * total;
  }
};

State& state() {
  static State& made = *new State;  // never destroyed: arrays may outlive static destruction
  return made;
}

void give_back(int device, Address begin, size_t room) {
  auto& map = state().free_room[device];
  auto after = map.lower_bound(begin);
  if (after != map.end() && begin + room == after->first) {
    room += after->second;
    after = map.erase(after);
  }
  if (after != map.begin()) {
    auto previous = std::prev(after);
    if (previous->first + previous->second == begin) {
      previous->second += room;
      return;
    }
  }
  map[begin] = room;
}

// Returns memory that the stream has freed, the last first, as what a stream frees is likely to be
// allocated again at once; 0 if there is none.
Address take_pending(int device, size_t& room, uint64_t stream) {
  auto& pending = state().pending;
  for (size_t i = pending.size(); i-- > 0;) {
    const Pending& block = pending[i];
    if (block.stream != stream || block.device != device) continue;
    if (block.room < room || block.room > 2 * room) continue;
    const Address begin = block.begin;
    room = block.room;
    pending.erase(pending.begin() + static_cast<std::ptrdiff_t>(i));
    return begin;
  }
  return 0;
}

Address take_free(int device, size_t room, size_t align) {
  auto& map = state().free_room[device];
  for (auto at = map.begin(); at != map.end(); ++at) {
    const auto [from, size] = *at;
    const Address begin = (from + align - 1) / align * align;
    if (begin + room > from + size) continue;
    map.erase(at);
    if (begin > from) map[from] = begin - from;
    if (from + size > begin + room) map[begin + room] = from + size - begin - room;
    return begin;
  }
  return 0;
}

bool overlaps(Address begin, size_t nbytes) {
  auto after = state().live.lower_bound(begin);
  if (after != state().live.end() && after->first < begin + nbytes) return true;
  if (after == state().live.begin()) return false;
  const Allocation& previous = std::prev(after)->second;
  return previous.begin + previous.nbytes > begin;
}

}  // namespace

size_t total_memory() { return state().total; }

size_t memory_in_use(int device) {
  size_t used = state().in_use[device];
  for (const Pending& block : state().pending)
    if (block.device == device) used += block.room;
  return used;
}

size_t pool_in_use(Handle pool) {
  size_t used = 0;
  for (const auto& [begin, allocation] : state().live)
    if (allocation.pool == pool) used += allocation.room;
  return used;
}

Address allocate_device(int device, size_t nbytes, Handle pool, uint64_t stream) {
  State& all = state();
  if (nbytes > all.total) return 0;
  // The allocation never fills its room, so writes just past its end hit nothing else.
  const size_t align = pool == 0 ? kPage : kAlign;
  size_t room = (nbytes + align) / align * align;
  Address begin = stream == 0 ? 0 : take_pending(device, room, stream);
  if (begin == 0) begin = take_free(device, room, align);
  if (begin == 0) return 0;
  all.live[begin] = {begin, nbytes, room, MemoryKind::device, device, pool};
  all.in_use[device] += room;
  const size_t end = begin - all.begin_of(device) + room;
  if (end > all.opened[device]) all.opened[device] = end;
  return begin;
}

Address allocate_host(size_t nbytes, MemoryKind kind, int device) {
  void* data = std::aligned_alloc(4096, (nbytes + 4095) / 4096 * 4096);
  if (data == nullptr) return 0;
  const Address begin = reinterpret_cast<Address>(data);
  state().live[begin] = {begin, nbytes, nbytes, kind, device, 0};
  return begin;
}

Address adopt_host(void* data, size_t nbytes, MemoryKind kind, int device) {
  const Address begin = reinterpret_cast<Address>(data);
  if (overlaps(begin, nbytes)) return 0;
  state().live[begin] = {begin, nbytes, nbytes, kind, device, 0};
  return begin;
}

const Allocation* find(Address address, size_t nbytes) {
  auto after = state().live.upper_bound(address);
  if (after == state().live.begin()) return nullptr;
  const Allocation& found = std::prev(after)->second;
  return address + nbytes <= found.begin + found.nbytes ? &found : nullptr;
}

Released release(Address begin, uint64_t stream) {
  State& all = state();
  Released released{all.live.at(begin), ++all.ticket};
  all.live.erase(begin);
  const Allocation& was = released.was;
  if (was.kind == MemoryKind::device) {
    all.in_use[was.device] -= was.room;
    all.pending.push_back({begin, was.room, was.device, stream, released.ticket});
  }
  return released;
}

void reuse(const Released& released) {
  auto& pending = state().pending;
  if (released.was.kind == MemoryKind::page_locked || released.was.kind == MemoryKind::managed)
    std::free(reinterpret_cast<void*>(released.was.begin));
  for (auto block = pending.begin(); block != pending.end(); ++block) {
    if (block->ticket != released.ticket) continue;
    give_back(block->device, block->begin, block->room);
    pending.erase(block);
    return;
  }
}

namespace {

template <class Function>
void for_opened(Function&& function) {
  const State& all = state();
  for (int device = 0; device < device_count(); ++device)
    if (all.opened[device] > 0)
      function(reinterpret_cast<void*>(all.begin_of(device)),
               (all.opened[device] + 4095) / 4096 * 4096);
}

}  // namespace

Window::Window() {
  for_opened([](void* begin, size_t n) { mprotect(begin, n, PROT_READ | PROT_WRITE); });
}
Window::~Window() {
  for_opened([](void* begin, size_t n) {
    // The pages are unmapped first, as changing rights takes time for every page ever touched.
    madvise(begin, n, MADV_DONTNEED);
    mprotect(begin, n, PROT_NONE);
  });
}

int memory_file() { return state().file; }
size_t memory_offset(Address address) { return address - state().begin_of(0); }

bool map_file(Address address, size_t nbytes, int file, size_t offset) {
  const auto put = [&](void* at, int access) {
    return mmap(at, nbytes, access, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, file,
                static_cast<off_t>(offset)) != MAP_FAILED;
  };
  return put(reach(address), PROT_READ | PROT_WRITE) &&
         put(reinterpret_cast<void*>(address), PROT_NONE);
}

void* reach(Address address) {
  if (!in_reservation(address)) return reinterpret_cast<void*>(address);
  return state().own + (address - state().begin_of(0));
}

bool in_reservation(Address address) {
  const Address begin = state().begin_of(0);
  return address >= begin && address < begin + state().total * kDevices;
}

}  // namespace model
