// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/code/compile_excerpts.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "runtime/code/standard_headers.hpp"

namespace gpuarray {
namespace {

constexpr int kContext = 3;  // lines before and after one with an error
constexpr std::string_view kDigits = "0123456789";

struct Location {
  std::string file;
  int line;
};

bool is_number(std::string_view text) {
  return !text.empty() && text.size() < 9 && text.find_first_not_of(kDigits) == text.npos;
}

// Reads "file(12): error: ...", as NVRTC writes it.
std::optional<Location> nvrtc_location(const std::string& text) {
  const size_t close = text.find("): ");
  const size_t open = text.rfind('(', close);
  if (close == text.npos || open == text.npos) return std::nullopt;
  const std::string number = text.substr(open + 1, close - open - 1);
  const size_t error = text.find("error", close);
  if (!is_number(number) || error == text.npos || error > text.find(':', close + 3))
    return std::nullopt;
  return Location{text.substr(0, open), std::atoi(number.c_str())};
}

// Reads "file:12:5: error: ...", as gcc and clang write it.
std::optional<Location> host_location(const std::string& text) {
  size_t end = std::min(text.find(": error: "), text.find(": fatal error: "));
  if (end == text.npos) return std::nullopt;
  std::string numbers[2];
  for (std::string& number : numbers) {
    const size_t colon = end == 0 ? text.npos : text.rfind(':', end - 1);
    if (colon == text.npos) break;
    const std::string found = text.substr(colon + 1, end - colon - 1);
    if (!is_number(found)) break;
    number = found;
    end = colon;
  }
  const std::string& line = numbers[1].empty() ? numbers[0] : numbers[1];
  if (line.empty()) return std::nullopt;
  return Location{text.substr(0, end), std::atoi(line.c_str())};
}

// Returns the name of the kernel: "axpy" for "axpy:preamble".
std::string kernel_name(const std::string& file) { return file.substr(0, file.find(':')); }

}  // namespace

CompileExcerpts::CompileExcerpts(const std::string& source, const std::string& name,
                                 const std::string& log)
    : title_(name) {
  add_source(source, name);
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    std::optional<Location> found = nvrtc_location(line);
    if (!found) found = host_location(line);
    if (found) add_error(found->file, found->line);
  }
  for (const auto& [file, chosen] : chosen_) {
    lines_ += file + '\n';
    for (const auto& [number, has_error] : chosen)
      lines_ += std::string(has_error ? "> " : "  ") + std::to_string(number) + ": " +
                files_[file][number] + '\n';
  }
}

void CompileExcerpts::add_source(const std::string& source, const std::string& name) {
  std::istringstream text(source);
  std::string file = name;
  int number = 1;
  for (std::string line; std::getline(text, line); ++number) {
    constexpr std::string_view kLine = "#line ";
    if (!line.starts_with(kLine)) {
      files_[file][number] = line;
      continue;
    }
    number = std::atoi(line.c_str() + kLine.size()) - 1;
    const size_t begin = line.find('"'), end = line.rfind('"');
    if (begin == line.npos || begin == end) continue;
    file = line.substr(begin + 1, end - begin - 1);
    if (title_ == name) title_ = kernel_name(file);
  }
}

void CompileExcerpts::add_error(const std::string& file, int line) {
  // The host's compiler gives the path of the file that it was given.
  const auto found = std::ranges::find_if(files_, [&](const auto& known) {
    return file == known.first || file.ends_with('/' + known.first);
  });
  if (found == files_.end() || !found->second.contains(line)) return;
  std::map<int, bool>& chosen = chosen_[found->first];
  for (int at = line - kContext; at <= line + kContext; ++at)
    if (found->second.contains(at)) chosen[at] = chosen[at] || at == line;
}

