#include "app/session/host/host_facts.hpp"

#include "core/base/text.hpp"
#include "spec/container/container.hpp"

namespace orch::session {

namespace {

constexpr std::string_view k_prefix = "host_";
constexpr std::string_view k_nodes = "nodes";  // not a fact of the machine itself

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

// Whether STATED agrees with DETECTED: "H100" is the same GPU as the driver's "NVIDIA H100 80GB
// HBM3".
bool same_fact(const std::string& stated, const std::string& detected) {
  const std::string a = lower(stated), b = lower(detected);
  return a == b || (!a.empty() && b.find(a) != std::string::npos);
}

// Whether MIG states that the GPUs are not split.
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

constexpr std::string_view k_gpus = "gpus";
constexpr std::int64_t k_last_index = 1023;

void state_count(matrix::StatedMachine& stated, const GpuIds& wanted) {
  std::erase_if(stated, [](const auto& fact) { return fact.first == k_gpus; });
  Yaml count;
  count.kind = Yaml::Kind::scalar;
  count.text = std::to_string(wanted.ids.size());
  count.where = wanted.where;
  stated.emplace_back(k_gpus, std::move(count));
}

// Rejects WANTED GPUs that a stated machine does not have. UUIDs are not checked: its GPUs have
// none.
void refuse_beyond(const GpuIds& wanted, const matrix::StatedMachine& stated, Errors& errors) {
  const auto fact =
      std::ranges::find_if(stated, [](const auto& one) { return one.first == k_gpus; });
  const auto count = fact == stated.end() ? std::nullopt : to_integer(fact->second.text);
  if (!count) return;
  for (const std::string& id : wanted.ids)
    if (const auto index = to_integer(id); index && *index >= *count)
      errors.push_back(invalid(
          *count == 0
              ? fmt::format("GPU {} is chosen, but the machine is stated to have none", id)
              : fmt::format("GPU {} is chosen, but the machine is stated to have {}: 0 to {}", id,
                            *count, *count - 1),
          wanted.where));
  if (static_cast<std::int64_t>(wanted.ids.size()) > *count)
    errors.push_back(invalid(fmt::format("{} GPUs are chosen, but the machine is stated to have {}",
                                         wanted.ids.size(), *count),
                             wanted.where));
}

}  // namespace

HostFacts host_facts_of(const matrix::StatedMachine& stated, const system::Machine& detected) {
  std::map<std::string, std::string> facts = detected_facts(detected);
  // If a stated fact agrees with the detected one, the detected text is used.
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
  // If GPUs are stated, they are not split unless `mig` is also stated.
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
    // Not comparable: the driver rounds memory differently, and does not report MIG profiles by
    // name.
    const bool not_comparable = key == "gpu_memory_gib" || key == "mig";
    const bool none = here == facts.end() && key == "gpus" && value.text != "0";
    if (!none && (here == facts.end() || not_comparable || same_fact(value.text, here->second)))
      continue;
    errors.push_back(
        invalid(fmt::format("'{}' is stated as {}, but {}; remove the statement to run here, or "
                            "only plan for that machine with `orchestrate plan`",
                            key, quoted(value.text),
                            none ? std::string("no GPU was detected on this machine")
                                 : fmt::format("this machine has {}", quoted(here->second))),
                value.where));
  }
}

bool is_other_machine(const matrix::StatedMachine& stated, const system::Machine& detected) {
  Errors contradictions;
  refuse_other_machine(stated, detected, contradictions);
  return !contradictions.empty();
}

std::string why_no_gpu_id(const std::string& id) {
  if (const auto index = to_integer(id); index && *index >= 0 && *index <= k_last_index) return "";
  const auto is_part_of_uuid = [](char c) { return is_letter_or_digit(c) || c == '-'; };
  for (const std::string_view begin : {"GPU-", "MIG-"})
    if (id.size() > begin.size() && id.starts_with(begin) &&
        std::ranges::all_of(id, is_part_of_uuid))
      return "";
  return fmt::format(
      "{} is not a GPU; write the indices or UUIDs that `nvidia-smi -L` prints, such as 4,5",
      quoted(id));
}

std::set<int> GpuChoice::indices() const {
  std::set<int> indices;
  for (const system::Gpu& gpu : gpus) indices.insert(gpu.index);
  return indices;
}

std::string GpuChoice::note() const {
  if (wanted.variable.empty()) return "";
  return fmt::format("{} of the environment: stages use {}{}", wanted.variable,
                     wanted.ids.empty()       ? "no GPU"
                     : wanted.ids.size() == 1 ? "GPU "
                                              : "GPUs ",
                     join(wanted.ids, ", "));
}

