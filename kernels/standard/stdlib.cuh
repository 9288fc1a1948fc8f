// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

namespace std {
using ::abs;
using ::free;
using ::labs;
using ::llabs;
using ::malloc;
using ::size_t;
}  // namespace std
