// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/code/standard_headers.hpp"

#include <deque>
#include <sstream>
#include <string_view>
#include <utility>

#include "core/made_first.hpp"
#include "runtime/driver/cuda_library.hpp"

namespace gpuarray {
namespace {

// Headers of C, <name.h> and <cname>, each of which is kernels/standard/<name>.cuh.
constexpr const char* kC = "float inttypes limits math stddef stdint stdio stdlib string time";
// What the compiler has built in, and a part of <thrust/complex.h> that is for streams of the host.
constexpr const char* kEmpty = "assert.h cassert new stdbool.h thrust/detail/complex/stream.h";
// Headers of C++ that are CCCL's <cuda/std/name>, with its names in std.
constexpr const char* kCccl =
    "algorithm array atomic barrier bit bitset chrono concepts execution expected functional "
    "initializer_list inplace_vector iterator latch mdspan memory numbers numeric optional random "
    "ranges ratio semaphore source_location span string_view tuple utility variant";
// Others of kernels/standard/.
constexpr std::pair<const char*, const char*> kOthers[] = {
    {"complex", "complex"}, {"limits", "numeric_limits"}, {"type_traits", "type_traits"}};

std::vector<std::string> words(const char* list) {
  std::istringstream text(list);
  std::vector<std::string> found;
  for (std::string word; text >> word;) found.push_back(word);
  return found;
}

class Table {
 public:
  Table() {
    for (const std::string& name : words(kEmpty)) add(name, "\n");
    for (const std::string& name : words(kC)) {
      add(name + ".h", own(name));
      add("c" + name, own(name));
    }
    for (const auto& [name, file] : kOthers) add(name, own(file));
    for (const std::string& name : words(kCccl))
      add(name, "#include <cuda/std/" + name + ">\nnamespace std { using namespace cuda::std; }\n");
  }
  std::span<const EmbeddedText> rows() const { return rows_; }

 private:
  static std::string own(const std::string& file) {
    return "#include \"kernels/standard/" + file + ".cuh\"\n";
  }
  // Sources of PyCUDA include headers in extern "C".
  void add(const std::string& name, const std::string& text) {
    const std::string& kept_name = texts_.emplace_back(name);
    const std::string& kept = texts_.emplace_back("extern \"C++\" {\n" + text + "}\n");
    rows_.push_back({kept_name.c_str(), kept.data(), kept.data() + kept.size()});
  }

  std::deque<std::string> texts_;  // whose elements stay where they are
  std::vector<EmbeddedText> rows_;
};

// The headers that only the host has, by what to write instead.
constexpr std::pair<const char*, const char*> kHostOnly[] = {
    {"printf of <cstdio> prints from kernels",
     "format fstream iomanip ios iosfwd iostream istream ostream print sstream streambuf "
     "syncstream"},
    {"GPUArrays and __shared__ arrays hold elements, <array> and <span> are there",
     "any deque flat_map flat_set forward_list list map memory_resource queue regex set stack "
     "string unordered_map unordered_set valarray vector"},
    {"blocks are threads, with __syncthreads(), <cuda/atomic> and <cuda/barrier>",
     "condition_variable future jthread mutex pthread.h shared_mutex stop_token thread omp.h"},
    {"kernels throw nothing; assert() and __trap() end them",
     "cerrno csetjmp csignal errno.h exception setjmp.h signal.h stdexcept system_error"},
    {"leave it to the code of the host",
     "cctype clocale codecvt coroutine ctype.h cwchar cwctype filesystem locale locale.h memory.h "
     "sys/time.h sys/types.h typeindex typeinfo unistd.h version wchar.h"},
};

// How the names of CUDA's headers begin.
constexpr const char* kCuda =
    "cub/ cuda/ cuda.h cuda_awbarrier cuda_bf16. cuda_fp cuda_pipeline cuda_runtime cuComplex.h "
    "cooperative_groups curand crt/ device_launch_parameters.h math_constants.h mma.h nv/ thrust/ "
    "vector_functions vector_types.h";

constexpr const char* kHostThrust =
    "this part of Thrust is for the host: gpuarray.sort(), sum() and the like take whole arrays; "
    "kernels take <cuda/std/complex>, and CUB's blocks and warps as <cub/block/block_reduce.cuh>";

std::string direction_for(const std::string& header) {
  for (const auto& [direction, names] : kHostOnly)
    for (const std::string& name : words(names))
      if (name == header)
        return "device code has no <" + header + ">, which is for the host: " + direction;
  if (begins_with_any(header, kCuda))
    return "<" + header + "> is not among the headers of CUDA here: " + install_command() +
           " brings them";
  return "<" + header +
         "> is in no folder of headers: name its folder by include_dirs= or GPUARRAY_INCLUDE_PATH";
}

}  // namespace

std::span<const EmbeddedText> standard_headers() {
  static constinit MadeFirst<Table> table;
  return table.get([] { return Table(); }).rows();
}

std::vector<EmbeddedText> standard_headers_but(const std::set<std::string>& names) {
  std::vector<EmbeddedText> left;
  for (const EmbeddedText& header : standard_headers())
    if (!names.contains(header.name)) left.push_back(header);
  return left;
}

std::string header_direction(const std::string& log) {
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const auto has = [&](const char* text) { return line.find(text) != std::string::npos; };
    if (has("/thrust/") && (has("host") || has("namespace \"std\" has no") || has("open source")))
      return kHostThrust;
    constexpr std::string_view kMissing =
        "open source file \"";  // "cannot" or "could not" before it
    const size_t found = line.find(kMissing);
    if (found == std::string::npos) continue;
    const size_t begin = found + kMissing.size();
    return direction_for(line.substr(begin, line.find('"', begin) - begin));
  }
  return "";
}

std::string host_header_direction(const std::string& header) {
  if (begins_with_any(header, kCuda))
    return "<" + header +
           "> is a header of CUDA, which the cpu device's compiler does not read: put it between "
           "#ifdef __CUDACC__ and #endif";
  return "<" + header +
         "> is in no folder that the host's compiler searches: name its folder by CPATH, or by -I "
         "in CXX";
}

bool begins_with_any(const std::string& name, const char* list) {
  for (const std::string& beginning : words(list))
    if (name.starts_with(beginning)) return true;
  return false;
}

}  // namespace gpuarray
