// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/binding/arguments.hpp"
#include "py/binding/gil.hpp"
#include "py/binding/slot.hpp"
#include "py/convert/convert.hpp"
#include "py/kernel/parts.hpp"
#include "runtime/cache/disk_cache.hpp"

namespace gpuarray::py {

namespace {

Ref cache_info(PyObject*, PyObject*) {
  const DiskCacheInfo info = without_gil(disk_cache_info);
  const Ref folder =
      checked(PyUnicode_DecodeFSDefaultAndSize(info.folder.data(), Py_ssize_t(info.folder.size())));
  return checked(
      Py_BuildValue("(OLLLLL)", folder.get(), static_cast<long long>(info.entries),
                    static_cast<long long>(info.bytes), static_cast<long long>(info.limit),
                    static_cast<long long>(info.hits), static_cast<long long>(info.stores)));
}

Ref clear_cache(PyObject*, PyObject*) {
  const Cleared cleared = without_gil(disk_cache_clear);
  return checked(Py_BuildValue("(LL)", static_cast<long long>(cleared.entries),
                               static_cast<long long>(cleared.bytes)));
}

Ref cache_load(PyObject*, PyObject* object) {
  const std::string key = to_text(object, "key");
  const std::optional<std::string> content = without_gil([&] { return disk_cache_load(key); });
  if (!content) return none();
  return checked(PyBytes_FromStringAndSize(content->data(), Py_ssize_t(content->size())));
}

Ref cache_store(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  const Signature<2> signature{"_cache_store", {"key", "content"}, 2, 2, 2};
  const auto [key_object, content_object] = parse(signature, args, nargs, kwnames);
  const std::string key = to_text(key_object, "key");
  char* data = nullptr;
  Py_ssize_t size = 0;
  checked_status(PyBytes_AsStringAndSize(content_object, &data, &size));
  const std::string content(data, static_cast<size_t>(size));
  without_gil([&] { disk_cache_store(key, content); });
  return none();
}

}  // namespace

MethodRows cache_function_rows() {
  static const PyMethodDef rows[] = {
      {"cache_info", method<cache_info>, METH_NOARGS,
       R"(cache_info($module, /)
--

The fields of gpuarray._runtime.cache.CacheInfo, a tuple.)"},
      {"clear_cache", method<clear_cache>, METH_NOARGS,
       R"(clear_cache($module, /)
--

The fields of gpuarray._runtime.cache.ClearedCache, a tuple.)"},
      {"_cache_load", method<cache_load>, METH_O,
       R"(_cache_load($module, key, /)
--

The content stored under `key`, None without any.)"},
      {"_cache_store", method<cache_store>, METH_FASTCALL | METH_KEYWORDS,
       R"(_cache_store($module, key, content, /)
--

Keeps `content`, bytes, under `key`.)"},
  };
  return rows;
}

}  // namespace gpuarray::py
