#include "app/preflight/host_needs.hpp"

#include "run/attempt/workspace.hpp"
#include "core/base/text.hpp"
#include "core/secret/redact.hpp"
#include "os/system/run_to_end.hpp"

#include <algorithm>

namespace orch::preflight {

namespace {

constexpr double k_version_s = 120;  // a large Python package takes half a minute to load
constexpr const char* k_python = "/usr/bin/python3";
// The oldest for which the scripts of runners are written.
constexpr const char* k_python_check =
    "import sys; sys.exit(0 if sys.version_info >= (3, 9) else "
    "'it is Python ' + '.'.join(map(str, sys.version_info[:3])) + ', and 3.9 is needed')";

std::string remedy_of_program(const std::string& program) {
  const std::string install = doctor::how_to_install(program);
  return install.empty() ? "install it, or add its folder to PATH" : install;
}

const session::UsedRunner* runner_of(const Place& place, const std::string& name) {
  const auto& runners = place.experiment.runners;
  const auto found =
      std::ranges::find_if(runners, [&](const auto& one) { return one.manifest.name == name; });
  return found == runners.end() ? nullptr : &*found;
}

// The parts of a failure's last line, "WHY; REMEDY".
Error failure_of(const doctor::Answer& said, const secret::Secrets& secrets,
                 const SourceNeed& source) {
  std::string why = printable(secret::redacted(secrets, said.reason));
  if (why.find(source.source) == std::string::npos) why = source.source + ": " + why;
  if (why.find("; ") == std::string::npos) why += "; check the network, the proxy and HF_TOKEN";
  return {ErrorKind::unavailable, why, {}};
}

}  // namespace

void look_at_programs(Findings& findings, const Place& place, const Needs& needs) {
  // Those of the nodes of a cluster may be others.
  const Level lack = place.experiment.options.on_cluster ? Level::unknown : Level::missing;
  std::vector<std::string> found;
  Points served;
  for (const auto& [program, points] : needs.programs) {
    if (!place.asking.find(program)) {
      findings.add(lack, points, "no " + program, remedy_of_program(program));
      continue;
    }
    if (program == k_python) {
      const doctor::Answer said = place.asking.ask({program, "-c", k_python_check});
      if (!said.ok) {
        findings.add(
            lack, points, program + ": " + said.reason,
            "install a newer Python as " + program + ", or start from a system that has it");
        continue;
      }
    }
    found.push_back(program);
    served.insert(points.begin(), points.end());
  }
  if (!found.empty()) findings.add(Level::ok, served, join(found, ", "));
  for (const auto& [need, points] : needs.versions) {
    const auto argv = filled(place, need.argv, need.runner);
    const doctor::Answer said =
        place.asking.ask(argv, place.asking.world().environment, k_version_s);
    if (said.ok) continue;
    findings.add(said.hangs ? Level::unknown : lack, points,
                 fmt::format("`{}` does not answer: {}", shell_quote(argv), said.reason),
                 place.asking.find(argv.front()) ? "correct the path of the program in the matrix"
                                                 : remedy_of_program(argv.front()));
  }
}

void look_at_sources(Findings& findings, const Place& place, const Needs& needs) {
  const auto& environment = place.asking.world().environment;
  const secret::Secrets secrets(
      attempt::secrets_of(environment, session::secret_names(place.experiment)));
  for (const auto& [source, points] : needs.sources) {
    const session::UsedRunner* runner = runner_of(place, source.runner);
    const runner::Resolver* resolver =
        runner ? runner->manifest.resolver_of(source.source) : nullptr;
    if (!resolver || resolver->reach.empty()) {
      findings.add(
          Level::unknown, points,
          fmt::format("{}: runner '{}' has no command that tells whether it can be fetched",
                      source.source, source.runner),
          "`reach` in `resolve` of its manifest");
      continue;
    }
    const doctor::Answer said = place.asking.ask(
        filled(place, resolver->reach, source.runner,
               {{"model.source", source.source}, {"model.revision", source.revision}}),
        attempt::stage_environment(environment, resolver->inherit,
                                   {{"PYTHONDONTWRITEBYTECODE", "1"}}),
        resolver->timeout_s);
    if (said.ok)
      findings.add(Level::ok, points,
                   printable(secret::redacted(secrets, system::last_line(said.output))));
    else findings.add(Level::missing, points, failure_of(said, secrets, source));
  }
}

}  // namespace orch::preflight
