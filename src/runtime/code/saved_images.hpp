// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <optional>
#include <string>

namespace gpuarray {

// Machine code or PTX that a file of the user's brought, for sources that are compiled in this
// process otherwise. Images are never given back.

// Returns what stands for a source of this version's in such a file.
std::string saved_digest(const std::string& source);
// Keeps the image of a source, given by its digest, for "sm_90" or, if it is PTX, "compute_90", in
// place of one that was kept before. Throws ValueError for another architecture.
void keep_saved_image(const std::string& digest, const std::string& architecture,
                      std::string image);
// Returns the image that suits a device of this compute capability best: machine code for the
// newest of those whose code it runs, else PTX; nullopt if there is none.
std::optional<std::string> saved_image(const std::string& source, int compute_major,
                                       int compute_minor);

}  // namespace gpuarray
