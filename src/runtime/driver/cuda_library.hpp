// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/driver/blocking.hpp"

namespace gpuarray {

// The names of a library of the CUDA toolkit, and the file that each CUDA has of it. A library
// counts its own major numbers, which need not be CUDA's: libcufft.so.12 belongs to CUDA 13.
struct CudaLibraryNames {
  const char* title;         // "NVRTC"
  const char* role;          // what is missing without it: "run-time compiler"
  const char* stem;          // "libnvrtc": the file is <stem>.so.<major>
  int major_of_13;           // the library's major number in CUDA 13
  int major_of_12;           // the library's major number in CUDA 12
  const char* folder_of_12;  // where CUDA 12's wheel has it: nvidia/<folder>/lib
};

// The version that a library reports; all 0 if it does not.
struct LibraryVersion {
  int major = 0;
  int minor = 0;
  int patch = 0;

  // Returns the version as the driver counts: 13010 for 13.1. It is for libraries that are numbered
  // as CUDA is.
  int cuda_number() const { return 1000 * major + 10 * minor; }
};
std::string to_string(const LibraryVersion& version);  // "13.1.0"; "" if not known

// Looks up functions of an open library by name, and remembers the first that is missing.
class FunctionFinder {
 public:
  explicit FunctionFinder(void* library) : library_(library) {}

  template <class Function>
  void operator()(const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(find(name));
  }
  // Looks up a function that the library may lack; null if it does.
  void* find_optional(const char* name) const;

  const std::string& missing() const { return missing_; }  // "" if all were found
  const std::string& path() const { return path_; }        // the file of the functions found

 private:
  void* find(const char* name);

  void* library_;
  std::string missing_;
  std::string path_;
};

// A library that is looked for when it is first asked about, once a process, and is never unloaded.
// The file is the one that the environment variable names, or else the first that loads and has
// every function: in NVIDIA's wheels, in the folders of CUDA_HOME and CUDA_PATH, on the loader's
// path, and in /usr/local/cuda. Thread-safe; a thread gives up the GIL while another one loads the
// library.
class CudaLibrary {
 public:
  CudaLibrary(const CudaLibrary&) = delete;
  CudaLibrary& operator=(const CudaLibrary&) = delete;

  const CudaLibraryNames& names() const { return names_; }
  std::string variable() const;  // GPUARRAY_LIBNVRTC: the environment variable that names the file

  bool available() { return found().reason.empty(); }
  const std::string& absent_reason() { return found().reason; }  // "" if it is available
  // Return the library's file and version; "" and 0 if it is not available.
  const std::string& path() { return found().path; }
  const LibraryVersion& version() { return found().version; }

 protected:
  explicit CudaLibrary(const CudaLibraryNames& names);
  ~CudaLibrary() = default;

  // Fills the table of functions of an open library. It is called once for each file that is tried.
  virtual void find_functions(FunctionFinder& find) = 0;
  // Asks a library whose functions were all found. Returns why it cannot be used, "" if it can.
  virtual std::string ask_version(const FunctionFinder& find, LibraryVersion& version) = 0;

  // Throws DeviceError, which says what to install, unless the library is available.
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
  // Asks the library for its version. Returns why the library cannot be used, "" if it can.
  using AskVersion = std::string (*)(const Table& table, const FunctionFinder& find,
                                     LibraryVersion& version);

  LoadedLibrary(const CudaLibraryNames& names, AskVersion ask)
      : CudaLibrary(names), ask_version_(ask) {}

  // Throws DeviceError, which says what to install, unless the library is available.
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

// Declares the same of functions that a library may lack, which then are null.
#define GPUARRAY_LIBRARY_FIND_OPTIONAL(result, name, ...) \
  name = reinterpret_cast<result (*)(__VA_ARGS__)>(find.find_optional(#name));
#define GPUARRAY_OPTIONAL_TABLE(Table, LIST)                                                \
  struct Table {                                                                            \
    LIST(GPUARRAY_LIBRARY_MEMBER)                                                           \
    void find_optional(const FunctionFinder& find) { LIST(GPUARRAY_LIBRARY_FIND_OPTIONAL) } \
  };

// Returns the command that installs NVIDIA's wheels of all these libraries, of the newest version
// of CUDA that the loaded driver can use.
const char* install_command();

// Notes the version of CUDA of the driver that was loaded (12080 is 12.8).
void note_driver_version(int version);

// Returns all declared libraries by title. Loads none of them.
std::vector<CudaLibrary*> cuda_libraries();

// Returns the file that the function at `address` comes from, "" if it is not known.
std::string library_file(const void* address);

// Returns a file's size in bytes, 0 if there is no file.
int64_t file_bytes(const std::string& file);

// Adds a folder that wheels are installed in. Call it before any library is looked for.
void add_wheel_folder(std::string folder);
std::vector<std::string> wheel_folders();

}  // namespace gpuarray
