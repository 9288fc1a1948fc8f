// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/driver/cufft_library.hpp"

#include <string>

#include "core/error.hpp"

namespace gpuarray {
namespace {

std::string ask_version(const Cufft& table, const FunctionFinder&, LibraryVersion& version) {
  int* const parts[] = {&version.major, &version.minor, &version.patch};
  for (int k = 0; k < 3; ++k)
    if (table.cufftGetProperty(k, parts[k]) != kCufftSuccess) return "it tells no version";
  return "";
}

}  // namespace

LoadedLibrary<Cufft>& cufft_library =
    *new LoadedLibrary<Cufft>({.title = "cuFFT",
                               .role = "library of Fourier transforms",
                               .stem = "libcufft",
                               .major_of_13 = 12,
                               .major_of_12 = 11,
                               .folder_of_12 = "cufft"},
                              ask_version);

namespace {

// Returns the name of a status: "CUFFT_INVALID_SIZE". cuFFT has no function for this.
const char* status_name(CufftStatus status) {
  switch (status) {
    case 1:
      return "CUFFT_INVALID_PLAN";
    case kCufftAllocFailed:
      return "CUFFT_ALLOC_FAILED";
    case 3:
      return "CUFFT_INVALID_TYPE";
    case 4:
      return "CUFFT_INVALID_VALUE";
    case 5:
      return "CUFFT_INTERNAL_ERROR";
    case 6:
      return "CUFFT_EXEC_FAILED";
    case 7:
      return "CUFFT_SETUP_FAILED";
    case 8:
      return "CUFFT_INVALID_SIZE";
    case 9:
      return "CUFFT_UNALIGNED_DATA";
    case 11:
      return "CUFFT_INVALID_DEVICE";
    case 13:
      return "CUFFT_NO_WORKSPACE";
    case 14:
      return "CUFFT_NOT_IMPLEMENTED";
    case 16:
      return "CUFFT_NOT_SUPPORTED";
    case 17:
      return "CUFFT_MISSING_DEPENDENCY";
    case 18:
      return "CUFFT_NVRTC_FAILURE";
    case 19:
      return "CUFFT_NVJITLINK_FAILURE";
    default:
      return "an unknown status";
  }
}

}  // namespace

void check_cufft(CufftStatus status, const char* call) {
  if (status == kCufftSuccess) [[likely]]
    return;
  const std::string name = status_name(status);
  const std::string text = std::string(call) + ": " + name;
  if (status == kCufftAllocFailed) throw OutOfMemory(text);
  throw CudaError(text, status, name);
}

}  // namespace gpuarray
