// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

namespace std {
using ::printf;
using ::size_t;
}  // namespace std
