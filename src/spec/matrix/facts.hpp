// Facts: properties of models (`model_*`, from config.json or `models: NAME: facts:`) and of the
// machine (`host_*`) that rules may read beside parameters. A fact is known, absent or unknown.
#pragma once

#include "spec/matrix/parameter.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orch::matrix {

// host_gpus, host_nodes, host_gpu_model, host_gpu_memory_gib, host_mig, host_cpu_model, host_cpus.
std::span<const Parameter> host_facts();

// A fact of models that a runner's expressions read, and the keys of config.json that hold it.
struct ModelFact {
  Parameter column;               // "model_heads" and its type; no default
  std::vector<std::string> keys;  // dotted paths into config.json; the first that exists counts
  // Its value when config.json or `facts:` describe the model without naming this fact.
  std::optional<Value> absent{};
};

// Where facts stand in config.json beside its top level.
struct FactPlaces {
  // Dotted paths of objects that have the keys, too: those of a model within a model. What the top
  // level has comes first.
  std::vector<std::string> below;
  // What the class of a model adds to its config.json: values by key, by the value of `kind`.
  std::string kind;
  std::map<std::string, std::map<std::string, std::string>> defaults;
};

// The known facts of one model.
struct ModelFacts {
  std::map<std::string, Value> values;  // by column
  // config.json has been read: a fact that is not in `values` is absent, not unknown.
  bool complete = false;
};

struct KnownFacts {
  std::map<std::string, Value> host;         // by column; all others are unknown
  std::map<std::string, ModelFacts> models;  // by the model's name in the matrix
  // The same, as the runner knows them: until the model's own files have been read.
  std::map<std::string, std::map<std::string, Value>> catalogue = {};
};

// The facts in CONFIG, the text of a config.json, which may have the bare words Infinity and NaN.
// FILE is for messages. A value that does not fit its column's type is an error. A number that
// stands there as a list, one for each layer, is their mean; a text is the list as JSON.
Result<ModelFacts> read_model_facts(std::span<const ModelFact> facts, std::string_view config,
                                    const std::string& file, const FactPlaces& places = {});

// CONFIG, the text of a JSON object, with NAME: VALUE beside its other keys.
std::string with_member(std::string_view config, const std::string& name, std::int64_t value);

}  // namespace orch::matrix
