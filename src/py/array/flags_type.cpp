// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/array/flags_type.hpp"
#include "py/array/parts.hpp"

#include <cctype>
#include <iterator>

#include "core/error.hpp"
#include "py/binding/type_helpers.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/convert.hpp"

namespace gpuarray::py {

namespace {

PyTypeObject* flags_type = nullptr;

struct FlagsObject {
  PyObject_HEAD PyObject* array;
};

ArrayObject* array_of(PyObject* self) {
  return array_object(reinterpret_cast<FlagsObject*>(self)->array);
}

bool c_contiguous(const ArrayObject& self) { return self.array.is_c_contiguous(); }
bool f_contiguous(const ArrayObject& self) { return self.array.is_f_contiguous(); }
bool forc(const ArrayObject& self) { return c_contiguous(self) || f_contiguous(self); }
bool writeable(const ArrayObject& self) { return self.array.writable(); }
bool owndata(const ArrayObject& self) { return self.base == nullptr; }
bool aligned(const ArrayObject&) { return true; }
bool fnc(const ArrayObject& self) { return f_contiguous(self) && !c_contiguous(self); }
bool carray(const ArrayObject& self) { return writeable(self) && c_contiguous(self); }
bool farray(const ArrayObject& self) { return writeable(self) && fnc(self); }
bool writebackifcopy(const ArrayObject&) { return false; }

struct Flag {
  const char* name;  // of the attribute; the key of the item is in capitals
  bool (*read)(const ArrayObject&);
  bool printed;
};
constexpr Flag kFlags[] = {
    {"c_contiguous", c_contiguous, true},
    {"f_contiguous", f_contiguous, true},
    {"owndata", owndata, true},
    {"writeable", writeable, true},
    {"aligned", aligned, true},
    {"forc", forc, false},
    {"contiguous", c_contiguous, false},
    {"fortran", f_contiguous, false},
    {"fnc", fnc, false},
    {"behaved", writeable, false},
    {"carray", carray, false},
    {"farray", farray, false},
    {"writebackifcopy", writebackifcopy, false},
};

std::string item_name(const Flag& flag) {
  std::string name = flag.name;
  for (char& letter : name) letter = static_cast<char>(std::toupper(letter));
  return name;
}

void set_writeable(PyObject* self, PyObject* value) {
  if (value == nullptr) throw TypeError("flags: cannot delete writeable");
  bool wanted = checked_status(PyObject_IsTrue(value));
  ArrayObject* array = array_of(self);
  bool base_is_readonly =
      array->base != nullptr && is_array(array->base) && !as_array(array->base).writable();
  if (wanted && (array->array.buffer()->readonly() || base_is_readonly))
    throw ValueError("cannot set WRITEABLE flag to True of this array: its memory is read-only");
  array->array.set_writable(wanted);
}

Ref flag_get(PyObject* self, void* closure) {
  return py_bool(static_cast<const Flag*>(closure)->read(*array_of(self)));
}

int flag_set(PyObject* self, PyObject* value, void*) {
  set_writeable(self, value);
  return 0;
}

Ref flags_getitem(PyObject* self, PyObject* key) {
  std::string wanted = to_text(key, "flags");
  // NumPy accepts these short forms too.
  constexpr const char* kShort[][2] = {
      {"C", "C_CONTIGUOUS"},    {"F", "F_CONTIGUOUS"}, {"W", "WRITEABLE"},
      {"B", "BEHAVED"},         {"O", "OWNDATA"},      {"A", "ALIGNED"},
      {"X", "WRITEBACKIFCOPY"}, {"CA", "CARRAY"},      {"FA", "FARRAY"}};
  for (const auto& [given, meant] : kShort)
    if (wanted == given) wanted = meant;
  for (const Flag& flag : kFlags)
    if (wanted == item_name(flag)) return py_bool(flag.read(*array_of(self)));
  PyErr_SetString(PyExc_KeyError, "Unknown flag");
  throw PythonError();
}

int flags_setitem(PyObject* self, PyObject* key, PyObject* value) {
  if (to_text(key, "flags") != "WRITEABLE" && to_text(key, "flags") != "W")
    throw ValueError("flags: only WRITEABLE can be set, got '" + to_text(key, "flags") + "'");
  set_writeable(self, value);
  return 0;
}

Ref flags_repr(PyObject* self) {
  std::string text;
  for (const Flag& flag : kFlags) {
    if (!flag.printed) continue;
    text += "  " + item_name(flag) + " : " + (flag.read(*array_of(self)) ? "True" : "False") + "\n";
  }
  return py_string(text);
}

Ref flags_richcompare(PyObject* left, PyObject* right, int comparison) {
  if (Py_TYPE(right) != flags_type || (comparison != Py_EQ && comparison != Py_NE))
    return not_implemented();
  bool same = true;
  for (const Flag& flag : kFlags)
    same = same && flag.read(*array_of(left)) == flag.read(*array_of(right));
  return py_bool(same == (comparison == Py_EQ));
}

void flags_dealloc(PyObject* self) noexcept {
  Py_DECREF(reinterpret_cast<FlagsObject*>(self)->array);
  free_object(self);
}

PyGetSetDef attributes[std::size(kFlags) + 1];

void fill_attributes() {
  for (std::size_t index = 0; index < std::size(kFlags); ++index) {
    const Flag& flag = kFlags[index];
    setter set = std::string(flag.name) == "writeable" ? &Slot<flag_set>::call : nullptr;
    attributes[index] = {flag.name, &Slot<flag_get>::call, set, nullptr, const_cast<Flag*>(&flag)};
  }
}

PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char*>("The layout of an array: attributes, or items as NumPy's.")},
    {Py_tp_dealloc, reinterpret_cast<void*>(&flags_dealloc)},
    {Py_tp_repr, slot<flags_repr>},
    {Py_tp_hash, reinterpret_cast<void*>(&PyObject_HashNotImplemented)},
    {Py_tp_richcompare, slot<flags_richcompare>},
    {Py_mp_subscript, slot<flags_getitem>},
    {Py_mp_ass_subscript, slot<flags_setitem>},
    {Py_tp_getset, attributes},
    {0, nullptr},
};

}  // namespace

Ref new_flags(PyObject* array) {
  auto* self = allocate_object<FlagsObject>(flags_type);
  Py_INCREF(array);
  self->array = array;
  return Ref::steal(reinterpret_cast<PyObject*>(self));
}

void add_flags_type(PyObject* module) {
  if (flags_type != nullptr) return;
  fill_attributes();
  flags_type = make_type(module, "gpuarray.Flags", sizeof(FlagsObject), slots);
}

}  // namespace gpuarray::py
