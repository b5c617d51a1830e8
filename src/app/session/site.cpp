#include "app/session/site.hpp"

#include "core/base/text.hpp"
#include "core/base/yaml/yaml.hpp"
#include "core/secret/token_shapes.hpp"
#include "run/slurm/slurm.hpp"
#include "spec/keys/matrix_keys.hpp"

#include <cstdlib>

namespace orch::session {

namespace {

void fail(Errors& errors, const Location& where, std::string message) {
  errors.push_back(invalid(std::move(message), where));
}

void take_prices(YamlMap& site_map, Prices& prices) {
  auto map = site_map.section("prices");
  if (!map) return;
  map->take("gpu_hour", prices.gpu_hour);
  map->take("machine_hour", prices.machine_hour);
  map->take("currency", prices.currency);
  map->take("output_token_weight", prices.output_token_weight);
}

void take_ports(YamlMap& site_map, system::PortRange& range, Errors& errors) {
  auto map = site_map.section("ports");
  if (!map) return;
  map->take("first", range.first);
  map->take("last", range.last);
  if (range.first > range.last)
    fail(errors, map->node().where,
         fmt::format("'ports' from {} to {} is not a range of ports; write ports: {{first: 20000, "
                     "last: 29999}}",
                     range.first, range.last));
}

void take_gpu_ids(YamlMap& map, GpuIds& taken, Errors& errors) {
  const Yaml* list = map.take("gpu_ids", taken.ids);
  if (!list) return;
  taken.where = list->where;
  for (const Yaml& item : list->items)
    if (const std::string why = why_no_gpu_id(item.text); !why.empty())
      fail(errors, item.where, "'gpu_ids': " + why);
}

void take_container(YamlMap& site_map, ContainerSite& site) {
  auto map = site_map.section("container");
  if (!map) return;
  map->take("engine", site.engine);
  map->take("command", site.command);
  map->take("options", site.options);
  map->take("rootless", site.rootless);
}

void refuse_own_options(const Yaml& options, Errors& errors) {
  for (const Yaml& item : options.items)
    if (const slurm::OwnOption* own = slurm::own_option(item.text))
      fail(errors, item.where,
           fmt::format("with {} in 'slurm.options', {}: {} is orchestrate's to set; leave it out",
                       quoted(item.text), own->harm, own->name));
}

void take_requests(YamlMap& slurm, attempt::SiteRequests& requests, Errors& errors) {
  const Yaml* by_name = slurm.take_fitting("resources");
  if (!by_name) return;
  for (const auto& [name, wanted] : by_name->entries) {
    YamlMap map(wanted, keys::k_site_resources,
                fmt::format("'slurm.resources.{}'", printable(name.text)), errors);
    attempt::SiteRequest& request = requests[name.text];
    map.take("cpus", request.cpus);
    map.take("memory_gib", request.memory_gib);
  }
}

void take_slurm(YamlMap& site_map, SlurmSite& site, Errors& errors) {
  auto map = site_map.section("slurm");
  if (!map) return;
  for (const char* key : {"account", "partition", "qos"})
    if (const Yaml* value = map->take_fitting(key))
      site.words.push_back(fmt::format("--{}={}", key, value->text));
  std::vector<std::string> options, modules, lines;
  if (const Yaml* list = map->take("options", options)) refuse_own_options(*list, errors);
  std::ranges::move(options, std::back_inserter(site.words));
  map->take("modules", modules);
  for (const std::string& module : modules)
    site.lines.push_back("module load " + shell_quote(module));
  map->take("lines", lines);
  std::ranges::move(lines, std::back_inserter(site.lines));
  map->take("gres", site.gres);
  map->take("mpi", site.mpi);
  map->take("server_minutes", site.server_minutes);
  take_requests(*map, site.requests, errors);
  map->take("most_jobs", site.most_jobs);
  map->take("most_in_array", site.most_in_array);
}

void take_store(YamlMap& site_map, StoreSite& site) {
  auto map = site_map.section("store");
  if (!map) return;
  map->take("shared", site.is_shared);
  map->take("silent_s", site.silent_s);
}

void take_bind(YamlMap& map, Site& site, Errors& errors) {
  const Yaml* value = map.take_fitting("bind");
  if (!value) return;
  site.bind_where = value->where;
  if (const auto address = system::ipv4_address(value->text)) site.bind = *address;
  else
    fail(errors, value->where,
         fmt::format("'bind' must be an IPv4 address of this machine, such as 127.0.0.1 or "
                     "0.0.0.0, not {}",
                     value->describe()));
}

// Takes the folder of runners, which is relative to the folder of the site file.
void take_runners(YamlMap& map, std::string& runners, Errors& errors) {
  const Yaml* value = map.take_fitting("runners");
  if (!value) return;
  std::error_code code;
  const auto beside = std::filesystem::absolute(value->where.file, code).parent_path();
  const auto folder = (beside / value->text).lexically_normal();
  if (!value->text.empty() && std::filesystem::is_directory(folder, code))
    runners = folder.string();
  else
    fail(errors, value->where,
         fmt::format("'runners' must be a folder of runners (NAME/runner.yaml), not {}; a relative "
                     "path begins at the folder of this file",
                     value->describe()));
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
    fail(errors, {file, secret->line, secret->column},
         fmt::format("this looks like {}; take it out and export it in the environment",
                     secret->kind));
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
  take_runners(map, site.runners, errors);
  take_prices(map, site.prices);
  take_ports(map, site.ports, errors);
  take_bind(map, site, errors);
  take_gpu_ids(map, site.gpu_ids, errors);
  map.take("tokens", site.tokens);
  take_container(map, site.container);
  take_slurm(map, site.slurm, errors);
  take_store(map, site.store);
  std::vector<std::string> command;
  if (map.take("nvidia_smi", command) && !command.empty()) site.nvidia_smi = std::move(command);
  map.take("grace_s", site.grace_s);
  map.take("containment", site.containment);
  return site;
}

matrix::StatedMachine read_machine_file(system::Files& files, const std::string& file,
                                        Errors& errors) {
  const auto root = read_yaml(files, file, errors);
  if (!root) return {};
  const Yaml* below = root->find("machine");
  if (!below) return matrix::read_machine(*root, errors);
  YamlMap(*root, keys::k_machine_file, "the machine file", errors);
  return matrix::read_machine(*below, errors);
}

}  // namespace orch::session
