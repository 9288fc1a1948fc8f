// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Stands for libcufft (GPUARRAY_LIBCUFFT): checks its arguments as cuFFT does, and launches one
// plain kernel on the test driver. What was asked of it can be read back.
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "dft.hpp"

namespace {

constexpr int kSuccess = 0, kInvalidPlan = 1, kInvalidValue = 4, kExecFailed = 6, kInvalidSize = 8,
              kUnaligned = 9, kNoWorkspace = 13;
constexpr int64_t kBlock = 64;

using Pointer = void*;

struct Plan {
  DftArguments arguments = {};
  int64_t work_bytes = 0;
  Pointer stream = nullptr;
  bool is_made = false, allocates = true;
};

std::mutex mutex;
std::map<int, Plan> plans;
int last_plan = 0;
std::string record;
std::string fail_at;
int fail_status = 0;

// Returns the status that this call shall fail with, once; the caller holds the lock.
int failure(const char* function) {
  if (fail_at != function) return kSuccess;
  fail_at.clear();
  return fail_status;
}

// Calls a function of the test driver, by the name that the package asks for.
template <class... Arguments>
int call(const char* name, Arguments... arguments) {
  static void* const driver = dlopen(std::getenv("GPUARRAY_LIBCUDA"), RTLD_NOW);
  using Find = int (*)(const char*, void**, int, uint64_t, int*);
  const auto find = reinterpret_cast<Find>(dlsym(driver, "cuGetProcAddress_v2"));
  void* address = nullptr;
  int found = 0;
  if (find(name, &address, 12000, 0, &found) != 0 || address == nullptr) return kExecFailed;
  return reinterpret_cast<int (*)(Arguments...)>(address)(arguments...);
}

Pointer kernel() {
  static const Pointer found = [] {
    const void* image = "gpuarray test driver: stub_dft";
    Pointer library = nullptr, kernel = nullptr;
    call("cuLibraryLoadData", &library, image, static_cast<void*>(nullptr),
         static_cast<void**>(nullptr), 0u, static_cast<void*>(nullptr),
         static_cast<void**>(nullptr), 0u);
    call("cuLibraryGetKernel", &kernel, library, "stub_dft");
    return kernel;
  }();
  return found;
}

// Fills the steps of a side, whose extents are set; returns whether the layout is one.
bool lay_out(DftSide& side, int64_t rank, const long long* embed, int64_t stride,
             int64_t distance) {
  if (stride < 1 || distance < 1) return false;
  int64_t step = embed == nullptr ? 1 : stride, all = 1;
  for (int64_t axis = rank - 1; axis >= 0; --axis) {
    side.steps[axis] = step;
    if (embed != nullptr && axis > 0 && embed[axis] < side.extents[axis]) return false;
    step *= embed == nullptr ? side.extents[axis] : embed[axis];
    all *= side.extents[axis];
  }
  side.distance = embed == nullptr ? all : distance;
  return true;
}

void note_side(const DftSide& side, int64_t rank) {
  for (int64_t axis = 0; axis < rank; ++axis) record += " " + std::to_string(side.steps[axis]);
  record += " " + std::to_string(side.distance);
}

// Notes a plan as "plan <type> <rank> <lengths> <input: steps, distance> <output> <batch>".
void note_plan(const Plan& plan, const char* type) {
  const DftArguments& p = plan.arguments;
  record += std::string("plan ") + type + " " + std::to_string(p.rank);
  for (int64_t axis = 0; axis < p.rank; ++axis) record += " " + std::to_string(p.lengths[axis]);
  note_side(p.input, p.rank);
  note_side(p.output, p.rank);
  record += " " + std::to_string(p.batch) + "\n";
}

const char* type_name(const DftArguments& p) {
  if (p.input.is_complex == 0) return p.is_double != 0 ? "D2Z" : "R2C";
  if (p.output.is_complex == 0) return p.is_double != 0 ? "Z2D" : "C2R";
  return p.is_double != 0 ? "Z2Z" : "C2C";
}

bool has_same_layout(const DftArguments& p) {
  return std::memcmp(p.input.steps, p.output.steps, sizeof p.input.steps) == 0 &&
         p.input.distance == p.output.distance && p.input.is_complex == p.output.is_complex;
}

Plan* find(int handle) {
  const auto found = plans.find(handle);
  return found == plans.end() ? nullptr : &found->second;
}

}  // namespace

