// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/code/link.hpp"

#include "core/error.hpp"
#include "runtime/code/compile_excerpts.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/driver/nvjitlink.hpp"

namespace gpuarray {
namespace {

std::string kind_text(const LinkInput& input) {
  const int architecture = cubin_architecture(input.content);
  std::string text = image_kind_name(image_kind(input.content, input.name));
  return architecture == 0 ? text : text + " for sm_" + std::to_string(architecture);
}

// Lists the inputs: "main.ltoir (LTO-IR), scale.cubin (cubin for sm_80)".
std::string inputs_text(const LinkRequest& request) {
  std::string text;
  for (const LinkInput& input : request.inputs)
    text += (text.empty() ? "" : ", ") + input.name + " (" + kind_text(input) + ")";
  return text;
}

class Linker {
 public:
  Linker(const LinkRequest& request, bool lto) : request_(request) {
    std::vector<std::string> options = {"-arch=" + request.architecture};
    if (lto) options.push_back("-lto");
    // nvJitLink would load the driver for a cache beside our own. Older ones refuse the option.
    if (nvjitlink_library.version().cuda_number() >= 13000) options.push_back("-no-cache");
    options.insert(options.end(), request.options.begin(), request.options.end());
    std::vector<const char*> list;
    for (const std::string& option : options) list.push_back(option.c_str());
    const NvJitLinkResult status =
        nvjitlink().nvJitLinkCreate(&handle_, static_cast<uint32_t>(list.size()), list.data());
    if (status == kLinkSuccess) return;
    const std::string why = handle_ == nullptr ? std::to_string(status) : error_log();
    destroy();
    const bool unknown = status == kLinkUnrecognizedOption || status == kLinkUnrecognizedArch ||
                         status == kLinkUnsupportedArch;
    if (unknown) throw ValueError("link options for " + request.architecture + ": " + why);
    throw LinkError("nvJitLinkCreate: " + why + " (" + nvjitlink_library.path() + ")");
  }
  ~Linker() { destroy(); }
  Linker(const Linker&) = delete;
  Linker& operator=(const Linker&) = delete;

  // Adds the inputs; returns false if one can be linked with LTO only.
  bool add_inputs() {
    for (const LinkInput& input : request_.inputs) {
      const ImageKind kind = image_kind(input.content, input.name);
      if (kind == ImageKind::kSource)
        throw ValueError("link: " + input.name + " is CUDA C++, which is to be compiled first");
      const NvJitLinkResult status =
          nvjitlink().nvJitLinkAddData(handle_, static_cast<int>(kind), input.content.data(),
                                       input.content.size(), input.name.c_str());
      if (status == kLinkLtoNotEnabled) return false;
      check(status, "nvJitLinkAddData",
            input.name + " (" + kind_text(input) + ") does not link for " + request_.architecture);
    }
    return true;
  }

  LinkResult complete() {
    const std::string what = "no module for " + request_.architecture + " can be linked";
    check(nvjitlink().nvJitLinkComplete(handle_), "nvJitLinkComplete", what);
    size_t bytes = 0;
    check(nvjitlink().nvJitLinkGetLinkedCubinSize(handle_, &bytes), "nvJitLinkGetLinkedCubinSize",
          what);
    std::string code(bytes, '\0');
    check(nvjitlink().nvJitLinkGetLinkedCubin(handle_, code.data()), "nvJitLinkGetLinkedCubin",
          what);
    return {code, log(nvjitlink().nvJitLinkGetInfoLogSize, nvjitlink().nvJitLinkGetInfoLog)};
  }

 private:
  void check(NvJitLinkResult status, const char* call, const std::string& what) {
    if (status == kLinkSuccess) return;
    const std::string said = error_log(), advice = direction(said);
    throw LinkError(what + " (" + call + ": error " + std::to_string(status) + "):\n" + said +
                    "of the inputs " + inputs_text(request_) +
                    (advice.empty() ? "" : '\n' + advice));
  }

  std::string error_log() {
    std::string text = log(nvjitlink().nvJitLinkGetErrorLogSize, nvjitlink().nvJitLinkGetErrorLog);
    return text.empty() || text.ends_with('\n') ? text : text + '\n';
  }

  std::string log(NvJitLinkResult (*size)(NvJitLinkHandle, size_t*),
                  NvJitLinkResult (*get)(NvJitLinkHandle, char*)) {
    size_t bytes = 0;
    if (size(handle_, &bytes) != kLinkSuccess || bytes == 0) return "";
    std::string text(bytes, '\0');
    return get(handle_, text.data()) == kLinkSuccess ? text.c_str() : "";
  }

  void destroy() {
    if (handle_ != nullptr) nvjitlink().nvJitLinkDestroy(&handle_);
  }

  const LinkRequest& request_;
  NvJitLinkHandle handle_ = nullptr;
};

// Returns whether an input is LTO-IR as a whole, which needs no look inside. The linker of CUDA
// 12.2 and older does not turn LTO on by itself.
bool holds_lto_ir(const LinkRequest& request) {
  for (const LinkInput& input : request.inputs)
    if (image_kind(input.content, input.name) == ImageKind::kLtoIr) return true;
  return false;
}

}  // namespace

LinkResult link(const LinkRequest& request) {
  if (!request.lto.value_or(holds_lto_ir(request))) {
    Linker linker(request, false);
    if (linker.add_inputs()) return linker.complete();
    if (request.lto)
      throw LinkError("LTO-IR does not link without lto: the inputs are " + inputs_text(request));
  }
  Linker linker(request, true);
  linker.add_inputs();
  return linker.complete();
}

std::string linker_identity() {
  return "nvJitLink " + version_text(nvjitlink_library.version().cuda_number()) + " of " +
         std::to_string(file_bytes(nvjitlink_library.path())) + " bytes at " +
         nvjitlink_library.path();
}

}  // namespace gpuarray
