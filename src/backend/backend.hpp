// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "backend/indexing.hpp"
#include "backend/operand_block.hpp"
#include "backend/sorting.hpp"
#include "core/dims.hpp"
#include "core/dtype.hpp"
#include "core/op.hpp"
#include "core/scalar.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray {

inline constexpr int kMaxOperands = 4;  // one result and up to three operands

// Describes an element-wise operation: operand 0 is written, the others are read. An operand whose
// data is null is a scalar of the loop's dtype. Elements of another dtype than the loop's are
// converted as they are read or written.
struct ElementwisePlan : OperandBlock<kMaxOperands> {
  using OperandBlock::add;
  // Adds a scalar.
  Strides& add(const Scalar& scalar) {
    scalars_[operand_count] = scalar;
    return add(scalar.dtype, nullptr);
  }
  // Returns the bytes of operand k, which is a scalar.
  const unsigned char* scalar(int k) const { return scalars_[k].bytes; }
  const Scalar* scalars() const { return scalars_; }

 private:
  Scalar scalars_[kMaxOperands];
};

// Describes a reduction: for each index of `kept`, all elements over `reduced` become one. The plan
// borrows all memory that it points to.
struct ReducePlan {
  DType source_dtype;  // the reduction converts the elements to the loop's dtype
  Shape kept;
  Shape reduced;
  const void* source = nullptr;  // null where the kernel computes the elements, as for a fold
  Strides kept_strides;          // of the source along `kept`, elements
  Strides reduced_strides;       // of the source along `reduced`, elements
  void* target = nullptr;
  Strides target_strides;               // along `kept`, elements
  double divisor = 1;                   // what averages divide the sum by
  bool root = false;                    // whether a variance becomes a standard deviation
  double correction = 0;                // what a variance subtracts from the number of elements
  const Shape* source_shape = nullptr;  // shown by error messages; must outlive the plan
};

// Describes a scan: the elements along one axis are accumulated, for each index of `kept`. The plan
// borrows all memory that it points to.
struct ScanPlan {
  DType source_dtype;            // the loop's dtype, unless has_direct_scan() allows another
  Shape kept;                    // the other axes, collapsed, the innermost last
  int64_t length = 0;            // elements of the scanned axis
  const void* source = nullptr;  // null where the kernel computes the elements, as for a fold
  int64_t source_step = 0;       // along the scanned axis, elements
  Strides source_strides;        // along `kept`, elements
  void* target = nullptr;        // the source itself, or memory that does not overlap it
  int64_t target_step = 0;       // along the scanned axis, elements
  Strides target_strides;        // along `kept`, elements
  const Shape* source_shape = nullptr;  // shown by error messages; must outlive the plan
};

// Returns whether the product is so small that calling a library takes longer than this project's
// own kernel, which takes any strides.
bool is_small_matmul(int64_t batches, int64_t m, int64_t n, int64_t k);

// Describes a batch of matrix products: target[b, m, n] is the sum over k of
// a[b, m, k] * b[b, k, n]. Strides count elements; those of a matrix are {rows, columns}. The plan
// borrows all memory that it points to.
struct MatmulPlan {
  Shape batch;
  int64_t m = 0, n = 0, k = 0;
  const void* a = nullptr;
  const void* b = nullptr;
  void* target = nullptr;
  Strides a_batch, b_batch, target_batch;
  int64_t a_strides[2] = {}, b_strides[2] = {}, target_strides[2] = {};
  const Shape* target_shape = nullptr;  // shown by error messages; must outlive the plan
  // The dot products of contiguous rows and a contiguous vector, not scaled, so long that CUDA
  // devices have a kernel for them; of conj(a) and b if it `conjugates`.
  bool has_long_dots = false;
  bool conjugates = false;
  // If `scaled`, the target becomes alpha * sum, to which beta * target is added if `accumulates`.
  // Both factors have the dtype compute_dtype(dtype).
  bool scaled = false;
  bool accumulates = false;
  Scalar alpha, beta;
  // What holds the memory, for libraries whose callers may keep it.
  Buffer* a_buffer = nullptr;
  Buffer* b_buffer = nullptr;
  Buffer* target_buffer = nullptr;
};

// Describes a concatenation: each row of a contiguous target is put together from one row of each
// contiguous part. The plan borrows all memory that it points to.
struct JoinPlan {
  struct Part {
    const void* source;
    int64_t offset;  // bytes from the begin of the target's row
    int64_t bytes;   // bytes of one row of the part
  };
  void* target = nullptr;
  DType dtype = DType::uint8;           // shown by error messages, as is the shape
  const Shape* target_shape = nullptr;  // must outlive the plan
  int64_t pitch = 0;                    // bytes of one row of the target
  int64_t rows = 0;
  std::vector<Part> parts;
};

