// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>
#include <string_view>

namespace gpuarray {

// The kinds of device code. The values are those of nvJitLink's input types.
enum class ImageKind { kSource = 0, kCubin, kPtx, kLtoIr, kFatbin, kObject, kArchive };

// Returns the kind's name: "CUDA C++", "cubin", "PTX" ...
const char* image_kind_name(ImageKind kind);

// Finds the kind by the content alone; text that is not PTX is taken for CUDA C++. Throws
// ValueError, with `name`, for binary content of another kind and for an ELF file that is cut
// short.
ImageKind image_kind(std::string_view content, const std::string& name);

// Returns whether a driver can load the content as it is, on a device that it has code for.
// Objects, and a fatbin that has only LTO-IR, have to be linked first.
bool is_loadable(std::string_view content, ImageKind kind);

// Returns the compute capability of a cubin, such as 90; 0 for other kinds.
int cubin_architecture(std::string_view content);

}  // namespace gpuarray
