// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstddef>
#include <cstdint>

// The part of cuda.h that the test driver models. Types have the width of those of cuda.h.
namespace model {

using Status = int;
using Address = unsigned long long;
using Handle = uintptr_t;

inline constexpr Status kSuccess = 0, kInvalidValue = 1, kOutOfMemory = 2, kInvalidDevice = 101,
                        kInvalidImage = 200, kInvalidContext = 201, kPeerUnsupported = 217,
                        kInvalidHandle = 400, kIllegalState = 401, kNotFound = 500, kNotReady = 600,
                        kIllegalAddress = 700, kPeerEnabled = 704, kPeerNotEnabled = 705,
                        kAlreadyRegistered = 712, kNotRegistered = 713, kLaunchFailed = 719,
                        kNotPermitted = 800, kNotSupported = 801, kCaptureUnsupported = 900,
                        kCaptureInvalidated = 901, kCaptureMerge = 902, kCaptureUnmatched = 903,
                        kCaptureUnjoined = 904, kCaptureIsolation = 905, kCaptureImplicit = 906,
                        kCapturedEvent = 907, kCaptureWrongThread = 908, kUpdateFailure = 910;

enum class Mode { fast, late, random };

}  // namespace model
