// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

// No other file includes Python.h.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>
