# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
#
# Defines gpuarray::gpuarray, which has the folder of gpuarray.h. Python itself is for find_package(Python).

get_filename_component(_gpuarray_include "${CMAKE_CURRENT_LIST_DIR}/../../../include" ABSOLUTE)
if(NOT TARGET gpuarray::gpuarray)
  add_library(gpuarray::gpuarray INTERFACE IMPORTED)
  set_target_properties(gpuarray::gpuarray PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${_gpuarray_include}"
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${_gpuarray_include}")
endif()
set(gpuarray_INCLUDE_DIRS "${_gpuarray_include}")
unset(_gpuarray_include)
