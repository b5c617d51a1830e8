#include "matrix/facts.hpp"

namespace orch::matrix {

std::span<const Parameter> host_facts() {
  static const std::vector<Parameter> k_facts = {
      {.name = "host_gpus", .type = Type::integer, .help = "GPUs of the machine"},
      {.name = "host_gpu_model", .type = Type::text, .help = "their model"},
      {.name = "host_gpu_memory_gib", .type = Type::real, .help = "memory of one of them"},
      {.name = "host_mig", .type = Type::text, .help = "MIG profile; '' when none"},
      {.name = "host_cpu_model", .type = Type::text, .help = "model of the CPU"},
      {.name = "host_cpus", .type = Type::integer, .help = "processors"},
  };
  return k_facts;
}

Result<ModelFacts> read_model_facts(std::span<const ModelFact>, std::string_view, const std::string&) { return ModelFacts{}; }

}  // namespace orch::matrix
