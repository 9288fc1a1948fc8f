// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "py/binding/ref.hpp"
#include "py/kernel/kernel_parameters.hpp"

namespace gpuarray::py {

// The configuration of a launch as the caller gives it. Objects are borrowed. The setters throw
// TypeError and ValueError.
struct LaunchRequest {
  LaunchConfig config;
  PyObject* stream = nullptr;
  bool strided = false;
  bool has_grid = false;
  bool has_block = false;

  void set_grid(PyObject* object);
  void set_block(PyObject* object);
  void set_shared_bytes(PyObject* object);
  // Takes grid, block, shared_bytes (or shared, shared_mem), stream, cooperative, cluster and
  // strided. Throws TypeError for any other name.
  void set_keyword(const char* function, PyObject* name, PyObject* value);
  void set_keywords(const char* function, PyObject* kwnames, PyObject* const* values);
  // Throws TypeError unless a block was given. The grid may be left out: as in PyCUDA, it is then
  // one block.
  void require_block(const char* function) const;
};

// Checks the arguments and queues the launch on `stream`; null and None mean the current one. The
// configuration must have been checked. Does nothing if the grid has no blocks. Throws what
// KernelArguments throws.
void run_kernel(const KernelState& state, const LaunchConfig& config, PyObject* stream,
                bool strided, PyObject* const* args, Py_ssize_t count);

// Returns a launcher: an object that holds the configuration and is called with the arguments.
Ref new_launcher(KernelStatePtr state, const LaunchRequest& request);

}  // namespace gpuarray::py
