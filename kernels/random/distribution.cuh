// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The draws of distributions.def, for the loop of the host and the kernel.
#pragma once

#include "kernels/random/distribution_orders.cuh"
#include "kernels/random/distribution_params.hpp"
#include "kernels/random/distribution_rows.cuh"

namespace gpuarray::random {

// Convert what a distribution draws to what results hold.
GPUARRAY_HD void store(double drawn, double& element) { element = drawn; }
GPUARRAY_HD void store(double drawn, float& element) { element = float(drawn); }
GPUARRAY_HD void store(double drawn, int64_t& element) { element = to_integer(drawn); }

// Each distribution is a type name##_draw, whose make<T>() writes draw i to elements of type T.
#define GPUARRAY_ARGUMENTS_1 p.parameters[0].at(i)
#define GPUARRAY_ARGUMENTS_2 GPUARRAY_ARGUMENTS_1, p.parameters[1].at(i)
#define GPUARRAY_ARGUMENTS_3 GPUARRAY_ARGUMENTS_2, p.parameters[2].at(i)
#define GPUARRAY_REAL(name, count)                                                           \
  struct name##_draw {                                                                       \
    template <class T>                                                                       \
    GPUARRAY_HD static void make(const DistributionParams& p, uint64_t key, int64_t i) {     \
      Source source(key, uint64_t(i));                                                       \
      store(random::name(source, GPUARRAY_ARGUMENTS_##count), static_cast<T*>(p.target)[i]); \
    }                                                                                        \
  };
#define GPUARRAY_WHOLE(name, count) GPUARRAY_REAL(name, count)
#define GPUARRAY_ROWS(name, ...)                                                         \
  struct name##_draw {                                                                   \
    template <class T>                                                                   \
    GPUARRAY_HD static void make(const DistributionParams& p, uint64_t key, int64_t i) { \
      Source source(key, uint64_t(i));                                                   \
      const DistributionParameter& row = p.parameters[1];                                \
      random::name(source, p.parameters[0].at(i), row.data + i * row.step, p.length,     \
                   static_cast<T*>(p.target) + i * p.length);                            \
    }                                                                                    \
  };
#include "kernels/random/distributions.def"
#undef GPUARRAY_ARGUMENTS_1
#undef GPUARRAY_ARGUMENTS_2
#undef GPUARRAY_ARGUMENTS_3

}  // namespace gpuarray::random