namespace {

// Identifiers of CUDA, by the header that declares them. Identifiers begin with these texts.
constexpr std::pair<const char*, const char*> kDeclaredBy[] = {
    {"cuda_fp16.h", "__half half __float2half __half2float __hadd __hmul __hfma __hsub __halves2"},
    {"cuda_bf16.h", "__nv_bfloat16 nv_bfloat16 __float2bfloat16 __bfloat162"},
    {"cuda_fp8.h", "__nv_fp8"},
    {"cuComplex.h",
     "cuComplex cuFloatComplex cuDoubleComplex cuC make_cuComplex make_cuFloat "
     "make_cuDouble"},
    {"cooperative_groups.h", "cooperative_groups"},
    {"curand_kernel.h", "curand"},
    {"mma.h", "nvcuda"},
    {"cuda/atomic", "cuda"},
    {"cub/block/block_reduce.cuh", "cub"},
    {"cstdint",
     "int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintptr_t "
     "intptr_t"},
    {"math_constants.h", "CUDART_"},
    {"cmath", "M_PI M_E"},
    {"cfloat", "FLT_ DBL_"},
    {"climits", "INT_M UINT_M CHAR_ LONG_M LLONG_M ULONG_M"},
};

// Returns the text in quotes after `before`; "" if the line has none.
std::string quoted_after(const std::string& line, const std::string& before, char quote) {
  const size_t found = line.find(before + quote);
  if (found == line.npos) return "";
  const size_t begin = found + before.size() + 1;
  return line.substr(begin, line.find(quote, begin) - begin);
}

std::string header_of(const std::string& identifier) {
  for (const auto& [header, beginnings] : kDeclaredBy) {
    std::istringstream words(beginnings);
    for (std::string word; words >> word;)
      if (identifier.starts_with(word)) return header;
  }
  return "";
}

std::string direction_for_symbol(const std::string& symbol) {
  int status = 0;
  char* text = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
  const std::string declared = text == nullptr ? symbol : text;
  std::free(text);
  const std::string name = declared.substr(0, declared.find('('));
  if (declared != symbol)
    return "'" + declared +
           "' is declared and called, and no code that is linked defines it: add " +
           "the code that does by link=; functions of gpuarray.declare_device(\"" + name +
           "\", ...) are defined and declared in extern \"C\"";
  return "'" + symbol +
         "' is declared and called, and no code that is linked defines it: add the " +
         "code by link=gpuarray.declare_device(\"" + symbol +
         "\", signature, link=code), which defines it in extern \"C\"";
}

}  // namespace

std::string direction(const std::string& log) {
  if (std::string found = header_direction(log); !found.empty()) return found;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    for (const char* before : {"Unresolved extern function ", "Undefined reference to "})
      if (std::string symbol = quoted_after(line, before, '\''); !symbol.empty())
        return direction_for_symbol(symbol);
    const std::string name = quoted_after(line, "identifier ", '"');
    if (std::string header = header_of(name); !name.empty() && !header.empty())
      return name + " is declared by a header: #include <" + header + ">";
    if (line.find("name must be a namespace name") != line.npos ||
        line.find("must be a class or namespace name") != line.npos)
      return "a namespace of CUDA is declared by its header: #include <cooperative_groups.h>, "
             "<curand_kernel.h>, <mma.h>, <cub/block/block_reduce.cuh>, <cuda/atomic>";
  }
  return "";
}

namespace {

// How names begin that CUDA's compiler knows without a header.
constexpr const char* kOfCuda =
    "__ threadIdx blockIdx blockDim gridDim warpSize clock64 make_float make_double make_int "
    "make_uint float2 float3 float4 double2 int2 int3 int4 uint2 uint4 dim3 tex1D tex2D tex3D "
    "surf1D surf2D surf3D atomic";

// Returns the first text in the quotes of GCC or of Clang; "" if the line has none.
std::string quoted(const std::string& line) {
  for (const auto& [opening, closing] : {std::pair("\u2018", "\u2019"), std::pair("'", "'")}) {
    const size_t found = line.find(opening);
    if (found == line.npos) continue;
    const size_t begin = found + std::string_view(opening).size();
    return line.substr(begin, line.find(closing, begin) - begin);
  }
  return "";
}

std::string direction_for_host(const std::string& name) {
  const std::string header = header_of(name);
  if (header.starts_with('c') && header.find('.') == header.npos && header.find('/') == header.npos)
    return name + " is declared by a header: #include <" + header + ">";
  if (header.empty() && !begins_with_any(name, kOfCuda)) return "";
  return name +
         " is CUDA's, and the cpu device's compiler does not know it: write C++ that both "
         "know, or both ways with #ifdef __CUDACC__ between them";
}

}  // namespace

std::string host_direction(const std::string& log) {
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const auto has = [&](const char* text) { return line.find(text) != line.npos; };
    if (!has("error:")) continue;
    line = line.substr(line.find("error:") + std::strlen("error:"));
    if (has(": No such file")) return host_header_direction(line.substr(1, line.find(": No") - 1));
    if (has("file not found")) return host_header_direction(quoted(line));
    for (const char* text : {"was not declared", "has not been declared", "does not name a type",
                             "undeclared identifier", "unknown type name"})
      if (has(text))
        if (std::string found = direction_for_host(quoted(line)); !found.empty()) return found;
  }
  return "";
}

}  // namespace gpuarray
