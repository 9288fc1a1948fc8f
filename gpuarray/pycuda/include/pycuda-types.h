// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

// The C library declares these for sources that nvcc compiles.
typedef unsigned int uint;
typedef unsigned short ushort;
typedef unsigned long ulong;
