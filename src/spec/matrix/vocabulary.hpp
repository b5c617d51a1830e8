// The part of a runner that is needed to expand a matrix: parameters, rules, facts, questions about
// points, and the names of stages.
#pragma once

#include "core/base/enum_names.hpp"
#include "core/base/result.hpp"
#include "spec/keys/matrix_keys.hpp"
#include "spec/matrix/parameter.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orch::matrix {

// The versions of the tool that a runner drives: which ones its manifest lists, and how well they
// are known.

class Points;

enum class Evidence {
  verified,   // options were read from that version, or tried with it
  neighbour,  // from a neighbouring version
  inferred,   // from documentation
};

constexpr auto names_of(Tag<Evidence>) { return keys::k_evidences; }

// A version of the same minor release as one of ROWS (0.12.1, 0.12.0.post1) is assumed to have the
// options of the newest row that is not newer. Other versions are unknown.
struct Versions {
  struct Row {
    std::string version;
    Evidence evidence = Evidence::verified;
    std::string note{};  // its source
  };
  std::string parameter;    // of type version
  std::string of;           // "TensorRT-LLM"
  std::vector<Row> rows{};  // oldest first, at least one
  // Releases of another product and the versions that they contain: Triton 24.10 -> 0.14.0.
  struct Carrier {
    std::string of;  // "Triton"
    std::vector<std::pair<std::string, std::string>> rows;
  };
  std::optional<Carrier> carried_by{};
  Location where{};

  // The row of VERSION or of the newest version before it; null if it is older than every row.
  const Row* at(std::string_view version) const;
};

// SQL that is true for the known versions.
std::string known_versions_sql(const Versions& versions);

// A suggestion for the unknown VERSION: "the nearest are 0.14.0 and 0.15.0", or the version
// contained in the carrier release of this number.
std::string instead_of(const Versions& versions, const std::string& version);

// One sentence per version of POINTS that is not verified.
std::vector<std::string> warnings_of(const Versions& versions, const Points& points);

// Facts: properties of models (`model_*`, from config.json or `models: NAME: facts:`) and of the
// machine (`host_*`) that rules may read besides parameters. A fact is known, absent or unknown.

// host_gpus, host_nodes, host_gpu_model, host_gpu_memory_gib, host_mig, host_cpu_model, host_cpus.
std::span<const Parameter> host_facts();

// A fact of models that a runner's expressions read, and its keys in config.json.
struct ModelFact {
  Parameter column;               // "model_heads" and its type; no default
  std::vector<std::string> keys;  // dotted paths into config.json; the first that exists counts
  // Its value if config.json or `facts:` describe the model without naming this fact.
  std::optional<Value> absent{};
};

// Where facts are in config.json, besides its top level.
struct FactPlaces {
  // Dotted paths of objects that may contain the keys, too: those of a model within a model. The
  // top level takes precedence.
  std::vector<std::string> below;
  // Values of keys that config.json may omit, by class of models and key. The key KIND of
  // config.json names the class.
  std::string kind;
  std::map<std::string, std::map<std::string, std::string>> defaults;
};

// The known facts of one model.
struct ModelFacts {
  std::map<std::string, Value> values;  // by column
  // config.json has been read: a fact missing in `values` is absent, not unknown.
  bool complete = false;
};

struct KnownFacts {
  std::map<std::string, Value> host;         // by column; all others are unknown
  std::map<std::string, ModelFacts> models;  // by the model's name in the matrix
  // Facts of models from the runner's catalogue; used until the model's own files have been read.
  std::map<std::string, std::map<std::string, Value>> catalogue = {};
};

// The facts in CONFIG, the text of a config.json, which may contain the bare words Infinity and
// NaN. FILE is for messages. A value that does not fit its column's type is an error. For a number
// given as a list, one per layer, the mean is used; for a text, the list as JSON.
Result<ModelFacts> read_model_facts(std::span<const ModelFact> facts, std::string_view config,
                                    const std::string& file, const FactPlaces& places = {});

// CONFIG, the text of a JSON object, with NAME: VALUE added.
std::string with_member(std::string_view config, const std::string& name, std::int64_t value);

// Which outputs of tasks remain once nothing that is still to run needs them. Each value keeps less
// than the one before.
enum class Keep {
  all,
  engines,  // only the engines and models that servers start from
  results,  // no engines, no models, and none of their inputs
};

constexpr auto names_of(Tag<Keep>) { return keys::k_kept; }

struct Vocabulary {
  std::string runner;
  std::vector<Parameter> parameters;
  std::vector<Rule> rules;
  std::vector<std::string> read;    // parameters that some stage reads
  std::vector<std::string> stages;  // the names that `provide:` may use, in order
  std::vector<ModelFact> model_facts;
  std::vector<Question> questions;
  std::optional<Versions> versions{};

  const Parameter* find(std::string_view name) const;
  // Whether some stage reads the parameter NAME; `model` counts as read.
  bool is_read(std::string_view name) const;
};

}  // namespace orch::matrix
