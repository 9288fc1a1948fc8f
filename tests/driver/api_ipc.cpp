// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Functions of memory and events that processes share. A shared event is complete as soon as it is
// recorded, because api_stream.cpp then does the work before it at once, which the API allows.
#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <set>
#include <string>

#include "call.hpp"
#include "memory.hpp"

using namespace model;

namespace {

// CUipcMemHandle and CUipcEventHandle, which the caller sends to the other process.
struct Shared {
  int process, file;
  size_t offset, nbytes;
  char rest[40];
};
static_assert(sizeof(Shared) == 64);

std::set<Address>& opened() {
  static auto& all = *new std::set<Address>;
  return all;
}

Status share(Shared* handle, Address address) {
  const Allocation* found = find(address);
  if (found == nullptr || !can_be_shared(*found)) return kInvalidValue;
  *handle = {getpid(), memory_file(), memory_offset(found->begin), found->nbytes, {}};
  return kSuccess;
}

Status open_shared(Call& call, Address* address, const Shared& handle) {
  if (handle.process == getpid()) return kInvalidContext;
  const std::string path =
      "/proc/" + std::to_string(handle.process) + "/fd/" + std::to_string(handle.file);
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return kInvalidValue;
  const Address begin = allocate_device(call.device, handle.nbytes, 0, 0);
  const bool mapped = begin != 0 && map_file(begin, find(begin)->room, file, handle.offset);
  close(file);
  if (!mapped) return kOutOfMemory;
  *address = begin;
  opened().insert(begin);
  return kSuccess;
}

Status close_shared(Call& call, Address address) {
  if (!opened().contains(address)) return kInvalidValue;
  finish_device(call.held, call.device);
  opened().erase(address);
  map_file(address, find(address)->room, memory_file(), memory_offset(address));
  reuse(release(address, 0));
  return kSuccess;
}

Status share_event(Shared* handle, const EventPtr& event) {
  if (event == nullptr || (event->flags & 4) == 0) return kInvalidHandle;
  *handle = {getpid(), -1, 0, 0, {}};
  return kSuccess;
}

Status address_range(Address* begin, size_t* nbytes, Address address) {
  const Allocation* found = find(address);
  if (found == nullptr) return kInvalidValue;
  if (begin != nullptr) *begin = found->begin;
  if (nbytes != nullptr) *nbytes = found->nbytes;
  return kSuccess;
}

}  // namespace

bool model::can_be_shared(const Allocation& what) {
  return what.kind == MemoryKind::device && what.pool == 0 && !opened().contains(what.begin);
}

MODEL(cuMemGetAddressRange, (Address * begin, size_t* nbytes, Address address), ENTER;
      return address_range(begin, nbytes, address))
MODEL(cuIpcGetMemHandle, (Shared * handle, Address address), ENTER; return share(handle, address))
MODEL(cuIpcOpenMemHandle, (Address * address, Shared handle, unsigned), ENTER;
      return open_shared(call, address, handle))
MODEL(cuIpcCloseMemHandle, (Address address), ENTER; return close_shared(call, address))
MODEL(cuIpcGetEventHandle, (Shared * handle, Handle event), ENTER;
      return share_event(handle, find_event(event)))
MODEL(cuIpcOpenEventHandle, (Handle * event, Shared handle), ENTER;
      if (handle.process == getpid()) return kInvalidContext;
      *event = make_event(call.device, 4 | 2)->handle; return kSuccess)
