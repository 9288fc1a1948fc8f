// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "array/array.hpp"
#include "core/host_bytes.hpp"
#include "core/op.hpp"

// Operations on arrays. All run on the current stream of the operands' device, asynchronously, and
// throw shape, dtype, device and read-only errors before anything is queued.
namespace gpuarray::ops {

// Uninitialised; `order` is 'C' or 'F'.
Array empty(const Shape& shape, DType dtype, Device device, char order = 'C',
            MemoryKind kind = MemoryKind::device);
// Uninitialised, of `shape` and laid out as `like`: order 'C', 'F', 'A' or 'K' as NumPy's.
Array empty_like(const Array& like, const Shape& shape, DType dtype, char order);

// The dtype that NumPy would compute in: promotion over arrays and typed scalars, then weak
// scalars.
DType result_dtype(std::span<const Operand> operands);

// The loop of an operation over these operands, and its result; `dtype` as in elementwise.
LoopTypes loop_types(Op op, std::span<const Operand> operands,
                     std::optional<DType> dtype = std::nullopt);

// One operation of the table over broadcast operands. With `out`, writes there (same_kind casting)
// and returns it; operands may overlap it. `dtype` asks for a loop, as NumPy's dtype= argument.
Array elementwise(Op op, std::span<const Operand> operands, const Array* out = nullptr,
                  std::optional<DType> dtype = std::nullopt);

// target[...] = source with broadcasting and a cast of any kind ('unsafe', as NumPy's assignment).
void assign(const Array& target, const Operand& source);
// New array with the same elements; order as NumPy's copy.
Array copy(const Array& source, char order = 'C');
Array astype(const Array& source, DType dtype, char order = 'K');

// Over `axes` (normalized, no repeats); `dtype` is for sums and averages, else as the table says.
// `correction` is what var and std take from the number of elements that they divide by.
Array reduce(Reduction reduction, const Array& source, std::span<const int> axes, bool keepdims,
             std::optional<DType> dtype = std::nullopt, const Array* out = nullptr,
             double correction = 0);
// Over all axes, to 0-d.
Array reduce_all(Reduction reduction, const Array& source);
// argmin / argmax over one axis; over all elements in C order with nullopt.
Array arg_reduce(Reduction reduction, const Array& source, std::optional<int> axis, bool keepdims,
                 const Array* out = nullptr);

// out[i] = source[0] op ... op source[i] along the axis, over all elements in C order with nullopt;
// `dtype` is the loop's, by default that of `out` joined with the source's, else as NumPy's.
Array accumulate(Scan scan, const Array& source, std::optional<int> axis,
                 std::optional<DType> dtype = std::nullopt, const Array* out = nullptr);

// The elements sorted along the axis, and where each comes from, as int64. NaN is last, or first if
// `descending`; positions of equal elements keep their order if `stable`.
Array sort(const Array& source, int axis, bool descending);
Array argsort(const Array& source, int axis, bool descending, bool stable = true);
// The int64 positions that sort along the axis by the last of the keys, then by those before it;
// the keys are of one shape. Equal elements keep their order.
Array lexsort(std::span<const Array> keys, int axis);

// How many elements of the 1-d `sorted` come before each query's place, which is after equal ones
// if `right`; `sorter` holds the int64 positions that sort it, or is null. For a position that is
// out of bounds see Backend::search.
Array search_sorted(const Array& sorted, const Array& queries, const Array* sorter, bool right);
// The elements of `source` in each bin, or the sum of their float64 weights.
// `edges` are float64, bins + 1 of them; without them the elements, integers, are the bins'
// numbers.
Array histogram(const Array& source, int64_t bins, const Array* edges, const Array* weights,
                bool even);

// out[i] = start + i * step over a new 1-d array, computed in `dtype`.
Array arange(int64_t length, const Scalar& start, const Scalar& step, DType dtype, Device device);

// Factors of a product: alpha * (a @ b) + beta * out. The latter needs `out`; neither may be of a
// higher kind than the result.
struct MatmulScale {
  Scalar alpha = Scalar::weak_int(1);
  Scalar beta = Scalar::weak_int(0);
};

// NumPy's matmul of 1-d, 2-d and batched operands; `out` may overlap them.
Array matmul(const Array& a, const Array& b, const Array* out = nullptr,
             const MatmulScale* scale = nullptr);

// Writes the parts into `target` side by side along `axis`, which the caller has sized: contiguous
// ones of its dtype by one launch, the others one by one.
void join(const Array& target, std::span<const Array> parts, int axis);

// Copies to another device (or the same); C order.
Array to_device(const Array& source, Device device);

// Into all of `target`, of `source.nbytes()` bytes, whose packed order is the source's elements in
// `order`. Without `blocking`, page-locked memory is valid only after the stream is synchronised.
void copy_to_host(const Array& source, const HostBytes& target, char order, bool blocking);
// From all of `source`, the target's elements in C order; it may be reused on return. Without
// `blocking`, page-locked memory only after the stream is synchronised.
void copy_from_host(const Array& target, const HostBytes& source, bool blocking = true);
// Blocks until the host may read and write the array's memory, where it sees it.
void wait_on_host(const Array& array);

}  // namespace gpuarray::ops
