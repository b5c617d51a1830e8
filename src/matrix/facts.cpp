#include "matrix/facts.hpp"

#include "base/text.hpp"

#include <nlohmann/json.hpp>

namespace orch::matrix {

std::span<const Parameter> host_facts() {
  static const std::vector<Parameter> k_facts = {
      {.name = "host_gpus", .type = Type::integer, .least = 0, .help = "GPUs of the machine"},
      {.name = "host_nodes",
       .type = Type::integer,
       .least = 1,
       .help = "machines of this kind that the ranks of a server may be divided among"},
      {.name = "host_gpu_model", .type = Type::text, .help = "their model"},
      {.name = "host_gpu_memory_gib", .type = Type::real, .help = "memory of one GPU"},
      {.name = "host_mig", .type = Type::text, .help = "MIG profile; '' when none"},
      {.name = "host_cpu_model", .type = Type::text, .help = "model of the CPU"},
      {.name = "host_cpus", .type = Type::integer, .least = 1, .help = "processors"},
  };
  return k_facts;
}

namespace {

using Json = nlohmann::json;

// What PATH ("text_config.num_heads") leads to; nullptr when it is not there or null.
const Json* at_path(const Json& root, const std::string& path) {
  const Json* at = &root;
  for (const std::string& key : split(path, '.')) {
    if (!at->is_object()) return nullptr;
    const auto found = at->find(key);
    if (found == at->end() || found->is_null()) return nullptr;
    at = &*found;
  }
  return at;
}

Result<Value> read_fact(const Parameter& column, const Json& value, const std::string& key) {
  if (value.is_structured())
    return invalid(fmt::format("{} must be one value for '{}', not {}", quoted(key), column.name,
                               value.is_array() ? "a list" : "an object"));
  auto read = read_text(column, value.is_string() ? value.get<std::string>() : value.dump());
  if (read) return read;
  return read.error().within(quoted(key));
}

}  // namespace

Result<ModelFacts> read_model_facts(std::span<const ModelFact> facts, std::string_view config,
                                    const std::string& file) {
  const Location where{file, 0, 0};
  const Json root = Json::parse(config, nullptr, false);
  if (!root.is_object())
    return invalid("this is not a JSON object, so it has no facts of the model; correct it", where);
  ModelFacts known{.values = {}, .complete = true};
  for (const ModelFact& fact : facts) {
    for (const std::string& key : fact.keys) {
      const Json* value = at_path(root, key);
      if (!value) continue;
      auto read = read_fact(fact.column, *value, key);
      if (!read) return invalid(read.error().message, where);
      known.values.emplace(fact.column.name, std::move(*read));
      break;
    }
  }
  return known;
}

}  // namespace orch::matrix
