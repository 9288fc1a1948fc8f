// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/code/include_folders.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <utility>

#include "core/environment.hpp"
#include "runtime/driver/cuda_library.hpp"
#include "runtime/driver/nvrtc.hpp"

namespace gpuarray {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> split(const std::string& list) {
  std::istringstream text(list);
  std::vector<std::string> parts;
  for (std::string part; std::getline(text, part, ':');)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

// Returns the include folders of toolkits and wheels, the compiler's own first; they may not exist.
std::vector<fs::path> candidates() {
  const fs::path root = fs::path(nvrtc_library.path()).parent_path().parent_path();
  std::vector<fs::path> found;
  for (const fs::path& place :
       {root / "include", root.parent_path() / "cuda_runtime" / "include",
        fs::path(text_variable("CUDA_HOME")) / "include",
        fs::path(text_variable("CUDA_PATH")) / "include", fs::path("/usr/local/cuda/include")})
    if (place.is_absolute()) found.push_back(place);
  return found;
}

fs::path first_with(const char* header, const std::vector<fs::path>& folders) {
  std::error_code error;
  for (const fs::path& folder : folders)
    if (fs::exists(folder / header, error)) return folder;
  return {};
}

std::vector<std::string> toolkit_folders() {
  const fs::path main = first_with("cuda_runtime.h", candidates());
  std::vector<std::string> folders;
  if (main.empty()) return folders;
  folders.push_back(main);
  const fs::path wheels = main.parent_path().parent_path();  // CUDA 12 has a wheel for each part
  // CCCL, which cooperative_groups.h needs, may be missing beside a compiler that came as a wheel.
  std::vector<fs::path> cccl = {main / "cccl", wheels / "cuda_cccl" / "include"};
  for (const fs::path& folder : candidates()) cccl.push_back(folder / "cccl");
  for (const fs::path& more :
       {first_with("nv/target", cccl), first_with("curand.h", {wheels / "curand" / "include"})})
    if (!more.empty()) folders.push_back(more);
  return folders;
}

}  // namespace

std::vector<std::string> option_values(const std::vector<std::string>& options,
                                       const std::vector<std::string>& names,
                                       const std::string& glued) {
  std::vector<std::string> found;
  for (size_t i = 0; i < options.size(); ++i) {
    const std::string& option = options[i];
    if (std::ranges::count(names, option) != 0) {
      if (i + 1 < options.size()) found.push_back(options[++i]);
      continue;
    }
    const size_t equals = option.find('=');
    if (equals != std::string::npos && std::ranges::count(names, option.substr(0, equals)) != 0)
      found.push_back(option.substr(equals + 1));
    else if (!glued.empty() && option.starts_with(glued))
      found.push_back(option.substr(glued.size()));
  }
  return found;
}

CompileRequest with_defaults(CompileRequest request, const std::vector<std::string>& folders) {
  std::vector<std::string>& options = request.options;
  if (option_values(options, {"-std", "--std"}, "").empty()) options.push_back("-std=c++20");
  for (const std::vector<std::string>& list :
       {folders, split(text_variable("GPUARRAY_INCLUDE_PATH")), toolkit_folders()})
    for (const std::string& folder : list) options.push_back("-I" + folder);
  return request;
}

IncludePath include_path(const CompileRequest& request) {
  IncludePath path{fs::path(request.name).parent_path(), {}, toolkit_folders()};
  for (std::string& folder : option_values(request.options, {"-I", "--include-path"}, "-I"))
    if (std::ranges::count(path.toolkit, folder) == 0) path.folders.push_back(std::move(folder));
  return path;
}

std::vector<std::string> pre_included(const CompileRequest& request) {
  return option_values(request.options, {"-include", "--pre-include"}, "");
}

}  // namespace gpuarray
