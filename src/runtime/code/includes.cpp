// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/code/includes.hpp"

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "core/sha256.hpp"

namespace gpuarray {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSpace = " \t\r\v\f";

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(kSpace);
  return begin == std::string_view::npos ? "" : text.substr(begin);
}

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// Reads a line, joined with the next one as long as it ends with a backslash.
bool joined_line(std::istream& lines, std::string& line) {
  if (!std::getline(lines, line)) return false;
  for (std::string next;;) {
    const size_t last = line.find_last_not_of(kSpace);
    if (last == std::string::npos || line[last] != '\\' || !std::getline(lines, next)) return true;
    line.replace(last, std::string::npos, next);
  }
}

struct Include {
  std::string name;
  bool quoted;
};

// Returns the name in quotes or angle brackets that `text` begins with.
std::optional<Include> quoted_name(std::string_view text) {
  if (text.empty() || (text[0] != '"' && text[0] != '<')) return std::nullopt;
  const size_t end = text.find(text[0] == '"' ? '"' : '>', 1);
  if (end == std::string_view::npos) return std::nullopt;
  return Include{std::string(text.substr(1, end - 1)), text[0] == '"'};
}

// The headers that the preprocessor may ask for in a text. Comments are not told from code, because
// a name too many does no harm.
struct Includes {
  std::vector<Include> names;
  bool complete = true;

  explicit Includes(const std::string& text) {
    std::istringstream lines(text.starts_with(kByteOrderMark) ? text.substr(3) : text);
    for (std::string line; joined_line(lines, line);) {
      std::string_view rest = line;
      bool is_directive = add(rest);
      for (size_t end; (end = rest.find("*/")) != std::string_view::npos;) {
        rest.remove_prefix(end + 2);  // a directive may follow a comment
        is_directive |= add(rest);
      }
      if (is_directive) add_questions(line);
    }
  }

 private:
  // Adds what the directive at the begin of the text includes; returns whether there is one.
  bool add(std::string_view line) {
    line = trimmed(line);
    if (!line.starts_with('#') && !line.starts_with("%:")) return false;
    line = trimmed(line.substr(line[0] == '#' ? 1 : 2));
    if (line.starts_with("include") || line.starts_with("/*"))
      add_name(line.starts_with("include") ? line.substr(7) : line);
    // Only the compiler knows where it looks for these.
    if (line.starts_with("import") || line.starts_with("embed")) complete = false;
    return true;
  }
  void add_questions(std::string_view line) {
    constexpr std::string_view kQuestion = "__has_include";
    for (size_t at; (at = line.find(kQuestion)) != std::string_view::npos;) {
      line = trimmed(line.substr(at + kQuestion.size()));
      if (line.starts_with('(')) add_name(line.substr(1));
    }
  }
  void add_name(std::string_view text) {
    std::optional<Include> found = quoted_name(trimmed(text));
    complete = complete && found.has_value();
    if (found) names.push_back(*found);
  }
};

std::optional<std::string> file_content(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return std::nullopt;
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return stream ? std::optional(text.str()) : std::nullopt;
}

// Hashes all headers that a text includes, transitively.
class Closure {
 public:
  explicit Closure(const IncludePath& path) : path_(path) {}

  void add_text(const std::string& text, const fs::path& folder) {
    const Includes includes(text);
    complete = complete && includes.complete;
    for (const Include& include : includes.names) add(include, folder);
  }

  Sha256 hash;
  std::set<std::string> found;
  bool complete = true;

 private:
  void add(const Include& include, const fs::path& folder) {
    if (find(include, folder)) {
      found.insert(include.name);
      return;
    }
    std::error_code error;
    for (const std::string& place : path_.toolkit)
      if (fs::is_regular_file(fs::path(place) / include.name, error)) return;
    hash.update("missing\n" + include.name + '\n');
  }

  bool find(const Include& include, const fs::path& folder) {
    if (include.quoted && add_file(folder / include.name)) return true;
    for (const std::string& place : path_.folders)
      if (add_file(fs::path(place) / include.name)) return true;
    return false;
  }

  bool add_file(const fs::path& file) {
    if (seen_.contains(file.lexically_normal())) return true;
    const std::optional<std::string> text = file_content(file);
    if (!text) return false;
    seen_.insert(file.lexically_normal());
    hash.update(file.lexically_normal().string() + '\n' + std::to_string(text->size()) + '\n');
    hash.update(*text);
    add_text(*text, file.parent_path());
    return true;
  }

  const IncludePath& path_;
  std::set<fs::path> seen_;
};

}  // namespace

IncludedHeaders included_headers(const std::string& source, const IncludePath& path) {
  Closure closure(path);
  closure.add_text(source, path.source_folder);
  IncludedHeaders headers{std::nullopt, std::move(closure.found)};
  if (closure.complete) headers.digest = closure.hash.hex();
  return headers;
}

}  // namespace gpuarray