namespace {

// The GPUs that the value of CUDA_VISIBLE_DEVICES shows.
class Visible {
 public:
  Visible(const std::string& value, const system::Gpus& gpus) : gpus_(gpus) {
    if (trim(value).empty()) return;
    for (const std::string& entry : split(value, ',')) {
      const std::string id(trim(entry));
      numbers_ |= to_integer(id).has_value();
      auto one = why_no_gpu_id(id).empty() ? system::part_of(gpus, {id})
                                           : Result<system::Gpus>(invalid("no GPU"));
      if (one && indices_.insert(one->each.front().index).second) continue;
      end_ = id;
      return;
    }
  }

  const std::set<int>& indices() const { return indices_; }
  // The first entry that names no GPU of this machine, or one already named; nullopt if none does.
  const std::optional<std::string>& end() const { return end_; }
  // Whether indices are used although the GPUs differ in model, so that other programs may number
  // them differently.
  bool is_ambiguous() const {
    return numbers_ && std::ranges::any_of(gpus_.each, [&](const auto& gpu) {
             return gpu.model != gpus_.each.front().model;
           });
  }
  bool has_numbers() const { return numbers_; }

 private:
  const system::Gpus& gpus_;
  std::set<int> indices_;
  std::optional<std::string> end_;
  bool numbers_ = false;
};

std::vector<std::string> texts_of(const std::set<int>& indices) {
  std::vector<std::string> texts;
  for (const int index : indices) texts.push_back(std::to_string(index));
  return texts;
}

}  // namespace

GpuIds within_visible(const GpuIds& wanted, const Environment& environment, Errors& errors,
                      std::vector<std::string>& warnings) {
  const auto& [variables, gpus] = environment;
  const auto set = variables.find(container::k_visible_gpus);
  if (set == variables.end()) return wanted;
  const std::string variable = fmt::format("{}={}", set->first, printable(set->second));
  const Visible visible(set->second, gpus);
  const std::string shown =
      visible.indices().empty() ? "no GPU" : "GPUs " + join(texts_of(visible.indices()), ", ");
  if (visible.has_numbers() && !gpus.mig.empty()) {
    errors.push_back(invalid(fmt::format(
        "{} has indices, but GPUs of this machine are split (MIG); set it to UUIDs as `nvidia-smi "
        "-L` prints them, or unset it and use --gpus",
        variable)));
    return wanted;
  }
  if (visible.end())
    warnings.push_back(fmt::format(
        "{}: {} is not another GPU of this machine, so by CUDA's rules it and the entries after it "
        "are ignored, which leaves {}; set it to indices or UUIDs that `nvidia-smi -L` prints, or "
        "unset it",
        variable, quoted(*visible.end()), shown));
  const auto order = variables.find("CUDA_DEVICE_ORDER");
  if (visible.is_ambiguous() && (order == variables.end() || order->second != "PCI_BUS_ID"))
    warnings.push_back(fmt::format(
        "{} indexes GPUs of several models ({}): here in nvidia-smi's order, elsewhere the fastest "
        "first; set CUDA_DEVICE_ORDER=PCI_BUS_ID too, or set it to UUIDs",
        variable, gpus.model));
  if (!wanted.is_made()) return {.ids = texts_of(visible.indices()), .variable = variable};
  // GPUs that the machine does not have are left to choose_gpus().
  for (const std::string& id : wanted.ids)
    if (const auto one = system::part_of(gpus, {id});
        one && !visible.indices().contains(one->each.front().index))
      errors.push_back(invalid(
          fmt::format("GPU {} is chosen by --gpus or gpu_ids of the site file, but {} in the "
                      "environment shows {}; choose among these, or unset the variable",
                      id, variable, shown),
          wanted.where));
  return wanted;
}

UsedMachine choose_gpus(const GpuIds& wanted, const matrix::StatedMachine& stated,
                        const system::Machine& detected, Errors& errors) {
  UsedMachine used{.choice = {.wanted = wanted}, .stated = stated, .machine = detected};
  if (!wanted.is_made()) return used;
  if (!detected.gpus || is_other_machine(stated, detected)) {
    refuse_beyond(wanted, stated, errors);
    state_count(used.stated, wanted);
    return used;
  }
  auto part = system::part_of(*detected.gpus, wanted.ids);
  if (!part) {
    errors.push_back({part.error().kind, part.error().message, wanted.where});
    return used;
  }
  used.choice.gpus = part->each;
  used.machine.gpus = std::move(*part);
  if (std::ranges::any_of(stated, [](const auto& one) { return one.first == k_gpus; }))
    state_count(used.stated, wanted);
  return used;
}

void refuse_absent_gpus(const GpuChoice& choice, Errors& errors) {
  if (choice.wanted.ids.empty() || !choice.gpus.empty()) return;
  errors.push_back(invalid(
      fmt::format("{} is chosen by --gpus or gpu_ids of the site file, but no GPU was detected on "
                  "this machine; check that `nvidia-smi -L` works, or choose none",
                  quoted(join(choice.wanted.ids, ", "))),
      choice.wanted.where));
}

}  // namespace orch::session
