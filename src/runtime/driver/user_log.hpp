// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <chrono>
#include <string>

namespace gpuarray {

// What GPUARRAY_LOG asks for; the numbers are those of Python's logging.
enum class LogLevel { debug = 10, info = 20, off = 100 };

// Reads GPUARRAY_LOG. Throws ValueError if it is neither "", "info" nor "debug",
// whatever the case of the letters.
void read_log_variable();
// Sets the function that logs a line (in Python, logging.getLogger("gpuarray").log).
void set_user_log(void (*write)(LogLevel level, const std::string& line));
// Returns whether GPUARRAY_LOG asks for lines of this level, or the program has got some.
bool is_logged(LogLevel level);
// Tells that the program's logger takes lines of this level, as is_logged() returns from now on.
void set_logged(LogLevel level);
// Passes a line to the function, which decides whether it is logged. Throws what it throws.
void log_user(LogLevel level, const std::string& line);
// Logs that a source was compiled for an architecture, or for "cpu".
void log_compilation(const std::string& name, const std::string& target,
                     std::chrono::steady_clock::duration time);

}  // namespace gpuarray
