// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/driver/driver_error.hpp"

#include <cstring>

#include "core/error.hpp"
#include "core/thread_safety.hpp"
#include "runtime/driver/driver.hpp"

namespace gpuarray {

struct DriverEnd {
  std::string text;
  int status = 0;  // status of the call that found the context lost; 0 after fork and at exit
  std::string name;
  std::vector<Launch> launches;
  bool is_fork = false;
};

std::atomic<const DriverEnd*> driver_end = nullptr;

namespace {

Suspects (*suspect_finder)() noexcept = nullptr;
constinit Mutex losing;  // held while the first error that loses the context is kept

// An error after which every call of the driver gives the same error, until the process ends.
struct StickyError {
  int status;
  const char* name;
  const char* meaning;
};
constexpr StickyError kStickyErrors[] = {
    {214, "CUDA_ERROR_ECC_UNCORRECTABLE", "the device found memory that it cannot correct"},
    {220, "CUDA_ERROR_NVLINK_UNCORRECTABLE", "the link to another device failed"},
    {226, "CUDA_ERROR_CONTAINED", "the device contained a failure of its memory"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "a kernel read or wrote memory that is not allocated"},
    {702, "CUDA_ERROR_LAUNCH_TIMEOUT", "a kernel ran longer than the system allows"},
    {710, "CUDA_ERROR_ASSERT", "an assertion in a kernel failed"},
    {714, "CUDA_ERROR_HARDWARE_STACK_ERROR", "a kernel's call stack was corrupted or overflowed"},
    {715, "CUDA_ERROR_ILLEGAL_INSTRUCTION", "a kernel came to an instruction that is none"},
    {716, "CUDA_ERROR_MISALIGNED_ADDRESS", "a kernel used an address that is not aligned"},
    {717, "CUDA_ERROR_INVALID_ADDRESS_SPACE", "a kernel used an address of the wrong kind"},
    {718, "CUDA_ERROR_INVALID_PC", "a kernel jumped out of its code"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "a kernel failed, often at shared memory or a bad pointer"},
    {721, "CUDA_ERROR_TENSOR_MEMORY_LEAK", "a kernel did not give its tensor memory back"},
};

const StickyError* sticky_error(CUresult status) {
  for (const StickyError& error : kStickyErrors)
    if (error.status == static_cast<int>(status)) return &error;
  return nullptr;
}

std::string error_name(const Driver& table, CUresult status) {
  const char* name = nullptr;
  if (table.cuGetErrorName(status, &name) == CUDA_SUCCESS && name != nullptr) return name;
  return "error " + std::to_string(status);
}

std::string suspects_text(const std::vector<Launch>& launches) {
  if (launches.empty()) return "\nNo launch of gpuarray was under way.";
  std::string text = "\nLaunches that may have caused it, newest first:";
  for (const Launch& launch : launches) text += "\n  " + to_string(launch);
  if (launches.size() > 1 || launches[0].file.empty())
    text += "\nGPUARRAY_LAUNCH_BLOCKING=1 finds the one, and its line.";
  return text;
}

std::string lost_text(Device device, const StickyError& error,
                      const std::vector<Launch>& launches) {
  std::string text = "the CUDA context";
  if (!device.is_cpu()) text += " of " + to_string(device);
  text += std::string(" is lost since ") + error.name;
  if (!launches.empty()) text += " in " + short_text(launches[0]);
  if (launches.size() > 1)
    text += " or another of " + std::to_string(launches.size()) + " launches";
  return text + "; restart the process";
}

// Throws the error that lost the context, and keeps the first one for driver() to throw from then
// on.
[[noreturn]] void throw_lost(const StickyError& error, const std::string& call,
                             const std::string& place) {
  const LockGuard lock(losing);
  require_driver();
  const auto [device, launches] = suspect_finder == nullptr ? Suspects{} : suspect_finder();
  const std::string text = call + ": " + error.name + ": " + error.meaning + place +
                           ". The CUDA context is lost: restart the process." +
                           suspects_text(launches);
  driver_end =
      new DriverEnd{lost_text(device, error, launches), error.status, error.name, launches};
  throw CudaError(text, error.status, error.name, launches);
}

}  // namespace

void set_suspect_finder(Suspects (*find)() noexcept) { suspect_finder = find; }

void throw_driver_end() {
  const DriverEnd& end = *driver_end.load();
  if (end.status == 0) throw DeviceError(end.text);
  throw CudaError(end.text, end.status, end.name, end.launches);
}

void require_driver_of_process() {
  const DriverEnd* end = driver_end.load();
  if (end != nullptr && end->is_fork) throw_driver_end();
}

namespace {

// Made when the library is loaded: a child of fork and the end of the process wait for no other
// thread to make them. Never destroyed.
const DriverEnd& end_by_fork = *new DriverEnd{
    "CUDA was initialised before fork; start processes with 'spawn'", 0, "", {}, true};
const DriverEnd& end_by_exit = *new DriverEnd{"the process is ending", 0, "", {}};

}  // namespace

void end_driver_in_child() { driver_end = &end_by_fork; }
void end_driver_at_exit() { driver_end = &end_by_exit; }

std::string error_text(const Driver& table, CUresult status) {
  const char* text = nullptr;
  const std::string name = error_name(table, status);
  if (table.cuGetErrorString(status, &text) != CUDA_SUCCESS || text == nullptr) return name;
  return name + ": " + text;
}

void throw_driver_error(CUresult status, const char* call, const char* file, int line) {
  const char* base = std::strrchr(file, '/');
  const std::string name(call, std::strcspn(call, "("));
  const std::string place =
      std::string(" (") + (base == nullptr ? file : base + 1) + ":" + std::to_string(line) + ")";
  if (const StickyError* error = sticky_error(status)) throw_lost(*error, name, place);
  const Driver& table = driver_state().table;
  const std::string text = name + ": " + error_text(table, status) + place;
  if (status == CUDA_ERROR_OUT_OF_MEMORY) throw OutOfMemory(text);
  if (status >= CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED &&
      status <= CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD)
    throw CaptureError(text);
  throw CudaError(text, static_cast<int>(status), error_name(table, status));
}

}  // namespace gpuarray
