// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>

namespace gpuarray {

// What GPUARRAY_LOG asks for; the numbers are those of Python's logging.
enum class LogLevel { debug = 10, info = 20, off = 100 };

// Sets the function that logs a line (in Python, logging.getLogger("gpuarray").log).
void set_user_log(void (*write)(LogLevel level, const std::string& line));
// Returns whether lines of this level are logged. Throws ValueError for a GPUARRAY_LOG that is
// neither "info" nor "debug".
bool is_logged(LogLevel level);
// Logs a line; does nothing unless is_logged(level). Throws what the function throws.
void log_user(LogLevel level, const std::string& line);

}  // namespace gpuarray
