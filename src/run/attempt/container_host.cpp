#include "run/attempt/container_host.hpp"

#include "core/base/text.hpp"
#include "plan/graph/containers.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

namespace orch::attempt {

namespace {

using container::Engine;

struct Limit {
  const char* name;
  decltype(RLIMIT_STACK) resource;
};
constexpr Limit k_limits[] = {
    {"as", RLIMIT_AS},         {"core", RLIMIT_CORE},   {"cpu", RLIMIT_CPU},
    {"data", RLIMIT_DATA},     {"fsize", RLIMIT_FSIZE}, {"memlock", RLIMIT_MEMLOCK},
    {"nofile", RLIMIT_NOFILE}, {"nproc", RLIMIT_NPROC}, {"stack", RLIMIT_STACK},
};

// The number of one side of "SOFT:HARD"; -1 is no limit.
rlim_t number_of(std::string_view text) {
  if (text == "-1" || text == "unlimited") return RLIM_INFINITY;
  const auto number = to_integer(text);
  return number && *number >= 0 ? static_cast<rlim_t>(*number) : RLIM_INFINITY;
}

std::string text_of(rlim_t number) {
  return number == RLIM_INFINITY ? "-1" : std::to_string(number);
}

// The most that this process may have: root may raise its hard limit.
rlim_t most_of(decltype(RLIMIT_STACK) resource, rlim_t wanted) {
  rlimit now{};
  if (::getrlimit(resource, &now) != 0 || now.rlim_max == RLIM_INFINITY) return wanted;
  if (wanted != RLIM_INFINITY && wanted <= now.rlim_max) return wanted;
  rlimit raised{.rlim_cur = now.rlim_cur, .rlim_max = wanted};
  return ::setrlimit(resource, &raised) == 0 ? wanted : now.rlim_max;
}

bool maps_users(const std::vector<std::string>& options) {
  return std::ranges::any_of(options, [](const std::string& word) {
    return word == "--userns" || word.starts_with("--userns=");
  });
}

}  // namespace

std::vector<std::string> ContainerHost::command_of(Engine engine) const {
  const auto own = commands.find(engine);
  if (own != commands.end()) return own->second;
  return {engine == Engine::cluster ? "srun" : std::string(to_string(engine))};
}

std::map<std::string, std::string> client_variables(
    const std::map<std::string, std::string>& inherited) {
  std::map<std::string, std::string> variables;
  for (const auto& [name, value] : inherited)
    for (const char* pattern : k_client_variables)
      if (container::is_like(name, pattern)) variables[name] = value;
  return variables;
}

Contained contained(const plan::Plan& plan, const plan::Stage& stage, const ContainerHost& host) {
  Contained made{.settings = settings_here(*stage.spec.container, host),
                 .start = plan::container_start(plan, stage)};
  auto& [settings, start] = made;
  start.engine = host.command_of(settings.engine);
  start.labels.insert(host.labels.begin(), host.labels.end());
  start.user = user_option(settings, host);
  return made;
}

std::string own_user() { return fmt::format("{}:{}", ::geteuid(), ::getegid()); }

std::string user_option(const container::Settings& settings, const ContainerHost& host) {
  if (!settings.as_user) return "";
  const bool is_root = host.rootless || ::geteuid() == 0;
  if (is_root && maps_users(settings.options)) return "";
  // Whoever runs a script may be another user than the one who has it written.
  const bool is_known = host.rootless || (is_root && settings.engine == Engine::podman);
  return is_known ? "0:0" : fmt::format("{{{}user}}", plan::k_container);
}

container::Settings settings_here(container::Settings settings, const ContainerHost& host) {
  if (const auto more = host.options.find(settings.engine); more != host.options.end())
    settings.options.insert(settings.options.begin(), more->second.begin(), more->second.end());
  if (settings.engine == Engine::podman || host.rootless)
    settings.ulimits = within_hard_limits(std::move(settings.ulimits));
  return settings;
}

std::map<std::string, std::string> within_hard_limits(std::map<std::string, std::string> ulimits) {
  for (auto& [name, limit] : ulimits) {
    const auto known =
        std::ranges::find_if(k_limits, [&](const Limit& one) { return name == one.name; });
    if (known == std::end(k_limits)) continue;
    const std::size_t colon = limit.find(':');
    const rlim_t soft = number_of(std::string_view(limit).substr(0, colon));
    const rlim_t hard =
        colon == std::string::npos ? soft : number_of(std::string_view(limit).substr(colon + 1));
    const rlim_t most = most_of(known->resource, hard);
    limit = fmt::format("{}:{}", text_of(std::min(soft, most)), text_of(most));
  }
  return ulimits;
}

}  // namespace orch::attempt
