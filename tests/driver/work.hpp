// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "types.hpp"

// Streams, events and when their work is done. Everything here is guarded by `lock()`.
namespace model {

struct Stream;
struct Capture;
using Clock = std::chrono::steady_clock;

// As CUgraphNodeType.
enum class Kind { kernel, copy, fill, host, graph, empty, wait, record, allocate = 10, release };

// A piece of work; `run` is called once, without the lock. That of a host function runs on a thread
// of its own, while other work goes on.
struct Operation {
  Kind kind;
  std::function<Status()> run;
  std::vector<std::shared_ptr<Operation>> after;  // besides those before it on its stream
  std::shared_ptr<Stream> stream;
  bool running = false;
  bool done = false;
  Clock::time_point when = Clock::now();  // queued, later done
};
using OperationPtr = std::shared_ptr<Operation>;

struct Stream {
  Handle handle = 0;
  uint64_t id = 0;  // never used twice
  int device = 0;
  unsigned flags = 0;
  int priority = 0;
  bool legacy = false;
  bool blocking = true;  // waits for the legacy stream and it for this one
  std::deque<OperationPtr> queue;
  OperationPtr last;
  std::shared_ptr<Capture> capture;
  std::vector<int> tails;  // of its nodes, those that the next one follows
};
using StreamPtr = std::shared_ptr<Stream>;

struct Event {
  Handle handle = 0;
  unsigned flags = 0;
  int device = 0;
  OperationPtr recorded;             // null before the first record
  std::shared_ptr<Capture> capture;  // of a record in a capture
  std::vector<int> nodes;            // of it
};
using EventPtr = std::shared_ptr<Event>;

using Lock = std::unique_lock<std::mutex>;
Lock lock();

// The stream behind a handle in the current context; null for none.
StreamPtr find_stream(Handle handle);
EventPtr find_event(Handle handle);
StreamPtr make_stream(int device, unsigned flags, int priority);
bool drop_stream(Handle handle);  // its work stays queued
EventPtr make_event(int device, unsigned flags);
bool drop_event(Handle handle);

// After all that the API orders before it; null within a capture, of which it becomes a node.
// The lock is let go while the queue is full.
OperationPtr enqueue(Lock& held, const StreamPtr& stream, Kind kind, std::function<Status()> run,
                     std::vector<OperationPtr> after = {});

// Runs what must run before `operation` is done, and it.
void finish(Lock& held, const OperationPtr& operation);
void finish_stream(Lock& held, const StreamPtr& stream);
void finish_device(Lock& held, int device);
// For queries: a little of what must run before it.
void progress(Lock& held, const OperationPtr& operation);

// The context's error that stays, 0 for none.
Status sticky(int device);

// That of this thread's current context; -1 without one.
int current_device();
// Of this thread: the API gives such functions no other call.
inline thread_local bool in_host_function = false;
void set_current_device(int device);

}  // namespace model
