// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "py/binding/rows.hpp"

// Declares what module.cpp and the GPUArray type take from this room.
namespace gpuarray::py {

// What rooms above this one add to the GPUArray type.
struct ArrayParts {
  MethodRows methods;
  GetSetRows attributes;
  SlotRows slots;
};

// Each creates its type and adds it to the module.
void add_array_type(PyObject* module, const ArrayParts& added);
void add_flags_type(PyObject* module);

MethodRows strided_function_rows();  // strided.cpp

MethodRows class_function_rows();  // array_class.cpp

// Makes the array, which no other thread sees, one of a class derived from GPUArray
// (array_class.cpp).
void set_class(PyObject* array, PyTypeObject* type);
// Returns whether the array's class says that `a[i]` is a view of the element, not a value.
bool views_elements(PyObject* array);

// Parts of GPUArray that array_type.cpp puts together.
SlotRows number_slots();           // array_number.cpp: operators and conversions to Python numbers
SlotRows index_slots();            // array_index.cpp: mapping and sequence slots, iteration
SlotRows lookup_slots();           // missing_attribute.cpp: attributes and errors for missing ones
MethodRows lookup_method_rows();   // missing_attribute.cpp: __getattr__
GetSetRows attribute_rows();       // array_attributes.cpp
MethodRows number_method_rows();   // array_number.cpp: __complex__
MethodRows array_method_rows();    // array_methods.cpp
MethodRows class_method_rows();    // array_class.cpp: __init_subclass__
MethodRows numpy_protocol_rows();  // numpy_protocol.cpp: __array_ufunc__, __array_function__

// Removes the __getattribute__ that CPython derives from lookup_slots(): it would call itself.
void finish_lookup(PyTypeObject* type);  // missing_attribute.cpp

}  // namespace gpuarray::py
