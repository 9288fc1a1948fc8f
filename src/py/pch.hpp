// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// As core/pch.hpp, with Python's headers.
#include "core/pch.hpp"
#include "py/binding/python.hpp"
