// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/kernel_source.hpp"

#include <cctype>
#include <set>

namespace gpuarray::source {
namespace {

// An operation of ops.def: its name, the definition of its functor, and its expression.
struct FunctorText {
  std::string_view name;
  const char* definition;
  std::string_view expression;
};

constexpr FunctorText kFunctors[] = {
#define GPUARRAY_FUNCTOR(name, operands, rule, parameters, expression)                          \
  {#name,                                                                                       \
   "GPUARRAY_FUNCTOR(" #name ", " #operands ", " #rule ", " #parameters ", " #expression ")\n", \
   #expression},
#define GPUARRAY_UNARY(name, slot, dtypes, rule, expression, doc) \
  GPUARRAY_FUNCTOR(name, 1, rule, (first a), expression)
#define GPUARRAY_BINARY(name, slot, dtypes, rule, expression, doc) \
  GPUARRAY_FUNCTOR(name, 2, rule, (first a, T b), expression)
#define GPUARRAY_TERNARY(name, slot, dtypes, rule, expression, doc) \
  GPUARRAY_FUNCTOR(name, 3, rule, (first a, T b, T c), expression)
#include "kernels/ops.def"
#undef GPUARRAY_FUNCTOR
};

const FunctorText* functor_named(std::string_view name) {
  for (const FunctorText& functor : kFunctors)
    if (functor.name == name) return &functor;
  return nullptr;
}

// Which functions of real floating-point numbers are not in element/math_float.cuh alone.
struct MathHeader {
  const char* name;
  std::string_view functions;
};
constexpr MathHeader kMathHeaders[] = {
    {"arithmetic", " add divide multiply reciprocal subtract "},
    {"bessel", " i0 "},
    {"bits", " absolute copysign isfinite isinf negative signbit "},
    {"compare", " equal fmax fmin less less_equal maximum minimum not_equal "},
    {"scale", " ldexp "},
};

// Returns the header that has the function of an expression for a C++ type; that of all functions
// if the type is not known.
std::string math_header(std::string_view expression, std::string_view type) {
  char kind = 'c';
  for (const DTypeInfo& dtype : kDTypes)
    if (type == dtype.cpp_type) kind = dtype.kind;
  if (kind == 'c') return "element/math.cuh";
  if (kind != 'f') return "element/math_integer.cuh";
  constexpr std::string_view kNamespace = "math::";
  if (!expression.starts_with(kNamespace)) return "element/element.cuh";
  expression.remove_prefix(kNamespace.size());
  const std::string name = ' ' + std::string(expression.substr(0, expression.find('('))) + ' ';
  for (const MathHeader& header : kMathHeaders)
    if (header.functions.find(name) != header.functions.npos)
      return std::string("element/math_") + header.name + ".cuh";
  return "element/math_float.cuh";
}

// Calls use(name, rest) for each identifier of a text that ends with this, without it, and for the
// text after it.
template <class Use>
void for_each_named(std::string_view text, std::string_view end, Use&& use) {
  for (size_t at = text.find(end); at != text.npos; at = text.find(end, at + 1)) {
    size_t begin = at;
    while (begin > 0 && (std::isalnum(static_cast<unsigned char>(text[begin - 1])) != 0 ||
                         text[begin - 1] == '_'))
      --begin;
    use(text.substr(begin, at - begin), text.substr(at + end.size()));
  }
}

}  // namespace

std::string cpp_type(DType dtype) { return info(dtype).cpp_type; }

const char* identifier(DType dtype) {
  static const char* const names[] = {
#define GPUARRAY_DTYPE(name, ...) #name,
#include "kernels/dtypes.def"
  };
  return names[static_cast<int>(dtype)];
}

const char* class_of(DType dtype) {
  if (kind(dtype) == 'c') return "complex";
  if (kind(dtype) != 'f') return "integer";
  return itemsize(dtype) <= 2 ? "half" : "float";
}

std::string word_type(int bytes) {
  return bytes == 16 ? "uint4" : "uint" + std::to_string(8 * bytes) + "_t";
}

std::string include(const std::string& header) { return "#include \"kernels/" + header + "\"\n"; }

std::string functors(std::string_view text) {
  std::set<std::string> includes, definitions;
  for_each_named(text, "_functor<", [&](std::string_view name, std::string_view rest) {
    const FunctorText* const functor = functor_named(name);
    if (functor == nullptr) return;
    includes.insert(include(math_header(functor->expression, rest.substr(0, rest.find('>')))));
    definitions.insert(functor->definition);
  });
  if (definitions.empty()) return "";
  std::string all = include("element/functor.cuh");
  for (const std::string& line : includes) all += line;
  all += "namespace gpuarray {\n";
  for (const std::string& line : definitions) all += line;
  return all + "}\n";
}

int count_large_functors(std::string_view text) {
  int count = 0;
  for_each_named(text, "_functor<", [&](std::string_view name, std::string_view) {
    for (const char* large : {"sin", "cos", "tan", "power"}) count += name == large;
  });
  return count;
}

std::string by_value(const std::string& type) {
  return "const __grid_constant__ " + type + " params";
}

std::string kernel(const std::string& headers, const std::string& parameters,
                   const std::string& body, const std::string& bounds) {
  return headers + "using namespace gpuarray;\nextern \"C\" __global__ void " + bounds +
         " gpuarray_kernel(" + parameters + ") { " + body + "; }\n";
}

}  // namespace gpuarray::source
