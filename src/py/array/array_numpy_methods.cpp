// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/array/array_methods.hpp"
#include "py/convert/delegate.hpp"

// Methods of numpy.ndarray that call the function of gpuarray of the same name with the array as
// first argument.
namespace gpuarray::py {

MethodRows numpy_method_rows() {
  constexpr int kCall = METH_VARARGS | METH_KEYWORDS;
  static const PyMethodDef rows[] = {
      {"argpartition", method<delegate<"argpartition">>, kCall,
       R"(argpartition($self, kth, axis=-1, kind='introselect', order=None, *, descending=None, stream=None)
--

Positions that partition the array, as gpuarray.argpartition.)"},
      {"argsort", method<delegate<"argsort">>, kCall,
       R"(argsort($self, axis=-1, kind=None, order=None, *, stable=None, descending=False, stream=None)
--

Positions that sort the array along the axis, as gpuarray.argsort.)"},
      {"choose", method<delegate<"choose">>, kCall,
       R"(choose($self, choices, out=None, mode='raise', *, stream=None)
--

Elements of the choices of these numbers, as gpuarray.choose.)"},
      {"compress", method<delegate<"compress">>, kCall,
       R"(compress($self, condition, axis=None, out=None, *, stream=None)
--

Slices along the axis where the condition is true, as gpuarray.compress.)"},
      {"diagonal", method<delegate<"diagonal">>, kCall,
       R"(diagonal($self, offset=0, axis1=0, axis2=1)
--

A read-only view of a diagonal, as gpuarray.diagonal.)"},
      {"nonzero", method<delegate<"nonzero">>, kCall,
       R"(nonzero($self, /, *, stream=None)
--

The indices of nonzero elements, an array for each axis. Waits for their number.)"},
      {"partition", method<delegate<"partition">>, kCall,
       R"(partition($self, kth, axis=-1, kind='introselect', order=None, *, descending=None, stream=None)
--

Moves smaller elements than the `kth` before it and others after it, in place.)"},
      {"put", method<delegate<"put">>, kCall,
       R"(put($self, ind, v, mode='raise', *, stream=None)
--

Assigns values to elements of the flattened array, as gpuarray.put.)"},
      {"repeat", method<delegate<"repeat">>, kCall,
       R"(repeat($self, repeats, axis=None, *, stream=None)
--

A copy with repeated elements, as gpuarray.repeat.)"},
      {"round", method<delegate<"round">>, kCall,
       R"(round($self, decimals=0, out=None, *, stream=None)
--

The elements rounded to this many decimals, halves to the even digit.)"},
      {"searchsorted", method<delegate<"searchsorted">>, kCall,
       R"(searchsorted($self, v, side='left', sorter=None, *, stream=None)
--

Where values belong in this sorted array, as gpuarray.searchsorted.)"},
      {"sort", method<delegate<"sort">>, kCall,
       R"(sort($self, axis=-1, kind=None, order=None, *, stable=None, descending=False, stream=None)
--

Sorts the array in place along the axis, as gpuarray.sort does a copy.)"},
      {"take", method<delegate<"take">>, kCall,
       R"(take($self, indices, axis=None, out=None, mode='raise', *, stream=None)
--

Elements at indices along the axis, as gpuarray.take.)"},
      {"trace", method<delegate<"trace">>, kCall,
       R"(trace($self, offset=0, axis1=0, axis2=1, dtype=None, out=None, *, stream=None)
--

Sums along a diagonal, as gpuarray.trace.)"},
  };
  return rows;
}

}  // namespace gpuarray::py
