// What decides about points without being a parameter: facts of models (`model_*`, from their
// config.json or `models: NAME: facts:`) and of the machine (`host_*`). A fact may be known, known
// to be absent, or not known yet.
#pragma once

#include "matrix/parameter.hpp"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orch::matrix {

// host_gpus, host_gpu_model, host_gpu_memory_gib, host_mig, host_cpu_model, host_cpus.
std::span<const Parameter> host_facts();

// A fact of models that a runner's expressions read, and the keys of config.json that tell it.
struct ModelFact {
  Parameter column;               // "model_heads" and its type; no default
  std::vector<std::string> keys;  // dotted paths into config.json; the first that is there counts
  std::optional<Value> absent{};  // what it is where neither config.json nor `facts:`, if one of
                                  // them speaks, names it
};

// What is known of one model.
struct ModelFacts {
  std::map<std::string, Value> values;  // by column
  bool complete =
      false;  // its config.json has been read: a column that is not in `values` is not unknown
};

struct KnownFacts {
  std::map<std::string, Value> host;         // by column; what is not here is unknown
  std::map<std::string, ModelFacts> models;  // by the model's name in the matrix
};

// The facts that CONFIG, the text of a config.json, tells. FILE is for messages. A key whose value
// does not fit its column's type is an error.
Result<ModelFacts> read_model_facts(std::span<const ModelFact> facts, std::string_view config,
                                    const std::string& file);

}  // namespace orch::matrix
