// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/code/image_kind.hpp"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>

#include "core/error.hpp"

namespace gpuarray {
namespace {

constexpr uint32_t kFatbinMagic = 0xba55ed50;
constexpr uint32_t kLtoIrMagic = 0x7f4e43ed;
constexpr std::string_view kArchiveMagic = "!<arch>\n";
constexpr int kCudaMachine = 190;    // EM_CUDA
constexpr int kNewerCudaAbi = 0x41;  // EI_OSABI since CUDA 13, which moved the architecture

// The headers of a fatbin and of each of its parts.
struct FatbinHeader {
  uint32_t magic;
  uint16_t version, header_size;
  uint64_t size;
};
struct FatbinEntry {
  uint16_t kind, version;
  uint32_t header_size;
  uint64_t size;  // bytes, without the header
};
constexpr int kFatbinPtx = 1, kFatbinCubin = 2;

uint32_t first_word(std::string_view content) {
  uint32_t word = 0;
  std::memcpy(&word, content.data(), std::min(content.size(), sizeof word));
  return word;
}

std::optional<Elf64_Ehdr> elf_header(std::string_view content) {
  Elf64_Ehdr header;
  if (!content.starts_with(ELFMAG) || content.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, content.data(), sizeof header);
  return header;
}

// Throws ValueError for an ELF file whose end is missing, because CUDA's libraries would read
// beyond it.
void check_complete(const Elf64_Ehdr& header, std::string_view content, const std::string& name) {
  const uint64_t sections = uint64_t{header.e_shnum} * header.e_shentsize;
  bool complete = header.e_shoff <= content.size() && sections <= content.size() - header.e_shoff &&
                  (header.e_shnum == 0 || header.e_shentsize == sizeof(Elf64_Shdr));
  for (int i = 0; complete && i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, content.data() + header.e_shoff + i * sizeof section, sizeof section);
    complete = section.sh_type == SHT_NOBITS || section.sh_type == SHT_NULL ||
               (section.sh_offset <= content.size() &&
                section.sh_size <= content.size() - section.sh_offset);
  }
  if (!complete) throw ValueError(name + ": an ELF file that is cut short or damaged");
}

bool is_text(std::string_view content) {
  return content.find('\0') == std::string_view::npos ||
         content.find_first_not_of('\0', content.find('\0')) == std::string_view::npos;
}

// Returns whether the text is PTX, which begins with its version, after comments and blanks.
bool is_ptx(std::string_view text) {
  while (true) {
    const size_t begin = text.find_first_not_of(" \t\r\n\v\f");
    if (begin == std::string_view::npos) return false;
    text.remove_prefix(begin);
    size_t end = std::string_view::npos;
    if (text.starts_with("//"))
      end = text.find('\n');
    else if (text.starts_with("/*"))
      end = text.find("*/", 2);
    else
      return text.starts_with(".version");
    if (end == std::string_view::npos) return false;
    text.remove_prefix(end + (text[1] == '*' ? 2 : 1));
  }
}

}  // namespace

const char* image_kind_name(ImageKind kind) {
  constexpr const char* kNames[] = {"CUDA C++", "cubin",  "PTX",    "LTO-IR",
                                    "fatbin",   "object", "archive"};
  return kNames[static_cast<int>(kind)];
}

ImageKind image_kind(std::string_view content, const std::string& name) {
  if (content.starts_with(ELFMAG)) {
    const std::optional<Elf64_Ehdr> header = elf_header(content);
    if (!header) throw ValueError(name + ": an ELF file that is cut short or damaged");
    check_complete(*header, content, name);
    return header->e_machine == kCudaMachine ? ImageKind::kCubin : ImageKind::kObject;
  }
  if (first_word(content) == kFatbinMagic) return ImageKind::kFatbin;
  if (first_word(content) == kLtoIrMagic) return ImageKind::kLtoIr;
  if (content.starts_with(kArchiveMagic)) return ImageKind::kArchive;
  if (!is_text(content))
    throw ValueError(name +
                     ": expected CUDA C++, PTX, a cubin, fatbin, object, archive or LTO-IR, got "
                     "other bytes");
  return is_ptx(content) ? ImageKind::kPtx : ImageKind::kSource;
}

bool is_loadable(std::string_view content, ImageKind kind) {
  if (kind != ImageKind::kFatbin) return kind == ImageKind::kCubin || kind == ImageKind::kPtx;
  FatbinHeader header;
  if (content.size() < sizeof header) return false;
  std::memcpy(&header, content.data(), sizeof header);
  std::string_view left = content.substr(std::min<size_t>(header.header_size, content.size()));
  for (FatbinEntry entry; left.size() >= sizeof entry;) {
    std::memcpy(&entry, left.data(), sizeof entry);
    if (entry.kind == kFatbinPtx || entry.kind == kFatbinCubin) return true;
    if (entry.header_size < sizeof entry || entry.size >= left.size() ||
        entry.header_size >= left.size() - entry.size)
      break;
    left.remove_prefix(entry.header_size + entry.size);
  }
  return false;
}

int cubin_architecture(std::string_view content) {
  const std::optional<Elf64_Ehdr> header = elf_header(content);
  if (!header || header->e_machine != kCudaMachine) return 0;
  const bool newer = header->e_ident[EI_OSABI] == kNewerCudaAbi;
  return static_cast<int>((newer ? header->e_flags >> 8 : header->e_flags) & 0xff);
}

}  // namespace gpuarray
