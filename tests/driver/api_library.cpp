// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Functions of libraries, whose images are made by the host compiler.
#include <dlfcn.h>
#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "call.hpp"
#include "fibers.hpp"
#include "memory.hpp"

using namespace model;

namespace {

constexpr unsigned kFatBinary = 0xba55ed50;
// Begins an image with which the stand-in for the run-time compiler names a kernel that was built
// before.
constexpr const char kBuiltBefore[] = "gpuarray test driver: ";
constexpr std::string_view kDescription = "__host";

struct Symbol {
  std::string name;
  size_t nbytes;
};

struct Library {
  std::vector<void*> images;
  bool is_own = false;  // whether it has one image, which it unloads
  std::string only;     // the symbol that stands for every name; "" if names stand for themselves
  std::vector<Symbol> symbols;
  std::vector<Address> variables;  // those that somebody asked for
};

std::vector<std::unique_ptr<Library>>& libraries() {
  static auto& all = *new std::vector<std::unique_ptr<Library>>;
  return all;
}

std::map<Handle, std::string>& names() {
  static auto& all = *new std::map<Handle, std::string>;
  return all;
}

void* open_image(const std::string& file) {
  void* image = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (image == nullptr) return nullptr;
  auto** state = static_cast<test_driver::ThreadState**>(dlsym(image, "gpuarray_test_driver"));
  if (state == nullptr) return nullptr;
  *state = thread_state();
  return image;
}

// Returns the images of kernels/aot, compiled for the host, in GPUARRAY_TEST_DRIVER_KERNELS.
const std::vector<void*>& built_before() {
  static const auto& all = *[] {
    auto* images = new std::vector<void*>;
    const char* folder = std::getenv("GPUARRAY_TEST_DRIVER_KERNELS");
    if (folder == nullptr) return images;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.path().extension() == ".so")
        if (void* image = open_image(entry.path())) images->push_back(image);
    return images;
  }();
  return all;
}

size_t elf_bytes(const void* data) {
  const auto* header = static_cast<const Elf64_Ehdr*>(data);
  return header->e_shoff + size_t{header->e_shentsize} * header->e_shnum;
}

// Returns the symbols that the image exports.
std::vector<Symbol> exported(const char* data) {
  std::vector<Symbol> found;
  const auto& header = *reinterpret_cast<const Elf64_Ehdr*>(data);
  const auto* sections = reinterpret_cast<const Elf64_Shdr*>(data + header.e_shoff);
  for (int k = 0; k < header.e_shnum; ++k) {
    if (sections[k].sh_type != SHT_DYNSYM) continue;
    const char* text = data + sections[sections[k].sh_link].sh_offset;
    const auto* symbols = reinterpret_cast<const Elf64_Sym*>(data + sections[k].sh_offset);
    for (size_t s = 0; s < sections[k].sh_size / sizeof *symbols; ++s)
      if (ELF64_ST_TYPE(symbols[s].st_info) == STT_OBJECT && symbols[s].st_shndx != SHN_UNDEF)
        found.push_back({text + symbols[s].st_name, symbols[s].st_size});
  }
  return found;
}

// Loads an image from a file of its own, because the loader takes a name that it knows for the
// image that it has loaded by that name.
void* open_bytes(const void* data) {
  std::string name = (std::filesystem::temp_directory_path() / "gpuarray-image-XXXXXX").string();
  const int file = mkstemp(name.data());
  if (file < 0) return nullptr;
  const size_t nbytes = elf_bytes(data);
  const bool written = write(file, data, nbytes) == static_cast<ssize_t>(nbytes);
  void* image = written ? open_image(name) : nullptr;
  close(file);
  unlink(name.c_str());
  return image;
}

