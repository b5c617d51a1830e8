#include "app/session/site.hpp"

#include "core/base/text.hpp"
#include "run/slurm/slurm.hpp"
#include "core/base/yaml.hpp"
#include "spec/keys/matrix_keys.hpp"
#include "core/secret/token_shapes.hpp"

#include <cstdlib>
#include <filesystem>

namespace orch::session {

namespace {

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

std::optional<double> take_weight(YamlMap& map, Errors& errors) {
  const Yaml* value = map.take("output_token_weight");
  if (!value) return std::nullopt;
  const auto number = value->is_scalar() ? to_real(value->text) : std::nullopt;
  if (number && *number >= 0.001 && *number <= 1e6) return number;
  errors.push_back(invalid(
      fmt::format("'prices.output_token_weight' must be a number from 0.001 to 1000000, such as 4: "
                  "an output token costs as much as 4 input tokens; not {}",
                  value->describe()),
      value->where));
  return std::nullopt;
}

Prices read_prices(const Yaml& node, Errors& errors) {
  YamlMap map(node, keys::k_prices, "'prices'", errors);
  Prices prices{.gpu_hour = take_price(map, "gpu_hour", errors),
                .machine_hour = take_price(map, "machine_hour", errors),
                .currency = map.take_text("currency").value_or(""),
                .output_token_weight = take_weight(map, errors)};
  map.finish();
  return prices;
}

system::PortRange read_ports(const Yaml& node, Errors& errors) {
  YamlMap map(node, keys::k_ports, "'ports'", errors);
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

GpuIds take_gpu_ids(YamlMap& map, Errors& errors) {
  GpuIds taken;
  const Yaml* value = map.take("gpu_ids");
  if (!value) return taken;
  taken.where = value->where;
  if (!value->is_list() || value->items.empty()) {
    errors.push_back(
        invalid(fmt::format("'gpu_ids' must be a list, such as gpu_ids: [4, 5], not {}",
                            value->is_list() ? "an empty one; leave it out to use every GPU"
                                             : value->describe()),
                value->where));
    return taken;
  }
  for (const Yaml& item : value->items) {
    const std::string why =
        item.is_scalar() ? why_no_gpu_id(item.text) : item.describe() + " is no GPU; write 4";
    if (why.empty()) taken.ids.push_back(item.text);
    else errors.push_back(invalid("'gpu_ids': " + why, item.where));
  }
  return taken;
}

std::map<std::string, int> take_tokens(YamlMap& map, Errors& errors) {
  constexpr std::int64_t k_most_tokens = 1'000'000;
  std::map<std::string, int> tokens;
  const Yaml* value = map.take("tokens");
  if (!value) return tokens;
  if (!value->is_map())
    errors.push_back(invalid(
        fmt::format("'tokens' must be a map such as {{licence: 2}}, not {}", value->describe()),
        value->where));
  for (const auto& [name, count] : value->entries) {
    const auto number = count.is_scalar() ? to_integer(count.text) : std::nullopt;
    if (number && *number >= 0 && *number <= k_most_tokens)
      tokens[name.text] = static_cast<int>(*number);
    else
      errors.push_back(
          invalid(fmt::format("'tokens.{}' must be how many there are, from 0 to {}, not {}",
                              name.text, k_most_tokens, count.describe()),
                  count.where));
  }
  return tokens;
}

void take_container(YamlMap& site_map, ContainerSite& site, Errors& errors) {
  const Yaml* node = site_map.take("container");
  if (!node) return;
  YamlMap map(*node, keys::k_site_container, "'container'", errors);
  if (const Yaml* engine = map.take("engine")) {
    if (const auto known = parse_name<container::Engine>(engine->text)) site.engine = *known;
    else
      errors.push_back(invalid(
          fmt::format("'container.engine' must be docker, podman, apptainer or cluster, not {}",
                      engine->describe()),
          engine->where));
  }
  site.command = map.take_list("command");
  site.options = map.take_list("options");
  site.rootless = map.take_bool("rootless");
  map.finish();
}

void refuse_own_options(const Yaml* options, Errors& errors) {
  if (!options) return;
  for (const Yaml& item : options->items)
    if (const slurm::OwnOption* own = slurm::own_option(item.text))
      errors.push_back(invalid(
          fmt::format("with {} in 'slurm.options', {}: {} is orchestrate's to set; leave it out",
                      quoted(item.text), own->harm, own->name),
          item.where));
}

attempt::SiteRequests take_requests(YamlMap& slurm, Errors& errors) {
  attempt::SiteRequests requests;
  const Yaml* node = slurm.take("resources");
  if (!node) return requests;
  if (!node->is_map())
    errors.push_back(invalid(
        fmt::format("'slurm.resources' must be a map such as {{convert: {{cpus: 16, memory_gib: "
                    "300}}}}, not {}",
                    node->describe()),
        node->where));
  for (const auto& [name, wanted] : node->entries) {
    YamlMap map(wanted, keys::k_site_resources,
                fmt::format("'slurm.resources.{}'", printable(name.text)), errors);
    attempt::SiteRequest& request = requests[name.text];
    if (const auto cpus = map.take_integer("cpus", 0)) request.cpus = static_cast<int>(*cpus);
    if (const Yaml* value = map.take("memory_gib")) {
      request.memory_gib = value->is_scalar() ? to_real(value->text) : std::nullopt;
      if (!(request.memory_gib.value_or(-1) >= 0 && *request.memory_gib <= 1e6))
        errors.push_back(invalid(fmt::format("'slurm.resources.{}.memory_gib' must be GiB from 0 "
                                             "to 1000000, not {}",
                                             printable(name.text), value->describe()),
                                 value->where));
    }
    map.finish();
  }
  return requests;
}

void take_slurm(YamlMap& site_map, SlurmSite& site, Errors& errors) {
  const Yaml* node = site_map.take("slurm");
  if (!node) return;
  YamlMap map(*node, keys::k_site_slurm, "'slurm'", errors);
  for (const char* key : {"account", "partition", "qos"})
    if (const auto value = map.take_text(key))
      site.words.push_back(fmt::format("--{}={}", key, *value));
  refuse_own_options(node->find("options"), errors);
  for (std::string& word : map.take_list("options")) site.words.push_back(std::move(word));
  for (const std::string& module : map.take_list("modules"))
    site.lines.push_back("module load " + shell_quote(module));
  for (std::string& line : map.take_list("lines")) site.lines.push_back(std::move(line));
  if (const auto gres = map.take_text("gres")) site.gres = *gres;
  if (const auto mpi = map.take_text("mpi")) site.mpi = *mpi;
  if (const auto minutes = map.take_integer("server_minutes", 1))
    site.server_minutes = static_cast<double>(*minutes);
  site.requests = take_requests(map, errors);
  if (const auto most = map.take_integer("most_jobs", 1)) site.most_jobs = *most;
  if (const auto most = map.take_integer("most_in_array", 1)) site.most_in_array = *most;
  map.finish();
}

void take_store(YamlMap& site_map, StoreSite& site, Errors& errors) {
  const Yaml* node = site_map.take("store");
  if (!node) return;
  YamlMap map(*node, keys::k_site_store, "'store'", errors);
  site.is_shared = map.take_bool("shared").value_or(site.is_shared);
  if (const Yaml* value = map.take("silent_s")) {
    const auto seconds = value->is_scalar() ? to_real(value->text) : std::nullopt;
    if (seconds && *seconds >= 1 && *seconds <= 3600) site.silent_s = *seconds;
    else
      errors.push_back(invalid(
          fmt::format("'store.silent_s' must be seconds from 1 to 3600, not {}", value->describe()),
          value->where));
  }
  map.finish();
}

void take_bind(YamlMap& map, Site& site, Errors& errors) {
  const Yaml* value = map.take("bind");
  if (!value) return;
  const auto address = value->is_scalar() ? system::ipv4_address(value->text) : std::nullopt;
  site.bind_where = value->where;
  if (address) site.bind = *address;
  else
    errors.push_back(invalid(fmt::format("'bind' must be an IPv4 address of this machine, such as "
                                         "127.0.0.1 or 0.0.0.0, not {}",
                                         value->describe()),
                             value->where));
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
  if (const auto containment = parse_name<system::Containment>(value->text)) return containment;
  errors.push_back(
      invalid(fmt::format("'containment' must be auto, cgroup, pid-namespace or session, not {}",
                          value->describe()),
              value->where));
  return std::nullopt;
}

// A folder, relative to the folder of the site file.
std::string take_runners(YamlMap& map, Errors& errors) {
  const Yaml* value = map.take("runners");
  if (!value) return "";
  std::error_code code;
  const auto beside = std::filesystem::absolute(value->where.file, code).parent_path();
  const auto folder = (beside / value->text).lexically_normal();
  if (value->is_scalar() && !value->text.empty() && std::filesystem::is_directory(folder, code))
    return folder.string();
  errors.push_back(
      invalid(fmt::format("'runners' must be a folder of runners (NAME/runner.yaml), not {}; a "
                          "relative path begins at the folder of this file",
                          value->describe()),
              value->where));
  return "";
}

std::string usual_site_file() {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  const char* home = std::getenv("HOME");
  if (config && *config) return std::string(config) + "/orchestrate/site.yaml";
  return home && *home ? std::string(home) + "/.config/orchestrate/site.yaml" : "";
}

std::optional<Yaml> read_yaml(system::Files& files, const std::string& file, Errors& errors) {
  auto text = files.read_text(file, YamlLimits{}.bytes);
  if (!text) {
    errors.push_back(text.error());
    return std::nullopt;
  }
  if (const auto secret = find_secret(*text)) {
    errors.push_back(
        invalid(fmt::format("this looks like {}; take it out and export it in the environment",
                            secret->kind),
                {file, secret->line, secret->column}));
    return std::nullopt;
  }
  auto root = parse_yaml(*text, file);
  if (!root) {
    errors.push_back(root.error());
    return std::nullopt;
  }
  return std::move(*root);
}

}  // namespace

attempt::PlaceOptions place_options(const Site& site) {
  constexpr double k_seconds_per_minute = 60;
  return {.grace_s = site.grace_s,
          .server_s = site.slurm.server_minutes * k_seconds_per_minute,
          .mpi = site.slurm.mpi,
          .requests = site.slurm.requests};
}

std::string site_file_of(const std::string& file) {
  return file.empty() ? usual_site_file() : file;
}

Site read_site(system::Files& files, const std::string& file, Errors& errors) {
  Site site;
  const std::string path = site_file_of(file);
  if (path.empty() || (file.empty() && !files.exists(path))) return site;
  const auto root = read_yaml(files, path, errors);
  if (!root) return site;
  YamlMap map(*root, keys::k_site, "the site file", errors);
  if (const Yaml* machine = map.take("machine"))
    site.machine = matrix::read_machine(*machine, errors);
  site.runners = take_runners(map, errors);
  if (const Yaml* prices = map.take("prices")) site.prices = read_prices(*prices, errors);
  if (const Yaml* ports = map.take("ports")) site.ports = read_ports(*ports, errors);
  take_bind(map, site, errors);
  site.gpu_ids = take_gpu_ids(map, errors);
  site.tokens = take_tokens(map, errors);
  take_container(map, site.container, errors);
  take_slurm(map, site.slurm, errors);
  take_store(map, site.store, errors);
  if (auto command = map.take_list("nvidia_smi"); !command.empty())
    site.nvidia_smi = std::move(command);
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
  YamlMap map(*root, keys::k_machine_file, "the machine file", errors);
  map.take("machine");
  map.finish();
  return matrix::read_machine(*below, errors);
}

}  // namespace orch::session
