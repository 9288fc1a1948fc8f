// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/array/array_methods.hpp"
#include "py/convert/delegate.hpp"

// Methods written in Python, in gpuarray/_protocols/array_methods.py.
namespace gpuarray::py {

MethodRows python_method_rows() {
  constexpr int kCall = METH_VARARGS | METH_KEYWORDS;
  static const PyMethodDef rows[] = {
      {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS,
       R"(__class_getitem__($type, item, /)
--

GPUArray[item], a types.GenericAlias for annotations; `item` is not checked.)"},
      {"tolist", method<delegate<"tolist">>, kCall,
       R"(tolist($self, /, *, stream=None)
--

The elements as nested lists of Python scalars. Waits for `stream`, by default the current one.)"},
      {"tofile", method<delegate<"tofile">>, kCall,
       R"(tofile($self, fid, sep='', format='%s', *, stream=None)
--

Writes the elements in C order to a file, an open one or its path, as numpy.ndarray.tofile does.
Waits for `stream`, by default the current one.)"},
      {"dump", method<delegate<"dump">>, kCall,
       R"(dump($self, file)
--

Pickles the array to a file, an open one or its path.)"},
      {"dumps", method<delegate<"dumps">>, kCall,
       R"(dumps($self)
--

The pickle of the array as bytes.)"},
      {"clip", method<delegate<"clip">>, kCall,
       R"(clip($self, min=None, max=None, out=None, *, where=True, casting='same_kind', order='K', dtype=None, stream=None)
--

Elements limited to [min, max]; None leaves that side open. `where`, `casting`, `order` and `dtype`
are those of NumPy's ufuncs.)"},
      {"dot", method<delegate<"dot">>, kCall,
       R"(dot($self, b, out=None, *, stream=None)
--

Dot product with another array, as numpy.dot, on `stream` or the current one.)"},
      {"conj", method<delegate<"conj">>, kCall,
       R"(conj($self, out=None, *, stream=None)
--

Complex conjugate of each element; the array itself where they are real.)"},
      {"conjugate", method<delegate<"conj">>, kCall,
       R"(conjugate($self, out=None, *, stream=None)
--

Complex conjugate of each element; the array itself where they are real.)"},
      {"byteswap", method<delegate<"byteswap">>, kCall,
       R"(byteswap($self, inplace=False, *, stream=None)
--

The elements with their bytes in reverse order, those of both parts of complex ones; in this
array where `inplace`.)"},
      {"setflags", method<delegate<"setflags">>, kCall,
       R"(setflags($self, write=None, align=None, uic=None)
--

Sets flags.writeable; ValueError where it cannot be, and for align=False and uic=True.)"},
      {"get_async", method<delegate<"get_async">>, kCall,
       R"(get_async($self, stream=None, ary=None)
--

The elements in `ary` or a new page-locked numpy.ndarray, which is filled when `stream` comes to
it; as PyCUDA's. get(blocking=False) gives an object to wait for.)"},
      {"set_async", method<delegate<"set_async">>, kCall,
       R"(set_async($self, ary, stream=None)
--

Copies a host array into this one on `stream`; a page-locked one must not change before that. As
PyCUDA's; set(blocking=False) gives an object to wait for.)"},
      {"mul_add", method<delegate<"mul_add">>, kCall,
       R"(mul_add($self, selffac, other, otherfac, add_timer=None, stream=None, out=None)
--

selffac * self + otherfac * other, in a new array or `out`, as PyCUDA's; the factors are as
Python's numbers to the dtype. ValueError for an `add_timer`.)"},
      {"reverse", method<delegate<"reverse">>, kCall,
       R"(reverse($self, stream=None)
--

A copy of the elements from the last to the first, of one dimension; as PyCUDA's.)"},
      {"share", method<delegate<"share">>, kCall,
       R"(share($self, /, *, stream=None)
--

A small object that another process opens with gpuarray.open_shared(); see there. The memory
must be such as gpuarray.empty_shared() gives, and be kept until it is closed there. Later work
there runs after all work pending on the array now. ValueError for other memory, DeviceError on
cpu.)"},
      {"to_numpy", method<delegate<"to_numpy">>, kCall,
       R"(to_numpy($self, dtype=None, copy=False, *, stream=None)
--

The elements as a new numpy.ndarray, as get(), converted to `dtype` as astype does. Named as in
pandas; `copy` is accepted, since the result never shares memory.)"},
      {"__round__", method<delegate<"__round__">>, kCall,
       R"(__round__($self, ndigits=None, /)
--

The element of a 0-d array, rounded as round() does numpy's scalars: a 0-d array with `ndigits`,
else a Python int, for which the call waits.)"},
      {"_repr_html_", method<delegate<"_repr_html_">>, kCall,
       R"(_repr_html_($self, /)
--

A table of the array for notebooks.)"},
      {"__array__", method<delegate<"__array__">>, kCall,
       R"(__array__($self, dtype=None, copy=None)
--

The elements as a numpy.ndarray; an implicit transfer (see transfer_guard).)"},
      {"__arrow_c_array__", method<delegate<"__arrow_c_array__">>, kCall,
       R"(__arrow_c_array__($self, requested_schema=None)
--

Arrow's capsules of the elements of a vector, as pyarrow and polars take them. Shares the memory of
the cpu device; else an implicit transfer (see transfer_guard).)"},
      {"__array_namespace__", method<delegate<"__array_namespace__">>, kCall,
       R"(__array_namespace__($self, /, *, api_version=None)
--

The package gpuarray, which follows the array API standard. ValueError for a version of it that
is not among those followed.)"},
      {"__dask_tokenize__", method<delegate<"__dask_tokenize__">>, kCall,
       R"(__dask_tokenize__($self, /)
--

What Dask hashes: device, dtype, shape and a hash of the elements, which are copied to the host.)"},
      {"__deepcopy__", method<delegate<"__deepcopy__">>, kCall,
       R"(__deepcopy__($self, memo, /)
--

A new array on the same device, in the same kind of memory; noted in `memo`.)"},
      {"__reduce_ex__", method<delegate<"__reduce_ex__">>, kCall,
       R"(__reduce_ex__($self, protocol, /)
--

Pickles the elements, dtype, shape, order, kind of memory, device's name and whether it is
read-only; the elements as a buffer of its own with protocol 5.)"},
      {"__format__", method<delegate<"__format__">>, kCall,
       R"(__format__($self, format_spec, /)
--

Formats an array of no dimensions as its scalar, others as str().)"},
  };
  return rows;
}

}  // namespace gpuarray::py
