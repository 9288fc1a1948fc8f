// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "fibers.hpp"

#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

#include "memory.hpp"

namespace model {
namespace {

using test_driver::HostKernel;
using test_driver::Index3;
using test_driver::ThreadState;

constexpr size_t kStackBytes = size_t{256} << 10;
constexpr unsigned kWarp = 32;

struct Fiber {
  ucontext_t entry;
  jmp_buf at;
  unsigned thread = 0;
  bool entered = false;
  void* stack = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
};

struct Warp {
  unsigned waiting = 0;
  unsigned char given[kWarp][8];
  unsigned char published[kWarp][8];
};

ThreadState state;
// These are never destroyed: kernels may run during static destruction.
auto& fibers = *new std::vector<std::unique_ptr<Fiber>>;  // all, which later blocks use again
auto &idle = *new std::vector<Fiber*>, &ready = *new std::vector<Fiber*>;
auto& at_barrier = *new std::vector<Fiber*>;
auto& at_exchange = *new std::array<std::vector<Fiber*>, kWarp>;
Warp warps[kWarp];
Fiber* running;
const HostKernel* kernel;
void** arguments;
unsigned threads, started, live;
unsigned live_of[kWarp];
jmp_buf scheduler;
sigjmp_buf fault;
struct sigaction
    before[2];  // the handlers of SIGSEGV and of SIGBUS, which x86 sends for some wild addresses
thread_local bool in_grid = false;

// Makes the fiber the running one. Threads are numbered as in CUDA, x the fastest.
void select(Fiber* fiber) {
  running = fiber;
  const unsigned t = fiber->thread;
  state.thread = {t % state.block_size.x, t / state.block_size.x % state.block_size.y,
                  t / state.block_size.x / state.block_size.y};
  state.lane = t % kWarp;
}

void resume_all(std::vector<Fiber*>& waiting) {
  ready.insert(ready.end(), waiting.begin(), waiting.end());
  waiting.clear();
}

bool barrier_complete() { return !at_barrier.empty() && at_barrier.size() == live; }

void complete_exchange(unsigned index) {
  std::memcpy(warps[index].published, warps[index].given, sizeof warps[index].given);
  warps[index].waiting = 0;
  resume_all(at_exchange[index]);
}

void give_way() {
  if (_setjmp(running->at) == 0) _longjmp(scheduler, 1);
}

void barrier() {
  if (at_barrier.size() + 1 == live) return resume_all(at_barrier);
  at_barrier.push_back(running);
  give_way();
}

const unsigned char* exchange(const unsigned char* bytes, size_t count, unsigned source) {
  const unsigned index = running->thread / kWarp, lane = running->thread % kWarp;
  Warp& warp = warps[index];
  if (count > 0) std::memcpy(warp.given[lane], bytes, count);
  if (++warp.waiting == live_of[index]) {
    complete_exchange(index);
  } else {
    at_exchange[index].push_back(running);
    give_way();
  }
  return warp.published[source % kWarp];
}

// The body of a fiber, which runs thread after thread until one has to wait.
void body() {
  while (started < threads) {
    running->thread = started++;
    select(running);
    kernel->run(arguments);
    const unsigned index = running->thread / kWarp;
    --live;
    --live_of[index];
    if (barrier_complete()) resume_all(at_barrier);
    if (warps[index].waiting > 0 && warps[index].waiting == live_of[index])
      complete_exchange(index);
  }
  idle.push_back(running);
  _longjmp(scheduler, 1);
}

Fiber* next_fiber() {
  if (!ready.empty()) {
    Fiber* fiber = ready.back();
    ready.pop_back();
    return fiber;
  }
  if (started == threads) return nullptr;
  if (idle.empty()) {
    fibers.push_back(std::make_unique<Fiber>());
    idle.push_back(fibers.back().get());
  }
  Fiber* fiber = idle.back();
  idle.pop_back();
  fiber->entered = false;
  return fiber;
}

void enter(Fiber* fiber) {
  running = fiber;
  if (fiber->entered) {
    select(fiber);
    _longjmp(fiber->at, 1);
  }
  fiber->entered = true;
  getcontext(&fiber->entry);
  fiber->entry.uc_stack.ss_sp = fiber->stack;
  fiber->entry.uc_stack.ss_size = kStackBytes;
  fiber->entry.uc_link = nullptr;
  makecontext(&fiber->entry, body, 0);
  setcontext(&fiber->entry);
}

void clear() {
  idle.clear();
  for (auto& fiber : fibers) idle.push_back(fiber.get());
  ready.clear();
  at_barrier.clear();
  for (auto& waiting : at_exchange) waiting.clear();
  for (Warp& warp : warps) warp.waiting = 0;
}

Status run_block() {
  started = 0;
  live = threads;
  for (unsigned w = 0; w < kWarp; ++w)
    live_of[w] = threads <= w * kWarp          ? 0
                 : threads - w * kWarp < kWarp ? threads - w * kWarp
                                               : kWarp;
  _setjmp(scheduler);
  if (Fiber* fiber = next_fiber()) enter(fiber);
  return live == 0 ? kSuccess : kLaunchFailed;
}

void on_fault(int number, siginfo_t* info, void* context) {
  if (in_grid) siglongjmp(fault, 1);
  // A fault of the host's own code goes to the handler that was there before.
  const struct sigaction& own = before[number == SIGBUS];
  if (own.sa_flags & SA_SIGINFO) return own.sa_sigaction(number, info, context);
  if (own.sa_handler != SIG_DFL && own.sa_handler != SIG_IGN) return own.sa_handler(number);
  signal(number, SIG_DFL);
}

}  // namespace

ThreadState* thread_state() {
  state.barrier = barrier;
  state.exchange = exchange;
  return &state;
}

Status run_grid(const HostKernel& wanted, void** given, const Index3& grid, const Index3& block,
                size_t shared_bytes) {
  kernel = &wanted;
  arguments = given;
  threads = block.x * block.y * block.z;
  state.grid_size = grid;
  state.block_size = block;
  std::vector<std::max_align_t> shared(shared_bytes / sizeof(std::max_align_t) + 1);
  state.shared = reinterpret_cast<unsigned char*>(shared.data());
  struct sigaction action = {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, &before[0]);
  sigaction(SIGBUS, &action, &before[1]);
  volatile Status status = kSuccess;
  in_grid = true;
  if (sigsetjmp(fault, 1) == 0) {
    for (unsigned z = 0; z < grid.z && status == kSuccess; ++z)
      for (unsigned y = 0; y < grid.y && status == kSuccess; ++y)
        for (unsigned x = 0; x < grid.x && status == kSuccess; ++x) {
          state.block = {x, y, z};
          std::memset(state.shared, kFresh, shared_bytes);
          status = run_block();
        }
  } else {
    status = kIllegalAddress;
  }
  in_grid = false;
  sigaction(SIGSEGV, &before[0], nullptr);
  sigaction(SIGBUS, &before[1], nullptr);
  if (status != kSuccess) clear();
  return status;
}

}  // namespace model
