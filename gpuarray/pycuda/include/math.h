// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers

// NVRTC knows the functions.
#ifdef __CUDACC_RTC__
#define HUGE_VAL __longlong_as_double(0x7ff0000000000000ll)
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fffffff)
#define M_E 2.718281828459045
#define M_LN2 0.6931471805599453
#define M_LN10 2.302585092994046
#define M_PI 3.141592653589793
#define M_PI_2 1.5707963267948966
#define M_PI_4 0.7853981633974483
#define M_SQRT2 1.4142135623730951
#define M_SQRT1_2 0.7071067811865476
#else
#include_next <math.h>
#endif
