// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers

#ifdef __CUDACC_RTC__
#define FLT_DIG 6
#define FLT_EPSILON 1.1920928955078125e-07f
#define FLT_MAX 3.4028234663852886e+38f
#define FLT_MIN 1.1754943508222875e-38f
#define DBL_DIG 15
#define DBL_EPSILON 2.220446049250313e-16
#define DBL_MAX 1.7976931348623157e+308
#define DBL_MIN 2.2250738585072014e-308
#else
#include_next <float.h>
#endif
