// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "array/array.hpp"
#include "backend/index_map.hpp"
#include "core/host_bytes.hpp"
#include "core/op.hpp"

// Operations on arrays. Each queues its work on the current stream of the operands' device and does
// not wait for it, unless its contract says so; the cpu device has done the work on return. Each
// may throw ShapeError, TypeError, DeviceError (operands on different devices, or a kernel that
// neither the build nor a compiler has), ReadOnlyError, OutOfMemory and CudaError; errors of the
// operands are thrown before anything is queued. An operation that takes `out` writes there and
// returns it, if it is not null, and else returns a new array; `out` may overlap the operands.
namespace gpuarray::ops {

// Returns a new, uninitialised array; `order` is 'C' or 'F'. Throws ValueError for too large a
// shape.
Array empty(const Shape& shape, DType dtype, Device device, char order = 'C',
            MemoryKind kind = MemoryKind::device);
// Returns a new, uninitialised array of `shape` on the device of `like`. `order` is NumPy's 'C',
// 'F', 'A' or 'K', which refer to the layout of `like`.
Array empty_like(const Array& like, const Shape& shape, DType dtype, char order);
// Returns the same of the array's shape, for the result of an element-wise operation: where that
// waits, it gets its memory when the operation runs.
Array result_like(const Array& like, DType dtype, char order);

// Returns the dtype to which NumPy promotes the operands: first arrays and typed scalars, then weak
// scalars. Takes at most kMaxOperands operands.
DType result_dtype(std::span<const Operand> operands);

// Returns the dtypes of the operation's loop and result for these operands; `dtype` as in
// elementwise(). Throws TypeError if the operation has no such loop.
LoopTypes loop_types(Op op, std::span<const Operand> operands,
                     std::optional<DType> dtype = std::nullopt);

// Applies an operation to broadcast operands, with 'same_kind' casting into `out`. `dtype` chooses
// the loop, as NumPy's argument dtype does. Waits for the device if integers are raised to signed
// powers of an array, and throws ValueError if one of those is negative.
Array elementwise(Op op, std::span<const Operand> operands, const Array* out = nullptr,
                  std::optional<DType> dtype = std::nullopt);

// Writes to the target what `op` computes in the dtype `loop`, or without an op the operand in that
// dtype, which is the target's. The operation may wait for others. An operand is the target itself
// or does not overlap it.
void compute(std::optional<Op> op, DType loop, const Array& target,
             std::span<const Operand> operands);

// An exponent whose powers another operation computes, if one exponent serves all elements of a
// loop of inexact numbers. NumPy's loops of float32 and float64 know the
// same exponents.
struct Power {
  double exponent;
  Op op;
};
inline constexpr Power kPowers[] = {
    {2, Op::square}, {0.5, Op::sqrt}, {-1, Op::reciprocal}, {1, Op::positive}};

// Does target[...] = source with broadcasting and a cast of any kind ('unsafe', as NumPy's
// assignment). `source` may overlap the target.
void assign(const Array& target, const Operand& source);
// Returns a new array of the same elements; `order` is that of NumPy's copy.
Array copy(const Array& source, char order = 'C');
// Returns an array of no dimensions as a value. It is copied, on the current stream, where it
// cannot be read from its memory until that is written.
Array value_of(const Array& element);
// Returns a new array of the elements converted to `dtype`, even if that is the source's own.
Array astype(const Array& source, DType dtype, char order = 'K');

// Reduces over `axes`, which are normalized and without repeats. `dtype` chooses the loop of sums
// and averages; by default it follows from the table of reductions. var and std divide by the
// number of elements less `correction`. Throws ValueError if there are no elements and the
// reduction has no identity.
Array reduce(Reduction reduction, const Array& source, std::span<const int> axes, bool keepdims,
             std::optional<DType> dtype = std::nullopt, const Array* out = nullptr,
             double correction = 0);
// Reduces over all axes to a 0-d array.
Array reduce_all(Reduction reduction, const Array& source);
// Returns the int64 positions of argmin or argmax along one axis, or among all elements in C order
// if `axis` is nullopt. Throws ValueError if there are no elements.
Array arg_reduce(Reduction reduction, const Array& source, std::optional<int> axis, bool keepdims,
                 const Array* out = nullptr);

// Returns the dtype in which accumulate() computes. Throws what accumulate() throws for `out`.
DType scan_dtype(Scan scan, const Array& source, std::optional<int> axis,
                 std::optional<DType> dtype, const Array* out);

// Computes out[i] = source[0] op ... op source[i] along the axis, or over all elements in C order
// if `axis` is nullopt. `dtype` is the loop's; by default it is promoted from those of `out` and
// the source, or NumPy's if there is no `out`.
Array accumulate(Scan scan, const Array& source, std::optional<int> axis,
                 std::optional<DType> dtype = std::nullopt, const Array* out = nullptr);

// Returns a new array of the elements sorted along the axis. NaN comes last, or first if
// `descending`. Where `kth` is given only those positions need to be as sorted: SortPlan says how.
Array sort(const Array& source, int axis, bool descending, const Dims* kth = nullptr);
// Returns the int64 positions that sort along the axis in that order. Positions of equal elements
// keep their order if `stable`.
Array argsort(const Array& source, int axis, bool descending, bool stable = true,
              const Dims* kth = nullptr);
// The chosen elements of an array along an axis, best first, and their int64 positions there.
struct BestElements {
  Array values;
  Array positions;
};
// Returns the elements of a 1-d array in ascending order, and their positions as argsort gives
// them.
BestElements sort_with_order(const Array& source, bool stable);
// Returns the first `count` elements that a stable argsort along the axis would put first, or
// nullopt, with nothing queued, where the device would be no faster by it than by that sort.
std::optional<BestElements> select_rows(const Array& source, int axis, int64_t count,
                                        bool descending);
// Returns the int64 positions that sort along the axis by the last of the keys, then by the one
// before it, and so on. There is at least one key, and all have one shape. Equal elements keep
// their order.
Array lexsort(std::span<const Array> keys, int axis);

// Returns how many elements of the 1-d array `sorted` come before the place of each query, which is
// behind equal elements if `right`. `sorter` holds the int64 positions that sort `sorted`, or is
// null. Backend::search says what happens if one of those is out of bounds.
Array search_sorted(const Array& sorted, const Array& queries, const Array* sorter, bool right);
// Returns the number of elements in each bin as int64, or the sum of their weights as float64.
// `edges` holds the bins + 1 edges, which are equally spaced if `even`; if it is null, the elements
// are integers that number their bins.
Array histogram(const Array& source, int64_t bins, const Array* edges, const Array* weights,
                bool even);

// Returns a new 1-d array of start + i * step for each i below `length`, computed in `dtype`, of
// which the last element is `last` if there is one.
Array arange(int64_t length, const Scalar& start, const Scalar& step,
             const std::optional<Scalar>& last, DType dtype, Device device);

// The factors of alpha * (a @ b) + beta * out. A `beta` that is not 0 needs `out`; neither factor
// may have a higher kind than the result, as a complex one for a float result.
struct MatmulScale {
  Scalar alpha = Scalar::weak_int(1);
  Scalar beta = Scalar::weak_int(0);
};

// Computes NumPy's matmul of 1-d, 2-d and batched operands, with the factors of `scale` if it is
// not null. Throws ValueError for a `beta` without `out`.
Array matmul(const Array& a, const Array& b, const Array* out = nullptr,
             const MatmulScale* scale = nullptr);

// Returns the sum of conj(a) * b over two vectors of one length. Errors name `what`.
Array vdot(const char* what, const Array& a, const Array& b);

// Returns the parts, one or more, side by side along `axis`: a new array of `dtype`, by default the
// promoted one, or `out`, which they may overlap and to whose dtype they are cast whatever it is.
Array concatenate(std::span<const Array> parts, int axis, const Array* out,
                  std::optional<DType> dtype);

// Returns a new array of the elements of one triangle of each matrix in the last two axes, and
// zeros beside it: those on diagonal `offset` and below it, or if `upper` those above it. Returns
// nullopt, with nothing queued, where the device has no kernel for such arrays.
std::optional<Array> triangle(const Array& source, int64_t offset, bool upper);

// Returns a copy in which element i along an axis of n elements lies at (i + shifts[axis]) mod n.
Array roll(const Array& source, const Dims& shifts);

// Returns a new array of what the pieces of each axis read, and of `fill` in holes. `name` is that
// of the operation, which is kept. 'K' is an order of copies of the same shape.
Array read_pieces(const Array& source, const char* name, std::span<const AxisPieces> axes,
                  char order, const std::optional<Scalar>& fill = std::nullopt);

// Returns what concatenate() does of a few parts of one dtype, none of them empty, if they are
// views of one array which differ along the axis alone, or else if it is recorded; nullopt for all
// others, and where nothing may wait.
std::optional<Array> rejoin(std::span<const Array> parts, int axis);

// Returns a copy on `device`, in C order. Copying to the cpu device waits; copying between two CUDA
// devices queues on the current stream of `device`. Throws CaptureError if that has to wait, or
// leaves the device, while the stream captures.
Array to_device(const Array& source, Device device);

// Copies the elements in `order` ('C' or 'F') into all of `target`, which holds source.nbytes()
// bytes, and waits for them. Without `blocking` it does not wait for a copy into page-locked
// memory, which must then stay allocated until the stream was synchronised, and is valid only
// afterwards. Throws CaptureError while the stream captures.
void copy_to_host(const Array& source, const HostBytes& target, char order, bool blocking);
// Copies all of `source`, as elements in C order, into the target. The source may be reused on
// return; without `blocking`, page-locked memory may be reused only after the stream was
// synchronised.
void copy_from_host(const Array& target, const HostBytes& source, bool blocking = true);
// Waits until all pending work on the array is done, so that the host may use its memory if the
// memory is visible to the host.
void wait_on_host(const Array& array);

}  // namespace gpuarray::ops