extern "C" {

// Returns plans and executions since the last call, a line each. The text is valid until the next
// call.
const char* stub_fft_take_record() {
  static std::string taken;
  std::lock_guard lock(mutex);
  taken = std::exchange(record, "");
  return taken.c_str();
}
// Returns the number of plans that exist.
int stub_fft_plans() {
  std::lock_guard lock(mutex);
  return static_cast<int>(plans.size());
}
// Makes the next call of the function fail with this status.
void stub_fft_fail(const char* function, int status) {
  std::lock_guard lock(mutex);
  fail_at = function;
  fail_status = status;
}

int cufftGetProperty(int part, int* value) {
  *value = part == 0 ? 12 : 0;
  return kSuccess;
}
int cufftCreate(int* handle) {
  std::lock_guard lock(mutex);
  if (const int status = failure("cufftCreate"); status != kSuccess) return status;
  *handle = ++last_plan;
  plans.emplace(*handle, Plan());
  return kSuccess;
}
int cufftDestroy(int handle) {
  std::lock_guard lock(mutex);
  return plans.erase(handle) > 0 ? kSuccess : kInvalidPlan;
}
int cufftSetAutoAllocation(int handle, int allocates) {
  std::lock_guard lock(mutex);
  Plan* const plan = find(handle);
  if (plan == nullptr || plan->is_made) return kInvalidPlan;
  plan->allocates = allocates != 0;
  return kSuccess;
}
int cufftSetStream(int handle, Pointer stream) {
  std::lock_guard lock(mutex);
  Plan* const plan = find(handle);
  if (plan == nullptr) return kInvalidPlan;
  plan->stream = stream;
  return kSuccess;
}
int cufftSetWorkArea(int handle, Pointer area) {
  std::lock_guard lock(mutex);
  Plan* const plan = find(handle);
  if (plan == nullptr) return kInvalidPlan;
  plan->arguments.workspace = static_cast<double*>(area);
  return kSuccess;
}
int cufftXtMakePlanMany(int handle, int rank, long long* lengths, long long* inembed,
                        long long istride, long long idist, int input_type, long long* onembed,
                        long long ostride, long long odist, int output_type, long long batch,
                        size_t* work_bytes, int type) {
  std::lock_guard lock(mutex);
  if (const int status = failure("cufftXtMakePlanMany"); status != kSuccess) return status;
  Plan* const plan = find(handle);
  if (plan == nullptr || plan->is_made || plan->allocates) return kInvalidPlan;
  if (rank < 1 || rank > 3 || batch < 1) return kInvalidSize;
  if ((inembed == nullptr) != (onembed == nullptr)) return kInvalidValue;
  DftArguments& p = plan->arguments;
  p.rank = rank;
  p.batch = batch;
  p.is_double = type == 5;
  p.input.is_complex = input_type >= 4;
  p.output.is_complex = output_type >= 4;
  if (type != 4 && type != 5) return kInvalidValue;
  if (input_type != type && input_type != type - 4) return kInvalidValue;
  if (output_type != type && output_type != type - 4) return kInvalidValue;
  if (p.input.is_complex == 0 && p.output.is_complex == 0) return kInvalidValue;
  for (int axis = 0; axis < rank; ++axis) {
    if (lengths[axis] < 1) return kInvalidSize;
    p.lengths[axis] = p.input.extents[axis] = p.output.extents[axis] = lengths[axis];
  }
  if (p.input.is_complex != p.output.is_complex)
    (p.input.is_complex != 0 ? p.input : p.output).extents[rank - 1] = lengths[rank - 1] / 2 + 1;
  if (!lay_out(p.input, rank, inembed, istride, idist) ||
      !lay_out(p.output, rank, onembed, ostride, odist))
    return kInvalidValue;
  p.workspace_elements = 1;
  for (int axis = 0; axis < rank; ++axis) p.workspace_elements *= lengths[axis] + 1;
  plan->work_bytes = 2 * 16 * p.workspace_elements * batch;
  *work_bytes = static_cast<size_t>(plan->work_bytes);
  plan->is_made = true;
  note_plan(*plan, type_name(p));
  return kSuccess;
}

int cufftXtExec(int handle, Pointer input, Pointer output, int direction) {
  std::unique_lock lock(mutex);
  if (const int status = failure("cufftXtExec"); status != kSuccess) return status;
  Plan* const plan = find(handle);
  if (plan == nullptr || !plan->is_made) return kInvalidPlan;
  DftArguments p = plan->arguments;
  const uintptr_t bytes = p.is_double != 0 ? 16 : 8;
  if (reinterpret_cast<uintptr_t>(input) % bytes != 0 ||
      reinterpret_cast<uintptr_t>(output) % bytes != 0)
    return kUnaligned;
  if (input == output && !has_same_layout(p)) return kInvalidValue;
  if (p.workspace == nullptr) return kNoWorkspace;
  p.input.data = static_cast<char*>(input);
  p.output.data = static_cast<char*>(output);
  p.forward = direction == -1;
  if (p.input.is_complex == 0) p.forward = 1;
  if (p.output.is_complex == 0) p.forward = 0;
  record += "exec " + std::to_string(reinterpret_cast<uintptr_t>(input)) + " " +
            std::to_string(reinterpret_cast<uintptr_t>(output)) + " " + std::to_string(direction) +
            "\n";
  const Pointer stream = plan->stream;
  lock.unlock();
  void* arguments[] = {&p};
  const int status =
      call("cuLaunchKernel", kernel(), static_cast<unsigned>((p.batch + kBlock - 1) / kBlock), 1u,
           1u, static_cast<unsigned>(kBlock), 1u, 1u, 0u, stream, static_cast<void**>(arguments),
           static_cast<void**>(nullptr));
  return status == 0 ? kSuccess : kExecFailed;
}
}
