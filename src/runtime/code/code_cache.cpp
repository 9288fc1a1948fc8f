// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/code/code_cache.hpp"

#include <optional>
#include <utility>

#include "core/sha256.hpp"
#include "runtime/cache/disk_cache.hpp"
#include "runtime/cache/length_prefixed.hpp"
#include "runtime/code/include_folders.hpp"
#include "runtime/code/standard_headers.hpp"

namespace gpuarray {
namespace {

std::optional<std::vector<std::string>> load(const std::string& key, size_t parts) {
  std::optional<std::string> stored = disk_cache_load(key);
  if (!stored) return std::nullopt;
  std::optional<std::vector<std::string>> found = split_length_prefixed(*stored);
  return found && found->size() == parts ? found : std::nullopt;
}

// Returns the headers outside kernels/ that a request includes.
IncludedHeaders request_headers(const CompileRequest& request) {
  std::string source;
  for (const std::string& header : pre_included(request)) source += "#include \"" + header + "\"\n";
  return included_headers(source + request.source, include_path(request));
}

}  // namespace

std::string compiled_key(const CompileRequest& request) {
  return digest({"compiled", compiler_identity(), embedded_digest(), request.source, request.name,
                 join_length_prefixed(compile_options(request)),
                 join_length_prefixed(request.name_expressions),
                 std::to_string(static_cast<int>(request.form))});
}

std::string kernel_image_cached(const CompileRequest& request) {
  const std::string key = compiled_key(request);
  if (std::optional<std::string> stored = disk_cache_load(key)) return *stored;
  std::string image = compile(request).code;
  disk_cache_store(key, image);
  return image;
}

CompileResult compile_cached(CompileRequest request) {
  const IncludedHeaders headers = request_headers(request);
  request.headers = standard_headers_but(headers.found);
  if (!headers.digest) return compile(request);
  request.headers_key = *headers.digest;
  const std::string key = digest({"with headers", compiled_key(request), *headers.digest});
  const size_t names = request.name_expressions.size();
  if (std::optional<std::vector<std::string>> found = load(key, 2 + names))
    return {(*found)[0], (*found)[1], {found->begin() + 2, found->end()}};
  CompileResult result = compile(request);
  std::vector<std::string> parts = {result.code, result.log};
  parts.insert(parts.end(), result.lowered_names.begin(), result.lowered_names.end());
  // The result is stored only if no header has changed meanwhile.
  if (request_headers(request).digest == headers.digest)
    disk_cache_store(key, join_length_prefixed(parts));
  return result;
}

LinkResult link_cached(const LinkRequest& request) {
  std::vector<std::string> contents;
  for (const LinkInput& input : request.inputs)
    contents.insert(contents.end(), {input.content, input.name});
  const std::string lto = request.lto ? (*request.lto ? "lto" : "no lto") : "";
  const std::string key =
      digest({"linked", linker_identity(), request.architecture, lto,
              join_length_prefixed(request.options), join_length_prefixed(contents)});
  if (std::optional<std::vector<std::string>> found = load(key, 2))
    return {(*found)[0], (*found)[1]};
  LinkResult result = link(request);
  disk_cache_store(key, join_length_prefixed({result.code, result.log}));
  return result;
}

}  // namespace gpuarray
