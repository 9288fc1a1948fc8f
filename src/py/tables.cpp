// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <iterator>

#include "core/op.hpp"
#include "py/convert.hpp"
#include "py/parts.hpp"
#include "py/slot.hpp"

// The tables as Python sees them: tests, stubs and pages are made from these.
namespace gpuarray::py {

namespace {

struct Row {
  Op op;
  const char* slot;
  const char* rule;
};

Ref dtype_names(uint32_t dtypes) {
  Ref names = checked(PyList_New(0));
  for (int index = 0; index < kDTypeCount; ++index) {
    if (!(dtypes >> index & 1)) continue;
    checked_status(PyList_Append(names.get(), py_string(name(static_cast<DType>(index))).get()));
  }
  return checked(PyList_AsTuple(names.get()));
}

Ref op_table(PyObject*, PyObject*) {
  static const Row rows[] = {
#define GPUARRAY_UNARY(name, slot, dtypes, rule, ...) {Op::name, #slot, #rule},
#define GPUARRAY_BINARY(name, slot, dtypes, rule, ...) {Op::name, #slot, #rule},
#define GPUARRAY_TERNARY(name, slot, dtypes, rule, ...) {Op::name, #slot, #rule},
#include "kernels/ops.def"
  };
  Ref table = checked(PyList_New(0));
  for (const Row& row : rows) {
    const OpInfo& op = info(row.op);
    Ref dtypes = dtype_names(op.dtypes);
    Ref item = checked(
        Py_BuildValue("(sisOss)", op.name, op.arity, row.slot, dtypes.get(), row.rule, op.doc));
    checked_status(PyList_Append(table.get(), item.get()));
  }
  return table;
}

// With casting 'same_kind', which writing results asks for.
Ref module_can_cast(PyObject*, PyObject* args) {
  PyObject* from = nullptr;
  PyObject* to = nullptr;
  if (!PyArg_ParseTuple(args, "OO:_can_cast", &from, &to)) throw PythonError();
  return py_bool(can_cast(to_dtype(from), to_dtype(to), Casting::same_kind));
}

Ref reduction_table(PyObject*, PyObject*) {
  static const char* const rows[][4] = {
#define GPUARRAY_REDUCTION(name, dtypes, result, empty, doc) {#name, #result, #empty, doc},
#include "kernels/reductions.def"
  };
  Ref table = checked(PyList_New(0));
  for (const auto& row : rows) {
    Ref item = checked(Py_BuildValue("(ssss)", row[0], row[1], row[2], row[3]));
    checked_status(PyList_Append(table.get(), item.get()));
  }
  return table;
}

}  // namespace

MethodRows table_function_rows() {
  static const PyMethodDef rows[] = {
      {"op_table", method<op_table>, METH_NOARGS,
       "op_table($module, /)\n--\n\n"
       "The element-wise operations: (name, arity, slot, dtypes, rule, doc) each."},
      {"_can_cast", method<module_can_cast>, METH_VARARGS,
       "_can_cast(from_, to, /)\n--\n\nWhether the dtype casts with casting 'same_kind'."},
      {"reduction_table", method<reduction_table>, METH_NOARGS,
       "reduction_table($module, /)\n--\n\nThe reductions: (name, result, empty, doc) each."},
  };
  return rows;
}

}  // namespace gpuarray::py
