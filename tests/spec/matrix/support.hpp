// The vocabulary of a small runner, and helpers that expand the text of a matrix into points or
// errors. Knows no manifest.
#pragma once

#include "spec/matrix/expand.hpp"

#include <string>

#include <fmt/format.h>

namespace orch::matrix {

inline Vocabulary toy_vocabulary() {
  Vocabulary toy;
  toy.runner = "toy";
  auto add = [&toy](Parameter parameter) {
    parameter.where = {"runner.yaml", static_cast<int>(toy.parameters.size()) + 2, 3};
    toy.parameters.push_back(std::move(parameter));
  };
  add({.name = "model", .type = Type::text});
  add({.name = "precision",
       .type = Type::text,
       .allowed = {"f16", "q8_0", "q4_0"},
       .fallback = Value{Type::text, "f16"}});
  add({.name = "isl", .type = Type::integer, .least = 1, .fallback = Value{Type::integer, "128"}});
  add({.name = "osl", .type = Type::integer, .least = 1, .fallback = Value{Type::integer, "16"}});
  add({.name = "batch_size",
       .type = Type::integer,
       .least = 1,
       .fallback = Value{Type::integer, "8"}});
  add({.name = "tp", .type = Type::integer, .least = 1, .fallback = Value{Type::integer, "1"}});
  add({.name = "pp", .type = Type::integer, .least = 1, .fallback = Value{Type::integer, "1"}});
  add({.name = "concurrency", .type = Type::integer, .least = 1});
  add({.name = "num_prompts",
       .type = Type::integer,
       .least = 1,
       .fallback_sql = "max(20, 10 * concurrency)"});
  add({.name = "temperature", .type = Type::real, .fallback = Value{Type::real, "0.0"}});
  add({.name = "stream", .type = Type::boolean, .fallback = Value{Type::boolean, "true"}});
  add({.name = "tool_version", .type = Type::version, .fallback = Value{Type::version, "0.14.0"}});
  add({.name = "note", .type = Type::text});
  toy.rules.push_back({.name = "one-rank",
                       .require = "tp = 1 AND pp = 1",
                       .because = "toy has one rank, not tp {tp} x pp {pp}",
                       .where = Location{"runner.yaml", 20, 5}});
  toy.read = {"model", "precision",   "isl",         "osl",    "batch_size",  "tp",
              "pp",    "num_prompts", "temperature", "stream", "tool_version"};
  return toy;
}

inline std::string text_of(const Errors& errors) {
  std::string text;
  for (const Error& error : errors) text += error.text() + "\n";
  return text;
}

struct Expanded {
  Matrix matrix;
  Expansion expansion;
  Errors errors;
};

inline Expanded expanded(std::string_view yaml, const Vocabulary& vocabulary = toy_vocabulary(),
                         const ExpandOptions& options = {}, const KnownFacts& facts = {}) {
  Expanded out;
  out.matrix = parse_matrix(yaml, "m.yaml", out.errors);
  out.expansion = expand(out.matrix, vocabulary, facts, out.errors, options);
  return out;
}

// Every diagnostic, one on a line.
inline std::string errors_of(std::string_view yaml,
                             const Vocabulary& vocabulary = toy_vocabulary()) {
  return text_of(expanded(yaml, vocabulary).errors);
}

// The valid first lines of a matrix: name, runner, a model `m` and a concurrency.
inline const std::string k_head =
    "name: x\nrunner: toy\nmodels: {m: {source: 'generate:nano'}}\ndefaults: {model: m, "
    "concurrency: 2}\n";

// "" for a parameter without a value.
inline std::string value_of(const Point& point, const std::string& parameter) {
  const Value* value = point.parameters.find(parameter);
  return value ? value->text : "";
}

}  // namespace orch::matrix
