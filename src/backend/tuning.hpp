// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The numbers by which it is predicted what element-wise operations cost on a device, each by
// itself and in one pass (StepsCost in backend/steps.hpp). They name the machine and the date.
// `benchmarks/cost.py` measures groups of operations, prints the times beside the predicted ones,
// and fits these numbers; docs/fusion.md has its table. The numbers that shape launches stand in
// kernels/tuning.hpp.
//
// Both devices have a model of this form; all times are microseconds.
//   work      of a step: elements * the time of its kind of function, and rows * the time of a row
//   traffic   of a step: elements * the bytes that it reads or writes for one * the time of a byte.
//             Operands that repeat along an axis, numbers, and a second view of an array some rows
//             beside the first one move none. In one pass, neither do results that are not
//             stored, nor what an earlier step reads.
//   alone     the sum over the steps of: a launch, and work beside traffic
//   together  a group, for each step its part of the group, and work beside traffic
// On the cpu device work w beside traffic t takes hypot(w, t) in each step, because each hides a
// part of the other. On CUDA devices a launch takes the larger of both, of all steps in one pass.
#pragma once

#include <cstdint>

namespace gpuarray {

// The cpu device: one core of an Intel Xeon (Sapphire Rapids, 2 MiB of second cache), 2026-11, by
// process time. Several threads divide work and traffic alike, so that one core tells which way
// is faster. Functions are measured in float32; others take in proportion to their itemsize.
// A step by itself; a group, also of a single step; a step of a pass; and a block of a step
// (host/steps.cpp).
inline constexpr double kHostLaunch = 0.92;
inline constexpr double kHostGroup = 1.7;
inline constexpr double kHostGroupStep = 0.98;
inline constexpr double kHostBlockStep = 0.017;
// An element of a simple function, of a division or root, and of another function.
inline constexpr double kHostSimple = 4.6e-5;
inline constexpr double kHostDivision = 2.6e-4;
inline constexpr double kHostFunction = 8.6e-4;
// A row of a step whose operands have rows: views, and operands that broadcast.
inline constexpr double kHostRow = 0.02;
// A byte near, in the second cache, and far, beyond it. A pass that touches kHostNearBytes has
// all of them near, one that touches twice as many has all far.
inline constexpr double kHostNearByte = 1.6e-5;
inline constexpr double kHostFarByte = 5.7e-5;
inline constexpr double kHostNearBytes = 1.34e6;
// The same of a pass over blocks, which reads 4 KiB of one array after 4 KiB of another.
inline constexpr double kHostBlockNearByte = 2.4e-5;
inline constexpr double kHostBlockFarByte = 8e-5;
// The part of the time alone that a pass has to save by the prediction, so that it is never slower:
// of 298 groups 14 are chosen that take 4 to 16 % longer without it, two with it, and of what is
// not chosen the mean would save 4 %.
inline constexpr double kHostDoubt = 0.1;
// Operations on fewer bytes of the result are not watched. That takes 0.1 to 0.15 us, which is 4 %
// of an operation on 64 KiB, and 2 % of one on 128 KiB.
inline constexpr int64_t kHostLeastBytes = int64_t{128} << 10;

// CUDA devices. A launch, which takes at least so long; a group beyond that and a step of it, which
// are the host's; a byte; and an element of a function, as above. H200, 2026-11, by wall time, of
// up to 2^23 elements, which its second cache holds in part: a byte of a longer array takes longer.
inline constexpr double kCudaLaunch = 4.9;
inline constexpr double kCudaGroup = 1.2;
inline constexpr double kCudaGroupStep = 0.84;
inline constexpr double kCudaByte = 2.3e-7;
inline constexpr double kCudaSimple = 8.8e-8;
inline constexpr double kCudaDivision = 2.9e-7;
inline constexpr double kCudaFunction = 5.2e-7;
// What a reduction of rows takes in a pass, in the order of its own kernel, as bytes that are moved
// for each element. H200, 2026-11, softmax and RMS norm of 2^24 float32: 28 to 42 us for rows of 4
// to 64 elements, 20 of 256, 12 of 1024 and 4096, 25 of 16384. Where a pass stores an element for
// each row it took 70 us for rows of 64: twice as long.
inline int64_t cuda_row_bytes(int64_t columns) {
  if (columns < 128) return 9;
  if (columns < 512) return 5;
  return columns < 8192 ? 3 : 6;
}
// What a reduction saves that computes what it reduces: half a launch, since something else may
// need the results, too. Not fitted.
inline constexpr double kCudaReduction = kCudaLaunch / 2;

}  // namespace gpuarray
