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

// Streams and events, and when their work is done. All of it is guarded by lock().
namespace model {

struct Stream;
struct Capture;
using Clock = std::chrono::steady_clock;

// The kinds of work, with the values of CUgraphNodeType.
enum class Kind { kernel, copy, fill, host, graph, empty, wait, record, allocate = 10, release };

// A piece of work. `run` is called once, without the lock; that of a host function is called on a
// thread of its own, while other work goes on.
struct Operation {
  Kind kind;
  std::function<Status()> run;
  std::vector<std::shared_ptr<Operation>>
      after;  // what it runs after, besides earlier work on its stream
  std::shared_ptr<Stream> stream;
  bool running = false;
  bool done = false;
  Clock::time_point when = Clock::now();  // when it was queued; later, when it was done
};
using OperationPtr = std::shared_ptr<Operation>;

struct Stream {
  Handle handle = 0;
  uint64_t id = 0;  // never used twice
  int device = 0;
  unsigned flags = 0;
  int priority = 0;
  bool legacy = false;
  bool blocking = true;  // whether it and the legacy stream wait for each other
  std::deque<OperationPtr> queue;
  OperationPtr last;
  std::shared_ptr<Capture> capture;
  std::vector<int> tails;  // the nodes of the capture that the stream's next one follows
};
using StreamPtr = std::shared_ptr<Stream>;

struct Event {
  Handle handle = 0;
  unsigned flags = 0;
  int device = 0;
  OperationPtr recorded;             // null before the first record
  std::shared_ptr<Capture> capture;  // the capture that recorded the event, if one did
  std::vector<int> nodes;            // the nodes of the capture that it stands for
};
using EventPtr = std::shared_ptr<Event>;

using Lock = std::unique_lock<std::mutex>;
Lock lock();

// Returns the stream of a handle in the current context, or null.
StreamPtr find_stream(Handle handle);
EventPtr find_event(Handle handle);
StreamPtr make_stream(int device, unsigned flags, int priority);
bool drop_stream(Handle handle);  // work that is queued is still done
EventPtr make_event(int device, unsigned flags);
bool drop_event(Handle handle);

// Queues work after all that the API orders before it. Returns null if the stream captures: then
// the work becomes a node. Releases the lock while the queue is full.
OperationPtr enqueue(Lock& held, const StreamPtr& stream, Kind kind, std::function<Status()> run,
                     std::vector<OperationPtr> after = {});

// Runs all that must run before `operation`, and `operation` itself.
void finish(Lock& held, const OperationPtr& operation);
void finish_stream(Lock& held, const StreamPtr& stream);
void finish_device(Lock& held, int device);
// Runs a little of what must run before `operation`, as a query does.
void progress(Lock& held, const OperationPtr& operation);

// Returns the sticky error of the device's context, 0 if it has none.
Status sticky(int device);

// Returns the device of this thread's current context, or -1 if it has none.
int current_device();
// Whether this thread runs a host function, in which the API allows no other call.
inline thread_local bool in_host_function = false;
void set_current_device(int device);

}  // namespace model
