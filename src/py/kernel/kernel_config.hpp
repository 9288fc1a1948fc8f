// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "py/binding/ref.hpp"
#include "py/kernel/kernel_parameters.hpp"

namespace gpuarray::py {

// How a kernel is to be launched, as the caller says it; objects are borrowed.
struct LaunchRequest {
  LaunchConfig config;
  PyObject* stream = nullptr;
  bool strided = false;
  bool has_grid = false;
  bool has_block = false;

  void set_grid(PyObject* object);
  void set_block(PyObject* object);
  void set_shared_bytes(PyObject* object);
  // grid, block, shared_bytes (or shared, shared_mem), stream, cooperative, cluster, strided.
  // Throws TypeError for any other.
  void set_keyword(const char* function, PyObject* name, PyObject* value);
  void set_keywords(const char* function, PyObject* kwnames, PyObject* const* values);
  // Throws TypeError unless a block was given; without a grid, it is one block, as PyCUDA's.
  void require_block(const char* function) const;
};

// Checks the arguments and queues the launch, whose configuration was checked; nothing for a grid
// of no blocks. `stream` null or None is the current one.
void run_kernel(const KernelState& state, const LaunchConfig& config, PyObject* stream,
                bool strided, PyObject* const* args, Py_ssize_t count);

// A launch as configured, to be called with the arguments.
Ref new_launcher(KernelStatePtr state, const LaunchRequest& request);

}  // namespace gpuarray::py
