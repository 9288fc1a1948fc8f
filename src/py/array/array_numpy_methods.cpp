// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/array/array_methods.hpp"
#include "py/convert/delegate.hpp"

// NumPy's methods that are functions of gpuarray with the array first.
namespace gpuarray::py {

MethodRows numpy_method_rows() {
  constexpr int kCall = METH_VARARGS | METH_KEYWORDS;
  static const PyMethodDef rows[] = {
      {"argpartition", method<delegate<"argpartition">>, kCall,
       "argpartition($self, kth, axis=-1, kind='introselect', order=None, *, stream=None)\n--\n\n"
       "Positions that partition the array, as gpuarray.argpartition."},
      {"argsort", method<delegate<"argsort">>, kCall,
       "argsort($self, axis=-1, kind=None, order=None, *, stable=None, descending=False, "
       "stream=None)\n--\n\n"
       "Positions that sort the array along the axis, as gpuarray.argsort."},
      {"choose", method<delegate<"choose">>, kCall,
       "choose($self, choices, out=None, mode='raise', *, stream=None)\n--\n\n"
       "Elements of the choices of these numbers, as gpuarray.choose."},
      {"compress", method<delegate<"compress">>, kCall,
       "compress($self, condition, axis=None, out=None, *, stream=None)\n--\n\n"
       "Slices along the axis where the condition is true, as gpuarray.compress."},
      {"diagonal", method<delegate<"diagonal">>, kCall,
       "diagonal($self, offset=0, axis1=0, axis2=1)\n--\n\n"
       "A read-only view of a diagonal, as gpuarray.diagonal."},
      {"nonzero", method<delegate<"nonzero">>, kCall,
       "nonzero($self, /, *, stream=None)\n--\n\n"
       "The indices of nonzero elements, an array for each axis. Waits for their number."},
      {"partition", method<delegate<"partition">>, kCall,
       "partition($self, kth, axis=-1, kind='introselect', order=None, *, stream=None)\n--\n\n"
       "Moves smaller elements than the `kth` before it and others after it, in place."},
      {"put", method<delegate<"put">>, kCall,
       "put($self, ind, v, mode='raise', *, stream=None)\n--\n\n"
       "Assigns values to elements of the flattened array, as gpuarray.put."},
      {"repeat", method<delegate<"repeat">>, kCall,
       "repeat($self, repeats, axis=None, *, stream=None)\n--\n\n"
       "A copy with repeated elements, as gpuarray.repeat."},
      {"round", method<delegate<"round">>, kCall,
       "round($self, decimals=0, out=None, *, stream=None)\n--\n\n"
       "The elements rounded to this many decimals, halves to the even digit."},
      {"searchsorted", method<delegate<"searchsorted">>, kCall,
       "searchsorted($self, v, side='left', sorter=None, *, stream=None)\n--\n\n"
       "Where values belong in this sorted array, as gpuarray.searchsorted."},
      {"sort", method<delegate<"sort">>, kCall,
       "sort($self, axis=-1, kind=None, order=None, *, stable=None, descending=False, "
       "stream=None)\n--\n\n"
       "Sorts the array in place along the axis, as gpuarray.sort does a copy."},
      {"take", method<delegate<"take">>, kCall,
       "take($self, indices, axis=None, out=None, mode='raise', *, stream=None)\n--\n\n"
       "Elements at indices along the axis, as gpuarray.take."},
      {"trace", method<delegate<"trace">>, kCall,
       "trace($self, offset=0, axis1=0, axis2=1, dtype=None, out=None, *, stream=None)\n--\n\n"
       "Sums along a diagonal, as gpuarray.trace."},
  };
  return rows;
}

}  // namespace gpuarray::py
