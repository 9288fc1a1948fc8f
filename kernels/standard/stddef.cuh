// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#ifndef offsetof
#define offsetof(type, member) ((size_t)&((type*)0)->member)
#endif

namespace std {
using ::ptrdiff_t;
using ::size_t;
using nullptr_t = decltype(nullptr);
}  // namespace std
