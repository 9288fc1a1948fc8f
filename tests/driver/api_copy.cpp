// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Copies and fills. Pageable memory is read and written before a call returns, page-locked memory
// when the stream comes to it.
#include <algorithm>
#include <cstring>

#include "call.hpp"
#include "capture.hpp"
#include "memory.hpp"

using namespace model;

namespace {

Status move(Address target, Address source, size_t nbytes) {
  std::memmove(reach(target), reach(source), nbytes);
  return kSuccess;
}

// Returns whether a copy may use the memory: it lies in one live allocation, or is host memory that
// the model does not know.
bool usable(Address address, size_t nbytes, bool of_device) {
  if (find(address, nbytes) != nullptr) return true;
  return !of_device && !in_reservation(address);
}

enum Which { host_to_device, device_to_host, device_to_device, any };

Status copy(Call& call, Which which, Address target, Address source, size_t nbytes, Handle handle,
            bool wait) {
  const StreamPtr stream = find_stream(handle);
  if (stream == nullptr) return kInvalidHandle;
  if (nbytes == 0) return kSuccess;
  if (!usable(target, nbytes, which == host_to_device || which == device_to_device) ||
      !usable(source, nbytes, which == device_to_host || which == device_to_device))
    return kInvalidValue;
  if (wait || stream->legacy)
    if (Status status = forbidden_on(*stream)) return status;
  if (wait)
    if (Status status = forbidden_here()) return status;
  const bool captures = stream->capture != nullptr;
  std::function<Status()> run;
  if (find(source) == nullptr && !captures) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(source);
    auto staged = std::make_shared<std::vector<unsigned char>>(bytes, bytes + nbytes);
    run = [staged, target, nbytes] {
      return move(target, reinterpret_cast<Address>(staged->data()), nbytes);
    };
  } else {
    run = [=] { return move(target, source, nbytes); };
  }
  const bool pageable_target = find(target) == nullptr;
  const OperationPtr queued = enqueue(call.held, stream, Kind::copy, std::move(run));
  if (!captures && (wait || pageable_target)) finish(call.held, queued);
  return sticky(stream->device);
}

template <class Element>
Status fill(Call& call, Address target, Element value, size_t count, Handle handle) {
  const StreamPtr stream = find_stream(handle);
  if (stream == nullptr) return kInvalidHandle;
  if (count == 0) return kSuccess;
  if (target % sizeof(Element) != 0 || !usable(target, count * sizeof(Element), true))
    return kInvalidValue;
  if (stream->legacy)
    if (Status status = forbidden_on(*stream)) return status;
  enqueue(call.held, stream, Kind::fill, [=] {
    std::fill_n(static_cast<Element*>(reach(target)), count, value);
    return kSuccess;
  });
  return kSuccess;
}

Address of(const void* data) { return reinterpret_cast<Address>(data); }

}  // namespace

MODEL(cuMemcpyHtoDAsync, (Address target, const void* source, size_t nbytes, Handle stream), ENTER;
      return copy(call, host_to_device, target, of(source), nbytes, stream, false))
MODEL(cuMemcpyDtoHAsync, (void* target, Address source, size_t nbytes, Handle stream), ENTER;
      return copy(call, device_to_host, of(target), source, nbytes, stream, false))
MODEL(cuMemcpyDtoDAsync, (Address target, Address source, size_t nbytes, Handle stream), ENTER;
      return copy(call, device_to_device, target, source, nbytes, stream, false))
MODEL(cuMemcpyAsync, (Address target, Address source, size_t nbytes, Handle stream), ENTER;
      return copy(call, any, target, source, nbytes, stream, false))
MODEL(cuMemcpyPeerAsync,
      (Address target, Handle, Address source, Handle, size_t nbytes, Handle stream), ENTER;
      return copy(call, device_to_device, target, source, nbytes, stream, false))
MODEL(cuMemcpyHtoD, (Address target, const void* source, size_t nbytes), ENTER;
      return copy(call, host_to_device, target, of(source), nbytes, 0, true))
MODEL(cuMemcpyDtoH, (void* target, Address source, size_t nbytes), ENTER;
      return copy(call, device_to_host, of(target), source, nbytes, 0, true))
MODEL(cuMemcpyDtoD, (Address target, Address source, size_t nbytes), ENTER;
      return copy(call, device_to_device, target, source, nbytes, 0, false))
MODEL(cuMemcpy, (Address target, Address source, size_t nbytes), ENTER;
      return copy(call, any, target, source, nbytes, 0, true))
MODEL(cuMemsetD8Async, (Address target, unsigned char value, size_t count, Handle stream), ENTER;
      return fill(call, target, value, count, stream))
MODEL(cuMemsetD16Async, (Address target, unsigned short value, size_t count, Handle stream), ENTER;
      return fill(call, target, value, count, stream))
MODEL(cuMemsetD32Async, (Address target, unsigned int value, size_t count, Handle stream), ENTER;
      return fill(call, target, value, count, stream))
