// The part of a runner that a matrix is expanded with: parameters, rules, facts and questions about
// points. Knows no stage but its name.
#pragma once

#include "core/base/enum_names.hpp"
#include "spec/matrix/facts.hpp"
#include "spec/matrix/parameter.hpp"
#include "spec/matrix/versions.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace orch::matrix {

// What remains of the outputs of tasks once nothing that is still to run needs them. Each keeps
// less than the one before.
enum class Keep {
  all,
  engines,  // what servers start from: engines, and models
  results,  // neither, nor what they are made from
};

constexpr auto names_of(Tag<Keep>) { return value_names("all", "engines", "results"); }

struct Vocabulary {
  std::string runner;
  std::vector<Parameter> parameters;
  std::vector<Rule> rules;
  std::vector<std::string> read;    // parameters that some stage reads
  std::vector<std::string> stages;  // names, in order: what `provide:` may name
  std::vector<ModelFact> model_facts;
  std::vector<Question> questions;
  std::optional<Versions> versions{};

  const Parameter* find(std::string_view name) const;
  // Some stage reads the parameter NAME; `model` counts as read.
  bool is_read(std::string_view name) const;
};

}  // namespace orch::matrix
