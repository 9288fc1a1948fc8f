// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>
#include <string_view>

namespace gpuarray {

// What device code comes as. The values are those of nvJitLink's input types.
enum class ImageKind { kSource = 0, kCubin, kPtx, kLtoIr, kFatbin, kObject, kArchive };

// "CUDA C++", "cubin", "PTX" ...
const char* image_kind_name(ImageKind kind);

// The kind by the content alone; text that is not PTX is CUDA C++. Throws ValueError for binary
// content of another kind, and for an ELF file that is cut short; `name` is for the message.
ImageKind image_kind(std::string_view content, const std::string& name);

// Whether a driver loads it as it is, for a device that it has code for. A fatbin of LTO-IR alone
// is to be linked, as objects are.
bool is_loadable(std::string_view content, ImageKind kind);

// The compute capability that a cubin is for, as in 90; 0 for other kinds.
int cubin_architecture(std::string_view content);

}  // namespace gpuarray
