// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/driver/blocking.hpp"

namespace gpuarray {

// How a library of the CUDA toolkit is called, and the file that each CUDA brings: a library counts
// its own major numbers, which need not be CUDA's (libcufft.so.12 belongs to CUDA 13).
struct CudaLibraryNames {
  const char* title;         // "NVRTC"
  const char* role;          // what its absence leaves out: "run-time compiler"
  const char* stem;          // "libnvrtc": the file is <stem>.so.<major>
  int major_of_13;           // the library's major number in CUDA 13
  int major_of_12;           // and in CUDA 12
  const char* folder_of_12;  // where CUDA 12's wheel has it: nvidia/<folder>/lib
};

// What a library says of itself; all 0 where it does not tell.
struct LibraryVersion {
  int major = 0;
  int minor = 0;
  int patch = 0;

  // 13010 for 13.1, as the libraries that are numbered as CUDA is and the driver count.
  int cuda_number() const { return 1000 * major + 10 * minor; }
};
std::string to_string(const LibraryVersion& version);  // "13.1.0", "" where it is not known

// Looks up functions of an open library by name, and remembers the first that is missing.
class FunctionFinder {
 public:
  explicit FunctionFinder(void* library) : library_(library) {}

  template <class Function>
  void operator()(const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(find(name));
  }
  // The same for a function that the library may lack: null then.
  void* find_optional(const char* name) const;

  const std::string& missing() const { return missing_; }  // "" if all were found
  const std::string& path() const { return path_; }        // the file of the functions found

 private:
  void* find(const char* name);

  void* library_;
  std::string missing_;
  std::string path_;
};

// A library that is looked for at the first question about it, once a process, and never unloaded.
// The file is what the environment variable names, or else the first that loads and has every
// function: of NVIDIA's wheels, in the folders of CUDA_HOME and CUDA_PATH, on the loader's path and
// in /usr/local/cuda. Any thread may ask; the GIL is given up while another one loads.
class CudaLibrary {
 public:
  CudaLibrary(const CudaLibrary&) = delete;
  CudaLibrary& operator=(const CudaLibrary&) = delete;

  const CudaLibraryNames& names() const { return names_; }
  std::string variable() const;  // GPUARRAY_LIBNVRTC: the environment variable that names the file

  bool available() { return found().reason.empty(); }
  const std::string& absent_reason() { return found().reason; }  // "" if it is available
  // The file and the version; empty without one.
  const std::string& path() { return found().path; }
  const LibraryVersion& version() { return found().version; }

 protected:
  explicit CudaLibrary(const CudaLibraryNames& names);
  ~CudaLibrary() = default;

  // Fills the table of functions of an open library. Called once for each file tried.
  virtual void find_functions(FunctionFinder& find) = 0;
  // Asks a library whose functions were all found. Returns why it cannot be used, "" if it can.
  virtual std::string ask_version(const FunctionFinder& find, LibraryVersion& version) = 0;

  // Throws DeviceError, which says what to install, where the library is not available.
  void require() {
    if (!available()) [[unlikely]]
      throw_absent();
  }

 private:
  struct Found {
    std::string path;
    std::string reason;
    LibraryVersion version;
  };

  const Found& found() {
    return found_.get([this] { return search(); });
  }
  Found search();
  // Returns why the library cannot be used, "" if it can.
  std::string take(void* library, Found& found);
  std::vector<std::string> candidates() const;
  [[noreturn]] void throw_absent();

  const CudaLibraryNames names_;
  MadeOnce<Found> found_;
};

// A library with its table of functions, which GPUARRAY_LIBRARY_TABLE declares.
template <class Table>
class LoadedLibrary final : public CudaLibrary {
 public:
  // How the library tells its version; returns why it cannot be used, "" if it can.
  using AskVersion = std::string (*)(const Table& table, const FunctionFinder& find,
                                     LibraryVersion& version);

  LoadedLibrary(const CudaLibraryNames& names, AskVersion ask)
      : CudaLibrary(names), ask_version_(ask) {}

  // Throws DeviceError, which says what to install, where the library is not available.
  const Table& functions() {
    require();
    return table_;
  }

 private:
  void find_functions(FunctionFinder& find) override { table_.find_all(find); }
  std::string ask_version(const FunctionFinder& find, LibraryVersion& version) override {
    return ask_version_(table_, find, version);
  }

  const AskVersion ask_version_;
  Table table_ = {};
};

// Declares a struct of pointers to the functions of a library from its list of
// FUNCTION(result, name, types of arguments ...).
#define GPUARRAY_LIBRARY_MEMBER(result, name, ...) result (*name)(__VA_ARGS__);
#define GPUARRAY_LIBRARY_FIND(result, name, ...) find(#name, name);
#define GPUARRAY_LIBRARY_TABLE(Table, LIST)                             \
  struct Table {                                                        \
    LIST(GPUARRAY_LIBRARY_MEMBER)                                       \
    void find_all(FunctionFinder& find) { LIST(GPUARRAY_LIBRARY_FIND) } \
  };

// The command that installs NVIDIA's wheels of them all.
inline constexpr const char* kInstallLibraries = "pip install 'gpuarray-cuda[cuda13]'";

// Every library that is declared, in the order of their titles. None is loaded by this.
std::vector<CudaLibrary*> cuda_libraries();

// The file that the function at `address` comes from, "" where it is not known.
std::string library_file(const void* address);

// A file's size, 0 where there is none.
int64_t file_bytes(const std::string& file);

// Adds a folder that wheels are installed in; to be called before any library is looked for.
void add_wheel_folder(std::string folder);
std::vector<std::string> wheel_folders();

}  // namespace gpuarray