Status load(Handle* library, const void* data) {
  auto made = std::make_unique<Library>();
  const auto* text = static_cast<const char*>(data);
  unsigned magic;
  std::memcpy(&magic, data, sizeof magic);
  if (magic == kFatBinary) {
    made->images = built_before();
  } else if (std::strncmp(text, kBuiltBefore, std::strlen(kBuiltBefore)) == 0) {
    made->images = built_before();
    made->only = text + std::strlen(kBuiltBefore);
  } else if (std::memcmp(text, ELFMAG, SELFMAG) == 0) {
    void* image = open_bytes(data);
    if (image == nullptr) return kInvalidImage;
    made->images = {image};
    made->is_own = true;
    made->symbols = exported(text);
  } else {
    return kInvalidImage;
  }
  *library = reinterpret_cast<Handle>(made.get());
  libraries().push_back(std::move(made));
  return kSuccess;
}

Status unload(Handle handle) {
  auto& all = libraries();
  const auto found = std::ranges::find(all, reinterpret_cast<Library*>(handle),
                                       [](const auto& library) { return library.get(); });
  if (found == all.end()) return kInvalidHandle;
  for (const Address variable : (*found)->variables) release(variable, 0);
  if ((*found)->is_own) dlclose((*found)->images[0]);
  all.erase(found);
  return kSuccess;
}

Status find_kernel(Handle* kernel, Handle handle, const std::string& name) {
  const auto* library = reinterpret_cast<const Library*>(handle);
  std::string symbol = library->only.empty() ? name : library->only;
  symbol.append(kDescription);
  for (void* image : library->images)
    if (void* found = dlsym(image, symbol.c_str())) {
      *kernel = reinterpret_cast<Handle>(found);
      names()[*kernel] = name;
      return kSuccess;
    }
  return kNotFound;
}

std::vector<std::string> kernels_of(const Library& library) {
  std::vector<std::string> found;
  for (const Symbol& symbol : library.symbols)
    if (symbol.name.ends_with(kDescription))
      found.push_back(symbol.name.substr(0, symbol.name.size() - kDescription.size()));
  return found;
}

Status list_kernels(Handle* kernels, unsigned count, Handle handle) {
  const std::vector<std::string> all = kernels_of(*reinterpret_cast<const Library*>(handle));
  for (unsigned k = 0; k < count && k < all.size(); ++k)
    if (Status status = find_kernel(&kernels[k], handle, all[k])) return status;
  return kSuccess;
}

Status find_variable(Call& call, Address* address, size_t* nbytes, Handle handle,
                     const std::string& name) {
  auto& library = *reinterpret_cast<Library*>(handle);
  const auto found = std::ranges::find(library.symbols, name, &Symbol::name);
  if (found == library.symbols.end() || name.ends_with(kDescription)) return kNotFound;
  void* data = dlsym(library.images[0], name.c_str());
  if (adopt_host(data, found->nbytes, MemoryKind::variable, call.device) != 0)
    library.variables.push_back(reinterpret_cast<Address>(data));
  *address = reinterpret_cast<Address>(data);
  *nbytes = found->nbytes;
  return kSuccess;
}

Status name_of(const char** name, Handle kernel) {
  const auto found = names().find(kernel);
  if (found == names().end()) return kInvalidHandle;
  *name = found->second.c_str();
  return kSuccess;
}

}  // namespace

MODEL(cuLibraryLoadData,
      (Handle * library, const void* data, void*, void**, unsigned, void*, void**, unsigned), ENTER;
      return load(library, data))
MODEL(cuLibraryUnload, (Handle library), ENTER; return unload(library))
MODEL(cuLibraryGetModule, (Handle * module, Handle library), ENTER; *module = library;
      return kSuccess)
MODEL(cuLibraryGetKernel, (Handle * kernel, Handle library, const char* name), ENTER;
      return find_kernel(kernel, library, name))
MODEL(cuLibraryGetKernelCount, (unsigned* count, Handle library), ENTER;
      *count = kernels_of(*reinterpret_cast<const Library*>(library)).size(); return kSuccess)
MODEL(cuLibraryEnumerateKernels, (Handle * kernels, unsigned count, Handle library), ENTER;
      return list_kernels(kernels, count, library))
MODEL(cuLibraryGetGlobal, (Address * address, size_t* nbytes, Handle library, const char* name),
      ENTER;
      return find_variable(call, address, nbytes, library, name))
MODEL(cuKernelGetName, (const char** name, Handle kernel), ENTER; return name_of(name, kernel))
