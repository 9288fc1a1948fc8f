// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "array/ops.hpp"
#include "core/error.hpp"
#include "core/op.hpp"
#include "core/promote.hpp"
#include "py/binding/slot.hpp"
#include "py/convert/convert.hpp"
#include "py/operations/parts.hpp"

// The tables of operations and dtype rules for Python, where tests, stubs and pages are made from
// them.
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

// Makes an operand of which only the dtype matters, from the name of a dtype or, for a Python
// scalar, from "int", "float" or "complex".
Operand operand_of(PyObject* object) {
  const std::string text = to_text(object, "operands");
  if (text == "int") return Scalar::weak_int(0);
  if (text == "float") return Scalar::weak_float(0);
  if (text == "complex") return Scalar::weak_complex(0);
  Scalar scalar;
  scalar.dtype = to_dtype(object);
  return scalar;
}

// Implements _loop_types(op, operands): the dtypes of the loop and of the result.
Ref module_loop_types(PyObject*, PyObject* args) {
  const char* wanted = nullptr;
  PyObject* given = nullptr;
  if (!PyArg_ParseTuple(args, "sO!:_loop_types", &wanted, &PyTuple_Type, &given))
    throw PythonError();
  std::vector<Operand> operands;
  for (Py_ssize_t k = 0; k < PyTuple_Size(given); ++k)
    operands.push_back(operand_of(PyTuple_GetItem(given, k)));
  const std::optional<Op> op = op_from_name(wanted);
  if (!op) throw ValueError(std::string("no operation is called ") + wanted);
  if (info(*op).arity != static_cast<int>(operands.size()))
    throw TypeError(std::string(wanted) + ": expected " + std::to_string(info(*op).arity) +
                    " operands, got " + std::to_string(operands.size()));
  const LoopTypes types = ops::loop_types(*op, operands);
  return checked(Py_BuildValue("(ss)", name(types.loop), name(types.result)));
}

// Implements _powers(): the tuples (exponent, operation) of ops::kPowers.
Ref module_powers(PyObject*, PyObject*) {
  Ref table = checked(PyTuple_New(std::size(ops::kPowers)));
  Py_ssize_t at = 0;
  for (const ops::Power& power : ops::kPowers) {
    Ref row = checked(Py_BuildValue("(ds)", power.exponent, info(power.op).name));
    checked_status(PyTuple_SetItem(table.get(), at++, row.release()));
  }
  return table;
}

// Returns one tuple for each row of kernels/dtypes.def.
Ref dtype_table(PyObject*, PyObject*) {
  Ref table = checked(PyTuple_New(kDTypeCount));
  for (int index = 0; index < kDTypeCount; ++index) {
    const DTypeInfo& row = kDTypes[index];
    Ref tuple = checked(
        Py_BuildValue("(sCiss)", row.name, row.kind, row.itemsize, row.typestr, row.cpp_type));
    checked_status(PyTuple_SetItem(table.get(), index, tuple.release()));
  }
  return table;
}

Ref module_dtype(PyObject*, PyObject* object) { return from_dtype(to_dtype(object)); }

// Implements _can_cast(from, to) with the casting 'same_kind', which writing to `out` requires.
Ref module_can_cast(PyObject*, PyObject* args) {
  PyObject* from = nullptr;
  PyObject* to = nullptr;
  if (!PyArg_ParseTuple(args, "OO:_can_cast", &from, &to)) throw PythonError();
  return py_bool(can_cast(to_dtype(from), to_dtype(to), Casting::same_kind));
}

Ref module_promote(PyObject*, PyObject* args) {
  std::vector<DType> dtypes;
  for (Py_ssize_t i = 0; i < PyTuple_Size(args); ++i)
    dtypes.push_back(to_dtype(PyTuple_GetItem(args, i)));
  if (dtypes.empty()) throw ValueError("at least one dtype is required");
  return py_string(name(promote(dtypes)));
}

Ref table_of_reductions(std::span<const char* const[4]> rows) {
  Ref table = checked(PyList_New(0));
  for (const auto& row : rows) {
    Ref item = checked(Py_BuildValue("(ssss)", row[0], row[1], row[2], row[3]));
    checked_status(PyList_Append(table.get(), item.get()));
  }
  return table;
}

Ref reduction_table(PyObject*, PyObject*) {
  static const char* const rows[][4] = {
#define GPUARRAY_REDUCTION(name, dtypes, result, empty, doc) {#name, #result, #empty, doc},
#define GPUARRAY_NAN_REDUCTION(...)
#include "kernels/reductions.def"
  };
  return table_of_reductions(rows);
}

Ref nan_reduction_table(PyObject*, PyObject*) {
  static const char* const rows[][4] = {
#define GPUARRAY_REDUCTION(...)
#define GPUARRAY_NAN_REDUCTION(name, plain, dtypes, result, empty, doc) \
  {#name, #result, #empty, doc},
#include "kernels/reductions.def"
  };
  return table_of_reductions(rows);
}

}  // namespace

MethodRows table_function_rows() {
  static const PyMethodDef rows[] = {
      {"op_table", method<op_table>, METH_NOARGS,
       R"(op_table($module, /)
--

The element-wise operations: (name, arity, slot, dtypes, rule, doc) each.)"},
      {"_dtype_table", method<dtype_table>, METH_NOARGS,
       R"(_dtype_table($module, /)
--

The dtypes in the order of promotion: (name, kind, itemsize, typestr, C++ type) each.)"},
      {"_can_cast", method<module_can_cast>, METH_VARARGS,
       R"(_can_cast(from_, to, /)
--

Whether the dtype casts with casting 'same_kind'.)"},
      {"_promote", method<module_promote>, METH_VARARGS,
       R"(_promote(*dtypes)
--

The name of the dtype that all dtypes promote to at once.)"},
      {"_dtype", method<module_dtype>, METH_O,
       R"(_dtype($module, dtype, /)
--

The NumPy dtype; TypeError for one that is not supported.)"},
      {"_loop_types", method<module_loop_types>, METH_VARARGS,
       R"(_loop_types(op, operands, /)
--

The dtypes of the loop and of the result over operands of these dtypes; 'int', 'float' and
'complex' are Python's scalars.)"},
      {"_powers", method<module_powers>, METH_NOARGS,
       R"(_powers($module, /)
--

The exponents whose powers another operation computes, if they serve all elements: (exponent,
operation) each.)"},
      {"reduction_table", method<reduction_table>, METH_NOARGS,
       R"(reduction_table($module, /)
--

The reductions: (name, result, empty, doc) each.)"},
      {"_nan_reduction_table", method<nan_reduction_table>, METH_NOARGS,
       R"(_nan_reduction_table($module, /)
--

The reductions that pass over NaN, which are no methods, as reduction_table() has others.)"},
  };
  return rows;
}

}  // namespace gpuarray::py
