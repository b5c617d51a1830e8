#include "app/session/host/host_facts.hpp"

#include "core/base/text.hpp"

#include <algorithm>
#include <set>

namespace orch::session {

namespace {

constexpr std::string_view k_prefix = "host_";
constexpr std::string_view k_nodes = "nodes";  // says nothing of what a machine has

const matrix::Parameter* fact_of(std::string_view key) {
  for (const matrix::Parameter& fact : matrix::host_facts())
    if (std::string_view(fact.name).substr(k_prefix.size()) == key) return &fact;
  return nullptr;
}

std::map<std::string, std::string> detected_facts(const system::Machine& machine) {
  std::map<std::string, std::string> facts = {{"cpu_model", machine.cpu_model},
                                              {"cpus", std::to_string(machine.cpus)}};
  if (machine.gpus)
    facts.insert({{"gpus", std::to_string(machine.gpus->count)},
                  {"gpu_model", machine.gpus->model},
                  {"gpu_memory_gib", fmt::format("{:.1f}", machine.gpus->memory_gib)},
                  {"mig", machine.gpus->mig}});
  return facts;
}

// "H100" states the same GPU as the driver's "NVIDIA H100 80GB HBM3".
bool same_fact(const std::string& stated, const std::string& detected) {
  const std::string a = lower(stated), b = lower(detected);
  return a == b || (!a.empty() && b.find(a) != std::string::npos);
}

// The ways to state that the GPUs are not split.
bool is_no(const std::string& mig) {
  static const std::set<std::string> no = {"false", "off", "no", "none", "disabled", "0"};
  return no.contains(lower(mig));
}

bool is_about_gpus(std::string_view key) { return key.starts_with("gpu") || key == "mig"; }

std::string class_of(const std::map<std::string, std::string>& facts) {
  auto fact = [&](const char* key) {
    const auto found = facts.find(key);
    return found == facts.end() ? std::string() : found->second;
  };
  auto times = [](const std::string& what, const std::string& count) {
    return count.empty() ? what : fmt::format("{} x {}", what, count);
  };
  const std::string cpu = times(fact("cpu_model"), fact("cpus"));
  const std::string gpus = fact("gpus");
  if (gpus.empty() || gpus == "0") return cpu;
  const std::string model = fact("gpu_model").empty() ? "GPU" : fact("gpu_model");
  return fmt::format("{}{}, {}", times(model, gpus),
                     fact("mig").empty() ? "" : " MIG " + fact("mig"), cpu);
}

}  // namespace

HostFacts host_facts_of(const matrix::StatedMachine& stated, const system::Machine& detected) {
  std::map<std::string, std::string> facts = detected_facts(detected);
  // A stated fact that agrees with the detected one keeps the detected wording.
  const auto is_detected = [facts](const auto& entry) {
    return facts.contains(entry.first) && same_fact(entry.second.text, facts.at(entry.first));
  };
  for (const bool gpus : {true, false}) {
    const auto contradicts = [&](const auto& entry) {
      return entry.first != k_nodes && is_about_gpus(entry.first) == gpus && !is_detected(entry);
    };
    if (std::ranges::any_of(stated, contradicts))
      std::erase_if(facts, [&](const auto& fact) { return is_about_gpus(fact.first) == gpus; });
  }
  for (const auto& [key, value] : stated)
    if (!facts.contains(key)) facts[key] = value.text;
  facts.try_emplace(std::string(k_nodes), "1");
  // Stated GPUs are whole unless `mig` is stated as well.
  if (facts.contains("gpus")) facts.try_emplace("mig", "");
  if (const auto mig = facts.find("mig"); mig != facts.end() && is_no(mig->second))
    mig->second = "";
  HostFacts host;
  host.machine_class = class_of(facts);
  for (const auto& [key, text] : facts)
    if (const matrix::Parameter* fact = fact_of(key)) host.facts[fact->name] = {fact->type, text};
  if (const auto model = facts.find("gpu_model"); model != facts.end() && !model->second.empty())
    host.gpu_model = model->second;
  return host;
}

void refuse_other_machine(const matrix::StatedMachine& stated, const system::Machine& detected,
                          Errors& errors) {
  const auto facts = detected_facts(detected);
  for (const auto& [key, value] : stated) {
    const auto here = facts.find(key);
    // The driver rounds memory differently and reports no MIG profile by name.
    const bool not_comparable = key == "gpu_memory_gib" || key == "mig";
    const bool none = here == facts.end() && key == "gpus" && value.text != "0";
    if (!none && (here == facts.end() || not_comparable || same_fact(value.text, here->second)))
      continue;
    errors.push_back(
        invalid(fmt::format("'{}' is stated as {}, and {}; remove the statement to run here, or "
                            "only plan for that machine with `orchestrate plan`",
                            key, quoted(value.text),
                            none ? std::string("no GPU was detected on this machine")
                                 : fmt::format("this machine has {}", quoted(here->second))),
                value.where));
  }
}

bool is_elsewhere(const matrix::StatedMachine& stated, const system::Machine& detected) {
  Errors contradictions;
  refuse_other_machine(stated, detected, contradictions);
  return !contradictions.empty();
}

}  // namespace orch::session