// Describes a copy of one triangle of each matrix, in which the other elements become zero: the
// elements on diagonal `offset` and below it, or if `upper` those above it. Both arrays are
// C-contiguous and have elements. The plan borrows all memory that it points to.
struct TrianglePlan {
  DType dtype;
  const Shape* shape;  // the last two axes are those of the matrices; must outlive the plan
  const void* source;
  void* target;
  int64_t offset;
  bool upper;
};

struct DistributionPlan;
class Expression;
struct ExpressionPlan;
struct RandomPlan;
struct Steps;
struct StepsCost;
struct FftPlan;
enum class FftOutcome : uint8_t;

// Whether a kernel that is compiled in the background is there.
using ReadyFlag = std::shared_ptr<const std::atomic<bool>>;

// Runs plans on one kind of device. Every function queues work on `stream`, whose device holds the
// plan's memory, and does not wait for it; the cpu device has run the work on return. The caller
// keeps the memory open (see BufferAccess) during the call; the plan itself is not kept.
// Each may throw what launching, compiling or allocating throws: CudaError, CompileError,
// DeviceError (there is neither a kernel nor a compiler) and OutOfMemory.
class Backend {
 public:
  virtual ~Backend() = default;
  // Computes operand 0 by `op` in the dtype `loop`. Without an op it converts the elements of
  // operand 1 to those of operand 0, whose dtype `loop` is.
  virtual void elementwise(std::optional<Op> op, DType loop, const ElementwisePlan& plan,
                           const StreamPtr& stream) = 0;
  // Computes the steps in one pass where there is a kernel for it, else one after the other. A
  // result without a target takes memory only while a later step needs it. Returns whether it was
  // one pass.
  virtual bool steps(const Steps& steps, const StreamPtr& stream) = 0;
  // Has the kernel of such a pass compiled in the background. Returns a flag that becomes true once
  // it is there, null if there can be none. Does nothing on the device.
  virtual ReadyFlag prepare(const Steps& steps, Device device) = 0;
  // Returns what the steps cost, launches and the recording included.
  virtual StepsCost cost_of(const Steps& steps) const = 0;
  // Returns whether such a reduction of contiguous rows can be one of the steps, so that steps()
  // gives the bits of reduce().
  virtual bool may_join_rows(Reduction reduction, DType loop, const ReducePlan& plan,
                             Device device) const {
    (void)reduction, (void)loop, (void)plan, (void)device;
    return false;
  }
  // Returns whether one pass over steps that reduce rows of so many elements can hold a row, if the
  // elements of all memory have `bytes` together, the widest one `widest`, and what is reduced
  // `value_bytes`.
  virtual bool may_hold_rows(int64_t columns, int64_t bytes, int widest, int value_bytes) const {
    (void)columns, (void)bytes, (void)widest, (void)value_bytes;
    return false;
  }
  // Returns whether reduce_steps() may succeed for so many elements, now or later.
  virtual bool may_reduce_steps(int64_t size) const {
    (void)size;
    return false;
  }
  // Reduces what the last of the steps computes, which writes nothing, to the bits that reduce()
  // gives. The plan's source is where its result would be, C-contiguous. Returns false, with
  // nothing queued, if there is no kernel for it or it is not compiled yet.
  virtual bool reduce_steps(const Steps& steps, Reduction reduction, DType loop,
                            const ReducePlan& plan, const StreamPtr& stream) {
    (void)steps, (void)reduction, (void)loop, (void)plan, (void)stream;
    return false;
  }
  // Has the kernel of reduce_steps() compiled as prepare() does.
  virtual ReadyFlag prepare_reduction(const Steps& steps, Reduction reduction, DType loop,
                                      const ReducePlan& plan, Device device) {
    (void)steps, (void)reduction, (void)loop, (void)plan, (void)device;
    return nullptr;
  }
  // Reduces in the dtype `loop`.
  virtual void reduce(Reduction reduction, DType loop, const ReducePlan& plan,
                      const StreamPtr& stream) = 0;
  // Accumulates in the dtype `loop`.
  virtual void scan(Scan scan, DType loop, const ScanPlan& plan, const StreamPtr& stream) = 0;
  // Writes start + i * step to data[i], for each i below `length`; the last element becomes `last`
  // unless that is null. All scalars have `dtype`.
  virtual void arange(DType dtype, void* data, int64_t length, const Scalar& start,
                      const Scalar& step, const Scalar* last, const StreamPtr& stream) = 0;
  // Runs the expression over the plan, and compiles it first if need be. Opens the plan's memory
  // itself, once the kernel is compiled, so that no memory waits for a compiler.
  virtual void expression(Expression& expression, ExpressionPlan& plan,
                          const StreamPtr& stream) = 0;
  // Copies the parts of the plan into its target.
  virtual void join(const JoinPlan& plan, const StreamPtr& stream) = 0;
  // Copies triangles. Returns false, with nothing queued, if there is no kernel for the plan.
  virtual bool triangle(const TrianglePlan& plan, const StreamPtr& stream) {
    (void)plan, (void)stream;
    return false;
  }
  // Multiplies matrices of `dtype`.
  virtual void matmul(DType dtype, const MatmulPlan& plan, const StreamPtr& stream) = 0;
  // Copies the indexed elements of the array to the values. The cpu device throws IndexError for an
  // index that is out of bounds; a CUDA device skips its element and reports the first such index
  // at the next wait. This holds for scatter() and combine(), too.
  virtual void gather(const IndexedPlan& plan, const StreamPtr& stream) = 0;
  // Copies the values to the indexed elements of the array. The last of several values for one
  // element stays.
  virtual void scatter(const IndexedPlan& plan, const StreamPtr& stream) = 0;
  // Replaces element by `element op value`, once for each value, also if an index repeats.
  virtual void combine(Op op, const IndexedPlan& plan, const StreamPtr& stream) = 0;
  // Counts the true elements of a contiguous mask and notes where they are: writes all of `found`.
  virtual void count_true(const bool* mask, int64_t size, const MaskFlags& found,
                          const StreamPtr& stream) = 0;
  // Copies the elements where the mask is true to `packed`, in C order.
  virtual void select(const SelectPlan& plan, const StreamPtr& stream) = 0;
  // Copies the elements of `packed` to where the mask is true, in C order.
  virtual void spread(const SelectPlan& plan, const StreamPtr& stream) = 0;
  // Writes the indices of the true elements.
  virtual void nonzero(const NonzeroPlan& plan, const StreamPtr& stream) = 0;
  // Writes the elements of each row in order.
  virtual void sort(const SortPlan& plan, const StreamPtr& stream) = 0;
  // Writes the positions, within its row, that sort each row.
  virtual void argsort(const SortPlan& plan, const StreamPtr& stream) = 0;
  // Returns whether select_rows() can be called for rows of this length, of whose elements it is to
  // write the first `kept`, and is faster than a sort. If not all are kept, they are sorted then.
  virtual bool may_select_rows(DType dtype, int64_t length, int64_t kept) const {
    (void)dtype, (void)length, (void)kept;
    return false;
  }
  // Splits each row. It is called only where may_select_rows() returns true.
  virtual void select_rows(const RankPlan& plan, const StreamPtr& stream) {
    (void)plan, (void)stream;
  }
  // Marks the first element of each distinct value of a sorted array, and counts them.
  virtual void count_runs(const RunsPlan& plan, const StreamPtr& stream) = 0;
  // Returns whether find_key_range(), mark_keys() and write_keys() can be called for so many
  // elements.
  virtual bool may_find_keys(DType dtype, int64_t count) const {
    (void)dtype, (void)count;
    return false;
  }
  // Returns whether mark_keys() is faster than a sort for keys in the plan's range.
  virtual bool may_mark_keys(const DistinctPlan& plan) const {
    (void)plan;
    return false;
  }
  // Writes the range of the keys of the elements to `range`, in the device's memory.
  virtual void find_key_range(const DistinctPlan& plan, KeyRange* range, const StreamPtr& stream) {
    (void)plan, (void)range, (void)stream;
  }
  // Notes which keys the elements have, NaNs apart: writes all of plan.found as count_true() does.
  virtual void mark_keys(const DistinctPlan& plan, const StreamPtr& stream) {
    (void)plan, (void)stream;
  }
  // Writes an element for each of the keys, of which there are `count`, in order, then the first of
  // the NaNs, if there are any.
  virtual void write_keys(const DistinctPlan& plan, int64_t count, void* target,
                          const StreamPtr& stream) {
    (void)plan, (void)count, (void)target, (void)stream;
  }
  // Writes the place of each query. For a position of `sorter` that is out of bounds the cpu device
  // throws ValueError; a CUDA device takes the first element instead.
  virtual void search(const SearchPlan& plan, const StreamPtr& stream) = 0;
  // Adds the elements or their weights to the bins. A CUDA device adds weights in no fixed order,
  // so their sums may differ in the last bits from run to run.
  virtual void histogram(const HistogramPlan& plan, const StreamPtr& stream) = 0;
  // Draws random numbers as NumPy's Generator does. On the cpu device NumPy itself draws them.
  virtual void random(const RandomPlan& plan, const StreamPtr& stream);
  // Writes draws of a distribution, the same bits on every device.
  virtual void draw(const DistributionPlan& plan, const StreamPtr& stream) = 0;
  // Transforms, and opens the plan's memory itself, so that no memory waits for a plan of a
  // library. Throws DeviceError on the cpu device, where gpuarray.fft calls NumPy.
  virtual FftOutcome fft(const FftPlan& plan, const StreamPtr& stream);
};

// Throws ShapeError if `shape` has more axes than the parameters of a kernel can hold (kParamDims).
void require_param_dims(const Shape& shape);

// Returns whether every backend can reduce elements of dtype `source` in the dtype `loop` in one
// pass, which converts each element as it is read. Otherwise the source must be converted first.
bool has_direct_reduction(Reduction reduction, DType source, DType loop);
// Returns the same for scans.
bool has_direct_scan(Scan scan, DType source, DType loop);

}  // namespace gpuarray
