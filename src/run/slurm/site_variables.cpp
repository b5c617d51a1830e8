#include "run/slurm/site_variables.hpp"

#include "core/base/text.hpp"
#include "core/secret/secret_forms.hpp"

#include <algorithm>

namespace orch::slurm {

namespace {

constexpr std::string_view k_of_shells[] = {"_", "SHLVL", "PWD", "OLDPWD"};

bool is_of_shells(const std::string& name) {
  return std::ranges::find(k_of_shells, name) != std::end(k_of_shells);
}

// A variable of LAUNCH's host, which the one of its node may replace.
bool is_inherited(const execute::Launch& launch, const std::string& name) {
  const auto& inherited = launch.place.inherited;
  return std::ranges::find(inherited, name) != inherited.end();
}

}  // namespace

Variables parse_variables(std::string_view text) {
  Variables variables;
  for (const std::string& entry : split(text, '\0'))
    if (const auto equals = entry.find('='); equals != std::string::npos)
      variables.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  return variables;
}

SiteVariables changed_variables(const Variables& before, const Variables& after) {
  SiteVariables changed;
  for (const auto& [name, value] : after) {
    const auto old = before.find(name);
    if (!is_of_shells(name) && (old == before.end() || old->second != value))
      changed.set.emplace(name, value);
  }
  for (const auto& [name, value] : before)
    if (!is_of_shells(name) && !after.contains(name)) changed.unset.push_back(name);
  return changed;
}

void give_variables(const SiteVariables& changed, execute::Launch& launch) {
  for (const std::string& name : changed.unset)
    if (is_inherited(launch, name)) launch.env.erase(name);
  for (const auto& [name, value] : changed.set) {
    if (launch.env.contains(name) && !is_inherited(launch, name)) continue;
    launch.env[name] = value;
    if (secret::names_a_secret(name)) launch.secrets.push_back(value);
  }
}

}  // namespace orch::slurm
