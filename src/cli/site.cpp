#include "cli/site.hpp"

#include "base/text.hpp"
#include "base/yaml.hpp"

#include <cstdlib>
#include <set>

namespace orch::cli {

namespace {

constexpr std::string_view k_prefix = "host_";

const matrix::Parameter* fact_of(std::string_view key) {
  for (const matrix::Parameter& fact : matrix::host_facts())
    if (std::string_view(fact.name).substr(k_prefix.size()) == key) return &fact;
  return nullptr;
}

std::optional<double> take_price(YamlMap& map, const char* key, Errors& errors) {
  const Yaml* value = map.take(key);
  if (!value) return std::nullopt;
  const auto number = value->is_scalar() ? to_real(value->text) : std::nullopt;
  if (number && *number >= 0 && *number < 1e9) return number;
  errors.push_back(invalid(
      fmt::format("'prices.{}' must be a number of at least 0, not {}", key, value->describe()),
      value->where));
  return std::nullopt;
}

Prices read_prices(const Yaml& node, Errors& errors) {
  YamlMap map(node, "'prices'", errors);
  Prices prices{.gpu_hour = take_price(map, "gpu_hour", errors),
                .machine_hour = take_price(map, "machine_hour", errors),
                .currency = map.take_text("currency").value_or("")};
  map.finish();
  return prices;
}

system::PortRange read_ports(const Yaml& node, Errors& errors) {
  YamlMap map(node, "'ports'", errors);
  system::PortRange range;
  const auto first = map.take_integer("first", 1), last = map.take_integer("last", 1);
  map.finish();
  constexpr std::int64_t k_last_port = 65535;
  const std::int64_t from = first.value_or(range.first), to = last.value_or(range.last);
  if ((first || last) && (from > to || to > k_last_port))
    errors.push_back(invalid(fmt::format("'ports' from {} to {} is no range of ports; write ports: "
                                         "{{first: 20000, last: 29999}}",
                                         from, to),
                             node.where));
  else if (from <= to) range = {.first = static_cast<int>(from), .last = static_cast<int>(to)};
  return range;
}

double take_grace(YamlMap& map, double usual_s, Errors& errors) {
  const Yaml* value = map.take("grace_s");
  if (!value) return usual_s;
  const auto seconds = value->is_scalar() ? to_real(value->text) : std::nullopt;
  if (seconds && *seconds >= 0 && *seconds <= 86400) return *seconds;
  errors.push_back(
      invalid(fmt::format("'grace_s' must be seconds from 0 to 86400, not {}", value->describe()),
              value->where));
  return usual_s;
}

std::optional<system::Containment> take_containment(YamlMap& map, Errors& errors) {
  const Yaml* value = map.take("containment");
  if (!value || value->text == "auto") return std::nullopt;
  if (const auto containment = system::parse_containment(value->text)) return containment;
  errors.push_back(
      invalid(fmt::format("'containment' must be auto, cgroup, pid-namespace or session, not {}",
                          value->describe()),
              value->where));
  return std::nullopt;
}

std::string usual_site_file() {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  const char* home = std::getenv("HOME");
  if (config && *config) return std::string(config) + "/orchestrate/site.yaml";
  return home && *home ? std::string(home) + "/.config/orchestrate/site.yaml" : "";
}

std::optional<Yaml> read_yaml(system::Files& files, const std::string& file, Errors& errors) {
  auto text = files.read_text(file, YamlLimits{}.bytes);
  if (!text) return errors.push_back(text.error()), std::nullopt;
  if (const auto secret = find_secret(*text)) {
    errors.push_back(
        invalid(fmt::format("this looks like {}; take it out and export it in the environment",
                            secret->kind),
                {file, secret->line, secret->column}));
    return std::nullopt;
  }
  auto root = parse_yaml(*text, file);
  if (!root) return errors.push_back(root.error()), std::nullopt;
  return std::move(*root);
}

}  // namespace

Site read_site(system::Files& files, const std::string& file, Errors& errors) {
  Site site;
  const std::string path = file.empty() ? usual_site_file() : file;
  if (path.empty() || (file.empty() && !files.exists(path))) return site;
  const auto root = read_yaml(files, path, errors);
  if (!root) return site;
  YamlMap map(*root, "the site file", errors);
  if (const Yaml* machine = map.take("machine"))
    site.machine = matrix::read_machine(*machine, errors);
  if (const Yaml* prices = map.take("prices")) site.prices = read_prices(*prices, errors);
  if (const Yaml* ports = map.take("ports")) site.ports = read_ports(*ports, errors);
  site.grace_s = take_grace(map, site.grace_s, errors);
  site.containment = take_containment(map, errors);
  map.finish();
  return site;
}

matrix::StatedMachine read_machine_file(system::Files& files, const std::string& file,
                                        Errors& errors) {
  const auto root = read_yaml(files, file, errors);
  if (!root) return {};
  const Yaml* below = root->find("machine");
  if (!below) return matrix::read_machine(*root, errors);
  YamlMap map(*root, "the machine file", errors);
  map.take("machine");
  map.finish();
  return matrix::read_machine(*below, errors);
}

namespace {

std::map<std::string, std::string> seen(const system::Machine& machine) {
  std::map<std::string, std::string> facts = {{"cpu_model", machine.cpu_model},
                                              {"cpus", std::to_string(machine.cpus)}};
  if (machine.gpus)
    facts.insert({{"gpus", std::to_string(machine.gpus->count)},
                  {"gpu_model", machine.gpus->model},
                  {"gpu_memory_gib", fmt::format("{:.1f}", machine.gpus->memory_gib)},
                  {"mig", machine.gpus->mig}});
  return facts;
}

// "H100" and "NVIDIA H100 80GB HBM3" are the same to a person.
bool same_fact(const std::string& stated, const std::string& seen) {
  const std::string a = lower(stated), b = lower(seen);
  return a == b || (!a.empty() && b.find(a) != std::string::npos);
}

// What a person writes who means that GPUs are not split.
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

Host host_of(const matrix::StatedMachine& stated, const system::Machine& detected) {
  std::map<std::string, std::string> facts = seen(detected);
  // A machine that is stated as what it is seen to be is that machine, in the words in which it was
  // seen.
  const auto is_seen = [facts](const auto& entry) {
    return facts.contains(entry.first) && same_fact(entry.second.text, facts.at(entry.first));
  };
  for (const bool gpus : {true, false}) {
    const auto contradicts = [&](const auto& entry) {
      return is_about_gpus(entry.first) == gpus && !is_seen(entry);
    };
    if (std::any_of(stated.begin(), stated.end(), contradicts))
      std::erase_if(facts, [&](const auto& fact) { return is_about_gpus(fact.first) == gpus; });
  }
  for (const auto& [key, value] : stated)
    if (!facts.contains(key)) facts[key] = value.text;
  // Who states GPUs says so where they are split.
  if (facts.contains("gpus")) facts.try_emplace("mig", "");
  if (const auto mig = facts.find("mig"); mig != facts.end() && is_no(mig->second))
    mig->second = "";
  Host host;
  host.machine_class = class_of(facts);
  for (const auto& [key, text] : facts)
    if (const matrix::Parameter* fact = fact_of(key)) host.facts[fact->name] = {fact->type, text};
  if (const auto model = facts.find("gpu_model"); model != facts.end() && !model->second.empty())
    host.gpu_model = model->second;
  return host;
}

void refuse_other_machine(const matrix::StatedMachine& stated, const system::Machine& detected,
                          Errors& errors) {
  const auto facts = seen(detected);
  for (const auto& [key, value] : stated) {
    const auto here = facts.find(key);
    const bool counted =
        key == "gpu_memory_gib" ||
        key == "mig";  // what the driver says is rounded otherwise, or no profile's name
    const bool none = here == facts.end() && key == "gpus" && value.text != "0";
    if (!none && (here == facts.end() || counted || same_fact(value.text, here->second))) continue;
    errors.push_back(
        invalid(fmt::format("'{}' is stated as {}, and {}; run without stating it, or plan for "
                            "that machine with `orchestrate plan`",
                            key, quoted(value.text),
                            none ? std::string("no GPU is seen on this machine")
                                 : fmt::format("this machine has {}", quoted(here->second))),
                value.where));
  }
}

}  // namespace orch::cli
