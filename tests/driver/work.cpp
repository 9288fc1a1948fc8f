// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "work.hpp"

#include <thread>
#include <utility>

#include "call.hpp"
#include "capture.hpp"

namespace model {
namespace {

// If this much work is queued on a stream, the next call waits, as that of a driver does.
constexpr size_t kMostQueued = 1024;
constexpr auto kHostWorkWaits = std::chrono::milliseconds(50);

struct State {
  std::mutex mutex;
  std::condition_variable changed;
  bool busy = false;  // whether a thread runs an operation
  bool watched = false;
  std::map<Handle, StreamPtr> streams;
  std::vector<StreamPtr> dropped;  // destroyed streams with work left
  std::map<Handle, EventPtr> events;
  std::map<int, Status> errors;
  uint64_t last_id = 0;
  Handle last_handle = 0x1000;
};

State& state() {
  static State& made = *new State;  // never destroyed: work may go on during static destruction
  return made;
}

thread_local int thread_device = -1;
thread_local std::map<int, StreamPtr> thread_streams;

StreamPtr add_stream(int device, unsigned flags, int priority) {
  auto stream = std::make_shared<Stream>();
  stream->id = ++state().last_id;
  stream->handle = state().last_handle += 16;
  stream->device = device;
  stream->flags = flags;
  stream->priority = priority;
  stream->blocking = (flags & 1) == 0;
  state().streams[stream->handle] = stream;
  return stream;
}

StreamPtr legacy_stream(int device) {
  static auto& all = *new std::map<int, StreamPtr>;
  StreamPtr& stream = all[device];
  if (stream == nullptr) {
    stream = add_stream(device, 0, 0);
    stream->legacy = true;
  }
  return stream;
}

std::vector<StreamPtr> all_streams() {
  std::vector<StreamPtr> all = state().dropped;
  for (const auto& [handle, stream] : state().streams) all.push_back(stream);
  return all;
}

// Returns the first operation that can run among those that must run for `operation`; null if
// another thread runs it.
OperationPtr next_for(const OperationPtr& operation) {
  const OperationPtr& front = operation->stream->queue.front();
  if (front->running) return nullptr;
  for (const OperationPtr& other : front->after)
    if (!other->done) return next_for(other);
  return front;
}

void complete(const OperationPtr& operation, Status status) {
  if (status != kSuccess) state().errors.try_emplace(operation->stream->device, status);
  operation->done = true;
  operation->running = false;
  operation->when = Clock::now();
  operation->run = nullptr;
  operation->after.clear();
  operation->stream->queue.pop_front();
  std::erase_if(state().dropped, [](const StreamPtr& stream) { return stream->queue.empty(); });
}

// Starts a host function on a thread of its own, as it may wait for the program's other threads.
void start(const OperationPtr& operation) {
  operation->running = true;
  std::thread([operation] {
    in_host_function = true;
    const Status status = operation->run();
    Lock held = lock();
    complete(operation, status);
    state().changed.notify_all();
  }).detach();
}

// Runs one operation, or starts a host function, or waits until another thread has done so. After a
// sticky error no more work of the device is done.
void step(Lock& held, const OperationPtr& wanted) {
  State& all = state();
  OperationPtr next = all.busy ? nullptr : next_for(wanted);
  if (next == nullptr) return all.changed.wait(held);
  Status status = kSuccess;
  if (sticky(next->stream->device) == kSuccess) {
    if (next->kind == Kind::host) return start(next);
    next->running = all.busy = true;
    held.unlock();
    status = next->run();
    held.lock();
    all.busy = false;
  }
  complete(next, status);
  all.changed.notify_all();
}

bool can_progress(const OperationPtr& operation) {
  return !operation->done && !state().busy && next_for(operation) != nullptr;
}

// Returns the next operation of a random stream, which random mode runs first now and then.
OperationPtr any_queued() {
  std::vector<StreamPtr> waiting = all_streams();
  std::erase_if(waiting, [](const StreamPtr& stream) { return stream->queue.empty(); });
  if (waiting.empty()) return nullptr;
  return waiting[random_number() % waiting.size()]->queue.front();
}

void wander(Lock& held) {
  if (mode() != Mode::random) return;
  while (random_number() % 2 == 0) {
    OperationPtr other = any_queued();
    if (other == nullptr || !can_progress(other)) return;
    step(held, other);
  }
}

// Starts a thread that runs queued host functions, so that they are called even if nobody waits.
void watch() {
  if (std::exchange(state().watched, true)) return;
  std::thread([] {
    for (;;) {
      std::this_thread::sleep_for(kHostWorkWaits / 2);
      Lock held = lock();
      for (const StreamPtr& stream : all_streams()) {
        const auto queue = stream->queue;
        for (const OperationPtr& operation : queue)
          if (operation->kind == Kind::host && Clock::now() - operation->when > kHostWorkWaits)
            while (can_progress(operation)) step(held, operation);
      }
    }
  }).detach();
}

}  // namespace

Lock lock() { return Lock(state().mutex); }

int current_device() { return thread_device; }
void set_current_device(int device) { thread_device = device; }

Status sticky(int device) {
  auto found = state().errors.find(device);
  return found == state().errors.end() ? kSuccess : found->second;
}

StreamPtr find_stream(Handle handle) {
  if (handle <= 1) return thread_device < 0 ? nullptr : legacy_stream(thread_device);
  if (handle == 2) {
    if (thread_device < 0) return nullptr;
    StreamPtr& stream = thread_streams[thread_device];
    if (stream == nullptr) stream = add_stream(thread_device, 0, 0);
    return stream;
  }
  auto found = state().streams.find(handle);
  return found == state().streams.end() ? nullptr : found->second;
}

EventPtr find_event(Handle handle) {
  auto found = state().events.find(handle);
  return found == state().events.end() ? nullptr : found->second;
}

StreamPtr make_stream(int device, unsigned flags, int priority) {
  return add_stream(device, flags, priority);
}

bool drop_stream(Handle handle) {
  auto found = state().streams.find(handle);
  if (found == state().streams.end()) return false;
  if (!found->second->queue.empty()) state().dropped.push_back(found->second);
  state().streams.erase(found);
  return true;
}

EventPtr make_event(int device, unsigned flags) {
  auto event = std::make_shared<Event>();
  event->handle = state().last_handle += 16;
  event->device = device;
  event->flags = flags;
  state().events[event->handle] = event;
  return event;
}

Handle new_handle() { return state().last_handle += 16; }

bool drop_event(Handle handle) { return state().events.erase(handle) > 0; }

OperationPtr enqueue(Lock& held, const StreamPtr& stream, Kind kind, std::function<Status()> run,
                     std::vector<OperationPtr> after) {
  if (stream->capture != nullptr) {
    add_node(*stream, kind, std::move(run));
    return nullptr;
  }
  auto operation = std::make_shared<Operation>();
  operation->kind = kind;
  operation->run = std::move(run);
  operation->stream = stream;
  operation->after = std::move(after);
  if (stream->legacy) {
    for (const StreamPtr& other : all_streams())
      if (other != stream && other->device == stream->device && other->blocking &&
          !other->queue.empty())
        operation->after.push_back(other->last);
  } else if (stream->blocking) {
    const StreamPtr legacy = legacy_stream(stream->device);
    if (!legacy->queue.empty()) operation->after.push_back(legacy->last);
  }
  stream->queue.push_back(operation);
  stream->last = operation;
  if (kind == Kind::host) watch();
  wander(held);
  while (stream->queue.size() > kMostQueued) step(held, operation);
  return operation;
}

void finish(Lock& held, const OperationPtr& operation) {
  if (operation == nullptr) return;
  while (!operation->done) {
    wander(held);
    if (!operation->done) step(held, operation);
  }
}

void finish_stream(Lock& held, const StreamPtr& stream) { finish(held, stream->last); }

void finish_device(Lock& held, int device) {
  for (const StreamPtr& stream : all_streams())
    if (stream->device == device) finish(held, stream->last);
}

void progress(Lock& held, const OperationPtr& operation) {
  if (can_progress(operation)) step(held, operation);
}

}  // namespace model
