#pragma once
#include "runtime/kernel.hpp"
namespace gpuarray {
inline bool compiler_available() { return false; }
inline void notify_no_device_code(Device) {}
inline KernelHandle compile_kernel(Device, const std::string&, const std::string&) { return {}; }
}
