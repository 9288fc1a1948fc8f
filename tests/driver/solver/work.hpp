// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <functional>

// Work that the kernel of the stand-ins runs when the stream comes to it. It is never deleted,
// because a graph may run it again.
using Work = std::function<void()>;
